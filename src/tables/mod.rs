//! Constant tables: geometry of the board, line attacks, and Zobrist keys.
//!
//! Everything is built by `const fn` at compile time, so there is no initialisation call.

pub mod geometry;
pub mod lines;
pub mod zobrist;
