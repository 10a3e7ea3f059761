//! News of long work: on a terminal a line that changes, elsewhere plain lines.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressStyle};

use crate::tools::tuning::Step;

/// Tells on standard error how the work goes on.
pub struct Progress(Option<ProgressBar>);

impl Progress {
    /// Begins to tell of work on `what`.
    pub fn new(what: &'static str) -> Progress {
        if !io::stderr().is_terminal() {
            return Progress(None);
        }
        let style = ProgressStyle::with_template("{spinner} {msg} ({elapsed})");
        let bar = ProgressBar::new_spinner().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.set_message(what);
        bar.enable_steady_tick(std::time::Duration::from_millis(200));
        Progress(Some(bar))
    }

    /// Tells of a step. `round` is what a round is called.
    pub fn step(&self, round: &str, step: &Step) {
        let validation = step.validation.map_or(String::new(), |loss| format!("  validation {loss:.6}"));
        let Step { round: number, spent, loss, elapsed, .. } = step;
        let loss = if loss.is_finite() { format!("  loss {loss:.6}") } else { String::new() };
        let text = format!("{round} {number:>4}  passes {spent:>6}{loss}{validation}");
        match &self.0 {
            Some(bar) => bar.set_message(text),
            None => eprintln!("{text}  {:.1} s", elapsed.as_secs_f64()),
        }
    }

    /// Nothing more is told.
    pub fn end(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
