//! Output of suites: one line for each problem, explanations of missed ones, and a summary.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{AnalysisTask, Solver};
use crate::commands::analysis::suite::{
    Attempt, Effort, ExplainedLine, Explanation, explain_miss, is_problem, prove_problem, solve_problem,
};
use crate::commands::analysis::text::{self, plain, with_line};
use crate::console::chinese::Terminal;
use crate::console::{CommandError, Faults, Object, Result, counted, note, thread_count, write_json};
use crate::engine::{EngineError, MAX_HASH_MEGABYTES};
use crate::eval::{TermValues, WinModel};
use crate::notation::openings::{EpdRecord, read_epd};
use crate::notation::{Dialect, write, write_line};
use crate::position::Position;
use crate::rules::Rules;
use crate::solver::{MateSolver, MateVerdict};
use crate::types::{Move, Value};
use crate::util::files::LimitedInput;
use crate::util::parallel::map_ordered;

const DEFAULT_TIME: Duration = Duration::from_secs(1);
/// Maximum size of a suite in bytes, about a million problems.
const MAX_SUITE_BYTES: u64 = 128 << 20;

struct Problem {
    name: String,
    /// Task in words, such as `bm h2e2`.
    task: String,
    record: EpdRecord,
}

/// Solves the problems of a file. Lines that cannot be read are named and counted.
pub fn solve(task: &AnalysisTask, path: &Path, input: impl BufRead, out: &mut Terminal) -> Result {
    let (problems, faults) = read(task, path, input)?;
    task.is_busy.store(true, Relaxed);
    if !task.args.output.json {
        writeln!(out, "solved  depth    seconds         nodes       score  found           problem")?;
        out.flush()?;
    }
    let (mut reported, mut solved) = (0, 0);
    solve_all(task, &problems, |problem, attempt| {
        reported += 1;
        solved += usize::from(attempt.solved.is_some());
        print(task, problem, &attempt, out)?;
        Ok(out.flush()?)
    })?;
    if faults > 0 {
        note!("{}: {} left out", path.display(), counted(faults, "bad line"));
    }
    if task.args.output.json {
        let object = Object::default()
            .with("positions", reported)
            .with("solved", solved)
            .with("bad_lines", faults)
            .with("interrupted", task.interrupt.is_cancelled());
        write_json(out, "summary", &object)?;
    } else {
        writeln!(out, "{reported} positions, {solved} solved")?;
    }
    task.check_interrupt()?;
    if reported == 0 {
        return Err(CommandError::unusable(path, "it contains no problem"));
    }
    Ok(())
}

/// Attempts problems, several at a time, each thread with its own engine or solver. Calls `on_event` in the order of
/// the suite, not for interrupted attempts. An error requests the interrupt to end the running searches.
fn solve_all(
    task: &AnalysisTask,
    problems: &[Problem],
    on_event: impl FnMut(&Problem, Attempt) -> Result + Send,
) -> Result {
    // Attempts that wait for those before them, and the number of reported ones.
    let shared = Mutex::new((BTreeMap::new(), 0, on_event));
    let work = |solve: &mut Result<Solve, EngineError>, (index, problem): (usize, &Problem)| {
        if task.interrupt.is_cancelled() {
            return Ok(());
        }
        let solve = solve.as_mut().map_err(|error| error.clone())?;
        let attempt = solve(&problem.record)?;
        let (waiting, reported, on_event) = &mut *shared.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.insert(index, attempt);
        while let Some(attempt) = waiting.remove(reported) {
            if !attempt.was_cut_short {
                on_event(&problems[*reported], attempt)?;
            }
            *reported += 1;
        }
        Ok(())
    };
    let work = |solve: &mut _, problem| {
        work(solve, problem).inspect_err(|_: &CommandError| {
            task.interrupt.cancel();
        })
    };
    let threads = thread_count(task.args.threads).get().min(problems.len());
    map_ordered(problems.iter().enumerate(), threads, || attempts(task), work).into_iter().collect()
}

type Solve<'a> = Box<dyn FnMut(&EpdRecord) -> Result<Attempt, EngineError> + 'a>;

