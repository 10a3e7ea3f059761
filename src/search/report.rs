//! Reports and results of a search.

use std::time::Duration;

use super::transposition::Bound;
use crate::types::{Move, Value};

/// One principal variation of an iteration that was finished, or that failed high or low.
#[derive(Clone, Debug)]
pub struct PvReport {
    /// Index of the principal variation (MultiPV), 1 for the best.
    pub pv_index: usize,
    /// The depth in plies.
    pub depth: usize,
    /// The selective depth in plies.
    pub selective_depth: usize,
    /// The value for the side to move.
    pub score: Value,
    /// Bound type of the score: exact, or the side on which the window failed.
    pub bound: Bound,
    /// Nodes since the start of the search.
    pub nodes: u64,
    /// Time since the start of the search.
    pub elapsed: Duration,
    /// Share of the transposition table used by this search, in thousandths.
    pub hashfull: usize,
    /// Positions found in tablebases by the reporting thread.
    pub tbhits: u64,
    /// The principal variation; never empty.
    pub line: Vec<Move>,
}

/// Receives the iterations of a search, on the searching thread: it should return soon.
pub trait Reporter {
    /// A principal variation was finished, or its iteration failed high or low. With several principal variations it is
    /// called for each of them, the best first.
    fn report(&mut self, report: &PvReport);

    /// Receives a remark for the user. Ignored unless implemented.
    fn note(&mut self, _: &str) {}

    /// Tells whether iterations are of interest; the answer stays the same during a search. Otherwise none need be
    /// reported, though some may be. Notes come in any case.
    fn wants_reports(&self) -> bool {
        true
    }
}

/// Ignores all iterations.
impl Reporter for () {
    fn report(&mut self, _: &PvReport) {}

    fn wants_reports(&self) -> bool {
        false
    }
}

/// Result of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// The principal variation; empty if there is no move to play. If it has a single move, a reply of the
    /// transposition table is added where there is one.
    pub line: Vec<Move>,
    /// The value for the side to move.
    pub score: Value,
    /// The depth of the last finished iteration.
    pub depth: usize,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Duration of the search.
    pub elapsed: Duration,
}

impl Outcome {
    /// The move to play.
    pub fn best(&self) -> Option<Move> {
        self.line.first().copied()
    }

    /// The expected reply to it.
    pub fn expected_reply(&self) -> Option<Move> {
        self.line.get(1).copied()
    }
}
