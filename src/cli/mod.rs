//! The command line: arguments in, text out.

mod analyze;
mod args;
mod arrow;
mod board;
mod commands;
mod convert;
mod files;
mod judge;
mod machine;
mod notation;
mod self_test;
mod show;
pub mod svg;
mod upkeep;

pub use analyze::Analyze;
pub use args::{Arguments, Command, Show};
pub use board::Lettering;
pub use commands::{Failure, run};
pub use upkeep::Upkeep;
