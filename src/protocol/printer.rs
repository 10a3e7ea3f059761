//! The iterations of a search as lines, not more of them than a front end can take in.

use std::time::Duration;

use super::format::Formatter;
use super::output::Output;
use crate::search::{Bound, Iteration, Reporter};

/// The least time between two lines, but for the first few; some front ends freeze when hundreds come at once.
const LEAST_INTERVAL: Duration = Duration::from_millis(20);
/// Iterations of a single line up to this depth are always printed.
const ALWAYS_PRINTED: usize = 12;

/// Prints iterations as `info` lines, all lines of one iteration or none. The last iteration is always printed, at the
/// latest when the printer is dropped.
pub(super) struct Printer<F: Fn()> {
    output: Output,
    voice: Formatter,
    on_closed: F,
    /// When an iteration was last printed, and how many lines it had.
    last: Option<(Duration, u32)>,
    /// Whether the iteration that lines are coming in of is printed.
    is_due: bool,
    held_back: Vec<String>,
}

impl<F: Fn()> Printer<F> {
    /// Prints to `output` and calls `on_closed` when that does not take a line.
    pub(super) fn new(output: Output, voice: Formatter, on_closed: F) -> Printer<F> {
        Printer { output, voice, on_closed, last: None, is_due: true, held_back: Vec::new() }
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
        if iteration.pv_index == 1 {
            self.held_back.clear();
            let is_early = iteration.depth <= ALWAYS_PRINTED && !self.voice.has_several_lines();
            self.is_due = is_early
                || self.last.is_none_or(|(last, lines)| {
                    iteration.elapsed.saturating_sub(last) >= LEAST_INTERVAL.saturating_mul(lines)
                });
        }
        let line = self.voice.iteration(iteration);
        if self.is_due {
            self.print(&line);
            self.last = Some((iteration.elapsed, iteration.pv_index as u32));
        } else {
            self.held_back.push(line);
        }
    }
}

impl<F: Fn()> Drop for Printer<F> {
    fn drop(&mut self) {
        for line in std::mem::take(&mut self.held_back) {
            self.print(&line);
        }
    }
}
