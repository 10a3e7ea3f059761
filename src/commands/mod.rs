//! Commands for people, one folder a feature, with the library part and the command side by side.
//!
//! The library part of a feature prints nothing and does not depend on the command line; its `command` module reads
//! arguments and writes text. Features use each other only through what their `mod.rs` exports.

pub mod analysis;
pub mod book;
pub mod counting;
pub mod games;
pub mod matches;
pub mod mate;
pub mod tablebase;
#[cfg(feature = "web")]
pub mod web;
