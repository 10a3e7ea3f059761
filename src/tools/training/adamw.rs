//! How numbers follow their slopes: Adam with decoupled weight decay (Loshchilov and Hutter, "Decoupled weight decay
//! regularization", 2019), and the rate at which they do.

use std::f64::consts::PI;

use super::model::{LANES, Row};
use crate::util::simd::multiversion;

/// How much of the mean slope is kept in a step.
const KEPT_MEAN: f32 = 0.9;
/// How much of the mean square of slopes is kept in a step.
const KEPT_SQUARE: f32 = 0.999;
/// Keeps steps of numbers that hardly matter small.
const EPSILON: f32 = 1e-8;

/// How one step goes, for all numbers alike.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Step {
    /// What sums of slopes are multiplied by: one part in as many as there were samples.
    pub share: f32,
    /// How far a number goes at most, nearly.
    pub rate: f32,
    /// The share of each number that is taken away.
    pub decay: f32,
    /// What makes up for mean slopes that begin at zero.
    mean_correction: f32,
    /// The same for their squares.
    square_correction: f32,
}

impl Step {
    /// Step `number`, 1 for the first, after so many samples, at a rate, with so much decay in proportion to the rate.
    pub fn new(number: u64, samples: usize, rate: f64, decay: f64) -> Step {
        let correction = |kept: f32| (1.0 - f64::from(kept).powf(number as f64)).recip() as f32;
        Step {
            share: (samples.max(1) as f64).recip() as f32,
            rate: rate as f32,
            decay: (rate * decay) as f32,
            mean_correction: correction(KEPT_MEAN),
            square_correction: correction(KEPT_SQUARE),
        }
    }
}

/// The rate after `done` of `all` steps: a half wave of the cosine from `first` to `last`.
///
/// ```
/// use chuhe::tools::training::cosine_rate;
/// assert_eq!([0, 50, 100].map(|done| (cosine_rate(1.0, 0.2, done, 100) * 1e9).round() / 1e9), [1.0, 0.6, 0.2]);
/// ```
pub fn cosine_rate(first: f64, last: f64, done: u64, all: u64) -> f64 {
    let part = done.min(all) as f64 / all.max(1) as f64;
    last + (first - last) * 0.5 * (1.0 + (PI * part).cos())
}

/// Some numbers with what Adam remembers of their slopes.
#[derive(Clone, PartialEq, Debug)]
pub struct Learned {
    /// The numbers.
    pub values: Vec<Row>,
    /// Their mean slopes.
    pub means: Vec<Row>,
    /// The mean squares of these.
    pub squares: Vec<Row>,
}

impl Learned {
    /// Numbers that have not moved yet.
    pub fn new(values: Vec<Row>) -> Learned {
        let zero = vec![[0.0; LANES]; values.len()];
        Learned { values, means: zero.clone(), squares: zero }
    }
}

multiversion! {
    /// Moves numbers by one step along the slopes of a gradient, within ± `bound`.
    pub fn advance(
        values: &mut [Row], means: &mut [Row], squares: &mut [Row], gradient: &[Row], step: Step, bound: f32
    )
        = advance_rows;
}

#[inline(always)]
fn advance_rows(values: &mut [Row], means: &mut [Row], squares: &mut [Row], gradient: &[Row], step: Step, bound: f32) {
    for (((values, means), squares), slopes) in values.iter_mut().zip(means).zip(squares).zip(gradient) {
        for lane in 0..LANES {
            let slope = slopes[lane] * step.share;
            means[lane] = KEPT_MEAN * means[lane] + (1.0 - KEPT_MEAN) * slope;
            squares[lane] = KEPT_SQUARE * squares[lane] + (1.0 - KEPT_SQUARE) * slope * slope;
            let height = (squares[lane] * step.square_correction).sqrt() + EPSILON;
            let moved =
                values[lane] - step.rate * means[lane] * step.mean_correction / height - step.decay * values[lane];
            values[lane] = moved.max(-bound).min(bound);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::simd::Isa;

    #[test]
    fn steps_are_those_of_the_paper() {
        let mut learned = Learned::new(vec![[0.5; LANES]]);
        let (mut value, mut mean, mut square) = (0.5_f64, 0.0_f64, 0.0_f64);
        for number in 1..=50 {
            let slope = (number as f64).sin();
            let gradient = vec![[slope as f32 * 4.0; LANES]];
            let step = Step::new(number, 4, 0.01, 0.1);
            let Learned { values, means, squares } = &mut learned;
            advance(Isa::PORTABLE, values, means, squares, &gradient, step, 9.0);
            mean = 0.9 * mean + 0.1 * slope;
            square = 0.999 * square + 0.001 * slope * slope;
            let (m, v) = (mean / (1.0 - 0.9_f64.powf(number as f64)), square / (1.0 - 0.999_f64.powf(number as f64)));
            value -= 0.01 * (m / (v.sqrt() + 1e-8) + 0.1 * value);
        }
        assert!((f64::from(learned.values[0][7]) - value).abs() < 1e-4, "{} {value}", learned.values[0][7]);
    }

    #[test]
    fn numbers_stay_within_their_bounds() {
        let mut learned = Learned::new(vec![[1.97; LANES]]);
        let Learned { values, means, squares } = &mut learned;
        for number in 1..100 {
            advance(Isa::best(), values, means, squares, &[[-1.0; LANES]], Step::new(number, 1, 0.1, 0.0), 1.98);
        }
        assert_eq!(values[0], [1.98; LANES]);
    }
}
