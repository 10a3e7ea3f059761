//! Evaluation, move picker, search and engine against independent witnesses.

mod clock;
#[path = "../common/mod.rs"]
mod common;
mod engine;
mod evaluation;
mod mates;
mod network;
mod picker;
mod repetition;
#[cfg(feature = "lab")]
mod switches;
mod ways;
