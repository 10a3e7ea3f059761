//! One engine for all pages, which take turns.
//!
//! Searches wait in the order in which they were requested. An analysis without limits gives way to waiting searches
//! after a while and joins the end of the queue, so no page blocks the others.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Sources;
use crate::book::Book;
use crate::engine::Engine;
use crate::position::Strictness;
use crate::tablebase::Tablebases;
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
    waiting: VecDeque<u64>,
    holder: Option<Holder>,
}

struct Holder {
    since: Instant,
    /// Set to end the search of a holder that gives way.
    give_way: Option<CancelFlag>,
}

/// The right to use the engine, until it is dropped.
pub(super) struct Turn<'a> {
    share: &'a EngineShare,
    pub(super) engine: MutexGuard<'a, Engine>,
}

impl EngineShare {
    /// Shares an engine whose options are set; the books and tablebases are those that pages may look up.
    pub fn new(engine: Engine, books: Vec<Book>, tablebases: Tablebases, strictness: Strictness) -> EngineShare {
        let (engine, queue) = (Mutex::new(engine), Mutex::default());
        EngineShare { engine, queue, changed: Condvar::new(), sources: Sources { books, tablebases, strictness } }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the engine. Returns `None` if the search is cancelled meanwhile. `report` receives the number of
    /// searches ahead whenever it changes. `give_way` is set when an unlimited search must make room for another.
    pub(super) fn acquire(
        &self,
        cancel: &CancelFlag,
        give_way: Option<CancelFlag>,
        mut report: impl FnMut(usize),
    ) -> Option<Turn<'_>> {
        let mut queue = self.queue();
        queue.last_ticket += 1;
        let ticket = queue.last_ticket;
        queue.waiting.push_back(ticket);
        let mut reported = 0;
        loop {
            let index = queue.waiting.iter().position(|&other| other == ticket).unwrap_or(0);
            if cancel.is_cancelled() {
                queue.waiting.remove(index);
                self.changed.notify_all();
                return None;
            }
            match &queue.holder {
                None if index == 0 => break,
                Some(holder) if index == 0 && holder.since.elapsed() >= SLICE => {
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
