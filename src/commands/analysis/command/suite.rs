//! Output of suites: one line for each problem, and a summary.

use std::fs::File;
use std::io::{BufReader, StdoutLock, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use serde::Serialize;

use super::explanation::{self, ExplanationObject};
use super::score::{self, LineObject};
use super::{AnalysisTask, Solver};
use crate::commands::analysis::explain::{Explanation, explain_miss};
use crate::commands::analysis::suite::{Attempt, prove_problem, solve_all, solve_problem};
use crate::console::args::thread_count;
use crate::console::error::CommandError;
use crate::console::note;
use crate::console::output::write_json;
use crate::engine::{Engine, EngineError, MAX_HASH_MEGABYTES};
use crate::eval::WinModel;
use crate::notation::openings::read_epd;
use crate::notation::{Dialect, write};
use crate::position::Position;
use crate::rules::Rules;
use crate::solver::{MateSolver, MateVerdict};
use crate::util::read_limit::LimitedInput;

pub use crate::commands::analysis::suite::Goal;

const DEFAULT_TIME: Duration = Duration::from_secs(1);
/// Number of bad lines that are named; further ones are only counted.
const MAX_NAMED_FAULTS: usize = 100;
/// Maximum size of a suite in bytes, about a million problems.
const MAX_SUITE_BYTES: u64 = 128 << 20;

/// Problem of a suite.
struct Problem {
    name: String,
    task: String,
}

/// Attempt with its explanation, if one was asked for.
type Answer = (Attempt, Option<Explanation>);

/// Solves the problems of a file. Lines that cannot be read are named and counted.
pub fn solve(task: &AnalysisTask, path: &Path, out: &mut StdoutLock<'static>) -> Result<(), CommandError> {
    let (problems, suite, faults) = read(task, path)?;
    task.is_busy.store(true, Relaxed);
    let args = task.args;
    let at_once = thread_count(args.threads).get();
    if !args.json {
        writeln!(out, "solved  depth    seconds         nodes       score  found           problem")?;
        out.flush()?;
    }
    let (mut reported, mut solved, mut failure) = (0, 0, None);
    let limits = args.limits(DEFAULT_TIME);
    let interrupt = &task.interrupt;
    let on_event = |index: usize, (attempt, explanation): Answer| {
        reported += 1;
        solved += usize::from(attempt.solved.is_some());
        let (problem, position) = (&problems[index], &suite[index].0);
        let printed = print(task, problem, position, &attempt, explanation.as_ref(), out);
        match printed.and_then(|()| Ok(out.flush()?)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        }
    };
    match args.solver {
        Solver::Search => {
            let make_engine = || args.engine(1, task.strictness);
            let attempt = |engine: &mut Engine, position: &Position, goal: &Goal| {
                let attempt = solve_problem(engine, position, goal, &limits, interrupt)?;
                if attempt.was_cut_short {
                    return Ok(None);
                }
                let explanation = if args.explain && attempt.solved.is_none() {
                    explain_miss(engine, position, goal, &attempt, &limits, args.explain_nodes, interrupt)?
                } else {
                    None
                };
                Ok(Some((attempt, explanation)))
            };
            solve_all(&suite, at_once, make_engine, attempt, interrupt, on_event)?;
        }
        Solver::Mate => {
            let bytes = usize::try_from(args.hash).unwrap_or(MAX_HASH_MEGABYTES) << 20;
            let make_solver = || Ok(MateSolver::new(bytes)?);
            let attempt = |solver: &mut MateSolver, position: &Position, goal: &Goal| {
                let Goal::Mate(moves) = goal else { return Err(EngineError::NoResult) };
                let attempt = prove_problem(solver, position, *moves, Rules::new(args.rules), &limits, interrupt);
                Ok((!attempt.was_cut_short).then_some((attempt, None)))
            };
            solve_all(&suite, at_once, make_solver, attempt, interrupt, on_event)?;
        }
    }
    if let Some(failure) = failure {
        return Err(failure);
    }
    if faults > 0 {
        note!("{}: {faults} bad {} left out", path.display(), if faults == 1 { "line" } else { "lines" });
    }
    if args.json {
        let interrupted = task.interrupt.is_cancelled();
        let object = SummaryObject { positions: reported, solved, bad_lines: faults, interrupted };
        write_json(out, "summary", &object)?;
    } else {
        writeln!(out, "{reported} positions, {solved} solved")?;
    }
    task.check_interrupt()?;
    if reported == 0 {
        let fault = "it contains no problem".to_owned();
        return Err(CommandError::Unusable { path: path.to_owned(), fault });
    }
    Ok(())
}

/// Problems of a file, and the number of its bad lines.
type Suite = (Vec<Problem>, Vec<(Position, Goal)>, usize);

fn read(task: &AnalysisTask, path: &Path) -> Result<Suite, CommandError> {
    let failed = |error| CommandError::File { path: path.to_owned(), error };
    let file = File::open(path).map_err(failed)?;
    let (mut problems, mut suite, mut faults) = (Vec::new(), Vec::new(), 0);
    let mut report_fault = |text: String| {
        faults += 1;
        if faults <= MAX_NAMED_FAULTS {
            note!("{}: {text}", path.display());
        }
    };
    for (index, record) in
        read_epd(BufReader::new(LimitedInput::new(file, MAX_SUITE_BYTES)), task.strictness).enumerate()
    {
        let record = match record {
            Ok(record) => record,
            Err(error) if error.is_read_error() => return Err(CommandError::Game { path: path.to_owned(), error }),
            Err(error) => {
                report_fault(error.to_string());
                continue;
            }
        };
        let name = record.id.clone().unwrap_or_else(|| format!("problem {}", index + 1));
        let Some(goal) = Goal::from_record(&record) else {
            report_fault(format!("{name}: '{}' has neither bm, am nor dm", record.position));
            continue;
        };
        if task.args.solver == Solver::Mate && !matches!(goal, Goal::Mate(_)) {
            report_fault(format!("{name}: it has no dm, which the mate solver needs"));
            continue;
        }
        let words = |moves: &[crate::types::Move]| {
            // In JSON moves are coordinates.
            let dialect = if task.args.json { Dialect::Coordinate } else { task.args.dialect() };
            let words: Vec<String> = moves.iter().map(|&mv| write(&record.position, mv, dialect)).collect();
            words.join(" ")
        };
        let task_text = match &goal {
            Goal::Mate(moves) => format!("dm {moves}"),
            Goal::Moves { best, avoided } if best.is_empty() => format!("am {}", words(avoided)),
            Goal::Moves { best, .. } => format!("bm {}", words(best)),
        };
        // Control characters could move the cursor.
        let name = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        problems.push(Problem { name, task: task_text });
        suite.push((record.position, goal));
    }
    Ok((problems, suite, faults))
}

#[derive(Serialize)]
struct ProblemObject<'a> {
    id: &'a str,
    fen: String,
    task: &'a str,
    solved: bool,
    solved_depth: Option<usize>,
    solved_milliseconds: Option<u128>,
    solved_nodes: Option<u64>,
    #[serde(flatten)]
    line: LineObject,
    depth: usize,
    nodes: u64,
    milliseconds: u128,
    /// Verdict of the mate solver.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
    /// The mate solver found a mate by checks only.
    #[serde(skip_serializing_if = "Option::is_none")]
    by_checks: Option<bool>,
    /// Explanation of a missed problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<ExplanationObject>,
}

