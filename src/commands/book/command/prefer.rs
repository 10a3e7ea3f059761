//! `book prefer`: preferences of the user for moves.

use std::collections::{HashSet, VecDeque};
use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::{learning_failure, open, open_for_learning};
use crate::book::{Book, BookKey, Preference, Record};
use crate::console::error::CommandError;
use crate::console::input::read_position;
use crate::console::note;
use crate::notation::{Dialect, read, write};
use crate::position::{Position, Strictness};
use crate::types::Move;

/// Text below the options in the help.
pub const PREFER_HELP: &str = "\
The preference is for the last of the moves, in the position before it:

  always   only such moves are played in the position, also without games
  never    the move is never played
  250%     the weight is multiplied by this percentage, a multiple of 5 up to 600
  none     removes the preference

Moves may be in any notation. Without a preference, all preferences of the book are listed, each with a line
of book moves that leads to it. Preferences change no results and weights, and no undo: learning, 'book
unlearn', 'book merge' (the first book given takes precedence) and 'book export' keep them. A move that the
book does not have is added without games for 'always' and 'never', and removed with its preference.

Examples:
  chuhe book prefer own.book always startpos h2e2 h9g7
  chuhe book prefer own.book 50% startpos 炮二平五 马８进７ 马二进三
  chuhe book prefer own.book never \"3k5/9/9/9/9/9/9/9/4R4/4K4 w\" e1e5
  chuhe book prefer own.book none startpos h2e2 h9g7
  chuhe book prefer own.book";

/// Arguments of `book prefer`.
#[derive(Args, Debug)]
pub struct Prefer {
    /// The book.
    #[arg(value_name = "BOOK")]
    book: PathBuf,
    /// 'always', 'never', a percentage of the weight, or 'none'; without it, all preferences are listed.
    #[arg(value_name = "PREFERENCE", requires = "moves")]
    preference: Option<Preference>,
    /// Position before the first move as FEN in one argument, or 'startpos'.
    #[arg(value_name = "FEN")]
    fen: Option<String>,
    /// Moves in any notation, the last of which is preferred.
    #[arg(value_name = "MOVES")]
    moves: Vec<String>,
}

/// Runs `book prefer`.
pub fn prefer(args: &Prefer, strictness: Strictness, out: &mut impl Write) -> Result<(), CommandError> {
    let Some(preference) = args.preference else { return list(&open(Some(&args.book))?, out) };
    let mut position = read_position(args.fen.as_deref(), strictness)?;
    let words: Vec<&str> = args.moves.iter().flat_map(|argument| argument.split_whitespace()).collect();
    let invalid = |error: &dyn ToString| CommandError::Mismatch(error.to_string());
    let (last, before) =
        words.split_last().ok_or_else(|| CommandError::Mismatch("name the move after the position".to_owned()))?;
    for word in before {
        let mv = read(&position, word).map_err(|error| invalid(&error))?;
        position.make(mv);
    }
    let mv = read(&position, last).map_err(|error| invalid(&error))?;
    let mut book = open_for_learning(&args.book)?;
    let entry = BookKey::new(&position);
    let mut known = book.book().records_of(entry.key).filter(|record| record.mv == entry.to_book(mv));
    let has_weight = known.next().is_some_and(|record| !record.is_preference_only());
    drop(known);
    if !has_weight && preference.percent().is_some_and(|percent| percent != 0 && percent != 100) {
        return Err(CommandError::Mismatch(format!(
            "{} has no weight for {last} here that a percentage could change; use 'always', or let the book learn it",
            args.book.display()
        )));
    }
    let before = book.prefer(&position, mv, preference).map_err(|error| learning_failure(&args.book, error))?;
    note!("{}: {last} {preference}, before: {before}", args.book.display());
    Ok(())
}

/// Lists all preferences, those that the moves of the book lead to first.
fn list(book: &Book, out: &mut impl Write) -> Result<(), CommandError> {
    let mut left: Vec<Record> = book.records().filter(|record| record.preference != Preference::NONE).collect();
    if left.is_empty() {
        writeln!(out, "this book has no preferences")?;
        return Ok(());
    }
    let mut seen = HashSet::from([BookKey::new(&Position::start()).key]);
    let mut open = VecDeque::from([Vec::<Move>::new()]);
    while let Some(line) = open.pop_front().filter(|_| !left.is_empty()) {
        let mut position = Position::start();
        line.iter().for_each(|&mv| position.make(mv));
        let entry = BookKey::new(&position);
        for found in book.moves(&position) {
            let is_it = |record: &Record| (record.key, record.mv) == (entry.key, entry.to_book(found.mv));
            let longer: Vec<Move> = line.iter().copied().chain([found.mv]).collect();
            if let Some(index) = left.iter().position(is_it) {
                let words: Vec<String> = longer.iter().map(Move::to_string).collect();
                let name = write(&position, found.mv, Dialect::Chinese);
                writeln!(out, "{:<6}  {name}  startpos {}", left[index].preference.to_string(), words.join(" "))?;
                left.remove(index);
            }
            position.make(found.mv);
            if seen.insert(BookKey::new(&position).key) {
                open.push_back(longer);
            }
            position.unmake();
        }
    }
    for record in left {
        writeln!(out, "{:<6}  {}  key {:016x}", record.preference.to_string(), record.mv, record.key)?;
    }
    Ok(())
}
