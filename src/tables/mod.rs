//! Constant tables: geometry of the board, attacks as sets of squares, line attacks, numbers of
//! pieces on squares, and Zobrist keys.
//!
//! Everything is built by `const fn` at compile time, so there is no initialisation call.

pub mod attack_sets;
pub mod geometry;
pub mod lines;
pub mod placements;
pub mod zobrist;
