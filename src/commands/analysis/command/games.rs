//! Output of games: rows and accuracy, the report page, and all games of a file or folder as PGN with scores.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use unicode_width::UnicodeWidthStr;

use super::{AnalysisTask, go_on};
use crate::commands::analysis::game::{GameReview, review};
use crate::commands::analysis::page::Page;
use crate::commands::analysis::text::{self, lost_percent, percent, plain, thousandths, with_accuracy};
use crate::commands::analysis::{Mark, winning_chance};
use crate::console::chinese::{Language, Terminal, data};
use crate::console::{
    CommandError, Games, Object, Result, aligned, counted, input_name, is_stream, note, refuse_replacing, write_json,
};
use crate::engine::Engine;
use crate::notation::format::Format;
use crate::notation::game::{Game, GameNode, MAX_PLIES};
use crate::notation::opening_name::OpeningName;
use crate::notation::{Dialect, write, write_line};
use crate::types::Side;
use crate::util::atomic_file::{check_writable, write_atomically};

/// Time of each position of a game without other limits.
pub const DEFAULT_TIME: Duration = Duration::from_millis(500);
const MOVES_IN_A_ROW: usize = 4;
/// Maximum number of moves of a better line in PGN.
const MAX_LINE: usize = 10;

pub fn analyze_one_of(task: &AnalysisTask, games: Games, out: &mut Terminal) -> Result {
    let path = games.name().to_owned();
    let game = games.only(task.args.game).first()?;
    if game.nodes.is_empty() {
        return Err(CommandError::unusable(path, "the game has no moves"));
    }
    // Before the analysis, not after.
    if let Some(report) = &task.args.report {
        refuse_replacing("--report", report, [path.as_path()])?;
        check_writable(report).map_err(CommandError::in_file(report))?;
    }
    let review = analyze_one(task, &mut task.engine(task.args.threads)?, &game, out)?;
    if let Some(report) = task.args.report.as_ref().filter(|_| !review.positions.is_empty()) {
        let page = Page { game: &game, review: &review, dialect: task.dialect, language: Language::of_user() };
        write_atomically(report, page.to_html().as_bytes()).map_err(CommandError::in_file(report))?;
        note!("the report is in {}", report.display());
    }
    task.check_interrupt()?;
    CommandError::if_partly_read(path, game.warnings.has_losses().into())
}

fn analyze_one(task: &AnalysisTask, engine: &mut Engine, game: &Game, out: &mut dyn Write) -> Result<GameReview> {
    let is_json = task.args.output.json;
    if !is_json {
        head(game, out)?;
    }
    let (mut failure, dialect) = (Ok(()), task.dialect);
    let review = review(engine, game, &task.limits(DEFAULT_TIME), &task.interrupt, GameReview::default(), |review| {
        let printed = if is_json { json_row(review, game, dialect, out) } else { row(review, dialect, out) };
        go_on(printed.and_then(|()| Ok(out.flush()?)), &mut failure)
    })?;
    failure?;
    if is_json {
        let [red, black] = Side::BOTH.map(|side| with_accuracy(Object::default(), &review.side_summary(side)));
        let object = Object::default()
            .with("moves", review.moves.len())
            .with("result", game.result)
            // By the moves, whatever the file says.
            .with("opening", OpeningName::new(&game.start, &game.line()))
            .with("red", red)
            .with("black", black)
            .with("interrupted", task.interrupt.is_cancelled());
        write_json(out, "summary", &object)?;
    } else {
        write!(out, "\n{}", aligned(&text::sides(&review), &[0]))?;
    }
    Ok(review)
}

fn head(game: &Game, out: &mut dyn Write) -> Result {
    for (name, value) in &game.tags {
        writeln!(out, "{:<10}  {}", plain(name), data(&plain(value)))?;
    }
    if let Some(opening) = game.opening().filter(|_| game.tag("Opening").is_none()) {
        writeln!(out, "Opening     {opening}")?;
    }
    writeln!(out, "Result      {}", game.result)?;
    writeln!(out, "\n  ply  move              score  Red's chance  drop               best instead")?;
    Ok(out.flush()?)
}

