//! Tuning recovers planted weights, and tuning and training are reproducible.

mod agreement;
#[path = "../common/mod.rs"]
mod common;
mod fit;
mod games;
mod loading;
mod methods;
mod planted;
mod train;
mod train_files;
