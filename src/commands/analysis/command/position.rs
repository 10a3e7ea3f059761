//! Positions under analysis: the table that grows with the search, and the same as JSON.

use std::io::{self, IsTerminal, StdoutLock, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use anstream::AutoStream;
use serde::Serialize;

use super::score::{self, LineObject, percent};
use super::{AnalysisTask, Analyze};
use crate::commands::analysis::wdl::winning_chance;
use crate::commands::analysis::{Analysis, PvLine, analyze_position};
use crate::console::board::{Board, BoardStyle};
use crate::console::error::CommandError;
use crate::console::note;
use crate::console::output::write_json;
use crate::engine::Engine;
use crate::eval::WinModel;
use crate::notation::game::GameError;
use crate::notation::write_line;
use crate::position::Position;
use crate::search::Limits;
use crate::types::Move;

const DEFAULT_TIME: Duration = Duration::from_secs(5);
/// Moves in a row on a terminal, so that it stays one line; the complete line follows at the end.
const MOVES_IN_A_ROW: usize = 8;

/// Analyzes positions one after another. Lines that cannot be read are reported and skipped.
pub fn analyze(
    task: &AnalysisTask,
    positions: impl IntoIterator<Item = Result<Position, GameError>>,
    out: &mut StdoutLock<'static>,
) -> Result<(), CommandError> {
    let mut engine = task.engine()?;
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
        let path = PathBuf::from(task.args.input.as_deref().unwrap_or_default());
        return Err(CommandError::Unusable { path, fault: "no position could be read".to_owned() });
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
    let view = View { args: task.args, position: &position, is_terminal: io::stdout().is_terminal() };
    view.head(out)?;
    let limits: Limits = task.args.limits(DEFAULT_TIME);
    let mut failure = None;
    let analysis = analyze_position(engine, position.clone(), &limits, &task.interrupt, |line| {
        match view.row(line, out).and_then(|()| Ok(out.flush()?)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        }
    })?;
    match failure {
        Some(failure) => Err(failure),
        None => view.result(&analysis, out),
    }
}

/// Output of one position.
struct View<'a> {
    args: &'a Analyze,
    position: &'a Position,
    is_terminal: bool,
}

#[derive(Serialize)]
struct IterationObject {
    depth: usize,
    selective_depth: usize,
    /// MultiPV index, 1 for the best.
    #[serde(rename = "place")]
    pv_index: usize,
    #[serde(flatten)]
    line: LineObject,
    nodes: u64,
    milliseconds: u128,
    nodes_per_second: u64,
}

#[derive(Serialize)]
struct ResultObject {
    fen: String,
    best: Option<String>,
    depth: usize,
    #[serde(flatten)]
    line: LineObject,
    lines: Vec<LineObject>,
    nodes: u64,
    milliseconds: u128,
    nodes_per_second: u64,
    interrupted: bool,
}

fn per_second(nodes: u64, elapsed: Duration) -> u64 {
    (nodes as f64 / elapsed.as_secs_f64().max(1e-6)) as u64
}

impl View<'_> {
    fn head(&self, out: &mut StdoutLock<'static>) -> Result<(), CommandError> {
        if self.args.json {
            return Ok(());
        }
        let last_move = self.position.history().last().map(|played| played.mv);
        let board = Board { position: self.position, last_move, style: BoardStyle::default(), flipped: false };
        // `AutoStream` removes the colours unless the output is a terminal.
        let mut text = AutoStream::new(Vec::new(), AutoStream::choice(&io::stdout()));
        write!(text, "{board}\n{}", board.state())?;
        out.write_all(&text.into_inner())?;
        writeln!(out, "\n depth      score    seconds         nodes  nodes/s  line")?;
        Ok(out.flush()?)
    }

    fn row(&self, line: &PvLine, out: &mut impl Write) -> Result<(), CommandError> {
        let speed = per_second(line.nodes, line.elapsed);
        if self.args.json {
            let object = IterationObject {
                depth: line.depth,
                selective_depth: line.selective_depth,
                pv_index: line.pv_index,
                line: LineObject::new(self.args, self.position, line.score, &line.moves),
                nodes: line.nodes,
                milliseconds: line.elapsed.as_millis(),
                nodes_per_second: speed,
            };
            return write_json(out, "iteration", &object);
        }
        let mut moves = write_line(self.position, &line.moves, self.args.dialect());
        if self.is_terminal && moves.len() > MOVES_IN_A_ROW {
            moves.truncate(MOVES_IN_A_ROW);
            moves.push("…".to_owned());
        }
        writeln!(
            out,
            "{:>6} {:>10} {:>10.2} {:>13} {:>7}k  {}",
            line.depth,
            score::text(WinModel::of(self.position).reported(line.score)),
            line.elapsed.as_secs_f64(),
            line.nodes,
            speed / 1000,
            moves.join(" ")
        )?;
        Ok(())
    }

    fn result(&self, analysis: &Analysis, out: &mut impl Write) -> Result<(), CommandError> {
        let outcome = &analysis.outcome;
        if self.args.json {
            let object = |score, line: &[Move]| LineObject::new(self.args, self.position, score, line);
            let result = ResultObject {
                fen: self.position.to_string(),
                best: outcome.best().map(|mv| mv.to_string()),
                depth: outcome.depth,
                line: object(outcome.score, &outcome.line),
                lines: analysis.lines.iter().map(|line| object(line.score, &line.moves)).collect(),
                nodes: outcome.nodes,
                milliseconds: outcome.elapsed.as_millis(),
                nodes_per_second: per_second(outcome.nodes, outcome.elapsed),
                interrupted: analysis.was_cut_short,
            };
            return write_json(out, "result", &result);
        }
        let line = write_line(self.position, &outcome.line, self.args.dialect());
        let Some(best) = line.first() else {
            return Ok(writeln!(out, "\nno move to play")?);
        };
        let side = self.position.side();
        let score = score::text(WinModel::of(self.position).reported(outcome.score));
        let chance = percent(winning_chance(outcome.score));
        writeln!(out, "\nbest move   {best}\nscore       {score}, winning chance {chance} for {side}")?;
        Ok(writeln!(out, "line        {}", line.join(" "))?)
    }
}
