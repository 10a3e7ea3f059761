//! Learning from a game: its effect on the records of a book, which [`super::LearningBook`] stores.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use super::record::{MAX_DELTA, Record, are_weighed, reweigh};
use super::{Book, BookKey, Statistics};
use crate::position::Position;
use crate::types::{Move, Side};

/// Gain (loss) of the last book move of a side for a win (loss), as a share of the largest base weight in its position.
const RATE: f64 = 0.6;
/// Factor for each earlier book move of the same side: the last book moves are the most likely cause of a result.
const FADING: f64 = 0.5;
/// Divisor of the decay. Each game that plays a book move in a position reduces the learned deltas of all its moves by
/// 1/256, rounded away from zero.
const DECAY: i32 = 256;
/// Points from which an unfinished game counts as won in the statistics; it counts as lost up to 1 − this value.
const WIN_POINTS: f64 = 0.75;

/// Values of a record that learning changes. In a journal, wins, draws, losses, base weight and learned delta.
#[allow(missing_docs, reason = "the names say it")]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "StoredValues", into = "StoredValues")]
pub struct LearnedValues {
    pub statistics: Statistics,
    pub base_weight: u16,
    pub learned_delta: i16,
}

type StoredValues = (u32, u32, u32, u16, i16);

impl From<StoredValues> for LearnedValues {
    fn from((wins, draws, losses, base_weight, learned_delta): StoredValues) -> LearnedValues {
        LearnedValues { statistics: Statistics { wins, draws, losses }, base_weight, learned_delta }
    }
}

impl From<LearnedValues> for StoredValues {
    fn from(LearnedValues { statistics, base_weight, learned_delta }: LearnedValues) -> StoredValues {
        (statistics.wins, statistics.draws, statistics.losses, base_weight, learned_delta)
    }
}

impl LearnedValues {
    /// Returns the values of a record.
    pub fn of(&Record { statistics, base_weight, learned_delta, .. }: &Record) -> LearnedValues {
        LearnedValues { statistics, base_weight, learned_delta }
    }
}

/// Change of one record by a game. In a journal, key and move as text, and the values before and after.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "StoredChange", into = "StoredChange")]
pub struct RecordChange {
    /// Key of the position.
    pub key: u64,
    /// Move as stored in the book.
    pub mv: Move,
    /// Values before; `None` if the game added the move.
    pub before: Option<LearnedValues>,
    /// Values after.
    pub after: Option<LearnedValues>,
}

type StoredChange = (String, String, Option<LearnedValues>, Option<LearnedValues>);

impl TryFrom<StoredChange> for RecordChange {
    type Error = String;

    fn try_from((key, mv, before, after): StoredChange) -> Result<RecordChange, String> {
        let fault = || format!("'{key} {mv}' is not a key and a move");
        let parsed = u64::from_str_radix(&key, 16).ok().zip(mv.parse().ok());
        let (key, mv) = parsed.ok_or_else(fault)?;
        Ok(RecordChange { key, mv, before, after })
    }
}

impl From<RecordChange> for StoredChange {
    fn from(RecordChange { key, mv, before, after }: RecordChange) -> StoredChange {
        (format!("{key:016x}"), mv.to_string(), before, after)
    }
}

struct Played {
    side: Side,
    key: u64,
    mv: Move,
    is_known: bool,
}

/// Returns the changes caused by a game from `start` that ended with `points` for Red, 0 to 1, sorted by position and
/// move.
///
/// *Statistics.* Each book move that was played, counted once a game, has one more result: a win from ¾ of a point, a
/// loss up to ¼, else a draw. A move of the first `new_plies` plies that the book does not have is added with this
/// result unless its side lost. Where the base weights of a position are those of its games ([`super::weigh`]), they
/// are computed again. Elsewhere they stay, and a new move begins with the smallest of them.
///
/// *Learned delta.* A book move gains (or loses) in proportion to its side's result relative to a draw; later book
/// moves more than earlier ones. The effective weight stays between 0 and twice the largest base weight of the
/// position. Added moves begin with 0.
pub fn learning_update(
    book: &Book,
    start: &Position,
    moves: &[Move],
    points: f64,
    new_plies: usize,
) -> Vec<RecordChange> {
    let played = played_moves(book, start, moves, points, new_plies);
    let mut positions: BTreeMap<u64, Vec<Record>> =
        played.iter().map(|one| (one.key, book.records_of(one.key).collect())).collect();
    count_results(&mut positions, &played, points);
    change_deltas(&mut positions, &played, points);
    let mut changes = Vec::new();
    for (key, records) in positions {
        for after in records {
            let known = book.records_of(key).find(|known| known.mv == after.mv);
            if known != Some(after) {
                let before = known.as_ref().filter(|known| !known.is_preference_only()).map(LearnedValues::of);
                changes.push(RecordChange { key, mv: after.mv, before, after: Some(LearnedValues::of(&after)) });
            }
        }
    }
    changes
}

