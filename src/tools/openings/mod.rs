//! Opening suites: starts for games between engines that are even, quiet and different from one another.
//!
//! [`Sources`] has lines to choose from, a [`Chosen`] knows which starts are too much alike, an [`SuiteFilter`] lets
//! engines judge them, [`choose`] and [`check`] put these together. How starts are written is the business of
//! [`crate::notation::openings`].

mod check;
mod choose;
pub mod command;
mod dedup;
mod examine;
mod sources;

use thiserror::Error;

use crate::types::{Move, Value};

pub use check::check;
pub use choose::{Choice, Progress, Wanted, choose};
pub use dedup::{Chosen, identity};
pub use examine::{Opinion, SuiteFilter};
pub use sources::{Sources, random_line};

/// What a start has to be like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Criteria {
    /// The fewest plies from the start of the game.
    pub least_plies: usize,
    /// The most plies.
    pub most_plies: usize,
    /// How many centipawns either side may be ahead.
    pub balance: Value,
    /// How many nodes a search has to find that out.
    pub nodes: u64,
    /// How many starts may have the same position, or mirrored positions, after [`FAMILY_PLIES`] plies.
    pub most_of_family: usize,
}

/// After how many plies starts are counted as a family.
pub const FAMILY_PLIES: usize = 4;

/// Why a start is not taken.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Fault {
    /// It does not begin with the start of the game.
    #[error("it does not begin with the start of the game")]
    OtherStart,
    /// It is too short or too long.
    #[error("it has {plies} plies, not {least} to {most}")]
    Length {
        /// Its plies.
        plies: usize,
        /// The fewest plies.
        least: usize,
        /// The most plies.
        most: usize,
    },
    /// The game is over.
    #[error("the game is over")]
    Over,
    /// The side to move is in check.
    #[error("the side to move is in check")]
    Check,
    /// It ends where another one ends, perhaps mirrored.
    #[error("it ends like {0}, as it stands or mirrored")]
    Duplicate(Place),
    /// One of the two is a part of the other, perhaps mirrored.
    #[error("one of it and {0} goes on from where the other ends, as it stands or mirrored")]
    SameLine(Place),
    /// Too many begin like it.
    #[error("more than {most} begin with the same {FAMILY_PLIES} plies, as they stand or mirrored")]
    Family {
        /// How many may.
        most: usize,
    },
    /// One side is too far ahead.
    #[error("the side to move is at {score:+} centipawns, beyond ±{balance}")]
    Unbalanced {
        /// What the search says, for the side to move.
        score: Value,
        /// What may be.
        balance: Value,
    },
    /// Something can be captured with profit, or a capture is not yet answered.
    #[error("it is not quiet: the best move is the capture {0}")]
    Capture(Move),
}

/// Which start of a suite: the number of its line if it came from a file, otherwise its number among the chosen ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place(pub u64);

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}", self.0)
    }
}
