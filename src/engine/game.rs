//! One game of the engine: recognised from one own move to the next, with draw offers and resignation.

use arrayvec::ArrayVec;

use super::Engine;
use crate::position::Position;
use crate::search::Outcome;
use crate::types::score::{DRAW, MATE};
use crate::types::{Move, Value};

/// Own moves of a game before the first draw offer.
const MIN_MOVES_FOR_DRAW: usize = 40;
/// Own moves in a row with an even score before a draw offer, and before the next one.
const EVEN_MOVES: usize = 10;
/// Largest distance of an even score from 0 or from the value of a draw with contempt, in centipawns.
const EVEN_SCORE: Value = 10;
/// Own moves in a row with a lost score before the engine resigns.
const LOST_MOVES: usize = 3;
const LOST_SCORE: Value = -1_200;
/// The engine resigns at once if it is mated in this number of plies or fewer.
const MATED_PLIES: Value = 6;

/// Values that belong to a game, found again when a new position continues it: the last two positions with the engine
/// to move, the latest first, each with a `T`. The latest may have been an analysis, or a search on the opponent's time
/// for a move that was not played.
#[derive(Clone, Debug, Default)]
pub(super) struct GameContinuity<T>(ArrayVec<(Position, T), 2>);

impl<T> GameContinuity<T> {
    /// Returns the value of `position`, which becomes the latest. A value of the last two positions is kept; otherwise
    /// `begin` makes it from the preceding position and its value, the latest of the two from which one move of each
    /// side leads here.
    pub(super) fn value_of(&mut self, position: &Position, begin: impl FnOnce(Option<(&Position, &T)>) -> T) -> &mut T {
        // The latest first: in a game of repetitions, the position before last looks like the next one.
        let relation = self.0.iter().enumerate().find_map(|(index, (earlier, _))| {
            let is_same = earlier.key() == position.key();
            (is_same || moves_between(earlier, position).is_some()).then_some((index, is_same))
        });
        if let Some((index, true)) = relation {
            self.0.swap(0, index);
        } else {
            let before = relation.map(|(index, _)| index);
            let begun = begin(before.map(|index| (&self.0[index].0, &self.0[index].1)));
            // The preceding position is kept; in a new game, the latest of the old one.
            let kept = before.unwrap_or(0);
            let kept = (kept < self.0.len()).then(|| self.0.swap_remove(kept));
            self.0.clear();
            self.0.push((position.with_recent_history(0), begun));
            self.0.extend(kept);
        }
        &mut self.0[0].1
    }

    pub(super) fn set_latest(&mut self, value: T) {
        if let Some((_, latest)) = self.0.first_mut() {
            *latest = value;
        }
    }
}

/// Returns one move of each side that lead from `earlier` to `position`: front ends omit histories before captures.
pub(super) fn moves_between(earlier: &Position, position: &Position) -> Option<[Move; 2]> {
    if position.side() != earlier.side() {
        return None;
    }
    let mut walked = earlier.with_recent_history(0);
    earlier.legal_moves().iter().find_map(|&first| {
        walked.make(first);
        let second = walked.legal_moves().into_iter().find(|&mv| walked.key_after(mv) == position.key());
        walked.unmake();
        Some([first, second?])
    })
}

/// Draw offer or resignation that goes with a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Offer {
    /// None.
    #[default]
    None,
    /// The engine offers a draw, or accepts the opponent's offer.
    Draw,
    /// The engine resigns.
    Resign,
}

/// Decides on offers from the scores of the engine's own moves in one game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct DrawResignPolicy {
    moves: usize,
    even_in_a_row: usize,
    lost_in_a_row: usize,
}

impl DrawResignPolicy {
    /// Returns what the engine offers with a move of this score, after a search in which a draw was worth `draw_value`.
    /// The engine accepts a draw if its score is not above 0, and it does not resign while the opponent offers a draw.
    fn offer(
        &mut self,
        score: Value,
        draw_value: Value,
        is_draw_offered: bool,
        may_offer_draws: bool,
        may_resign: bool,
    ) -> Offer {
        let count = |in_a_row: usize, holds: bool| if holds { in_a_row + 1 } else { 0 };
        self.moves += 1;
        let is_even = [DRAW, draw_value].iter().any(|draw| (score - draw).abs() <= EVEN_SCORE);
        self.even_in_a_row = count(self.even_in_a_row, is_even);
        self.lost_in_a_row = count(self.lost_in_a_row, score <= LOST_SCORE);
        if is_draw_offered {
            return if score <= DRAW { Offer::Draw } else { Offer::None };
        }
        if may_resign && (self.lost_in_a_row >= LOST_MOVES || score <= -MATE + MATED_PLIES) {
            return Offer::Resign;
        }
        if may_offer_draws && self.moves >= MIN_MOVES_FOR_DRAW && self.even_in_a_row >= EVEN_MOVES {
            self.even_in_a_row = 0;
            return Offer::Draw;
        }
        Offer::None
    }
}

