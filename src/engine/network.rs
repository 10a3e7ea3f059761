//! Network files for the evaluation.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use crate::eval::network::{Network, NetworkError};
use crate::util::time_limit::{TIME_TO_OPEN, within};

/// Reason why a network file cannot be used.
#[derive(Debug, Error)]
pub enum NetworkFileError {
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] io::Error),
    /// The path names a folder, a pipe or the like.
    #[error("it is not a regular file")]
    Special,
    /// The file does not hold a usable network.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

/// Reads a network from a file.
///
/// # Errors
/// [`NetworkFileError`] if the file cannot be read or does not hold a usable network.
pub fn read_network(path: &Path) -> Result<Arc<Network>, NetworkFileError> {
    // Opening a pipe would block until a writer opens it.
    if path.exists() && !path.is_file() {
        return Err(NetworkFileError::Special);
    }
    // One byte more than the largest network shows that a file is too long; the rest is not read.
    let mut bytes = Vec::new();
    File::open(path)?.take(Network::MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(Arc::new(Network::from_bytes(&bytes)?))
}

/// Reads the network of this name; the empty name is the built-in network.
///
/// # Errors
/// A message with the name of the file.
pub(super) fn open_network(name: &str) -> Result<Arc<Network>, String> {
    if name.is_empty() {
        return Ok(Network::embedded());
    }
    let path = PathBuf::from(name);
    let read = within(TIME_TO_OPEN, move || read_network(&path)).map_err(NetworkFileError::from);
    read.flatten().map_err(|error| format!("{name}: {error}"))
}
