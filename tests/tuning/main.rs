//! Tuning recovers planted weights, and tuning and training are reproducible.

mod fit;
mod games;
mod methods;
mod planted;
mod train;
#[path = "../search/walks.rs"]
mod walks;
