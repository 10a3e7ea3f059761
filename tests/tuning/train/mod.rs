//! Training reduces the loss, computes exact gradients, and resumes after an interruption.

#[path = "../../datagen/random_games.rs"]
#[allow(dead_code)]
mod random_games;

mod files;
mod gradients;
mod learning;
mod samples;
