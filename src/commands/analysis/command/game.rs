//! Output of games: a line for every move, the accuracy of each side, and the report page.

use std::io::{StdoutLock, Write};
use std::ops::ControlFlow;
use std::time::Duration;

use serde::Serialize;

use super::AnalysisTask;
use super::page::Page;
use super::score::{self, ScoreObject, accuracy, agreed, lost_percent, percent, thousandths};
use crate::commands::analysis::Phase;
use crate::commands::analysis::game::{GameReview, SideSummary, review};
use crate::commands::analysis::wdl::{Mark, winning_chance};
use crate::console::error::CommandError;
use crate::console::input::{GameFile, complete};
use crate::console::note;
use crate::console::output::refuse_replacing;
use crate::console::output::{side_name, write_json};
use crate::engine::Engine;
use crate::notation::game::Game;
use crate::notation::opening_name::OpeningName;
use crate::notation::{Dialect, write, write_line};
use crate::types::{Move, Side};
use crate::util::atomic_file::{check_writable, write_atomically};

/// Time of each position of a game without other limits.
pub const DEFAULT_TIME: Duration = Duration::from_millis(500);
/// Moves of the best line in a row.
const MOVES_IN_A_ROW: usize = 4;

/// Analyzes a game of a file.
pub fn analyze(task: &AnalysisTask, file: GameFile, out: &mut StdoutLock<'static>) -> Result<(), CommandError> {
    let args = task.args;
    let path = file.name.clone();
    let game = file.game(args.game, task.strictness)?;
    if game.nodes.is_empty() {
        return Err(CommandError::Unusable { path, fault: "the game has no moves".to_owned() });
    }
    // Report an unwritable page before the analysis, not after.
    if let Some(report) = &args.report {
        refuse_replacing("--report", report, [path.as_path()])?;
        check_writable(report).map_err(|error| CommandError::File { path: report.to_owned(), error })?;
    }
    let review = analyze_one(task, &mut task.engine()?, &game, out)?;
    if let (Some(report), false) = (&args.report, review.positions.is_empty()) {
        let page = Page { game: &game, review: &review, dialect: args.dialect() }.to_html()?;
        let failed = |error| CommandError::File { path: report.to_owned(), error };
        write_atomically(report, page.as_bytes()).map_err(failed)?;
        note!("the report is in {}", report.display());
    }
    task.check_interrupt()?;
    complete(&path, &game)
}

/// Analyzes a game and prints a line for every move and a summary.
pub fn analyze_one(
    task: &AnalysisTask,
    engine: &mut Engine,
    game: &Game,
    out: &mut impl Write,
) -> Result<GameReview, CommandError> {
    let args = task.args;
    if !args.json {
        head(game, out)?;
    }
    let mut failure = None;
    let dialect = args.dialect();
    let review = review(engine, game, &args.limits(DEFAULT_TIME), &task.interrupt, |review| {
        let printed = if args.json { json_row(review, game, dialect, out) } else { row(review, dialect, out) };
        match printed.and_then(|()| Ok(out.flush()?)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        }
    })?;
    if let Some(failure) = failure {
        return Err(failure);
    }
    if args.json {
        let object = SummaryObject::new(&review, game, task.interrupt.is_cancelled());
        write_json(out, "summary", &object)?;
    } else {
        summary(&review, out)?;
    }
    Ok(review)
}

/// Replaces control characters, which could move the cursor.
pub fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn head(game: &Game, out: &mut impl Write) -> Result<(), CommandError> {
    for (name, value) in &game.tags {
        writeln!(out, "{:<10}  {}", plain(name), plain(value))?;
    }
    if let Some(opening) = game.opening().filter(|_| game.tag("Opening").is_none()) {
        writeln!(out, "Opening     {opening}")?;
    }
    writeln!(out, "Result      {}", game.result)?;
    writeln!(out, "\n  ply  move              score  Red's chance  loss               best instead")?;
    Ok(out.flush()?)
}

fn row(review: &GameReview, dialect: Dialect, out: &mut impl Write) -> Result<(), CommandError> {
    let Some(mv) = review.moves.last() else { return Ok(()) };
    let before = &review.positions[mv.ply - 1].position;
    let red = mv.score_for_red();
    let marked = format!("{}{}", write(before, mv.mv, dialect), mv.mark.map_or("", Mark::sign));
    let mut text = format!("{:>5}  {}", mv.ply, padded(&marked, 14));
    text += &format!("{:>9}  {:>12}", score::text(review.reported_after(mv)), percent(winning_chance(red)));
    if let Some(mark) = mv.mark {
        let mut line = write_line(before, &mv.best_line, dialect);
        line.truncate(MOVES_IN_A_ROW);
        text += &format!("  {:>5}  {:<10}  {}", lost_percent(mv.loss), mark.name(), line.join(" "));
    }
    Ok(writeln!(out, "{text}")?)
}

