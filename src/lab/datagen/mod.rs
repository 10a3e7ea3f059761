//! Training data: self-play games with scores.
//!
//! [`run()`] makes the games that a [`GameFile`] lacks: those of a [`Plan`] are played, each decided by the
//! [`Settings`] and its number alone; those of a [`Relabelling`] exist already and are rescored. [`Merge`] merges files
//! made on several machines. [`record`] documents the format, [`GameReader`] reads it, [`stats`] counts games.

pub mod command;
pub mod record;
pub mod stats;

mod file;
mod merge;
mod relabel;
mod run;
mod self_play;
mod settings;

pub use file::{EARLIER_MAGIC, GameFile, GameReader};
pub use merge::{Merge, Missing};
pub use record::{EndingKind, GameRecord, ScoredMove, game_key};
pub use relabel::{Origin, Relabelling};
pub use run::{GameSource, Summary, run};
pub use self_play::{Openings, Plan};
pub use settings::{SearchSettings, Settings, checksum, difference, unless_embedded};
