//! One engine for all pages, which take turns.
//!
//! Moves of games come first; other searches wait in the order in which they were requested. An analysis without limits
//! gives way to a move at once and to other searches after a while, the review of a game does so at its next position,
//! and both join the end of the queue, so no page blocks the others.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Sources;
use crate::engine::Engine;
use crate::util::cancel::CancelFlag;

/// Time after which an analysis without limits gives way.
const SLICE: Duration = Duration::from_secs(3);
/// Interval between checks of the cancellation flags.
const POLL_INTERVAL: Duration = Duration::from_millis(30);

/// Engine, books and tablebases of all pages.
pub struct EngineShare {
    engine: Mutex<Engine>,
    queue: Mutex<Queue>,
    changed: Condvar,
    pub(super) sources: Sources,
}

#[derive(Default)]
struct Queue {
    last_ticket: u64,
    /// Those that wait, with whether they are moves of games: these come first.
    waiting: VecDeque<(u64, bool)>,
    holder: Option<Holder>,
}

struct Holder {
    since: Instant,
    /// Set to end the work of a holder that gives way.
    give_way: Option<CancelFlag>,
}

/// The right to use the engine, until it is dropped.
pub(super) struct Turn<'a> {
    share: &'a EngineShare,
    pub(super) engine: MutexGuard<'a, Engine>,
}

impl EngineShare {
    /// Shares an engine whose options are set.
    pub fn new(engine: Engine, sources: Sources) -> EngineShare {
        EngineShare { engine: Mutex::new(engine), queue: Mutex::default(), changed: Condvar::new(), sources }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the engine, before all that are no moves of games if `is_move`. Returns `None` if the search is
    /// cancelled meanwhile. `report` receives the number of searches ahead whenever it changes. `give_way` is set when
    /// the work must make room for another.
    pub(super) fn acquire(
        &self,
        cancel: &CancelFlag,
        is_move: bool,
        give_way: Option<CancelFlag>,
        mut report: impl FnMut(usize),
    ) -> Option<Turn<'_>> {
        let mut queue = self.queue();
        queue.last_ticket += 1;
        let ticket = queue.last_ticket;
        let moves = queue.waiting.iter().filter(|(_, is_move)| *is_move).count();
        let place = if is_move { moves } else { queue.waiting.len() };
        queue.waiting.insert(place, (ticket, is_move));
        let mut reported = 0;
        loop {
            let index = queue.waiting.iter().position(|&(other, _)| other == ticket).unwrap_or(0);
            if cancel.is_cancelled() {
                queue.waiting.remove(index);
                self.changed.notify_all();
                return None;
            }
            match &queue.holder {
                None if index == 0 => break,
                Some(holder) if index == 0 && (is_move || holder.since.elapsed() >= SLICE) => {
                    if let Some(flag) = &holder.give_way {
                        flag.cancel();
                    }
                }
                _ => {}
            }
            let ahead = index + usize::from(queue.holder.is_some());
            if ahead != reported {
                reported = ahead;
                drop(queue);
                report(ahead);
                queue = self.queue();
                continue;
            }
            queue = self.changed.wait_timeout(queue, POLL_INTERVAL).unwrap_or_else(PoisonError::into_inner).0;
        }
        queue.waiting.pop_front();
        queue.holder = Some(Holder { since: Instant::now(), give_way });
        drop(queue);
        let engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
        Some(Turn { share: self, engine })
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        // The next one waits for the engine itself, which is free a moment later.
        self.share.queue().holder = None;
        self.share.changed.notify_all();
    }
}