/// Returns what a thread does with each problem, with an engine or a solver of its own.
fn attempts<'a>(task: &'a AnalysisTask) -> Result<Solve<'a>, EngineError> {
    let (limits, interrupt) = (task.limits(DEFAULT_TIME), &task.interrupt);
    if task.args.solver == Solver::Search {
        let mut engine = task.engine(1)?;
        return Ok(Box::new(move |problem| {
            let mut attempt = solve_problem(&mut engine, problem, &limits, interrupt)?;
            if task.args.explain && attempt.solved.is_none() && !attempt.was_cut_short {
                attempt.explanation = explain_miss(&mut engine, problem, &attempt, &limits, interrupt)?;
            }
            Ok(attempt)
        }));
    }
    let bytes = usize::try_from(task.args.hash).unwrap_or(MAX_HASH_MEGABYTES) << 20;
    let mut solver = MateSolver::new(bytes)?;
    let rules = Rules::new(task.args.rules.rules);
    Ok(Box::new(move |problem| {
        let moves = problem.mate_in.ok_or(EngineError::NoResult)? as usize;
        let start = Instant::now();
        let clock = || start.elapsed();
        Ok(prove_problem(&mut solver, &problem.position, moves, rules, &limits, &clock, interrupt))
    }))
}

fn read(task: &AnalysisTask, path: &Path, input: impl BufRead) -> Result<(Vec<Problem>, u64)> {
    let (mut problems, mut faults) = (Vec::new(), Faults::new(path));
    // In JSON moves are coordinates.
    let dialect = if task.args.output.json { Dialect::Coordinate } else { task.dialect };
    let records = read_epd(BufReader::new(LimitedInput::new(input, MAX_SUITE_BYTES)), task.strictness);
    for (number, record) in (1..).zip(records) {
        let record = match record {
            Ok(record) => record,
            Err(error) if error.is_read_error() => return Err(CommandError::unusable(path, error)),
            Err(error) => {
                faults.add(error);
                continue;
            }
        };
        let position = &record.position;
        let name = record.id.clone().unwrap_or_else(|| format!("problem {number}"));
        let words = |moves: &[Move]| {
            let words: Vec<String> = moves.iter().map(|&mv| write(position, mv, dialect)).collect();
            words.join(" ")
        };
        let task = match record.mate_in {
            Some(moves) => format!("dm {moves}"),
            None if !is_problem(&record) => {
                faults.add(format_args!("{name}: '{position}' has neither bm, am nor dm"));
                continue;
            }
            None if task.args.solver == Solver::Mate => {
                faults.add(format_args!("{name}: it has no dm, which the mate solver needs"));
                continue;
            }
            None if record.best_moves.is_empty() => format!("am {}", words(&record.avoided_moves)),
            None => format!("bm {}", words(&record.best_moves)),
        };
        problems.push(Problem { name: plain(&name), task, record });
    }
    Ok((problems, faults.count))
}

fn print(task: &AnalysisTask, problem: &Problem, attempt: &Attempt, out: &mut impl Write) -> Result {
    let (Problem { name, task: wanted, .. }, position) = (problem, &problem.record.position);
    let Attempt { solved, end, score, line, verdict, explanation, .. } = attempt;
    if task.args.output.json {
        let object = Object::default()
            .with("id", name)
            .with("fen", position.to_string())
            .with("task", wanted)
            .with("solved", solved.is_some())
            .with("solved_depth", solved.map(|effort| effort.depth))
            .with("solved_milliseconds", solved.map(|effort| effort.elapsed.as_millis()))
            .with("solved_nodes", solved.map(|effort| effort.nodes));
        let mut object = with_line(object, position, *score, line, task.dialect)
            .with("depth", end.depth)
            .with("nodes", end.nodes)
            .with("milliseconds", end.elapsed.as_millis());
        if let Some(verdict) = verdict {
            object = object.with("verdict", verdict.word());
        }
        if let Some(mate) = verdict.as_ref().and_then(MateVerdict::mate) {
            object = object.with("by_checks", mate.by_checks);
        }
        if let Some(explanation) = explanation {
            object = object.with("explanation", explanation_object(position, explanation, task.dialect));
        }
        return write_json(out, "problem", &object);
    }
    let Effort { depth, elapsed, nodes } = solved.unwrap_or(*end);
    let best = line.first().map_or("none".to_owned(), |&mv| write(position, mv, task.dialect));
    let (word, seconds) = (if solved.is_some() { "yes" } else { "no" }, elapsed.as_secs_f64());
    let score = match score {
        Some(score) => text::score(WinModel::of(position).reported(*score)),
        None => verdict.as_ref().map_or("", MateVerdict::word).to_owned(),
    };
    writeln!(out, "{word:<6} {depth:>6} {seconds:>10.2} {nodes:>13} {score:>11}  {best:<14}  {name}: {wanted}")?;
    explanation.as_ref().map_or(Ok(()), |explanation| print_explanation(position, explanation, task.dialect, out))
}

