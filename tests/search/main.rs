//! Evaluation, move picker, search and engine against independent witnesses.

mod clock;
#[path = "../common/mod.rs"]
mod common;
mod engine;
mod evaluation;
mod mates;
mod picker;
mod repetition;
#[cfg(feature = "lab")]
mod toggles;
mod ways;

use chuhe::search::{PvReport, Reporter};

/// All reports of a search.
#[derive(Default)]
struct Reports(Vec<PvReport>);

impl Reporter for Reports {
    fn report(&mut self, report: &PvReport) {
        self.0.push(report.clone());
    }
}
