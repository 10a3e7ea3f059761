//! Work done with engines: what a person or a script wants to know, beyond one search.
//!
//! The tools drive engines and hand back results; they print nothing and know no command line.

pub mod analyze;
pub mod arbiter;
pub mod bookmaker;
pub mod datagen;
pub mod dice;
pub mod fingerprint;
pub mod named_network;
pub mod openings;
pub mod shard;
pub mod tournament;
pub mod train;
pub mod tune;

mod interrupt;
mod parallel;

pub use interrupt::Interrupt;
