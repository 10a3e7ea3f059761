//! Matches between engines.
//!
//! Any engines that speak UCCI or UCI play each other under the rules of Chuhe: an [`EngineSpec`] says how one is
//! started, a [`Schedule`] who plays whom from which opening, [`Match::play`] plays the games, and [`Standings`] say
//! what they show, by the statistics of [`statistics`] and [`sprt`]. Engines are not trusted: whatever they do wrong
//! costs them a game ([`Fault`]), never the match. Games are kept in a [`journal`] from which a match can be taken up
//! again.

pub mod arbiter;
pub mod command;
pub mod journal;
pub mod sprt;
pub mod statistics;

mod answer;
mod fault;
mod game;
mod player;
mod process;
mod record;
mod run;
mod schedule;
mod spec;
mod standings;
mod time_control;
mod words;

pub use fault::{Fault, FaultKind};
pub use game::Conditions;
pub use player::Timeouts;
pub use record::{Effort, GameRecord, PlayedMove};
pub use run::{Match, News};
pub use schedule::{Fixture, Format, Schedule, shuffled};
pub use spec::{EngineSpec, SpecError, name_engines};
pub use standings::{Standing, StandingReport, Standings, Summary};
pub use time_control::{Clock, TimeControl};
