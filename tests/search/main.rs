//! Evaluation, move picker, search and engine against independent witnesses.

mod engine;
mod evaluation;
mod mates;
mod picker;
mod repetition;
mod walks;
mod ways;
