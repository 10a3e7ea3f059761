//! Analysis of positions, games and suites of problems.
//!
//! [`analyze_position`] runs one search with progress reports and a cancellation flag; [`game`] and [`suite`] run it
//! for many positions. [`wdl`] defines winning chances and the loss of a move.

pub mod command;
pub mod game;
pub mod suite;
pub mod wdl;

mod analyze;

pub use analyze::{Analysis, PvLine, analyze_position};
pub use game::Phase;
