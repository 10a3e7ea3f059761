//! Logistic regression of evaluation weights on labelled positions, fitted with Adam.
//!
//! The loss of a position is the cross-entropy of its value and its target; the loss of a set is the mean. Sums are
//! made over fixed chunks in a fixed order, so that they do not depend on the number of threads.

use rand::seq::SliceRandom;

use super::dataset::{Example, WEIGHT_COUNT, fit_scale, flat_weights};
use super::objective::{Objective, Parameter, Run, Solution};
use crate::eval::handcrafted::{Tapered, Terms};
use crate::lab::training::{AdamStep, Loss, ParamState, cosine_rate};
use crate::util::parallel::map_ordered;

/// Positions per work item of a loss.
const CHUNK: usize = 1 << 13;
/// Positions per work item of a gradient.
const GRADIENT_CHUNK: usize = 1 << 11;
/// Initial step of derivative-free methods, in centipawns.
const STEP: f64 = 8.0;
const MAX_WEIGHT: f64 = i16::MAX as f64;
/// Loss function; the other one is for networks.
const LOSS: Loss = Loss::CrossEntropy;

/// Objective over evaluation weights. Weights that no position uses are left out and keep their values.
pub struct Regression<'a> {
    training: &'a [Example],
    validation: &'a [Example],
    /// Target of each training position.
    targets: Vec<f32>,
    validation_targets: Vec<f32>,
    /// Centipawns of a winning chance of 73 %, that is 1 / (1 + 1/e).
    scale: f64,
    threads: usize,
    /// All weights at the start.
    start: Vec<f64>,
    /// Indices of the fitted weights.
    active: Vec<usize>,
    parameters: Vec<Parameter>,
}

