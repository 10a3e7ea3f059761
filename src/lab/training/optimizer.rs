//! AdamW optimizer and learning rate schedule, shared by the training of networks and the fit of evaluation weights.
//!
//! Kingma and Ba, "Adam: a method for stochastic optimization", 2015; Loshchilov and Hutter, "Decoupled weight decay
//! regularization", 2019.

use std::f64::consts::PI;
use std::ops::{Add, Div, Mul, Sub};

use super::model::{LANES, Row};
use crate::util::simd::multiversion;

/// Decay of the mean gradient, β₁.
const BETA_1: f64 = 0.9;
/// Decay of the mean squared gradient, β₂.
const BETA_2: f64 = 0.999;
/// Bound from below of the divisor, ε.
const EPSILON: f64 = 1e-8;

/// Floating-point type of parameters: `f32` for networks, `f64` for evaluation weights.
pub trait Real:
    Copy + Default + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// Rounds a number to this type.
    fn from_f64(value: f64) -> Self;
    /// Converts to double precision.
    fn to_f64(self) -> f64;
    /// Returns the square root.
    fn sqrt(self) -> Self;
    /// Clamps to ± `bound`; NaN becomes −`bound`.
    fn clamp_to(self, bound: Self) -> Self;
}

macro_rules! implement_real {
    ($($real:ty)+) => {$(
        impl Real for $real {
            #[inline(always)]
            fn from_f64(value: f64) -> $real {
                value as $real
            }

            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }

            #[inline(always)]
            fn sqrt(self) -> $real {
                <$real>::sqrt(self)
            }

            #[inline(always)]
            fn clamp_to(self, bound: $real) -> $real {
                self.max(-bound).min(bound)
            }
        }
    )+};
}
implement_real!(f32 f64);

/// Coefficients of one optimizer step, common to all parameters.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AdamStep<F> {
    /// Factor of the gradient: 1 / number of samples that it was summed over.
    pub gradient_scale: F,
    /// Learning rate.
    pub rate: F,
    /// Weight decay of this step.
    pub decay: F,
    /// Bias correction of the mean gradient.
    mean_correction: F,
    /// Bias correction of the mean squared gradient.
    square_correction: F,
}

impl<F: Real> AdamStep<F> {
    /// Returns the coefficients of step `number`, from 1, over the summed gradient of `samples` samples. `decay` is
    /// relative to the learning rate.
    pub fn new(number: u64, samples: usize, rate: f64, decay: f64) -> AdamStep<F> {
        let correction = |beta: f64| F::from_f64((1.0 - F::from_f64(beta).to_f64().powf(number as f64)).recip());
        AdamStep {
            gradient_scale: F::from_f64((samples.max(1) as f64).recip()),
            rate: F::from_f64(rate),
            decay: F::from_f64(rate * decay),
            mean_correction: correction(BETA_1),
            square_correction: correction(BETA_2),
        }
    }
}

/// Returns the learning rate after `done` of `all` steps: half a cosine wave from `first` to `last`.
///
/// ```
/// use chuhe::lab::training::cosine_rate;
/// assert_eq!([0, 50, 100].map(|done| (cosine_rate(1.0, 0.2, done, 100) * 1e9).round() / 1e9), [1.0, 0.6, 0.2]);
/// ```
pub fn cosine_rate(first: f64, last: f64, done: u64, all: u64) -> f64 {
    let part = done.min(all) as f64 / all.max(1) as f64;
    last + (first - last) * 0.5 * (1.0 + (PI * part).cos())
}

/// Parameters with their Adam moments, in rows of `N`.
#[derive(Clone, PartialEq, Debug)]
pub struct ParamState<F = f32, const N: usize = LANES> {
    /// Parameters.
    pub values: Vec<[F; N]>,
    /// Mean gradients.
    pub means: Vec<[F; N]>,
    /// Mean squared gradients.
    pub squares: Vec<[F; N]>,
}

