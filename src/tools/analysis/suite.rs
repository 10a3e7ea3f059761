//! Suites of positions with known solutions: which of them an engine finds.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::time::Duration;

use super::{Finding, examine};
use crate::engine::{Engine, EngineError};
use crate::notation::epd::EpdRecord;
use crate::position::Position;
use crate::search::Limits;
use crate::types::score::{MATE, is_mate};
use crate::types::{Move, Value};
use crate::util::cancel::Interrupt;

/// What has to be found in a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// A mate in at most this many moves, shown to its end. Any such mate will do.
    Mate(usize),
    /// One of these moves, or any move but those.
    Moves {
        /// One of these, unless there are none.
        best: Vec<Move>,
        /// None of these.
        avoided: Vec<Move>,
    },
}

impl Goal {
    /// The goal of a record; `None` when it asks for nothing. A mate makes moves needless, since others may mate too.
    pub fn of(record: &EpdRecord) -> Option<Goal> {
        match record.mate_in {
            Some(moves) => Some(Goal::Mate(moves as usize)),
            None if record.best_moves.is_empty() && record.avoided_moves.is_empty() => None,
            None => Some(Goal::Moves { best: record.best_moves.clone(), avoided: record.avoided_moves.clone() }),
        }
    }

    fn is_met(&self, best: Move, score: Value) -> bool {
        match self {
            Goal::Mate(moves) => is_mate(score) && score > 0 && MATE - score < 2 * *moves as Value,
            Goal::Moves { best: wanted, avoided } => {
                (wanted.is_empty() || wanted.contains(&best)) && !avoided.contains(&best)
            }
        }
    }
}

/// From where on a search kept to the solution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stable {
    /// The depth of the iteration.
    pub depth: usize,
    /// How long the search had taken.
    pub elapsed: Duration,
    /// How many nodes it had taken.
    pub nodes: u64,
}

/// What became of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// Since when the solution was held; `None` when the position is not solved.
    pub solved: Option<Stable>,
    /// The value for the side to move.
    pub score: Value,
    /// The best line; a mate that was looked for is in it to its end.
    pub line: Vec<Move>,
    /// The last finished iteration.
    pub depth: usize,
    /// The time the search took.
    pub elapsed: Duration,
    /// All its nodes.
    pub nodes: u64,
    /// Whether it was interrupted.
    pub was_cut_short: bool,
}

/// How many nodes may go into finding the rest of a mate whose line is not told to its end.
const COMPLETION_NODES: u64 = 2_000_000;

/// Searches a position for its solution. The engine forgets before what it knows, so that the order of a suite does
/// not matter.
///
/// # Errors
/// Those of the engine.
pub fn attempt(
    engine: &mut Engine,
    position: &Position,
    goal: &Goal,
    limits: &Limits,
    interrupt: &Interrupt,
) -> Result<Attempt, EngineError> {
    engine.new_game();
    let mut limits = limits.clone();
    if let Goal::Mate(moves) = goal {
        limits.mate = Some(*moves);
    }
    let mut held: Option<Stable> = None;
    let analysis = examine(engine, position.clone(), &limits, interrupt, |finding: &Finding| {
        if finding.pv_index == 1 {
            let now = Stable { depth: finding.depth, elapsed: finding.elapsed, nodes: finding.nodes };
            held = goal.is_met(finding.line[0], finding.score).then(|| held.unwrap_or(now));
        }
        ControlFlow::Continue(())
    })?;
    let outcome = analysis.outcome;
    // A search that did not finish its first iteration has a move all the same.
    let is_met = outcome.best().is_some_and(|best| goal.is_met(best, outcome.score));
    let end = Stable { depth: outcome.depth, elapsed: outcome.elapsed, nodes: outcome.nodes };
    let mut solved = is_met.then(|| held.unwrap_or(end));
    let mut line = outcome.line;
    if let (Goal::Mate(moves), true) = (goal, solved.is_some()) {
        match complete(engine, position, &line, *moves, interrupt)? {
            Some(mate) => line = mate,
            None => solved = None,
        }
    }
    Ok(Attempt {
        solved,
        score: outcome.score,
        line,
        depth: outcome.depth,
        elapsed: outcome.elapsed,
        nodes: outcome.nodes,
        was_cut_short: analysis.was_cut_short,
    })
}

/// The line to its end, where a king is mated or its side cannot move; `None` if it does not come to that within so
/// many moves. Lines can be shorter than the mate they announce, since the table knows values without lines.
fn complete(
    engine: &mut Engine,
    position: &Position,
    line: &[Move],
    moves: usize,
    interrupt: &Interrupt,
) -> Result<Option<Vec<Move>>, EngineError> {
    let most = (2 * moves).saturating_sub(1);
    let mut position = position.clone();
    let mut whole: Vec<Move> = Vec::new();
    let mut rest = line.to_vec();
    loop {
        for &mv in &rest {
            if whole.len() == most || !position.can_play(mv) {
                return Ok(None);
            }
            position.make(mv);
            whole.push(mv);
        }
        if !position.has_legal_move() {
            // The side that was to mate must have played last.
            return Ok((whole.len() % 2 == 1).then_some(whole));
        }
        if rest.is_empty() || whole.len() == most || interrupt.is_requested() {
            return Ok(None);
        }
        let left = (most - whole.len()).div_ceil(2).max(1);
        let limits = Limits { nodes: Some(COMPLETION_NODES), mate: Some(left), ..Limits::default() };
        let analysis = examine(engine, position.clone(), &limits, interrupt, |_| ControlFlow::Continue(()))?;
        rest = if is_mate(analysis.outcome.score) { analysis.outcome.line } else { Vec::new() };
    }
}

/// Attempts all positions, several at once, each with an engine of its own, and tells `listen` of them in the order of
/// the suite. Ends early when the interrupt is requested; positions that were interrupted are not told. When `listen`
/// breaks off, the interrupt is requested here, so that no search runs on for nobody.
///
/// # Errors
/// Those of the engines.
pub fn attempt_all(
    suite: &[(Position, Goal)],
    limits: &Limits,
    at_once: usize,
    make_engine: impl Fn() -> Result<Engine, EngineError> + Sync,
    interrupt: &Interrupt,
    mut listen: impl FnMut(usize, Attempt) -> ControlFlow<()>,
) -> Result<(), EngineError> {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let (sender, results) = channel();
        for _ in 0..at_once.clamp(1, suite.len().max(1)) {
            let sender = sender.clone();
            let (next, make_engine) = (&next, &make_engine);
            scope.spawn(move || {
                let mut engine = match make_engine() {
                    Ok(engine) => engine,
                    Err(error) => return drop(sender.send(Err(error))),
                };
                while let (index, false) = (next.fetch_add(1, Relaxed), interrupt.is_requested()) {
                    let Some((position, goal)) = suite.get(index) else { break };
                    let result = attempt(&mut engine, position, goal, limits, interrupt);
                    if sender.send(result.map(|attempt| (index, attempt))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut told = 0;
        for result in results {
            let (index, attempt) = match result {
                Ok(result) => result,
                Err(error) => {
                    interrupt.request();
                    return Err(error);
                }
            };
            waiting.insert(index, attempt);
            while let Some(attempt) = waiting.remove(&told) {
                told += 1;
                if !attempt.was_cut_short && listen(told - 1, attempt).is_break() {
                    interrupt.request();
                    return Ok(());
                }
            }
        }
        Ok(())
    })
}
