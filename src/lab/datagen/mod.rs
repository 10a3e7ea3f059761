//! Training data: self-play games with scores.
//!
//! [`run()`] makes the games that a [`GameFile`] lacks: those of a [`Plan`] are played, each decided by the
//! [`Settings`] and its number alone; those of a [`Relabelling`] exist already and are rescored. [`Merge`] merges files
//! made on several machines. [`record`] documents the format, [`GameReader`] reads it, [`stats`] and [`text`] print it.

pub mod command;
pub mod record;
pub mod stats;
pub mod text;

mod engine;
mod merge;
mod reader;
mod relabel;
mod run;
mod self_play;
mod settings;
mod writer;

use std::path::PathBuf;

use thiserror::Error;

use crate::engine::EngineError;
use crate::notation::game::GameResult;
use crate::position::Position;
use crate::types::{Move, Value};

pub use engine::{NamedNetwork, SearchCost, SearchSettings, knowledge_name};
pub use merge::{IncompleteShard, Merge, MergeError, MergeStats, MissingGames, Warning};
pub use reader::{GameReader, HeaderError, RecordError};
pub use record::{EndingKind, GameRecord, Header, RecordFault};
pub use relabel::{Origin, RelabelSettings, RelabelSource, Relabelling};
pub use run::{GameEvent, GameSource, Skipped, Summary, Tasks, Worker, run};
pub use self_play::{Openings, Plan};
pub use settings::{Difference, Settings, difference};
pub use writer::{FileError, FileFault, GameFile, GameWriter, Resumed, check_unlocked};

/// Error while games are made.
#[derive(Debug, Error)]
pub enum RunError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The settings name a network that is not loaded.
    #[error("network {checksum} is not loaded; name its file with --evalfile")]
    Network { checksum: String },
    /// The source of the games to rescore cannot be read.
    #[error("{}: {error}", path.display())]
    Source { path: PathBuf, error: HeaderError },
    /// Games would repeat each other.
    #[error(
        "{openings} openings without random moves give only {openings} different games, not {games}; add --random-plies"
    )]
    Repetitive { openings: usize, games: u64 },
}

/// Game with the search score of every move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScoredGame {
    /// Position before the first scored move, without history.
    pub start: Position,
    /// Legal moves with their scores.
    pub moves: Vec<ScoredMove>,
    /// Result of the game.
    pub result: GameResult,
    /// Kind of its ending.
    pub ending: EndingKind,
}

/// Move with the score of the search that chose it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScoredMove {
    /// The move.
    pub mv: Move,
    /// Score in centipawns for the side that plays the move; see [`crate::types::score`] for mates.
    pub score: Value,
}
