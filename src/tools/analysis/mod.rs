//! Analysis: what an engine has to say about a position, a game, or a suite of problems.
//!
//! A search is watched, and may be interrupted, by [`examine`]; games and suites are many of those. Winning chances,
//! and what a move throws away of them, are defined in [`chance`].

pub mod command;
pub mod game;
pub mod suite;
pub mod wdl;

mod phase;
mod watch;

pub use phase::Phase;
pub use watch::{Analysis, Finding, examine};
