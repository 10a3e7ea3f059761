//! How far an evaluation is from what happened: values as winning chances, and the price of being wrong.

use super::dataset::{Dataset, Label};
use crate::util::parallel::map_ordered;

/// The price of a chance that turns out wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Loss {
    /// −t·ln p − (1−t)·ln(1−p).
    #[default]
    CrossEntropy,
    /// (p − t)².
    Squared,
}

impl Loss {
    /// Both, by the names they have on the command line.
    pub const NAMED: [(&'static str, Loss); 2] = [("cross-entropy", Loss::CrossEntropy), ("squared", Loss::Squared)];

    /// The loss of that name.
    pub fn from_name(name: &str) -> Option<Loss> {
        Loss::NAMED.into_iter().find(|(other, _)| *other == name).map(|(_, loss)| loss)
    }

    /// The price when `x` is the value divided by the scale and `target` what it should have told.
    #[inline]
    pub fn of(self, x: f64, target: f64) -> f64 {
        match self {
            // ln(1 + e^x) − t·x, in a form that never overflows.
            Loss::CrossEntropy => x.max(0.0) + (-x.abs()).exp().ln_1p() - target * x,
            Loss::Squared => (chance(x) - target).powi(2),
        }
    }

    /// Its derivative by `x`.
    #[inline]
    pub fn slope(self, x: f64, target: f64) -> f64 {
        let chance = chance(x);
        match self {
            Loss::CrossEntropy => chance - target,
            Loss::Squared => 2.0 * (chance - target) * chance * (1.0 - chance),
        }
    }
}

/// The logistic function: the chance that goes with a value divided by the scale.
#[inline]
pub fn chance(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// What the evaluation of a position should tell: `result_share` parts the result of the game, the rest what a search
/// said. Without a search it is the result alone.
pub fn target(label: Label, scale: f64, result_share: f64) -> f64 {
    let result = f64::from(label.result);
    label.score.map_or(result, |score| result_share * result + (1.0 - result_share) * chance(f64::from(score) / scale))
}

/// The scale, in centipawns, with which the values under these weights tell the results best.
pub fn fit_scale(dataset: &Dataset, weights: &[f64], loss: Loss, threads: usize) -> f64 {
    let values: Vec<(f64, f64)> =
        (0..dataset.len()).map(|at| (dataset.value(at, weights), f64::from(dataset.label(at).result))).collect();
    fit_scale_to(&values, loss, threads)
}

/// The scale with which these values, in centipawns, tell the results beside them best: a golden section search over
/// its logarithm.
pub fn fit_scale_to(values: &[(f64, f64)], loss: Loss, threads: usize) -> f64 {
    /// Scales that are worth trying; beyond them the values tell nothing.
    const RANGE: [f64; 2] = [10.0, 10_000.0];
    const STEPS: usize = 30;
    const CHUNK: usize = 1 << 14;
    let price = |logarithm: f64| -> f64 {
        let scale = logarithm.exp();
        let sum =
            |chunk: &[(f64, f64)]| chunk.iter().map(|(value, result)| loss.of(value / scale, *result)).sum::<f64>();
        map_ordered(values.chunks(CHUNK), threads, || (), |(), chunk| sum(chunk)).iter().sum()
    };
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let [mut low, mut high] = RANGE.map(f64::ln);
    let (mut left, mut right) = (high - golden * (high - low), low + golden * (high - low));
    let (mut at_left, mut at_right) = (price(left), price(right));
    for _ in 0..STEPS {
        if at_left <= at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - golden * (high - low);
            at_left = price(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + golden * (high - low);
            at_right = price(right);
        }
    }
    ((low + high) / 2.0).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_agree_with_differences_and_nothing_overflows() {
        for (_, loss) in Loss::NAMED {
            for target in [0.0, 0.3, 0.5, 1.0] {
                for step in -40..=40 {
                    let (x, h) = (f64::from(step) / 4.0, 1e-6);
                    let difference = (loss.of(x + h, target) - loss.of(x - h, target)) / (2.0 * h);
                    assert!((difference - loss.slope(x, target)).abs() < 1e-7, "{loss:?} at {x}, {target}");
                }
                assert!(
                    [-1e6, 1e6]
                        .into_iter()
                        .all(|x| loss.of(x, target).is_finite() && loss.slope(x, target).is_finite())
                );
            }
        }
    }

    #[test]
    fn targets_blend_results_and_scores() {
        let label = Label { result: 1.0, score: Some(0) };
        assert_eq!(target(label, 300.0, 0.5), 0.75);
        assert_eq!(target(label, 300.0, 1.0), 1.0);
        assert_eq!(target(Label { score: None, ..label }, 300.0, 0.0), 1.0);
        let loses = Label { result: 0.0, score: Some(-300) };
        assert!((target(loses, 300.0, 0.0) - 1.0 / (1.0 + 1f64.exp())).abs() < 1e-12);
    }
}
