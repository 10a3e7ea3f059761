//! Shared by all commands: errors and exit statuses, argument parsers, progress, boards and diagrams.
//!
//! No module here belongs to one command; what only one needs lies beside that command.

pub mod args;
pub mod arrow;
pub mod board;
pub mod check;
pub mod error;
pub mod input;
pub mod output;
pub mod progress;
pub mod svg;
