//! What a game says of the moves of a book that were played in it.
//!
//! Games in, changes of numbers out: files are not known here.

use std::collections::HashMap;

use super::record::{MOST_DELTA, Record};
use super::{Book, Entry};
use crate::position::Position;
use crate::types::{Move, Side};

/// What the last move that a side played from the book is to gain by a win, or lose by a loss: this part of the
/// greatest weight in its position.
const RATE: f64 = 0.6;
/// Each of its moves before that learns so much less: whoever left the book badly did so at last.
const FADING: f64 = 0.5;
/// With every game that plays a move of the book in a position, what was learned of its moves shrinks by one part in so
/// many, at least by one.
const DECAY: i32 = 256;

/// That what was learned of one move became something else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// The key of the position.
    pub key: u64,
    /// The move, as the book has it.
    pub mv: Move,
    /// What had been learned.
    pub before: i16,
    /// What is learned now.
    pub after: i16,
}

/// A move of the book that was played.
struct Played {
    side: Side,
    key: u64,
    mv: Move,
}

/// What changes by a game from `start` that was worth `points` to Red: 1 for a win, ½ for a draw, 0 for a loss, or
/// anything between where nobody knows.
///
/// A move gains (or loses) by what its side won (or lost) beyond a draw, the last moves from the book more than those
/// before. What is learned never makes a move worth less than nothing, and no more than the dearest move of its
/// position twice over. Moves that the book does not know teach it nothing.
pub fn lesson(book: &Book, start: &Position, moves: &[Move], points: f64) -> Vec<Change> {
    let played = moves_from(book, start, moves);
    let mut learned: HashMap<(u64, Move), (i16, i16)> = HashMap::new();
    for (place, one) in played.iter().enumerate() {
        let later = played[place + 1..].iter().filter(|other| other.side == one.side).count() as i32;
        let won = match one.side {
            Side::Red => 2.0 * points - 1.0,
            Side::Black => 1.0 - 2.0 * points,
        };
        let records: Vec<Record> = book.records_of(one.key).collect();
        let greatest = records.iter().map(|record| record.weight).max().unwrap_or(0);
        for record in records {
            let (_, delta) = learned.entry((record.key, record.mv)).or_insert((record.delta, record.delta));
            let learned = i32::from(*delta);
            let decayed = learned - learned.signum() * (learned.abs() + DECAY - 1) / DECAY;
            let lesson = if record.mv == one.mv { RATE * FADING.powi(later) * won * f64::from(greatest) } else { 0.0 };
            let most = (2 * i32::from(greatest) - i32::from(record.weight)).min(i32::from(MOST_DELTA));
            let least = (-i32::from(record.weight)).max(-i32::from(MOST_DELTA));
            *delta = (decayed + lesson.round() as i32).clamp(least, most.max(least)) as i16;
        }
    }
    let mut changes: Vec<Change> = learned
        .into_iter()
        .filter(|(_, (before, after))| before != after)
        .map(|((key, mv), (before, after))| Change { key, mv, before, after })
        .collect();
    changes.sort_by_key(|change| (change.key, change.mv.from().index(), change.mv.to().index()));
    changes
}

/// The moves of a game that the book knows.
fn moves_from(book: &Book, start: &Position, moves: &[Move]) -> Vec<Played> {
    let mut position = start.clone();
    let mut played = Vec::new();
    for &mv in moves {
        if !position.can_play(mv) {
            break;
        }
        let entry = Entry::of(&position);
        let known = entry.to_book(mv);
        if book.records_of(entry.key).any(|record| record.mv == known) {
            played.push(Played { side: position.side(), key: entry.key, mv: known });
        }
        position.make(mv);
    }
    played
}

