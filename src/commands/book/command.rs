//! The `book` command: subcommands, and among them `learn`, `unlearn`, `journal` and `prefer`.

use std::collections::{HashSet, VecDeque};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use clap::{Args, Subcommand};

use super::build::open;
use super::{build, show};
use crate::book::{Book, BookKey, JournalEntry, LearningBook, LearningError, Preference, Record, export};
use crate::console::{
    CommandError, Games, JsonArg, Result, cancel_on_request_while, counted, data, input_name, is_stream, note,
    read_games, read_position,
};
use crate::notation::game::Game;
use crate::notation::{self, Dialect};
use crate::position::{Position, Strictness};
use crate::types::{Move, Side};

pub const HELP: &str = "\
A book holds the moves played in each position and the results of their games. Commands for which BOOK is
optional use the built-in book by default.

Examples:
  chuhe book probe startpos h2e2
  chuhe book tree --lines 20
  chuhe book build games.pgn --out own.book
  chuhe book merge own.book other.book --out both.book";

#[derive(Subcommand, Debug)]
pub enum BookTask {
    /// Build a book from games.
    #[command(after_help = build::BUILD_HELP)]
    Build(Box<build::Build>),
    /// Merge several books into one.
    #[command(after_help = build::MERGE_HELP)]
    Merge {
        /// Books to merge.
        #[arg(value_name = "BOOK", required = true, num_args = 2..)]
        books: Vec<PathBuf>,
        /// Write the book to this file.
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
    /// Update a book with the results of games.
    #[command(after_help = "\
Every game adds its result to the book moves that were played. In its first --max-ply plies, moves that the
book does not have are added too, in positions of the book and in new ones, unless their side lost. Games
without a result are skipped. No move is removed from the book.

The weights of a position that come from its games are computed again. Besides, book moves gain weight in
games that their side won and lose weight in games that it lost, the last book moves of a game more than
earlier ones. This learned change (delta) never makes the weight of a move negative, and it decays with later
games.

The journal BOOK.journal records the changes of each game, so that 'book unlearn' can undo them. Several
programs may update one book at the same time.

Examples:
  chuhe book learn own.book games.pgn
  chuhe book learn own.book games.pgn --max-ply 0       (adds no moves)")]
    Learn {
        /// The book.
        book: PathBuf,
        /// Game files (PGN, move lists, XQF, CBR, CBL, DhtmlXQ).
        #[arg(required = true)]
        games: Vec<PathBuf>,
        /// Add moves up to this ply of each game.
        #[arg(long, value_name = "PLIES", default_value_t = 40, value_parser = clap::value_parser!(u16).range(0..=400))]
        max_ply: u16,
    },
    /// Undo the last updates of a book.
    #[command(after_help = "\
Examples:
  chuhe book unlearn own.book
  chuhe book unlearn own.book --all")]
    Unlearn {
        /// The book.
        book: PathBuf,
        /// Number of games to undo, the most recent first.
        #[arg(long, value_name = "GAMES", default_value_t = 1, conflicts_with = "all")]
        games: u64,
        /// Undo all games.
        #[arg(long)]
        all: bool,
    },
    /// Set, remove or list preferences for moves.
    #[command(after_help = PREFER_HELP)]
    Prefer(Prefer),
    /// List the games that a book learned from.
    Journal {
        /// The book.
        book: PathBuf,
    },
    /// Export a book as text.
    #[command(after_help = build::EXPORT_HELP)]
    Export {
        /// The book.
        book: Option<PathBuf>,
    },
    /// Import such a text or a book of ElephantEye.
    #[command(after_help = build::IMPORT_HELP)]
    Import(build::Import),
    /// Show size, statistics and origin of a book.
    #[command(after_help = "\
Examples:
  chuhe book info
  chuhe book info own.book")]
    Info {
        /// The book.
        book: Option<PathBuf>,
        #[command(flatten)]
        output: JsonArg,
    },
    /// Show the book moves of a position.
    #[command(after_help = show::PROBE_HELP)]
    Probe(show::Probe),
    /// Show the most frequent lines of a book.
    #[command(after_help = show::TREE_HELP)]
    Tree(show::Tree),
}

pub fn run(task: &BookTask, strictness: Strictness, out: &mut impl Write) -> Result {
    match task {
        BookTask::Build(args) => build::build(args, strictness),
        BookTask::Merge { books, out } => build::merge_books(books, out),
        BookTask::Learn { book, games, max_ply } => learn(book, games, *max_ply, strictness),
        BookTask::Unlearn { book, games, all } => unlearn(book, if *all { u64::MAX } else { *games }),
        BookTask::Prefer(args) => prefer(args, strictness, out),
        BookTask::Journal { book } => show_journal(book, out),
        BookTask::Export { book } => Ok(out.write_all(export(&open(book.as_deref())?).as_bytes())?),
        BookTask::Import(args) => build::import_book(args),
        BookTask::Info { book, output } => show::info(book.as_deref(), output.json, out),
        BookTask::Probe(args) => show::probe(args, strictness, out),
        BookTask::Tree(args) => show::tree(args, strictness, out),
    }
}

fn learn(path: &Path, files: &[PathBuf], max_ply: u16, strictness: Strictness) -> Result {
    // A missing file is found before the book changes. A pipe can be opened once only.
    for file in files.iter().filter(|file| file.is_file() || !(is_stream(file) || file.exists())) {
        Games::open(file, strictness)?;
    }
    let mut book = open_for_learning(path)?;
    // While waiting for standard input or a pipe there is nothing to finish.
    let is_busy = Arc::new(AtomicBool::new(true));
    let cancel = cancel_on_request_while(&is_busy);
    let games_before = book.games().len();
    let (mut skipped, mut added) = (0_u64, 0_u64);
    let check = || if cancel.is_cancelled() { Err(CommandError::Interrupted) } else { Ok(()) };
    let ended = files.iter().try_for_each(|file| {
        is_busy.store(file.is_file(), Relaxed);
        read_games(file, strictness, |game| {
            check()?;
            is_busy.store(true, Relaxed);
            match learn_from(&mut book, file, game, max_ply).map_err(|error| learning_failure(path, error))? {
                Some(moves) => added += moves as u64,
                None => skipped += 1,
            }
            is_busy.store(file.is_file(), Relaxed);
            Ok(())
        })?;
        check()
    });
    // The journal also holds a game for which the book itself could not be written.
    let learned = (book.games().len() - games_before) as u64;
    let (name, games) = (path.display(), counted(learned, "game"));
    if learned > 0 && ended.is_err() {
        note!("{name}: learned from {games} before it ended; 'book unlearn' with --games {learned} undoes them");
    }
    ended?;
    if learned + skipped == 0 {
        return Err(CommandError::no_game(input_name(&files[0])));
    }
    let skipped = if skipped == 0 { String::new() } else { format!("; {} changed nothing", counted(skipped, "other")) };
    note!("{name} learned from {games}, {} added{skipped}", counted(added, "move"));
    Ok(())
}

/// Updates the book with one game. Returns the number of added moves, or `None` if nothing changed.
fn learn_from(book: &mut LearningBook, file: &Path, game: &Game, max_ply: u16) -> Result<Option<usize>, LearningError> {
    let Some(points) = game.result.points(Side::Red) else { return Ok(None) };
    let name = |tag| game.tag(tag).unwrap_or("?");
    let name = format!("{}: {} – {} {}", file.display(), name("Red"), name("Black"), game.result.text());
    let learned = book.update(&name, &game.start, &game.line(), points, usize::from(max_ply))?;
    Ok(learned.map(JournalEntry::added))
}

fn unlearn(path: &Path, count: u64) -> Result {
    let mut book = open_for_learning(path)?;
    let mut undone = 0;
    while undone < count && book.undo().map_err(|error| learning_failure(path, error))?.is_some() {
        undone += 1;
    }
    let remaining = counted(book.games().len() as u64, "game");
    note!("{} undone, {remaining} remaining in the journal", counted(undone, "game"));
    Ok(())
}

fn show_journal(book: &Path, out: &mut impl Write) -> Result {
    let games = JournalEntry::read_all(book).map_err(|error| learning_failure(book, error))?;
    for (number, game) in (1..).zip(&games) {
        let (changes, added) = (counted(game.changes.len() as u64, "move"), game.added());
        let name: String = game.name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        writeln!(out, "{number:>6}  {changes:>9}  {added:>3} added  {}", data(&name))?;
    }
    Ok(())
}

fn open_for_learning(path: &Path) -> Result<LearningBook> {
    LearningBook::open(path).map_err(|error| learning_failure(path, error))
}

fn learning_failure(book: &Path, error: LearningError) -> CommandError {
    match error {
        LearningError::File { path, error } => CommandError::File { path, error },
        LearningError::Book(error) => CommandError::unusable(book, error),
        error => CommandError::Failed(error.to_string()),
    }
}

const PREFER_HELP: &str = "\
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
  chuhe book prefer own.book never \"3k5/9/9/9/9/9/9/9/4R4/4K4 w\" e1e5
  chuhe book prefer own.book none startpos h2e2 h9g7
  chuhe book prefer own.book";

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

fn prefer(args: &Prefer, strictness: Strictness, out: &mut impl Write) -> Result {
    let Some(preference) = args.preference else { return list_preferences(&open(Some(&args.book))?, out) };
    let mut position = read_position(args.fen.as_deref(), strictness)?;
    let words: Vec<&str> = args.moves.iter().flat_map(|argument| argument.split_whitespace()).collect();
    let read = |position: &Position, word: &str| {
        notation::read(position, word).map_err(|error| CommandError::Mismatch(error.to_string()))
    };
    let (last, before) =
        words.split_last().ok_or_else(|| CommandError::Mismatch("name the move after the position".to_owned()))?;
    for word in before {
        let mv = read(&position, word)?;
        position.make(mv);
    }
    let mv = read(&position, last)?;
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
fn list_preferences(book: &Book, out: &mut impl Write) -> Result {
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
                let name = notation::write(&position, found.mv, Dialect::Chinese);
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
