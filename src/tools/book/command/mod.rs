//! The `book` command: what is wanted, and who does it.

mod build;
mod import;
mod info;
mod learn;
mod merge;
mod probe;
mod text;
mod tree;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Subcommand;

use crate::book::{Book, Record, write};
use crate::console::error::CommandError;
use crate::console::progress::counted;
use crate::position::Strictness;
use crate::util::atomic_file::write_atomically;

/// What stands below the commands in the help.
pub const HELP: &str = "\
A book knows which moves were played in a position and how their games ended. Where BOOK may be left out,
the book that is part of the program is meant.

Examples:
  chuhe book probe startpos h2e2
  chuhe book tree --lines 20
  chuhe book build games.pgn --out own.book
  chuhe book merge own.book other.book --out both.book";

/// What `book` is asked for.
#[derive(Subcommand, Debug)]
pub enum BookTask {
    /// Make a book of the moves that were played in games.
    #[command(after_help = build::HELP)]
    Build(Box<build::Build>),
    /// Make one book of several.
    #[command(after_help = merge::HELP)]
    Merge(merge::Merge),
    /// Let a book learn from games.
    #[command(after_help = learn::HELP)]
    Learn(learn::Learn),
    /// Undo what a book learned last.
    #[command(after_help = learn::UNLEARN_HELP)]
    Unlearn(learn::Unlearn),
    /// Show which games a book learned from.
    Journal {
        /// The book.
        book: PathBuf,
    },
    /// Write a book as text.
    #[command(after_help = text::HELP)]
    Export(text::Export),
    /// Make a book of such a text, or of a book of another program.
    #[command(after_help = import::HELP)]
    Import(import::Import),
    /// Show what a book is made of.
    #[command(after_help = "\
Examples:
  chuhe book info
  chuhe book info own.book")]
    Info {
        /// The book.
        book: Option<PathBuf>,
    },
    /// Show which moves a book knows in a position.
    #[command(after_help = probe::HELP)]
    Probe(probe::Probe),
    /// Show the lines of play that a book leads to.
    #[command(after_help = tree::HELP)]
    Tree(tree::Tree),
}

/// Does what the task asks for.
///
/// # Errors
/// [`CommandError`] says what went wrong.
pub fn run(task: &BookTask, strictness: Strictness, out: &mut impl Write) -> Result<(), CommandError> {
    match task {
        BookTask::Build(wanted) => build::build(wanted, strictness),
        BookTask::Merge(wanted) => merge::merge_books(wanted),
        BookTask::Learn(wanted) => learn::learn(wanted, strictness),
        BookTask::Unlearn(wanted) => learn::unlearn(wanted),
        BookTask::Journal { book } => learn::show_journal(book, out),
        BookTask::Export(wanted) => text::export_book(wanted, out),
        BookTask::Import(wanted) => import::import_book(wanted),
        BookTask::Info { book } => info::show(book.as_deref(), out),
        BookTask::Probe(wanted) => probe::probe(wanted, strictness, out),
        BookTask::Tree(wanted) => tree::show(wanted, strictness, out),
    }
}

/// The book of a file, or that of the program.
fn open(path: Option<&Path>) -> Result<Book, CommandError> {
    let Some(path) = path else { return Ok(Book::embedded()) };
    Book::open(path).map_err(|error| unusable(path, &error))
}

fn unusable(path: &Path, fault: &impl ToString) -> CommandError {
    CommandError::Unusable { path: path.to_owned(), fault: fault.to_string() }
}

/// Writes a book into a file and tells of it.
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

/// A share as percents with one digit behind the point.
fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

/// The games of a position, or of a part of its moves.
fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}
