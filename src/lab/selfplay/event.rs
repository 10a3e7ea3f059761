//! Events of the rounds, for progress displays.

use std::path::Path;

use super::state::{MatchResult, Round};
use crate::lab::datagen::{GameEvent, Resumed};
use crate::lab::training::FolderEvent;

/// Event of a run.
#[derive(Debug)]
pub enum RoundsEvent<'a> {
    /// The games of a round begin, or resume.
    Games {
        /// Number of the round, from 1.
        round: u64,
        /// Number of games of the round.
        games: u64,
        /// Number of games still to be played.
        missing: u64,
        /// Checksum of the network that plays; `None` for the hand-made evaluation.
        network: Option<&'a str>,
        /// Path of the game file.
        path: &'a Path,
        /// What was found in it.
        resumed: &'a Resumed,
    },
    /// Progress of the games.
    Game(GameEvent<'a>),
    /// The training of a round begins, or resumes.
    Training {
        /// Number of the round, from 1.
        round: u64,
        /// Number of rounds whose games it uses.
        rounds: usize,
        /// Checksum of the network that it continues from; `None` for random weights.
        start: Option<&'a str>,
    },
    /// Progress of the training.
    Train(FolderEvent<'a>),
    /// The match of a round begins, or resumes.
    Match {
        /// Number of the round, from 1.
        round: u64,
        /// Number of games of the match.
        games: u64,
        /// Number of games played before.
        played: u64,
        /// Checksum of the network that the new one plays against; `None` for the hand-made evaluation.
        opponent: Option<&'a str>,
        /// Path of the journal.
        path: &'a Path,
        /// Numbers of the lines of the journal that cannot be read; their games are played again.
        faulty_lines: &'a [usize],
    },
    /// A game of the match is over; all results so far.
    MatchGame(MatchResult),
    /// A round is complete.
    Round(u64, &'a Round),
}
