//! Smoothed results: the returns of TD(λ) in place of the result of a game.
//!
//! The result of a game says little about its early positions, because later errors decide it. The scores of the next
//! searches depend on fewer moves. TD(λ) averages them as winning chances, with a weight of 1 − λ for the next one and
//! λ times less for each later one; the weight that is left goes to the result. Idea: R. S. Sutton, *Learning to Predict by the Methods of Temporal Differences*, Machine Learning 3, 1988.

use serde::{Deserialize, Serialize};

use crate::tools::datagen::ScoredGame;
use crate::types::Side;
use crate::util::math::logistic;

/// Parameters of smoothed results.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Smoothing {
    /// λ, from 0 to 1. At 1 the result of the game remains, at 0 the winning chance at the next move.
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
    /// moves and of the points. Before the last move that is `points`.
    ///
    /// ```
    /// use chuhe::notation::game::GameResult;
    /// use chuhe::position::Position;
    /// use chuhe::tools::datagen::{ScoredGame, ScoredMove};
    /// use chuhe::tools::training::Smoothing;
    /// let scored = |text: &str, score| ScoredMove { mv: text.parse().unwrap(), score };
    /// let game = ScoredGame {
    ///     start: Position::start(),
    ///     moves: vec![scored("h2e2", 0), scored("h9g7", 0), scored("h0g2", 0)],
    ///     result: GameResult::RedWins,
    /// };
    /// let smoothing = Smoothing { td_lambda: 0.5, scale: 400.0 };
    /// // Both scores after the first move are even: ½·½ + ½·(½·½ + ½·1).
    /// assert_eq!(smoothing.results(&game, 1.0), [0.625, 0.75, 1.0]);
    /// ```
    pub fn results(&self, game: &ScoredGame, points: f64) -> Vec<f64> {
        let mut results = vec![points; game.moves.len()];
        let mut after = points;
        for (index, played) in game.moves.iter().enumerate().rev() {
            results[index] = after;
            let is_red = (game.start.side() == Side::Red) == index.is_multiple_of(2);
            let for_red = if is_red { played.score } else { -played.score };
            let chance = logistic(f64::from(for_red) / self.scale);
            after = self.td_lambda * after + (1.0 - self.td_lambda) * chance;
        }
        results
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::game::GameResult;
    use crate::position::Position;
    use crate::tools::datagen::ScoredMove;
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
        ScoredGame { start, moves, result: GameResult::Draw }
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
}
