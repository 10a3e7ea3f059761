//! Book files and figures that the subcommands of `book` share.

use std::fs;
use std::path::Path;

use crate::book::{Book, Record, journal_path, write};
use crate::console::error::CommandError;
use crate::console::{counted, note};
use crate::util::atomic_file::write_atomically;

/// Opens a book file, or the built-in book without a path.
pub(super) fn open(path: Option<&Path>) -> Result<Book, CommandError> {
    let Some(path) = path else { return Ok(Book::embedded()) };
    Book::open(path).map_err(|error| unusable(path, &error))
}

pub(super) fn unusable(path: &Path, fault: &impl ToString) -> CommandError {
    CommandError::Unusable { path: path.to_owned(), fault: fault.to_string() }
}

pub(super) fn save(path: &Path, records: &[Record], provenance: &str) -> Result<(), CommandError> {
    let bytes = write(records, provenance).map_err(|error| unusable(path, &error))?;
    save_bytes(path, &bytes, records.len())
}

/// Refuses to replace a book that learns: its journal would belong to no book.
pub(super) fn refuse_learning_book(path: &Path) -> Result<(), CommandError> {
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

pub(super) fn save_bytes(path: &Path, bytes: &[u8], moves: usize) -> Result<(), CommandError> {
    write_atomically(path, bytes).map_err(|error| CommandError::File { path: path.to_owned(), error })?;
    let (moves, bytes) = (counted(moves as u64, "move"), counted(bytes.len() as u64, "byte"));
    note!("{moves} written to {}, {bytes}", path.display());
    Ok(())
}

/// Formats a share as a percentage with one decimal.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

/// Returns `part / whole`; 0 for an empty whole.
pub(super) fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}
