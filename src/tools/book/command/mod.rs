//! The `book` command.

mod build;
mod convert;
mod learn;
mod show;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Subcommand;

use crate::book::{Book, Record, write};
use crate::console::error::CommandError;
use crate::console::progress::counted;
use crate::position::Strictness;
use crate::util::atomic_file::write_atomically;

/// Text below the list of subcommands in the help.
pub const HELP: &str = "\
A book holds the moves played in each position and the results of their games. Commands for which BOOK is
optional use the built-in book by default.

Examples:
  chuhe book probe startpos h2e2
  chuhe book tree --lines 20
  chuhe book build games.pgn --out own.book
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
    #[command(after_help = learn::LEARN_HELP)]
    Learn(learn::Learn),
    /// Undo the last updates of a book.
    #[command(after_help = learn::UNLEARN_HELP)]
    Unlearn(learn::Unlearn),
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
        BookTask::Learn(args) => learn::learn(args, strictness),
        BookTask::Unlearn(args) => learn::unlearn(args),
        BookTask::Journal { book } => learn::show_journal(book, out),
        BookTask::Export(args) => convert::export_book(args, out),
        BookTask::Import(args) => convert::import_book(args),
        BookTask::Info { book } => show::info(book.as_deref(), out),
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

fn save_bytes(path: &Path, bytes: &[u8], moves: usize) -> Result<(), CommandError> {
    write_atomically(path, bytes).map_err(|error| CommandError::File { path: path.to_owned(), error })?;
    let (moves, bytes) = (counted(moves as u64, "move"), counted(bytes.len() as u64, "byte"));
    eprintln!("chuhe: {moves} written to {}, {bytes}", path.display());
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