/// Prints an explanation below its problem: both lines, two columns of terms, and the work of the longer search.
fn print_explanation(position: &Position, explanation: &Explanation, dialect: Dialect, out: &mut impl Write) -> Result {
    let Explanation { solution, chosen, found, node_limit, depth } = explanation;
    let described = |line: &ExplainedLine| {
        let moves = write_line(position, &line.moves, dialect).join(" ");
        let moves = if moves.is_empty() { "no move" } else { &moves };
        let end = if line.end.has_legal_move() { "at its end" } else { "mated at its end" };
        format!("{:>10}  {moves}\n{end:>25} {}", text::score(WinModel::of(position).reported(line.score)), line.end)
    };
    writeln!(out, "    solution  {}", solution.as_ref().map_or("no line is known".to_owned(), described))?;
    writeln!(out, "    chosen    {}", described(chosen))?;
    let header = format!("centipawns for {}", position.side());
    writeln!(out, "    {header:<24} {:>9} {:>9} {:>11}", "solution", "chosen", "difference")?;
    let mut row = |name: &str, solution: Option<Value>, chosen: Value| match solution {
        Some(value) => writeln!(out, "    {name:<24} {value:>9} {chosen:>9} {:>+11}", value - chosen),
        None => writeln!(out, "    {name:<24} {:>9} {chosen:>9} {:>11}", "–", "–"),
    };
    let solution = solution.as_ref().map(|line| &line.values);
    let chosen = &chosen.values;
    for (index, &(name, value)) in chosen.groups.iter().enumerate() {
        let other = solution.map(|values| values.groups[index].1);
        // Groups that are 0 at both ends are left out.
        if (other, value) != (solution.map(|_| 0), 0) {
            row(&name.replace('_', " "), other, value)?;
        }
    }
    row("hand-made value", solution.map(|values| values.handcrafted), chosen.handcrafted)?;
    row("network's value", solution.map(|values| values.network), chosen.network)?;
    let searched = format!("{} (depth {depth})", counted(*node_limit, "node"));
    match found {
        Some(found) => {
            let nodes = counted(found.nodes, "node");
            let start = format!("from depth {} on, after {nodes}", found.depth);
            writeln!(out, "    the search keeps to the solution {start}; limit {searched}\n")?;
        }
        None => writeln!(out, "    the search does not find the solution within {searched}\n")?,
    }
    Ok(())
}

fn explanation_object(position: &Position, explanation: &Explanation, dialect: Dialect) -> Object {
    let line = |line: &ExplainedLine| {
        let TermValues { groups, handcrafted, network } = &line.values;
        with_line(Object::default(), position, Some(line.score), &line.moves, dialect)
            .with("end", line.end.to_string())
            .with("terms", groups.iter().copied().collect::<BTreeMap<_, _>>())
            .with("handmade", handcrafted)
            .with("network", network)
    };
    Object::default()
        .with("solution", explanation.solution.as_ref().map(line))
        .with("chosen", line(&explanation.chosen))
        .with("found_depth", explanation.found.map(|found| found.depth))
        .with("found_nodes", explanation.found.map(|found| found.nodes))
        .with("node_limit", explanation.node_limit)
        .with("depth", explanation.depth)
}
