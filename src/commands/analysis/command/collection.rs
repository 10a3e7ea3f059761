//! Analysis of all games of a file or a folder, written as PGN with scores and better lines.

use std::fs;
use std::io::{self, StdoutLock, Write};
use std::path::{Path, PathBuf};

use super::AnalysisTask;
use super::game::analyze_one;
use super::score;
use crate::commands::analysis::game::GameReview;
use crate::commands::analysis::wdl::Mark;
use crate::console::counted;
use crate::console::error::CommandError;
use crate::console::input::{GameFile, input_name, is_stream, warn};
use crate::console::note;
use crate::console::output::refuse_replacing;
use crate::notation::Dialect;
use crate::notation::format::Format;
use crate::notation::game::{Game, GameNode, MAX_PLIES};
use crate::util::atomic_file::{check_writable, write_atomically};

/// Maximum number of moves of a better line.
const MAX_LINE: usize = 10;

/// Analyzes the games of a file, or one of them, and writes them to `output`. Faulty games are reported and left out.
/// A file is replaced after each game; standard output (`-`), a pipe or a device gets all games at the end.
///
/// # Errors
/// If no game can be read, `output` cannot be written or is the input, or the user interrupts; the analysed games are
/// written then, the last one as far as it was analysed.
pub fn analyze_file(
    task: &AnalysisTask,
    file: GameFile,
    output: &Path,
    out: &mut StdoutLock<'static>,
) -> Result<(), CommandError> {
    let names = [file.name.clone()];
    check_output(task, output, &names)?;
    analyze(task, [Ok(file)], output, out)
}

/// Analyzes the games of all files of a folder in the same way. Files that cannot be opened or have no games are
/// reported and left out.
///
/// # Errors
/// Those of [`analyze_file`], and if the folder has no game files or one game is to be analysed only.
pub fn analyze_folder(
    task: &AnalysisTask,
    folder: &Path,
    output: &Path,
    out: &mut StdoutLock<'static>,
) -> Result<(), CommandError> {
    if task.args.game.is_some() {
        return Err(CommandError::Mismatch("--game needs a file with games, not a folder".to_owned()));
    }
    let files = files_of(folder)?;
    check_output(task, output, &files)?;
    analyze(task, files.iter().map(|file| GameFile::open(file)), output, out)
}

/// Returns the files of a folder whose names are those of game files, in the order of their names.
///
/// # Errors
/// If the folder cannot be read or has none.
pub fn files_of(folder: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let failed = |error| CommandError::File { path: folder.to_owned(), error };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let is_text = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("txt"));
        if (is_text || Format::from_path(&path).is_some()) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        let fault =
            "no file in this folder has the name of a game file (.pgn, .xqf, .dhtmlxq, .txt and others)".to_owned();
        return Err(CommandError::Unusable { path: folder.to_owned(), fault });
    }
    Ok(files)
}

/// Reports an output that cannot be written, or would replace an input, before the analysis, not after.
fn check_output(task: &AnalysisTask, output: &Path, inputs: &[PathBuf]) -> Result<(), CommandError> {
    if is_stream(output) {
        return if task.args.json {
            let fault = "--json and --pgn - both write to standard output; name a file for --pgn";
            Err(CommandError::Mismatch(fault.to_owned()))
        } else {
            Ok(())
        };
    }
    refuse_replacing("--pgn", output, inputs.iter().map(PathBuf::as_path))?;
    check_writable(output).map_err(|error| CommandError::File { path: output.to_owned(), error })
}

/// Text of the analysed games and the place that it is written to.
struct Output<'a> {
    path: &'a Path,
    /// False for standard output, pipes and devices, which cannot be replaced.
    is_file: bool,
    text: Vec<u8>,
    games: u64,
    /// Number of games of the input that lack something or were left out.
    incomplete: usize,
}

impl Output<'_> {
    fn new(path: &Path) -> Output<'_> {
        let is_file = !is_stream(path) && fs::metadata(path).map_or(true, |old| old.is_file());
        Output { path, is_file, text: Vec::new(), games: 0, incomplete: 0 }
    }

    /// Adds a game, and replaces the file.
    fn add(&mut self, game: &Game, dialect: Dialect) -> Result<(), CommandError> {
        Format::Pgn.write(&mut self.text, game, dialect).map_err(|error| self.failed(error))?;
        self.games += 1;
        if self.is_file { self.write() } else { Ok(()) }
    }

    /// Writes what is not written yet, and reports the number of games.
    fn finish(&self, out: &mut impl Write) -> Result<(), CommandError> {
        if self.games == 0 {
            return Ok(());
        }
        let count = counted(self.games, "game");
        if is_stream(self.path) {
            out.write_all(&self.text)?;
            out.flush()?;
            note!("{count} written to standard output");
            return Ok(());
        }
        if !self.is_file {
            self.write()?;
        }
        note!("{count} written to {}", self.path.display());
        Ok(())
    }

    fn write(&self) -> Result<(), CommandError> {
        write_atomically(self.path, &self.text).map_err(|error| self.failed(error))
    }

    fn failed(&self, error: io::Error) -> CommandError {
        CommandError::File { path: self.path.to_owned(), error }
    }
}

