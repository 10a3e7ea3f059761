//! Counting, ranking and sampling of positions against independent witnesses.

#[path = "../common/mod.rs"]
mod common;
mod halves;
mod listing;
mod naive;
mod numbers;
mod published;
mod samples;
