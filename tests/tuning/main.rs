//! Tuning recovers planted weights, and tuning and training are reproducible.

#[path = "../common/mod.rs"]
mod common;
mod fit;
mod loading;
mod methods;
mod planted;
mod search;
mod train;
mod train_files;
