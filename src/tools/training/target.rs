//! What a network should tell of a sample, and the price of telling something else.

use super::sample::Sample;
use crate::eval::network::SCALE;
use crate::tools::tuning::{Loss, chance};

/// What is aimed at.
///
/// Centipawns of the network mean the same as those of the scores it learns from: with scale k, c centipawns are a
/// chance of 1 / (1 + e^(−c/k)).
#[derive(Clone, PartialEq, Debug)]
pub struct Goal {
    loss: Loss,
    /// How much of the score is in what should be told; the rest is the result.
    lambda: f64,
    /// By how much an output is multiplied to give its logistic unit.
    factor: f64,
    scale: f64,
    /// The chances that go with scores from −`bound` to `bound`.
    chances: Vec<f64>,
    bound: i32,
}

impl Goal {
    /// Scores up to ± `bound` count `lambda` parts and the result of the game the rest; `scale` centipawns are a chance
    /// of 73 %.
    pub fn new(loss: Loss, lambda: f64, scale: f64, bound: i32) -> Goal {
        let chances = (-bound..=bound).map(|score| chance(f64::from(score) / scale)).collect();
        Goal { loss, lambda, factor: f64::from(SCALE) / scale, scale, chances, bound }
    }

    /// The chance that the network should tell.
    #[inline]
    pub fn target(&self, sample: &Sample) -> f64 {
        let score = i32::from(sample.score()).clamp(-self.bound, self.bound);
        let by_score = self.chances[(score + self.bound) as usize];
        self.lambda * by_score + (1.0 - self.lambda) * f64::from(sample.result())
    }

    /// The price of an output of the network, and its derivative by the output.
    #[inline]
    pub fn price(&self, output: f32, target: f64) -> (f64, f32) {
        let x = f64::from(output) * self.factor;
        (self.loss.of(x, target), (self.loss.slope(x, target) * self.factor) as f32)
    }

    /// The price of a value in centipawns.
    pub fn price_of_value(&self, value: f64, target: f64) -> f64 {
        self.loss.of(value / self.scale, target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;

    #[test]
    fn targets_blend_scores_and_results() {
        let sample = |score, points| Sample::of(&Position::start(), score, points).unwrap();
        let goal = Goal::new(Loss::Squared, 0.75, 300.0, 1000);
        assert_eq!(goal.target(&sample(0, 1.0)), 0.625);
        let third = 1.0 / (1.0 + (-1f64).exp());
        assert!((goal.target(&sample(300, 0.0)) - 0.75 * third).abs() < 1e-12);
        assert_eq!(goal.target(&sample(3000, 0.5)), goal.target(&sample(1000, 0.5)));
        // An output of 1 is worth SCALE centipawns.
        let (price, _) = goal.price(1.5, 0.25);
        assert!((price - goal.price_of_value(1.5 * f64::from(SCALE), 0.25)).abs() < 1e-12);
        assert!((price - (chance(2.0) - 0.25).powi(2)).abs() < 1e-12);
    }
}
