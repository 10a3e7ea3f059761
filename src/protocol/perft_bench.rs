//! Counts that take long: perft and the bench, for people and scripts. They go on in the session's own thread, which
//! listens meanwhile.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use super::input::Input;
use super::session::{Event, Session};
use super::words::words;
use crate::engine::bench;
use crate::position::{Position, perft};

/// The longest lines that are counted; longer ones could not be counted in a lifetime.
const DEEPEST_PERFT: usize = 20;

impl Session {
    /// Counts the lines below each move.
    pub(super) fn perft(&mut self, depth: usize) {
        let depth = depth.min(DEEPEST_PERFT);
        let mut position = self.engine.position().clone();
        let voice = self.voice();
        let mut total = u64::from(depth == 0);
        for mv in position.legal_moves().into_iter().filter(|_| depth > 0) {
            position.make(mv);
            let count = self.count(&mut position, depth - 1);
            position.unmake();
            let Some(count) = count else { break };
            total += count;
            self.say(&format!("{}: {count}", voice.written(mv)));
        }
        self.say(&format!("nodes {total}"));
    }

    /// Counts the lines of this length; `None` when it was told to stop.
    fn count(&mut self, position: &mut Position, depth: usize) -> Option<u64> {
        /// What is counted without listening: some milliseconds' worth.
        const WITHOUT_PAUSE: usize = 3;
        if !self.goes_on() {
            return None;
        }
        if depth <= WITHOUT_PAUSE {
            return Some(perft(position, depth));
        }
        let mut total: u64 = 0;
        for mv in position.legal_moves() {
            position.make(mv);
            let count = self.count(position, depth - 1);
            position.unmake();
            total = total.saturating_add(count?);
        }
        Some(total)
    }

    /// Searches the bench positions; their results are told as they come. Meanwhile it listens whether it is to stop.
    pub(super) fn bench(&mut self, arguments: &str) {
        /// How often it listens.
        const PAUSE: Duration = Duration::from_millis(10);
        let depth = words(arguments).next().and_then(|text| text.parse().ok()).unwrap_or(bench::DEFAULT_DEPTH);
        let mut engine = match bench::engine() {
            Ok(engine) => engine,
            Err(error) => return self.message(&error.to_string()),
        };
        let (stop_handle, output) = (engine.stop_handle(), self.output.clone());
        let goes_on = AtomicBool::new(true);
        let measured = std::thread::scope(|scope| {
            let search = scope.spawn(|| {
                bench::bench_with(&mut engine, depth.clamp(1, bench::MAX_DEPTH), |position, count| {
                    if goes_on.load(Relaxed) && output.line(&format!("{} nodes {position}", count.nodes)) {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break(())
                    }
                })
            });
            while !search.is_finished() {
                if goes_on.load(Relaxed) {
                    goes_on.store(self.goes_on(), Relaxed);
                } else {
                    // Again and again: the next position may just have been begun.
                    stop_handle.stop();
                }
                std::thread::sleep(PAUSE);
            }
            search.join()
        });
        match measured {
            Ok(Ok(total)) => {
                self.say(&format!("total nodes {}", total.nodes));
                self.say(&format!("{} nodes/s", total.nodes_per_second()));
            }
            Ok(Err(error)) => self.message(&error.to_string()),
            Err(_) => self.message("the bench failed"),
        }
    }

    /// Between two parts of a long count: takes in what was said and tells whether that ends the count. In batch mode
    /// input waits, as it does for the end of a search.
    fn goes_on(&mut self) -> bool {
        if self.engine.options().batch {
            return !self.output.is_closed();
        }
        while let Ok(event) = self.events.try_recv() {
            match event {
                Event::Input(Input::Line(bytes)) => {
                    let line = String::from_utf8_lossy(&bytes);
                    match line.trim().to_ascii_lowercase().as_str() {
                        "stop" => return false,
                        "isready" => self.say("readyok"),
                        word => {
                            let ends = word == "quit";
                            self.waiting.push_back(Input::Line(bytes));
                            if ends {
                                return false;
                            }
                        }
                    }
                }
                Event::Input(input) => {
                    let ends = input == Input::End;
                    self.waiting.push_back(input);
                    if ends {
                        return false;
                    }
                }
                Event::Finished(_) | Event::OutputClosed => {}
            }
        }
        !self.output.is_closed()
    }
}
