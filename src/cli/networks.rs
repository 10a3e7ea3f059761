//! Networks as they stand in arguments.

use std::path::Path;
use std::sync::Arc;

use super::failure::Failure;
use crate::engine::{NetworkFileError, read_network};
use crate::eval::network::Network;

/// The network in a file.
pub(super) fn network_in(path: &Path) -> Result<Arc<Network>, Failure> {
    read_network(path).map_err(|error| match error {
        NetworkFileError::Unreadable(error) => Failure::File { path: path.to_owned(), error },
        error => Failure::Unusable { path: path.to_owned(), fault: error.to_string() },
    })
}
