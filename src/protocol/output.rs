//! Output lines from several threads, and the `info` lines of a running search.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::format::Formatter;
use crate::search::{Bound, PvReport, Reporter};

/// Shortest time between two iterations that are printed, after the first few: some clients freeze when hundreds of
/// lines come at once.
const MIN_INTERVAL: Duration = Duration::from_millis(20);
/// Iterations up to this depth are always printed, if each has a single line.
const ALWAYS_PRINTED_DEPTH: usize = 12;

/// Line writer that threads share. It does not panic if the reader at the other end has gone.
#[derive(Clone)]
pub struct Output {
    writer: Arc<Mutex<dyn Write + Send>>,
    closed: Arc<AtomicBool>,
}

impl Output {
    /// Writes to `writer`.
    pub fn new(writer: impl Write + Send + 'static) -> Output {
        Output { writer: Arc::new(Mutex::new(writer)), closed: Arc::default() }
    }

    /// Writes one line and flushes it. Returns whether it was written; after the first failure no line is.
    pub fn line(&self, text: &str) -> bool {
        if self.is_closed() {
            return false;
        }
        log::debug!("<< {text}");
        let mut line = String::with_capacity(text.len() + 1);
        line.push_str(text);
        line.push('\n');
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let written = writer.write_all(line.as_bytes()).and_then(|()| writer.flush());
        if let Err(error) = &written {
            log::info!("the output is closed: {error}");
            self.closed.store(true, Relaxed);
        }
        written.is_ok()
    }

    /// Returns `true` if a line could not be written because the reader has gone.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Relaxed)
    }
}

/// Returns the character if it is printable ASCII, otherwise a question mark.
pub(super) fn printable(c: char) -> char {
    if c == ' ' || c.is_ascii_graphic() { c } else { '?' }
}

/// Returns a text for quoting in an answer: printable ASCII, at most 60 characters.
pub(super) fn quotable(text: &str) -> String {
    const MAX_LENGTH: usize = 60;
    let mut quoted: String = text.chars().take(MAX_LENGTH).map(printable).collect();
    if text.chars().nth(MAX_LENGTH).is_some() {
        quoted.push_str("...");
    }
    quoted
}

/// Prints iterations as `info` lines, all lines of an iteration or none. The last iteration is always printed, at the
/// latest when the printer is dropped.
pub(super) struct Printer<F: Fn()> {
    output: Output,
    formatter: Formatter,
    on_closed: F,
    /// Time of the search at which an iteration was last printed, and its number of lines.
    last: Option<(Duration, u32)>,
    /// Lines of the current iteration are printed.
    is_due: bool,
    held_back: Vec<String>,
}

impl<F: Fn()> Printer<F> {
    /// Prints to `output` and calls `on_closed` if that is closed.
    pub(super) fn new(output: Output, formatter: Formatter, on_closed: F) -> Printer<F> {
        Printer { output, formatter, on_closed, last: None, is_due: true, held_back: Vec::new() }
    }

    fn print(&self, line: &str) {
        if !self.output.line(line) {
            (self.on_closed)();
        }
    }
}

impl<F: Fn()> Reporter for Printer<F> {
    fn report(&mut self, report: &PvReport) {
        // UCCI cannot say that a score is only a bound. UCI can (`lowerbound`, `upperbound`), but is sent the same lines.
        if report.bound != Bound::Exact {
            return;
        }
        if report.pv_index == 1 {
            self.held_back.clear();
            let is_early = report.depth <= ALWAYS_PRINTED_DEPTH && !self.formatter.has_several_lines();
            self.is_due = is_early
                || self.last.is_none_or(|(last, lines)| {
                    report.elapsed.saturating_sub(last) >= MIN_INTERVAL.saturating_mul(lines)
                });
        }
        let line = self.formatter.report(report);
        if self.is_due {
            self.print(&line);
            self.last = Some((report.elapsed, report.pv_index as u32));
        } else {
            self.held_back.push(line);
        }
    }

    fn note(&mut self, text: &str) {
        self.print_held_back();
        self.print(&self.formatter.message(text));
    }
}

impl<F: Fn()> Printer<F> {
    fn print_held_back(&mut self) {
        for line in std::mem::take(&mut self.held_back) {
            self.print(&line);
        }
    }
}

impl<F: Fn()> Drop for Printer<F> {
    fn drop(&mut self) {
        self.print_held_back();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_short_and_printable() {
        assert_eq!(quotable("a\u{0}b\u{e9}c"), "a?b?c");
        assert_eq!(quotable(&"x".repeat(100_000)).len(), 63);
    }
}
