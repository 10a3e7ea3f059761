//! Training reduces the loss, computes exact gradients, and resumes after an interruption.

mod files;
mod gradients;
mod learning;
mod samples;
