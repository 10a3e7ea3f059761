//! The option `--profile`: reviews all games of a player and reports on the player as text or JSON.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::AnalysisTask;
use super::games::{DEFAULT_TIME, files_of};
use crate::commands::analysis::game::{GameReview, review};
use crate::commands::analysis::profile::{
    AttackBalance, PlayerGame, Profile, Record, TacticalMiss, find_player, may_match, name_of,
};
use crate::commands::analysis::text::{self, ScoreObject, plain, thousandths, with_accuracy, with_line};
use crate::console::chinese::{Terminal, data};
use crate::console::{
    CommandError, Games, Object, Progress, Result, aligned, clock, counted, input_name, note, warn, write_json,
};
use crate::eval::WinModel;
use crate::notation::game::Game;
use crate::notation::{Dialect, write};
use crate::types::{PieceKind, Side};

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

/// Prints the profile of the player whose name is or contains `wanted`, after an interrupt of the games until then.
pub fn analyze(task: &AnalysisTask, wanted: &str, out: &mut Terminal) -> Result {
    let args = task.args;
    if wanted.trim().is_empty() {
        return Err(CommandError::Mismatch("--profile needs the name of a player".to_owned()));
    }
    let mut found = read(task, wanted)?;
    let names = found.iter().flat_map(|found| Side::BOTH.map(|side| name_of(&found.game, side)));
    let name = find_player(names.flatten(), wanted).map_err(CommandError::Mismatch)?;
    found.retain(|found| found.sides_of(&name).next().is_some());
    for found in &found {
        found.game.warnings.iter().for_each(|warning| warn(&found.file, found.number, warning));
    }
    let incomplete = found.iter().filter(|found| found.game.warnings.has_losses()).count();
    if !args.output.json {
        writeln!(out, "Player      {}\nFound       {}", data(&plain(&name)), counted(found.len() as u64, "game"))?;
        out.flush()?;
    }
    let profile = Profile::new(name.clone(), review_all(task, &found, &name)?);
    if profile.games.is_empty() {
        return Err(CommandError::Interrupted);
    }
    if args.output.json {
        let object = profile_object(&profile, task.dialect);
        write_json(out, "profile", &object.with("interrupted", task.interrupt.is_cancelled()))?;
    } else {
        print(&profile, task.dialect, out)?;
    }
    task.check_interrupt()?;
    CommandError::if_partly_read(input_name(args.input.as_deref().unwrap_or_default().as_ref()), incomplete)
}

/// Reads the games in which a name contains the wanted one. What cannot be read is reported and left out.
fn read(task: &AnalysisTask, wanted: &str) -> Result<Vec<FoundGame>> {
    let Some(first) = &task.args.input else {
        return Err(CommandError::Mismatch("--profile needs games: name files or folders, or '-'".to_owned()));
    };
    let inputs: Vec<&Path> = [first].into_iter().chain(&task.args.moves).map(Path::new).collect();
    let files = inputs.iter().map(|input| files_of(input)).collect::<Result<Vec<_>, _>>()?.concat();
    let (mut found, mut read) = (Vec::new(), 0);
    for path in files {
        let mut games = match Games::open(&path, task.strictness) {
            Ok(games) => games,
            Err(error @ CommandError::File { .. }) if inputs.contains(&path.as_path()) => return Err(error),
            Err(error) => {
                note!("{error}; this file is left out");
                continue;
            }
        };
        while let Some(game) = games.next() {
            task.check_interrupt()?;
            let game = game?;
            read += 1;
            let is_meant = |&side: &Side| name_of(&game, side).is_some_and(|name| may_match(name, wanted));
            if Side::BOTH.iter().any(is_meant) {
                let (file, number) = (games.name().to_owned(), games.number);
                found.push(FoundGame { file, number, game: game.without_variations() });
            }
        }
    }
    if read == 0 { Err(CommandError::no_game(input_name(first.as_ref()))) } else { Ok(found) }
}