/// Analyzes games and writes them, also those before an interrupt or an error.
fn analyze(
    task: &AnalysisTask,
    files: impl IntoIterator<Item = Result<GameFile, CommandError>>,
    path: &Path,
    out: &mut StdoutLock<'static>,
) -> Result<(), CommandError> {
    let mut output = Output::new(path);
    let result = add_games(task, files, &mut output, out);
    let finished = output.finish(out);
    result?;
    finished?;
    let path = input_name(task.args.input.as_deref().unwrap_or_default().as_ref());
    if output.games == 0 {
        return Err(match task.args.game {
            Some(number) => {
                CommandError::Unusable { path, fault: format!("game {number} does not exist or is faulty") }
            }
            None => CommandError::NoGame { path },
        });
    }
    if output.incomplete > 0 {
        return Err(CommandError::PartlyRead { path, games: output.incomplete });
    }
    Ok(())
}

/// Analyzes games and adds them to the output.
fn add_games(
    task: &AnalysisTask,
    files: impl IntoIterator<Item = Result<GameFile, CommandError>>,
    output: &mut Output<'_>,
    out: &mut StdoutLock<'static>,
) -> Result<(), CommandError> {
    let mut engine = task.engine()?;
    let mut unseen = io::sink();
    // Only the games themselves go to standard output if they are wanted there.
    let mut rows: &mut dyn Write = if is_stream(output.path) { &mut unseen } else { out };
    for file in files {
        let GameFile { name, format, reader } = match file {
            Ok(file) => file,
            Err(error) => {
                note!("{error}; this file is left out");
                continue;
            }
        };
        for (number, game) in (1..).zip(format.games(reader, task.strictness)) {
            if task.args.game.is_some_and(|wanted| wanted != number) {
                continue;
            }
            let game = match game {
                Ok(game) => game,
                Err(error) if error.is_read_error() => return Err(CommandError::Game { path: name, error }),
                Err(error) => {
                    note!("{}: a game is left out: {error}", name.display());
                    output.incomplete += 1;
                    continue;
                }
            };
            warn(&name, number, &game.warnings);
            output.incomplete += usize::from(game.warnings.has_losses());
            let review = analyze_one(task, &mut engine, &game, &mut rows)?;
            output.add(&annotated(game, &review), task.args.pgn_dialect())?;
            task.check_interrupt()?;
        }
    }
    Ok(())
}

/// Returns a game with Red's score after each move of the main line, and a better line beside each mistake.
fn annotated(mut game: Game, review: &GameReview) -> Game {
    if let Some(tag) = game.tags.iter_mut().find(|(name, _)| name == "Annotator") {
        tag.1 = format!("{}, Chuhe", tag.1);
    } else {
        game.tags.push(("Annotator".to_owned(), "Chuhe".to_owned()));
    }
    if let Some(opening) = game.opening() {
        match game.tags.iter_mut().find(|(name, _)| name == "Opening") {
            Some(tag) => tag.1 = opening,
            None => game.tags.push(("Opening".to_owned(), opening)),
        }
    }
    for (index, mv) in review.moves.iter().enumerate() {
        let before = &review.positions[index];
        let node = &mut game.nodes[index];
        let sign = mv.mark.map_or("", Mark::sign);
        let remark = format!("{} {sign}", score::text(review.reported_after(mv)));
        let comment = node.comment.clone();
        node.comment =
            if comment.is_empty() { remark.trim_end().to_owned() } else { format!("{}\n{comment}", remark.trim_end()) };
        if mv.mark.is_none() {
            continue;
        }
        let mut parent = node.parent;
        let max_length = MAX_LINE.min(MAX_PLIES - index);
        for (step, &better) in mv.best_line.iter().take(max_length).enumerate() {
            // The line may follow a variation of the game.
            let known = game.children(parent).find(|&child| game.nodes[child].mv == better);
            let next = known.unwrap_or(game.nodes.len());
            if known.is_none() {
                game.nodes.push(GameNode { parent, mv: better, comment: String::new() });
            }
            if step == 0 {
                let comment = &mut game.nodes[next].comment;
                let separator = if comment.is_empty() { "" } else { "\n" };
                comment.insert_str(0, &format!("{}{separator}", score::text(before.reported_for_red())));
            }
            parent = Some(next);
        }
    }
    let is_sorted = game.sort();
    debug_assert!(is_sorted, "better lines are added after the moves");
    game
}
