//! Errors, warnings and missing games found while game files are merged.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::reader::{HeaderError, RecordError};
use super::relabel::Origin;
use super::settings::Difference;
use crate::util::shard::Shard;

/// Input file of a merge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Path of the file.
    pub path: PathBuf,
    /// Shard named in its header.
    pub shard: Shard,
    /// Number of games read from it.
    pub games: u64,
}

/// Location of a game and the hashes it is compared by. The only data kept in memory per game.
#[derive(Clone, Copy, Debug)]
pub(super) struct IndexEntry {
    pub number: u64,
    pub key: u64,
    pub offset: u64,
    pub checksum: u32,
    pub part: u32,
}

/// Error that prevents merging. Nothing is written then.
#[derive(Debug, Error)]
pub enum MergeError {
    /// No input file was given.
    #[error("no file to merge")]
    Nothing,
    /// An input file cannot be used.
    #[error("{}: {fault}", path.display())]
    Part {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        fault: PartFault,
    },
    /// The output cannot be written.
    #[error(transparent)]
    Output(io::Error),
    /// Cancelled by the user.
    #[error("interrupted")]
    Interrupted,
}

/// Cause that makes an input file unusable.
#[derive(Debug, Error)]
pub enum PartFault {
    /// Error reported by the system.
    #[error(transparent)]
    System(#[from] io::Error),
    /// Not a regular file, so it cannot be read twice.
    #[error("not a regular file")]
    NotRegular,
    /// Not a game file.
    #[error(transparent)]
    Header(HeaderError),
    /// The header is damaged, so the settings of the games are unknown.
    #[error("its header with the settings of its games is damaged; merge without it to see what is missing")]
    DamagedHeader,
    /// The games were made with other settings.
    #[error(
        "its games were made with other settings than those of {}: {} is {} there and {} here; leave out one of them",
        first.display(), difference.name(), difference.earlier, difference.now
    )]
    Settings {
        /// Path of the file that it was compared with.
        first: PathBuf,
        /// First option that differs.
        difference: Difference,
    },
    /// The file changed between the two passes.
    #[error("it changed while it was read")]
    Changed,
}

impl PartFault {
    /// Adds the path of the file.
    pub(super) fn at(self, path: &Path) -> MergeError {
        MergeError::Part { path: path.to_owned(), fault: self }
    }
}

/// Problem in the input that does not prevent merging.
#[derive(Debug)]
pub enum Warning<'a> {
    /// Damaged record.
    Fault(&'a Path, RecordError),
    /// Second file with the same shard.
    Repeated {
        /// The shard.
        shard: Shard,
        /// Path of the repeated file.
        path: &'a Path,
        /// Path of the earlier file.
        first: &'a Path,
    },
    /// Two different games with the same number.
    Conflict {
        /// Number of the game.
        number: u64,
        /// Path of the game that is dropped.
        path: &'a Path,
        /// Path of the game that is kept.
        first: &'a Path,
    },
}

/// Maximum number of missing shards, and of missing runs of games, listed in [`Missing`].
const MAX_LISTED: usize = 10;

/// Shard with missing games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IncompleteShard {
    /// The shard.
    pub shard: Shard,
    /// Number of games that the shard should have.
    pub games: u64,
    /// Number of games that are in no file.
    pub missing: u64,
}

/// Games missing from a merge.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MissingGames {
    /// Number of games expected.
    pub expected: u64,
    /// Number of games that are in no file.
    pub count: u64,
    /// First runs of missing game numbers.
    pub runs: Vec<RangeInclusive<u64>>,
    /// First shards without a file. Empty where shards of several counts are mixed.
    pub lost: Vec<Shard>,
    /// Number of shards without a file.
    pub lost_count: u64,
    /// Shards with a file that lacks games.
    pub incomplete: Vec<IncompleteShard>,
}

impl MissingGames {
    /// Finds the missing games. `entries` are sorted by number without duplicates.
    ///
    /// For rescored games `origin` says how many there are, and whether their numbers have gaps: then only the number
    /// of missing games is known. All other numbers start at 0, and without `games` the highest number decides.
    pub(super) fn find(
        parts: &[Part],
        entries: &[IndexEntry],
        games: Option<u64>,
        origin: Option<&Origin>,
    ) -> MissingGames {
        let seeming = entries.last().map_or(0, |last| last.number.saturating_add(1));
        let games = games.or(origin.map(|origin| origin.games)).unwrap_or(seeming);
        // Rescored games may be a selection, whose numbers have gaps of their own.
        let is_dense = origin
            .is_none_or(|origin| origin.highest.is_some_and(|highest| highest.checked_add(1) == Some(origin.games)));
        let own = if is_dense { entries.partition_point(|entry| entry.number < games) } else { entries.len() };
        let entries = &entries[..own];
        let count = games.saturating_sub(own as u64);
        let mut missing = MissingGames { expected: games, count, ..MissingGames::default() };
        missing.find_lost(parts, games, is_dense);
        if is_dense {
            missing.find_incomplete(parts, entries, games);
            missing.find_runs(entries, games);
        }
        missing
    }

    /// Returns whether nothing is missing.
    pub fn is_empty(&self) -> bool {
        self.count == 0 && self.lost_count == 0
    }

    fn find_lost(&mut self, parts: &[Part], games: u64, is_dense: bool) {
        let Some(count) = parts.first().map(|part| part.shard.step()) else { return };
        if parts.iter().any(|part| part.shard.step() != count) {
            return;
        }
        // A shard beyond the last game has no games.
        let count_with_games = if is_dense { count.min(games) } else { count };
        let present: BTreeSet<u64> =
            parts.iter().map(|part| part.shard.first()).filter(|first| *first < count_with_games).collect();
        self.lost_count = count_with_games - present.len() as u64;
        let lost = (0..count_with_games).filter(|first| !present.contains(first)).take(MAX_LISTED);
        self.lost = lost.filter_map(|first| Shard::new(first + 1, count)).collect();
    }

    fn find_incomplete(&mut self, parts: &[Part], entries: &[IndexEntry], games: u64) {
        let shards: BTreeSet<(u64, u64)> = parts.iter().map(|part| (part.shard.step(), part.shard.first())).collect();
        let steps: BTreeSet<u64> = shards.iter().map(|shard| shard.0).collect();
        let mut present: BTreeMap<(u64, u64), u64> = shards.iter().map(|&shard| (shard, 0)).collect();
        for entry in entries {
            for &step in &steps {
                if let Some(count) = present.get_mut(&(step, entry.number % step)) {
                    *count += 1;
                }
            }
        }
        let incomplete = present.into_iter().filter_map(|((step, first), present)| {
            let shard = Shard::new(first + 1, step)?;
            let games = shard.count(games);
            Some(IncompleteShard { shard, games, missing: games - present }).filter(|incomplete| incomplete.missing > 0)
        });
        self.incomplete = incomplete.collect();
    }

    fn find_runs(&mut self, entries: &[IndexEntry], games: u64) {
        let mut next = 0;
        let ends = entries.iter().map(|entry| entry.number).chain((games > 0).then_some(games));
        for number in ends {
            if number > next {
                self.runs.push(next..=number - 1);
                if self.runs.len() == MAX_LISTED {
                    return;
                }
            }
            next = number.saturating_add(1);
        }
    }
}
