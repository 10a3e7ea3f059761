//! The game under way as far as a book may learn from it. No protocol tells how a game ended, so that is inferred from
//! the scores of the own moves.

use crate::engine::MoveContinuity;
use crate::position::Position;
use crate::types::score::is_decisive;
use crate::types::{Move, Side, Value};

/// A game that has come so far at most is just beginning.
const MOST_PLIES_OF_A_BEGINNING: usize = 3;
/// Own moves with a score before a game says anything.
const LEAST_SCORES: usize = 5;
/// The first scores after the book was left: what it was good for.
const EARLY_SCORES: usize = 3;
/// A side that is so many centipawns ahead scores 73 %; see `chuhe analyze`.
const SCALE: f64 = 250.0;
/// The share of the last score in what the game was worth; the first ones have the rest.
const LAST_SHARE: f64 = 2.0 / 3.0;

/// What is known of a game.
#[derive(Clone, Debug, Default)]
pub(super) struct GameTracker {
    start: Position,
    moves: Vec<Move>,
    side: Option<Side>,
    /// Its last turns, all of them true.
    turns: MoveContinuity<bool>,
    /// A move of this game came from a book.
    used_a_book: bool,
    /// The score of each own turn, by the key of its position.
    scores: Vec<(u64, Value)>,
}

/// A game that is over, from which a book may learn.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct FinishedGame {
    pub start: Position,
    pub moves: Vec<Move>,
    /// What it seems to have been worth to Red, 0 to 1.
    pub points: f64,
}

/// How the move of a turn was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// A book knew it.
    InBook,
    /// A search found it, with this score for the own side.
    BySearch(Value),
}

impl GameTracker {
    /// A move for this position was found. Returns the game before, if this is the beginning of another one.
    ///
    /// A game is known by its first moves; moves that are taken back are part of it. Front ends leave the history out
    /// after captures: then a position belongs to the game if one move of each side leads to it from its last turns.
    /// Others, such as positions to be analysed, do not matter.
    pub(super) fn note(&mut self, position: &Position, found: Found) -> Option<FinishedGame> {
        let mut start = position.clone();
        while !start.history().is_empty() {
            start.unmake();
        }
        let moves: Vec<Move> = position.history().iter().map(|played| played.mv).collect();
        let is_of_this_side = self.side.is_none_or(|side| side == position.side());
        let has_begun_so = start == self.start && moves.first() == self.moves.first() && is_of_this_side;
        let is_beginning = start.key() == Position::start().key() && moves.len() <= MOST_PLIES_OF_A_BEGINNING;
        let is_another =
            is_beginning && (!has_begun_so || self.moves.len() > 2 * MOST_PLIES_OF_A_BEGINNING + moves.len());
        let mut before = None;
        if self.side.is_none() || is_another {
            before = std::mem::take(self).finish();
            self.start = start;
            self.side = Some(position.side());
        }
        let is_known = is_another || has_begun_so || before.is_some() || self.moves.is_empty();
        // What does not belong is not remembered.
        let mut turns = self.turns.clone();
        if !*turns.turn(position, |earlier| is_known || earlier.is_some()) {
            return before;
        }
        self.turns = turns;
        if is_known {
            self.moves = moves;
        }
        // The same turn again, or one that moves were taken back to.
        if let Some(place) = self.scores.iter().position(|(key, _)| *key == position.key()) {
            self.scores.truncate(place);
        }
        match found {
            Found::InBook => self.used_a_book = true,
            Found::BySearch(score) => self.scores.push((position.key(), score)),
        }
        before
    }

