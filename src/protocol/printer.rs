//! The iterations of a search as lines, not more of them than a front end can take in.

use std::time::Duration;

use super::output::Output;
use crate::search::{Bound, Iteration, Reporter};

/// The least time between two lines, but for the first few; some front ends freeze when hundreds come at once.
const LEAST_INTERVAL: Duration = Duration::from_millis(20);
/// Iterations up to this depth are always printed.
const ALWAYS_PRINTED: usize = 12;

/// Prints iterations as `info` lines. The last one is always printed, at the latest when the printer is dropped.
pub(super) struct Printer<F: Fn()> {
    output: Output,
    on_closed: F,
    last: Option<Duration>,
    held_back: Option<String>,
}

impl<F: Fn()> Printer<F> {
    /// Prints to `output` and calls `on_closed` when that does not take a line.
    pub(super) fn new(output: Output, on_closed: F) -> Printer<F> {
        Printer { output, on_closed, last: None, held_back: None }
    }

    fn print(&self, line: &str) {
        if !self.output.line(line) {
            (self.on_closed)();
        }
    }
}

impl<F: Fn()> Reporter for Printer<F> {
    fn iteration(&mut self, iteration: &Iteration) {
        // A value that is only a bound has no place in the protocol.
        if iteration.bound != Bound::Exact {
            return;
        }
        let milliseconds = iteration.elapsed.as_millis();
        let per_second = u128::from(iteration.nodes) * 1_000_000 / iteration.elapsed.as_micros().max(1);
        let mut line = format!(
            "info depth {} score {} time {milliseconds} nodes {} nps {per_second} pv",
            iteration.depth, iteration.score, iteration.nodes
        );
        for mv in iteration.line {
            line.push(' ');
            line.push_str(&mv.to_string());
        }
        let is_due = self.last.is_none_or(|last| iteration.elapsed.saturating_sub(last) >= LEAST_INTERVAL);
        if iteration.depth > ALWAYS_PRINTED && !is_due {
            self.held_back = Some(line);
            return;
        }
        self.held_back = None;
        self.last = Some(iteration.elapsed);
        self.print(&line);
    }
}

impl<F: Fn()> Drop for Printer<F> {
    fn drop(&mut self) {
        if let Some(line) = self.held_back.take() {
            self.print(&line);
        }
    }
}
