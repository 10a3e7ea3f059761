//! What fits numbers finds the numbers that were hidden, and nothing else decides than data and seed.

mod fit;
mod games;
mod methods;
mod planted;
#[path = "../search/walks.rs"]
mod walks;
