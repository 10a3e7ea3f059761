//! Networks in settings that are kept in files: the checksum stands there, the numbers do not.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::eval::network::Network;

/// A network that settings name by its checksum. Two are the same when their checksums are.
#[derive(Clone, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct NamedNetwork {
    checksum: String,
    network: Option<Arc<Network>>,
}

impl NamedNetwork {
    /// That network.
    pub fn new(network: Arc<Network>) -> NamedNetwork {
        NamedNetwork { checksum: format!("{:08x}", network.checksum()), network: Some(network) }
    }

    /// That network; `None` when it is the very one that the program brings along.
    pub fn unless_embedded(network: Arc<Network>) -> Option<NamedNetwork> {
        (network != Network::embedded()).then(|| NamedNetwork::new(network))
    }

    /// Its checksum in eight hexadecimal digits; whatever stood in a file, if it is from there.
    pub fn checksum(&self) -> &str {
        &self.checksum
    }

    /// The network itself; `None` when only a file told of it.
    pub fn network(&self) -> Option<&Arc<Network>> {
        self.network.as_ref()
    }
}

impl fmt::Debug for NamedNetwork {
    /// Its checksum: it has 180,000 numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NamedNetwork").field(&self.checksum).finish()
    }
}

impl PartialEq for NamedNetwork {
    fn eq(&self, other: &NamedNetwork) -> bool {
        self.checksum == other.checksum
    }
}

impl Eq for NamedNetwork {}

impl From<String> for NamedNetwork {
    fn from(checksum: String) -> NamedNetwork {
        NamedNetwork { checksum, network: None }
    }
}

impl From<NamedNetwork> for String {
    fn from(network: NamedNetwork) -> String {
        network.checksum
    }
}
