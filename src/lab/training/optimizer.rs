//! AdamW optimizer, learning rate schedule and loss functions, shared by the training of networks and the fit of
//! evaluation weights.
//!
//! Kingma and Ba, "Adam: a method for stochastic optimization", 2015; Loshchilov and Hutter, "Decoupled weight decay
//! regularization", 2019.

use std::f64::consts::PI;

use num_traits::Float;

use super::model::{LANES, Row};
use crate::util::math::logistic;
use crate::util::parallel::map_ordered;
use crate::util::simd::multiversion;

/// Decay of the mean gradient, β₁.
const BETA_1: f64 = 0.9;
/// Decay of the mean squared gradient, β₂.
const BETA_2: f64 = 0.999;
/// Bound from below of the divisor, ε.
const EPSILON: f64 = 1e-8;

/// Rounds a number to the type of parameters: `f32` for networks, `f64` for evaluation weights.
#[inline(always)]
fn real<F: Float>(value: f64) -> F {
    F::from(value).unwrap_or_else(F::nan)
}

/// Coefficients of one optimizer step, common to all parameters.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AdamStep<F> {
    /// Factor of the gradient: 1 / number of samples that it was summed over.
    gradient_scale: F,
    rate: F,
    decay: F,
    /// Bias corrections of the mean gradient and of the mean squared gradient.
    corrections: [F; 2],
}

impl<F: Float + Into<f64>> AdamStep<F> {
    /// Returns the coefficients of step `number`, from 1, over the summed gradient of `samples` samples. `decay` is
    /// relative to the learning rate.
    pub fn new(number: u64, samples: usize, rate: f64, decay: f64) -> AdamStep<F> {
        let correction = |beta: f64| real((1.0 - real::<F>(beta).into().powf(number as f64)).recip());
        AdamStep {
            gradient_scale: real((samples.max(1) as f64).recip()),
            rate: real(rate),
            decay: real(rate * decay),
            corrections: [BETA_1, BETA_2].map(correction),
        }
    }
}

/// Returns the learning rate after `done` of `all` steps: half a cosine wave from `first` to `last`.
pub fn cosine_rate(first: f64, last: f64, done: u64, all: u64) -> f64 {
    let part = done.min(all) as f64 / all.max(1) as f64;
    last + (first - last) * 0.5 * (1.0 + (PI * part).cos())
}

/// Parameters with their Adam moments, in rows of `N`.
#[derive(Clone, PartialEq, Debug)]
pub struct ParamState<F = f32, const N: usize = LANES> {
    pub values: Vec<[F; N]>,
    pub means: Vec<[F; N]>,
    pub squares: Vec<[F; N]>,
}

impl<F: Float, const N: usize> ParamState<F, N> {
    /// Creates the state before the first step.
    pub fn new(values: Vec<[F; N]>) -> ParamState<F, N> {
        let zero = vec![[F::zero(); N]; values.len()];
        ParamState { values, means: zero.clone(), squares: zero }
    }

    /// Makes one step along `gradient`, with parameters clamped to ± `bound`.
    pub fn advance(&mut self, gradient: &[[F; N]], step: AdamStep<F>, bound: F) {
        advance_rows(self, gradient, step, bound);
    }
}

multiversion! {
    /// Makes one step along `gradient`, with parameters clamped to ± `bound`.
    pub fn advance(state: &mut ParamState, gradient: &[Row], step: AdamStep<f32>, bound: f32) = advance_rows;
}

/// The only implementation of Adam; [`advance`] compiles it for several instruction sets.
#[inline(always)]
fn advance_rows<F: Float, const N: usize>(
    state: &mut ParamState<F, N>,
    gradient: &[[F; N]],
    step: AdamStep<F>,
    bound: F,
) {
    let [one, epsilon, beta_1, beta_2] = [1.0, EPSILON, BETA_1, BETA_2].map(real);
    let [mean_correction, square_correction] = step.corrections;
    let ParamState { values, means, squares } = state;
    for (((values, means), squares), gradient) in values.iter_mut().zip(means).zip(squares).zip(gradient) {
        for lane in 0..N {
            let gradient = gradient[lane] * step.gradient_scale;
            means[lane] = beta_1 * means[lane] + (one - beta_1) * gradient;
            squares[lane] = beta_2 * squares[lane] + (one - beta_2) * gradient * gradient;
            let divisor = (squares[lane] * square_correction).sqrt() + epsilon;
            let moved = values[lane] - step.rate * means[lane] * mean_correction / divisor - step.decay * values[lane];
            values[lane] = moved.max(-bound).min(bound);
        }
    }
}

/// Loss of a predicted winning chance p against a target t.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loss {
    /// −t·ln p − (1−t)·ln(1−p).
    CrossEntropy,
    /// (p − t)².
    Squared,
}

impl Loss {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::simd::Isa;

    #[test]
    fn steps_follow_the_formulas_of_the_papers() {
        let mut state = ParamState::new(vec![[0.5; LANES]]);
        let mut double = ParamState::<f64, 1>::new(vec![[0.5]]);
        let (mut value, mut mean, mut square) = (0.5_f64, 0.0_f64, 0.0_f64);
        for number in 1..=50 {
            let slope = (number as f64).sin();
            let gradient = vec![[slope as f32 * 4.0; LANES]];
            advance(Isa::PORTABLE, &mut state, &gradient, AdamStep::new(number, 4, 0.01, 0.1), 9.0);
            double.advance(&[[slope * 4.0]], AdamStep::new(number, 4, 0.01, 0.1), 9.0);
            mean = 0.9 * mean + 0.1 * slope;
            square = 0.999 * square + 0.001 * slope * slope;
            let (m, v) = (mean / (1.0 - 0.9_f64.powf(number as f64)), square / (1.0 - 0.999_f64.powf(number as f64)));
            value -= 0.01 * (m / (v.sqrt() + 1e-8) + 0.1 * value);
        }
        assert!((f64::from(state.values[0][7]) - value).abs() < 1e-4, "{} {value}", state.values[0][7]);
        assert!((double.values[0][0] - value).abs() < 1e-12, "{} {value}", double.values[0][0]);
        for number in 1..100 {
            advance(Isa::best(), &mut state, &[[-1.0; LANES]], AdamStep::new(number, 1, 0.1, 0.0), 1.98);
        }
        assert_eq!(state.values[0], [1.98; LANES], "parameters stay within their bounds");
        assert_eq!([0, 50, 100].map(|done| (cosine_rate(1.0, 0.2, done, 100) * 1e9).round() / 1e9), [1.0, 0.6, 0.2]);
    }

    #[test]
    fn gradients_agree_with_differences_and_nothing_overflows() {
        for loss in [Loss::CrossEntropy, Loss::Squared] {
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
}
