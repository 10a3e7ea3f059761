//! Forward and backward pass: the loss of samples and its gradient, and the steps of all threads together. Training
//! spends its time here.
//!
//! A block of samples passes through the network tile by tile, forwards to the outputs and backwards with the
//! derivatives of the losses. Intermediate values of a sample stay in registers over all its inputs.

use std::ops::Range;

use super::model::{BIAS, HEAD_BIAS, IntegerRow, LANES, Model, Quantized, Row, TILES, bound, head_row};
use super::optimizer::{AdamStep, Loss, ParamState, advance};
use super::sample::{Inputs, Sample};
use crate::eval::network::{QA, SCALE};
use crate::util::math::{GOLDEN_RATIO, logistic};
use crate::util::parallel::map_ordered;
use crate::util::simd::{Isa, multiversion};

/// Samples in a block.
const BLOCK: usize = 256;
/// Value of one unit of an accumulator.
const ONE_UNIT: f32 = 1.0 / QA as f32;

/// Training target of a network: a blend of search score and game result, as a winning chance.
///
/// Network values and search scores share one scale k: c centipawns are a chance of 1 / (1 + e^(−c/k)).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Target {
    /// Share of the score in the target; the rest is the result.
    pub lambda: f64,
    /// Scale in centipawns.
    pub scale: f64,
}

impl Target {
    /// Loss of networks.
    pub const LOSS: Loss = Loss::Squared;

    /// Returns the target winning chance of a sample.
    #[inline]
    pub fn chance(&self, sample: &Sample) -> f64 {
        let of_score = logistic(f64::from(sample.score()) / self.scale);
        self.lambda * of_score + (1.0 - self.lambda) * f64::from(sample.result())
    }

    /// Returns the loss of a network output and its derivative by the output.
    #[inline]
    pub fn loss_and_gradient(&self, output: f32, chance: f64) -> (f64, f32) {
        let factor = f64::from(SCALE) / self.scale;
        let x = f64::from(output) * factor;
        (Target::LOSS.value(x, chance), (Target::LOSS.gradient(x, chance) * factor) as f32)
    }
}

/// Network in training, with the buffers of each thread.
///
/// Each thread computes the gradient of a fixed part of every batch; the gradients are added in the order of the
/// threads. So the result depends on the number of threads, but not on their timing.
#[derive(Debug)]
pub struct Trainer {
    parts: Vec<(ParamState, Quantized)>,
    workers: Vec<(Worker, Model)>,
    target: Target,
}

impl Trainer {
    /// Creates the buffers of `threads` threads for training these parameters.
    pub fn new(threads: usize, target: Target, parts: Vec<ParamState>) -> Trainer {
        let together = |(at, part): (usize, ParamState)| {
            let quantized = Quantized::new(at, &part.values);
            (part, quantized)
        };
        Trainer {
            parts: parts.into_iter().enumerate().map(together).collect(),
            workers: (0..threads.max(1)).map(|_| (Worker::new(Isa::best()), Model::zero())).collect(),
            target,
        }
    }

    /// Updates the parameters by the gradient of a batch, and returns the sum of its losses before the update. `seed`
    /// decides which samples are mirrored.
    pub fn step(&mut self, samples: &[Sample], seed: u64, step: AdamStep<f32>) -> f64 {
        let loss = self.map_shares(samples, |parts, samples, target, start, (worker, gradient)| {
            gradient.parts.iter_mut().for_each(|part| part.fill([0.0; LANES]));
            worker.add_gradient(parts, samples, target, Some(seed.wrapping_add(start as u64)), gradient)
        });
        let (parts, workers) = (&mut self.parts, &self.workers);
        let update = |sum: &mut Vec<Row>, (at, (state, quantized)): (usize, &mut (ParamState, Quantized))| {
            sum.clone_from(&workers[0].1.parts[at]);
            for (_, gradient) in &workers[1..] {
                let both = sum.as_flattened_mut().iter_mut().zip(gradient.parts[at].as_flattened());
                both.for_each(|(sum, derivative)| *sum += derivative);
            }
            advance(Isa::best(), state, sum, step, bound(at));
            quantized.requantize(at, &state.values);
        };
        map_ordered(parts.iter_mut().enumerate(), workers.len(), Vec::new, update);
        loss
    }

    /// Returns the sum of the losses of samples.
    pub fn loss_of(&mut self, samples: &[Sample]) -> f64 {
        self.map_shares(samples, |parts, samples, target, _, (worker, _)| worker.loss_of(parts, samples, target))
    }

