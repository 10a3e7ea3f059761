//! Gradient descent with Adam (Kingma & Ba 2015) in small batches.

use rand::seq::SliceRandom;

use super::objective::{Found, Objective, Run};
use super::regression::Regression;

/// How the means of gradients and of their squares forget.
const FORGETTING: [f64; 2] = [0.9, 0.999];
/// Keeps quotients finite.
const TINY: f64 = 1e-8;
/// What an epoch costs: every position is read for its value and again for its gradient.
pub const EPOCH_COST: u64 = 2;

/// How to descend.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Adam {
    /// How far a weight moves in a step at first, in centipawns. The rate falls along a cosine.
    pub rate: f64,
    /// The share of the rate that is left at the end.
    pub last_share: f64,
    /// Positions in a batch.
    pub batch: usize,
    /// The most epochs: times that all positions are seen.
    pub epochs: u64,
    /// Epochs without a better loss on the positions put aside, after which no more follow; 0 to go on to the end.
    pub patience: u64,
}

impl Default for Adam {
    fn default() -> Adam {
        Adam { rate: 2.0, last_share: 0.01, batch: 16_384, epochs: 30, patience: 5 }
    }
}

/// Descends until the epochs, the budget or the patience are at an end. Found is the vector with the least loss on the
/// positions put aside, or on the training positions where there are none; its loss is that on the training positions.
/// An interrupt ends it after a batch.
pub fn descend(regression: &Regression, adam: &Adam, run: &mut Run) -> Found {
    let start: Vec<f64> = regression.axes().iter().map(|axis| axis.clamp(axis.start)).collect();
    // What decides which vector is kept.
    let judge = |vector: &[f64]| regression.validation_loss(vector).or_else(|| regression.training_loss(vector));
    let (mut best, mut here) = (start.clone(), start);
    let mut least = judge(&best).unwrap_or(f64::INFINITY);
    let mut order: Vec<u32> = (0..regression.training().len() as u32).collect();
    let mut state = State::new(here.len());
    let batches = order.len().div_ceil(adam.batch.max(1)) as u64;
    let mut without_success = 0;
    for epoch in 0..adam.epochs {
        if !run.affords(EPOCH_COST) {
            break;
        }
        order.shuffle(&mut run.random);
        let (mut sum, mut done) = (0.0, 0);
        for batch in order.chunks(adam.batch.max(1)) {
            if !run.may_go_on() {
                break;
            }
            let Some((loss, gradient)) = regression.gradient(&here, batch) else { break };
            let progress = (epoch * batches + done) as f64 / (adam.epochs * batches) as f64;
            state.step(&mut here, &gradient, rate_at(adam, progress));
            here.iter_mut().zip(regression.axes()).for_each(|(value, axis)| *value = axis.clamp(*value));
            sum += loss;
            done += 1;
        }
        if done == 0 {
            break;
        }
        run.spend(EPOCH_COST);
        let Some(judged) = judge(&here) else { break };
        if judged < least {
            (least, without_success) = (judged, 0);
            best.clone_from(&here);
        } else {
            without_success += 1;
        }
        run.tell(sum / done as f64, regression.validation_loss(&here));
        if adam.patience > 0 && without_success >= adam.patience {
            break;
        }
    }
    let loss = regression.training_loss(&best).unwrap_or(f64::INFINITY);
    Found { vector: best, loss }
}

/// The rate after this share of all batches.
fn rate_at(adam: &Adam, progress: f64) -> f64 {
    let cosine = (1.0 + (std::f64::consts::PI * progress).cos()) / 2.0;
    adam.rate * (adam.last_share + (1.0 - adam.last_share) * cosine)
}

/// What Adam remembers of earlier gradients.
struct State {
    means: Vec<f64>,
    squares: Vec<f64>,
    steps: i32,
}

impl State {
    fn new(dimensions: usize) -> State {
        State { means: vec![0.0; dimensions], squares: vec![0.0; dimensions], steps: 0 }
    }

    fn step(&mut self, vector: &mut [f64], gradient: &[f64], rate: f64) {
        self.steps += 1;
        let [first, second] = FORGETTING;
        // The means begin at 0 and are too small at first.
        let [first_share, second_share] = FORGETTING.map(|forgetting| 1.0 - forgetting.powi(self.steps));
        let memory = self.means.iter_mut().zip(&mut self.squares);
        for ((value, slope), (mean, square)) in vector.iter_mut().zip(gradient).zip(memory) {
            *mean = first * *mean + (1.0 - first) * slope;
            *square = second * *square + (1.0 - second) * slope * slope;
            *value -= rate * (*mean / first_share) / ((*square / second_share).sqrt() + TINY);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_steps_agree_with_the_formulas() {
        let mut state = State::new(2);
        let mut vector = vec![1.0, 1.0];
        // After one step both means are the gradient itself: every weight moves by the rate.
        state.step(&mut vector, &[3.0, -0.02], 0.5);
        assert!((vector[0] - 0.5).abs() < 1e-6 && (vector[1] - 1.5).abs() < 1e-6, "{vector:?}");
        let mean = (0.9 * 0.1 * 3.0 + 0.1 * 1.0) / (1.0 - 0.81);
        let square: f64 = (0.999 * 0.001 * 9.0 + 0.001 * 1.0) / (1.0 - 0.999 * 0.999);
        state.step(&mut vector, &[1.0, 0.0], 0.5);
        assert!((vector[0] - (0.5 - 0.5 * mean / square.sqrt())).abs() < 1e-6, "{vector:?}");
    }

    #[test]
    fn the_rate_falls_from_its_start_to_its_share() {
        let adam = Adam::default();
        assert!((rate_at(&adam, 0.0) - 2.0).abs() < 1e-12);
        assert!((rate_at(&adam, 1.0) - 0.02).abs() < 1e-12);
        assert!((rate_at(&adam, 0.5) - 1.01).abs() < 1e-12);
    }
}
