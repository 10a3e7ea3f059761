//! Signals to and from a running search: stop, ponder hit, node counts.
//!
//! They are a struct of their own, apart from the transposition table, so that a handle to stop the search stays valid
//! when the table is resized.

use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering::*};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::types::Move;
use crate::util::huge_pages::CacheLine;

/// The value of `clock_start` while the clock does not run.
const NOT_STARTED: u64 = u64::MAX;

/// Signals to and from a running search: atomics for the search, which reads them often, and a condition variable for a
/// thread that waits.
#[derive(Default)]
pub struct SearchSignals {
    /// Nodes of the helper threads, on a cache line of their own: helpers write to it while all threads read the
    /// others.
    helper_nodes: CacheLine<AtomicU64>,
    stop: AtomicBool,
    /// The main thread has finished; helpers end too.
    finished: AtomicBool,
    /// Nothing else may end the search than a stop.
    is_endless: AtomicBool,
    /// Microseconds from the start of the search to the start of its clock, or [`NOT_STARTED`].
    clock_start: AtomicU64,
    /// The bits of the current root move.
    root_move: AtomicU16,
    started: Mutex<Option<Instant>>,
    changed: Condvar,
}

impl SearchSignals {
    /// Clears all signals before a search and starts its clock, unless it ponders.
    pub fn reset(&self, ponder: bool) {
        self.reset_at(ponder, Instant::now());
    }

    /// Prepares for a search that counts as started at this time.
    pub fn reset_at(&self, ponder: bool, start: Instant) {
        self.stop.store(false, SeqCst);
        self.finished.store(false, SeqCst);
        self.is_endless.store(false, SeqCst);
        self.helper_nodes.0.store(0, SeqCst);
        self.clock_start.store(if ponder { NOT_STARTED } else { 0 }, SeqCst);
        self.root_move.store(Move::NONE.bits(), Relaxed);
        *self.lock() = Some(start);
    }

    /// Prepares for another search of the same move after one has finished: stop signal and clock stay as they are.
    pub fn next_search(&self) {
        self.finished.store(false, SeqCst);
        self.helper_nodes.0.store(0, SeqCst);
    }

    /// Sets the root move that is being searched; [`Move::NONE`] for none.
    pub(super) fn set_root_move(&self, mv: Move) {
        self.root_move.store(mv.bits(), Relaxed);
    }

    /// The root move that is being searched.
    pub fn root_move(&self) -> Option<Move> {
        Some(Move::from_bits(self.root_move.load(Relaxed))).filter(|mv| !mv.is_none())
    }

    /// Stops the search as soon as possible.
    pub fn stop(&self) {
        let guard = self.lock();
        self.stop.store(true, SeqCst);
        drop(guard);
        self.changed.notify_all();
    }

    /// Says that the search from now on may have no end but a stop.
    pub fn set_endless(&self) {
        self.is_endless.store(true, SeqCst);
    }

    /// Returns `true` if the search may have no end but a stop.
    pub fn is_endless(&self) -> bool {
        self.is_endless.load(SeqCst)
    }

    /// Starts the clock: the predicted move was played. Does nothing if the clock runs already.
    pub fn ponder_hit(&self) {
        self.ponder_hit_at(Instant::now());
    }

    /// Starts the clock as if the predicted move had been played at this time.
    pub fn ponder_hit_at(&self, at: Instant) {
        let guard = self.lock();
        if self.is_pondering() {
            let elapsed = guard.map_or(Duration::ZERO, |start| at.saturating_duration_since(start));
            self.clock_start.store(elapsed.as_micros() as u64, SeqCst);
        }
        drop(guard);
        self.changed.notify_all();
    }

    /// Ends the helpers: the main thread has finished.
    pub(super) fn finish(&self) {
        self.finished.store(true, SeqCst);
    }

    /// Returns `true` if the main thread has finished.
    #[inline(always)]
    pub(super) fn is_finished(&self) -> bool {
        self.finished.load(Relaxed)
    }

    /// Nodes that helper threads have published.
    #[inline(always)]
    pub(super) fn helper_nodes(&self) -> u64 {
        self.helper_nodes.0.load(Relaxed)
    }

    /// Adds nodes of a helper thread.
    pub(super) fn add_helper_nodes(&self, nodes: u64) {
        self.helper_nodes.0.fetch_add(nodes, Relaxed);
    }

    /// Returns `true` if the search was stopped.
    #[inline(always)]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Returns `true` if the clock does not run yet.
    pub fn is_pondering(&self) -> bool {
        self.clock_start.load(Relaxed) == NOT_STARTED
    }

    /// Start of the search.
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
        signals.reset(true);
        assert_eq!(signals.clock_time(Duration::from_secs(5)), None);
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| signals.wait(false));
            signals.ponder_hit();
            waiter.join().unwrap();
            assert!(signals.clock_time(Duration::from_secs(5)).is_some());
            let waiter = scope.spawn(|| signals.wait(true));
            signals.stop();
            waiter.join().unwrap();
        });
        assert!(signals.is_stopped());
        signals.reset(false);
        assert!(!signals.is_stopped());
        signals.ponder_hit();
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
