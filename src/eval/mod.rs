//! Static evaluation of a position, in centipawns for the side to move.
//!
//! The [`network`] was trained on games and is what the engine plays by. The [`handcrafted`] evaluation serves weaker
//! levels of [`Knowledge`] and explains itself term by term ([`table`]). [`Evaluator`] updates either of them move by
//! move and applies the [scale factor](handcrafted::scale_factor) of drawish endings to both. The evaluation depends on
//! the position alone, not on its history.

mod config;
mod evaluator;
pub mod handcrafted;
pub mod network;
mod table;

pub use config::{EvalConfig, Knowledge};
pub use evaluator::Evaluator;
pub use table::table;
