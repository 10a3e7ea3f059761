//! Chuhe.

pub mod eval;
pub mod position;
pub mod tables;
pub mod types;
