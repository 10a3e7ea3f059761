//! Forward and backward pass: the loss of samples and its gradient. Training spends its time here.
//!
//! A block of samples passes through the network tile by tile, forwards to the outputs and backwards with the
//! derivatives of the losses. Intermediate values of a sample stay in registers over all its inputs.

use super::features::{Features, Inputs};
use super::loss::Target;
use super::model::{BIAS, HEAD_BIAS, IntegerRow, LANES, Model, Quantized, Row, TILES, head_row};
use super::sample::Sample;
use crate::eval::network::QA;
use crate::util::math::GOLDEN_RATIO;
use crate::util::simd::{Isa, multiversion};

/// Samples in a block.
const BLOCK: usize = 256;
/// Value of one unit of an accumulator.
const ONE_UNIT: f32 = 1.0 / QA as f32;

/// Buffers and tables of one thread.
#[derive(Debug)]
pub struct Worker {
    path: Isa,
    features: Features,
    inputs: Vec<Inputs>,
    /// Clamped accumulators of both perspectives, tile by tile for all samples of a block.
    neurons: Vec<[IntegerRow; 2]>,
    /// Sums of the tiles so far for each output.
    sums: Vec<Row>,
    derivatives: Vec<f32>,
}

impl Worker {
    /// Creates the buffers for this instruction set.
    pub fn new(path: Isa) -> Worker {
        Worker {
            path,
            features: Features::new(),
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
                backward(self.path, tile, &parts[TILES].outputs, head_gradient, at, inputs, neurons, derivatives);
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
            self.features.find(sample, turn, inputs);
        }
        let head = &parts[TILES].outputs;
        self.sums[..count].fill([0.0; LANES]);
        for (at, tile) in parts[..TILES].iter().enumerate() {
            let neurons = &mut self.neurons[at * BLOCK..][..count];
            forward(self.path, &tile.inputs, head, at, &self.inputs[..count], neurons, &mut self.sums[..count]);
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
            let row = &mut gradient[usize::from(pair[0])];
            for lane in 0..LANES {
                row[lane] += both[0][lane];
            }
            let row = &mut gradient[usize::from(pair[1])];
            for lane in 0..LANES {
                row[lane] += both[1][lane];
            }
        }
    }
    gradient[BIAS] = bias;
}

/// Returns the sum of a row in an order that does not depend on the instruction set.
#[inline(always)]
fn sum(row: &Row) -> f32 {
    let mut row = *row;
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            row[lane] += row[lane + half];
        }
        half /= 2;
    }
    row[0]
}

/// Returns the quantized parts of a model.
pub fn quantized_parts(model: &Model) -> Vec<Quantized> {
    model.parts.iter().enumerate().map(|(at, part)| Quantized::new(at, part)).collect()
}
