//! Evaluation, move picker, search and engine against independent witnesses.

mod engine;
mod evaluation;
mod mates;
mod network;
mod picker;
mod repetition;
mod walks;
mod ways;
