//! The command line: arguments in, text out.

mod analyze;
mod args;
mod arrow;
mod board;
mod check;
mod commands;
mod convert;
mod datagen;
mod failure;
mod files;
mod interrupt;
mod judge;
mod machine;
mod matches;
mod news;
mod notation;
mod openings;
mod perft;
mod positions;
mod self_test;
mod show;
mod starts;
pub mod svg;
mod tune;
mod upkeep;

pub use analyze::Analyze;
pub use args::{Arguments, Command, Show};
pub use board::Lettering;
pub use commands::run;
pub use datagen::Datagen;
pub use failure::Failure;
pub use matches::Contest;
pub use openings::Openings;
pub use tune::Tune;
pub use upkeep::Upkeep;