/// The records with these changes made, `forth` or back. Returns nothing if the records are not as the changes say.
pub(super) fn changed(mut records: Vec<Record>, changes: &[Change], forth: bool) -> Option<Vec<Record>> {
    for change in changes {
        let order = (change.key, change.mv.from().index(), change.mv.to().index());
        let place = records.binary_search_by_key(&order, Record::order).ok()?;
        let (before, after) = if forth { (change.before, change.after) } else { (change.after, change.before) };
        if records[place].delta != before {
            return None;
        }
        records[place].delta = after;
    }
    Some(records)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::{Statistics, write};

    /// A book of these lines from the start of the game, each for its last move.
    fn book(lines: &[(&str, u16, i16)]) -> Book {
        let mut records: Vec<Record> = lines
            .iter()
            .map(|&(line, weight, delta)| {
                let (position, mv) = reached(line);
                let entry = Entry::of(&position);
                let statistics = Statistics::default();
                Record { key: entry.key, mv: entry.to_book(mv), statistics, weight, delta, is_verified: false }
            })
            .collect();
        records.sort_by_key(Record::order);
        Book::from_bytes(write(&records, "").unwrap()).unwrap()
    }

    /// The position before the last move of a line, and that move.
    fn reached(line: &str) -> (Position, Move) {
        let moves: Vec<&str> = line.split_whitespace().collect();
        let (last, before) = moves.split_last().unwrap();
        let mut position = Position::start();
        position.play(before.iter().copied()).unwrap();
        (position, last.parse().unwrap())
    }

    /// What a game teaches of the last moves of these lines.
    fn learned(book: &Book, game: &str, points: f64, lines: &[&str]) -> Vec<i32> {
        let moves: Vec<Move> = game.split_whitespace().map(|mv| mv.parse().unwrap()).collect();
        let changes = lesson(book, &Position::start(), &moves, points);
        let of = |line: &&str| {
            let (position, mv) = reached(line);
            let (key, mv) = (Entry::of(&position).key, Entry::of(&position).to_book(mv));
            let change = changes.iter().find(|change| change.key == key && change.mv == mv);
            change.map_or(0, |change| i32::from(change.after) - i32::from(change.before))
        };
        lines.iter().map(of).collect()
    }

    #[test]
    fn the_last_move_of_a_side_learns_most_and_by_its_own_result() {
        let book = book(&[("h2e2", 1000, 0), ("h2e2 h9g7", 800, 0), ("h2e2 h9g7 h0g2", 500, 0), ("c3c4", 600, 0)]);
        let lines = ["h2e2", "h2e2 h9g7", "h2e2 h9g7 h0g2", "c3c4"];
        let game = "h2e2 h9g7 h0g2 b9c7 b0c2";
        assert_eq!(learned(&book, game, 1.0, &lines), [300, -480, 300, 0]);
        assert_eq!(learned(&book, game, 0.0, &lines), [-300, 480, -300, 0]);
        assert_eq!(learned(&book, game, 0.5, &lines), [0; 4]);
        // The reflected game is the same.
        assert_eq!(learned(&book, "b2e2 b9c7 b0c2 h9g7", 1.0, &lines), [300, -480, 300, 0]);
        assert_eq!(learned(&book, "a0a1", 1.0, &lines), [0; 4]);
    }

    #[test]
    fn what_is_learned_stays_in_bounds_and_fades() {
        let mut deltas = [0, 2_000];
        for _ in 0..30 {
            let book = book(&[("h2e2", 1000, deltas[0]), ("c3c4", 4000, deltas[1])]);
            let change = learned(&book, "h2e2", 0.0, &["h2e2", "c3c4"]);
            deltas = [deltas[0] + change[0] as i16, deltas[1] + change[1] as i16];
            assert!(deltas[0] >= -1000, "never below nothing");
        }
        assert_eq!(deltas[0], -1000);
        assert!((1_500..2_000).contains(&deltas[1]), "{deltas:?}");
        for few in [-200, -5, 5, 200] {
            let mut delta = few;
            for _ in 0..200 {
                let book = book(&[("h2e2", 1000, 0), ("c3c4", 400, delta)]);
                delta += learned(&book, "h2e2", 0.5, &["c3c4"])[0] as i16;
            }
            assert_eq!(delta, 0, "{few} is forgotten at last");
        }
        let book = book(&[("h2e2", 60_000, 32_700)]);
        assert_eq!(learned(&book, "h2e2", 1.0, &["h2e2"]), [67], "no number runs over");
    }

    #[test]
    fn changes_go_forth_and_back() {
        let book = book(&[("h2e2", 1000, 5), ("h2e2 h9g7", 800, 0), ("c3c4", 600, 300)]);
        let records: Vec<Record> = book.records().collect();
        let changes = lesson(&book, &Position::start(), &["h2e2".parse().unwrap()], 0.0);
        assert_eq!(changes.len(), 2, "the move, and the decay of its neighbour: {changes:?}");
        let after = changed(records.clone(), &changes, true).unwrap();
        assert_ne!(after, records);
        assert_eq!(changed(after.clone(), &changes, true), None, "not twice");
        assert_eq!(changed(after, &changes, false), Some(records));
    }
}
