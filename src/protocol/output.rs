//! Output lines from several threads, and the `info` lines of a running search.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use encoding_rs::{Encoding, UTF_8};

use super::format::Formatter;
use crate::search::{Bound, PvReport, Reporter};

/// Shortest time between two iterations that are printed, after the first few: some clients freeze when hundreds of
/// lines come at once.
const MIN_INTERVAL: Duration = Duration::from_millis(20);
/// Time after which no further line of an iteration comes.
const COMPLETE_AFTER: Duration = Duration::from_millis(100);
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

/// Lines of the last iteration that came too soon after others to be printed. They are printed when nothing follows.
#[derive(Clone, Default)]
pub(super) struct HeldBackLines(Arc<Mutex<HeldBack>>);

#[derive(Default)]
struct HeldBack {
    lines: Vec<String>,
    /// When the last of the lines came.
    last: Option<Instant>,
}

impl HeldBackLines {
    /// Removes the lines if they are complete, and calls `print` for each, while no newer line can be printed. The
    /// lines of an iteration come at once, so they are complete if the last one came a while ago.
    pub(super) fn take_complete(&self, print: impl FnMut(&String)) {
        let mut held_back = self.lock();
        if held_back.last.is_some_and(|last| last.elapsed() >= COMPLETE_AFTER) {
            held_back.lines.drain(..).as_slice().iter().for_each(print);
        }
    }

    /// Removes the lines and calls `print` for each, while no newer line can be printed.
    fn take(&self, print: impl FnMut(&String)) {
        self.lock().lines.drain(..).as_slice().iter().for_each(print);
    }

    /// The lines, locked until the end of the borrow.
    fn lock(&self) -> MutexGuard<'_, HeldBack> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Prints iterations as `info` lines, all lines of an iteration or none. The last iteration is always printed, at the
/// latest when the printer is dropped. The last line is that of the result with the totals of the search.
pub(super) struct Printer<F: Fn()> {
    output: Output,
    formatter: Formatter,
    on_closed: F,
    /// Time of the search at which an iteration was last printed, and its number of lines.
    last: Option<(Duration, u32)>,
    /// Lines of the current iteration are printed.
    is_due: bool,
    /// The best line of the last iteration.
    best: Option<PvReport>,
    held_back: HeldBackLines,
}

impl<F: Fn()> Printer<F> {
    /// Prints to `output` and calls `on_closed` if that is closed.
    pub(super) fn new(output: Output, formatter: Formatter, on_closed: F) -> Printer<F> {
        let held_back = HeldBackLines::default();
        Printer { output, formatter, on_closed, last: None, is_due: true, best: None, held_back }
    }

    /// A handle to print the lines that are held back when no newer line comes.
    pub(super) fn held_back(&self) -> HeldBackLines {
        self.held_back.clone()
    }

    fn print(&self, line: &str) {
        if !self.output.line(line) {
            (self.on_closed)();
        }
    }
}

impl<F: Fn()> Reporter for Printer<F> {
    fn report(&mut self, report: &PvReport) {
        // What is only a bound is searched again, unless the search ends.
        if report.bound != Bound::Exact {
            return;
        }
        // Locked until the newer line is printed, so that no older one follows it.
        let held_back = self.held_back.clone();
        let mut held_back = held_back.lock();
        if report.pv_index == 1 {
            self.best = Some(report.clone());
            held_back.lines.clear();
            let is_early = report.depth <= ALWAYS_PRINTED_DEPTH && !self.formatter.has_several_lines;
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
            held_back.lines.push(line);
            held_back.last = Some(Instant::now());
        }
    }

    fn finish(&mut self, report: &PvReport) {
        self.print_held_back();
        let totals =
            |report: &PvReport| (report.depth, report.score, report.bound, report.nodes, report.line.first().copied());
        if self.best.as_ref().map(totals) != Some(totals(report)) {
            self.print(&self.formatter.report(report));
        }
    }

    fn note(&mut self, text: &str) {
        self.print_held_back();
        let text: String = text.chars().map(printable).collect();
        self.print(&self.formatter.message(&text));
    }
}

impl<F: Fn()> Printer<F> {
    fn print_held_back(&self) {
        self.held_back.take(|line| self.print(line));
    }
}

impl<F: Fn()> Drop for Printer<F> {
    fn drop(&mut self) {
        self.print_held_back();
    }
}

#[cfg(test)]
mod tests {
    use super::super::Protocol;
    use super::*;
    use crate::engine::Options;
    use crate::eval::WinModel;

    /// Writer whose lines stay readable.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_that_are_held_back_are_printed_once() {
        let written = Written::default();
        let output = Output::new(written.clone());
        let formatter = Formatter::new(Protocol::Ucci, &Options::default(), false, WinModel::new(32));
        let mut printer = Printer::new(output.clone(), formatter, || {});
        let held_back = printer.held_back();
        let mut report = |depth: usize| {
            printer.report(&PvReport {
                pv_index: 1,
                depth,
                selective_depth: depth,
                score: 0,
                bound: Bound::Exact,
                nodes: 1,
                elapsed: Duration::from_millis(1),
                hashfull: 0,
                tbhits: 0,
                line: vec!["h2e2".parse().unwrap()],
            });
            let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
            text.lines().filter_map(|line| line.split(' ').nth(2)?.parse().ok()).collect::<Vec<usize>>()
        };
        assert_eq!(report(ALWAYS_PRINTED_DEPTH), [12]);
        assert_eq!(report(13), [12], "too soon");
        assert_eq!(report(14), [12]);
        // They are complete after a while, however long that takes here.
        let mut taken = 0;
        while taken == 0 {
            std::thread::yield_now();
            held_back.take_complete(|line| taken += usize::from(output.line(line)));
        }
        held_back.take_complete(|_| taken += 1);
        assert_eq!(taken, 1);
        assert_eq!(report(15), [12, 14], "the line of depth 13 is not wanted any more");
        drop(printer);
        let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.lines().last().unwrap().starts_with("info depth 15 "));
    }

    #[test]
    fn quotes_are_short_and_printable() {
        assert_eq!(quotable("a\u{0}b\u{e9}c"), "a?b?c");
        assert_eq!(quotable(&"x".repeat(100_000)).len(), 63);
    }
}