fn row(review: &GameReview, dialect: Dialect, out: &mut dyn Write) -> Result {
    let (Some(mv), [.., before, after]) = (review.moves.last(), &review.positions[..]) else { return Ok(()) };
    let marked = format!("{}{}", write(&before.position, mv.mv, dialect), mv.mark.map_or("", Mark::sign));
    let (score, chance) = (text::score(after.reported_for_red()), percent(winning_chance(after.score_for_red())));
    // Chinese characters and digits take two columns.
    let gap = 14_usize.saturating_sub(marked.width());
    write!(out, "{:>5}  {marked}{:gap$}{score:>9}  {chance:>12}", mv.ply, "")?;
    if let Some(mark) = mv.mark {
        let mut line = write_line(&before.position, &mv.best_line, dialect);
        line.truncate(MOVES_IN_A_ROW);
        write!(out, "  {:>5}  {:<10}  {}", lost_percent(mv.loss), mark.name(), line.join(" "))?;
    }
    Ok(writeln!(out)?)
}

fn json_row(review: &GameReview, game: &Game, dialect: Dialect, out: &mut dyn Write) -> Result {
    let (Some(mv), [.., before, after]) = (review.moves.last(), &review.positions[..]) else { return Ok(()) };
    let object = Object::default()
        .with("ply", mv.ply)
        .with("side", mv.side)
        .with("move", mv.mv)
        .with("notation", write(&before.position, mv.mv, dialect))
        .with("fen", after.position.to_string())
        .with("red", text::ScoreObject::new(after.reported_for_red()))
        .with("red_winning_chance", thousandths(winning_chance(after.score_for_red())))
        .with("loss", thousandths(mv.loss))
        .with("mark", mv.mark.map(Mark::name))
        .with("forced", mv.is_forced)
        .with("phase", mv.phase.name())
        .with("best_moves", &mv.best_line)
        .with("best_notation", write_line(&before.position, &mv.best_line, dialect))
        .with("depth", before.outcome.finished_depth)
        .with("nodes", before.outcome.nodes)
        .with("comment", &game.nodes[mv.ply - 1].comment);
    write_json(out, "move", &object)
}

