//! Helpers that several test programs share. Each program includes this folder with a path attribute.

// Every program uses a part of it.
#![allow(dead_code)]

pub mod board;
pub mod books;
pub mod data;
pub mod naive;
pub mod network;
pub mod placements;
pub mod searches;
#[cfg(feature = "lab")]
pub mod self_play;
pub mod sparse;
pub mod walks;

/// Part of the system's message about a file that does not exist.
pub const NOT_FOUND: &str = if cfg!(windows) { "cannot find the" } else { "No such file" };
