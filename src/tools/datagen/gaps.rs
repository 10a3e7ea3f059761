//! What is missing of games that were shared out.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use super::gathering::{Entry, Part};
use crate::util::shard::Shard;

/// How many lost shards, and how many runs of missing games, are named.
const MOST_NAMED: usize = 10;

/// A shard that lacks games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Incomplete {
    /// Which shard.
    pub shard: Shard,
    /// How many games it should have.
    pub games: u64,
    /// How many of them are in no file.
    pub missing: u64,
}

/// What is missing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Gaps {
    /// How many games there should be.
    pub games: u64,
    /// How many of them are in no file.
    pub missing: u64,
    /// Their numbers as far as they can be told: the first runs of them.
    pub runs: Vec<RangeInclusive<u64>>,
    /// Shards of which no file came: the first of them. Where shards of several counts are mixed, nobody knows.
    pub lost: Vec<Shard>,
    /// How many shards were lost.
    pub lost_count: u64,
    /// Shards of which a file came that lacks games.
    pub incomplete: Vec<Incomplete>,
}

impl Gaps {
    /// What is missing in these files of so many games. `entries` are sorted by number, and no number is there twice.
    ///
    /// Of games that were scored anew their `origin` tells how many there are. The numbers of all others go from 0 on;
    /// when nobody tells how many, there are as many as the highest number says.
    pub(super) fn of(parts: &[Part], entries: &[Entry], games: Option<u64>, origin: Option<u64>) -> Gaps {
        let seeming = entries.last().map_or(0, |last| last.number.saturating_add(1));
        let games = games.or(origin).unwrap_or(seeming);
        // Numbers of games that were chosen from others have gaps of their own.
        let is_dense = origin.is_none() || seeming <= games;
        let own = if is_dense { entries.partition_point(|entry| entry.number < games) } else { entries.len() };
        let entries = &entries[..own];
        let mut gaps = Gaps { games, missing: games.saturating_sub(own as u64), ..Gaps::default() };
        gaps.find_lost(parts, games, is_dense);
        if is_dense {
            gaps.find_incomplete(parts, entries, games);
            gaps.find_runs(entries, games);
        }
        gaps
    }

    /// Whether nothing is missing.
    pub fn is_empty(&self) -> bool {
        self.missing == 0 && self.lost_count == 0
    }

    fn find_lost(&mut self, parts: &[Part], games: u64, is_dense: bool) {
        let Some(count) = parts.first().map(|part| part.shard.step()) else { return };
        if parts.iter().any(|part| part.shard.step() != count) {
            return;
        }
        // A shard beyond the last game has nothing to lose.
        let count_with_games = if is_dense { count.min(games) } else { count };
        let there: BTreeSet<u64> =
            parts.iter().map(|part| part.shard.first()).filter(|first| *first < count_with_games).collect();
        self.lost_count = count_with_games - there.len() as u64;
        let lost = (0..count_with_games).filter(|first| !there.contains(first)).take(MOST_NAMED);
        self.lost = lost.filter_map(|first| Shard::new(first + 1, count)).collect();
    }

    fn find_incomplete(&mut self, parts: &[Part], entries: &[Entry], games: u64) {
        let shards: BTreeSet<(u64, u64)> = parts.iter().map(|part| (part.shard.step(), part.shard.first())).collect();
        let steps: BTreeSet<u64> = shards.iter().map(|shard| shard.0).collect();
        let mut there: BTreeMap<(u64, u64), u64> = shards.iter().map(|&shard| (shard, 0)).collect();
        for entry in entries {
            for &step in &steps {
                if let Some(count) = there.get_mut(&(step, entry.number % step)) {
                    *count += 1;
                }
            }
        }
        let incomplete = there.into_iter().filter_map(|((step, first), there)| {
            let shard = Shard::new(first + 1, step)?;
            let games = shard.count(games);
            Some(Incomplete { shard, games, missing: games - there }).filter(|incomplete| incomplete.missing > 0)
        });
        self.incomplete = incomplete.collect();
    }

    fn find_runs(&mut self, entries: &[Entry], games: u64) {
        let mut next = 0;
        let ends = entries.iter().map(|entry| entry.number).chain((games > 0).then_some(games));
        for number in ends {
            if number > next {
                self.runs.push(next..=number - 1);
                if self.runs.len() == MOST_NAMED {
                    return;
                }
            }
            next = number.saturating_add(1);
        }
    }
}