    /// Divides the samples among the threads and returns the sum of what `work` returns.
    fn map_shares(
        &mut self,
        samples: &[Sample],
        work: impl Fn(&[&Quantized], &[Sample], &Target, usize, &mut (Worker, Model)) -> f64 + Sync,
    ) -> f64 {
        let (threads, target) = (self.workers.len(), &self.target);
        let parts: Vec<&Quantized> = self.parts.iter().map(|(_, quantized)| quantized).collect();
        let share = |number: usize| samples.len() * number / threads..samples.len() * (number + 1) / threads;
        let shares = self.workers.iter_mut().enumerate().map(|(number, worker)| (share(number), worker));
        let of_share = |(): &mut (), (range, worker): (Range<usize>, &mut (Worker, Model))| {
            work(&parts, &samples[range.clone()], target, range.start, worker)
        };
        map_ordered(shares, threads, || (), of_share).into_iter().sum()
    }

    /// Returns the current parameters with their Adam moments.
    pub fn states(&self) -> Vec<ParamState> {
        self.parts.iter().map(|(state, _)| state.clone()).collect()
    }

    pub fn model(&self) -> Model {
        Model { parts: self.parts.iter().map(|(state, _)| state.values.clone()).collect() }
    }
}

/// Buffers of one thread.
#[derive(Debug)]
pub struct Worker {
    isa: Isa,
    inputs: Vec<Inputs>,
    /// Clamped accumulators of both perspectives, tile by tile for all samples of a block.
    neurons: Vec<[IntegerRow; 2]>,
    /// Sums of the tiles so far for each output.
    sums: Vec<Row>,
    derivatives: Vec<f32>,
}

impl Worker {
    /// Creates the buffers for this instruction set.
    pub fn new(isa: Isa) -> Worker {
        Worker {
            isa,
            inputs: vec![Inputs::NONE; BLOCK],
            neurons: vec![[[0; LANES]; 2]; BLOCK * TILES],
            sums: vec![[0.0; LANES]; BLOCK],
            derivatives: vec![0.0; BLOCK],
        }
    }

    /// Adds the gradient of the losses of these samples to `gradient` and returns the sum of the losses. `seed` and the
    /// index of a sample decide whether it is mirrored where both orientations are valid; without a seed none is.
    pub fn add_gradient(
        &mut self,
        parts: &[&Quantized],
        samples: &[Sample],
        target: &Target,
        seed: Option<u64>,
        gradient: &mut Model,
    ) -> f64 {
        let mut loss = 0.0;
        for (number, block) in samples.chunks(BLOCK).enumerate() {
            loss += self.forward(parts, block, target, seed.map(|seed| seed.wrapping_add((number * BLOCK) as u64)));
            let (head_gradient, tiles) = gradient.parts.split_last_mut().expect("a model has a head");
            let count = block.len();
            for (input, &derivative) in self.inputs[..count].iter().zip(&self.derivatives) {
                head_gradient[HEAD_BIAS][input.bucket] += derivative;
            }
            for (at, tile) in tiles.iter_mut().enumerate() {
                let neurons = &self.neurons[at * BLOCK..][..count];
                let (inputs, derivatives) = (&self.inputs[..count], &self.derivatives[..count]);
                backward(self.isa, tile, &parts[TILES].outputs, head_gradient, at, inputs, neurons, derivatives);
            }
        }
        loss
    }

    /// Returns the sum of the losses of these samples, none of them mirrored.
    pub fn loss_of(&mut self, parts: &[&Quantized], samples: &[Sample], target: &Target) -> f64 {
        samples.chunks(BLOCK).map(|block| self.forward(parts, block, target, None)).sum()
    }

    /// Computes inputs, neurons and output derivatives of a block and returns the sum of its losses.
    fn forward(&mut self, parts: &[&Quantized], block: &[Sample], target: &Target, seed: Option<u64>) -> f64 {
        let count = block.len();
        for (index, (sample, inputs)) in block.iter().zip(&mut self.inputs).enumerate() {
            let turn = seed.is_some_and(|seed| seed.wrapping_add(index as u64).wrapping_mul(GOLDEN_RATIO) >> 63 == 1);
            sample.find_inputs(turn, inputs);
        }
        let head = &parts[TILES].outputs;
        self.sums[..count].fill([0.0; LANES]);
        for (at, tile) in parts[..TILES].iter().enumerate() {
            let neurons = &mut self.neurons[at * BLOCK..][..count];
            forward(self.isa, &tile.inputs, head, at, &self.inputs[..count], neurons, &mut self.sums[..count]);
        }
        let mut loss = 0.0;
        for (index, sample) in block.iter().enumerate() {
            let output = sum(&self.sums[index]) + head[HEAD_BIAS][self.inputs[index].bucket];
            let (sample_loss, derivative) = target.loss_and_gradient(output, target.chance(sample));
            loss += sample_loss;
            self.derivatives[index] = derivative;
        }
        loss
    }
}

