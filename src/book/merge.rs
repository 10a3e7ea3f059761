//! One book made of two.

use super::record::{MOST_DELTA, MOST_GAMES, Record};
use super::{Statistics, weigh};

/// All records of two books, both sorted, sorted.
///
/// A position of only one of them keeps its records. In one that both have, the games of a move are added up, its
/// deltas are added up (bounded by what a delta can be), and it is verified if it is so in one of them. The weights of
/// that position are then told from its games ([`weigh`]); but where a move has none, because it came from a book that
/// counts no games, each move keeps the larger one of its two weights.
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

/// Takes the records of this key from the front.
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
                record.weight = record.weight.max(other.weight);
                // The one delta that has no opposite is left out.
                record.delta = record.delta.saturating_add(other.delta).max(-MOST_DELTA);
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
    let sum = |one: u32, other: u32| one.saturating_add(other).min(MOST_GAMES);
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
        Record { key, mv: mv.parse().unwrap(), statistics, weight, delta, is_verified: wins == 1 }
    }

    #[test]
    fn positions_of_one_book_stay_and_games_of_both_are_added() {
        let first = [record(1, "a0a1", 1, 7, 5), record(2, "a0a1", 1, 100, -30_000), record(2, "b0c2", 3, 9, 1)];
        let second = [record(2, "a0a1", 4, 1, -30_000), record(2, "a0a2", 1, 3, 2), record(3, "i0i1", 1, 8, 0)];
        let merged = merge(&first, &second);
        assert_eq!(merged, merge(&second, &first));
        assert_eq!((merged[0], merged[4]), (first[0], second[2]));
        let mut expected = vec![
            Record { is_verified: true, ..record(2, "a0a1", 5, 0, -MOST_DELTA) },
            record(2, "a0a2", 1, 0, 2),
            record(2, "b0c2", 3, 0, 1),
        ];
        weigh(&mut expected);
        assert_eq!(merged[1..4], expected);
        assert_eq!(merge(&first, &[]), first);
        assert_eq!(merge(&[], &second), second);
    }

    #[test]
    fn where_games_are_missing_the_larger_weight_stays() {
        let first = [record(2, "a0a1", 0, 100, 0), record(2, "b0c2", 3, 9, 0)];
        let second = [record(2, "a0a1", 0, 40, 0), record(2, "b0c2", 3, 90, 0)];
        let weights: Vec<u16> = merge(&first, &second).iter().map(|record| record.weight).collect();
        assert_eq!(weights, [100, 90]);
    }
}
