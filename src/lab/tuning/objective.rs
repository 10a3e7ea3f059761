//! Objective functions, and the budget and progress of an optimizer.

use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::util::cancel::CancelFlag;

#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    pub name: String,
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

/// Returns the cost of [`Objective::difference`] in loss evaluations.
pub(super) fn difference_cost(objective: &dyn Objective) -> u64 {
    if objective.is_exact() { 2 } else { 1 }
}

/// Limits of a run. Without limits an optimizer stops only when it cannot improve any more.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// Maximum number of loss evaluations. On positions, one evaluation is a pass over the data.
    pub losses: Option<u64>,
    /// Stops at once with the best vector so far.
    pub cancel: CancelFlag,
}

/// Progress report of an optimizer after a round: an epoch, a sweep, a generation.
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

/// Run of an optimizer: budget, random numbers and progress callback.
pub struct Run<'a> {
    budget: Budget,
    start: Instant,
    spent: u64,
    round: u64,
    pub random: ChaCha8Rng,
    on_progress: &'a mut dyn FnMut(&ProgressReport),
}

impl<'a> Run<'a> {
    /// Starts a run. The same seed and number of evaluations give the same result.
    pub fn new(budget: Budget, seed: u64, on_progress: &'a mut dyn FnMut(&ProgressReport)) -> Run<'a> {
        let random = ChaCha8Rng::seed_from_u64(seed);
        Run { budget, start: Instant::now(), spent: 0, round: 0, random, on_progress }
    }

    /// Returns whether the budget allows this number of further evaluations and the run is not cancelled.
    pub fn affords(&self, losses: u64) -> bool {
        !self.is_cancelled() && self.budget.losses.is_none_or(|max| self.spent + losses <= max)
    }

    pub fn is_cancelled(&self) -> bool {
        self.budget.cancel.is_cancelled()
    }

    /// Returns the used share of the budget, 0 to 1; 0 without a limit.
    pub fn fraction(&self) -> f64 {
        self.budget.losses.map_or(0.0, |max| self.spent as f64 / max.max(1) as f64).min(1.0)
    }

    pub fn spend(&mut self, losses: u64) {
        self.spent += losses;
    }

    /// Returns the remaining loss evaluations; `None` without a limit.
    pub fn losses_left(&self) -> Option<u64> {
        self.budget.losses.map(|max| max.saturating_sub(self.spent))
    }

    pub fn spent(&self) -> u64 {
        self.spent
    }

    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    pub fn report(&mut self, vector: &[f64], loss: f64, validation: Option<f64>) {
        self.round += 1;
        (self.on_progress)(&ProgressReport { round: self.round, spent: self.spent, vector, loss, validation });
    }
}

/// Vector with its loss, infinite if unknown.
#[derive(Clone, PartialEq, Debug)]
pub struct Solution {
    pub vector: Vec<f64>,
    pub loss: f64,
}

/// Objective, run, and the best vector so far.
pub(super) struct OptimizerRun<'a, 'b> {
    pub objective: &'a mut dyn Objective,
    pub run: &'a mut Run<'b>,
    pub best: Solution,
}

impl<'a, 'b> OptimizerRun<'a, 'b> {
    /// Starts at the start values within their ranges.
    pub fn new(objective: &'a mut dyn Objective, run: &'a mut Run<'b>) -> OptimizerRun<'a, 'b> {
        let vector = objective.parameters().iter().map(|parameter| parameter.clamp(parameter.start)).collect();
        OptimizerRun { objective, run, best: Solution { vector, loss: f64::INFINITY } }
    }

    /// Evaluates the start as far as the budget allows.
    pub fn evaluated(mut self) -> OptimizerRun<'a, 'b> {
        self.loss(&self.best.vector.clone());
        self
    }

    /// Returns the loss of a vector and updates the best one. `None` when the budget is spent.
    pub fn loss(&mut self, vector: &[f64]) -> Option<f64> {
        if !self.run.affords(1) {
            return None;
        }
        let loss = self.objective.loss(vector)?;
        self.run.spend(1);
        if loss < self.best.loss {
            self.best = Solution { vector: vector.to_vec(), loss };
        }
        Some(loss)
    }

    /// Returns the loss of one vector minus that of another. `None` when the budget is spent.
    pub fn difference(&mut self, one: &[f64], other: &[f64]) -> Option<f64> {
        let cost = difference_cost(self.objective);
        if !self.run.affords(cost) {
            return None;
        }
        let difference = self.objective.difference(one, other)?;
        self.run.spend(cost);
        Some(difference)
    }

    pub fn report(&mut self) {
        let validation = self.objective.validation(&self.best.vector);
        self.run.report(&self.best.vector, self.best.loss, validation);
    }
}
