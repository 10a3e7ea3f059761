//! Long commands: progress on standard error, and requests to end, Ctrl-C or SIGTERM, as a cancellation flag.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::console::error::CommandError;
use crate::console::{in_language_of_user, note, write_line};
use crate::util::cancel::CancelFlag;

/// Minimum time between two progress lines where standard error is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(10);
const FRAME_INTERVAL: Duration = Duration::from_millis(200);

pub struct Progress {
    steps: u64,
    /// `None` where standard error is no terminal.
    bar: Option<ProgressBar>,
    start: Instant,
    last_line: Instant,
}

impl Progress {
    /// Creates a bar over `steps` steps; see [`update`](Progress::update).
    pub fn bar(steps: u64) -> Progress {
        let style = ProgressStyle::with_template("{bar:30} {pos} / {len}, {msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        Progress::new(steps, || ProgressBar::new(steps).with_style(style))
    }

    /// Creates a spinner for work of unknown length that shows `what` at first; see [`status`](Progress::status).
    pub fn spinner(what: &'static str) -> Progress {
        Progress::new(0, || {
            let style = ProgressStyle::with_template("{spinner} {msg} ({elapsed})");
            let bar = ProgressBar::new_spinner().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.set_message(in_language_of_user(what));
            bar.enable_steady_tick(FRAME_INTERVAL);
            bar
        })
    }

    fn new(steps: u64, bar: impl FnOnce() -> ProgressBar) -> Progress {
        let now = Instant::now();
        Progress { steps, bar: io::stderr().is_terminal().then(bar), start: now, last_line: now }
    }

    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    pub fn time_left(&self, done: u64) -> Duration {
        let rest = self.steps.saturating_sub(done) as f64 / done.max(1) as f64;
        Duration::try_from_secs_f64(self.elapsed().as_secs_f64() * rest).unwrap_or(Duration::MAX)
    }

    /// Shows that `done` steps are done: at once on a terminal, elsewhere as a line every ten seconds.
    pub fn update(&mut self, done: u64, text: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            bar.set_message(in_language_of_user(&text()));
            bar.set_position(done);
        } else if self.last_line.elapsed() >= LINE_INTERVAL {
            self.last_line = Instant::now();
            note!("{done} of {}, {}", self.steps, text());
        }
    }

    /// Replaces the text beside a spinner; without a terminal every call writes a line.
    pub fn status(&self, text: String) {
        match &self.bar {
            Some(bar) => bar.set_message(in_language_of_user(&text)),
            None => write_line(format_args!("{text}  {:.1} s", self.elapsed().as_secs_f64())),
        }
    }

    pub fn note(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| note!("{line}")),
            None => note!("{line}"),
        }
    }

    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Returns a time in hours and minutes, minutes and seconds, or seconds.
pub fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// Returns a flag that the first Ctrl-C or SIGTERM sets; a second one ends the program at once.
pub fn cancel_on_request() -> CancelFlag {
    cancel_on_request_while(&Arc::new(AtomicBool::new(true)))
}

/// Returns a flag that Ctrl-C or SIGTERM sets; while `is_busy` is false, or the second time, they end the program.
pub fn cancel_on_request_while(is_busy: &Arc<AtomicBool>) -> CancelFlag {
    let cancel = CancelFlag::default();
    let (flag, is_busy) = (cancel.clone(), Arc::clone(is_busy));
    let on_request = move || {
        if flag.cancel() || !is_busy.load(Relaxed) {
            std::process::exit(i32::from(CommandError::Interrupted.exit_status()));
        }
    };
    if let Err(error) = on_termination(on_request.clone()) {
        log::warn!("SIGTERM is not understood as a request to end: {error}");
    }
    if let Err(error) = ctrlc::set_handler(on_request) {
        log::warn!("Ctrl-C ends the program without a result: {error}");
    }
    cancel
}

/// Calls `on_request` for each SIGTERM of a scheduler or `timeout`; not for SIGHUP, which `nohup` lets programs ignore.
#[cfg(unix)]
fn on_termination(on_request: impl Fn() + Send + 'static) -> io::Result<()> {
    let mut signals = signal_hook::iterator::Signals::new([signal_hook::consts::SIGTERM])?;
    let wait = move || signals.forever().for_each(|_| on_request());
    std::thread::Builder::new().name("termination".into()).spawn(wait).map(drop)
}

#[cfg(not(unix))]
fn on_termination(_: impl Fn() + Send + 'static) -> io::Result<()> {
    Ok(())
}
