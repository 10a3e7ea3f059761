//! Constant geometry: where each man may step, what each line word allows, and the Zobrist keys.
//!
//! Answers "what does an empty or given line of the board allow"; knows no position. Everything is built by `const fn`
//! at compile time, so there is no initialisation call to forget.

pub mod geometry;
pub mod lines;
pub mod zobrist;
