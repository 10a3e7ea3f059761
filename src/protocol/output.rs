//! Output lines, and the `info` lines of a running search.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use encoding_rs::{Encoding, UTF_8};

use super::format::Formatter;
use crate::search::{Bound, Outcome, Reporter};

/// Shortest time between two printed iterations after the first few: some clients freeze under hundreds of lines.
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
    pub fn new(writer: impl Write + Send + 'static) -> Output {
        Output { writer: Arc::new(Mutex::new(writer)), closed: Arc::default() }
    }

    /// Writes one line and flushes it. Returns whether it was written; after the first failure no line is.
    pub fn line(&self, text: &str) -> bool {
        self.encoded_line(text, UTF_8)
    }

    /// Writes one line in an encoding, as [`Output::line`] does.
    pub(super) fn encoded_line(&self, text: &str, encoding: &'static Encoding) -> bool {
        if self.is_closed() {
            return false;
        }
        log::debug!("<< {text}");
        let mut line = encoding.encode(text).0.into_owned();
        line.push(b'\n');
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let written = writer.write_all(&line).and_then(|()| writer.flush());
        if let Err(error) = &written {
            log::info!("the output is closed: {error}");
            self.closed.store(true, Relaxed);
        }
        written.is_ok()
    }

    pub fn is_closed(&self) -> bool {
        self.closed.load(Relaxed)
    }
}

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

/// Prints iterations as `info` lines, all lines of an iteration or none. The last iteration is always printed, and at
/// the end the line of the result with the totals of the search. Shared by the thread of the search and the session.
pub(super) struct Printer {
    output: Output,
    formatter: Formatter,
    /// Time of the search at which an iteration was last printed, and its number of lines.
    last: Option<(Duration, u32)>,
    is_due: bool,
    best: Option<Outcome>,
    /// Number of the line reported last, and of lines of a whole iteration.
    last_line: usize,
    line_count: usize,
    /// Lines of the current iteration that came too soon after others to be printed.
    held_back: Vec<String>,
}

impl Printer {
    pub(super) fn new(output: Output, formatter: Formatter) -> Printer {
        Printer {
            output,
            formatter,
            last: None,
            is_due: true,
            best: None,
            last_line: 0,
            line_count: 0,
            held_back: Vec::new(),
        }
    }

    pub(super) fn print_held_back(&mut self) {
        for line in self.held_back.drain(..) {
            self.output.line(&line);
        }
    }
}

pub(super) fn lock(printer: &Mutex<Printer>) -> MutexGuard<'_, Printer> {
    printer.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Reporter for Arc<Mutex<Printer>> {
    fn report(&mut self, report: &Outcome) {
        let mut printer = lock(self);
        let printer = &mut *printer;
        // What is only a bound is searched again, unless the search ends.
        if report.bound != Bound::Exact {
            return;
        }
        if report.pv_index == 1 {
            printer.best = Some(report.clone());
            printer.held_back.clear();
            let is_early = report.depth <= ALWAYS_PRINTED_DEPTH && !printer.formatter.has_several_lines;
            let is_late_enough = |(last, lines)| report.elapsed.saturating_sub(last) >= MIN_INTERVAL * lines;
            printer.is_due = is_early || printer.last.is_none_or(is_late_enough);
        }
        printer.last_line = report.pv_index;
        printer.line_count = printer.line_count.max(report.pv_index);
        let line = printer.formatter.report(report);
        if printer.is_due {
            printer.output.line(&line);
            printer.last = Some((report.elapsed, report.pv_index as u32));
        } else {
            printer.held_back.push(line);
        }
    }

    /// Prints the result of the search, unless its line is that of the last iteration. If that one was interrupted after
    /// another of its lines, clients would else take this one for the result.
    fn finish(&mut self, report: &Outcome) {
        let mut printer = lock(self);
        printer.print_held_back();
        let totals =
            |report: &Outcome| (report.depth, report.score, report.bound, report.nodes, report.line.first().copied());
        let is_partial = printer.last_line > 1 && printer.last_line < printer.line_count;
        if is_partial || printer.best.as_ref().map(totals) != Some(totals(report)) {
            printer.output.line(&printer.formatter.report(report));
        }
    }

    fn note(&mut self, text: &str) {
        let mut printer = lock(self);
        printer.print_held_back();
        let text: String = text.chars().map(printable).collect();
        printer.output.line(&printer.formatter.message(&text));
    }
}

#[cfg(test)]
mod tests {
    use super::super::Protocol;
    use super::*;
    use crate::engine::Options;
    use crate::eval::WinModel;

    #[test]
    fn lines_that_are_held_back_are_printed_once() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let formatter = Formatter::new(Protocol::Ucci, &Options::default(), false, WinModel::new(32));
        let printer = Arc::new(Mutex::new(Printer::new(Output::new(file.reopen().unwrap()), formatter)));
        let depths = || -> Vec<usize> {
            let text = std::fs::read_to_string(file.path()).unwrap();
            text.lines().filter_map(|line| line.split(' ').nth(2)?.parse().ok()).collect()
        };
        let report = |depth: usize| {
            let line = vec!["h2e2".parse().unwrap()];
            printer.clone().report(&Outcome { pv_index: 1, depth, bound: Bound::Exact, line, ..Outcome::default() });
            depths()
        };
        assert_eq!(report(ALWAYS_PRINTED_DEPTH), [12]);
        assert_eq!(report(13), [12], "too soon");
        assert_eq!(report(14), [12]);
        lock(&printer).print_held_back();
        lock(&printer).print_held_back();
        assert_eq!(depths(), [12, 14], "the line of depth 13 is not wanted any more");
    }

    #[test]
    fn quotes_are_short_and_printable() {
        assert_eq!(quotable("a\u{0}b\u{e9}c"), "a?b?c");
        assert_eq!(quotable(&"x".repeat(100_000)).len(), 63);
    }
}
