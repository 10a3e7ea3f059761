//! Search for the best move within limits.
//!
//! Alpha-beta in negamax form with iterative deepening, on one thread or several. The search prints nothing, reads no
//! options and depends on no protocol. [`ThreadPool::search`] gives the configuration to every thread, `root` deepens,
//! `node` searches a node and `quiescence` resolves its captures. Margins are in `margins`, all numbers and the place
//! where techniques are disabled in `params`; toggles and statistics of pruning work with the feature `lab` alone.
//!
//! Three kinds of data are kept apart: [`SearchConfig`] does not change during a search and is shared by all threads,
//! as are correction history, the transposition table and the [`SearchSignals`]; `SearchState` belongs to one thread
//! and one search; `ThreadData` (histories of moves, evaluation cache) belongs to one thread and survives.

mod bounds;
#[doc(hidden)]
mod history;
mod limits;
#[doc(hidden)]
mod margins;
mod node;
#[doc(hidden)]
mod params;
#[doc(hidden)]
mod picker;
mod quiescence;
mod root;
#[doc(hidden)]
mod state;
#[doc(hidden)]
mod statistics;
mod threads;
#[doc(hidden)]
mod transposition;

use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering::*};
use std::sync::{Condvar, Mutex, PoisonError};

pub use history::{Continuation, History, HistoryKeys};
pub use limits::{Budget, Clock, IterationStats, KnownValue, Limits, MAX_DEPTH, should_stop_after_iteration};
pub use margins::BaseReductions;
pub(crate) use params::Disable;
pub use params::{Parameter, ParameterError, Params};
pub use picker::{Picker, PickerMode, Stage};
pub use state::SearchConfig;
pub use statistics::{Collector, SearchStatistics};
pub use threads::{MAX_THREADS, STACK_SIZE, ThreadPool};
pub use transposition::{AllocationError, Bound, Entry, TranspositionTable, value_from_table, value_to_table};

use crate::types::{Move, Value};
use crate::util::host::{Duration, Instant};
use crate::util::huge_pages::CacheLine;

/// Receives the iterations of a search, on the searching thread: it should return soon.
pub trait Reporter {
    /// A principal variation was finished, the best first, or its iteration failed high or low.
    fn report(&mut self, report: &Outcome);

    /// The search is over: its result with the totals, also if no iteration was finished, but not without a score.
    fn finish(&mut self, _: &Outcome) {}

    /// Receives a remark for the user.
    fn note(&mut self, _: &str) {}

    /// Tells whether iterations are of interest; the answer stays the same during a search. Otherwise few are reported.
    fn wants_reports(&self) -> bool {
        true
    }
}

/// Ignores all iterations.
impl Reporter for () {
    fn report(&mut self, _: &Outcome) {}

    fn wants_reports(&self) -> bool {
        false
    }
}

/// Result of a search, or a principal variation of an iteration that was finished, or that failed high or low.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// Index of the principal variation (MultiPV), 1 for the best.
    pub pv_index: usize,
    /// The principal variation; empty if there is no move to play.
    pub line: Vec<Move>,
    /// The value for the side to move.
    pub score: Value,
    /// Bound type of the score. A lower bound in a result is that of a better move of an unfinished iteration.
    pub bound: Bound,
    /// The depth of the line in plies: that of an unfinished iteration if the line is from it.
    pub depth: usize,
    /// The selective depth of the line.
    pub selective_depth: usize,
    /// The depth of the last finished iteration; only in results.
    pub finished_depth: usize,
    /// Nodes of all threads since the start of the search.
    pub nodes: u64,
    /// Time since the start of the search.
    pub elapsed: Duration,
    /// Share of the transposition table used by this search, in thousandths; 0 if nothing is reported.
    pub hashfull: usize,
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

/// The value of `clock_start` while the clock does not run.
const NOT_STARTED: u64 = u64::MAX;

