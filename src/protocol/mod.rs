//! Speaking with a front end.
//!
//! Turns lines into calls of an [`crate::engine::Engine`] and its answers into lines. A reader thread takes in lines,
//! a search thread thinks, and the session between them sleeps until one of them has something to say.

mod go;
mod input;
mod output;
mod printer;
mod ucci;
mod words;

pub use output::Output;
pub use ucci::{Ended, run};
