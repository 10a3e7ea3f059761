//! Weights of book moves: base weights from the games of a book, merging of two books, and the learned deltas.
//!
//! Pure computation; [`super::LearningBook`] stores what was learned.

use std::collections::HashMap;

use super::record::{MAX_DELTA, MAX_GAMES, Record};
use super::{Book, BookKey, Statistics};
use crate::position::Position;
use crate::types::{Move, Side};

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

/// Gain (loss) of the last book move of a side for a win (loss), as a share of the largest base weight in its position.
const RATE: f64 = 0.6;
/// Factor for each earlier book move of the same side: the last book moves are the most likely cause of a result.
const FADING: f64 = 0.5;
/// Divisor of the decay. Each game that plays a book move in a position reduces the learned deltas of all its moves by
/// 1/256, rounded away from zero.
const DECAY: i32 = 256;

/// Change of the learned delta of one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DeltaChange {
    /// Key of the position.
    pub key: u64,
    /// Move as stored in the book.
    pub mv: Move,
    /// Learned delta before.
    pub before: i16,
    /// Learned delta after.
    pub after: i16,
}

/// Book move that was played.
struct Played {
    side: Side,
    key: u64,
    mv: Move,
}

/// Returns the changes caused by a game from `start` that ended with `points` for Red: 1 for a win, ½ for a draw, 0 for
/// a loss, or a value between for an unfinished game.
///
/// A move gains (or loses) in proportion to its side's result relative to a draw; later book moves more than earlier
/// ones. The effective weight stays between 0 and twice the largest base weight of the position. Moves that the book
/// does not contain change nothing.
pub fn learning_update(book: &Book, start: &Position, moves: &[Move], points: f64) -> Vec<DeltaChange> {
    let played = book_moves(book, start, moves);
    let mut deltas: HashMap<(u64, Move), (i16, i16)> = HashMap::new();
    for (index, current) in played.iter().enumerate() {
        let later = played[index + 1..].iter().filter(|other| other.side == current.side).count() as i32;
        let outcome = match current.side {
            Side::Red => 2.0 * points - 1.0,
            Side::Black => 1.0 - 2.0 * points,
        };
        let records: Vec<Record> = book.records_of(current.key).collect();
        let max_weight = records.iter().map(|record| record.base_weight).max().unwrap_or(0);
        for record in records {
            let (_, delta) =
                deltas.entry((record.key, record.mv)).or_insert((record.learned_delta, record.learned_delta));
            let learned = i32::from(*delta);
            let decayed = learned - learned.signum() * (learned.abs() + DECAY - 1) / DECAY;
            let gain =
                if record.mv == current.mv { RATE * FADING.powi(later) * outcome * f64::from(max_weight) } else { 0.0 };
            let max = (2 * i32::from(max_weight) - i32::from(record.base_weight)).min(i32::from(MAX_DELTA));
            let min = (-i32::from(record.base_weight)).max(-i32::from(MAX_DELTA));
            *delta = (decayed + gain.round() as i32).clamp(min, max.max(min)) as i16;
        }
    }
    let mut changes: Vec<DeltaChange> = deltas
        .into_iter()
        .filter(|(_, (before, after))| before != after)
        .map(|((key, mv), (before, after))| DeltaChange { key, mv, before, after })
        .collect();
    changes.sort_by_key(|change| (change.key, change.mv.from().index(), change.mv.to().index()));
    changes
}

/// Returns the moves of a game that the book contains.
fn book_moves(book: &Book, start: &Position, moves: &[Move]) -> Vec<Played> {
    let mut position = start.clone();
    let mut played = Vec::new();
    for &mv in moves {
        if !position.can_play(mv) {
            break;
        }
        let book_key = BookKey::new(&position);
        let book_move = book_key.to_book(mv);
        if book.records_of(book_key.key).any(|record| record.mv == book_move) {
            played.push(Played { side: position.side(), key: book_key.key, mv: book_move });
        }
        position.make(mv);
    }
    played
}

