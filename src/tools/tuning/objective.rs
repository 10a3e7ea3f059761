//! What is to be made small, and how long one may try.
//!
//! An [`Objective`] turns a vector of parameters into a loss; the methods know nothing else of it, so that one and the
//! same method tunes weights on positions and parameters of the search by games. A [`Run`] counts what was spent.

use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::util::cancel::CancelFlag;

/// One parameter as the methods see it.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    /// What it is called.
    pub name: String,
    /// Where the search starts.
    pub start: f64,
    /// Its least value.
    pub least: f64,
    /// Its greatest value.
    pub most: f64,
    /// A change that is worth trying first.
    pub step: f64,
    /// The smallest change that makes a difference.
    pub grain: f64,
}

impl Axis {
    /// The value pressed into the range.
    pub fn clamp(&self, value: f64) -> f64 {
        value.clamp(self.least, self.most)
    }
}

/// Something to be made small by choosing parameters.
pub trait Objective {
    /// The parameters.
    fn axes(&self) -> &[Axis];

    /// How bad a vector is. `None` when that could not be found out: the work was interrupted or failed, and nothing
    /// more should be asked.
    fn loss(&mut self, vector: &[f64]) -> Option<f64>;

    /// The loss of one vector less that of another. Games find it out at once.
    fn difference(&mut self, one: &[f64], other: &[f64]) -> Option<f64> {
        Some(self.loss(one)? - self.loss(other)?)
    }

    /// What a difference costs, counted in losses.
    fn difference_cost(&self) -> u64 {
        2
    }

    /// Whether the same vector always has the same loss, and a smaller one means a better vector.
    fn is_exact(&self) -> bool {
        true
    }

    /// The loss on what was put aside to check that nothing was learned by heart, if anything was.
    fn validation(&mut self, _vector: &[f64]) -> Option<f64> {
        None
    }
}

/// When a method must end. Without any limit it ends only when it can do no better.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// So many losses. A loss on positions is one pass over them.
    pub losses: Option<u64>,
    /// So much time. What is found depends on the machine then.
    pub time: Option<Duration>,
    /// Ends it at once, with the best that is known.
    pub interrupt: CancelFlag,
}

/// News of a method at work.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Step {
    /// Rounds done: epochs, sweeps, generations.
    pub round: u64,
    /// Losses spent.
    pub spent: u64,
    /// The loss of the best vector so far, infinite where none is known; for an epoch of gradients the mean over its
    /// batches.
    pub loss: f64,
    /// The loss of this vector on what was put aside.
    pub validation: Option<f64>,
    /// How long it has taken.
    pub elapsed: Duration,
}

/// A method at work: what it has spent, its dice, and who listens.
pub struct Run<'a> {
    budget: Budget,
    start: Instant,
    spent: u64,
    round: u64,
    /// The dice.
    pub random: ChaCha8Rng,
    listener: &'a mut dyn FnMut(&Step),
}

impl<'a> Run<'a> {
    /// Begins now. The same seed and budget of losses give the same result.
    pub fn new(budget: Budget, seed: u64, listener: &'a mut dyn FnMut(&Step)) -> Run<'a> {
        Run { budget, start: Instant::now(), spent: 0, round: 0, random: ChaCha8Rng::seed_from_u64(seed), listener }
    }

    /// Whether there is enough left to spend so many losses.
    pub fn affords(&self, losses: u64) -> bool {
        self.may_go_on() && self.budget.losses.is_none_or(|most| self.spent + losses <= most)
    }

    /// Whether neither time nor patience has run out.
    pub fn may_go_on(&self) -> bool {
        !self.budget.interrupt.is_cancelled() && self.budget.time.is_none_or(|time| self.start.elapsed() < time)
    }

    /// The share of the budget that is spent, 0 to 1; 0 without a budget.
    pub fn fraction(&self) -> f64 {
        let losses = self.budget.losses.map_or(0.0, |most| self.spent as f64 / most.max(1) as f64);
        let time =
            self.budget.time.map_or(0.0, |time| self.start.elapsed().as_secs_f64() / time.as_secs_f64().max(1e-9));
        losses.max(time).clamp(0.0, 1.0)
    }

    /// Counts what was spent.
    pub fn spend(&mut self, losses: u64) {
        self.spent += losses;
    }

    /// How many losses may still be spent; `None` without a limit.
    pub fn losses_left(&self) -> Option<u64> {
        self.budget.losses.map(|most| most.saturating_sub(self.spent))
    }

    /// What was spent so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Rounds done so far.
    pub fn rounds(&self) -> u64 {
        self.round
    }

    /// How long it has taken.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Tells of a round that is done.
    pub fn tell(&mut self, loss: f64, validation: Option<f64>) {
        self.round += 1;
        let (round, spent, elapsed) = (self.round, self.spent, self.start.elapsed());
        (self.listener)(&Step { round, spent, loss, validation, elapsed });
    }
}

/// A vector and its loss.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// The parameters.
    pub vector: Vec<f64>,
    /// How bad they are; infinite when that was not found out.
    pub loss: f64,
}

/// An objective and a run that pays for it, with the best that was seen.
pub(super) struct Quest<'a, 'b> {
    pub objective: &'a mut dyn Objective,
    pub run: &'a mut Run<'b>,
    pub best: Found,
}

impl<'a, 'b> Quest<'a, 'b> {
    /// Begins with the start of the objective, and its loss as far as the budget allows.
    pub fn new(objective: &'a mut dyn Objective, run: &'a mut Run<'b>) -> Quest<'a, 'b> {
        let vector: Vec<f64> = objective.axes().iter().map(|axis| axis.clamp(axis.start)).collect();
        let mut quest = Quest { objective, run, best: Found { vector: vector.clone(), loss: f64::INFINITY } };
        quest.loss(&vector);
        quest
    }

    /// The loss of a vector, which becomes the best if it is. `None` when the budget is spent.
    pub fn loss(&mut self, vector: &[f64]) -> Option<f64> {
        if !self.run.affords(1) {
            return None;
        }
        let loss = self.objective.loss(vector)?;
        self.run.spend(1);
        if loss < self.best.loss {
            self.best = Found { vector: vector.to_vec(), loss };
        }
        Some(loss)
    }

    /// The loss of one vector less that of another. `None` when the budget is spent.
    pub fn difference(&mut self, one: &[f64], other: &[f64]) -> Option<f64> {
        let cost = self.objective.difference_cost();
        if !self.run.affords(cost) {
            return None;
        }
        let difference = self.objective.difference(one, other)?;
        self.run.spend(cost);
        Some(difference)
    }

    /// Every parameter pressed into its range.
    pub fn clamp(&self, vector: &mut [f64]) {
        vector.iter_mut().zip(self.objective.axes()).for_each(|(value, axis)| *value = axis.clamp(*value));
    }

    /// Tells of a round that is done.
    pub fn tell(&mut self) {
        let validation = self.objective.validation(&self.best.vector);
        self.run.tell(self.best.loss, validation);
    }
}
