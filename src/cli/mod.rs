//! The list of commands and their dispatch, and the small commands without a library part.

mod args;
mod commands;
mod meta;
mod perft;
mod self_test;
mod sysinfo;

pub use args::{Arguments, Command};
pub use commands::run;
pub use meta::Meta;
