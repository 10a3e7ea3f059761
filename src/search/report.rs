//! What a search tells while it runs and when it is over.

use std::time::Duration;

use super::transposition::Bound;
use crate::types::{Move, Value};

/// One line of a finished (or, with a bound, failed) iteration.
#[derive(Clone, Debug)]
pub struct Iteration<'a> {
    /// Which of the wanted lines it is, 1 for the best.
    pub pv_index: usize,
    /// The depth in plies.
    pub depth: usize,
    /// The longest line looked at, in plies.
    pub selective_depth: usize,
    /// The value for the side to move.
    pub score: Value,
    /// Whether the value is exact or the window failed.
    pub bound: Bound,
    /// Nodes since the start of the search.
    pub nodes: u64,
    /// Time since the start of the search.
    pub elapsed: Duration,
    /// How full the table is, in thousandths.
    pub hashfull: usize,
    /// How many positions tables of endings knew, of those that the telling thread searched.
    pub tbhits: u64,
    /// The principal variation; never empty.
    pub line: &'a [Move],
}

/// Listens to a search. Called from the searching thread: it should return soon.
pub trait Reporter {
    /// An iteration ended. Where several lines are wanted, it is told of each of them, the best first.
    fn iteration(&mut self, iteration: &Iteration);
}

/// Listens to nothing.
impl Reporter for () {
    fn iteration(&mut self, _: &Iteration) {}
}

/// What a search found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// The principal variation; empty when there is no move to play.
    pub line: Vec<Move>,
    /// The value for the side to move.
    pub score: Value,
    /// The last finished iteration.
    pub depth: usize,
    /// All nodes.
    pub nodes: u64,
    /// The time it took.
    pub elapsed: Duration,
}

impl Outcome {
    /// The move to play.
    pub fn best(&self) -> Option<Move> {
        self.line.first().copied()
    }

    /// The reply that is expected to it.
    pub fn expected_reply(&self) -> Option<Move> {
        self.line.get(1).copied()
    }
}
