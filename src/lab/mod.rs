//! The laboratory for engine makers, one folder a feature: what makes networks, weights and openings.

pub mod datagen;
pub mod openings;
pub mod selfplay;
pub mod training;
pub mod tree_statistics;
pub mod tuning;

use std::io;
use std::path::Path;

use crate::console::error::CommandError;

/// Adds the path to an error of the system.
fn in_file(path: &Path) -> impl Fn(io::Error) -> CommandError {
    move |error| CommandError::File { path: path.to_owned(), error }
}

/// Returns the error of a file whose content cannot be used.
fn unusable(path: &Path, fault: impl Into<String>) -> CommandError {
    CommandError::Unusable { path: path.to_owned(), fault: fault.into() }
}