impl<F: Real, const N: usize> ParamState<F, N> {
    /// Creates the state before the first step.
    pub fn new(values: Vec<[F; N]>) -> ParamState<F, N> {
        let zero = vec![[F::default(); N]; values.len()];
        ParamState { values, means: zero.clone(), squares: zero }
    }

    /// Makes one step along `gradient`, with parameters clamped to ± `bound`.
    pub fn advance(&mut self, gradient: &[[F; N]], step: AdamStep<F>, bound: F) {
        advance_rows(&mut self.values, &mut self.means, &mut self.squares, gradient, step, bound);
    }
}

multiversion! {
    /// Makes one step along `gradient`, with parameters clamped to ± `bound`.
    pub fn advance(
        values: &mut [Row], means: &mut [Row], squares: &mut [Row], gradient: &[Row], step: AdamStep<f32>, bound: f32
    )
        = advance_rows;
}

/// The only implementation of Adam; [`advance`] compiles it for several instruction sets.
#[inline(always)]
fn advance_rows<F: Real, const N: usize>(
    values: &mut [[F; N]],
    means: &mut [[F; N]],
    squares: &mut [[F; N]],
    gradient: &[[F; N]],
    step: AdamStep<F>,
    bound: F,
) {
    let (one, epsilon) = (F::from_f64(1.0), F::from_f64(EPSILON));
    let (beta_1, beta_2) = (F::from_f64(BETA_1), F::from_f64(BETA_2));
    for (((values, means), squares), gradient) in values.iter_mut().zip(means).zip(squares).zip(gradient) {
        for lane in 0..N {
            let gradient = gradient[lane] * step.gradient_scale;
            means[lane] = beta_1 * means[lane] + (one - beta_1) * gradient;
            squares[lane] = beta_2 * squares[lane] + (one - beta_2) * gradient * gradient;
            let divisor = (squares[lane] * step.square_correction).sqrt() + epsilon;
            let moved =
                values[lane] - step.rate * means[lane] * step.mean_correction / divisor - step.decay * values[lane];
            values[lane] = moved.clamp_to(bound);
        }
    }
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
            let ParamState { values, means, squares } = &mut state;
            advance(Isa::PORTABLE, values, means, squares, &gradient, AdamStep::new(number, 4, 0.01, 0.1), 9.0);
            double.advance(&[[slope * 4.0]], AdamStep::new(number, 4, 0.01, 0.1), 9.0);
            mean = 0.9 * mean + 0.1 * slope;
            square = 0.999 * square + 0.001 * slope * slope;
            let (m, v) = (mean / (1.0 - 0.9_f64.powf(number as f64)), square / (1.0 - 0.999_f64.powf(number as f64)));
            value -= 0.01 * (m / (v.sqrt() + 1e-8) + 0.1 * value);
        }
        assert!((f64::from(state.values[0][7]) - value).abs() < 1e-4, "{} {value}", state.values[0][7]);
        assert!((double.values[0][0] - value).abs() < 1e-12, "{} {value}", double.values[0][0]);
    }

    #[test]
    fn the_first_step_moves_every_parameter_by_the_rate() {
        let mut state = ParamState::<f64, 1>::new(vec![[1.0]; 2]);
        state.advance(&[[3.0], [-0.02]], AdamStep::new(1, 1, 0.5, 0.0), f64::INFINITY);
        let [[first], [second]] = state.values[..] else { panic!("there are two parameters") };
        assert!((first - 0.5).abs() < 1e-6 && (second - 1.5).abs() < 1e-6, "{first} {second}");
    }

    #[test]
    fn parameters_stay_within_their_bounds() {
        let mut state = ParamState::new(vec![[1.97; LANES]]);
        let ParamState { values, means, squares } = &mut state;
        for number in 1..100 {
            advance(Isa::best(), values, means, squares, &[[-1.0; LANES]], AdamStep::new(number, 1, 0.1, 0.0), 1.98);
        }
        assert_eq!(values[0], [1.98; LANES]);
    }
}
