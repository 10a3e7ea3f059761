//! Merging of game files made on several machines. All games are held in memory, in the form of their files.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};
use std::path::PathBuf;

use super::file::GameReader;
use super::record::header_line;
use super::relabel::Origin;
use super::settings::{Map, difference};
use crate::console::{Progress, Result, counted, note};
use crate::lab::unusable;
use crate::util::shard::Shard;

/// Setting in which merged files may differ.
const SHARD: &str = "shard";
/// Maximum number of shards, and of runs of games, that are named as missing.
const MAX_LISTED: usize = 10;

/// Merge of files with games of the same settings.
#[derive(Debug, Default)]
pub struct Merge {
    settings: Map,
    shards: Vec<Shard>,
    /// Hash of the moves, and line, of each game by its number.
    games: BTreeMap<u64, (u64, String)>,
    /// Number of exact duplicates that were dropped.
    pub duplicates: u64,
    /// Number of games that were dropped because a different game has the same number.
    pub conflicts: u64,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Missing {
    pub expected: u64,
    /// Number of games that are in no file.
    pub count: u64,
    /// Lines for the user about shards and games, at most a few of each.
    pub lines: Vec<String>,
}

impl Missing {
    pub fn is_empty(&self) -> bool {
        self.count == 0 && self.lines.is_empty()
    }
}

impl Merge {
    /// Reads the files. Damage, repeated shards and games that differ are reported on standard error.
    pub fn read(paths: &[PathBuf]) -> Result<Merge> {
        let mut merge = Merge::default();
        let mut progress = Progress::bar(paths.len() as u64);
        for (index, path) in paths.iter().enumerate() {
            let mut games = GameReader::open(path)?;
            let Some(settings) = games.settings() else {
                let fault =
                    "its header with the settings of its games is damaged; merge without it to see what is missing";
                return Err(unusable(path, fault));
            };
            let mut settings: Map = serde_json::from_str(settings).unwrap_or_default();
            let shard = settings.remove(SHARD).and_then(|shard| shard.as_str()?.parse().ok()).unwrap_or_default();
            if index == 0 {
                merge.settings = settings;
            } else if let Some(difference) = difference(&text(&settings), &text(&merge.settings)) {
                let first = paths[0].display();
                let fault =
                    format!("its games were made with other settings than {first}: {difference}; leave one out");
                return Err(unusable(path, fault));
            }
            if let Some(before) = merge.shards.iter().position(|other| *other == shard) {
                note!("{}: repeats shard {shard} of {}", path.display(), paths[before].display());
            }
            merge.shards.push(shard);
            while let Some(game) = games.next() {
                let game = game?;
                let (number, line) = (game.number, game.to_line());
                match merge.games.get(&number) {
                    None => drop(merge.games.insert(number, (game.key(), line))),
                    Some((_, kept)) if *kept == line => merge.duplicates += 1,
                    Some(_) => {
                        merge.conflicts += 1;
                        games.leave_out(format_args!("game {number} differs from the one read before, which is kept"));
                    }
                }
                progress.update(index as u64, || format!("files read: {}", counted(merge.games.len() as u64, "game")));
            }
        }
        progress.finish();
        Ok(merge)
    }

    /// Settings of the merged games as JSON, those of shard 1/1.
    fn settings(&self) -> String {
        let mut settings = self.settings.clone();
        if !settings.is_empty() {
            settings.insert(SHARD.to_owned(), Shard::default().to_string().into());
        }
        text(&settings)
    }

    /// Writes all games by number; of those with the same moves the first. Returns how many were written and left out.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<[u64; 2]> {
        let (mut seen, mut counts) = (HashSet::new(), [0; 2]);
        out.write_all(header_line(&self.settings()).as_bytes())?;
        for (key, line) in self.games.values() {
            let is_repeated = !seen.insert(key);
            counts[usize::from(is_repeated)] += 1;
            if !is_repeated {
                out.write_all(line.as_bytes())?;
            }
        }
        Ok(counts)
    }

    /// Returns the missing games out of `games`; without it the origin of rescored games or the highest number decides.
    ///
    /// For rescored games the origin says how many there are, and whether their numbers have gaps: then only their
    /// number is known. All other numbers start at 0.
    pub fn missing(&self, games: Option<u64>) -> Missing {
        let origin: Option<Origin> =
            self.settings.get("relabel").and_then(|origin| serde_json::from_value(origin.clone()).ok());
        let seeming = self.games.keys().next_back().map_or(0, |last| last.saturating_add(1));
        let expected = games.or(origin.as_ref().map(|origin| origin.games)).unwrap_or(seeming);
        let is_dense = origin
            .is_none_or(|origin| origin.highest.is_some_and(|highest| highest.checked_add(1) == Some(origin.games)));
        let own: Vec<u64> = self.games.keys().copied().take_while(|number| !is_dense || *number < expected).collect();
        let count = expected.saturating_sub(own.len() as u64);
        let mut lines = self.missing_shards(&own, expected, is_dense);
        if is_dense && count > 0 {
            let mut runs = missing_runs(&own, expected);
            if runs.len() > MAX_LISTED {
                runs.truncate(MAX_LISTED);
                runs.push("...".to_owned());
            }
            lines.push(format!("missing games: {}", runs.join(", ")));
        }
        Missing { expected, count, lines }
    }

    /// Returns a line for each of the first shards that lack games; none where shards of several counts are mixed.
    fn missing_shards(&self, own: &[u64], expected: u64, is_dense: bool) -> Vec<String> {
        let step = self.shards.first().map_or(1, |shard| shard.step());
        if self.shards.iter().any(|shard| shard.step() != step) {
            return Vec::new();
        }
        let mut present: BTreeMap<u64, u64> = self.shards.iter().map(|shard| (shard.first(), 0)).collect();
        for number in own {
            present.entry(number % step).and_modify(|count| *count += 1);
        }
        // A shard beyond the last game has no games.
        let all = if is_dense { step.min(expected) } else { step };
        let lacking = (0..all).filter_map(|first| {
            let shard = Shard::new(first + 1, step)?;
            let games = shard.count(expected);
            match present.get(&first) {
                None => Some(format!("shard {shard} is missing: no file of it")),
                Some(count) if is_dense && *count < games => Some(format!(
                    "shard {shard} is incomplete: {} of {} missing",
                    games - count,
                    counted(games, "game")
                )),
                Some(_) => None,
            }
        });
        let mut lines: Vec<String> = lacking.take(MAX_LISTED + 1).collect();
        if lines.len() > MAX_LISTED {
            lines[MAX_LISTED] = "further shards lack games".to_owned();
        }
        lines
    }
}

fn text(settings: &Map) -> String {
    serde_json::Value::Object(settings.clone()).to_string()
}

/// Returns the first runs of numbers below `expected` that are not among the sorted `own`, one more than are named.
fn missing_runs(own: &[u64], expected: u64) -> Vec<String> {
    let (mut runs, mut next) = (Vec::new(), 0);
    for &number in own.iter().chain([&expected]) {
        match number.saturating_sub(next) {
            0 => {}
            1 => runs.push(next.to_string()),
            _ => runs.push(format!("{next}-{}", number - 1)),
        }
        if runs.len() > MAX_LISTED {
            break;
        }
        next = number.saturating_add(1);
    }
    runs
}
