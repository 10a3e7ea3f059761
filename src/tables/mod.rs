//! Constant tables, built by `const fn` at compile time.

pub mod attack_sets;
pub mod geometry;
pub mod lines;
pub mod piece_squares;
pub mod zobrist;
