//! What a long command tells of its progress on standard error: a bar where somebody looks, a line now and then where
//! a file or another program listens.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// How often a line is written where there is no terminal.
const PERIOD: Duration = Duration::from_secs(10);

/// The news of one command.
pub struct News {
    steps: u64,
    bar: Option<ProgressBar>,
    told: Instant,
    start: Instant,
}

impl News {
    /// News of work with this many steps.
    pub fn of(steps: u64) -> News {
        let style = ProgressStyle::with_template("{bar:30} {pos} of {len}, {msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = io::stderr().is_terminal().then(|| ProgressBar::new(steps).with_style(style));
        News { steps, bar, told: Instant::now(), start: Instant::now() }
    }

    /// For how long the work has been going on.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// How long the rest takes after so many steps, if it goes on like this.
    pub fn time_left(&self, done: u64) -> Duration {
        let rest = self.steps.saturating_sub(done) as f64 / done.max(1) as f64;
        Duration::try_from_secs_f64(self.elapsed().as_secs_f64() * rest).unwrap_or(Duration::MAX)
    }

    /// Tells that so many steps are done. `text` is made only if it is to be seen.
    pub fn tell(&mut self, done: u64, text: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            bar.set_message(text());
            bar.set_position(done);
        } else if self.told.elapsed() >= PERIOD {
            self.told = Instant::now();
            eprintln!("chuhe: {done} of {}, {}", self.steps, text());
        }
    }

    /// Writes a line that stays.
    pub fn note(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("chuhe: {line}")),
            None => eprintln!("chuhe: {line}"),
        }
    }

    /// Takes the bar away.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A number and its unit, in the singular or with an s.
pub fn counted(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// A time in hours, minutes and seconds, without what is zero at its front.
pub fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}
