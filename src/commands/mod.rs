//! Commands for people, one folder a feature, with the library part and the command side by side.
//!
//! The library part of a feature prints nothing and does not depend on the command line; its `command` module reads
//! arguments and writes text. Features use each other only through what their `mod.rs` exports. The library parts of
//! `analysis` and `web` are all that exists with the feature `library` alone: they need no terminal.

pub mod analysis;
#[cfg(feature = "commands")]
pub mod book;
#[cfg(feature = "commands")]
pub mod counting;
#[cfg(feature = "commands")]
pub mod games;
#[cfg(feature = "commands")]
pub mod matches;
#[cfg(feature = "commands")]
pub mod mate;
#[cfg(feature = "commands")]
pub mod tablebase;
pub mod web;
