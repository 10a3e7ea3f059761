//! Matches between engines.
//!
//! UCCI and UCI engines play each other under the rules of Chuhe. An [`EngineSpec`] describes how an engine is started,
//! a [`Schedule`] pairs engines and openings, [`Match::play`] plays the games, and [`Standings`] hold the results with
//! the statistics of [`statistics`] and [`sprt`]. Engines are not trusted: a fault costs an engine its game
//! ([`Fault`]), never the match. Finished games go to a [`journal`], from which an interrupted match can be resumed.

pub mod arbiter;
pub mod command;
pub mod journal;
pub mod sprt;
pub mod statistics;

mod engine_protocol;
mod game;
mod openings;
mod player;
mod process;
mod record;
mod run;
mod schedule;
mod spec;
mod standings;
mod time_control;

pub use game::Conditions;
pub use openings::built_in_openings;
pub use player::Timeouts;
pub use record::{Effort, Fault, FaultKind, GameRecord, PlayedMove};
pub use run::{Match, MatchEvent};
pub use schedule::{Format, Schedule, ScheduledGame, shuffled};
pub use spec::{EngineSpec, SpecError, name_engines};
pub use standings::{Standing, StandingReport, Standings, Summary};
pub use time_control::{Clock, TimeControl};
