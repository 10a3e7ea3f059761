//! Games that an engine plays against itself, and what is kept of them.
//!
//! [`run()`] makes the games that a [`GameFile`] lacks: those of a [`Plan`] are played, each from nothing but the
//! [`Settings`] and its number, and those of a [`Relabelling`] were played before and are scored anew. [`Merging`]
//! puts together what was made on many machines. [`record`] tells byte by byte what a file holds, [`GameReader`] reads
//! it, [`stats`] and [`text`] show it to people. What is learned from the games is not known here.

pub mod command;
pub mod record;
pub mod stats;
pub mod text;

mod bytes;
mod findings;
mod gaps;
mod gathering;
mod named_network;
mod plan;
mod reader;
mod relabel;
mod run;
mod searcher;
mod self_play;
mod settings;
mod starts;
mod writer;

use crate::notation::game::GameResult;
use crate::position::Position;
use crate::types::{Move, Value};

pub use findings::{Finding, GatherError, PartFault};
pub use gaps::{Gaps, Incomplete};
pub use gathering::{Merging, Part, Written};
pub use named_network::NamedNetwork;
pub use plan::Plan;
pub use reader::{GameReader, HeaderError, RecordError};
pub use record::{EndingKind, GameRecord, Header, RecordFault};
pub use relabel::{Origin, RelabelSettings, Relabelling, Source, SourceFault};
pub use run::{Done, Jobs, Maker, RunError, Summary, Unplayed, Work, run};
pub use searcher::{Effort, Searching, knowledge_for_settings};
pub use settings::{Difference, Settings, difference};
pub use starts::{StartFault, Starts};
pub use writer::{FileError, FileFault, GameFile, GameWriter, Resumed};

/// A game with what the engine thought of every position before it moved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScoredGame {
    /// The position before the first scored move, without a history.
    pub start: Position,
    /// The moves, all legal.
    pub moves: Vec<ScoredMove>,
    /// How the game ended.
    pub result: GameResult,
}

/// A move and the score of the search that chose it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScoredMove {
    /// The move.
    pub mv: Move,
    /// The value of the position before the move, in centipawns for the side that plays it; see
    /// [`crate::types::score`] for mates.
    pub score: Value,
}
