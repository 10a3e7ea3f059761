//! The `book` command: subcommands, and among them `learn`, `unlearn` and `journal`.

mod build;
mod convert;
mod prefer;
mod show;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use clap::{Args, Subcommand};

use crate::book::{Book, JournalEntry, LearningBook, LearningError, Record, journal_path, write};
use crate::console::counted;
use crate::console::error::CommandError;
use crate::console::input::{GameFile, input_name, is_stream, read_games};
use crate::console::note;
use crate::console::progress::cancel_on_request_while;
use crate::notation::game::Game;
use crate::position::Strictness;
use crate::types::Side;
use crate::util::atomic_file::write_atomically;

/// Text below the list of subcommands in the help.
pub const HELP: &str = "\
A book holds the moves played in each position and the results of their games. Commands for which BOOK is
optional use the built-in book by default.

Examples:
  chuhe book probe startpos h2e2
  chuhe book tree --lines 20
  chuhe book build games.pgn --out own.book
  chuhe book prefer own.book never startpos h2e2 h9g7
  chuhe book merge own.book other.book --out both.book";

/// Subcommands of `book`.
#[derive(Subcommand, Debug)]
pub enum BookTask {
    /// Build a book from games.
    #[command(after_help = build::BUILD_HELP)]
    Build(Box<build::Build>),
    /// Merge several books into one.
    #[command(after_help = build::MERGE_HELP)]
    Merge(build::Merge),
    /// Update a book with the results of games.
    #[command(after_help = LEARN_HELP)]
    Learn(Learn),
    /// Undo the last updates of a book.
    #[command(after_help = UNLEARN_HELP)]
    Unlearn(Unlearn),
    /// Set, remove or list preferences for moves.
    #[command(after_help = prefer::PREFER_HELP)]
    Prefer(prefer::Prefer),
    /// List the games that a book learned from.
    Journal {
        /// The book.
        book: PathBuf,
    },
    /// Export a book as text.
    #[command(after_help = convert::EXPORT_HELP)]
    Export(convert::Export),
    /// Import such a text or a book of another program.
    #[command(after_help = convert::IMPORT_HELP)]
    Import(convert::Import),
    /// Show size, statistics and origin of a book.
    #[command(after_help = "\
Examples:
  chuhe book info
  chuhe book info own.book")]
    Info {
        /// The book.
        book: Option<PathBuf>,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Show the book moves of a position.
    #[command(after_help = show::PROBE_HELP)]
    Probe(show::Probe),
    /// Show the most frequent lines of a book.
    #[command(after_help = show::TREE_HELP)]
    Tree(show::Tree),
}

/// Runs the command.
///
/// # Errors
/// [`CommandError`] if a file cannot be used or the command is interrupted.
pub fn run(task: &BookTask, strictness: Strictness, out: &mut impl Write) -> Result<(), CommandError> {
    match task {
        BookTask::Build(args) => build::build(args, strictness),
        BookTask::Merge(args) => build::merge_books(args),
        BookTask::Learn(args) => learn(args, strictness),
        BookTask::Unlearn(args) => unlearn(args),
        BookTask::Prefer(args) => prefer::prefer(args, strictness, out),
        BookTask::Journal { book } => show_journal(book, out),
        BookTask::Export(args) => convert::export_book(args, out),
        BookTask::Import(args) => convert::import_book(args),
        BookTask::Info { book, json } => show::info(book.as_deref(), *json, out),
        BookTask::Probe(args) => show::probe(args, strictness, out),
        BookTask::Tree(args) => show::tree(args, strictness, out),
    }
}

/// Opens a book file, or the built-in book without a path.
fn open(path: Option<&Path>) -> Result<Book, CommandError> {
    let Some(path) = path else { return Ok(Book::embedded()) };
    Book::open(path).map_err(|error| unusable(path, &error))
}

fn unusable(path: &Path, fault: &impl ToString) -> CommandError {
    CommandError::Unusable { path: path.to_owned(), fault: fault.to_string() }
}

/// Writes a book file and reports its size.
fn save(path: &Path, records: &[Record], provenance: &str) -> Result<(), CommandError> {
    let bytes = write(records, provenance).map_err(|error| unusable(path, &error))?;
    save_bytes(path, &bytes, records.len())
}

/// Refuses to replace a book that learns: its journal would belong to no book.
fn refuse_learning_book(path: &Path) -> Result<(), CommandError> {
    let journal = journal_path(path);
    if fs::metadata(&journal).is_ok_and(|journal| journal.len() > 0) {
        let fault = format!(
            "{}: this book learns, and {} could no longer undo its games; name another output, or remove that file first",
            path.display(),
            journal.display()
        );
        return Err(CommandError::Mismatch(fault));
    }
    Ok(())
}

fn save_bytes(path: &Path, bytes: &[u8], moves: usize) -> Result<(), CommandError> {
    write_atomically(path, bytes).map_err(|error| CommandError::File { path: path.to_owned(), error })?;
    let (moves, bytes) = (counted(moves as u64, "move"), counted(bytes.len() as u64, "byte"));
    note!("{moves} written to {}, {bytes}", path.display());
    Ok(())
}

/// Formats a share as a percentage with one decimal.
fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

/// Returns `part / whole`; 0 for an empty whole.
fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Text below the options of `book learn` in the help.
pub const LEARN_HELP: &str = "\
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
  chuhe book learn own.book games.pgn --max-ply 24
  chuhe book learn own.book games.pgn --max-ply 0       (adds no moves)";

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
    /// Game files (PGN, move lists, XQF, CBR, CBL, DhtmlXQ).
    #[arg(value_name = "GAMES", required = true)]
    games: Vec<PathBuf>,
    /// Add moves up to this ply of each game.
    #[arg(long, value_name = "PLIES", default_value_t = 40, value_parser = clap::value_parser!(u16).range(0..=400))]
    max_ply: u16,
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
    // A missing file is found before the book changes. A pipe can be opened once only.
    for file in args.games.iter().filter(|file| file.is_file() || !(is_stream(file) || file.exists())) {
        GameFile::open(file)?;
    }
    let mut book = open_for_learning(&args.book)?;
    // While waiting for standard input or a pipe there is nothing to finish.
    let is_busy = Arc::new(AtomicBool::new(true));
    let cancel = cancel_on_request_while(&is_busy);
    let games_before = book.games().len();
    let (mut skipped, mut added) = (0_u64, 0_u64);
    let mut learn_all = || {
        for file in &args.games {
            let mut failure = None;
            let may_wait = !file.is_file();
            is_busy.store(!may_wait, Relaxed);
            read_games(file, strictness, |game| {
                if failure.is_some() || cancel.is_cancelled() {
                    return;
                }
                is_busy.store(true, Relaxed);
                match learn_from(&mut book, file, game, args.max_ply) {
                    Ok(Some(moves)) => added += moves as u64,
                    Ok(None) => skipped += 1,
                    Err(error) => failure = Some(error),
                }
                is_busy.store(!may_wait, Relaxed);
            })?;
            match failure {
                Some(error) => return Err(learning_failure(&args.book, error)),
                None if cancel.is_cancelled() => return Err(CommandError::Interrupted),
                None => {}
            }
        }
        Ok(())
    };
    let ended = learn_all();
    // The journal also holds a game for which the book itself could not be written.
    let learned = (book.games().len() - games_before) as u64;
    if let (true, Err(_)) = (learned > 0, &ended) {
        let (book, games) = (args.book.display(), counted(learned, "game"));
        note!("{book}: learned from {games} before it ended; 'book unlearn' with --games {learned} undoes them");
    }
    ended?;
    if learned + skipped == 0 {
        return Err(CommandError::NoGame { path: input_name(&args.games[0]) });
    }
    let skipped = if skipped == 0 { String::new() } else { format!("; {} changed nothing", counted(skipped, "other")) };
    let (games, moves) = (counted(learned, "game"), counted(added, "move"));
    note!("{} learned from {games}, {moves} added{skipped}", args.book.display());
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

/// Runs `book unlearn`.
pub fn unlearn(args: &Unlearn) -> Result<(), CommandError> {
    let mut book = open_for_learning(&args.book)?;
    let count = if args.all { u64::MAX } else { args.games };
    let mut undone = 0;
    while undone < count && book.undo().map_err(|error| learning_failure(&args.book, error))?.is_some() {
        undone += 1;
    }
    let remaining = counted(book.games().len() as u64, "game");
    note!("{} undone, {remaining} remaining in the journal", counted(undone, "game"));
    Ok(())
}

/// Runs `book journal`.
pub fn show_journal(book: &Path, out: &mut impl Write) -> Result<(), CommandError> {
    let games = JournalEntry::read_all(book).map_err(|error| learning_failure(book, error))?;
    for (number, game) in (1..).zip(&games) {
        let (changes, added) = (counted(game.changes.len() as u64, "move"), game.added());
        let name: String = game.name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        writeln!(out, "{number:>6}  {changes:>9}  {added:>3} added  {name}")?;
    }
    Ok(())
}

fn open_for_learning(path: &Path) -> Result<LearningBook, CommandError> {
    LearningBook::open(path).map_err(|error| learning_failure(path, error))
}

fn learning_failure(book: &Path, error: LearningError) -> CommandError {
    match error {
        LearningError::File { path, error } => CommandError::File { path, error },
        error @ (LearningError::Book(_) | LearningError::Write(_)) => unusable(book, &error),
        error => CommandError::Failed(error.to_string()),
    }
}
