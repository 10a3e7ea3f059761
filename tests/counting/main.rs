//! Counting and ranking of positions against independent witnesses.

#[path = "../common/mod.rs"]
mod common;
mod halves;
mod listing;
mod numbers;
mod published;
