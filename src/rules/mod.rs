//! What the history of a game means: recurring positions, perpetual check, limits and dead draws.
//!
//! Works on a position and the moves that led to it; knows nothing of scores or searches.

mod cycle;
mod limits;

pub use cycle::{Recurrence, recurrence};
pub use limits::{NATURAL_MOVE_LIMIT, is_dead_draw, is_move_limit_reached};
