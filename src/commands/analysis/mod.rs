//! Analysis of positions, games and suites of problems.
//!
//! [`analyze_position`] runs one search with progress reports and a cancellation flag; [`game`] and [`suite`] run it
//! for many positions. [`explain`] compares a missed problem with its solution, and [`profile`] sums up the games of
//! a player. [`wdl`] defines winning chances and the loss of a move.

pub mod command;
pub mod explain;
pub mod game;
pub mod profile;
pub mod suite;
pub mod wdl;

use std::ops::ControlFlow;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

pub use game::Phase;

use crate::engine::{Engine, EngineError};
use crate::position::Position;
use crate::search::{Bound, Limits, Outcome, PvReport, Reporter};
use crate::types::score::mated_in;
use crate::types::{Move, Value};
use crate::util::cancel::CancelFlag;

/// Interval between checks of the cancellation flag.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Principal variation of a finished iteration; see [`PvReport`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PvLine {
    /// MultiPV index, 1 for the best.
    pub pv_index: usize,
    /// Depth in plies.
    pub depth: usize,
    /// Selective depth: longest line searched, in plies.
    pub selective_depth: usize,
    /// Score for the side to move.
    pub score: Value,
    /// Nodes since the start of the search.
    pub nodes: u64,
    /// Time since the start of the search.
    pub elapsed: Duration,
    /// Moves; never empty.
    pub moves: Vec<Move>,
}

/// Result of the analysis of a position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Analysis {
    /// Result of the search.
    pub outcome: Outcome,
    /// Lines of the last finished iteration, the best first.
    pub lines: Vec<PvLine>,
    /// True if the search ended before its limits.
    pub was_cut_short: bool,
}

enum SearchEvent {
    Line(PvLine),
    Finished(Outcome),
}

/// Sends finished iterations to a channel; bounds are left out.
struct ChannelReporter(Sender<SearchEvent>);

impl Reporter for ChannelReporter {
    fn report(&mut self, report: &PvReport) {
        if report.bound == Bound::Exact {
            // Fails only when the receiver has ended, which also stops the search.
            let _ = self.0.send(SearchEvent::Line(PvLine {
                pv_index: report.pv_index,
                depth: report.depth,
                selective_depth: report.selective_depth,
                score: report.score,
                nodes: report.nodes,
                elapsed: report.elapsed,
                moves: report.line.to_vec(),
            }));
        }
    }
}

/// Searches a position within limits. Calls `on_event` on the calling thread for every line of every finished
/// report. The search also ends when `on_event` breaks or the interrupt is requested.
///
/// # Errors
/// Errors of the engine, which must not be searching already.
///
/// ```
/// use std::ops::ControlFlow;
/// use chuhe::engine::Engine;
/// use chuhe::position::Position;
/// use chuhe::search::Limits;
/// use chuhe::util::cancel::CancelFlag;
/// use chuhe::commands::analysis::analyze_position;
///
/// let mut engine = Engine::with_hash(1)?;
/// let mut depths = Vec::new();
/// let analysis = analyze_position(&mut engine, Position::start(), &Limits::depth(3), &CancelFlag::default(), |line| {
///     depths.push(line.depth);
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(depths, [1, 2, 3]);
/// assert_eq!(analysis.lines[0].moves[0], analysis.outcome.best().unwrap());
/// # Ok::<(), chuhe::engine::EngineError>(())
/// ```
pub fn analyze_position(
    engine: &mut Engine,
    position: Position,
    limits: &Limits,
    interrupt: &CancelFlag,
    mut on_event: impl FnMut(&PvLine) -> ControlFlow<()>,
) -> Result<Analysis, EngineError> {
    let has_lost = !position.has_legal_move();
    engine.set_position(position);
    let (sender, events) = channel();
    let finished = sender.clone();
    engine.start(limits, ChannelReporter(sender), move |outcome| {
        let _ = finished.send(SearchEvent::Finished(outcome));
    })?;
    let mut analysis = Analysis::default();
    let ended = loop {
        match events.recv_timeout(POLL_INTERVAL) {
            Ok(SearchEvent::Line(line)) => {
                if !analysis.was_cut_short && on_event(&line).is_break() {
                    analysis.was_cut_short = true;
                    engine.stop();
                }
                if line.pv_index == 1 {
                    analysis.lines.clear();
                }
                analysis.lines.push(line);
            }
            Ok(SearchEvent::Finished(outcome)) => {
                // Without a legal move there is no search and no score.
                let score = if has_lost { mated_in(0) } else { outcome.score };
                analysis.outcome = Outcome { score, ..outcome };
                break Ok(());
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                break Err(EngineError::NoResult);
            }
        }
        if interrupt.is_cancelled() && !analysis.was_cut_short {
            analysis.was_cut_short = true;
            engine.stop();
        }
    };
    engine.wait();
    ended.map(|()| analysis)
}