multiversion! {
    /// Accumulates the inputs of a tile and adds the contribution of its neurons to the outputs.
    fn forward(
        tile: &[IntegerRow], head: &[Row], at: usize, inputs: &[Inputs], neurons: &mut [[IntegerRow; 2]],
        sums: &mut [Row]
    ) = forward_tile;
    /// Adds the gradient of a tile to that of its weights and to that of the head.
    fn backward(
        gradient: &mut [Row], head: &[Row], head_gradient: &mut [Row], at: usize, inputs: &[Inputs],
        neurons: &[[IntegerRow; 2]], derivatives: &[f32]
    ) = backward_tile;
}

#[inline(always)]
fn forward_tile(
    tile: &[IntegerRow],
    head: &[Row],
    at: usize,
    inputs: &[Inputs],
    neurons: &mut [[IntegerRow; 2]],
    sums: &mut [Row],
) {
    let Ok(tile) = <&[IntegerRow; BIAS + 1]>::try_from(tile) else { return };
    for ((input, neurons), output) in inputs.iter().zip(neurons).zip(sums) {
        let mut both = [tile[BIAS]; 2];
        for pair in input.pairs.iter().take(input.count) {
            let rows = [&tile[usize::from(pair[0])], &tile[usize::from(pair[1])]];
            for lane in 0..LANES {
                both[0][lane] = both[0][lane].wrapping_add(rows[0][lane]);
                both[1][lane] = both[1][lane].wrapping_add(rows[1][lane]);
            }
        }
        for view in 0..2 {
            let weights = &head[head_row(input.bucket, view, at)];
            for lane in 0..LANES {
                let sum = both[view][lane].clamp(0, QA as i16);
                neurons[view][lane] = sum;
                let neuron = f32::from(sum) * ONE_UNIT;
                output[lane] += neuron * neuron * weights[lane];
            }
        }
    }
}

#[inline(always)]
fn backward_tile(
    gradient: &mut [Row],
    head: &[Row],
    head_gradient: &mut [Row],
    at: usize,
    inputs: &[Inputs],
    neurons: &[[IntegerRow; 2]],
    derivatives: &[f32],
) {
    let Ok(gradient) = <&mut [Row; BIAS + 1]>::try_from(gradient) else { return };
    let mut bias = gradient[BIAS];
    for ((input, neurons), &derivative) in inputs.iter().zip(neurons).zip(derivatives) {
        let mut both = [[0.0; LANES]; 2];
        for view in 0..2 {
            let row = head_row(input.bucket, view, at);
            let (weights, weight_gradient) = (&head[row], &mut head_gradient[row]);
            for lane in 0..LANES {
                let neuron = f32::from(neurons[view][lane]) * ONE_UNIT;
                weight_gradient[lane] += derivative * neuron * neuron;
                // The derivative is 0 at both clamps; at the lower one the neuron is 0 anyway.
                let inner = if neurons[view][lane] < QA as i16 { 2.0 * neuron } else { 0.0 };
                both[view][lane] = derivative * weights[lane] * inner;
            }
        }
        for lane in 0..LANES {
            bias[lane] += both[0][lane] + both[1][lane];
        }
        for pair in input.pairs.iter().take(input.count) {
            for view in 0..2 {
                let row = &mut gradient[usize::from(pair[view])];
                for lane in 0..LANES {
                    row[lane] += both[view][lane];
                }
            }
        }
    }
    gradient[BIAS] = bias;
}

/// Returns the sum of a row in an order that does not depend on the instruction set.
#[inline(always)]
fn sum(row: &Row) -> f32 {
    let (mut row, mut half) = (*row, LANES / 2);
    while half > 0 {
        for lane in 0..half {
            row[lane] += row[lane + half];
        }
        half /= 2;
    }
    row[0]
}
