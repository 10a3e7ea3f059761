//! The loss of weights on labelled positions, and its gradient.
//!
//! A position costs [`Loss::of`] its value and its target; the loss of a set is the mean. Sums are made over fixed
//! pieces of the set in a fixed order, so that they do not depend on the number of threads.

use super::dataset::{Dataset, WEIGHT_COUNT, weight_names};
use super::loss::{Loss, target};
use super::objective::{Axis, Objective};
use crate::util::parallel::map_ordered;

/// Positions a thread takes at a time when losses are added up.
const CHUNK: usize = 1 << 13;
/// The same for gradients, which batches are made of.
const GRADIENT_CHUNK: usize = 1 << 11;
/// A first change of a weight for methods that try changes, in centipawns.
const STEP: f64 = 8.0;
/// Weights stay within this.
const MOST: f64 = i16::MAX as f64;
/// Pulls are told in pawns.
const PAWN: f64 = 100.0;

/// What losses are made of.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Model {
    /// The price of being wrong.
    pub loss: Loss,
    /// The value in centipawns at which a chance is 1 / (1 + 1/e), 73 %.
    pub scale: f64,
    /// The same of the scores of searches: they may be bolder or more careful than the evaluation.
    pub score_scale: f64,
    /// The share of the result in the target where a search said something too, 0 to 1.
    pub result_share: f64,
    /// What each weight's distance from its start costs: so much times the square of the distance in pawns.
    pub decay: f64,
}

/// Weights to be fitted to positions. Those that no position counts are left out, and stay as they are.
pub struct Regression<'a> {
    training: &'a Dataset,
    validation: &'a Dataset,
    /// What each training position should tell.
    targets: Vec<f32>,
    validation_targets: Vec<f32>,
    model: Model,
    threads: usize,
    /// All weights as they were.
    start: Vec<f64>,
    /// Which weights are fitted.
    active: Vec<usize>,
    axes: Vec<Axis>,
}

impl<'a> Regression<'a> {
    /// Weights to be fitted to `training`, from `start` on; see [`super::flat_weights`].
    pub fn new(
        training: &'a Dataset,
        validation: &'a Dataset,
        start: Vec<f64>,
        model: Model,
        threads: usize,
    ) -> Regression<'a> {
        let targets = |dataset: &Dataset| -> Vec<f32> {
            (0..dataset.len())
                .map(|at| target(dataset.label(at), model.score_scale, model.result_share) as f32)
                .collect()
        };
        let occurrences = training.occurrences();
        let active: Vec<usize> = (0..WEIGHT_COUNT).filter(|weight| occurrences[weight / 2] > 0).collect();
        let names = weight_names();
        let axis = |&weight: &usize| Axis {
            name: names[weight].clone(),
            start: start[weight],
            least: -MOST,
            most: MOST,
            step: STEP,
            grain: 0.0,
        };
        let axes = active.iter().map(axis).collect();
        let (targets, validation_targets) = (targets(training), targets(validation));
        Regression { training, validation, targets, validation_targets, model, threads, start, active, axes }
    }

    /// The positions that are fitted to.
    pub fn training(&self) -> &Dataset {
        self.training
    }

    /// All weights when those that are fitted have these values.
    pub fn weights(&self, vector: &[f64]) -> Vec<f64> {
        let mut weights = self.start.clone();
        self.active.iter().zip(vector).for_each(|(&at, &value)| weights[at] = value);
        weights
    }

    /// The mean loss on the training positions with the price of distance, as [`Objective::loss`] gives it.
    pub fn training_loss(&self, vector: &[f64]) -> Option<f64> {
        let mean = self.mean_loss(self.training, &self.targets, vector)?;
        Some(mean + self.price_of_distance(vector))
    }

    /// The mean loss on the positions put aside, without the price of distance; `None` when there are none.
    pub fn validation_loss(&self, vector: &[f64]) -> Option<f64> {
        self.mean_loss(self.validation, &self.validation_targets, vector)
    }

    fn mean_loss(&self, dataset: &Dataset, targets: &[f32], vector: &[f64]) -> Option<f64> {
        let weights = self.weights(vector);
        let sum = |first: usize| -> f64 {
            let range = first..(first + CHUNK).min(dataset.len());
            let price = |at| self.model.loss.of(dataset.value(at, &weights) / self.model.scale, targets[at].into());
            range.map(price).sum()
        };
        let firsts = (0..dataset.len()).step_by(CHUNK);
        let sums = map_ordered(firsts, self.threads, || (), |(), first| sum(first));
        (!dataset.is_empty()).then(|| sums.into_iter().sum::<f64>() / dataset.len() as f64)
    }

    fn price_of_distance(&self, vector: &[f64]) -> f64 {
        let squares = vector.iter().zip(&self.axes).map(|(value, axis)| ((value - axis.start) / PAWN).powi(2));
        self.model.decay * squares.sum::<f64>()
    }

    /// The mean loss and its gradient on some of the training positions, with the price of distance. `None` when there
    /// are no positions.
    pub fn gradient(&self, vector: &[f64], batch: &[u32]) -> Option<(f64, Vec<f64>)> {
        let weights = self.weights(vector);
        let part = |positions: &[u32]| {
            let (mut sum, mut slopes) = (0.0, vec![0.0; WEIGHT_COUNT]);
            let pairs = slopes.as_chunks_mut::<2>().0;
            for &at in positions {
                let at = at as usize;
                let value = self.training.value(at, &weights);
                let (x, target) = (value / self.model.scale, f64::from(self.targets[at]));
                sum += self.model.loss.of(x, target);
                let chance = self.training.chance(at, value > 0.0);
                let slope = self.model.loss.slope(x, target) / self.model.scale * chance;
                let phase = self.training.phase(at);
                let (opening, ending) = (slope * phase, slope * (1.0 - phase));
                for (term, count) in self.training.terms(at) {
                    pairs[term][0] += f64::from(count) * opening;
                    pairs[term][1] += f64::from(count) * ending;
                }
            }
            (sum, slopes)
        };
        let parts = map_ordered(batch.chunks(GRADIENT_CHUNK), self.threads, || (), |(), chunk| part(chunk));
        let (mut loss, mut slopes) = (0.0, vec![0.0; WEIGHT_COUNT]);
        for (sum, part) in parts {
            loss += sum;
            slopes.iter_mut().zip(part).for_each(|(slope, part)| *slope += part);
        }
        let count = batch.len() as f64;
        let gradient = self.active.iter().zip(vector).zip(&self.axes).map(|((&at, value), axis)| {
            slopes[at] / count + 2.0 * self.model.decay * (value - axis.start) / (PAWN * PAWN)
        });
        (!batch.is_empty()).then(|| (loss / count + self.price_of_distance(vector), gradient.collect()))
    }
}

impl Objective for Regression<'_> {
    fn axes(&self) -> &[Axis] {
        &self.axes
    }

    fn loss(&mut self, vector: &[f64]) -> Option<f64> {
        self.training_loss(vector)
    }

    fn validation(&mut self, vector: &[f64]) -> Option<f64> {
        self.validation_loss(vector)
    }
}
