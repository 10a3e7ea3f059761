//! A search that is watched from outside, and ends when its watcher has seen enough.

use std::ops::ControlFlow;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crate::engine::{Engine, EngineError};
use crate::position::Position;
use crate::search::{Bound, Iteration, Limits, Outcome, Reporter};
use crate::types::score::mated_in;
use crate::types::{Move, Value};
use crate::util::cancel::Interrupt;

/// How often a running search is asked whether it is to end: sooner than a person notices.
const PATIENCE: Duration = Duration::from_millis(20);

/// One line of a finished iteration; see [`Iteration`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Which of the wanted lines it is, 1 for the best.
    pub pv_index: usize,
    /// The depth in plies.
    pub depth: usize,
    /// The longest line looked at, in plies.
    pub selective_depth: usize,
    /// The value for the side to move.
    pub score: Value,
    /// Nodes since the start of the search.
    pub nodes: u64,
    /// Time since the start of the search.
    pub elapsed: Duration,
    /// The principal variation; never empty.
    pub line: Vec<Move>,
}

/// What is known of a position after a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Analysis {
    /// The result of the search.
    pub outcome: Outcome,
    /// The lines of the last finished iteration, the best first.
    pub lines: Vec<Finding>,
    /// Whether the search ended before its limits.
    pub was_cut_short: bool,
}

enum Event {
    Found(Finding),
    Finished(Outcome),
}

/// Passes on what has been searched to the end; bounds are of no use to a reader.
struct ChannelReporter(Sender<Event>);

impl Reporter for ChannelReporter {
    fn iteration(&mut self, iteration: &Iteration) {
        if iteration.bound == Bound::Exact {
            // Nobody listens any more when the watcher failed; the search will be told.
            let _ = self.0.send(Event::Found(Finding {
                pv_index: iteration.pv_index,
                depth: iteration.depth,
                selective_depth: iteration.selective_depth,
                score: iteration.score,
                nodes: iteration.nodes,
                elapsed: iteration.elapsed,
                line: iteration.line.to_vec(),
            }));
        }
    }
}

/// Searches a position within limits and tells `listen` of every line of every finished iteration, on the calling
/// thread. The search also ends when `listen` breaks off or the interrupt is requested.
///
/// # Errors
/// Those of the engine, which must not be searching already.
///
/// ```
/// use std::ops::ControlFlow;
/// use chuhe::engine::Engine;
/// use chuhe::position::Position;
/// use chuhe::search::Limits;
/// use chuhe::util::cancel::Interrupt;
/// use chuhe::tools::analysis::examine;
///
/// let mut engine = Engine::with_hash(1)?;
/// let mut depths = Vec::new();
/// let analysis = examine(&mut engine, Position::start(), &Limits::depth(3), &Interrupt::default(), |finding| {
///     depths.push(finding.depth);
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(depths, [1, 2, 3]);
/// assert_eq!(analysis.lines[0].line[0], analysis.outcome.best().unwrap());
/// # Ok::<(), chuhe::engine::EngineError>(())
/// ```
pub fn examine(
    engine: &mut Engine,
    position: Position,
    limits: &Limits,
    interrupt: &Interrupt,
    mut listen: impl FnMut(&Finding) -> ControlFlow<()>,
) -> Result<Analysis, EngineError> {
    let has_lost = !position.has_legal_move();
    engine.set_position(position);
    let (sender, events) = channel();
    let finished = sender.clone();
    engine.start(limits, ChannelReporter(sender), move |outcome| {
        let _ = finished.send(Event::Finished(outcome));
    })?;
    let mut analysis = Analysis::default();
    let ended = loop {
        match events.recv_timeout(PATIENCE) {
            Ok(Event::Found(finding)) => {
                if !analysis.was_cut_short && listen(&finding).is_break() {
                    analysis.was_cut_short = true;
                    engine.stop();
                }
                if finding.pv_index == 1 {
                    analysis.lines.clear();
                }
                analysis.lines.push(finding);
            }
            Ok(Event::Finished(outcome)) => {
                // Without a move there is no search, and so no score of one.
                let score = if has_lost { mated_in(0) } else { outcome.score };
                analysis.outcome = Outcome { score, ..outcome };
                break Ok(());
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                break Err(EngineError::Thread("it ended without a result".into()));
            }
        }
        if interrupt.is_requested() && !analysis.was_cut_short {
            analysis.was_cut_short = true;
            engine.stop();
        }
    };
    engine.wait();
    ended.map(|()| analysis)
}