#[derive(Serialize)]
struct SummaryObject {
    positions: usize,
    solved: usize,
    bad_lines: usize,
    interrupted: bool,
}

fn print(
    task: &AnalysisTask,
    problem: &Problem,
    position: &Position,
    attempt: &Attempt,
    explanation: Option<&Explanation>,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let solved = attempt.solved;
    if task.args.json {
        let object = ProblemObject {
            id: &problem.name,
            fen: position.to_string(),
            task: &problem.task,
            solved: solved.is_some(),
            solved_depth: solved.map(|stable| stable.depth),
            solved_milliseconds: solved.map(|stable| stable.elapsed.as_millis()),
            solved_nodes: solved.map(|stable| stable.nodes),
            line: if attempt.has_score() {
                LineObject::new(task.args, position, attempt.score, &attempt.line)
            } else {
                LineObject::without_score()
            },
            depth: attempt.depth,
            nodes: attempt.nodes,
            milliseconds: attempt.elapsed.as_millis(),
            verdict: attempt.verdict.as_ref().map(MateVerdict::word),
            by_checks: attempt.verdict.as_ref().and_then(MateVerdict::mate).map(|mate| mate.by_checks),
            explanation: explanation.map(|explanation| ExplanationObject::new(task.args, position, explanation)),
        };
        return write_json(out, "problem", &object);
    }
    let (depth, elapsed, nodes) = solved
        .map_or((attempt.depth, attempt.elapsed, attempt.nodes), |stable| (stable.depth, stable.elapsed, stable.nodes));
    let best = attempt.line.first().map_or("none".to_owned(), |&mv| write(position, mv, task.args.dialect()));
    writeln!(
        out,
        "{:<6} {depth:>6} {:>10.2} {nodes:>13} {:>11}  {best:<14}  {}: {}",
        if solved.is_some() { "yes" } else { "no" },
        elapsed.as_secs_f64(),
        if attempt.has_score() {
            score::text(WinModel::of(position).reported(attempt.score))
        } else {
            attempt.verdict.as_ref().map_or("", MateVerdict::word).to_owned()
        },
        problem.name,
        problem.task
    )?;
    explanation.map_or(Ok(()), |explanation| explanation::print(task.args, position, explanation, out))
}
