//! An engine that searches with fixed nodes, set up in the one way in which games are played and scored anew.

use std::sync::Arc;
use std::time::Duration;

use super::run::RunError;
use crate::engine::{Engine, EngineError};
use crate::eval::Knowledge;
use crate::position::Position;
use crate::rules::{RuleSet, Rules};
use crate::search::{Limits, Outcome};
use crate::tools::datagen::NamedNetwork;

/// What the scores of searches depend on beside the program and what the engine saw of a game before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Searching {
    /// No iteration of a search is begun after so many nodes.
    pub nodes: u64,
    /// A search ends within an iteration after so many nodes.
    pub hard_nodes: u64,
    /// The table of the engine in megabytes.
    pub hash: usize,
    /// The law of repetition.
    pub rules: RuleSet,
    /// How much of the evaluation is known.
    pub knowledge: Knowledge,
    /// The network that says what positions are worth; `None` for the one that the program brings along.
    pub network: Option<NamedNetwork>,
}

/// The level that settings name; everything is known when they name none.
pub(super) fn knowledge_in_settings(name: Option<&str>) -> Knowledge {
    name.and_then(Knowledge::from_name).unwrap_or_default()
}

/// How settings name a level.
pub fn knowledge_for_settings(level: Knowledge) -> Option<String> {
    (level != Knowledge::default()).then(|| level.name().to_owned())
}

/// What searches took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    /// Their nodes.
    pub nodes: u64,
    /// The time that they tell of.
    pub elapsed: Duration,
}

impl Effort {
    fn add(&mut self, outcome: &Outcome) {
        self.nodes += outcome.nodes;
        self.elapsed += outcome.elapsed;
    }
}

/// An engine of one thread and its limits.
pub(super) struct Searcher {
    engine: Engine,
    limits: Limits,
}

impl Searcher {
    /// Sets up an engine. Whatever scores depend on is set here and nowhere else.
    ///
    /// # Errors
    /// When there is no memory for its table, or its network is not at hand.
    pub fn new(searching: &Searching) -> Result<Searcher, RunError> {
        let mut engine = Engine::with_hash(searching.hash)?;
        engine.set_option("rules", searching.rules.name())?;
        engine.set_option("knowledge", searching.knowledge.name())?;
        if let Some(other) = &searching.network {
            let missing = || RunError::Network { checksum: other.checksum().to_owned() };
            engine.set_network(Arc::clone(other.network().ok_or_else(missing)?))?;
        }
        let limits =
            Limits { soft_nodes: Some(searching.nodes), nodes: Some(searching.hard_nodes), ..Limits::default() };
        Ok(Searcher { engine, limits })
    }

    /// Forgets the game before.
    pub fn forget(&mut self) {
        self.engine.new_game();
    }

    /// The rules that it searches by.
    pub fn rules(&self) -> Rules {
        self.engine.options().rules()
    }

    /// Searches a position with the game before it, on the calling thread, and adds what that took to `effort`.
    pub fn search(&mut self, position: Position, effort: &mut Effort) -> Result<Outcome, EngineError> {
        self.engine.set_position(position);
        let outcome = self.engine.search_on_current_thread(&self.limits, &mut ())?;
        effort.add(&outcome);
        Ok(outcome)
    }
}
