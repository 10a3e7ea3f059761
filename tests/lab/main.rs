//! Self-play games are reproducible, and their files lose nothing; tuning recovers planted weights; training is exact.

#[path = "../common/mod.rs"]
mod common;
mod files;
mod fit;
mod loading;
mod merging;
mod methods;
mod planted;
mod playing;
mod relabelling;
mod search;
mod suite;
mod train;
mod train_files;
