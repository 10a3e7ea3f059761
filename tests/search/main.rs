//! Evaluation, move picker, search and engine against independent witnesses.

mod clock;
#[path = "../common/mod.rs"]
mod common;
mod engine;
mod evaluation;
mod mates;
mod picker;
mod repetition;
#[cfg(feature = "lab")]
mod toggles;
mod ways;
