//! The game under way as far as a book may learn from it. No protocol tells how a game ended, so that is inferred from
//! the scores of the own moves.

use crate::position::Position;
use crate::types::score::is_decisive;
use crate::types::{Move, Side, Value};

/// Own moves with a score before a game says anything.
const LEAST_SCORES: usize = 5;
/// The first scores after the book was left: what it was good for.
const EARLY_SCORES: usize = 3;
/// A side that is so many centipawns ahead scores 73 %; see `chuhe analyze`.
const SCALE: f64 = 250.0;
/// How much more the last score tells than the first ones.
const LAST_SHARE: f64 = 2.0 / 3.0;

/// What is known of a game.
#[derive(Clone, Debug, Default)]
pub(super) struct Diary {
    start: Position,
    moves: Vec<Move>,
    side: Option<Side>,
    /// A move of this game came from a book.
    used_a_book: bool,
    scores: Vec<Value>,
}

/// A game that is over, from which a book may learn.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct FinishedGame {
    pub start: Position,
    pub moves: Vec<Move>,
    /// What it seems to have been worth to Red, 0 to 1.
    pub points: f64,
}

impl Diary {
    /// The own side is to move in this position of a game. Returns the game before, if this is another one.
    pub(super) fn turn(&mut self, position: &Position) -> Option<FinishedGame> {
        // Front ends leave the history out after captures; the beginning is what matters.
        if position.history().is_empty() && position.key() != Position::start().key() && !self.moves.is_empty() {
            return None;
        }
        let mut start = position.clone();
        while !start.history().is_empty() {
            start.unmake();
        }
        let moves: Vec<Move> = position.history().iter().map(|played| played.mv).collect();
        let goes_on = start == self.start && moves.starts_with(&self.moves) && self.side != Some(!position.side());
        if !goes_on && start.move_number() > 1 && !self.moves.is_empty() {
            return None;
        }
        let before = if goes_on { None } else { std::mem::take(self).finish() };
        (self.start, self.moves, self.side) = (start, moves, Some(position.side()));
        before
    }

    /// The move of this turn came from a book.
    pub(super) fn note_book(&mut self) {
        self.used_a_book = true;
    }

    /// The move of this turn was searched for and has this score, for the own side.
    pub(super) fn note_score(&mut self, score: Value) {
        self.scores.push(score);
    }

    /// The game is over. Nothing if no book had to do with it, or too little is known.
    pub(super) fn finish(self) -> Option<FinishedGame> {
        let side = self.side.filter(|_| self.used_a_book && self.scores.len() >= LEAST_SCORES)?;
        let chance = |score: Value| {
            // A mate, or a draw by the rules, is no matter of chance.
            if is_decisive(score) {
                f64::from(u8::from(score > 0))
            } else {
                1.0 / (1.0 + (-f64::from(score) / SCALE).exp())
            }
        };
        let early = self.scores[..EARLY_SCORES].iter().copied().map(chance).sum::<f64>() / EARLY_SCORES as f64;
        let last = chance(*self.scores.last()?);
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

    /// The diary of a game of Black's with these scores after a move from a book.
    fn diary(scores: &[Value]) -> Diary {
        let mut diary = Diary::default();
        assert_eq!(diary.turn(&after("h2e2")), None);
        diary.note_book();
        for &score in scores {
            assert_eq!(diary.turn(&after("h2e2 h9g7 h0g2")), None);
            diary.note_score(score);
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
        assert_eq!((game.start, game.moves.len()), (Position::start(), 3));
    }

    #[test]
    fn a_game_without_a_book_or_with_few_scores_says_nothing() {
        assert_eq!(diary(&[0; 4]).finish(), None);
        let mut without = diary(&[0; 6]);
        without.used_a_book = false;
        assert_eq!(without.finish(), None);
    }

    #[test]
    fn another_game_ends_the_one_before() {
        let mut diary = diary(&[100; 6]);
        // After a capture a front end may begin anew from there.
        let later = Position::from_fen("4k4/9/9/9/9/9/9/9/4A4/3K1A3 w - - 0 30").unwrap();
        assert_eq!(diary.turn(&later), None);
        let ended = diary.turn(&after("c3c4")).expect("the old game is over");
        assert_eq!(ended.moves.len(), 3);
        assert_eq!(diary.finish(), None);
    }
}
