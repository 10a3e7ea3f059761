//! What fits numbers finds the numbers that were hidden, and nothing else decides than data and seed; so does what trains
//! networks.

mod fit;
mod games;
mod methods;
mod planted;
mod train;
#[path = "../search/walks.rs"]
mod walks;
