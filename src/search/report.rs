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
    /// The principal variation; empty only in the final report of a side without a legal move.
    pub line: Vec<Move>,
}

impl PvReport {
    /// The report of a result, with the totals of the search.
    pub fn of_outcome(outcome: &Outcome, hashfull: usize) -> PvReport {
        PvReport {
            pv_index: 1,
            depth: outcome.line_depth,
            selective_depth: outcome.selective_depth,
            score: outcome.score,
            bound: outcome.bound,
            nodes: outcome.nodes,
            elapsed: outcome.elapsed,
            hashfull,
            tbhits: outcome.tbhits,
            line: outcome.line.clone(),
        }
    }
}

/// Receives the iterations of a search, on the searching thread: it should return soon.
pub trait Reporter {
    /// A principal variation was finished, or its iteration failed high or low. With several principal variations it is
    /// called for each of them, the best first.
    fn report(&mut self, report: &PvReport);

    /// The search is over: its result with the totals, also if no iteration was finished, but not without a score.
    /// Ignored unless implemented.
    fn finish(&mut self, _: &PvReport) {}

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
    /// The depth of the line: that of an unfinished iteration if the line is from it.
    pub line_depth: usize,
    /// The selective depth of the line.
    pub selective_depth: usize,
    /// Bound type of the score. A lower bound is that of a better move of an unfinished iteration.
    pub bound: Bound,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Duration of the search.
    pub elapsed: Duration,
    /// Positions found in tablebases by the thread of the line.
    pub tbhits: u64,
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
