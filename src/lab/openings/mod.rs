//! Opening suites: balanced, quiet and different openings for games between engines.
//!
//! [`Sources`] collects candidate lines, [`Deduplicator`] rejects openings that are too similar, and [`SuiteFilter`]
//! searches them. `choose` makes a suite, `check` tests one. The file format is in [`crate::notation::openings`].

pub mod command;

mod choose;
mod filter;

use thiserror::Error;

use crate::position::Position;
use crate::types::{Move, Value};
use crate::util::random::StableRandom;

pub use choose::{Choice, ChooseSettings, Sources, choose, random_line};
pub use filter::{Deduplicator, Progress, SearchScore, SuiteFilter, check, symmetric_key};

/// Criteria of an opening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Criteria {
    /// Minimum plies from the start of the game.
    pub min_plies: usize,
    /// Maximum plies.
    pub max_plies: usize,
    /// Maximum lead of either side in centipawns.
    pub balance: Value,
    /// Nodes of the search that determines the lead.
    pub nodes: u64,
    /// Maximum number of openings with the same or the mirrored position after [`FAMILY_PLIES`] plies.
    pub max_family: usize,
}

/// Plies after which openings with the same position are a family.
pub const FAMILY_PLIES: usize = 4;

/// Reason to reject an opening.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Fault {
    /// Not from the start of the game.
    #[error("it does not begin with the start of the game")]
    OtherStart,
    /// Too short or too long.
    #[error("it has {plies} plies, not {min} to {max}")]
    Length {
        /// Plies of the opening.
        plies: usize,
        /// Minimum.
        min: usize,
        /// Maximum.
        max: usize,
    },
    /// The game is over.
    #[error("the game is over")]
    Over,
    /// The side to move is in check.
    #[error("the side to move is in check")]
    Check,
    /// Same final position as another one, or its mirror image.
    #[error("it ends in the position of {0}, directly or mirrored")]
    Duplicate(OpeningNumber),
    /// One of two openings continues the other, or its mirror image.
    #[error("it continues {0}, or {0} continues it, directly or mirrored")]
    SameLine(OpeningNumber),
    /// Too many openings in its family.
    #[error("more than {max} begin with the same {FAMILY_PLIES} plies, directly or mirrored")]
    Family {
        /// Maximum.
        max: usize,
    },
    /// One side is too far ahead.
    #[error("the side to move is at {score:+} centipawns, beyond ±{balance}")]
    Unbalanced {
        /// Score of the search for the side to move, in centipawns.
        score: Value,
        /// Bound in centipawns.
        balance: Value,
    },
    /// The best move is a capture.
    #[error("it is not quiet: the best move is the capture {0}")]
    Capture(Move),
}

/// Number of an opening: its line in a file, or its index among the chosen ones, from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpeningNumber(pub u64);

impl std::fmt::Display for OpeningNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}", self.0)
    }
}

/// Plays random legal moves and returns them. `None` when the game ends before `plies` moves.
pub fn random_moves(position: &mut Position, plies: usize, random: &mut StableRandom) -> Option<Vec<Move>> {
    let mut played = Vec::with_capacity(plies);
    for _ in 0..plies {
        let mut moves = position.legal_moves();
        if moves.is_empty() {
            return None;
        }
        // The order of move generation may change; the choice must not.
        moves.sort_unstable_by_key(|mv| mv.bits());
        let mv = moves[random.below(moves.len())];
        position.make(mv);
        played.push(mv);
    }
    Some(played)
}
