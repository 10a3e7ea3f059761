//! Suites of problems: which solutions an engine finds.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use super::{PvLine, analyze_position};
use crate::engine::{Engine, EngineError};
use crate::notation::openings::EpdRecord;
use crate::position::Position;
use crate::rules::Rules;
use crate::search::Limits;
use crate::solver::{MateLimits, MateSolver, MateVerdict};
use crate::types::score::{MATE, is_mate, mate_in};
use crate::types::{Move, Value};
use crate::util::cancel::CancelFlag;

/// Solution of a problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// Any mate in at most this many moves, with a line to its end.
    Mate(usize),
    /// One of the best moves, or any move except the avoided ones.
    Moves {
        /// Accepted moves; empty for any.
        best: Vec<Move>,
        /// Rejected moves.
        avoided: Vec<Move>,
    },
}

impl Goal {
    /// Returns the goal of a record; `None` if it has none. A mate takes precedence over moves, since other moves may
    /// mate too.
    pub fn from_record(record: &EpdRecord) -> Option<Goal> {
        match record.mate_in {
            Some(moves) => Some(Goal::Mate(moves as usize)),
            None if record.best_moves.is_empty() && record.avoided_moves.is_empty() => None,
            None => Some(Goal::Moves { best: record.best_moves.clone(), avoided: record.avoided_moves.clone() }),
        }
    }

    fn is_met(&self, best: Move, score: Value) -> bool {
        match self {
            Goal::Mate(moves) => is_mate(score) && score > 0 && MATE - score < 2 * *moves as Value,
            Goal::Moves { best: accepted, avoided } => {
                (accepted.is_empty() || accepted.contains(&best)) && !avoided.contains(&best)
            }
        }
    }
}

/// Point of a search from which it kept to the solution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stable {
    /// Depth of the iteration.
    pub depth: usize,
    /// Time since the start of the search.
    pub elapsed: Duration,
    /// Nodes since the start of the search.
    pub nodes: u64,
}

/// Attempt at a problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// Point from which the solution was kept; `None` if not solved.
    pub solved: Option<Stable>,
    /// Score for the side to move.
    pub score: Value,
    /// Principal variation; a mate that solves the problem is complete.
    pub line: Vec<Move>,
    /// Depth of the last finished iteration.
    pub depth: usize,
    /// Time of the search.
    pub elapsed: Duration,
    /// Nodes of the search.
    pub nodes: u64,
    /// True if it was interrupted.
    pub was_cut_short: bool,
    /// Verdict of the mate solver; `None` for a search.
    pub verdict: Option<MateVerdict>,
}

impl Attempt {
    /// Returns `true` if it has a score: an unsolved attempt of the mate solver has none.
    pub fn has_score(&self) -> bool {
        self.solved.is_some() || self.verdict.is_none()
    }
}

/// Node limit of the search that completes a truncated mating line.
const COMPLETION_NODES: u64 = 2_000_000;

/// Searches a position for its solution. The engine is reset first, so the order of a suite does not matter.
///
/// # Errors
/// Errors of the engine.
pub fn solve_problem(
    engine: &mut Engine,
    position: &Position,
    goal: &Goal,
    limits: &Limits,
    interrupt: &CancelFlag,
) -> Result<Attempt, EngineError> {
    engine.new_game();
    let mut limits = limits.clone();
    if let Goal::Mate(moves) = goal {
        limits.mate = Some(*moves);
    }
    let mut held: Option<Stable> = None;
    let analysis = analyze_position(engine, position.clone(), &limits, interrupt, |line: &PvLine| {
        if line.pv_index == 1 {
            let now = Stable { depth: line.depth, elapsed: line.elapsed, nodes: line.nodes };
            held = goal.is_met(line.moves[0], line.score).then(|| held.unwrap_or(now));
        }
        ControlFlow::Continue(())
    })?;
    let outcome = analysis.outcome;
    // A search without a finished iteration still has a move.
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
        verdict: None,
    })
}

