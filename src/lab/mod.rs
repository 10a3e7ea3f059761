//! The laboratory for engine makers, one folder a feature: what makes networks, weights and openings.

pub mod datagen;
pub mod openings;
pub mod selfplay;
pub mod training;
pub mod tree_statistics;
pub mod tuning;
