//! Networks as they stand in arguments.

use std::path::Path;
use std::sync::Arc;

use crate::console::error::CommandError;
use crate::engine::{NetworkFileError, read_network};
use crate::eval::network::Network;

/// The network in a file.
pub fn network_in(path: &Path) -> Result<Arc<Network>, CommandError> {
    read_network(path).map_err(|error| match error {
        NetworkFileError::Unreadable(error) => CommandError::File { path: path.to_owned(), error },
        error => CommandError::Unusable { path: path.to_owned(), fault: error.to_string() },
    })
}
