//! Self-play games are reproducible, and their files lose nothing.

mod damage;
mod endings;
mod format;
mod merging;
mod playing;
mod random_games;
mod relabelling;
mod suite;