fn outcome(side: Side, points: f64) -> f64 {
    match side {
        Side::Red => 2.0 * points - 1.0,
        Side::Black => 1.0 - 2.0 * points,
    }
}

fn result_of(side: Side, points: f64) -> Statistics {
    let own_points = if side == Side::Red { points } else { 1.0 - points };
    let (is_won, is_lost) = (own_points >= WIN_POINTS, own_points <= 1.0 - WIN_POINTS);
    Statistics { wins: is_won.into(), draws: (!is_won && !is_lost).into(), losses: is_lost.into() }
}

fn played_moves(book: &Book, start: &Position, moves: &[Move], points: f64, new_plies: usize) -> Vec<Played> {
    let mut position = start.clone();
    let mut played = Vec::new();
    for (ply, &mv) in moves.iter().enumerate() {
        if !position.can_play(mv) {
            break;
        }
        let book_key = BookKey::new(&position);
        let (side, book_move) = (position.side(), book_key.to_book(mv));
        let is_known = book.records_of(book_key.key).any(|record| record.mv == book_move);
        if is_known || ply < new_plies && result_of(side, points).losses == 0 {
            played.push(Played { side, key: book_key.key, mv: book_move, is_known });
        }
        position.make(mv);
    }
    played
}

/// Adds the result of the game to the statistics of the moves played, and the moves that the book does not have.
fn count_results(positions: &mut BTreeMap<u64, Vec<Record>>, played: &[Played], points: f64) {
    let by_games: HashSet<u64> =
        positions.iter().filter(|(_, records)| are_weighed(records)).map(|(&key, _)| key).collect();
    let mut counted = HashSet::new();
    for one in played.iter().filter(|one| counted.insert((one.key, one.mv))) {
        let records = positions.entry(one.key).or_default();
        let result = result_of(one.side, points);
        match records.iter_mut().find(|record| record.mv == one.mv) {
            Some(record) => record.statistics = record.statistics.plus(result),
            None => {
                let weights = records.iter().map(|record| record.base_weight).filter(|&weight| weight > 0);
                let base_weight = weights.min().unwrap_or(1);
                records.push(Record { base_weight, ..Record::new(one.key, one.mv, result) });
                records.sort_unstable_by_key(Record::order);
            }
        }
    }
    positions.iter_mut().filter(|(key, _)| by_games.contains(key)).for_each(|(_, records)| reweigh(records));
}

fn change_deltas(positions: &mut BTreeMap<u64, Vec<Record>>, played: &[Played], points: f64) {
    let known: Vec<&Played> = played.iter().filter(|one| one.is_known).collect();
    for (index, current) in known.iter().enumerate() {
        let later = known[index + 1..].iter().filter(|other| other.side == current.side).count() as i32;
        let records = positions.entry(current.key).or_default();
        let max_weight = records.iter().map(|record| record.base_weight).max().unwrap_or(0);
        let reward = RATE * FADING.powi(later) * outcome(current.side, points) * f64::from(max_weight);
        for record in records {
            let learned = i32::from(record.learned_delta);
            let decayed = learned - learned.signum() * (learned.abs() + DECAY - 1) / DECAY;
            let gain = if record.mv == current.mv { reward } else { 0.0 };
            let max = (2 * i32::from(max_weight) - i32::from(record.base_weight)).min(i32::from(MAX_DELTA));
            let min = (-i32::from(record.base_weight)).max(-i32::from(MAX_DELTA));
            record.learned_delta = (decayed + gain.round() as i32).clamp(min, max.max(min)) as i16;
        }
    }
}

/// Applies the changes to sorted records, or reverts them if `forward` is false; `None` if a record has other values. A
/// move that the book does not have, or has for its preference only, counts as one without games and weight.
pub(super) fn apply_changes(records: &[Record], changes: &[RecordChange], forward: bool) -> Option<Vec<Record>> {
    let mut records = records.to_vec();
    for change in changes {
        let (before, after) = if forward { (change.before, change.after) } else { (change.after, change.before) };
        let unknown = Record::new(change.key, change.mv, Statistics::default());
        let place = records.binary_search_by_key(&unknown.order(), Record::order);
        let mut record = place.map_or(unknown, |index| records[index]);
        let nothing = LearnedValues::of(&unknown);
        if before.unwrap_or(nothing) != LearnedValues::of(&record) {
            return None;
        }
        let LearnedValues { statistics, base_weight, learned_delta } = after.unwrap_or(nothing);
        record = Record { statistics, base_weight, learned_delta, ..record };
        match (place, after.is_some() || record.is_preference_only()) {
            (Ok(index), true) => records[index] = record,
            (Ok(index), false) => drop(records.remove(index)),
            (Err(index), true) => records.insert(index, record),
            (Err(_), false) => {}
        }
    }
    Some(records)
}