/// Proves a mate within a number of moves by the mate solver, within the nodes and the time of `limits`. The solver
/// forgets what it found before, so the order of a suite does not matter.
pub fn prove_problem(
    solver: &mut MateSolver,
    position: &Position,
    moves: usize,
    rules: Rules,
    limits: &Limits,
    interrupt: &CancelFlag,
) -> Attempt {
    let start = Instant::now();
    let is_late = || limits.move_time.is_some_and(|time| start.elapsed() >= time);
    let nodes = limits.nodes.unwrap_or(u64::MAX);
    let mate_limits = MateLimits { nodes, seek_shortest: false, ..MateLimits::moves(moves) };
    let result = solver.solve(position, rules, &mate_limits, &|| interrupt.is_cancelled() || is_late());
    let (elapsed, nodes) = (start.elapsed(), result.nodes);
    let was_cut_short = result.verdict == MateVerdict::Unknown && interrupt.is_cancelled();
    let (solved, score, line, depth) = match &result.verdict {
        MateVerdict::Proved(mate) => {
            let depth = 2 * mate.moves - 1;
            (Some(Stable { depth, elapsed, nodes }), mate_in(depth), mate.line.clone(), depth)
        }
        MateVerdict::Refuted | MateVerdict::Unknown => (None, 0, Vec::new(), 0),
    };
    Attempt { solved, score, line, depth, elapsed, nodes, was_cut_short, verdict: Some(result.verdict) }
}

/// Completes a line to checkmate or stalemate; `None` if that is not reached within `moves` moves. Lines can be shorter
/// than the mate they announce, since transposition table entries have values without lines.
fn complete(
    engine: &mut Engine,
    position: &Position,
    line: &[Move],
    moves: usize,
    interrupt: &CancelFlag,
) -> Result<Option<Vec<Move>>, EngineError> {
    let max_plies = (2 * moves).saturating_sub(1);
    let mut position = position.clone();
    let mut whole: Vec<Move> = Vec::new();
    let mut rest = line.to_vec();
    loop {
        for &mv in &rest {
            if whole.len() == max_plies || !position.can_play(mv) {
                return Ok(None);
            }
            position.make(mv);
            whole.push(mv);
        }
        if !position.has_legal_move() {
            // The mating side must have played last.
            return Ok((whole.len() % 2 == 1).then_some(whole));
        }
        if rest.is_empty() || whole.len() == max_plies || interrupt.is_cancelled() {
            return Ok(None);
        }
        let left = (max_plies - whole.len()).div_ceil(2).max(1);
        let limits = Limits { nodes: Some(COMPLETION_NODES), mate: Some(left), ..Limits::default() };
        let analysis = analyze_position(engine, position.clone(), &limits, interrupt, |_| ControlFlow::Continue(()))?;
        rest = if is_mate(analysis.outcome.score) { analysis.outcome.line } else { Vec::new() };
    }
}

/// Attempts all positions by `attempt`, `at_once` at a time, each thread with its own engine or solver. Calls
/// `on_event` with each result in the order of the suite. An interrupted attempt has the result `None` and is not
/// reported. Ends early when the interrupt is requested. When `on_event` breaks, this function requests the interrupt
/// to end the running searches.
///
/// # Errors
/// Errors of the engines.
pub fn solve_all<S, T: Send>(
    suite: &[(Position, Goal)],
    at_once: usize,
    make_solver: impl Fn() -> Result<S, EngineError> + Sync,
    attempt: impl Fn(&mut S, &Position, &Goal) -> Result<Option<T>, EngineError> + Sync,
    interrupt: &CancelFlag,
    mut on_event: impl FnMut(usize, T) -> ControlFlow<()>,
) -> Result<(), EngineError> {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let (sender, results) = channel();
        for _ in 0..at_once.clamp(1, suite.len().max(1)) {
            let sender = sender.clone();
            let (next, make_solver, attempt) = (&next, &make_solver, &attempt);
            scope.spawn(move || {
                let mut solver = match make_solver() {
                    Ok(solver) => solver,
                    Err(error) => return drop(sender.send(Err(error))),
                };
                while let (index, false) = (next.fetch_add(1, Relaxed), interrupt.is_cancelled()) {
                    let Some((position, goal)) = suite.get(index) else { break };
                    let result = attempt(&mut solver, position, goal);
                    if sender.send(result.map(|result| (index, result))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut reported = 0;
        for result in results {
            let (index, result) = match result {
                Ok(result) => result,
                Err(error) => {
                    interrupt.cancel();
                    return Err(error);
                }
            };
            waiting.insert(index, result);
            while let Some(result) = waiting.remove(&reported) {
                reported += 1;
                if result.is_some_and(|result| on_event(reported - 1, result).is_break()) {
                    interrupt.cancel();
                    return Ok(());
                }
            }
        }
        Ok(())
    })
}
