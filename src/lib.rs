//! Chuhe.

pub mod cli;
pub mod engine;
pub mod eval;
pub mod position;
pub mod protocol;
pub mod rules;
pub mod search;
pub mod tables;
pub mod types;