impl Engine {
    /// Returns what the engine offers with the result of a search in the current position; `is_own_move` is false for
    /// analysis and for a search on the opponent's time. Without `drawoffers` and `resign` it only accepts draws.
    pub fn offer(&mut self, outcome: &Outcome, is_draw_offered: bool, is_own_move: bool) -> Offer {
        // A move that was not searched has no score.
        if outcome.line.is_empty() || (outcome.finished_depth == 0 && outcome.nodes == 0) {
            return Offer::None;
        }
        if !is_own_move || !(self.options.offers_draws || self.options.resigns) {
            return DrawResignPolicy::default().offer(outcome.score, DRAW, is_draw_offered, false, false);
        }
        // A repeated search of the same position starts from the state before it.
        let [before, after] = self.offers.value_of(&self.position, |earlier| {
            let policy = earlier.map_or(DrawResignPolicy::default(), |(_, [_, after])| *after);
            [policy; 2]
        });
        *after = *before;
        let (may_offer_draws, may_resign) = (self.options.offers_draws, self.options.resigns);
        after.offer(outcome.score, self.draw_value, is_draw_offered, may_offer_draws, may_resign)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(moves: &[&str]) -> Position {
        let mut position = Position::start();
        position.play(moves.iter().copied()).unwrap();
        position
    }

    fn number(before: Option<(&Position, &usize)>) -> usize {
        before.map_or(1, |(_, number)| number + 1)
    }

    #[test]
    fn a_game_of_repetitions_continues() {
        let mut continuity = GameContinuity::default();
        let shuffle = ["a0a1", "a9a8", "a1a0", "a8a9"];
        for turn in 0..9 {
            let moves: Vec<&str> = shuffle.iter().copied().cycle().take(2 * turn).collect();
            assert_eq!(*continuity.value_of(&after(&moves), number), turn + 1);
            assert_eq!(*continuity.value_of(&after(&moves), number), turn + 1, "the same position again");
        }
    }

    #[test]
    fn searches_of_other_positions_do_not_end_the_game() {
        let mut continuity = GameContinuity::default();
        assert_eq!(*continuity.value_of(&Position::start(), number), 1);
        // Pondering expected another reply than the one played.
        assert_eq!(*continuity.value_of(&after(&["h2e2", "h9g7"]), number), 2);
        assert_eq!(*continuity.value_of(&after(&["h2e2", "b9c7"]), number), 2);
        // An analysis of something else, with the other side to move.
        assert_eq!(*continuity.value_of(&after(&["a0a1"]), number), 1);
        assert_eq!(*continuity.value_of(&after(&["h2e2", "b9c7", "h0g2", "h9g7"]), number), 3);
        // After two unrelated positions the game is forgotten.
        assert_eq!(*continuity.value_of(&after(&["a0a1"]), number), 1);
        assert_eq!(*continuity.value_of(&after(&["a0a2"]), number), 1);
        assert_eq!(*continuity.value_of(&after(&["h2e2", "b9c7", "h0g2", "h9g7", "i0h0", "i9i8"]), number), 1);
    }

    #[test]
    fn a_move_that_was_not_searched_accepts_no_draw() {
        let mut engine = Engine::with_hash(1).unwrap();
        let mut answer = |nodes| {
            let outcome = Outcome { line: vec!["h2e2".parse().unwrap()], nodes, ..Outcome::default() };
            engine.offer(&outcome, true, true)
        };
        assert_eq!([answer(0), answer(1)], [Offer::None, Offer::Draw]);
    }

    /// The offers that go with these scores, where a draw is worth `draw_value`.
    fn offers(draw_value: Value, scores: impl IntoIterator<Item = Value>, is_allowed: bool) -> Vec<Offer> {
        let mut policy = DrawResignPolicy::default();
        scores.into_iter().map(|score| policy.offer(score, draw_value, false, is_allowed, is_allowed)).collect()
    }

    #[test]
    fn a_draw_is_offered_late_in_an_even_game_and_not_with_every_move() {
        let draws = |draw_value, scores: Vec<Value>| -> Vec<usize> {
            let offers = offers(draw_value, scores, true);
            (0..offers.len()).filter(|&index| offers[index] == Offer::Draw).collect()
        };
        assert_eq!(draws(DRAW, vec![EVEN_SCORE; 62]), [39, 49, 59]);
        let uneven = |index| if index == 45 { EVEN_SCORE + 1 } else { -EVEN_SCORE };
        assert_eq!(draws(DRAW, (0..62).map(uneven).collect()), [39, 55]);
        // A draw found by the search is worth -50, an even evaluation 0; with -30 it prefers to play on.
        for (score, is_even) in [(-50 - EVEN_SCORE, true), (EVEN_SCORE, true), (-30, false), (EVEN_SCORE + 1, false)] {
            assert_eq!(draws(-50, vec![score; 42]).is_empty(), !is_even, "{score}");
        }
    }

    #[test]
    fn the_engine_resigns_when_lost_for_some_moves_or_mated_soon_and_only_if_allowed() {
        let none = Offer::None;
        let resigns = |scores: &[Value]| offers(DRAW, scores.iter().copied(), true);
        assert_eq!(resigns(&[LOST_SCORE; 4]), [none, none, Offer::Resign, Offer::Resign]);
        assert_eq!(resigns(&[LOST_SCORE, LOST_SCORE, LOST_SCORE + 1, LOST_SCORE, LOST_SCORE]), [none; 5]);
        assert_eq!(resigns(&[-50, -9_993, -9_994]), [none, none, Offer::Resign]);
        let scores = [0; 100].into_iter().chain([-5_000; 20]).chain([-9_999; 5]);
        assert!(offers(DRAW, scores, false).iter().all(|offer| *offer == Offer::None));
    }
}
