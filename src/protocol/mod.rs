//! UCCI (Universal Chinese Chess Protocol) and UCI (Universal Chess Interface): parsing, formatting and the session.
//!
//! The session accepts the commands of both protocols at any time; the last `ucci` or `uci` decides the form of the
//! answers. It sleeps until the thread that reads lines, the engine's or the one that counts sends an event.

mod format;
mod go;
mod help;
mod input;
mod output;
mod session;

pub use help::option_help;
pub use input::{Input, Lines, MAX_LINE_BYTES, is_of_front_end};
pub use output::Output;
pub use session::{Ended, run};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// Universal Chinese Chess Protocol, version 3.0.
    Ucci,
    /// Universal Chess Interface.
    Uci,
}
