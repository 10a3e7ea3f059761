//! Objective functions, and the run of a method that minimizes one: its budget, progress and best vector.

use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::util::cancel::CancelFlag;

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Parameter {
    pub start: f64,
    pub min: f64,
    pub max: f64,
    pub step: f64,
    /// Smallest change that has an effect; 0 for continuous parameters.
    pub resolution: f64,
}

impl Parameter {
    pub fn clamp(&self, value: f64) -> f64 {
        value.clamp(self.min, self.max)
    }

    /// Returns a random change of up to two steps times `width`, but at least the smallest one that has an effect.
    pub(super) fn random_change(&self, width: f64, random: &mut ChaCha8Rng) -> f64 {
        let change: f64 = random.random_range(-1.0..=1.0);
        change.signum() * (change.abs() * 2.0 * self.step * width).max(self.resolution)
    }
}

pub trait Objective {
    fn parameters(&self) -> &[Parameter];

    /// Returns the loss of a vector. `None` when the evaluation was cancelled or failed; the optimizer stops then.
    fn loss(&mut self, vector: &[f64]) -> Option<f64>;

    /// Returns the loss of one vector minus that of another. Games measure it directly.
    fn difference(&mut self, one: &[f64], other: &[f64]) -> Option<f64> {
        Some(self.loss(one)? - self.loss(other)?)
    }

    /// Returns whether the loss is deterministic and comparable between vectors. Where it is not, as with games, a
    /// [`difference`](Objective::difference) is one evaluation instead of two.
    fn is_exact(&self) -> bool {
        true
    }

    /// Returns the validation loss, where there is validation data.
    fn validation(&mut self, _vector: &[f64]) -> Option<f64> {
        None
    }
}

/// Progress report of a method after a round: an epoch, a sweep, a generation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ProgressReport<'a> {
    pub round: u64,
    pub spent: u64,
    /// The vector that would be the result now.
    pub vector: &'a [f64],
    /// Loss of this vector, infinite if unknown; for an epoch of gradient descent the mean over its batches.
    pub loss: f64,
    pub validation: Option<f64>,
}

/// Vector with its loss, infinite if unknown.
#[derive(Clone, PartialEq, Debug)]
pub struct Solution {
    pub vector: Vec<f64>,
    pub loss: f64,
}

/// Run of a method: an evaluation of a loss fails when the budget is spent or the run is cancelled, which ends the
/// method with the best vector so far.
pub struct Run<'a> {
    /// Maximum number of loss evaluations. On positions, one evaluation is a pass over the data.
    budget: Option<u64>,
    cancel: CancelFlag,
    start: Instant,
    spent: u64,
    round: u64,
    pub random: ChaCha8Rng,
    pub best: Solution,
    on_progress: &'a mut dyn FnMut(&ProgressReport),
}

impl<'a> Run<'a> {
    /// Starts a run. The same seed and number of evaluations give the same result.
    pub fn new(
        budget: Option<u64>,
        cancel: CancelFlag,
        seed: u64,
        on_progress: &'a mut dyn FnMut(&ProgressReport),
    ) -> Run<'a> {
        let (random, best) = (ChaCha8Rng::seed_from_u64(seed), Solution { vector: Vec::new(), loss: f64::INFINITY });
        Run { budget, cancel, start: Instant::now(), spent: 0, round: 0, random, best, on_progress }
    }

    /// Begins with the start values within their ranges, without their loss.
    pub(super) fn begin(&mut self, parameters: &[Parameter]) {
        let vector = parameters.iter().map(|parameter| parameter.clamp(parameter.start)).collect();
        self.best = Solution { vector, loss: f64::INFINITY };
    }

    /// Evaluates the best vector, which has no loss yet.
    pub(super) fn evaluate_start(&mut self, objective: &mut dyn Objective) -> Option<f64> {
        let start = self.best.vector.clone();
        self.loss(objective, &start)
    }

    /// Returns whether the budget allows this number of further evaluations and the run is not cancelled.
    pub fn affords(&self, losses: u64) -> bool {
        !self.is_cancelled() && self.budget.is_none_or(|most| self.spent + losses <= most)
    }

    pub fn spend(&mut self, losses: u64) {
        self.spent += losses;
    }

    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Returns the used share of the budget, 0 to 1; 0 without a limit.
    pub fn fraction(&self) -> f64 {
        self.budget.map_or(0.0, |most| self.spent as f64 / most.max(1) as f64).min(1.0)
    }

    pub fn budget(&self) -> Option<u64> {
        self.budget
    }

    pub fn spent(&self) -> u64 {
        self.spent
    }

    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Returns the loss of a vector and keeps the best one.
    pub fn loss(&mut self, objective: &mut dyn Objective, vector: &[f64]) -> Option<f64> {
        let loss = if self.affords(1) { objective.loss(vector)? } else { return None };
        self.spend(1);
        if loss < self.best.loss {
            self.best = Solution { vector: vector.to_vec(), loss };
        }
        Some(loss)
    }

    /// Returns the loss of one vector minus that of another.
    pub fn difference(&mut self, objective: &mut dyn Objective, one: &[f64], other: &[f64]) -> Option<f64> {
        let cost = difference_cost(objective);
        let difference = if self.affords(cost) { objective.difference(one, other)? } else { return None };
        self.spend(cost);
        Some(difference)
    }

    /// Reports the best vector.
    pub fn report_best(&mut self, objective: &mut dyn Objective) {
        let (best, validation) = (self.best.clone(), objective.validation(&self.best.vector));
        self.report(&best.vector, best.loss, validation);
    }

    pub fn report(&mut self, vector: &[f64], loss: f64, validation: Option<f64>) {
        self.round += 1;
        (self.on_progress)(&ProgressReport { round: self.round, spent: self.spent, vector, loss, validation });
    }
}

/// Returns the cost of [`Objective::difference`] in loss evaluations.
pub(super) fn difference_cost(objective: &dyn Objective) -> u64 {
    if objective.is_exact() { 2 } else { 1 }
}
