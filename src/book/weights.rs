//! Weights of book moves: base weights from the games of a book, and merging of two books.

use super::Preference;
use super::record::{MAX_DELTA, Record};

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

/// Computes the base weights like [`weigh`], but leaves moves without games and weight, which the book has for their
/// preference only.
pub(super) fn reweigh(records: &mut [Record]) {
    let unplayed: Vec<bool> = records.iter().map(is_unplayed).collect();
    weigh(records);
    let unplayed = records.iter_mut().zip(unplayed).filter(|(_, is_unplayed)| *is_unplayed);
    unplayed.for_each(|(record, _)| record.base_weight = 0);
}

fn is_unplayed(record: &Record) -> bool {
    record.statistics.games() == 0 && record.base_weight == 0
}

/// Returns whether the base weights of these records are those that [`reweigh`] computes from their games.
pub(super) fn are_weighed(records: &[Record]) -> bool {
    let mut weighed = records.to_vec();
    reweigh(&mut weighed);
    weighed == records
}

/// Merges the records of two books; input and result are sorted.
///
/// A position of only one book keeps its records. In a position of both, the games of a move are added, its learned
/// deltas are added (saturating), and it is verified if it is verified in either book. Its preference is that of the
/// first book, or of the second if the first has none. The base weights of that position are then recomputed from the
/// games ([`weigh`]). If any move of it has a weight but no games, because it came from a book without game counts,
/// each move keeps the larger of its two base weights instead.
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
                record.statistics = record.statistics.plus(other.statistics);
                record.base_weight = record.base_weight.max(other.base_weight);
                // Keep the range symmetric: −32,768 cannot be negated.
                record.learned_delta = record.learned_delta.saturating_add(other.learned_delta).max(-MAX_DELTA);
                record.is_verified |= other.is_verified;
                if record.preference == Preference::NONE {
                    record.preference = other.preference;
                }
            }
            None => merged.push(*other),
        }
    }
    merged.sort_unstable_by_key(Record::order);
    if merged.iter().all(|record| record.statistics.games() > 0 || is_unplayed(record)) {
        reweigh(&mut merged);
    }
    merged
}
