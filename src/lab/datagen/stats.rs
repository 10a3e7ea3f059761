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

#[derive(Clone, Debug, Default)]
pub struct Stats {
    games: u64,
    /// Plies with a score.
    positions: u64,
    /// Plies before the first search.
    unscored: u64,
    pub bytes: u64,
    results: BTreeMap<&'static str, u64>,
    endings: BTreeMap<EndingKind, u64>,
    /// Number of games by their plies.
    lengths: BTreeMap<usize, u64>,
    /// Number of scores per class by magnitude; decisive scores are in `decided`.
    scores: [u64; SCORE_BOUNDS.len() + 1],
    decided: u64,
    /// Sum of all scores that are not decisive, for Red.
    sum_for_red: i64,
    seen: HashSet<u64>,
    numbers: HashSet<u64>,
}

impl Stats {
    pub fn add(&mut self, record: &GameRecord) {
        self.games += 1;
        self.positions += record.moves.len() as u64;
        self.unscored += record.opening.moves.len() as u64;
        *self.results.entry(record.result.text()).or_default() += 1;
        *self.endings.entry(record.ending).or_default() += 1;
        *self.lengths.entry(record.moves.len()).or_default() += 1;
        let red_first = (record.opening.start.side() == Side::Red) == record.opening.moves.len().is_multiple_of(2);
        for (index, played) in record.moves.iter().enumerate() {
            if is_decisive(played.score) {
                self.decided += 1;
            } else {
                self.scores[SCORE_BOUNDS.iter().filter(|&&bound| played.score.abs() >= bound).count()] += 1;
                let is_red = red_first == index.is_multiple_of(2);
                self.sum_for_red += i64::from(if is_red { played.score } else { -played.score });
            }
        }
        self.seen.insert(record.key());
        self.numbers.insert(record.number);
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stats { games, positions, unscored, bytes, .. } = *self;
        let line = |f: &mut fmt::Formatter<'_>, name: String, part: u64, all: u64| {
            writeln!(f, "  {name:<18} {part:>10}  {:>5.1} %", 100.0 * part as f64 / all.max(1) as f64)
        };
        let [shortest, longest] = [self.lengths.first_key_value(), self.lengths.last_key_value()]
            .map(|end| end.map_or(0, |(plies, _)| *plies));
        let mean = positions as f64 / games.max(1) as f64;
        for (name, value) in [
            ("games", format!("{games:>2}")),
            ("positions", format!("{positions:>2}, and {unscored} before the first search")),
            ("bytes a position", format!("{:.2} ({bytes} in all)", bytes as f64 / positions.max(1) as f64)),
            ("plies", format!("{shortest} to {longest}, {mean:.1} on average")),
            ("same moves twice", (games - self.seen.len() as u64).to_string()),
            ("same number twice", (games - self.numbers.len() as u64).to_string()),
        ] {
            writeln!(f, "{name:<20} {value}")?;
        }
        writeln!(f, "\nresults")?;
        for result in [GameResult::RedWins, GameResult::Draw, GameResult::BlackWins, GameResult::Unknown] {
            let count = self.results.get(result.text()).copied().unwrap_or(0);
            if count > 0 || result != GameResult::Unknown {
                line(f, result.to_string(), count, games)?;
            }
        }
        writeln!(f, "\nendings")?;
        for (kind, &count) in &self.endings {
            line(f, kind.name().to_owned(), count, games)?;
        }
        writeln!(f, "\nplies searched")?;
        for step in shortest / LENGTH_STEP..=longest / LENGTH_STEP {
            let plies = step * LENGTH_STEP..(step + 1) * LENGTH_STEP;
            let count = self.lengths.range(plies.clone()).map(|(_, count)| count).sum();
            line(f, format!("{}–{}", plies.start, plies.end - 1), count, games)?;
        }
        let mean_for_red = self.sum_for_red as f64 / self.scores.iter().sum::<u64>().max(1) as f64;
        writeln!(f, "\nabsolute scores (mean for Red {mean_for_red:+.1})")?;
        let mut least = 0;
        for (bound, count) in SCORE_BOUNDS.into_iter().zip(self.scores) {
            line(f, format!("{least}–{}", bound - 1), count, positions)?;
            least = bound;
        }
        line(f, format!("{least} and more"), self.scores[SCORE_BOUNDS.len()], positions)?;
        line(f, "decided".to_owned(), self.decided, positions)
    }
}
