//! Games that an engine plays against itself, and what is kept of them.

use crate::notation::game::GameResult;
use crate::position::Position;
use crate::types::{Move, Value};

/// A game with what the engine thought of every position before it moved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScoredGame {
    /// The position before the first scored move, without a history.
    pub start: Position,
    /// The moves, all legal.
    pub moves: Vec<ScoredMove>,
    /// How the game ended.
    pub result: GameResult,
}

/// A move and the score of the search that chose it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScoredMove {
    /// The move.
    pub mv: Move,
    /// The value of the position before the move, in centipawns for the side that plays it; see
    /// [`crate::types::score`] for mates.
    pub score: Value,
}