    /// The game is over. Nothing if no book had to do with it, or too little is known.
    pub(super) fn finish(self) -> Option<FinishedGame> {
        let side = self.side.filter(|_| self.used_a_book && self.scores.len() >= LEAST_SCORES)?;
        let chance = |score: Value| {
            // A mate is no matter of chance, nor is what the rules decide.
            if is_decisive(score) {
                f64::from(u8::from(score > 0))
            } else {
                1.0 / (1.0 + (-f64::from(score) / SCALE).exp())
            }
        };
        let early =
            self.scores[..EARLY_SCORES].iter().map(|(_, score)| chance(*score)).sum::<f64>() / EARLY_SCORES as f64;
        let last = chance(self.scores.last()?.1);
        let own = LAST_SHARE * last + (1.0 - LAST_SHARE) * early;
        let points = if side == Side::Red { own } else { 1.0 - own };
        Some(FinishedGame { start: self.start, moves: self.moves, points })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::score::mate_in;

    fn after(moves: &str) -> Position {
        let mut position = Position::start();
        position.play(moves.split_whitespace()).unwrap();
        position
    }

    /// The turns of Black in one game.
    const GAME: [&str; 8] =
        ["h2e2", "h9g7 h0g2", "i9h9 i0h0", "b9c7 g3g4", "g6g5 b0c2", "c9e7 c3c4", "d9e8 c2d4", "h7i7 a0b0"];

    /// Black's turn of this number in the game, 0 for the first.
    fn turn(number: usize) -> Position {
        after(&GAME[..=number].join(" "))
    }

    /// The diary of a game of Black's with these scores after a move from a book.
    fn diary(scores: &[Value]) -> GameTracker {
        let mut diary = GameTracker::default();
        assert_eq!(diary.note(&turn(0), Found::InBook), None);
        for (number, &score) in (1..).zip(scores) {
            assert_eq!(diary.note(&turn(number), Found::BySearch(score)), None);
        }
        diary
    }

    #[test]
    fn the_result_follows_from_the_first_scores_and_the_last() {
        let points = |scores: &[Value]| diary(scores).finish().unwrap().points;
        assert_eq!(points(&[0; 6]), 0.5);
        let won = points(&[0, 0, 0, 300, mate_in(3)]);
        assert!((won - (1.0 - 2.0 / 3.0 - 0.5 / 3.0)).abs() < 1e-9, "Black won: {won}");
        assert!(points(&[-50, -80, -60, -400, -900]) > 0.75);
        assert!(points(&[250, 250, 250, 250, 250]) < 0.28);
        let game = diary(&[0; 5]).finish().unwrap();
        assert_eq!((game.start, game.moves.len()), (Position::start(), 11));
    }

    #[test]
    fn a_game_without_a_book_or_with_few_scores_says_nothing() {
        assert_eq!(diary(&[0; 4]).finish(), None);
        let mut without = diary(&[0; 6]);
        without.used_a_book = false;
        assert_eq!(without.finish(), None);
        // To ask again is no other move.
        let mut again = diary(&[0; 4]);
        for _ in 0..5 {
            assert_eq!(again.note(&turn(4), Found::BySearch(0)), None);
        }
        assert_eq!(again.finish(), None);
    }

    #[test]
    fn moves_that_are_taken_back_are_of_the_same_game() {
        let mut diary = diary(&[0, 0, 0, 900, 900]);
        for number in 3..=5 {
            assert_eq!(diary.note(&turn(number), Found::BySearch(0)), None);
        }
        assert_eq!(diary.finish().unwrap().points, 0.5);
    }

    #[test]
    fn what_is_analysed_between_does_not_matter() {
        let mut diary = diary(&[0; 5]);
        for fen in ["4k4/9/9/9/9/9/9/9/4A4/3K1A3 w - - 0 30", "4k4/4a4/9/9/9/9/9/9/4A4/3K1A3 b - - 0 1"] {
            let foreign = Position::from_fen(fen).unwrap();
            assert_eq!(diary.note(&foreign, Found::BySearch(5_000)), None);
        }
        // Without a history, as after a capture.
        let later = Position::from_fen(&turn(6).to_string()).unwrap();
        assert_eq!(diary.note(&later, Found::BySearch(-900)), None);
        let game = diary.finish().unwrap();
        assert_eq!(game.moves.len(), 11, "the beginning is what counts");
        assert!(game.points > 0.8, "Black lost: {}", game.points);
    }

    #[test]
    fn another_game_ends_the_one_before() {
        let mut diary = diary(&[100; 6]);
        let ended = diary.note(&after("c3c4"), Found::InBook).expect("the old game is over");
        assert_eq!(ended.moves.len(), 13);
        assert_eq!(diary.finish(), None);
    }
}