/// Returns a file, or the files of a folder whose names are those of game files, in the order of their names.
pub fn files_of(input: &Path) -> Result<Vec<PathBuf>> {
    if is_stream(input) || !input.is_dir() {
        return Ok(vec![input.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(input).map_err(CommandError::in_file(input))? {
        let path = entry.map_err(CommandError::in_file(input))?.path();
        let is_text = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("txt"));
        if (is_text || Format::from_path(&path).is_some()) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        let fault = "no file in this folder has the name of a game file (.pgn, .xqf, .dhtmlxq, .txt and others)";
        return Err(CommandError::unusable(input, fault));
    }
    Ok(files)
}

/// Reports an output that cannot be written, or would replace an input, before the analysis, not after.
fn check_output(task: &AnalysisTask, output: &Path, inputs: &[PathBuf]) -> Result {
    if is_stream(output) {
        let fault = "--json and --pgn - both write to standard output; name a file for --pgn";
        return if task.args.output.json { Err(CommandError::Mismatch(fault.to_owned())) } else { Ok(()) };
    }
    refuse_replacing("--pgn", output, inputs.iter().map(PathBuf::as_path))?;
    check_writable(output).map_err(CommandError::in_file(output))
}

/// Analyzes games and writes them to `path`: a file after each game, a stream or a device at the end. What cannot be
/// read is reported and left out. An interrupted game is written as far as it was analysed.
pub fn analyze_all(
    task: &AnalysisTask,
    files: &[PathBuf],
    games: impl Iterator<Item = Result<Games>>,
    path: &Path,
    out: &mut Terminal,
) -> Result {
    check_output(task, path, files)?;
    // Neither a pipe nor a device can be replaced.
    let is_file = !is_stream(path) && fs::metadata(path).map_or(true, |old| old.is_file());
    let write = |text: &[u8]| write_atomically(path, text).map_err(CommandError::in_file(path));
    let (mut text, mut written, mut incomplete) = (Vec::new(), 0, 0);
    // Other programs do not read plain coordinates in PGN.
    let dialect = task.args.notation.or(Dialect::Chinese);
    let mut engine = task.engine(task.args.threads)?;
    let add_all = |out: &mut dyn Write| -> Result {
        for file in games {
            let mut games = match file {
                Ok(games) => games.only(task.args.game),
                Err(error) => {
                    note!("{error}; this file is left out");
                    continue;
                }
            };
            while let Some(game) = games.next() {
                let game = game?;
                games.warn(&game.warnings);
                incomplete += usize::from(game.warnings.has_losses());
                let review = analyze_one(task, &mut engine, &game, out)?;
                let game = annotated(game, &review);
                Format::Pgn.write(&mut text, &game, dialect).map_err(CommandError::in_file(path))?;
                written += 1;
                if is_file {
                    write(&text)?;
                }
                task.check_interrupt()?;
            }
            incomplete += games.left_out();
        }
        Ok(())
    };
    // Only the games themselves go to standard output if they are wanted there.
    let result = if is_stream(path) { add_all(&mut io::sink()) } else { add_all(out) };
    if written > 0 {
        let mut place = path.display().to_string();
        if is_stream(path) {
            out.write_all(&text)?;
            out.flush()?;
            place = "standard output".to_owned();
        } else if !is_file {
            write(&text)?;
        }
        note!("{} written to {place}", counted(written, "game"));
    }
    result?;
    let input = input_name(task.args.input.as_deref().unwrap_or_default().as_ref());
    match (written, task.args.game) {
        (0, Some(number)) => Err(CommandError::unusable(input, format!("there is no game {number} that can be read"))),
        (0, None) => Err(CommandError::no_game(input)),
        _ => CommandError::if_partly_read(input, incomplete),
    }
}

/// Returns a game with Red's score after each move of the main line, and a better line beside each mistake.
fn annotated(mut game: Game, review: &GameReview) -> Game {
    let annotator = game.tag("Annotator").map_or("Chuhe".to_owned(), |name| format!("{name}, Chuhe"));
    for (name, value) in
        [Some(("Annotator", annotator)), game.opening().map(|name| ("Opening", name))].into_iter().flatten()
    {
        match game.tags.iter_mut().find(|(other, _)| other == name) {
            Some(tag) => tag.1 = value,
            None => game.tags.push((name.to_owned(), value)),
        }
    }
    let put_before = |comment: &mut String, remark: &str| {
        let separator = if comment.is_empty() { "" } else { "\n" };
        comment.insert_str(0, &format!("{remark}{separator}"));
    };
    for (index, mv) in review.moves.iter().enumerate() {
        let [before, after] = [&review.positions[index], &review.positions[index + 1]];
        let remark = format!("{} {}", text::score(after.reported_for_red()), mv.mark.map_or("", Mark::sign));
        put_before(&mut game.nodes[index].comment, remark.trim_end());
        if mv.mark.is_none() {
            continue;
        }
        let mut parent = game.nodes[index].parent;
        let max_length = MAX_LINE.min(MAX_PLIES - index);
        for (step, &better) in mv.best_line.iter().take(max_length).enumerate() {
            // The line may follow a variation of the game.
            let known = game.children(parent).find(|&child| game.nodes[child].mv == better);
            let next = known.unwrap_or_else(|| {
                game.nodes.push(GameNode { parent, mv: better, comment: String::new() });
                game.nodes.len() - 1
            });
            if step == 0 {
                put_before(&mut game.nodes[next].comment, &text::score(before.reported_for_red()));
            }
            parent = Some(next);
        }
    }
    let is_sorted = game.sort();
    debug_assert!(is_sorted, "better lines are added after the moves");
    game
}