/// Reviews the games of a player, or those before the interrupt.
fn review_all(task: &AnalysisTask, found: &[FoundGame], name: &str) -> Result<Vec<PlayerGame>> {
    let mut engine = task.engine(task.args.threads)?;
    let limits = task.limits(DEFAULT_TIME);
    let plies = |found: &FoundGame| found.game.nodes.len() as u64;
    let mut progress = Progress::bar(found.iter().map(plies).sum());
    let mut games = Vec::new();
    let mut done = 0;
    for (index, found) in found.iter().enumerate() {
        let review = review(&mut engine, &found.game, &limits, &task.interrupt, GameReview::default(), |review| {
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

fn print(profile: &Profile, dialect: Dialect, out: &mut impl Write) -> Result {
    writeln!(out, "Reviewed    {}\n\n{}", text::games_line(profile), aligned(&text::records(profile), &[0]))?;
    for rows in Side::BOTH.into_iter().filter_map(|side| text::openings(profile, side)) {
        writeln!(out, "{}", aligned(&rows, &[0]))?;
    }
    writeln!(out, "attack      {}", text::attack_line(profile))?;
    writeln!(out, "misses      tactics in {}\n", text::misses_line(profile))?;
    let mut misses = text::misses(profile, dialect);
    let more = misses.len().saturating_sub(1 + MAX_MISSES);
    misses.truncate(1 + MAX_MISSES);
    if more > 0 {
        misses.push(vec![String::new(), String::new(), format!("… and {more} more in --json")]);
    }
    if misses.len() > 1 {
        writeln!(out, "{}", aligned(&misses, &[2, 4, 5]))?;
    }
    Ok(write!(out, "{}", aligned(&text::games(profile), &[1, 2, 3, 4, 9]))?)
}

fn profile_object(profile: &Profile, dialect: Dialect) -> Object {
    let part = |side| with_record(Object::default(), &profile.record(side));
    let openings = Side::BOTH.into_iter().flat_map(|side| {
        let object = move |opening| Object::default().with("side", side).with("opening", opening);
        profile.openings(side).into_iter().map(move |(opening, record)| with_record(object(opening), &record))
    });
    let (attack, preference_error) = profile.attack();
    Object::default()
        .with("player", &profile.player)
        .with("all", part(None))
        .with("red", part(Some(Side::Red)))
        .with("black", part(Some(Side::Black)))
        .with("openings", openings.collect::<Vec<_>>())
        .with("attack", attack_object(&attack, preference_error))
        // The greatest loss first.
        .with("misses", profile.misses().into_iter().map(|miss| miss_object(miss, dialect)).collect::<Vec<_>>())
        .with("games", profile.games.iter().map(game_object).collect::<Vec<_>>())
}

fn with_record(object: Object, record: &Record) -> Object {
    let [wins, draws, losses, unknown] = record.results;
    let object = object
        .with("games", record.games())
        .with("wins", wins)
        .with("draws", draws)
        .with("losses", losses)
        .with("unknown", unknown)
        .with("score", record.score().map(thousandths));
    with_accuracy(object, &record.summary)
}

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

fn miss_object((index, miss): (usize, &TacticalMiss), dialect: Dialect) -> Object {
    let names = |kinds: &[PieceKind]| kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>();
    let mut after = miss.position.clone();
    after.make(miss.mv);
    let better = with_line(Object::default(), &miss.position, Some(miss.better_score), &miss.better_line, dialect);
    Object::default()
        .with("game", index + 1)
        .with("ply", miss.ply)
        .with("fen", miss.position.to_string())
        .with("move", miss.mv)
        .with("move_notation", write(&miss.position, miss.mv, dialect))
        .with("move_score", ScoreObject::new(WinModel::of(&after).reported(miss.score)))
        .with("loss", thousandths(miss.loss))
        .with("mate_in", miss.mate_in)
        .with("gain", miss.mate_in.is_none().then_some(miss.gain.value))
        .with("won", names(&miss.gain.won))
        .with("lost", names(&miss.gain.lost))
        .with("better", better)
}

fn game_object(game: &PlayerGame) -> Object {
    let object = Object::default()
        .with("file", &game.file)
        .with("number", game.number)
        .with("date", &game.date)
        .with("event", &game.event)
        .with("side", game.side)
        .with("opponent", &game.opponent)
        .with("result", game.result)
        .with("opening", &game.opening)
        .with("plies", game.plies);
    with_accuracy(object, &game.summary)
        .with("attack", attack_object(&game.attack, None))
        .with("misses", game.misses.len())
}