/// Pads to a number of columns; Chinese characters and digits take two.
pub fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(self::columns(text))))
}

/// Returns the number of columns that a text takes.
pub fn columns(text: &str) -> usize {
    text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum()
}

fn summary(review: &GameReview, out: &mut impl Write) -> Result<(), CommandError> {
    writeln!(out, "\n       accuracy  opening  middle game  ending  inaccuracies  mistakes  blunders  agreed")?;
    for side in Side::BOTH {
        let whole = review.side_summary(side, None);
        let [opening, middle, ending] = Phase::ALL.map(|phase| accuracy(&review.side_summary(side, Some(phase))));
        writeln!(
            out,
            "{:<5}  {:>8}  {opening:>7}  {middle:>11}  {ending:>6}  {:>12}  {:>8}  {:>8}  {:>6}",
            side.to_string(),
            accuracy(&whole),
            whole.marks[0],
            whole.marks[1],
            whole.marks[2],
            agreed(&whole)
        )?;
    }
    Ok(())
}

#[derive(Serialize)]
struct MoveObject<'a> {
    ply: usize,
    side: &'static str,
    #[serde(rename = "move")]
    mv: String,
    notation: String,
    /// Position after it.
    fen: String,
    /// Score after it, for Red.
    red: ScoreObject,
    red_winning_chance: f64,
    loss: f64,
    mark: Option<&'static str>,
    forced: bool,
    phase: &'static str,
    best_moves: Vec<String>,
    best_notation: Vec<String>,
    /// Search depth of the position before it.
    depth: usize,
    nodes: u64,
    comment: &'a str,
}

fn json_row(review: &GameReview, game: &Game, dialect: Dialect, out: &mut impl Write) -> Result<(), CommandError> {
    let (Some(mv), [.., before, after]) = (review.moves.last(), &review.positions[..]) else { return Ok(()) };
    let red = mv.score_for_red();
    let object = MoveObject {
        ply: mv.ply,
        side: side_name(mv.side),
        mv: mv.mv.to_string(),
        notation: write(&before.position, mv.mv, dialect),
        fen: after.position.to_string(),
        red: ScoreObject::new(review.reported_after(mv)),
        red_winning_chance: thousandths(winning_chance(red)),
        loss: thousandths(mv.loss),
        mark: mv.mark.map(Mark::name),
        forced: mv.is_forced,
        phase: mv.phase.name(),
        best_moves: mv.best_line.iter().map(Move::to_string).collect(),
        best_notation: write_line(&before.position, &mv.best_line, dialect),
        depth: before.analysis.outcome.depth,
        nodes: before.analysis.outcome.nodes,
        comment: &game.main_line()[mv.ply - 1].comment,
    };
    write_json(out, "move", &object)
}

#[derive(Serialize)]
struct SummaryObject {
    moves: usize,
    result: &'static str,
    /// Name by the moves, whatever the file says.
    opening: Option<OpeningName>,
    red: SideObject,
    black: SideObject,
    interrupted: bool,
}

/// Accuracy and marks of a side in JSON.
#[derive(Serialize)]
pub struct SideObject {
    accuracy: Option<f64>,
    opening_accuracy: Option<f64>,
    middle_game_accuracy: Option<f64>,
    ending_accuracy: Option<f64>,
    moves: usize,
    inaccuracies: usize,
    mistakes: usize,
    blunders: usize,
    /// Moves that are the first choice of the search.
    agreed: usize,
}

impl SideObject {
    /// Creates the object from the summaries of all moves and of each phase.
    pub fn new(whole: &SideSummary, phases: &[SideSummary; 3]) -> SideObject {
        let rounded =
            |side_summary: &SideSummary| side_summary.accuracy.map(|accuracy| (accuracy * 10.0).round() / 10.0);
        let [opening, middle_game, ending] = phases.each_ref().map(rounded);
        SideObject {
            accuracy: rounded(whole),
            opening_accuracy: opening,
            middle_game_accuracy: middle_game,
            ending_accuracy: ending,
            moves: whole.moves,
            inaccuracies: whole.marks[0],
            mistakes: whole.marks[1],
            blunders: whole.marks[2],
            agreed: whole.agreed,
        }
    }
}

impl SummaryObject {
    fn new(review: &GameReview, game: &Game, interrupted: bool) -> SummaryObject {
        let side = |side| {
            let phases = Phase::ALL.map(|phase| review.side_summary(side, Some(phase)));
            SideObject::new(&review.side_summary(side, None), &phases)
        };
        SummaryObject {
            moves: review.moves.len(),
            result: game.result.text(),
            opening: OpeningName::new(&game.start, &game.line()),
            red: side(Side::Red),
            black: side(Side::Black),
            interrupted,
        }
    }
}
