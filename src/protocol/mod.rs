//! Speaking with a front end, in the Universal Chinese Chess Protocol (UCCI) or the Universal Chess Interface (UCI).
//!
//! The session understands the commands of both at any time; which one was named last decides how it answers.
//!
//! MoveContinuity lines into calls of an [`crate::engine::Engine`] and its answers into lines. A reader thread takes in lines,
//! a search thread thinks, and the session between them sleeps until one of them has something to say.

mod debug;
mod draw_resign;
mod format;
mod go;
mod input;
mod options;
mod output;
mod perft_bench;
mod printer;
mod session;
mod tracker;
mod words;

pub use format::Protocol;
pub use input::{Input, LONGEST_LINE, Lines};
pub use options::{OptionHelp, option_help};
pub use output::Output;
pub use session::{Ended, run};