/// Signals to and from a running search: atomics for the search, which reads them often, and a condition variable for a
/// thread that waits. They stand apart from the table, so that a handle to stop stays valid when it is resized.
#[doc(hidden)]
#[derive(Default)]
pub struct SearchSignals {
    /// On a cache line of its own: helpers write to it while all threads read the others.
    helper_nodes: CacheLine<AtomicU64>,
    stop: AtomicBool,
    /// The main thread has finished; helpers end too.
    finished: AtomicBool,
    /// Microseconds from the start of the search to the start of its clock, or [`NOT_STARTED`].
    clock_start: AtomicU64,
    /// The bits of the current root move.
    root_move: AtomicU16,
    started: Mutex<Option<Instant>>,
    changed: Condvar,
}

#[doc(hidden)]
impl SearchSignals {
    /// Clears all signals before a search that counts as started at this time, and starts its clock unless it ponders.
    pub fn reset_at(&self, ponder: bool, start: Instant) {
        self.finished.store(false, SeqCst);
        self.helper_nodes.0.store(0, SeqCst);
        self.stop.store(false, SeqCst);
        self.clock_start.store(if ponder { NOT_STARTED } else { 0 }, SeqCst);
        self.root_move.store(Move::NONE.bits(), Relaxed);
        *self.lock() = Some(start);
    }

    pub fn root_move(&self) -> Option<Move> {
        Some(Move::from_bits(self.root_move.load(Relaxed))).filter(|mv| !mv.is_none())
    }

    pub fn stop(&self) {
        let guard = self.lock();
        self.stop.store(true, SeqCst);
        drop(guard);
        self.changed.notify_all();
    }

    /// Starts the clock, since the predicted move was played at this time, unless it runs already.
    pub fn ponder_hit_at(&self, at: Instant) {
        let guard = self.lock();
        if self.is_pondering() {
            let elapsed = guard.map_or(Duration::ZERO, |start| at.saturating_duration_since(start));
            self.clock_start.store(elapsed.as_micros() as u64, SeqCst);
        }
        drop(guard);
        self.changed.notify_all();
    }

    #[inline(always)]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    pub fn is_pondering(&self) -> bool {
        self.clock_start.load(Relaxed) == NOT_STARTED
    }

    pub fn start(&self) -> Instant {
        self.lock().unwrap_or_else(Instant::now)
    }

    /// Time that the clock has run, `elapsed` after the start of the search; `None` while it does not run.
    pub fn clock_time(&self, elapsed: Duration) -> Option<Duration> {
        match self.clock_start.load(Relaxed) {
            NOT_STARTED => None,
            start => Some(elapsed.saturating_sub(Duration::from_micros(start))),
        }
    }

    /// Blocks while the search ponders, or with `until_stopped` until it is stopped. A stop always ends the wait.
    pub fn wait(&self, until_stopped: bool) {
        let mut guard = self.lock();
        while !self.is_stopped() && (until_stopped || self.is_pondering()) {
            guard = self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiting_search_wakes_for_stop_and_for_ponder_hit() {
        let signals = SearchSignals::default();
        signals.reset_at(true, Instant::now());
        assert_eq!(signals.clock_time(Duration::from_secs(5)), None);
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| signals.wait(false));
            signals.ponder_hit_at(Instant::now());
            waiter.join().unwrap();
            assert!(signals.clock_time(Duration::from_secs(5)).is_some());
            let waiter = scope.spawn(|| signals.wait(true));
            signals.stop();
            waiter.join().unwrap();
        });
        assert!(signals.is_stopped());
        signals.reset_at(false, Instant::now());
        assert!(!signals.is_stopped());
        signals.ponder_hit_at(Instant::now());
        assert_eq!(signals.clock_time(Duration::from_secs(5)), Some(Duration::from_secs(5)), "the clock is not reset");
    }

    #[test]
    fn search_and_clock_start_when_their_commands_arrived() {
        let (signals, second) = (SearchSignals::default(), Duration::from_secs(1));
        let arrived = Instant::now();
        signals.reset_at(true, arrived);
        signals.ponder_hit_at(arrived + 2 * second);
        assert_eq!((signals.start(), signals.clock_time(5 * second)), (arrived, Some(3 * second)));
    }
}
