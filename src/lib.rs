//! Chuhe.

pub mod position;
pub mod tables;
pub mod types;
