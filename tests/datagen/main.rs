//! Proves that games of self-play follow from their settings alone, and that files of them lose nothing.

mod damage;
mod endings;
mod format;
mod gathering;
mod playing;
mod random_games;
mod relabelling;
mod suite;
