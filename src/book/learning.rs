//! Learning from a game: its effect on the records of a book.
//!
//! Pure computation; [`super::LearningBook`] stores what was learned.

use std::collections::{BTreeMap, HashSet};

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

/// Values of a record that learning changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LearnedValues {
    /// Results of the games, and base weight. `None` in journals of format 1, where games changed learned deltas only.
    pub games: Option<(Statistics, u16)>,
    /// Learned delta.
    pub learned_delta: i16,
}

/// Change of one record by a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

impl LearnedValues {
    fn new(record: &Record) -> LearnedValues {
        LearnedValues { games: Some((record.statistics, record.base_weight)), learned_delta: record.learned_delta }
    }

    /// Returns whether a record has these values.
    fn are_those_of(self, record: Option<&Record>) -> bool {
        let found = record.map_or(EMPTY, LearnedValues::new);
        self.learned_delta == found.learned_delta && self.games.is_none_or(|games| found.games == Some(games))
    }
}

/// Values of a move that the book does not have, or has for its preference only.
const EMPTY: LearnedValues =
    LearnedValues { games: Some((Statistics { wins: 0, draws: 0, losses: 0 }, 0)), learned_delta: 0 };

impl RecordChange {
    fn order(&self) -> (u64, usize, usize) {
        (self.key, self.mv.from().index(), self.mv.to().index())
    }
}

/// Move that was played.
struct Played {
    side: Side,
    key: u64,
    mv: Move,
    /// The book had the move before the game.
    is_known: bool,
}

/// Returns the changes caused by a game from `start` that ended with `points` for Red: 1 for a win, ½ for a draw, 0 for
/// a loss, or a value between for an unfinished game. They are sorted by position and move.
///
/// *Statistics.* Each book move that was played, counted once a game, has one more result: a win from ¾ of a point, a
/// loss up to ¼, else a draw. A move of the first `new_plies` plies that the book does not have is added with this
/// result, in a position of the book or in a new one, unless its side lost. Where the base weights of a position are
/// those of its games ([`super::weigh`]), they are computed again. Elsewhere, as in books without games, they stay, and
/// a new move begins with the smallest of them.
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
                let before = known.as_ref().filter(|known| !known.is_preference_only()).map(LearnedValues::new);
                changes.push(RecordChange { key, mv: after.mv, before, after: Some(LearnedValues::new(&after)) });
            }
        }
    }
    changes
}

/// Result of a side relative to a draw, −1 to 1.
fn outcome(side: Side, points: f64) -> f64 {
    match side {
        Side::Red => 2.0 * points - 1.0,
        Side::Black => 1.0 - 2.0 * points,
    }
}

/// Result of a side as the statistics count it.
fn result_of(side: Side, points: f64) -> Statistics {
    let own_points = if side == Side::Red { points } else { 1.0 - points };
    let (is_won, is_lost) = (own_points >= WIN_POINTS, own_points <= 1.0 - WIN_POINTS);
    Statistics { wins: is_won.into(), draws: (!is_won && !is_lost).into(), losses: is_lost.into() }
}

/// Returns the moves of a game that the book contains or that are added.
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

/// Changes the learned deltas in the positions in which a book move was played.
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

/// Applies the changes to sorted records, or reverts them if `forward` is false. Returns `None` if a record does not
/// have the expected values.
pub(super) fn apply_changes(records: &[Record], changes: &[RecordChange], forward: bool) -> Option<Vec<Record>> {
    let mut changes: Vec<&RecordChange> = changes.iter().collect();
    changes.sort_by_key(|change| change.order());
    let mut result = Vec::with_capacity(records.len() + changes.len());
    let mut rest = records.iter().peekable();
    for change in changes {
        while let Some(record) = rest.next_if(|record| record.order() < change.order()) {
            result.push(*record);
        }
        let found = rest.next_if(|record| record.order() == change.order());
        let (before, after) = if forward { (change.before, change.after) } else { (change.after, change.before) };
        if !before.unwrap_or(EMPTY).are_those_of(found) {
            return None;
        }
        let mut record = found.copied().unwrap_or_else(|| Record::new(change.key, change.mv, Statistics::default()));
        let values = after.unwrap_or(EMPTY);
        record.learned_delta = values.learned_delta;
        if let Some((statistics, base_weight)) = values.games {
            (record.statistics, record.base_weight) = (statistics, base_weight);
        }
        if after.is_some() || record.is_preference_only() {
            result.push(record);
        }
    }
    result.extend(rest);
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::write;

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
        let changes = learning_update(book, &Position::start(), &moves, points, 0);
        let of = |line: &&str| {
            let (position, mv) = reached(line);
            let (key, mv) = (BookKey::new(&position).key, BookKey::new(&position).to_book(mv));
            let change = changes.iter().find(|change| change.key == key && change.mv == mv);
            let delta = |values: Option<LearnedValues>| values.map_or(0, |values| i32::from(values.learned_delta));
            change.map_or(0, |change| delta(change.after) - delta(change.before))
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
}
