//! Positions under analysis: the table that grows with the search, and the same as JSON.

use std::io::{self, IsTerminal, StdoutLock, Write};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use anstream::AutoStream;

use super::{AnalysisTask, go_on};
use crate::commands::analysis::text::{self, percent, with_line};
use crate::commands::analysis::{Analysis, analyze_position, winning_chance};
use crate::console::board::{Board, BoardStyle};
use crate::console::error::CommandError;
use crate::console::note;
use crate::console::output::{Object, write_json};
use crate::engine::Engine;
use crate::eval::WinModel;
use crate::notation::game::GameError;
use crate::notation::write_line;
use crate::position::Position;
use crate::search::PvReport;

const DEFAULT_TIME: Duration = Duration::from_secs(5);
/// Moves in a row on a terminal, so that it stays one line; the complete line follows at the end.
const MOVES_IN_A_ROW: usize = 8;

/// Analyzes positions one after another. Lines that cannot be read are reported and skipped.
pub fn analyze(
    task: &AnalysisTask,
    positions: impl IntoIterator<Item = Result<Position, GameError>>,
    out: &mut StdoutLock<'static>,
) -> Result<(), CommandError> {
    let mut engine = task.engine(task.args.threads)?;
    let (mut analyzed, mut faults) = (0, 0);
    let mut positions = positions.into_iter();
    loop {
        // While waiting for input there is no result to print.
        task.is_busy.store(false, Relaxed);
        let Some(position) = positions.next() else { break };
        task.is_busy.store(true, Relaxed);
        match position {
            Ok(position) => {
                if analyzed > 0 && !task.args.json {
                    writeln!(out)?;
                }
                analyzed += 1;
                analyze_one(task, &mut engine, position, out)?;
            }
            Err(error) => {
                faults += 1;
                note!("{error}");
            }
        }
        task.check_interrupt()?;
    }
    if faults > 0 && analyzed == 0 {
        return Err(CommandError::unusable(
            task.args.input.as_deref().unwrap_or_default(),
            "no position could be read",
        ));
    }
    Ok(())
}

fn analyze_one(
    task: &AnalysisTask,
    engine: &mut Engine,
    position: Position,
    out: &mut StdoutLock<'static>,
) -> Result<(), CommandError> {
    engine.new_game();
    if !task.args.json {
        let last_move = position.history().last().map(|played| played.mv);
        let board = Board { position: &position, last_move, style: BoardStyle::default(), flipped: false };
        // `AutoStream` removes the colours unless the output is a terminal.
        let mut text = AutoStream::new(Vec::new(), AutoStream::choice(&io::stdout()));
        write!(text, "{board}\n{}", board.state())?;
        out.write_all(&text.into_inner())?;
        writeln!(out, "\n depth      score    seconds         nodes  nodes/s  line")?;
        out.flush()?;
    }
    let mut failure = Ok(());
    let analysis = analyze_position(engine, position.clone(), &task.limits(DEFAULT_TIME), &task.interrupt, |line| {
        go_on(row(task, &position, line, out).and_then(|()| Ok(out.flush()?)), &mut failure)
    })?;
    failure?;
    result(task, &position, &analysis, out)
}

fn per_second(nodes: u64, elapsed: Duration) -> u64 {
    (nodes as f64 / elapsed.as_secs_f64().max(1e-6)) as u64
}

/// Prints a line of an iteration.
fn row(task: &AnalysisTask, position: &Position, report: &PvReport, out: &mut impl Write) -> Result<(), CommandError> {
    let PvReport { pv_index, depth, selective_depth, score, nodes, elapsed, line, .. } = report;
    let speed = per_second(*nodes, *elapsed);
    if task.args.json {
        let object = Object::default().with("depth", depth).with("selective_depth", selective_depth);
        let object = with_line(object.with("place", pv_index), position, Some(*score), line, task.dialect)
            .with("nodes", nodes)
            .with("milliseconds", elapsed.as_millis())
            .with("nodes_per_second", speed);
        return write_json(out, "iteration", &object);
    }
    let mut moves = write_line(position, line, task.dialect);
    if io::stdout().is_terminal() && moves.len() > MOVES_IN_A_ROW {
        moves.truncate(MOVES_IN_A_ROW);
        moves.push("…".to_owned());
    }
    let (score, seconds) = (text::score(WinModel::of(position).reported(*score)), elapsed.as_secs_f64());
    let (thousands, moves) = (speed / 1000, moves.join(" "));
    Ok(writeln!(out, "{depth:>6} {score:>10} {seconds:>10.2} {nodes:>13} {thousands:>7}k  {moves}")?)
}

fn result(
    task: &AnalysisTask,
    position: &Position,
    analysis: &Analysis,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let outcome = &analysis.outcome;
    if task.args.json {
        let with_line = |object, score, line: &[_]| with_line(object, position, Some(score), line, task.dialect);
        let lines = analysis.lines.iter().map(|line| with_line(Object::default(), line.score, &line.line));
        let object = Object::default()
            .with("fen", position.to_string())
            .with("best", outcome.best().map(|mv| mv.to_string()))
            .with("depth", outcome.depth);
        let object = with_line(object, outcome.score, &outcome.line)
            .with("lines", lines.collect::<Vec<_>>())
            .with("nodes", outcome.nodes)
            .with("milliseconds", outcome.elapsed.as_millis())
            .with("nodes_per_second", per_second(outcome.nodes, outcome.elapsed))
            .with("interrupted", analysis.was_cut_short);
        return write_json(out, "result", &object);
    }
    let line = write_line(position, &outcome.line, task.dialect);
    let Some(best) = line.first() else {
        return Ok(writeln!(out, "\nno move to play")?);
    };
    let side = position.side();
    let score = text::score(WinModel::of(position).reported(outcome.score));
    let chance = percent(winning_chance(outcome.score));
    writeln!(out, "\nbest move   {best}\nscore       {score}, winning chance {chance} for {side}")?;
    Ok(writeln!(out, "line        {}", line.join(" "))?)
}
