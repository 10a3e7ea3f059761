//! Rescoring of existing games: every scored position is searched again.

use std::collections::HashSet;
use std::fs::File;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::RunError;
use super::engine::NamedNetwork;
use super::engine::{FixedNodesEngine, SearchCost, SearchSettings, knowledge_from_name, knowledge_name};
use super::reader::{GameReader, HeaderError};
use super::record::GameRecord;
use super::run::{GameSource, Tasks, Worker};
use crate::engine::EngineError;
use crate::engine::bench;
use crate::rules::RuleSet;
use crate::util::shard::Shard;

/// Settings that decide the scores of rescored games. Names in files and messages are those of the options.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RelabelSettings {
    /// Version of the program and signature of its search.
    pub program: String,
    /// Part of the games that is rescored.
    pub shard: Shard,
    /// Soft node limit: no new iteration starts beyond it.
    pub nodes: u64,
    /// Hard node limit: a search stops within an iteration.
    pub hard_nodes: u64,
    /// Hash size of the engine in megabytes.
    pub hash: usize,
    /// Rules of repetition.
    pub rules: String,
    /// Knowledge level of the evaluation; `None` for the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<String>,
    /// Network; `None` for the embedded one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evalfile: Option<NamedNetwork>,
    /// Source of the games.
    pub relabel: Origin,
}

/// Identity of a file of games.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Origin {
    /// Number of readable games with distinct numbers.
    pub games: u64,
    /// The highest of these numbers; `None` without games and in files of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub highest: Option<u64>,
    /// Sum of the record checksums in eight hexadecimal digits, independent of the order of the games.
    pub checksum: String,
    /// Settings in its header; `null` when they are damaged.
    pub settings: serde_json::Value,
}

impl RelabelSettings {
    /// Returns the settings as one JSON object.
    pub fn to_json(&self) -> String {
        match serde_json::to_string(self) {
            Ok(text) => text,
            Err(error) => unreachable!("numbers and words can be written as JSON: {error}"),
        }
    }

    /// Returns the settings of the searches.
    pub fn search_settings(&self) -> SearchSettings {
        let RelabelSettings { nodes, hard_nodes, hash, .. } = *self;
        let rules = RuleSet::from_name(&self.rules).unwrap_or_default();
        SearchSettings {
            nodes,
            hard_nodes,
            hash,
            rules,
            knowledge: knowledge_from_name(self.knowledge.as_deref()),
            network: self.evalfile.clone(),
        }
    }
}

/// File of games to rescore.
#[derive(Clone, Debug)]
pub struct RelabelSource {
    path: PathBuf,
    origin: Origin,
    numbers: HashSet<u64>,
    /// Indices of readable records, from 0, whose number occurred before.
    repeats: HashSet<u64>,
}

impl RelabelSource {
    /// Scans a file and calls `on_fault` for every record that cannot be used.
    ///
    /// # Errors
    /// [`HeaderError`] when it is no game file, or cannot be read to its end.
    pub fn read(path: &Path, on_fault: &mut dyn FnMut(String)) -> Result<RelabelSource, HeaderError> {
        let mut reader = GameReader::new(File::open(path)?)?;
        let settings = reader.header().and_then(|header| serde_json::from_str(&header.settings).ok());
        let (mut numbers, mut repeats) = (HashSet::new(), HashSet::new());
        let (mut records, mut sum) = (0, 0_u32);
        while let Some(record) = reader.next() {
            match record {
                Ok(record) if numbers.insert(record.number) => sum = sum.wrapping_add(reader.last_record().checksum),
                Ok(record) => {
                    repeats.insert(records);
                    on_fault(format!("game {} occurs twice; only the first is used", record.number));
                }
                Err(error) => match error.read_error() {
                    Some(error) => return Err(error.into()),
                    None => {
                        on_fault(error.to_string());
                        continue;
                    }
                },
            }
            records += 1;
        }
        let origin = Origin {
            games: numbers.len() as u64,
            highest: numbers.iter().copied().max(),
            checksum: format!("{sum:08x}"),
            settings: settings.unwrap_or_default(),
        };
        Ok(RelabelSource { path: path.to_owned(), origin, numbers, repeats })
    }

    /// Identity of the file.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Rules that the games were played by, if the header names them.
    pub fn rules(&self) -> Option<RuleSet> {
        self.origin.settings.get("rules")?.as_str().and_then(RuleSet::from_name)
    }
}

/// Games to rescore. Numbers, moves, results and endings are kept.
#[derive(Clone, Debug)]
pub struct Relabelling {
    /// Settings that decide the scores.
    pub settings: RelabelSettings,
    /// Source of the games.
    pub source: RelabelSource,
    /// Number of games rescored in parallel.
    pub threads: NonZeroUsize,
}

impl Relabelling {
    /// Creates the task of rescoring a shard of `source` with this program and these search settings.
    pub fn new(
        source: RelabelSource,
        search_settings: &SearchSettings,
        shard: Shard,
        threads: NonZeroUsize,
    ) -> Relabelling {
        let settings = RelabelSettings {
            program: bench::program_id(),
            shard,
            nodes: search_settings.nodes,
            hard_nodes: search_settings.hard_nodes,
            hash: search_settings.hash,
            rules: search_settings.rules.name().to_owned(),
            knowledge: knowledge_name(search_settings.knowledge),
            evalfile: search_settings.network.clone(),
            relabel: source.origin.clone(),
        };
        Relabelling { settings, source, threads }
    }
}

impl GameSource for Relabelling {
    /// Game with its earlier scores.
    type Task = GameRecord;

    fn settings(&self) -> String {
        self.settings.to_json()
    }

    fn threads(&self) -> NonZeroUsize {
        self.threads
    }

    fn missing(&self, present: &HashSet<u64>) -> u64 {
        let is_missing = |number: &&u64| self.settings.shard.has(**number) && !present.contains(*number);
        self.source.numbers.iter().filter(is_missing).count() as u64
    }

    fn tasks<'a>(&'a self, present: &'a HashSet<u64>) -> Result<Tasks<'a, GameRecord>, RunError> {
        let path = &self.source.path;
        let in_source = |error| RunError::Source { path: path.clone(), error };
        let file = File::open(path).map_err(|error| in_source(error.into()))?;
        let games = GameReader::new(file).map_err(in_source)?.filter_map(Result::ok);
        let is_first = |index: u64| !self.source.repeats.contains(&index);
        // Games that were appended after the scan are no part of the source.
        let is_wanted = |number: u64| {
            self.source.numbers.contains(&number) && self.settings.shard.has(number) && !present.contains(&number)
        };
        let tasks = (0..).zip(games).filter(move |(index, game)| is_first(*index) && is_wanted(game.number));
        Ok(Box::new(tasks.map(|(_, game)| game)))
    }

    fn worker(&self) -> Result<Worker<'_, GameRecord>, RunError> {
        let mut engine = FixedNodesEngine::new(&self.settings.search_settings())?;
        Ok(Box::new(move |mut game, cost| {
            score(&mut engine, &mut game, cost)?;
            Ok(Ok(game))
        }))
    }
}

/// Searches every scored position of a game in order.
fn score(engine: &mut FixedNodesEngine, game: &mut GameRecord, cost: &mut SearchCost) -> Result<(), EngineError> {
    engine.forget();
    let mut position = game.opening.position();
    for played in &mut game.moves {
        played.score = engine.search(position.clone(), cost)?.score;
        position.make(played.mv);
    }
    Ok(())
}
