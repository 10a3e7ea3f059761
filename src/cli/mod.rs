//! The command line: arguments in, text out.

mod args;
mod commands;
mod judge;
mod table;

pub use args::{Arguments, Command};
pub use commands::{Failure, run};
