//! The laboratory for engine makers, one folder a feature: what makes networks, weights and openings.

pub mod datagen;
pub mod match_play;
pub mod openings;
pub mod selfplay;
pub mod training;
pub mod tree_statistics;
pub mod tuning;

use std::fs::File;
use std::io;
use std::path::Path;

use crate::console::{CommandError, Result};
use crate::util::files::{LOCK_FILE, create_folder, lock_folder, read_file};

/// Adds the path to an error of the system.
fn in_file(path: &Path) -> impl Fn(io::Error) -> CommandError {
    move |error| CommandError::File { path: path.to_owned(), error }
}

/// Returns the error of a file whose content cannot be used.
fn unusable(path: &Path, fault: impl Into<String>) -> CommandError {
    CommandError::Unusable { path: path.to_owned(), fault: fault.into() }
}

/// Creates a folder, unless it is there, and locks it against other programs.
fn locked_folder(path: &Path) -> Result<File> {
    create_folder(path).map_err(in_file(path))?;
    lock_folder(path).map_err(|error| match error.kind() {
        io::ErrorKind::ResourceBusy => CommandError::Mismatch(format!("{}: {error}", path.display())),
        _ => in_file(&path.join(LOCK_FILE))(error),
    })
}

/// Reads a file of at most `max_bytes`; `None` if there is none.
fn read_if_present(path: &Path, max_bytes: u64) -> Result<Option<Vec<u8>>> {
    match read_file(path, max_bytes) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        bytes => bytes.map(Some).map_err(in_file(path)),
    }
}
