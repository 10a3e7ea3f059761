//! Analysis of positions, games and suites of problems.
//!
//! Everything but [`command`] is a library for any front end: it depends on no terminal, file, process, thread or clock
//! of its own. [`analyze_position`] runs one search, [`game`] and [`suite`] run it for many positions. [`profile`] sums
//! up the games of a player, and [`page`] writes reports.
//!
//! A winning chance is the expected share of the point, from 0 to 1; a draw counts a half. The loss of a move is the
//! winning chance that it gives away: half a pawn matters in an even game and hardly when a rook ahead.

#[cfg(feature = "commands")]
pub mod command;
pub mod game;
pub mod page;
pub mod profile;
pub mod suite;
pub mod text;

use std::ops::ControlFlow;

pub use game::Phase;

use crate::engine::{Engine, EngineError, StopHandle};
use crate::position::Position;
use crate::search::{Bound, Limits, Outcome, Reporter};
use crate::types::Value;
use crate::types::score::{is_decisive, mated_in};
use crate::util::cancel::CancelFlag;
use crate::util::math::logistic;

#[derive(Clone, Debug, Default)]
pub struct Analysis {
    pub outcome: Outcome,
    /// Lines of the last finished iteration, the best first.
    pub lines: Vec<Outcome>,
    /// True if the search ended before its limits.
    pub was_cut_short: bool,
}

/// Keeps the lines of the last iteration, and stops the search when `on_event` breaks or the interrupt is requested.
struct LineReporter<'a, F> {
    analysis: Analysis,
    on_event: F,
    interrupt: &'a CancelFlag,
    stop: StopHandle,
}

impl<F: FnMut(&Outcome) -> ControlFlow<()>> Reporter for LineReporter<'_, F> {
    fn report(&mut self, report: &Outcome) {
        if report.bound != Bound::Exact {
            return;
        }
        let analysis = &mut self.analysis;
        analysis.was_cut_short |= self.interrupt.is_cancelled();
        if analysis.was_cut_short || (self.on_event)(report).is_break() {
            analysis.was_cut_short = true;
            self.stop.stop();
        }
        if report.pv_index == 1 {
            analysis.lines.clear();
        }
        analysis.lines.push(report.clone());
    }
}

/// Searches a position within limits. Calls `on_event` on the calling thread for every line of every finished
/// iteration; the lines are never empty. The search also ends when `on_event` breaks or the interrupt is requested.
pub fn analyze_position(
    engine: &mut Engine,
    position: Position,
    limits: &Limits,
    interrupt: &CancelFlag,
    on_event: impl FnMut(&Outcome) -> ControlFlow<()>,
) -> Result<Analysis, EngineError> {
    let has_lost = !position.has_legal_move();
    engine.set_position(position);
    let stop = engine.stop_handle();
    let mut reporter = LineReporter { analysis: Analysis::default(), on_event, interrupt, stop: stop.clone() };
    // An interrupt before the start of the search is seen at its first iteration.
    let mut outcome = interrupt.during(move || stop.stop(), || engine.search(limits, &mut reporter))?;
    // Without a legal move there is no search and no score.
    if has_lost {
        outcome.score = mated_in(0);
    }
    let was_cut_short = reporter.analysis.was_cut_short || interrupt.is_cancelled();
    Ok(Analysis { outcome, was_cut_short, ..reporter.analysis })
}

/// Score in centipawns at which the odds are e to 1, about 73 %. Fitted by minimal cross-entropy to the results of
/// 250 master games (Yu-Han Tseng and Bo-Nian Chen, Chinese Chess Practical Dataset, CC BY 4.0, and others) and the
/// scores of searches of 8,000 nodes in all their positions except the first ten.
pub const SCALE: f64 = 250.0;

/// Decay of accuracy with the loss: 78 at a loss of 0.05, 37 at a loss of 0.2.
const STEEPNESS: f64 = 5.0;

/// Returns the winning chance for the side of the score: the logistic function of the centipawns in units of [`SCALE`];
/// 0 or 1 for mates and other decided games.
pub fn winning_chance(score: Value) -> f64 {
    if is_decisive(score) {
        return if score > 0 { 1.0 } else { 0.0 };
    }
    logistic(f64::from(score) / SCALE)
}

/// Returns the accuracy of a move in percent: 100 · e^(−5 · loss).
pub fn accuracy(loss: f64) -> f64 {
    100.0 * (-STEEPNESS * loss).exp()
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mark {
    Inaccuracy,
    Mistake,
    Blunder,
}

impl Mark {
    /// All marks, the most serious last.
    pub const ALL: [Mark; 3] = [Mark::Inaccuracy, Mark::Mistake, Mark::Blunder];

    pub fn from_loss(loss: f64) -> Option<Mark> {
        match loss {
            0.20.. => Some(Mark::Blunder),
            0.10.. => Some(Mark::Mistake),
            0.05.. => Some(Mark::Inaccuracy),
            _ => None,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Mark::Inaccuracy => "inaccuracy",
            Mark::Mistake => "mistake",
            Mark::Blunder => "blunder",
        }
    }

    pub const fn sign(self) -> &'static str {
        match self {
            Mark::Inaccuracy => "?!",
            Mark::Mistake => "?",
            Mark::Blunder => "??",
        }
    }
}
