//! Games that were played before, with every score searched anew.

use std::collections::HashSet;
use std::fs::File;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::reader::{GameReader, HeaderError, RecordError};
use super::record::GameRecord;
use super::run::{Jobs, Maker, RunError, Work};
use super::searcher::{Effort, Searcher, Searching, knowledge_for_settings, knowledge_in_settings};
use super::settings::Settings;
use crate::engine::EngineError;
use crate::rules::RuleSet;
use crate::tools::datagen::NamedNetwork;
use crate::util::shard::Shard;

/// Everything that the scores of a file depend on whose games were scored anew. The names in files and messages are
/// those of the options.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RelabelSettings {
    /// The version of the program and the fingerprint of its search.
    pub program: String,
    /// Which part of the games is scored.
    pub shard: Shard,
    /// No iteration of a search is begun after so many nodes.
    pub nodes: u64,
    /// A search ends within an iteration after so many nodes.
    pub hard_nodes: u64,
    /// The table of the engine in megabytes.
    pub hash: usize,
    /// The law of repetition.
    pub rules: String,
    /// How much of the evaluation is known, when it is not everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<String>,
    /// The network, when it is not the one that the program brings along.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evalfile: Option<NamedNetwork>,
    /// Where the games come from.
    pub relabel: Origin,
}

/// What tells a file of games from others.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Origin {
    /// How many games of different numbers can be read.
    pub games: u64,
    /// The sum of the checksums of their records, in eight hexadecimal digits: the order of the games is all the same.
    pub checksum: String,
    /// The settings in its header, `null` when they cannot be read.
    pub settings: serde_json::Value,
}

impl RelabelSettings {
    /// The settings as they stand in a file: one JSON object.
    pub fn to_json(&self) -> String {
        match serde_json::to_string(self) {
            Ok(text) => text,
            Err(error) => unreachable!("numbers and words can be written as JSON: {error}"),
        }
    }

    /// What its searches depend on.
    pub fn searching(&self) -> Searching {
        let RelabelSettings { nodes, hard_nodes, hash, .. } = *self;
        let rules = RuleSet::from_name(&self.rules).unwrap_or_default();
        Searching {
            nodes,
            hard_nodes,
            hash,
            rules,
            knowledge: knowledge_in_settings(self.knowledge.as_deref()),
            network: self.evalfile.clone(),
        }
    }
}

/// A file of games to be scored anew.
#[derive(Clone, Debug)]
pub struct Source {
    path: PathBuf,
    origin: Origin,
    numbers: HashSet<u64>,
    /// Which of the records that can be read, 0 for the first, have the number of one before.
    repeats: HashSet<u64>,
}

/// Something in a file that cannot be scored anew.
#[derive(Debug, Error)]
pub enum SourceFault {
    /// A record that is no game.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A game whose number was there before.
    #[error("game {0} is there twice; only the first one is taken")]
    Repeated(u64),
}

impl Source {
    /// Finds out which games are in a file, and tells `listen` of what is none.
    ///
    /// # Errors
    /// When it is no file of games.
    pub fn read(path: &Path, listen: &mut dyn FnMut(SourceFault)) -> Result<Source, HeaderError> {
        let mut reader = GameReader::new(File::open(path)?)?;
        let settings = reader.header().and_then(|header| serde_json::from_str(&header.settings).ok());
        let (mut numbers, mut repeats) = (HashSet::new(), HashSet::new());
        let (mut records, mut sum) = (0, 0_u32);
        while let Some(record) = reader.next() {
            match record {
                Ok(record) if numbers.insert(record.number) => sum = sum.wrapping_add(reader.last_record().checksum),
                Ok(record) => {
                    repeats.insert(records);
                    listen(SourceFault::Repeated(record.number));
                }
                Err(error) => {
                    listen(error.into());
                    continue;
                }
            }
            records += 1;
        }
        let origin = Origin {
            games: numbers.len() as u64,
            checksum: format!("{sum:08x}"),
            settings: settings.unwrap_or_default(),
        };
        Ok(Source { path: path.to_owned(), origin, numbers, repeats })
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What tells it from others.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The rules that its games were played by, if it tells.
    pub fn rules(&self) -> Option<RuleSet> {
        self.origin.settings.get("rules")?.as_str().and_then(RuleSet::from_name)
    }
}

/// Games to be scored anew, and how. Numbers, moves, results and endings stay as they are.
#[derive(Clone, Debug)]
pub struct Relabelling {
    /// What the scores depend on.
    pub settings: RelabelSettings,
    /// The games.
    pub source: Source,
    /// How many are scored at once.
    pub threads: NonZeroUsize,
}

impl Relabelling {
    /// The scores of these games by this program, with these searches.
    pub fn new(source: Source, searching: &Searching, shard: Shard, threads: NonZeroUsize) -> Relabelling {
        let settings = RelabelSettings {
            program: Settings::this_program(),
            shard,
            nodes: searching.nodes,
            hard_nodes: searching.hard_nodes,
            hash: searching.hash,
            rules: searching.rules.name().to_owned(),
            knowledge: knowledge_for_settings(searching.knowledge),
            evalfile: searching.network.clone(),
            relabel: source.origin.clone(),
        };
        Relabelling { settings, source, threads }
    }
}

impl Work for Relabelling {
    /// The game as it was.
    type Job = GameRecord;

    fn settings(&self) -> String {
        self.settings.to_json()
    }

    fn threads(&self) -> NonZeroUsize {
        self.threads
    }

    fn missing(&self, there: &HashSet<u64>) -> u64 {
        let is_missing = |number: &&u64| self.settings.shard.has(**number) && !there.contains(*number);
        self.source.numbers.iter().filter(is_missing).count() as u64
    }

    fn jobs<'a>(&'a self, there: &'a HashSet<u64>) -> Result<Jobs<'a, GameRecord>, RunError> {
        let path = &self.source.path;
        let in_source = |error| RunError::Source { path: path.clone(), error };
        let file = File::open(path).map_err(|error| in_source(error.into()))?;
        let games = GameReader::new(file).map_err(in_source)?.filter_map(Result::ok);
        let is_first = |index: u64| !self.source.repeats.contains(&index);
        let is_wanted = |number: u64| self.settings.shard.has(number) && !there.contains(&number);
        let jobs = (0..).zip(games).filter(move |(index, game)| is_first(*index) && is_wanted(game.number));
        Ok(Box::new(jobs.map(|(_, game)| game)))
    }

    fn maker(&self) -> Result<Maker<'_, GameRecord>, RunError> {
        let mut searcher = Searcher::new(&self.settings.searching())?;
        Ok(Box::new(move |mut game, effort| {
            score(&mut searcher, &mut game, effort)?;
            Ok(Ok(game))
        }))
    }
}

/// Searches every position of a game that has a score, in the order of the game.
fn score(searcher: &mut Searcher, game: &mut GameRecord, effort: &mut Effort) -> Result<(), EngineError> {
    searcher.forget();
    let mut position = game.opening.position();
    for played in &mut game.moves {
        played.score = searcher.search(position.clone(), effort)?.score;
        position.make(played.mv);
    }
    Ok(())
}
