//! What a book learns from games, and how that is undone.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use super::unusable;
use crate::book::{LearnError, LearnedGame, Learner};
use crate::console::error::CommandError;
use crate::console::games::read_games;
use crate::console::progress::counted;
use crate::notation::game::Game;
use crate::position::Strictness;
use crate::types::Side;

/// What stands below the options of `learn` in the help.
pub const HELP: &str = "\
The moves that the book knows gain by the games that their side won and lose by those that it lost, the last
moves before the book was left more than those before; draws leave them as they are. What was learned (delta)
never makes a move worth less than nothing and fades with later games. Games without a result are left out.
No move is taken out of the book.

The journal BOOK.journal tells what changed by which game, so that 'book unlearn' can undo it. Any number of
programs may let one book learn at the same time.

Example:
  chuhe book learn own.book games.pgn";

/// What stands below the options of `unlearn` in the help.
pub const UNLEARN_HELP: &str = "\
Examples:
  chuhe book unlearn own.book
  chuhe book unlearn own.book --games 20
  chuhe book unlearn own.book --all";

/// What `book learn` is asked for.
#[derive(Args, Debug)]
pub struct Learn {
    /// The book.
    #[arg(value_name = "BOOK")]
    book: PathBuf,
    /// Files of games (PGN, lists of moves, XQF, DhtmlXQ).
    #[arg(value_name = "GAMES", required = true)]
    games: Vec<PathBuf>,
}

/// What `book unlearn` is asked for.
#[derive(Args, Debug)]
pub struct Unlearn {
    /// The book.
    #[arg(value_name = "BOOK")]
    book: PathBuf,
    /// How many games, the last first.
    #[arg(long, value_name = "GAMES", default_value_t = 1, conflicts_with = "all")]
    games: u64,
    /// All games.
    #[arg(long)]
    all: bool,
}

/// Lets a book learn.
pub fn learn(wanted: &Learn, strictness: Strictness) -> Result<(), CommandError> {
    let mut learner = open(&wanted.book)?;
    let (mut learned, mut others) = (0_u64, 0_u64);
    for file in &wanted.games {
        let mut failure = None;
        read_games(file, strictness, |game| {
            if failure.is_some() {
                return;
            }
            match learn_from(&mut learner, file, game) {
                Ok(true) => learned += 1,
                Ok(false) => others += 1,
                Err(error) => failure = Some(error),
            }
        })?;
        if let Some(error) = failure {
            return Err(failed(&wanted.book, error));
        }
    }
    let others = if others == 0 { String::new() } else { format!("; {} taught it nothing", counted(others, "other")) };
    eprintln!("chuhe: {} learned from {}{others}", wanted.book.display(), counted(learned, "game"));
    Ok(())
}

/// Learns from one game. Returns whether that changed anything.
fn learn_from(learner: &mut Learner, file: &Path, game: &Game) -> Result<bool, LearnError> {
    let Some(points) = game.result.points(Side::Red) else { return Ok(false) };
    let name = |tag| game.tag(tag).unwrap_or("?");
    let name = format!("{}: {} – {} {}", file.display(), name("Red"), name("Black"), game.result.text());
    Ok(learner.learn(&name, &game.start, &game.line(), points)? > 0)
}

/// Undoes what was learned last.
pub fn unlearn(wanted: &Unlearn) -> Result<(), CommandError> {
    let mut learner = open(&wanted.book)?;
    let wanted_games = if wanted.all { u64::MAX } else { wanted.games };
    let mut undone = 0;
    while undone < wanted_games && learner.unlearn().map_err(|error| failed(&wanted.book, error))?.is_some() {
        undone += 1;
    }
    let left = counted(learner.games().len() as u64, "game");
    eprintln!("chuhe: {} undone, {left} left in the journal", counted(undone, "game"));
    Ok(())
}

/// Shows the journal.
pub fn show_journal(book: &Path, out: &mut impl Write) -> Result<(), CommandError> {
    let games = LearnedGame::all_of(book).map_err(|error| failed(book, error))?;
    for (number, game) in (1..).zip(&games) {
        let changes = counted(game.changes.len() as u64, "move");
        let name: String = game.name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        writeln!(out, "{number:>6}  {changes:>9}  {name}")?;
    }
    Ok(())
}

fn open(path: &Path) -> Result<Learner, CommandError> {
    Learner::open(path).map_err(|error| failed(path, error))
}

fn failed(book: &Path, error: LearnError) -> CommandError {
    match error {
        LearnError::File { path, error } => CommandError::File { path, error },
        error @ (LearnError::Book(_) | LearnError::Write(_)) => unusable(book, &error),
        error => CommandError::Mismatch(error.to_string()),
    }
}
