//! Loss functions on winning chances, the fit of the logistic scale, and the training target of networks.

use super::sample::Sample;
use crate::eval::network::SCALE;
use crate::util::math::logistic;
use crate::util::parallel::map_ordered;

/// Loss of a predicted winning chance p against a target t.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Loss {
    /// −t·ln p − (1−t)·ln(1−p).
    #[default]
    CrossEntropy,
    /// (p − t)².
    Squared,
}

impl Loss {
    /// All losses with their names on the command line.
    pub const NAMED: [(&'static str, Loss); 2] = [("cross-entropy", Loss::CrossEntropy), ("squared", Loss::Squared)];

    /// Returns the name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Loss::CrossEntropy => Loss::NAMED[0].0,
            Loss::Squared => Loss::NAMED[1].0,
        }
    }

    /// Returns the loss with this name.
    pub fn from_name(name: &str) -> Option<Loss> {
        Loss::NAMED.into_iter().find(|(other, _)| *other == name).map(|(_, loss)| loss)
    }

    /// Returns the loss of the prediction logistic(`x`), where `x` is a value divided by the scale.
    #[inline]
    pub fn value(self, x: f64, target: f64) -> f64 {
        match self {
            // ln(1 + e^x) − t·x, in a form that never overflows.
            Loss::CrossEntropy => x.max(0.0) + (-x.abs()).exp().ln_1p() - target * x,
            Loss::Squared => (logistic(x) - target).powi(2),
        }
    }

    /// Returns the derivative of the loss by `x`.
    #[inline]
    pub fn gradient(self, x: f64, target: f64) -> f64 {
        let chance = logistic(x);
        match self {
            Loss::CrossEntropy => chance - target,
            Loss::Squared => 2.0 * (chance - target) * chance * (1.0 - chance),
        }
    }
}

/// Fits the logistic scale to pairs of value, in centipawns, and result: a golden section search over the logarithm of
/// the scale. Returns centipawns.
pub fn fit_scale_to(values: &[(f64, f64)], loss: Loss, threads: usize) -> f64 {
    /// Range of the search; with other scales the values say nothing about the results.
    const RANGE: [f64; 2] = [10.0, 10_000.0];
    const STEPS: usize = 30;
    const CHUNK: usize = 1 << 14;
    let loss_at = |logarithm: f64| -> f64 {
        let scale = logarithm.exp();
        let sum =
            |chunk: &[(f64, f64)]| chunk.iter().map(|(value, result)| loss.value(value / scale, *result)).sum::<f64>();
        map_ordered(values.chunks(CHUNK), threads, || (), |(), chunk| sum(chunk)).iter().sum()
    };
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let [mut low, mut high] = RANGE.map(f64::ln);
    let (mut left, mut right) = (high - golden * (high - low), low + golden * (high - low));
    let (mut at_left, mut at_right) = (loss_at(left), loss_at(right));
    for _ in 0..STEPS {
        if at_left <= at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - golden * (high - low);
            at_left = loss_at(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + golden * (high - low);
            at_right = loss_at(right);
        }
    }
    ((low + high) / 2.0).exp()
}

/// Training target of a network: a blend of search score and game result, as a winning chance.
///
/// Network values and search scores share one scale k: c centipawns are a chance of 1 / (1 + e^(−c/k)).
#[derive(Clone, PartialEq, Debug)]
pub struct Target {
    loss: Loss,
    /// Share of the score in the target; the rest is the result.
    lambda: f64,
    /// Network output to argument of the logistic function.
    factor: f64,
    scale: f64,
    /// Winning chances of the scores from −`max_score` to `max_score`.
    chances: Vec<f64>,
    max_score: i32,
}

impl Target {
    /// Creates a target with a share of `lambda` for the score, clamped to ± `max_score`. `scale` is in centipawns.
    pub fn new(loss: Loss, lambda: f64, scale: f64, max_score: i32) -> Target {
        let chances = (-max_score..=max_score).map(|score| logistic(f64::from(score) / scale)).collect();
        Target { loss, lambda, factor: f64::from(SCALE) / scale, scale, chances, max_score }
    }

    /// Returns the target winning chance of a sample.
    #[inline]
    pub fn chance(&self, sample: &Sample) -> f64 {
        let score = i32::from(sample.score()).clamp(-self.max_score, self.max_score);
        let of_score = self.chances[(score + self.max_score) as usize];
        self.lambda * of_score + (1.0 - self.lambda) * f64::from(sample.result())
    }

    /// Returns the loss of a network output and its derivative by the output.
    #[inline]
    pub fn loss_and_gradient(&self, output: f32, chance: f64) -> (f64, f32) {
        let x = f64::from(output) * self.factor;
        (self.loss.value(x, chance), (self.loss.gradient(x, chance) * self.factor) as f32)
    }

    /// Returns the loss of a value in centipawns.
    pub fn loss(&self, value: f64, chance: f64) -> f64 {
        self.loss.value(value / self.scale, chance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;

    #[test]
    fn gradients_agree_with_differences_and_nothing_overflows() {
        for (_, loss) in Loss::NAMED {
            for target in [0.0, 0.3, 0.5, 1.0] {
                for step in -40..=40 {
                    let (x, h) = (f64::from(step) / 4.0, 1e-6);
                    let difference = (loss.value(x + h, target) - loss.value(x - h, target)) / (2.0 * h);
                    assert!((difference - loss.gradient(x, target)).abs() < 1e-7, "{loss:?} at {x}, {target}");
                }
                let is_finite = |x| loss.value(x, target).is_finite() && loss.gradient(x, target).is_finite();
                assert!([-1e6, 1e6].into_iter().all(is_finite));
            }
        }
    }

    #[test]
    fn targets_blend_scores_and_results() {
        let sample = |score, points| Sample::new(&Position::start(), score, points).unwrap();
        let target = Target::new(Loss::Squared, 0.75, 300.0, 1000);
        assert_eq!(target.chance(&sample(0, 1.0)), 0.625);
        let third = 1.0 / (1.0 + (-1f64).exp());
        assert!((target.chance(&sample(300, 0.0)) - 0.75 * third).abs() < 1e-12);
        assert_eq!(target.chance(&sample(3000, 0.5)), target.chance(&sample(1000, 0.5)));
        // An output of 1 is worth SCALE centipawns.
        let (loss, _) = target.loss_and_gradient(1.5, 0.25);
        assert!((loss - target.loss(1.5 * f64::from(SCALE), 0.25)).abs() < 1e-12);
        assert!((loss - (logistic(2.0) - 0.25).powi(2)).abs() < 1e-12);
    }
}
