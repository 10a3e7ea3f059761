//! Shared by all commands: errors and exit statuses, argument parsers, progress, boards and diagrams.
//!
//! No module here belongs to one command; what only one needs lies beside that command. The modules without a terminal
//! serve the library parts of commands, too.

#[cfg(feature = "commands")]
pub mod args;
#[cfg(feature = "commands")]
pub mod board;
pub mod chinese;
pub mod error;
#[cfg(feature = "commands")]
pub mod input;
pub mod output;
#[cfg(feature = "commands")]
pub mod progress;
pub mod svg;

pub use chinese::data;
pub use error::{CommandError, Result};
pub use output::*;
#[cfg(feature = "commands")]
pub use {args::*, board::*, input::*, progress::*};

/// Writes a line for the user to standard error, after the name of the program; see [`write_line`].
#[cfg(feature = "commands")]
macro_rules! note {
    ($($text:tt)*) => {
        $crate::console::write_line(format_args!("chuhe: {}", format_args!($($text)*)))
    };
}
#[cfg(feature = "commands")]
pub(crate) use note;

/// Returns a number with its unit, in the singular or with an s.
pub fn counted(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// Writes a line to standard error, in the language of the user. A full disk, or a reader that has gone, must not end
/// the work.
#[cfg(feature = "commands")]
pub(crate) fn write_line(line: std::fmt::Arguments) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "{}", in_language_of_user(&line.to_string()));
}

/// Returns a message in the language of the user.
#[cfg(feature = "commands")]
pub fn in_language_of_user(message: &str) -> String {
    chinese::Language::of_user().say(message)
}
