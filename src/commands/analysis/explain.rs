//! Explanation of a missed problem: the solution and the move chosen, each with a line and the evaluation at its end,
//! and the work after which the search finds the solution.

use std::ops::ControlFlow;

use super::analyze_position;
use super::suite::{Attempt, Goal, Stable, prove_problem, solve_problem};
use crate::engine::{Engine, EngineError};
use crate::eval::TermValues;
use crate::position::Position;
use crate::search::Limits;
use crate::solver::MateSolver;
use crate::types::{Move, Value};
use crate::util::cancel::CancelFlag;

/// Node limit of the search that goes on for the solution, as a multiple of the nodes of the attempt.
pub const DEFAULT_FACTOR: u64 = 16;
/// Memory of the mate solver that finds the line of a mate, in bytes.
const SOLVER_BYTES: usize = 16 << 20;

/// Explanation of a missed problem.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The solution with the best continuation; `None` if none is known: no mate was proved within the node limit, or
    /// every move is to be avoided.
    pub solution: Option<ExplainedLine>,
    /// The move chosen with its continuation.
    pub chosen: ExplainedLine,
    /// Point from which on a longer search keeps to the solution; `None` if there is none within the limit.
    pub found: Option<Stable>,
    /// Node limit of that search.
    pub node_limit: u64,
    /// Depth that it reached.
    pub depth: usize,
}

/// Line from the position of a problem, and the evaluation at its end.
#[derive(Clone, Debug)]
pub struct ExplainedLine {
    /// Moves; none if no move was chosen.
    pub moves: Vec<Move>,
    /// Score of the search, for the side to move in the problem.
    pub score: Value,
    /// Position after the last move.
    pub end: Position,
    /// Evaluation of that position for the side to move in the problem.
    pub values: TermValues,
}

/// Explains a missed problem with the engine that attempted it. The line of the solution comes from a search of its
/// moves alone within `limits`, that of a mate from the mate solver. The search that goes on for the solution begins
/// again and takes at most `nodes` nodes, by default [`DEFAULT_FACTOR`] times those of the attempt. Returns `None` when
/// the interrupt is requested.
///
/// # Errors
/// Errors of the engine.
pub fn explain_miss(
    engine: &mut Engine,
    position: &Position,
    goal: &Goal,
    attempt: &Attempt,
    limits: &Limits,
    nodes: Option<u64>,
    interrupt: &CancelFlag,
) -> Result<Option<Explanation>, EngineError> {
    let node_limit = nodes.unwrap_or_else(|| attempt.nodes.max(1).saturating_mul(DEFAULT_FACTOR));
    let solution = match goal {
        Goal::Mate(moves) => mating_line(engine, position, *moves, node_limit, interrupt)?,
        Goal::Moves { best, avoided } => {
            let legal = position.legal_moves();
            let is_solution = |mv: &&Move| (best.is_empty() || best.contains(mv)) && !avoided.contains(mv);
            let moves: Vec<Move> = legal.iter().filter(is_solution).copied().collect();
            best_line(engine, position, moves, limits, interrupt)?
        }
    };
    let longer = solve_problem(engine, position, goal, &Limits::nodes(node_limit), interrupt)?;
    if interrupt.is_cancelled() {
        return Ok(None);
    }
    let explained = |(moves, score): (Vec<Move>, Value)| ExplainedLine::new(engine, position, moves, score);
    Ok(Some(Explanation {
        solution: solution.map(explained),
        chosen: explained((attempt.line.clone(), attempt.score)),
        found: longer.solved,
        node_limit,
        depth: longer.depth,
    }))
}

/// Moves of a line and their score.
type ScoredLine = (Vec<Move>, Value);

/// Returns the line of a mate within a number of moves, if it is proved.
fn mating_line(
    engine: &Engine,
    position: &Position,
    moves: usize,
    nodes: u64,
    interrupt: &CancelFlag,
) -> Result<Option<ScoredLine>, EngineError> {
    let mut solver = MateSolver::new(SOLVER_BYTES)?;
    let rules = engine.options().rules();
    let proof = prove_problem(&mut solver, position, moves, rules, &Limits::nodes(nodes), interrupt);
    Ok(proof.solved.map(|_| (proof.line, proof.score)))
}

/// Returns the best line that begins with one of these moves, if there are any.
fn best_line(
    engine: &mut Engine,
    position: &Position,
    moves: Vec<Move>,
    limits: &Limits,
    interrupt: &CancelFlag,
) -> Result<Option<ScoredLine>, EngineError> {
    if moves.is_empty() {
        return Ok(None);
    }
    engine.new_game();
    let limits = Limits { search_moves: moves, ..limits.clone() };
    let analysis = analyze_position(engine, position.clone(), &limits, interrupt, |_| ControlFlow::Continue(()))?;
    Ok(Some((analysis.outcome.line, analysis.outcome.score)))
}

impl ExplainedLine {
    fn new(engine: &Engine, position: &Position, moves: Vec<Move>, score: Value) -> ExplainedLine {
        let mut end = position.clone();
        moves.iter().for_each(|&mv| end.make(mv));
        let values = TermValues::new(&end, engine.network(), position.side());
        ExplainedLine { moves, score, end, values }
    }
}
