//! `go perft` and `bench`, during which the session still answers `stop` and `isready`.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use super::input::words;
use super::output::quotable;
use super::session::{Event, Session};
use crate::engine::{bench, saturating_number};
use crate::position::{Position, perft};

/// Largest perft depth; any larger one would take years.
const MAX_PERFT_DEPTH: usize = 20;

impl Session {
    /// Handles `go perft`: counts the leaves below each move.
    pub(super) fn perft(&mut self, depth: usize) {
        let depth = depth.min(MAX_PERFT_DEPTH);
        let mut position = self.engine.position().clone();
        let formatter = self.formatter();
        let mut total = u64::from(depth == 0);
        for mv in position.legal_moves().into_iter().filter(|_| depth > 0) {
            position.make(mv);
            let count = self.count_leaves(&mut position, depth - 1);
            position.unmake();
            let Some(count) = count else {
                self.message("the count was stopped; it is not complete");
                break;
            };
            total += count;
            self.send(&format!("{}: {count}", formatter.write_move(mv)));
        }
        self.send(&format!("nodes {total}"));
        // It takes as long as the user wants it to.
        self.waiting.restart_clocks();
    }

    /// Counts the leaves at this depth; returns `None` if the client stops it.
    fn count_leaves(&mut self, position: &mut Position, depth: usize) -> Option<u64> {
        /// Depth of the parts between two looks at the input; each takes some milliseconds.
        const PART_DEPTH: usize = 3;
        if !self.poll_input() {
            return None;
        }
        if depth <= PART_DEPTH {
            return Some(perft(position, depth));
        }
        let mut total: u64 = 0;
        for mv in position.legal_moves() {
            position.make(mv);
            let count = self.count_leaves(position, depth - 1);
            position.unmake();
            total = total.saturating_add(count?);
        }
        Some(total)
    }

    /// Handles `bench`: searches the bench positions and prints the node count of each.
    pub(super) fn bench(&mut self, arguments: &str) {
        /// Time between two looks at the input.
        const POLL_INTERVAL: Duration = Duration::from_millis(10);
        let depth = match words(arguments).next() {
            None => bench::DEFAULT_DEPTH,
            Some(text) => match saturating_number(text) {
                Some(depth) => usize::try_from(depth.max(0)).unwrap_or(usize::MAX),
                None => return self.message(&format!("bench takes a depth, not '{}'", quotable(text))),
            },
        };
        let mut engine = match bench::engine() {
            Ok(engine) => engine,
            Err(error) => return self.message(&error.to_string()),
        };
        let (stop_handle, output) = (engine.stop_handle(), self.output.clone());
        let is_running = AtomicBool::new(true);
        let measured = std::thread::scope(|scope| {
            let search = scope.spawn(|| {
                bench::bench_with(&mut engine, depth.clamp(1, bench::MAX_DEPTH), &mut (), |position, count| {
                    if is_running.load(Relaxed) && output.line(&format!("{} nodes {position}", count.nodes)) {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break(())
                    }
                })
            });
            while !search.is_finished() {
                if is_running.load(Relaxed) {
                    is_running.store(self.poll_input(), Relaxed);
                } else {
                    // Repeated, since the search of the next position may just have started.
                    stop_handle.stop();
                }
                std::thread::sleep(POLL_INTERVAL);
            }
            search.join()
        });
        match measured {
            Ok(Ok(total)) => {
                if !is_running.load(Relaxed) {
                    self.message("the bench was stopped; its node count is not complete");
                }
                self.send(&format!("total nodes {}", total.nodes));
                self.send(&format!("{} nodes/s", total.nodes_per_second()));
            }
            Ok(Err(error)) => self.message(&error.to_string()),
            Err(_) => self.message("bench: the search thread panicked"),
        }
        // It takes as long as the user wants it to.
        self.waiting.restart_clocks();
    }

    /// Handles the input that has arrived and returns whether to go on. In batch mode all but `stop` waits, as it does
    /// during a search. Other commands are handled afterwards.
    fn poll_input(&mut self) -> bool {
        let is_batch = self.engine.options().batch;
        while let Ok(event) = self.events.try_recv() {
            match event {
                Event::Input(input) if !is_batch && input.is("isready") && self.waiting.is_empty() => {
                    self.send("readyok");
                }
                Event::Input(input) => self.waiting.push(input),
                Event::Finished(_) | Event::OutputClosed | Event::Ready => {}
            }
        }
        // Behind a waiting `go` or `bench` a `stop` is for that one.
        let is_stopped = self.waiting.take_stop().is_some();
        !is_stopped && (is_batch || !self.waiting.has_end()) && !self.output.is_closed()
    }
}