/// Applies the changes to the records, or reverts them if `forward` is false. Returns `None` if a record does not have
/// the expected learned delta.
pub(super) fn apply_changes(mut records: Vec<Record>, changes: &[DeltaChange], forward: bool) -> Option<Vec<Record>> {
    for change in changes {
        let order = (change.key, change.mv.from().index(), change.mv.to().index());
        let index = records.binary_search_by_key(&order, Record::order).ok()?;
        let (before, after) = if forward { (change.before, change.after) } else { (change.after, change.before) };
        if records[index].learned_delta != before {
            return None;
        }
        records[index].learned_delta = after;
    }
    Some(records)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::{Statistics, write};

    /// Book of these lines from the start of the game, one record for the last move of each.
    fn book(lines: &[(&str, u16, i16)]) -> Book {
        let mut records: Vec<Record> = lines
            .iter()
            .map(|&(line, weight, delta)| {
                let (position, mv) = reached(line);
                let book_key = BookKey::new(&position);
                let statistics = Statistics::default();
                Record {
                    base_weight: weight,
                    learned_delta: delta,
                    ..Record::new(book_key.key, book_key.to_book(mv), statistics)
                }
            })
            .collect();
        records.sort_by_key(Record::order);
        Book::from_bytes(write(&records, "").unwrap()).unwrap()
    }

    /// Position before the last move of a line, and that move.
    fn reached(line: &str) -> (Position, Move) {
        let moves: Vec<&str> = line.split_whitespace().collect();
        let (last, before) = moves.split_last().unwrap();
        let mut position = Position::start();
        position.play(before.iter().copied()).unwrap();
        (position, last.parse().unwrap())
    }

    /// Changes that a game causes for the last moves of these lines.
    fn learned(book: &Book, game: &str, points: f64, lines: &[&str]) -> Vec<i32> {
        let moves: Vec<Move> = game.split_whitespace().map(|mv| mv.parse().unwrap()).collect();
        let changes = learning_update(book, &Position::start(), &moves, points);
        let of = |line: &&str| {
            let (position, mv) = reached(line);
            let (key, mv) = (BookKey::new(&position).key, BookKey::new(&position).to_book(mv));
            let change = changes.iter().find(|change| change.key == key && change.mv == mv);
            change.map_or(0, |change| i32::from(change.after) - i32::from(change.before))
        };
        lines.iter().map(of).collect()
    }

    #[test]
    fn the_last_move_of_a_side_changes_most_and_by_its_own_result() {
        let book = book(&[("h2e2", 1000, 0), ("h2e2 h9g7", 800, 0), ("h2e2 h9g7 h0g2", 500, 0), ("c3c4", 600, 0)]);
        let lines = ["h2e2", "h2e2 h9g7", "h2e2 h9g7 h0g2", "c3c4"];
        let game = "h2e2 h9g7 h0g2 b9c7 b0c2";
        assert_eq!(learned(&book, game, 1.0, &lines), [300, -480, 300, 0]);
        assert_eq!(learned(&book, game, 0.0, &lines), [-300, 480, -300, 0]);
        assert_eq!(learned(&book, game, 0.5, &lines), [0; 4]);
        // The mirrored game has the same effect.
        assert_eq!(learned(&book, "b2e2 b9c7 b0c2 h9g7", 1.0, &lines), [300, -480, 300, 0]);
        assert_eq!(learned(&book, "a0a1", 1.0, &lines), [0; 4]);
    }

    #[test]
    fn learned_deltas_stay_in_bounds_and_decay() {
        let mut deltas = [0, 2_000];
        for _ in 0..30 {
            let book = book(&[("h2e2", 1000, deltas[0]), ("c3c4", 4000, deltas[1])]);
            let change = learned(&book, "h2e2", 0.0, &["h2e2", "c3c4"]);
            deltas = [deltas[0] + change[0] as i16, deltas[1] + change[1] as i16];
            assert!(deltas[0] >= -1000, "never below zero");
        }
        assert_eq!(deltas[0], -1000);
        assert!((1_500..2_000).contains(&deltas[1]), "{deltas:?}");
        for few in [-200, -5, 5, 200] {
            let mut delta = few;
            for _ in 0..200 {
                let book = book(&[("h2e2", 1000, 0), ("c3c4", 400, delta)]);
                delta += learned(&book, "h2e2", 0.5, &["c3c4"])[0] as i16;
            }
            assert_eq!(delta, 0, "{few} decays to zero");
        }
        let book = book(&[("h2e2", 60_000, 32_700)]);
        assert_eq!(learned(&book, "h2e2", 1.0, &["h2e2"]), [67], "no overflow");
    }

    #[test]
    fn changes_can_be_applied_and_reverted() {
        let book = book(&[("h2e2", 1000, 5), ("h2e2 h9g7", 800, 0), ("c3c4", 600, 300)]);
        let records: Vec<Record> = book.records().collect();
        let changes = learning_update(&book, &Position::start(), &["h2e2".parse().unwrap()], 0.0);
        assert_eq!(changes.len(), 2, "the move, and the decay of its neighbour: {changes:?}");
        let after = apply_changes(records.clone(), &changes, true).unwrap();
        assert_ne!(after, records);
        assert_eq!(apply_changes(after.clone(), &changes, true), None, "not applied twice");
        assert_eq!(apply_changes(after, &changes, false), Some(records));
    }
}
