//! Matches between engines.
//!
//! UCCI and UCI engines play each other under the rules of Chuhe. An [`EngineSpec`] describes how an engine is started,
//! a [`Schedule`] pairs engines and openings, [`Match::play`] plays the games, and [`statistics`] has standings, Elo
//! and sequential tests. Engines are not trusted: a fault costs an engine its game ([`FaultKind`]), never the match.
//! Finished games go to a [`journal`], from which an interrupted match can be resumed.

pub mod arbiter;
pub mod command;
pub mod journal;
pub mod statistics;

mod game;
mod player;
mod process;
mod run;
mod spec;

pub use game::{Effort, GameFault, GameRecord};
pub use player::PlayedMove;
pub use process::FaultKind;
pub use run::{Format, Match, MatchEvent, Schedule, ScheduledGame, built_in_openings, shuffled};
pub use spec::{Conditions, EngineSpec, TimeControl, name_engines};
