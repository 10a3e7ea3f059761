//! Counting, ranking and sampling of positions against independent witnesses.

mod halves;
mod listing;
mod naive;
mod numbers;
mod samples;
