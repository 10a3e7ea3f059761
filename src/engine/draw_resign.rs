//! Draw offers and resignation.

use super::Engine;
use super::option_values::Options;
use crate::search::Outcome;
use crate::types::Value;
use crate::types::score::{DRAW, MATE};

/// Own moves of a game before the first draw offer.
const MIN_MOVES_FOR_DRAW: usize = 40;
/// Own moves in a row with an even score before a draw offer, and before the next one.
const EVEN_MOVES: usize = 10;
/// Largest distance of an even score from 0 or from the value of a draw with contempt, in centipawns.
const EVEN_SCORE: Value = 10;
/// Own moves in a row with a lost score before the engine resigns.
const LOST_MOVES: usize = 3;
/// Largest lost score in centipawns.
const LOST_SCORE: Value = -1_200;
/// The engine resigns at once if it is mated in this number of plies or fewer.
const MATED_PLIES: Value = 6;

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

/// Offers that the engine may make by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Allowed {
    draw_offers: bool,
    resignation: bool,
}

impl Allowed {
    fn new(options: &Options) -> Allowed {
        Allowed { draw_offers: options.offers_draws, resignation: options.resigns }
    }
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
    fn offer(&mut self, score: Value, draw_value: Value, is_draw_offered: bool, allowed: Allowed) -> Offer {
        let count = |in_a_row: usize, holds: bool| if holds { in_a_row + 1 } else { 0 };
        self.moves += 1;
        let is_even = [DRAW, draw_value].iter().any(|draw| (score - draw).abs() <= EVEN_SCORE);
        self.even_in_a_row = count(self.even_in_a_row, is_even);
        self.lost_in_a_row = count(self.lost_in_a_row, score <= LOST_SCORE);
        if is_draw_offered {
            return if score <= DRAW { Offer::Draw } else { Offer::None };
        }
        if allowed.resignation && (self.lost_in_a_row >= LOST_MOVES || score <= -MATE + MATED_PLIES) {
            return Offer::Resign;
        }
        if allowed.draw_offers && self.moves >= MIN_MOVES_FOR_DRAW && self.even_in_a_row >= EVEN_MOVES {
            self.even_in_a_row = 0;
            return Offer::Draw;
        }
        Offer::None
    }
}

impl Engine {
    /// Returns what the engine offers with the result of a search in the current position. `is_own_move` is false for
    /// analysis and for a search on the opponent's time, which do not belong to the game.
    ///
    /// Without the options `drawoffers` and `resign` the engine only accepts draws.
    pub fn offer(&mut self, outcome: &Outcome, is_draw_offered: bool, is_own_move: bool) -> Offer {
        // A move that was not searched has no score.
        if outcome.line.is_empty() || (outcome.depth == 0 && outcome.nodes == 0) {
            return Offer::None;
        }
        let allowed = Allowed::new(&self.options);
        if !is_own_move || allowed == Allowed::default() {
            return DrawResignPolicy::default().offer(outcome.score, DRAW, is_draw_offered, Allowed::default());
        }
        // A repeated search of the same position starts from the state before it.
        let [before, after] = self.offers.value_of(&self.position, |earlier| {
            let policy = earlier.map_or(DrawResignPolicy::default(), |(_, [_, after])| *after);
            [policy; 2]
        });
        *after = *before;
        after.offer(outcome.score, self.draw_value, is_draw_offered, allowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_that_was_not_searched_accepts_no_draw() {
        let mut engine = Engine::with_hash(1).unwrap();
        let mut answer = |nodes| {
            let outcome = Outcome { line: vec!["h2e2".parse().unwrap()], nodes, ..Outcome::default() };
            engine.offer(&outcome, true, true)
        };
        assert_eq!([answer(0), answer(1)], [Offer::None, Offer::Draw]);
    }

    const ALL: Allowed = Allowed { draw_offers: true, resignation: true };

    /// The offers that go with these scores.
    fn offers(scores: impl IntoIterator<Item = Value>, allowed: Allowed) -> Vec<Offer> {
        offers_with_draws_worth(DRAW, scores, allowed)
    }

    fn offers_with_draws_worth(
        draw_value: Value,
        scores: impl IntoIterator<Item = Value>,
        allowed: Allowed,
    ) -> Vec<Offer> {
        let mut policy = DrawResignPolicy::default();
        scores.into_iter().map(|score| policy.offer(score, draw_value, false, allowed)).collect()
    }

    #[test]
    fn a_draw_offer_is_accepted_unless_the_score_is_above_zero() {
        for (score, offer) in
            [(-9_999, Offer::Draw), (-1, Offer::Draw), (0, Offer::Draw), (1, Offer::None), (9_999, Offer::None)]
        {
            assert_eq!(DrawResignPolicy::default().offer(score, DRAW, true, Allowed::default()), offer, "{score}");
            assert_eq!(DrawResignPolicy::default().offer(score, DRAW, true, ALL), offer, "{score}");
        }
    }

    #[test]
    fn nothing_is_offered_unless_it_is_allowed() {
        let scores = [0; 100].into_iter().chain([-5_000; 20]).chain([-9_999; 5]);
        assert!(offers(scores, Allowed::default()).iter().all(|offer| *offer == Offer::None));
    }

    #[test]
    fn a_draw_is_offered_late_in_an_even_game_and_not_with_every_move() {
        let draws = |offers: Vec<Offer>| -> Vec<usize> {
            (0..offers.len()).filter(|&index| offers[index] == Offer::Draw).collect()
        };
        assert_eq!(draws(offers([EVEN_SCORE; 62], ALL)), [39, 49, 59]);
        let uneven = |index| if index == 45 { EVEN_SCORE + 1 } else { -EVEN_SCORE };
        assert_eq!(draws(offers((0..62).map(uneven), ALL)), [39, 55]);
        assert!(draws(offers([EVEN_SCORE + 1; 200], ALL)).is_empty());
        assert!(draws(offers([0; 39], ALL)).is_empty());
        assert!(draws(offers([0; 200], Allowed { draw_offers: false, ..ALL })).is_empty());
        // A draw found by the search is worth -50, an even evaluation 0; with -30 it prefers to play on.
        for even in [-50 - EVEN_SCORE, -50 + EVEN_SCORE, -EVEN_SCORE, EVEN_SCORE] {
            assert_eq!(draws(offers_with_draws_worth(-50, [even; 42], ALL)), [39], "{even}");
        }
        for uneven in [-51 - EVEN_SCORE, -30, EVEN_SCORE + 1] {
            assert!(draws(offers_with_draws_worth(-50, [uneven; 42], ALL)).is_empty(), "{uneven}");
        }
    }

    #[test]
    fn the_engine_resigns_when_lost_for_some_moves_or_mated_soon() {
        let none = Offer::None;
        assert_eq!(offers([LOST_SCORE; 4], ALL), [none, none, Offer::Resign, Offer::Resign]);
        let interrupted = [LOST_SCORE, LOST_SCORE, LOST_SCORE + 1, LOST_SCORE, LOST_SCORE];
        assert_eq!(offers(interrupted, ALL), [none; 5]);
        assert_eq!(offers([-50, -9_993], ALL), [none; 2]);
        assert_eq!(offers([-50, -9_994], ALL), [none, Offer::Resign]);
        assert_eq!(offers([-9_994; 5], Allowed { resignation: false, ..ALL }), [none; 5]);
    }
}
