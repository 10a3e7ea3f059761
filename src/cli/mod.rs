//! The command line: arguments in, text out.

mod args;
mod arrow;
mod board;
mod commands;
mod convert;
mod files;
mod judge;
mod notation;
mod show;
pub mod svg;

pub use args::{Arguments, Command, Show};
pub use board::Lettering;
pub use commands::{Failure, run};
