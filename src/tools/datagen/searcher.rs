//! An engine that searches with fixed nodes, set up in the one way in which games are played and scored anew.

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::{Engine, EngineError, NetworkFileError, read_network};
use crate::eval::Knowledge;
use crate::position::Position;
use crate::rules::{RuleSet, Rules};
use crate::search::{Limits, Outcome};

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
    pub network: Option<NetworkFile>,
}

/// The level that settings name; everything is known when they name none.
pub(super) fn known(name: Option<&str>) -> Knowledge {
    name.and_then(Knowledge::from_name).unwrap_or_default()
}

/// How settings name a level.
pub fn named(level: Knowledge) -> Option<String> {
    (level != Knowledge::default()).then(|| level.name().to_owned())
}

/// A network in a file. Settings tell its checksum, which is all that scores depend on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NetworkFile {
    /// The CRC-32 of the file, in eight hexadecimal digits.
    checksum: String,
    /// Where it lies; empty when that was not told.
    #[serde(skip)]
    path: String,
}

impl NetworkFile {
    /// The network in a file.
    ///
    /// # Errors
    /// When there is none that can be used.
    pub fn read(path: &str) -> Result<NetworkFile, NetworkFileError> {
        read_network(Path::new(path))?;
        let checksum = format!("{:08x}", crc32fast::hash(&std::fs::read(path)?));
        Ok(NetworkFile { checksum, path: path.to_owned() })
    }
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
    /// When there is no memory for its table, or no network where there was one.
    pub fn new(searching: &Searching) -> Result<Searcher, EngineError> {
        let mut engine = Engine::with_hash(searching.hash)?;
        engine.set_option("rules", searching.rules.name())?;
        engine.set_option("knowledge", searching.knowledge.name())?;
        if let Some(network) = &searching.network {
            engine.set_option("evalfile", &network.path)?;
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
        let outcome = self.engine.search_here(&self.limits, &mut ())?;
        effort.add(&outcome);
        Ok(outcome)
    }
}
