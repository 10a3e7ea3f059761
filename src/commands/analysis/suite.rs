//! Suites of problems: which solutions an engine finds, and explanations of those that it misses.

use std::ops::ControlFlow;
use std::time::Duration;

use super::analyze_position;
use crate::engine::{Engine, EngineError};
use crate::eval::TermValues;
use crate::notation::openings::EpdRecord;
use crate::position::Position;
use crate::rules::Rules;
use crate::search::Limits;
use crate::solver::{MateLimits, MateSolver, MateVerdict};
use crate::types::score::{MATE, is_mate, mate_in};
use crate::types::{Move, Value};
use crate::util::cancel::CancelFlag;

/// Returns whether a record has a solution: any mate in at most so many moves, with a line to its end, or else one of
/// the best moves, or any move except the avoided ones. A mate takes precedence, since other moves may mate too.
pub fn is_problem(record: &EpdRecord) -> bool {
    record.mate_in.is_some() || !record.best_moves.is_empty() || !record.avoided_moves.is_empty()
}

fn is_accepted(problem: &EpdRecord, mv: Move) -> bool {
    let best = &problem.best_moves;
    (best.is_empty() || best.contains(&mv)) && !problem.avoided_moves.contains(&mv)
}

fn is_solved(problem: &EpdRecord, best: Move, score: Value) -> bool {
    match problem.mate_in {
        Some(moves) => is_mate(score) && score > 0 && i64::from(MATE - score) < 2 * i64::from(moves),
        None => is_accepted(problem, best),
    }
}

/// Work of a search or a proof up to some point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Depth of the last finished iteration.
    pub depth: usize,
    pub elapsed: Duration,
    pub nodes: u64,
}

#[derive(Clone, Debug)]
pub struct Attempt {
    /// Point from which the solution was kept; `None` if not solved.
    pub solved: Option<Effort>,
    pub end: Effort,
    /// Score for the side to move; `None` if the mate solver did not prove the mate.
    pub score: Option<Value>,
    /// Principal variation; a mate that solves the problem is complete.
    pub line: Vec<Move>,
    /// True if it was interrupted.
    pub was_cut_short: bool,
    /// Verdict of the mate solver; `None` for a search.
    pub verdict: Option<MateVerdict>,
    /// Explanation of a miss; see [`explain_miss`].
    pub explanation: Option<Explanation>,
}

/// Node limit of the search that completes a truncated mating line.
const COMPLETION_NODES: u64 = 2_000_000;

/// Searches a problem for its solution. The engine is reset first, so the order of a suite does not matter.
pub fn solve_problem(
    engine: &mut Engine,
    problem: &EpdRecord,
    limits: &Limits,
    interrupt: &CancelFlag,
) -> Result<Attempt, EngineError> {
    engine.new_game();
    let (position, mate_in) = (&problem.position, problem.mate_in.map(|moves| moves as usize));
    let limits = Limits { mate: mate_in.or(limits.mate), ..limits.clone() };
    let mut held: Option<Effort> = None;
    let analysis = analyze_position(engine, position.clone(), &limits, interrupt, |line| {
        if line.pv_index == 1 {
            let now = Effort { depth: line.depth, elapsed: line.elapsed, nodes: line.nodes };
            held = is_solved(problem, line.line[0], line.score).then(|| held.unwrap_or(now));
        }
        ControlFlow::Continue(())
    })?;
    let outcome = analysis.outcome;
    // A search without a finished iteration still has a move.
    let is_met = outcome.best().is_some_and(|best| is_solved(problem, best, outcome.score));
    let end = Effort { depth: outcome.finished_depth, elapsed: outcome.elapsed, nodes: outcome.nodes };
    let mut solved = is_met.then(|| held.unwrap_or(end));
    let mut line = outcome.line;
    if let (Some(moves), true) = (mate_in, solved.is_some()) {
        match complete(engine, position, &line, moves, interrupt)? {
            Some(mate) => line = mate,
            None => solved = None,
        }
    }
    let (score, was_cut_short) = (Some(outcome.score), analysis.was_cut_short);
    Ok(Attempt { solved, end, score, line, was_cut_short, verdict: None, explanation: None })
}

