//! Statistics of game files.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use super::record::{EndingKind, GameRecord};
use crate::notation::game::GameResult;
use crate::types::score::is_decisive;
use crate::types::{Side, Value};

/// Bounds of score classes, in centipawns.
const SCORE_BOUNDS: [Value; 7] = [20, 50, 100, 200, 400, 800, 1600];
/// Plies per class of game lengths.
const LENGTH_STEP: usize = 50;

/// Counters over games.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    games: u64,
    /// Plies with a score.
    positions: u64,
    /// Plies before the first search.
    unscored: u64,
    bytes: u64,
    results: BTreeMap<&'static str, u64>,
    endings: BTreeMap<EndingKind, u64>,
    lengths: BTreeMap<usize, u64>,
    shortest: Option<usize>,
    longest: usize,
    /// Number of scores per class by magnitude; decisive scores are in `decided`.
    scores: [u64; SCORE_BOUNDS.len() + 1],
    decided: u64,
    /// Sum of all scores that are not decisive, for Red.
    sum_for_red: i64,
    seen: HashSet<u64>,
    numbers: HashSet<u64>,
    duplicates: u64,
    same_numbers: u64,
}

impl Stats {
    /// Counts a game.
    pub fn add(&mut self, record: &GameRecord) {
        self.games += 1;
        let plies = record.moves.len();
        self.positions += plies as u64;
        self.unscored += record.opening.moves.len() as u64;
        *self.results.entry(record.result.text()).or_default() += 1;
        *self.endings.entry(record.ending).or_default() += 1;
        *self.lengths.entry(plies / LENGTH_STEP).or_default() += 1;
        self.shortest = Some(self.shortest.map_or(plies, |shortest| shortest.min(plies)));
        self.longest = self.longest.max(plies);
        let mut side = record.opening.start.side();
        if record.opening.moves.len() % 2 == 1 {
            side = !side;
        }
        for played in &record.moves {
            if is_decisive(played.score) {
                self.decided += 1;
            } else {
                self.scores[SCORE_BOUNDS.iter().filter(|&&bound| played.score.abs() >= bound).count()] += 1;
                self.sum_for_red += i64::from(if side == Side::Red { played.score } else { -played.score });
            }
            side = !side;
        }
        self.duplicates += u64::from(!self.seen.insert(record.key_of_moves()));
        self.same_numbers += u64::from(!self.numbers.insert(record.number));
    }

    /// Adds the size of a file in bytes.
    pub fn add_bytes(&mut self, bytes: u64) {
        self.bytes += bytes;
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |part: u64, all: u64| 100.0 * part as f64 / all.max(1) as f64;
        let line = |f: &mut fmt::Formatter<'_>, name: &str, part: u64, all: u64| {
            writeln!(f, "{name:<20} {part:>10}  {:>5.1} %", percent(part, all))
        };
        writeln!(f, "{:<20} {:>2}", "games", self.games)?;
        writeln!(f, "{:<20} {:>2}, and {} before the first search", "positions", self.positions, self.unscored)?;
        writeln!(
            f,
            "{:<20} {:.2} ({} in all)",
            "bytes a position",
            self.bytes as f64 / self.positions.max(1) as f64,
            self.bytes
        )?;
        let mean = self.positions as f64 / self.games.max(1) as f64;
        writeln!(f, "{:<20} {} to {}, {mean:.1} on average", "plies", self.shortest.unwrap_or(0), self.longest)?;
        writeln!(f, "{:<20} {}", "same moves twice", self.duplicates)?;
        writeln!(f, "{:<20} {}", "same number twice", self.same_numbers)?;
        writeln!(f, "\nresults")?;
        for result in [GameResult::RedWins, GameResult::Draw, GameResult::BlackWins, GameResult::Unknown] {
            let count = self.results.get(result.text()).copied().unwrap_or(0);
            if count > 0 || result != GameResult::Unknown {
                line(f, &format!("  {result}"), count, self.games)?;
            }
        }
        writeln!(f, "\nendings")?;
        for (kind, &count) in &self.endings {
            line(f, &format!("  {}", kind.name()), count, self.games)?;
        }
        writeln!(f, "\nplies searched")?;
        for (step, &count) in &self.lengths {
            let from = step * LENGTH_STEP;
            line(f, &format!("  {from}–{}", from + LENGTH_STEP - 1), count, self.games)?;
        }
        let mean_for_red = self.sum_for_red as f64 / self.scores.iter().sum::<u64>().max(1) as f64;
        writeln!(f, "\nabsolute scores (mean for Red {mean_for_red:+.1})")?;
        for (index, &count) in self.scores.iter().enumerate() {
            let name = match (index.checked_sub(1).map(|index| SCORE_BOUNDS[index]), SCORE_BOUNDS.get(index)) {
                (None, Some(bound)) => format!("  below {bound}"),
                (Some(least), Some(bound)) => format!("  {least}–{}", bound - 1),
                (Some(least), None) => format!("  {least} and more"),
                (None, None) => String::new(),
            };
            line(f, &name, count, self.positions)?;
        }
        line(f, "  decided", self.decided, self.positions)
    }
}