impl<'a> Regression<'a> {
    /// Creates the regression of weights on `training` from `start` on; see [`super::flat_weights`]. `result_share` is
    /// the share of the result in the target of positions that have a score, 0 to 1.
    pub fn new(
        training: &'a [Example],
        validation: &'a [Example],
        start: Vec<f64>,
        (scale, result_share): (f64, f64),
        threads: usize,
    ) -> Regression<'a> {
        let targets = |examples: &[Example]| -> Vec<f32> {
            examples.iter().map(|example| example.label.target(scale, result_share) as f32).collect()
        };
        let mut occurs = [false; WEIGHT_COUNT / 2];
        training.iter().flat_map(|example| &example.terms).for_each(|(term, _)| occurs[usize::from(*term)] = true);
        let active: Vec<usize> = (0..WEIGHT_COUNT).filter(|weight| occurs[weight / 2]).collect();
        let (min, max) = (-MAX_WEIGHT, MAX_WEIGHT);
        let parameter = |&weight: &usize| Parameter { start: start[weight], min, max, step: STEP, resolution: 0.0 };
        let parameters = active.iter().map(parameter).collect();
        let (targets, validation_targets) = (targets(training), targets(validation));
        Regression { training, validation, targets, validation_targets, scale, threads, start, active, parameters }
    }

    /// Returns all weights with the fitted ones replaced by `vector`.
    pub fn weights(&self, vector: &[f64]) -> Vec<f64> {
        let mut weights = self.start.clone();
        self.active.iter().zip(vector).for_each(|(&at, &value)| weights[at] = value);
        weights
    }

    /// Returns the mean loss on the training set.
    pub fn training_loss(&self, vector: &[f64]) -> Option<f64> {
        self.mean_loss(self.training, &self.targets, vector)
    }

    /// Returns the mean loss on the validation set; `None` when it is empty.
    pub fn validation_loss(&self, vector: &[f64]) -> Option<f64> {
        self.mean_loss(self.validation, &self.validation_targets, vector)
    }

    fn mean_loss(&self, examples: &[Example], targets: &[f32], vector: &[f64]) -> Option<f64> {
        let weights = self.weights(vector);
        let sum = |(examples, targets): (&[Example], &[f32])| -> f64 {
            let loss = |(example, target): (&Example, &f32)| {
                LOSS.value(example.value(&weights) / self.scale, f64::from(*target))
            };
            examples.iter().zip(targets).map(loss).sum()
        };
        let chunks = examples.chunks(CHUNK).zip(targets.chunks(CHUNK));
        let sums = map_ordered(chunks, self.threads, || (), |(), chunk| sum(chunk));
        (!examples.is_empty()).then(|| sums.into_iter().sum::<f64>() / examples.len() as f64)
    }

    /// Returns the mean loss on a batch of training positions and its gradient. `None` for an empty batch.
    pub fn gradient(&self, vector: &[f64], batch: &[u32]) -> Option<(f64, Vec<f64>)> {
        let weights = self.weights(vector);
        let part = |positions: &[u32]| {
            let (mut sum, mut derivatives) = (0.0, vec![0.0; WEIGHT_COUNT]);
            let pairs = derivatives.as_chunks_mut::<2>().0;
            for &at in positions {
                let (example, target) = (&self.training[at as usize], f64::from(self.targets[at as usize]));
                let value = example.value(&weights);
                let x = value / self.scale;
                sum += LOSS.value(x, target);
                let derivative = LOSS.gradient(x, target) / self.scale * example.scale_factor(value > 0.0);
                let phase = example.phase();
                let (opening, ending) = (derivative * phase, derivative * (1.0 - phase));
                for &(term, count) in &example.terms {
                    pairs[usize::from(term)][0] += f64::from(count) * opening;
                    pairs[usize::from(term)][1] += f64::from(count) * ending;
                }
            }
            (sum, derivatives)
        };
        let parts = map_ordered(batch.chunks(GRADIENT_CHUNK), self.threads, || (), |(), chunk| part(chunk));
        let (mut loss, mut derivatives) = (0.0, vec![0.0; WEIGHT_COUNT]);
        for (sum, part) in parts {
            loss += sum;
            derivatives.iter_mut().zip(part).for_each(|(derivative, part)| *derivative += part);
        }
        let count = batch.len() as f64;
        let gradient = self.active.iter().map(|&at| derivatives[at] / count);
        (!batch.is_empty()).then(|| (loss / count, gradient.collect()))
    }
}

impl Objective for Regression<'_> {
    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn loss(&mut self, vector: &[f64]) -> Option<f64> {
        self.training_loss(vector)
    }

    fn validation(&mut self, vector: &[f64]) -> Option<f64> {
        self.validation_loss(vector)
    }
}

/// Cost of an epoch in passes: every position is read for its value and again for its gradient.
const EPOCH_COST: u64 = 2;

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AdamSettings {
    /// Learning rate at the start, in centipawns per step; it falls along a cosine.
    pub rate: f64,
    /// Learning rate at the end, relative to that at the start.
    pub last_share: f64,
    pub batch: usize,
    pub epochs: u64,
    /// Stop after this many epochs without a better validation loss; 0 for never.
    pub patience: u64,
}

impl Default for AdamSettings {
    fn default() -> AdamSettings {
        AdamSettings { rate: 2.0, last_share: 0.01, batch: 16_384, epochs: 30, patience: 5 }
    }
}

impl AdamSettings {
    /// Returns the settings for this number of passes.
    pub fn of_passes(passes: Option<u64>) -> AdamSettings {
        let usual = AdamSettings::default();
        AdamSettings { epochs: passes.map_or(usual.epochs, |passes| (passes / EPOCH_COST).max(1)), ..usual }
    }
}

