//! Smoothed results: the returns of TD(λ) in place of the result of a game.
//!
//! The result of a game says little about its early positions, because later errors decide it. The scores of the next
//! searches depend on fewer moves. TD(λ) averages them as winning chances, with a weight of 1 − λ for the next one and
//! λ times less for each later one; the weight that is left goes to the result. Idea: R. S. Sutton, *Learning to
//! Predict by the Methods of Temporal Differences*, Machine Learning 3, 1988. A game that was stopped at its maximum
//! length has no result of its own: its last score stands in, as the value of the last state does in an unfinished
//! episode.

use serde::{Deserialize, Serialize};

use crate::lab::datagen::{EndingKind, ScoredGame};
use crate::types::Side;
use crate::util::math::logistic;

/// Parameters of smoothed results.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Smoothing {
    /// λ, from 0 to 1. At 1 the result of every game remains, at 0 the winning chance at the next move.
    pub td_lambda: f64,
    /// Centipawns of a winning chance of 73 %.
    #[serde(rename = "td-scale")]
    pub scale: f64,
}

impl Smoothing {
    /// Returns the smoothing with this λ and scale; `None` for a λ of 1, which is the plain result.
    pub fn new(td_lambda: f64, scale: f64) -> Option<Smoothing> {
        (td_lambda < 1.0).then_some(Smoothing { td_lambda, scale })
    }

    /// Returns for each move of a game that gives Red `points` the average of the winning chances for Red at the later
    /// moves and of the points. Before the last move that is `points`. In a game that was [stopped at its maximum
    /// length](EndingKind::TooLong) the winning chance at the last move replaces the points.
    ///
    /// ```
    /// use chuhe::notation::game::GameResult;
    /// use chuhe::position::Position;
    /// use chuhe::lab::datagen::{EndingKind, ScoredGame, ScoredMove};
    /// use chuhe::lab::training::Smoothing;
    /// let scored = |text: &str, score| ScoredMove { mv: text.parse().unwrap(), score };
    /// let game = ScoredGame {
    ///     start: Position::start(),
    ///     moves: vec![scored("h2e2", 0), scored("h9g7", 0), scored("h0g2", 0)],
    ///     result: GameResult::RedWins,
    ///     ending: EndingKind::WinAgreed,
    /// };
    /// let smoothing = Smoothing { td_lambda: 0.5, scale: 400.0 };
    /// // Both scores after the first move are even: ½·½ + ½·(½·½ + ½·1).
    /// assert_eq!(smoothing.results(&game, 1.0), [0.625, 0.75, 1.0]);
    /// ```
    pub fn results(&self, game: &ScoredGame, points: f64) -> Vec<f64> {
        let chance = |index: usize| {
            let is_red = (game.start.side() == Side::Red) == index.is_multiple_of(2);
            let score = game.moves[index].score;
            logistic(f64::from(if is_red { score } else { -score }) / self.scale)
        };
        let count = game.moves.len();
        let is_stopped = game.ending == EndingKind::TooLong && count > 0 && self.td_lambda < 1.0;
        let mut after = if is_stopped { chance(count - 1) } else { points };
        let mut results = vec![after; count];
        for index in (0..count).rev() {
            results[index] = after;
            after = self.td_lambda * after + (1.0 - self.td_lambda) * chance(index);
        }
        results
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::datagen::ScoredMove;
    use crate::notation::game::GameResult;
    use crate::position::Position;
    use crate::util::random::StableRandom;

    /// A game of `length` moves with random scores, begun by either side. The moves themselves do not matter.
    fn game(seed: u64, length: usize) -> ScoredGame {
        let mut random = StableRandom::new(seed, 0);
        let mut start = Position::start();
        if random.below(2) == 1 {
            start.play(["h2e2"]).unwrap();
        }
        let mv = "a0a1".parse().unwrap();
        let moves = (0..length).map(|_| ScoredMove { mv, score: random.below(2001) as i32 - 1000 }).collect();
        ScoredGame { start, moves, result: GameResult::Draw, ending: EndingKind::Repetition }
    }

    #[test]
    fn results_are_the_weighted_sums_of_later_chances_and_the_points() {
        for seed in 0..50 {
            let game = game(seed, 1 + seed as usize);
            let length = game.moves.len();
            for (td_lambda, points) in [(0.95, 1.0), (0.5, 0.0), (0.0, 0.5), (1.0, 0.0)] {
                let smoothing = Smoothing { td_lambda, scale: 321.0 };
                let results = smoothing.results(&game, points);
                assert_eq!(results.len(), length);
                for (index, result) in results.into_iter().enumerate() {
                    let mut sum = points * td_lambda.powi((length - 1 - index) as i32);
                    for later in index + 1..length {
                        let mover = if later % 2 == 0 { game.start.side() } else { !game.start.side() };
                        let sign = if mover == Side::Red { 1.0 } else { -1.0 };
                        let chance = 0.5 + 0.5 * (sign * f64::from(game.moves[later].score) / 642.0).tanh();
                        sum += (1.0 - td_lambda) * td_lambda.powi((later - index - 1) as i32) * chance;
                    }
                    assert!((result - sum).abs() < 1e-12, "move {index} of {length}: {result}, not {sum}");
                }
            }
        }
    }

    #[test]
    fn the_last_score_replaces_the_result_of_a_stopped_game() {
        let smoothing = Smoothing { td_lambda: 0.75, scale: 250.0 };
        for seed in 0..20 {
            let mut stopped = game(seed, 1 + seed as usize);
            let is_red = (stopped.start.side() == Side::Red) == (stopped.moves.len() % 2 == 1);
            let last = f64::from(stopped.moves.last().unwrap().score) * if is_red { 1.0 } else { -1.0 };
            let chance = 0.5 + 0.5 * (last / 500.0).tanh();
            let expected = smoothing.results(&stopped, chance);
            stopped.ending = EndingKind::TooLong;
            let plain = Smoothing { td_lambda: 1.0, ..smoothing }.results(&stopped, 0.5);
            assert!(plain.iter().all(|&result| result == 0.5), "without smoothing the result remains: {plain:?}");
            let results = smoothing.results(&stopped, 0.5);
            assert!(results.iter().zip(&expected).all(|(one, other)| (one - other).abs() < 1e-12), "{results:?}");
        }
        let mut empty = game(1, 1);
        (empty.ending, empty.moves) = (EndingKind::TooLong, Vec::new());
        assert!(smoothing.results(&empty, 0.5).is_empty());
    }

    #[test]
    fn decisive_scores_and_empty_games_are_no_exception() {
        let mut game = game(1, 3);
        game.start = Position::start();
        game.moves[2].score = 30_000;
        let smoothing = Smoothing { td_lambda: 0.75, scale: 400.0 };
        let before_last = smoothing.results(&game, 0.0)[1];
        assert!((before_last - 0.25).abs() < 1e-12, "{before_last}");
        game.moves.clear();
        assert!(smoothing.results(&game, 1.0).is_empty());
    }

    #[test]
    fn scales_are_read_back_bit_for_bit() {
        // A training is resumed only with equal settings, and some readers of numbers miss the last bit of this one.
        let smoothing = Smoothing { td_lambda: 0.904_837_418_035_959_5, scale: 499.486_998_039_385_64 };
        let text = serde_json::to_string(&smoothing).unwrap();
        assert_eq!(serde_json::from_str::<Smoothing>(&text).unwrap(), smoothing);
    }
}