/// Proves a mate within a number of moves by the mate solver, within the nodes and the time of `limits`. `clock`
/// returns the time since the start. The solver forgets what it found before, so the order of a suite does not matter.
pub fn prove_problem(
    solver: &mut MateSolver,
    position: &Position,
    moves: usize,
    rules: Rules,
    limits: &Limits,
    clock: &dyn Fn() -> Duration,
    interrupt: &CancelFlag,
) -> Attempt {
    let is_late = || limits.move_time.is_some_and(|time| clock() >= time);
    let nodes = limits.nodes.unwrap_or(u64::MAX);
    let mate_limits = MateLimits { nodes, seek_shortest: false, ..MateLimits::moves(moves) };
    let result = solver.solve(position, rules, &mate_limits, &|| interrupt.is_cancelled() || is_late());
    let was_cut_short = result.verdict == MateVerdict::Unknown && interrupt.is_cancelled();
    let mate = result.verdict.mate().map(|mate| (2 * mate.moves - 1, mate.line.clone()));
    let (depth, line) = mate.unwrap_or_default();
    let end = Effort { depth, elapsed: clock(), nodes: result.nodes };
    let (solved, score) = (depth > 0).then(|| (end, mate_in(depth))).unzip();
    Attempt { solved, end, score, line, was_cut_short, verdict: Some(result.verdict), explanation: None }
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

/// Node limit of the search that goes on for the solution, as a multiple of the nodes of the attempt.
const LONGER_SEARCH: u64 = 16;
/// Memory of the mate solver that finds the line of a mate, in bytes.
const SOLVER_BYTES: usize = 16 << 20;

/// Explanation of a missed problem.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The best solution; `None` if no mate was proved within the node limit, or every move is to be avoided.
    pub solution: Option<ExplainedLine>,
    /// The move chosen with its continuation.
    pub chosen: ExplainedLine,
    /// Point from which on a longer search keeps to the solution; `None` if there is none within the limit.
    pub found: Option<Effort>,
    pub node_limit: u64,
    pub depth: usize,
}

/// Line from the position of a problem, and the evaluation at its end.
#[derive(Clone, Debug)]
pub struct ExplainedLine {
    pub moves: Vec<Move>,
    /// Score of the search, for the side to move in the problem.
    pub score: Value,
    pub end: Position,
    /// Evaluation of that position for the side to move in the problem.
    pub values: TermValues,
}

/// Explains a missed problem with the engine that attempted it. The line of the solution comes from a search of its
/// moves alone within `limits`, that of a mate from the mate solver. Then a new search of at most `LONGER_SEARCH` times
/// the nodes of the attempt looks for the solution. Returns `None` when the interrupt is requested.
pub fn explain_miss(
    engine: &mut Engine,
    problem: &EpdRecord,
    attempt: &Attempt,
    limits: &Limits,
    interrupt: &CancelFlag,
) -> Result<Option<Explanation>, EngineError> {
    let position = &problem.position;
    let node_limit = attempt.end.nodes.max(1).saturating_mul(LONGER_SEARCH);
    let solution = match problem.mate_in {
        Some(moves) => {
            let mut solver = MateSolver::new(SOLVER_BYTES)?;
            let (rules, limits) = (engine.options().rules(), Limits::nodes(node_limit));
            let moves = moves as usize;
            let proof = prove_problem(&mut solver, position, moves, rules, &limits, &|| Duration::ZERO, interrupt);
            proof.score.map(|score| (proof.line, score))
        }
        None => {
            let mut moves = position.legal_moves().to_vec();
            moves.retain(|&mv| is_accepted(problem, mv));
            if moves.is_empty() {
                None
            } else {
                engine.new_game();
                let limits = Limits { search_moves: moves, ..limits.clone() };
                let position = position.clone();
                let found = analyze_position(engine, position, &limits, interrupt, |_| ControlFlow::Continue(()))?;
                Some((found.outcome.line, found.outcome.score))
            }
        }
    };
    let longer = solve_problem(engine, problem, &Limits::nodes(node_limit), interrupt)?;
    if interrupt.is_cancelled() {
        return Ok(None);
    }
    let explained = |(moves, score): (Vec<Move>, Value)| ExplainedLine::new(engine, position, moves, score);
    Ok(Some(Explanation {
        solution: solution.map(explained),
        chosen: explained((attempt.line.clone(), attempt.score.unwrap_or_default())),
        found: longer.solved,
        node_limit,
        depth: longer.end.depth,
    }))
}

impl ExplainedLine {
    fn new(engine: &Engine, position: &Position, moves: Vec<Move>, score: Value) -> ExplainedLine {
        let mut end = position.clone();
        moves.iter().for_each(|&mv| end.make(mv));
        let values = TermValues::new(&end, engine.network(), position.side());
        ExplainedLine { moves, score, end, values }
    }
}
