//! `book learn`, `book unlearn` and `book journal`.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use super::unusable;
use crate::book::{JournalEntry, LearningBook, LearningError};
use crate::console::error::CommandError;
use crate::console::input::read_games;
use crate::console::progress::counted;
use crate::notation::game::Game;
use crate::position::Strictness;
use crate::types::Side;

/// Text below the options of `book learn` in the help.
pub const LEARN_HELP: &str = "\
Book moves gain weight in games that their side won and lose weight in games that it lost, the last book
moves of a game more than earlier ones; draws change nothing. The learned change (delta) never makes the
weight of a move negative, and it decays with later games. Games without a result are skipped. No move is
removed from the book.

The journal BOOK.journal records the changes of each game, so that 'book unlearn' can undo them. Several
programs may update one book at the same time.

Example:
  chuhe book learn own.book games.pgn";

/// Text below the options of `book unlearn` in the help.
pub const UNLEARN_HELP: &str = "\
Examples:
  chuhe book unlearn own.book
  chuhe book unlearn own.book --games 20
  chuhe book unlearn own.book --all";

/// Arguments of `book learn`.
#[derive(Args, Debug)]
pub struct Learn {
    /// The book.
    #[arg(value_name = "BOOK")]
    book: PathBuf,
    /// Game files (PGN, move lists, XQF, DhtmlXQ).
    #[arg(value_name = "GAMES", required = true)]
    games: Vec<PathBuf>,
}

/// Arguments of `book unlearn`.
#[derive(Args, Debug)]
pub struct Unlearn {
    /// The book.
    #[arg(value_name = "BOOK")]
    book: PathBuf,
    /// Number of games to undo, the most recent first.
    #[arg(long, value_name = "GAMES", default_value_t = 1, conflicts_with = "all")]
    games: u64,
    /// Undo all games.
    #[arg(long)]
    all: bool,
}

/// Runs `book learn`.
pub fn learn(args: &Learn, strictness: Strictness) -> Result<(), CommandError> {
    let mut book = open(&args.book)?;
    let (mut learned, mut skipped) = (0_u64, 0_u64);
    for file in &args.games {
        let mut failure = None;
        read_games(file, strictness, |game| {
            if failure.is_some() {
                return;
            }
            match learn_from(&mut book, file, game) {
                Ok(true) => learned += 1,
                Ok(false) => skipped += 1,
                Err(error) => failure = Some(error),
            }
        })?;
        if let Some(error) = failure {
            return Err(failed(&args.book, error));
        }
    }
    let skipped = if skipped == 0 { String::new() } else { format!("; {} changed nothing", counted(skipped, "other")) };
    eprintln!("chuhe: {} learned from {}{skipped}", args.book.display(), counted(learned, "game"));
    Ok(())
}

/// Updates the book with one game. Returns whether anything changed.
fn learn_from(book: &mut LearningBook, file: &Path, game: &Game) -> Result<bool, LearningError> {
    let Some(points) = game.result.points(Side::Red) else { return Ok(false) };
    let name = |tag| game.tag(tag).unwrap_or("?");
    let name = format!("{}: {} – {} {}", file.display(), name("Red"), name("Black"), game.result.text());
    Ok(book.update(&name, &game.start, &game.line(), points)? > 0)
}

/// Runs `book unlearn`.
pub fn unlearn(args: &Unlearn) -> Result<(), CommandError> {
    let mut book = open(&args.book)?;
    let count = if args.all { u64::MAX } else { args.games };
    let mut undone = 0;
    while undone < count && book.undo().map_err(|error| failed(&args.book, error))?.is_some() {
        undone += 1;
    }
    let remaining = counted(book.games().len() as u64, "game");
    eprintln!("chuhe: {} undone, {remaining} remaining in the journal", counted(undone, "game"));
    Ok(())
}

/// Runs `book journal`.
pub fn show_journal(book: &Path, out: &mut impl Write) -> Result<(), CommandError> {
    let games = JournalEntry::read_all(book).map_err(|error| failed(book, error))?;
    for (number, game) in (1..).zip(&games) {
        let changes = counted(game.changes.len() as u64, "move");
        let name: String = game.name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        writeln!(out, "{number:>6}  {changes:>9}  {name}")?;
    }
    Ok(())
}

fn open(path: &Path) -> Result<LearningBook, CommandError> {
    LearningBook::open(path).map_err(|error| failed(path, error))
}

fn failed(book: &Path, error: LearningError) -> CommandError {
    match error {
        LearningError::File { path, error } => CommandError::File { path, error },
        error @ (LearningError::Book(_) | LearningError::Write(_)) => unusable(book, &error),
        error => CommandError::Mismatch(error.to_string()),
    }
}
