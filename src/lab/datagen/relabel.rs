//! Rescoring of existing games: every scored position is searched again.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::file::GameReader;
use super::record::GameRecord;
use super::run::{GameSource, Made, Tasks, Worker};
use super::settings::{FixedNodesEngine, SearchSettings};
use crate::console::Result;
use crate::engine::EngineError;
use crate::lab::unusable;
use crate::rules::RuleSet;
use crate::util::shard::Shard;

/// Identity of a file of games.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Origin {
    /// Number of readable games with distinct numbers.
    pub games: u64,
    /// The highest of these numbers; `None` without games.
    pub highest: Option<u64>,
    /// Sum of the CRC-32 of the whole lines in eight hexadecimal digits, independent of their order.
    pub checksum: String,
    /// Settings in its header; `null` when they are damaged.
    pub settings: serde_json::Value,
}

/// Games to rescore. Numbers, moves, results and endings are kept.
#[derive(Clone, Debug)]
pub struct Relabelling {
    /// Settings of the searches, with the rules that the games were played by.
    pub search: SearchSettings,
    pub shard: Shard,
    pub threads: NonZeroUsize,
    pub origin: Origin,
    path: PathBuf,
    numbers: HashSet<u64>,
}

impl Relabelling {
    /// Scans a file of games. Those that cannot be used are reported on standard error.
    pub fn read(path: &Path, search: SearchSettings, shard: Shard, threads: NonZeroUsize) -> Result<Relabelling> {
        // A pipe cannot be read twice.
        if path.exists() && !path.is_file() {
            return Err(unusable(path, "not a regular file"));
        }
        let mut games = GameReader::open(path)?;
        let settings: Option<serde_json::Value> = games.settings().and_then(|text| serde_json::from_str(text).ok());
        let settings = settings.unwrap_or_default();
        let (mut numbers, mut sum) = (HashSet::new(), 0_u32);
        while let Some(game) = games.next() {
            let game = game?;
            if !numbers.insert(game.number) {
                games.leave_out(format_args!("game {} occurs twice; only the first is used", game.number));
                continue;
            }
            sum = sum.wrapping_add(crc32fast::hash(game.to_line().as_bytes()));
        }
        let rules = settings.get("rules").and_then(|rules| RuleSet::from_name(rules.as_str()?));
        let search = SearchSettings { rules: rules.unwrap_or(search.rules), ..search };
        let highest = numbers.iter().copied().max();
        let origin = Origin { games: numbers.len() as u64, highest, checksum: format!("{sum:08x}"), settings };
        Ok(Relabelling { search, shard, threads, origin, path: path.to_owned(), numbers })
    }

    fn is_own(&self, number: u64) -> bool {
        self.shard.has(number) && self.numbers.contains(&number)
    }
}

impl GameSource for Relabelling {
    /// Game with its earlier scores.
    type Task = GameRecord;

    fn settings(&self) -> String {
        self.search.to_json_with(json!({ "shard": self.shard, "relabel": self.origin }))
    }

    fn threads(&self) -> NonZeroUsize {
        self.threads
    }

    fn missing(&self, present: &HashSet<u64>) -> u64 {
        let is_missing = |number: &&u64| self.shard.has(**number) && !present.contains(*number);
        self.numbers.iter().filter(is_missing).count() as u64
    }

    fn tasks<'a>(&'a self, present: &'a HashSet<u64>) -> Result<Tasks<'a, GameRecord>> {
        let games = GameReader::open(&self.path)?.silent();
        let mut seen = HashSet::new();
        // Games that were appended after the scan are no part of the source.
        let mut is_wanted = move |number: u64| self.is_own(number) && seen.insert(number) && !present.contains(&number);
        Ok(Box::new(games.filter_map(Result::ok).filter(move |game| is_wanted(game.number))))
    }

    fn worker(&self) -> Result<Worker<'_, GameRecord>, EngineError> {
        let mut engine = FixedNodesEngine::new(&self.search)?;
        Ok(Box::new(move |mut game| {
            engine.forget();
            let (mut position, before) = (game.opening.position(), engine.nodes);
            for played in &mut game.moves {
                played.score = engine.search(position.clone())?.score;
                position.make(played.mv);
            }
            Ok(Made::Game(Box::new(game), engine.nodes - before))
        }))
    }
}
