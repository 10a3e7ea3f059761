//! Self-play games are reproducible, and their files lose nothing.

#[path = "../common/mod.rs"]
mod common;
mod files;
mod merging;
mod playing;
mod relabelling;
mod suite;
