//! How the price changes with every number of the network: the loops in which training spends its time.
//!
//! A block of samples passes through the network tile by tile: forwards to the outputs, and backwards with the slopes of
//! their prices. What a sample passes on stays in registers over all its inputs.

use super::features::{Features, Inputs};
use super::model::{BIAS, HEAD_BIAS, IntegerRow, LANES, Model, Rounded, Row, TILES, head_row};
use super::sample::Sample;
use super::target::Goal;
use crate::eval::network::QA;
use crate::util::simd::{Isa, multiversion};

/// How many samples pass through a tile before the next one is touched.
const BLOCK: usize = 256;
/// What one unit of a sum is worth.
const ONE_UNIT: f32 = 1.0 / QA as f32;
/// A multiplier that spreads numbers over all bits.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// What one thread needs to compute with.
#[derive(Debug)]
pub struct Worker {
    path: Isa,
    features: Features,
    inputs: Vec<Inputs>,
    /// The clamped sums of both views, tile by tile for all samples of a block.
    neurons: Vec<[IntegerRow; 2]>,
    /// What the tiles added to each output so far.
    sums: Vec<Row>,
    slopes: Vec<f32>,
}

impl Worker {
    /// One that computes with these vector instructions.
    pub fn new(path: Isa) -> Worker {
        Worker {
            path,
            features: Features::new(),
            inputs: vec![Inputs::NONE; BLOCK],
            neurons: vec![[[0; LANES]; 2]; BLOCK * TILES],
            sums: vec![[0.0; LANES]; BLOCK],
            slopes: vec![0.0; BLOCK],
        }
    }

    /// Adds the slopes of the prices of these samples to `gradient`, and returns the sum of the prices. Which samples are
    /// turned, where nothing says which way round they are, follows from `luck` and their
    /// places; none without it.
    pub fn learn(
        &mut self,
        parts: &[&Rounded],
        samples: &[Sample],
        goal: &Goal,
        luck: Option<u64>,
        gradient: &mut Model,
    ) -> f64 {
        let mut price = 0.0;
        for (number, block) in samples.chunks(BLOCK).enumerate() {
            price += self.forward(parts, block, goal, luck.map(|luck| luck.wrapping_add((number * BLOCK) as u64)));
            let (head_gradient, tiles) = gradient.parts.split_last_mut().expect("a model has a head");
            let count = block.len();
            for (input, &slope) in self.inputs[..count].iter().zip(&self.slopes) {
                head_gradient[HEAD_BIAS][input.bucket] += slope;
            }
            for (at, tile) in tiles.iter_mut().enumerate() {
                let neurons = &self.neurons[at * BLOCK..][..count];
                let (inputs, slopes) = (&self.inputs[..count], &self.slopes[..count]);
                backward(self.path, tile, &parts[TILES].outputs, head_gradient, at, inputs, neurons, slopes);
            }
        }
        price
    }

    /// The sum of the prices of these samples, none of them turned.
    pub fn judge(&mut self, parts: &[&Rounded], samples: &[Sample], goal: &Goal) -> f64 {
        samples.chunks(BLOCK).map(|block| self.forward(parts, block, goal, None)).sum()
    }

    /// Leaves inputs, neurons and slopes of a block.
    fn forward(&mut self, parts: &[&Rounded], block: &[Sample], goal: &Goal, luck: Option<u64>) -> f64 {
        let count = block.len();
        for (place, (sample, inputs)) in block.iter().zip(&mut self.inputs).enumerate() {
            let turn = luck.is_some_and(|luck| luck.wrapping_add(place as u64).wrapping_mul(SPREAD) >> 63 == 1);
            self.features.find(sample, turn, inputs);
        }
        let head = &parts[TILES].outputs;
        self.sums[..count].fill([0.0; LANES]);
        for (at, tile) in parts[..TILES].iter().enumerate() {
            let neurons = &mut self.neurons[at * BLOCK..][..count];
            forward(self.path, &tile.inputs, head, at, &self.inputs[..count], neurons, &mut self.sums[..count]);
        }
        let mut price = 0.0;
        for (place, sample) in block.iter().enumerate() {
            let output = sum(&self.sums[place]) + head[HEAD_BIAS][self.inputs[place].bucket];
            let (own_price, slope) = goal.price(output, goal.target(sample));
            price += own_price;
            self.slopes[place] = slope;
        }
        price
    }
}

multiversion! {
    /// Sums the inputs of a tile, and adds what its neurons count to the sums of the outputs.
    fn forward(
        tile: &[IntegerRow], head: &[Row], at: usize, inputs: &[Inputs], neurons: &mut [[IntegerRow; 2]],
        sums: &mut [Row]
    ) = forward_tile;
    /// Adds the slopes of a tile to its gradient and to that of the head.
    fn backward(
        gradient: &mut [Row], head: &[Row], head_gradient: &mut [Row], at: usize, inputs: &[Inputs],
        neurons: &[[IntegerRow; 2]], slopes: &[f32]
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
    slopes: &[f32],
) {
    let Ok(gradient) = <&mut [Row; BIAS + 1]>::try_from(gradient) else { return };
    let mut bias = gradient[BIAS];
    for ((input, neurons), &slope) in inputs.iter().zip(neurons).zip(slopes) {
        let mut both = [[0.0; LANES]; 2];
        for view in 0..2 {
            let row = head_row(input.bucket, view, at);
            let (weights, weight_gradient) = (&head[row], &mut head_gradient[row]);
            for lane in 0..LANES {
                let neuron = f32::from(neurons[view][lane]) * ONE_UNIT;
                weight_gradient[lane] += slope * neuron * neuron;
                // A sum that was clamped from above does not matter; one from below is 0 here.
                let inner = if neurons[view][lane] < QA as i16 { 2.0 * neuron } else { 0.0 };
                both[view][lane] = slope * weights[lane] * inner;
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

/// The sum of a row, in an order that does not depend on vector instructions.
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

/// The parts of a model as the loops take them.
pub fn rounded_parts(model: &Model) -> Vec<Rounded> {
    model.parts.iter().enumerate().map(|(at, part)| Rounded::of(at, part)).collect()
}