/// Gradient descent with Adam until the epochs, the budget or the patience are used up. Returns the vector with the
/// best validation loss, or training loss where there is no validation set, with its training loss. A cancellation
/// stops after a batch.
pub fn descend(regression: &Regression, adam: &AdamSettings, run: &mut Run) -> Solution {
    let start: Vec<f64> = regression.parameters().iter().map(|parameter| parameter.clamp(parameter.start)).collect();
    // Decides which vector is kept.
    let validate = |vector: &[f64]| regression.validation_loss(vector).or_else(|| regression.training_loss(vector));
    let (mut best, mut current) = (start.clone(), start.clone());
    let mut best_loss = validate(&best).unwrap_or(f64::INFINITY);
    let mut order: Vec<u32> = (0..regression.training.len() as u32).collect();
    let mut state = ParamState::<f64, 1>::new(start.iter().map(|&value| [value]).collect());
    let mut steps = 0;
    let batches = order.len().div_ceil(adam.batch.max(1)) as u64;
    let mut epochs_without_success = 0;
    for epoch in 0..adam.epochs {
        if !run.affords(EPOCH_COST) {
            break;
        }
        order.shuffle(&mut run.random);
        let (mut sum, mut done) = (0.0, 0);
        for batch in order.chunks(adam.batch.max(1)) {
            if run.is_cancelled() {
                break;
            }
            let Some((loss, gradient)) = regression.gradient(&current, batch) else { break };
            let last_rate = adam.rate * adam.last_share;
            let rate = cosine_rate(adam.rate, last_rate, epoch * batches + done, adam.epochs * batches);
            steps += 1;
            state.advance(gradient.as_chunks().0, AdamStep::new(steps, 1, rate, 0.0), f64::INFINITY);
            for ((value, [moved]), parameter) in current.iter_mut().zip(&mut state.values).zip(regression.parameters())
            {
                *moved = parameter.clamp(*moved);
                *value = *moved;
            }
            sum += loss;
            done += 1;
        }
        if done == 0 {
            break;
        }
        run.spend(EPOCH_COST);
        let Some(validated) = validate(&current) else { break };
        if validated < best_loss {
            (best_loss, epochs_without_success) = (validated, 0);
            best.clone_from(&current);
        } else {
            epochs_without_success += 1;
        }
        run.report(&current, sum / done as f64, regression.validation_loss(&current));
        if adam.patience > 0 && epochs_without_success >= adam.patience {
            break;
        }
    }
    let loss = regression.training_loss(&best).unwrap_or(f64::INFINITY);
    Solution { vector: best, loss }
}

/// Groups of the terms that value each piece by itself: its kind and its square.
const SINGLE_PIECES: [&str; 2] = ["material", "psqt"];

/// Names of groups of terms, and losses without them.
pub type GroupLosses = (Vec<&'static str>, [f64; 2]);

/// Returns the mean loss of the whole evaluation on the results, and for each group of terms that of the evaluation
/// without the group and of the group alone; first for the two groups that value each piece by itself. Weights stay as
/// they are; the scale is fitted to the results for each. There must be examples.
pub fn losses_without_groups(
    examples: &[Example],
    weights: &Terms<Tapered>,
    threads: usize,
) -> (f64, Vec<GroupLosses>) {
    let mean_loss = |is_kept: &dyn Fn(&str) -> bool| {
        let mut kept = weights.clone();
        let left_out = kept.groups_mut().into_iter().filter(|(name, _)| !is_kept(name));
        left_out.for_each(|(_, group)| group.fill(Tapered::ZERO));
        let flat = flat_weights(&kept);
        let scale = fit_scale(examples, &flat, threads);
        let loss = |example: &Example| LOSS.value(example.value(&flat) / scale, example.label.result.into());
        examples.iter().map(loss).sum::<f64>() / examples.len() as f64
    };
    let each = weights.groups().map(|(name, _)| vec![name]);
    let rows = std::iter::once(SINGLE_PIECES.to_vec()).chain(each).map(|groups| {
        let losses = [mean_loss(&|name| !groups.contains(&name)), mean_loss(&|name| groups.contains(&name))];
        (groups, losses)
    });
    (mean_loss(&|_| true), rows.collect())
}
