//! Positions under analysis: the table that grows with the search, and the same as JSON.

use std::io::{self, IsTerminal, StdoutLock, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use anstream::AutoStream;
use serde::Serialize;

use super::score::{self, ScoreObject, percent};
use super::{Analyze, Task};
use crate::console::board::{Board, BoardStyle};
use crate::console::error::CommandError;
use crate::engine::Engine;
use crate::notation::game::GameError;
use crate::notation::write_line;
use crate::position::Position;
use crate::search::Limits;
use crate::tools::analysis::wdl::winning_chance;
use crate::tools::analysis::{Analysis, Finding, examine};
use crate::types::{Move, Value};

const USUAL_TIME: Duration = Duration::from_secs(5);
/// On a terminal a row is to stay one line; the whole line of play stands below.
const MOVES_IN_A_ROW: usize = 8;

/// Analyzes positions one after another. A line that is none is told, and the next one read.
pub fn analyze(
    task: &Task,
    positions: impl IntoIterator<Item = Result<Position, GameError>>,
    out: &mut StdoutLock<'static>,
) -> Result<(), CommandError> {
    let mut engine = task.engine()?;
    let (mut analyzed, mut faults) = (0, 0);
    let mut positions = positions.into_iter();
    loop {
        // A stream may keep us waiting, and then there is nothing to tell.
        task.is_busy.store(false, Relaxed);
        let Some(position) = positions.next() else { break };
        task.is_busy.store(true, Relaxed);
        match position {
            Ok(position) => {
                if analyzed > 0 && !task.wanted.json {
                    writeln!(out)?;
                }
                analyzed += 1;
                analyze_one(task, &mut engine, position, out)?;
            }
            Err(error) => {
                faults += 1;
                eprintln!("chuhe: {error}");
            }
        }
        task.check_interrupt()?;
    }
    if faults > 0 && analyzed == 0 {
        let path = PathBuf::from(task.wanted.input.as_deref().unwrap_or_default());
        return Err(CommandError::Unusable { path, fault: "no position could be read".to_owned() });
    }
    Ok(())
}

fn analyze_one(
    task: &Task,
    engine: &mut Engine,
    position: Position,
    out: &mut StdoutLock<'static>,
) -> Result<(), CommandError> {
    engine.new_game();
    let view = View { wanted: task.wanted, position: &position, is_terminal: io::stdout().is_terminal() };
    view.head(out)?;
    let limits: Limits = task.wanted.limits(USUAL_TIME);
    let mut failure = None;
    let analysis = examine(engine, position.clone(), &limits, &task.interrupt, |finding| {
        match view.row(finding, out).and_then(|()| Ok(out.flush()?)) {
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

/// How one position is shown.
struct View<'a> {
    wanted: &'a Analyze,
    position: &'a Position,
    is_terminal: bool,
}

#[derive(Serialize)]
struct FindingObject {
    #[serde(rename = "type")]
    kind: &'static str,
    depth: usize,
    selective_depth: usize,
    /// Which of the wanted lines, 1 for the best.
    place: usize,
    #[serde(flatten)]
    line: LineObject,
    nodes: u64,
    milliseconds: u128,
    nodes_per_second: u64,
}

#[derive(Serialize)]
struct ResultObject {
    #[serde(rename = "type")]
    kind: &'static str,
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

/// A line of play and its worth for the side to move.
#[derive(Serialize)]
pub struct LineObject {
    #[serde(flatten)]
    score: ScoreObject,
    winning_chance: f64,
    moves: Vec<String>,
    notation: Vec<String>,
}

impl LineObject {
    /// The line from this position.
    pub fn of(wanted: &Analyze, position: &Position, score: Value, line: &[Move]) -> LineObject {
        LineObject {
            score: ScoreObject::of(score),
            winning_chance: thousandths(winning_chance(score)),
            moves: line.iter().map(Move::to_string).collect(),
            notation: write_line(position, line, wanted.dialect()),
        }
    }
}

/// More digits would only pretend to say something.
pub fn thousandths(share: f64) -> f64 {
    (share * 1000.0).round() / 1000.0
}

fn per_second(nodes: u64, elapsed: Duration) -> u64 {
    (nodes as f64 / elapsed.as_secs_f64().max(1e-6)) as u64
}

impl View<'_> {
    fn head(&self, out: &mut StdoutLock<'static>) -> Result<(), CommandError> {
        if self.wanted.json {
            return Ok(());
        }
        let last_move = self.position.history().last().map(|played| played.mv);
        let board = Board { position: self.position, last_move, lettering: BoardStyle::default(), flipped: false };
        // Colours are for terminals only; the stream knows.
        let mut text = AutoStream::new(Vec::new(), AutoStream::choice(&io::stdout()));
        write!(text, "{board}\n{}", board.state())?;
        out.write_all(&text.into_inner())?;
        writeln!(out, "\n depth      score    seconds         nodes  nodes/s  line")?;
        Ok(out.flush()?)
    }

    fn row(&self, finding: &Finding, out: &mut impl Write) -> Result<(), CommandError> {
        let speed = per_second(finding.nodes, finding.elapsed);
        if self.wanted.json {
            let object = FindingObject {
                kind: "iteration",
                depth: finding.depth,
                selective_depth: finding.selective_depth,
                place: finding.pv_index,
                line: LineObject::of(self.wanted, self.position, finding.score, &finding.line),
                nodes: finding.nodes,
                milliseconds: finding.elapsed.as_millis(),
                nodes_per_second: speed,
            };
            return Ok(writeln!(out, "{}", serde_json::to_string(&object)?)?);
        }
        let mut line = write_line(self.position, &finding.line, self.wanted.dialect());
        if self.is_terminal && line.len() > MOVES_IN_A_ROW {
            line.truncate(MOVES_IN_A_ROW);
            line.push("…".to_owned());
        }
        writeln!(
            out,
            "{:>6} {:>10} {:>10.2} {:>13} {:>7}k  {}",
            finding.depth,
            score::text(finding.score),
            finding.elapsed.as_secs_f64(),
            finding.nodes,
            speed / 1000,
            line.join(" ")
        )?;
        Ok(())
    }

    fn result(&self, analysis: &Analysis, out: &mut impl Write) -> Result<(), CommandError> {
        let outcome = &analysis.outcome;
        if self.wanted.json {
            let line = |score, line: &[Move]| LineObject::of(self.wanted, self.position, score, line);
            let object = ResultObject {
                kind: "result",
                fen: self.position.to_string(),
                best: outcome.best().map(|mv| mv.to_string()),
                depth: outcome.depth,
                line: line(outcome.score, &outcome.line),
                lines: analysis.lines.iter().map(|finding| line(finding.score, &finding.line)).collect(),
                nodes: outcome.nodes,
                milliseconds: outcome.elapsed.as_millis(),
                nodes_per_second: per_second(outcome.nodes, outcome.elapsed),
                interrupted: analysis.was_cut_short,
            };
            return Ok(writeln!(out, "{}", serde_json::to_string(&object)?)?);
        }
        let line = write_line(self.position, &outcome.line, self.wanted.dialect());
        let Some(best) = line.first() else {
            return Ok(writeln!(out, "\nno move to play")?);
        };
        let side = self.position.side();
        let (score, chance) = (score::text(outcome.score), percent(winning_chance(outcome.score)));
        writeln!(out, "\nbest move   {best}\nscore       {score}, winning chance {chance} for {side}")?;
        Ok(writeln!(out, "line        {}", line.join(" "))?)
    }
}
