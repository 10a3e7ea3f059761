//! Constant tables: geometry of the board, attacks as sets of squares, line attacks, indices of pieces on squares, and
//! Zobrist keys.
//!
//! Everything is built by `const fn` at compile time, so there is no initialisation call.

pub mod attack_sets;
pub mod geometry;
pub mod lines;
pub mod piece_squares;
pub mod zobrist;
