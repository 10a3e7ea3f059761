//! What is said to the opponent beside the move: that a draw is offered or accepted, or that the game is given up.
//!
//! Numbers in, a word out: it knows neither positions nor protocols.

use crate::types::Value;
use crate::types::score::{DRAW, MATE};

/// Own moves of a game before a draw is offered.
const LATE: usize = 40;
/// Own moves in a row that must have been even for that, and that must pass before another offer.
const EVEN_MOVES: usize = 10;
/// Even is a score of no more centipawns than this for either side.
const EVEN: Value = 10;
/// Own moves in a row that must have been lost before the game is given up.
const LOST_MOVES: usize = 3;
/// Lost is this score or less.
const LOST: Value = -1_200;
/// Who is mated in so many plies or fewer gives up at once.
const MATED_SOON: Value = 6;

/// What is said with a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Word {
    /// Nothing.
    #[default]
    None,
    /// A draw is offered, or accepted.
    Draw,
    /// The game is given up.
    Resign,
}

/// What may be said without being asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Leave {
    /// Draws may be offered.
    pub draws: bool,
    /// Games may be given up.
    pub resigning: bool,
}

/// The own moves of one game, as far as they matter here.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct DrawResignPolicy {
    moves: usize,
    even_in_a_row: usize,
    lost_in_a_row: usize,
}

impl DrawResignPolicy {
    /// A move with this score was chosen: what goes with it. An offer of the opponent is accepted by whoever is not
    /// better; nobody gives up a game that the opponent offers to draw.
    pub(super) fn word(&mut self, score: Value, draw_is_offered: bool, leave: Leave) -> Word {
        let count = |in_a_row: usize, holds: bool| if holds { in_a_row + 1 } else { 0 };
        self.moves += 1;
        self.even_in_a_row = count(self.even_in_a_row, score.abs() <= EVEN);
        self.lost_in_a_row = count(self.lost_in_a_row, score <= LOST);
        if draw_is_offered {
            return if score <= DRAW { Word::Draw } else { Word::None };
        }
        if leave.resigning && (self.lost_in_a_row >= LOST_MOVES || score <= -MATE + MATED_SOON) {
            return Word::Resign;
        }
        if leave.draws && self.moves >= LATE && self.even_in_a_row >= EVEN_MOVES {
            self.even_in_a_row = 0;
            return Word::Draw;
        }
        Word::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Leave = Leave { draws: true, resigning: true };

    /// The word that goes with each of these scores.
    fn words(scores: impl IntoIterator<Item = Value>, leave: Leave) -> Vec<Word> {
        let mut parley = DrawResignPolicy::default();
        scores.into_iter().map(|score| parley.word(score, false, leave)).collect()
    }

    #[test]
    fn an_offer_is_accepted_by_whoever_is_not_better() {
        for (score, word) in
            [(-9_999, Word::Draw), (-1, Word::Draw), (0, Word::Draw), (1, Word::None), (9_999, Word::None)]
        {
            assert_eq!(DrawResignPolicy::default().word(score, true, Leave::default()), word, "{score}");
            assert_eq!(DrawResignPolicy::default().word(score, true, ALL), word, "{score}");
        }
    }

    #[test]
    fn nothing_is_said_without_leave() {
        let scores = [0; 100].into_iter().chain([-5_000; 20]).chain([-9_999; 5]);
        assert!(words(scores, Leave::default()).iter().all(|word| *word == Word::None));
    }

    #[test]
    fn a_draw_is_offered_late_in_an_even_game_and_not_with_every_move() {
        let at =
            |words: Vec<Word>| -> Vec<usize> { (0..words.len()).filter(|&index| words[index] == Word::Draw).collect() };
        assert_eq!(at(words([EVEN; 62], ALL)), [39, 49, 59]);
        assert_eq!(at(words((0..62).map(|ply| if ply == 45 { EVEN + 1 } else { -EVEN }), ALL)), [39, 55]);
        assert!(at(words([EVEN + 1; 200], ALL)).is_empty());
        assert!(at(words([0; 39], ALL)).is_empty());
        assert!(at(words([0; 200], Leave { draws: false, resigning: true })).is_empty());
    }

    #[test]
    fn a_game_is_given_up_when_it_has_been_lost_for_some_moves_or_ends_soon() {
        let none = Word::None;
        assert_eq!(words([LOST; 4], ALL), [none, none, Word::Resign, Word::Resign]);
        assert_eq!(words([LOST, LOST, LOST + 1, LOST, LOST], ALL), [none; 5]);
        assert_eq!(words([-50, -9_993], ALL), [none; 2]);
        assert_eq!(words([-50, -9_994], ALL), [none, Word::Resign]);
        assert_eq!(words([-9_994; 5], Leave { draws: true, resigning: false }), [none; 5]);
    }
}
