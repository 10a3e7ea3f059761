//! The option `--profile`: reviews all games of a player and reports on the player.

mod json;
mod page;
mod plots;
mod text;

use std::io::StdoutLock;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::commands::analysis::command::AnalysisTask;
use crate::commands::analysis::command::collection::files_of;
use crate::commands::analysis::command::game::DEFAULT_TIME;
use crate::commands::analysis::game::review;
use crate::commands::analysis::profile::{GameLabel, PlayerGame, Profile, player};
use crate::console::counted;
use crate::console::error::CommandError;
use crate::console::input::{GameFile, input_name, is_stream, warn};
use crate::console::note;
use crate::console::output::refuse_replacing;
use crate::console::progress::{Progress, clock};
use crate::engine::Engine;
use crate::notation::game::Game;
use crate::types::Side;
use crate::util::atomic_file::{check_writable, write_atomically};
use page::Page;

/// Game that may be one of the player.
struct FoundGame {
    file: PathBuf,
    /// Number in the file, from 1.
    number: u64,
    game: Game,
}

impl FoundGame {
    /// Returns the sides that a player of this name has: both in a game against oneself.
    fn sides_of(&self, player: &str) -> impl Iterator<Item = Side> {
        Side::BOTH.into_iter().filter(move |&side| player::name_of(&self.game, side) == Some(player))
    }
}

/// Reviews the games of the player whose name is or contains `wanted`, and prints the profile. After an interrupt it is
/// that of the games reviewed until then.
///
/// # Errors
/// If the input cannot be read, no player or several ones have the name, the page cannot be written, or the user
/// interrupts.
pub fn analyze(task: &AnalysisTask, wanted: &str, out: &mut StdoutLock<'static>) -> Result<(), CommandError> {
    let args = task.args;
    if wanted.trim().is_empty() {
        return Err(CommandError::Mismatch("--profile needs the name of a player".to_owned()));
    }
    // Report an unwritable page before the analysis, not after.
    if let Some(report) = &args.report {
        check_writable(report).map_err(|error| CommandError::File { path: report.to_owned(), error })?;
    }
    let mut found = read(task, wanted)?;
    let names = found.iter().flat_map(|found| Side::BOTH.map(|side| player::name_of(&found.game, side)));
    let name = player::find(names.flatten(), wanted).map_err(|error| CommandError::Mismatch(error.to_string()))?;
    found.retain(|found| found.sides_of(&name).next().is_some());
    found.iter().for_each(|found| warn(&found.file, found.number, &found.game.warnings));
    let incomplete = found.iter().filter(|found| found.game.warnings.has_losses()).count();
    let mut engine = task.engine()?;
    if !args.json {
        text::head(&name, found.len(), out)?;
    }
    let games = review_all(task, &mut engine, &found, &name)?;
    let profile = Profile::new(name, games);
    if profile.games.is_empty() {
        return Err(CommandError::Interrupted);
    }
    let interrupted = task.interrupt.is_cancelled();
    if args.json {
        json::print(&profile, args, interrupted, out)?;
    } else {
        text::print(&profile, args.dialect(), out)?;
    }
    if let Some(report) = &args.report {
        let page = Page { profile: &profile, dialect: args.dialect() }.to_html();
        let failed = |error| CommandError::File { path: report.to_owned(), error };
        write_atomically(report, page.as_bytes()).map_err(failed)?;
        note!("the report is in {}", report.display());
    }
    task.check_interrupt()?;
    if incomplete > 0 {
        let path = input_name(args.input.as_deref().unwrap_or_default().as_ref());
        return Err(CommandError::PartlyRead { path, games: incomplete });
    }
    Ok(())
}

/// Reads the games of all inputs in which a name contains the wanted one. Faulty games are reported and left out.
fn read(task: &AnalysisTask, wanted: &str) -> Result<Vec<FoundGame>, CommandError> {
    let Some(first) = &task.args.input else {
        return Err(CommandError::Mismatch("--profile needs games: name files or folders, or '-'".to_owned()));
    };
    let mut found = Vec::new();
    let mut read = 0;
    for input in [first].into_iter().chain(&task.args.moves).map(Path::new) {
        let is_folder = !is_stream(input) && input.is_dir();
        for path in if is_folder { files_of(input)? } else { vec![input.to_owned()] } {
            if let Some(report) = &task.args.report {
                refuse_replacing("--report", report, [path.as_path()])?;
            }
            match GameFile::open(&path) {
                Ok(file) => read += read_file(task, file, wanted, &mut found)?,
                Err(error @ CommandError::File { .. }) if !is_folder => return Err(error),
                Err(error) => note!("{error}; this file is left out"),
            }
        }
    }
    if read == 0 {
        return Err(CommandError::NoGame { path: input_name(first.as_ref()) });
    }
    Ok(found)
}

/// Reads the games of a file and returns their number.
fn read_file(
    task: &AnalysisTask,
    file: GameFile,
    wanted: &str,
    found: &mut Vec<FoundGame>,
) -> Result<usize, CommandError> {
    let GameFile { name, format, reader } = file;
    let mut read = 0;
    for (number, game) in (1..).zip(format.games(reader, task.strictness)) {
        task.check_interrupt()?;
        match game {
            Ok(game) => {
                read += 1;
                let mut names = Side::BOTH.into_iter().filter_map(|side| player::name_of(&game, side));
                if names.any(|name| player::may_match(name, wanted)) {
                    let game = game.without_variations();
                    found.push(FoundGame { file: name.clone(), number, game });
                }
            }
            Err(error) if error.is_read_error() => return Err(CommandError::Game { path: name, error }),
            Err(error) => note!("{}: a game is left out: {error}", name.display()),
        }
    }
    Ok(read)
}

/// Reviews the games of a player, or those before the interrupt.
fn review_all(
    task: &AnalysisTask,
    engine: &mut Engine,
    found: &[FoundGame],
    name: &str,
) -> Result<Vec<PlayerGame>, CommandError> {
    let limits = task.args.limits(DEFAULT_TIME);
    let plies = |found: &FoundGame| found.game.main_line().len() as u64;
    let mut progress = Progress::bar(found.iter().map(plies).sum());
    let mut games = Vec::new();
    let mut done = 0;
    for (index, found) in found.iter().enumerate() {
        let review = review(engine, &found.game, &limits, &task.interrupt, |review| {
            let done = done + review.moves.len() as u64;
            let left = progress.time_left(done);
            progress.update(done, || format!("{} reviewed, {} left", counted(index as u64, "game"), clock(left)));
            ControlFlow::Continue(())
        })?;
        if review.moves.len() < found.game.main_line().len() {
            break;
        }
        done += plies(found);
        games.extend(found.sides_of(name).map(|side| {
            let label = GameLabel::new(found.file.display().to_string(), found.number, &found.game, side);
            PlayerGame::new(label, &found.game, &review, side)
        }));
    }
    progress.finish();
    Ok(games)
}
