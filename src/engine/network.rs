//! The network that an engine asks what positions are worth.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use thiserror::Error;

use crate::eval::network::{Network, NetworkError};

/// Why the network in a file is not used.
#[derive(Debug, Error)]
pub enum NetworkFileError {
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] io::Error),
    /// It is a folder, a pipe or the like.
    #[error("it is no ordinary file")]
    Special,
    /// It holds no network that can be used.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

/// The network in a file.
///
/// # Errors
/// [`NetworkFileError`].
pub fn read_network(path: &Path) -> Result<Arc<Network>, NetworkFileError> {
    // A pipe would wait for somebody to write into it.
    if path.exists() && !path.is_file() {
        return Err(NetworkFileError::Special);
    }
    // One byte more than any network has tells that a file is too long without reading all of it.
    let mut bytes = Vec::new();
    File::open(path)?.take(Network::MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(Arc::new(Network::from_bytes(&bytes)?))
}

/// The network in the file of this name, the one that the program brings along without a name, or what is wrong with
/// the file, its name first.
pub(super) fn network_of(name: &str) -> Result<Arc<Network>, String> {
    if name.is_empty() {
        return Ok(Network::embedded());
    }
    read_network(Path::new(name)).map_err(|error| format!("{name}: {error}"))
}
