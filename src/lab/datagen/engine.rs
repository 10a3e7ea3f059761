//! Engine with fixed node limits, set up alike for playing and rescoring, and the reference to its network.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::RunError;
use crate::engine::{Engine, EngineError};
use crate::eval::Knowledge;
use crate::eval::network::Network;
use crate::position::Position;
use crate::rules::{RuleSet, Rules};
use crate::search::{Limits, Outcome};

/// Settings that decide the scores of searches, besides the program and the earlier moves of the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchSettings {
    /// Soft node limit: no new iteration starts beyond it.
    pub nodes: u64,
    /// Hard node limit: a search stops within an iteration.
    pub hard_nodes: u64,
    /// Hash size of the engine in megabytes.
    pub hash: usize,
    /// Rules of repetition.
    pub rules: RuleSet,
    /// Knowledge level of the evaluation.
    pub knowledge: Knowledge,
    /// Network; `None` for the embedded one.
    pub network: Option<NamedNetwork>,
}

/// Returns the knowledge level with this name; the default without a name.
pub(super) fn knowledge_from_name(name: Option<&str>) -> Knowledge {
    name.and_then(Knowledge::from_name).unwrap_or_default()
}

/// Returns the name of a knowledge level for settings; `None` for the default.
pub fn knowledge_name(level: Knowledge) -> Option<String> {
    (level != Knowledge::default()).then(|| level.name().to_owned())
}

/// Cost of searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SearchCost {
    /// Nodes searched.
    pub nodes: u64,
    /// Search time.
    pub elapsed: Duration,
}

impl SearchCost {
    fn add(&mut self, outcome: &Outcome) {
        self.nodes += outcome.nodes;
        self.elapsed += outcome.elapsed;
    }
}

/// Single-threaded engine with its node limits.
pub(super) struct FixedNodesEngine {
    engine: Engine,
    limits: Limits,
}

impl FixedNodesEngine {
    /// Sets up an engine. This is the only place where anything is set that scores depend on.
    ///
    /// # Errors
    /// When memory for the hash table or the network is missing.
    pub fn new(search_settings: &SearchSettings) -> Result<FixedNodesEngine, RunError> {
        let mut engine = Engine::with_hash(search_settings.hash)?;
        engine.configure(|options| {
            options.rule_set = search_settings.rules;
            options.knowledge = search_settings.knowledge;
        })?;
        if let Some(other) = &search_settings.network {
            let missing = || RunError::Network { checksum: other.checksum().to_owned() };
            engine.set_network(Arc::clone(other.network().ok_or_else(missing)?))?;
        }
        let limits = Limits {
            soft_nodes: Some(search_settings.nodes),
            nodes: Some(search_settings.hard_nodes),
            ..Limits::default()
        };
        Ok(FixedNodesEngine { engine, limits })
    }

    /// Clears everything learned from earlier games.
    pub fn forget(&mut self) {
        self.engine.new_game();
    }

    /// Rules of the engine.
    pub fn rules(&self) -> Rules {
        self.engine.options().rules()
    }

    /// Searches a position with its history on the calling thread and adds the cost to `cost`.
    pub fn search(&mut self, position: Position, cost: &mut SearchCost) -> Result<Outcome, EngineError> {
        self.engine.set_position(position);
        let outcome = self.engine.search_on_current_thread(&self.limits, &mut ())?;
        cost.add(&outcome);
        Ok(outcome)
    }
}

/// Network that settings name by its checksum. Two are equal when their checksums are.
#[derive(Clone, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct NamedNetwork {
    checksum: String,
    network: Option<Arc<Network>>,
}

impl NamedNetwork {
    /// Creates the reference to a network at hand.
    pub fn new(network: Arc<Network>) -> NamedNetwork {
        NamedNetwork { checksum: format!("{:08x}", network.checksum()), network: Some(network) }
    }

    /// Creates the reference; `None` for the embedded network.
    pub fn unless_embedded(network: Arc<Network>) -> Option<NamedNetwork> {
        (network != Network::embedded()).then(|| NamedNetwork::new(network))
    }

    /// Checksum in eight hexadecimal digits; unchecked text if it was read from a file.
    pub fn checksum(&self) -> &str {
        &self.checksum
    }

    /// The network; `None` when only its checksum was read from a file.
    pub fn network(&self) -> Option<&Arc<Network>> {
        self.network.as_ref()
    }
}

impl fmt::Debug for NamedNetwork {
    /// Prints the checksum only: a network has 180,000 weights.
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
