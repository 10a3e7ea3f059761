//! Base weights from game statistics, and merging of two books.

use super::Statistics;
use super::record::{MAX_DELTA, MAX_GAMES, Record};

/// Weight of a move that all games played and that scored one half.
const UNIT: f64 = 10_000.0;
/// Number of virtual games, half of them won, that are added to each move.
const PRIOR_GAMES: f64 = 4.0;

/// Computes the base weights of the records of one position from their games.
///
/// The base weight of a move is 10,000 · *share* · (2 · *score*)², at least 1 and at most 65,535. The share is the
/// move's part of all games of these records. The score is that of the side to move, with four virtual games of one
/// half each added, so that few games have little influence. A move that scores 60 % gets 44 % more than one played as
/// often that scores 50 %.
pub fn weigh(records: &mut [Record]) {
    let all: u64 = records.iter().map(|record| record.statistics.games()).sum();
    for record in records {
        let games = record.statistics.games() as f64;
        let score = (record.statistics.points() + PRIOR_GAMES / 2.0) / (games + PRIOR_GAMES);
        let weight = UNIT * games / (all.max(1) as f64) * (2.0 * score).powi(2);
        record.base_weight = (weight.round() as u16).max(1);
    }
}

/// Merges the records of two books; input and result are sorted.
///
/// A position of only one book keeps its records. In a position of both, the games of a move are added, its learned
/// deltas are added (saturating), and it is verified if it is verified in either book. The base weights of that
/// position are then recomputed from the games ([`weigh`]). If any move of it has no games, because it came from a book
/// without game counts, each move keeps the larger of its two base weights instead.
pub fn merge(first: &[Record], second: &[Record]) -> Vec<Record> {
    let mut merged = Vec::with_capacity(first.len() + second.len());
    let (mut first, mut second) = (first, second);
    while let (Some(one), Some(other)) = (first.first(), second.first()) {
        let key = one.key.min(other.key);
        let (one, other) = (take(&mut first, key), take(&mut second, key));
        if one.is_empty() || other.is_empty() {
            merged.extend(one.iter().chain(other));
        } else {
            merged.extend(merge_position(one, other));
        }
    }
    merged.extend(first.iter().chain(second));
    merged
}

/// Removes the records of this key from the front and returns them.
fn take<'a>(records: &mut &'a [Record], key: u64) -> &'a [Record] {
    let (front, rest) = records.split_at(records.iter().take_while(|record| record.key == key).count());
    *records = rest;
    front
}

fn merge_position(first: &[Record], second: &[Record]) -> Vec<Record> {
    let mut merged = first.to_vec();
    for other in second {
        match merged.iter_mut().find(|record| record.mv == other.mv) {
            Some(record) => {
                record.statistics = sum(record.statistics, other.statistics);
                record.base_weight = record.base_weight.max(other.base_weight);
                // Keep the range symmetric: −32,768 cannot be negated.
                record.learned_delta = record.learned_delta.saturating_add(other.learned_delta).max(-MAX_DELTA);
                record.is_verified |= other.is_verified;
            }
            None => merged.push(*other),
        }
    }
    merged.sort_unstable_by_key(Record::order);
    if merged.iter().all(|record| record.statistics.games() > 0) {
        weigh(&mut merged);
    }
    merged
}

fn sum(first: Statistics, second: Statistics) -> Statistics {
    let sum = |one: u32, other: u32| one.saturating_add(other).min(MAX_GAMES);
    Statistics {
        wins: sum(first.wins, second.wins),
        draws: sum(first.draws, second.draws),
        losses: sum(first.losses, second.losses),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(key: u64, mv: &str, wins: u32, weight: u16, delta: i16) -> Record {
        let statistics = Statistics { wins, draws: 2 * wins, losses: 0 };
        Record {
            key,
            mv: mv.parse().unwrap(),
            statistics,
            base_weight: weight,
            learned_delta: delta,
            is_verified: wins == 1,
        }
    }

    #[test]
    fn positions_of_one_book_stay_and_games_of_both_are_added() {
        let first = [record(1, "a0a1", 1, 7, 5), record(2, "a0a1", 1, 100, -30_000), record(2, "b0c2", 3, 9, 1)];
        let second = [record(2, "a0a1", 4, 1, -30_000), record(2, "a0a2", 1, 3, 2), record(3, "i0i1", 1, 8, 0)];
        let merged = merge(&first, &second);
        assert_eq!(merged, merge(&second, &first));
        assert_eq!((merged[0], merged[4]), (first[0], second[2]));
        let mut expected = vec![
            Record { is_verified: true, ..record(2, "a0a1", 5, 0, -MAX_DELTA) },
            record(2, "a0a2", 1, 0, 2),
            record(2, "b0c2", 3, 0, 1),
        ];
        weigh(&mut expected);
        assert_eq!(merged[1..4], expected);
        assert_eq!(merge(&first, &[]), first);
        assert_eq!(merge(&[], &second), second);
    }

    #[test]
    fn without_games_the_larger_weight_is_kept() {
        let first = [record(2, "a0a1", 0, 100, 0), record(2, "b0c2", 3, 9, 0)];
        let second = [record(2, "a0a1", 0, 40, 0), record(2, "b0c2", 3, 90, 0)];
        let weights: Vec<u16> = merge(&first, &second).iter().map(|record| record.base_weight).collect();
        assert_eq!(weights, [100, 90]);
    }

    fn weights(games: &[(u32, u32, u32)]) -> Vec<u16> {
        let moves = ["a0a1", "a0a2", "a0a3"];
        let record = |(&(wins, draws, losses), mv): (&(u32, u32, u32), &str)| Record {
            key: 1,
            mv: mv.parse().unwrap(),
            statistics: Statistics { wins, draws, losses },
            base_weight: 0,
            learned_delta: 0,
            is_verified: false,
        };
        let mut records: Vec<Record> = games.iter().zip(moves).map(record).collect();
        weigh(&mut records);
        records.iter().map(|record| record.base_weight).collect()
    }

    #[test]
    fn weights_follow_the_formula() {
        assert_eq!(weights(&[(0, 10, 0)]), [10_000]);
        // 60 of 100 and 20 of 50 points, 2 more of 4 for each: (62 / 104)² · 4 / 150 · 100, (22 / 54)² · 4 / 3.
        assert_eq!(weights(&[(50, 20, 30), (10, 20, 20)]), [9_477, 2_213]);
        assert_eq!(weights(&[(1, 0, 0)]), [14_400]);
        assert_eq!(weights(&[(16_000_000, 0, 0)]), [40_000]);
        assert_eq!(weights(&[(0, 0, 90_000), (900_000, 0, 0), (0, 0, 0)]), [1, 36_363, 1]);
    }
}
