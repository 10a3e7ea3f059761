//! What all threads of a search share: the table and the wish that they stop.

use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering::*};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::transposition::Table;
use crate::types::Move;

/// Shared by the threads of a search and by whoever controls it.
pub struct Shared {
    /// The transposition table.
    pub table: Table,
    signal: Signal,
}

impl Shared {
    /// With this table, and nothing under way.
    pub fn new(table: Table) -> Shared {
        Shared { table, signal: Signal::default() }
    }

    /// How a running search is told to stop or that its clock starts.
    #[inline(always)]
    pub fn signal(&self) -> &Signal {
        &self.signal
    }
}

/// The value of `clock_start` while the clock does not run.
const NOT_STARTED: u64 = u64::MAX;

/// Orders to a running search. Atomics for the search, which asks often; a condition variable for whoever waits.
#[derive(Default)]
pub struct Signal {
    stop: AtomicBool,
    /// The thread that decides has finished; those that help have nothing left to do.
    over: AtomicBool,
    /// Nodes of the threads that help.
    helper_nodes: AtomicU64,
    /// Microseconds after the start of the search at which its clock began to run, or [`NOT_STARTED`].
    clock_start: AtomicU64,
    /// The bits of the root move being looked at.
    root_move: AtomicU16,
    started: Mutex<Option<Instant>>,
    changed: Condvar,
}

impl Signal {
    /// Before a search starts: nothing is ordered, and the clock runs unless it is to ponder.
    pub fn arm(&self, ponder: bool) {
        self.stop.store(false, SeqCst);
        self.over.store(false, SeqCst);
        self.helper_nodes.store(0, SeqCst);
        self.clock_start.store(if ponder { NOT_STARTED } else { 0 }, SeqCst);
        self.root_move.store(Move::NONE.bits(), Relaxed);
        *self.lock() = Some(Instant::now());
    }

    /// The search turns to a root move.
    pub fn set_root_move(&self, mv: Move) {
        self.root_move.store(mv.bits(), Relaxed);
    }

    /// The root move that the search looks at, for whoever wants to show that it is alive.
    pub fn root_move(&self) -> Option<Move> {
        Some(Move::from_bits(self.root_move.load(Relaxed))).filter(|mv| !mv.is_none())
    }

    /// The search is to end as soon as possible.
    pub fn stop(&self) {
        let guard = self.lock();
        self.stop.store(true, SeqCst);
        drop(guard);
        self.changed.notify_all();
    }

    /// The predicted move was played: the clock starts now. A clock that runs already is left alone.
    pub fn ponder_hit(&self) {
        let guard = self.lock();
        if self.is_pondering() {
            let elapsed = guard.map_or(Duration::ZERO, |start| start.elapsed());
            self.clock_start.store(elapsed.as_micros() as u64, SeqCst);
        }
        drop(guard);
        self.changed.notify_all();
    }

    /// The thread that decides has finished.
    pub(super) fn set_over(&self) {
        self.over.store(true, SeqCst);
    }

    /// Whether helping makes no sense any more.
    #[inline(always)]
    pub(super) fn is_over(&self) -> bool {
        self.over.load(Relaxed)
    }

    /// The nodes that helping threads have told of.
    #[inline(always)]
    pub(super) fn helper_nodes(&self) -> u64 {
        self.helper_nodes.load(Relaxed)
    }

    /// A helping thread has made more nodes.
    pub(super) fn add_helper_nodes(&self, nodes: u64) {
        self.helper_nodes.fetch_add(nodes, Relaxed);
    }

    /// Whether the search was told to end.
    #[inline(always)]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Whether the clock does not run yet.
    pub fn is_pondering(&self) -> bool {
        self.clock_start.load(Relaxed) == NOT_STARTED
    }

    /// When the search started.
    pub fn start(&self) -> Instant {
        self.lock().unwrap_or_else(Instant::now)
    }

    /// How long the clock has been running, `elapsed` after the start of the search; `None` while it does not.
    pub fn on_clock(&self, elapsed: Duration) -> Option<Duration> {
        match self.clock_start.load(Relaxed) {
            NOT_STARTED => None,
            start => Some(elapsed.saturating_sub(Duration::from_micros(start))),
        }
    }

    /// Sleeps until the search is told to stop, or, while it ponders, until the clock starts.
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
        let signal = Signal::default();
        signal.arm(true);
        assert_eq!(signal.on_clock(Duration::from_secs(5)), None);
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| signal.wait(false));
            signal.ponder_hit();
            waiter.join().unwrap();
            assert!(signal.on_clock(Duration::from_secs(5)).is_some());
            let waiter = scope.spawn(|| signal.wait(true));
            signal.stop();
            waiter.join().unwrap();
        });
        assert!(signal.is_stopped());
        signal.arm(false);
        assert!(!signal.is_stopped());
        signal.ponder_hit();
        assert_eq!(signal.on_clock(Duration::from_secs(5)), Some(Duration::from_secs(5)), "the clock is not set back");
    }
}
