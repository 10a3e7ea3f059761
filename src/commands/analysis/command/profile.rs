//! The option `--profile`: reviews all games of a player and reports on the player as text, JSON or a page.

use std::io::{StdoutLock, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::AnalysisTask;
use super::games::{DEFAULT_TIME, columns, files_of, padded};
use crate::commands::analysis::game::{PlayerSummary, review};
use crate::commands::analysis::profile::{
    AttackBalance, MissedGain, PlayerGame, Profile, Results, TacticalMiss, find_player, may_match, name_of,
};
use crate::commands::analysis::profile_page;
use crate::commands::analysis::text::{
    self, ScoreObject, accuracy, agreed, lost_percent, moves_of, plain, points, thousandths, with_accuracy, with_line,
};
use crate::console::error::CommandError;
use crate::console::input::{GameFile, input_name, is_stream, warn};
use crate::console::output::{Object, refuse_replacing, side_name, write_json};
use crate::console::progress::{Progress, clock};
use crate::console::{counted, note};
use crate::eval::WinModel;
use crate::notation::game::Game;
use crate::notation::{Dialect, write};
use crate::types::{PieceKind, Side};
use crate::util::atomic_file::check_writable;

/// Missed tactics that the text lists.
const MAX_MISSES: usize = 20;

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
        Side::BOTH.into_iter().filter(move |&side| name_of(&self.game, side) == Some(player))
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
        check_writable(report).map_err(CommandError::in_file(report))?;
    }
    let mut found = read(task, wanted)?;
    let names = found.iter().flat_map(|found| Side::BOTH.map(|side| name_of(&found.game, side)));
    let name = find_player(names.flatten(), wanted).map_err(CommandError::Mismatch)?;
    found.retain(|found| found.sides_of(&name).next().is_some());
    found.iter().for_each(|found| warn(&found.file, found.number, &found.game.warnings));
    let incomplete = found.iter().filter(|found| found.game.warnings.has_losses()).count();
    if !args.json {
        writeln!(out, "Player      {}\nFound       {}", plain(&name), counted(found.len() as u64, "game"))?;
        out.flush()?;
    }
    let games = review_all(task, &found, &name)?;
    let profile = Profile::new(name, games);
    if profile.games.is_empty() {
        return Err(CommandError::Interrupted);
    }
    if args.json {
        let object = profile_object(&profile, task.dialect);
        write_json(out, "profile", &object.with("interrupted", task.interrupt.is_cancelled()))?;
    } else {
        print(&profile, task.dialect, out)?;
    }
    task.write_report(|| Ok(profile_page::to_html(&profile, task.dialect)))?;
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
                if Side::BOTH.iter().any(|&side| name_of(&game, side).is_some_and(|name| may_match(name, wanted))) {
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
fn review_all(task: &AnalysisTask, found: &[FoundGame], name: &str) -> Result<Vec<PlayerGame>, CommandError> {
    let mut engine = task.engine(task.args.threads)?;
    let limits = task.limits(DEFAULT_TIME);
    let plies = |found: &FoundGame| found.game.nodes.len() as u64;
    let mut progress = Progress::bar(found.iter().map(plies).sum());
    let mut games = Vec::new();
    let mut done = 0;
    for (index, found) in found.iter().enumerate() {
        let review = review(&mut engine, &found.game, &limits, &task.interrupt, |review| {
            let done = done + review.moves.len() as u64;
            let left = progress.time_left(done);
            progress.update(done, || format!("{} reviewed, {} left", counted(index as u64, "game"), clock(left)));
            ControlFlow::Continue(())
        })?;
        if review.moves.len() < found.game.nodes.len() {
            break;
        }
        done += plies(found);
        let file = found.file.display().to_string();
        let of_side = |side| PlayerGame::new(file.clone(), found.number, &found.game, &review, side);
        games.extend(found.sides_of(name).map(of_side));
    }
    progress.finish();
    Ok(games)
}

/// Prints a profile below its head.
fn print(profile: &Profile, dialect: Dialect, out: &mut impl Write) -> Result<(), CommandError> {
    writeln!(out, "Reviewed    {}", text::games_line(profile))?;
    writeln!(
        out,
        "\n       games  won  drawn  lost  unknown  score  accuracy  opening  middle game  ending  ?!/game  ?/game  \
         ??/game  agreed"
    )?;
    for (name, side) in [("all", None), ("Red", Some(Side::Red)), ("Black", Some(Side::Black))] {
        let (results, summary) = profile.summary(side);
        let Results { wins, draws, losses, unknown } = results;
        let [opening, middle_game, ending] = summary.phases.map(|phase| accuracy(&phase));
        let [inaccuracies, mistakes, blunders] = text::marks_per_game(&summary, &results);
        writeln!(
            out,
            "{name:<5}  {:>5}  {wins:>3}  {draws:>5}  {losses:>4}  {unknown:>7}  {:>5}  {:>8}  {opening:>7}  \
             {middle_game:>11}  {ending:>6}  {inaccuracies:>7}  {mistakes:>6}  {blunders:>7}  {:>6}",
            results.games(),
            points(&results),
            accuracy(&summary.whole),
            agreed(&summary.whole)
        )?;
    }
    for side in Side::BOTH {
        let openings = profile.openings(side);
        if openings.is_empty() {
            continue;
        }
        let names = openings.iter().map(|opening| text::opening(opening.opening.as_ref()));
        let names = column(&format!("openings as {side}"), names);
        writeln!(out, "\n{}  games  won  drawn  lost  score  accuracy", names[0])?;
        for (opening, name) in openings.iter().zip(&names[1..]) {
            let results = opening.results;
            let (Results { wins, draws, losses, .. }, score) = (results, points(&results));
            let (games, accuracy) = (results.games(), accuracy(&opening.summary.whole));
            writeln!(out, "{name}  {games:>5}  {wins:>3}  {draws:>5}  {losses:>4}  {score:>5}  {accuracy:>8}")?;
        }
    }
    writeln!(out, "\nattack      {}", text::attack_line(profile))?;
    writeln!(out, "misses      tactics in {}", text::misses_line(profile))?;
    print_misses(&profile.misses(), dialect, out)?;
    let word = |text: &Option<String>| plain(text.as_deref().unwrap_or("?"));
    let dates = column("date", profile.games.iter().map(|game| word(&game.date)));
    let opponents = column("opponent", profile.games.iter().map(|game| word(&game.opponent)));
    writeln!(out, "\n game  {}  side   {}  result   accuracy  ?!   ?  ??  file", dates[0], opponents[0])?;
    for (number, game) in (1..).zip(&profile.games) {
        let [inaccuracies, mistakes, blunders] = game.summary.whole.marks;
        writeln!(
            out,
            "{number:>5}  {}  {:<5}  {}  {:<7}  {:>8}  {inaccuracies:>2}  {mistakes:>2}  {blunders:>2}  {} {}",
            dates[number],
            game.side.to_string(),
            opponents[number],
            game.result,
            accuracy(&game.summary.whole),
            plain(&game.file),
            game.number
        )?;
    }
    Ok(())
}

fn print_misses(misses: &[(usize, &TacticalMiss)], dialect: Dialect, out: &mut impl Write) -> Result<(), CommandError> {
    if misses.is_empty() {
        return Ok(());
    }
    let gains = column("missed", misses.iter().take(MAX_MISSES).map(|(_, miss)| text::gain(&miss.gain)));
    writeln!(out, "\n game  ply  move      loss  {}  better line", gains[0])?;
    for ((index, miss), gain) in misses.iter().zip(&gains[1..]) {
        let (mv, line) = moves_of(miss, dialect);
        let (number, mv, loss) = (index + 1, padded(&mv, 8), lost_percent(miss.loss));
        writeln!(out, "{number:>5}  {:>3}  {mv}  {loss:>4}  {gain}  {line}", miss.ply)?;
    }
    if let more @ 1.. = misses.len().saturating_sub(MAX_MISSES) {
        writeln!(out, "       … and {more} more in --json")?;
    }
    Ok(())
}

/// Returns the cells of a column, the head first, all as wide as the widest.
fn column(head: &str, cells: impl Iterator<Item = String>) -> Vec<String> {
    let cells: Vec<String> = [head.to_owned()].into_iter().chain(cells).collect();
    let widest = cells.iter().map(|cell| columns(cell)).max().unwrap_or_default();
    cells.iter().map(|cell| padded(cell, widest)).collect()
}

fn profile_object(profile: &Profile, dialect: Dialect) -> Object {
    let part = |side| {
        let (results, summary) = profile.summary(side);
        with_results(Object::default(), &results, &summary)
    };
    let openings = Side::BOTH.into_iter().flat_map(|side| {
        let openings = profile.openings(side).into_iter();
        openings.map(move |opening| {
            let object = Object::default().with("side", side_name(side)).with("opening", &opening.opening);
            with_results(object, &opening.results, &opening.summary)
        })
    });
    let misses = profile.misses();
    Object::default()
        .with("player", &profile.player)
        .with("all", part(None))
        .with("red", part(Some(Side::Red)))
        .with("black", part(Some(Side::Black)))
        .with("openings", openings.collect::<Vec<_>>())
        .with("attack", attack_object(&profile.attack(), profile.preference_error()))
        // The greatest loss first.
        .with("misses", misses.iter().map(|(index, miss)| miss_object(*index, miss, dialect)).collect::<Vec<_>>())
        .with("games", profile.games.iter().map(game_object).collect::<Vec<_>>())
}

/// Adds the keys of results and accuracy in some of the games.
fn with_results(object: Object, results: &Results, summary: &PlayerSummary) -> Object {
    let object = object
        .with("games", results.games())
        .with("wins", results.wins)
        .with("draws", results.draws)
        .with("losses", results.losses)
        .with("unknown", results.unknown)
        .with("score", results.score().map(thousandths));
    with_accuracy(object, summary)
}

/// Attack; means in centipawns.
fn attack_object(attack: &AttackBalance, preference_error: Option<f64>) -> Object {
    let mean = |index: usize| attack.means().map(|means| thousandths(means[index]));
    Object::default()
        .with("moves", attack.moves)
        .with("own", mean(0))
        .with("opponent", mean(1))
        .with("share", attack.share().map(thousandths))
        .with("preference", mean(2))
        .with("preference_error", preference_error.map(thousandths))
}

fn miss_object(index: usize, miss: &TacticalMiss, dialect: Dialect) -> Object {
    let (mate_in, material) = match &miss.gain {
        MissedGain::Mate(moves) => (Some(*moves), None),
        MissedGain::Material(material) => (None, Some(material)),
    };
    let names =
        |pieces: Option<&Vec<PieceKind>>| pieces.into_iter().flatten().map(|kind| kind.name()).collect::<Vec<_>>();
    let mut after = miss.position.clone();
    after.make(miss.mv);
    let better = with_line(Object::default(), &miss.position, Some(miss.better_score), &miss.better_line, dialect);
    Object::default()
        .with("game", index + 1)
        .with("ply", miss.ply)
        .with("fen", miss.position.to_string())
        .with("move", miss.mv.to_string())
        .with("move_notation", write(&miss.position, miss.mv, dialect))
        .with("move_score", ScoreObject::new(WinModel::of(&after).reported(miss.score)))
        .with("loss", thousandths(miss.loss))
        .with("mate_in", mate_in)
        .with("gain", material.map(|material| material.value))
        .with("won", names(material.map(|material| &material.won)))
        .with("lost", names(material.map(|material| &material.lost)))
        .with("better", better)
}

fn game_object(game: &PlayerGame) -> Object {
    let object = Object::default()
        .with("file", &game.file)
        .with("number", game.number)
        .with("date", &game.date)
        .with("event", &game.event)
        .with("side", side_name(game.side))
        .with("opponent", &game.opponent)
        .with("result", game.result.text())
        .with("opening", &game.opening)
        .with("plies", game.plies);
    with_accuracy(object, &game.summary)
        .with("attack", attack_object(&game.attack, None))
        .with("misses", game.misses.len())
}
