//! Training finds what there is to learn, follows the true slopes, and goes on where it was interrupted.

#[path = "../../datagen/random_games.rs"]
#[allow(dead_code)]
mod random_games;

mod files;
mod learning;
mod samples;
mod slopes;
