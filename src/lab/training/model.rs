//! Floating-point network during training, laid out for the training loops.
//!
//! The neurons of a perspective come in tiles of [`LANES`]. A tile fits the fastest cache of a core, so all positions
//! of a block pass through one tile before the next.
//!
//! Steps update floats, but gradients are those of the quantized network ([`Quantized`]): the network that is trained
//! is the network that plays, and exporting loses nothing. A mean of two models is rounded when it is exported.

use super::sample::{Inputs, Sample};
use crate::eval::network::{
    BUCKETS, HIDDEN, INPUTS, MAX_OUTPUT_WEIGHT, MAX_PIECES, MAX_WEIGHT, Network, NetworkError, PIECE_INPUTS, QA, QB,
    QN, RawWeights, SCALE,
};
use crate::util::math::StableRandom;
use crate::util::simd::{Isa, multiversion};

/// Neurons in a row.
pub const LANES: usize = 64;
/// Rows that hold all neurons of a perspective.
pub const TILES: usize = HIDDEN / LANES;
/// Row of a tile with its biases, after the input weights.
pub(super) const BIAS: usize = INPUTS;
/// Row of the head with the output biases, of which there are fewer than [`LANES`].
pub(super) const HEAD_BIAS: usize = BUCKETS * 2 * TILES;
const _: () = assert!(HIDDEN.is_multiple_of(LANES) && BUCKETS <= LANES);

/// Parameters processed together.
pub type Row = [f32; LANES];
/// Quantized input weights.
pub type IntegerRow = [i16; LANES];
/// Rows of a tile or of the head.
pub type Part = Vec<Row>;

/// Returns the number of rows of each part: the tiles, then the head.
pub(super) fn part_rows() -> [usize; TILES + 1] {
    std::array::from_fn(|part| if part < TILES { BIAS + 1 } else { HEAD_BIAS + 1 })
}

/// Returns the maximum magnitude of the parameters of a part.
pub(super) fn bound(part: usize) -> f32 {
    if part < TILES { MAX_WEIGHT } else { MAX_OUTPUT_WEIGHT }
}

/// Returns the row of the head with the output weights of a tile in one perspective.
#[inline(always)]
pub(super) fn head_row(bucket: usize, view: usize, tile: usize) -> usize {
    (bucket * 2 + view) * TILES + tile
}

/// All parameters of a network: the tiles, and the head with the output weights and biases.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    /// Tiles, then the head.
    pub parts: Vec<Part>,
}

impl Model {
    pub fn zero() -> Model {
        Model { parts: part_rows().iter().map(|&rows| vec![[0.0; LANES]; rows]).collect() }
    }

    /// Creates a model with small random weights from `seed`.
    pub fn random(seed: u64) -> Model {
        let mut random = StableRandom::new(seed, 0);
        let mut uniform = |most: f32| {
            let steps = 1 << 24;
            (random.below(steps) as f32 / steps as f32 * 2.0 - 1.0) * most
        };
        let mut model = Model::zero();
        for (at, part) in model.parts.iter_mut().enumerate() {
            // Threats begin without weight: what they add to the pieces is small.
            let (rows, most) = if at < TILES {
                (PIECE_INPUTS, (MAX_PIECES as f32).sqrt().recip())
            } else {
                (HEAD_BIAS, (2.0 * HIDDEN as f32).sqrt().recip())
            };
            part[..rows].as_flattened_mut().iter_mut().for_each(|weight| *weight = uniform(most));
        }
        // Start with most neurons active: a neuron that is inactive in every position has no gradient.
        for tile in &mut model.parts[..TILES] {
            tile[BIAS] = [0.2; LANES];
        }
        model
    }

    /// Returns the mean of the weights of this model and of `other`, where `other` has the share `share`, from 0 to 1.
    /// The mean of a network and of the same network after further training may be better than both (Wortsman et al.,
    /// *Robust Fine-Tuning of Zero-Shot Models*, 2022).
    pub fn mean_with(mut self, other: &Model, share: f64) -> Model {
        for (part, others) in self.parts.iter_mut().zip(&other.parts) {
            for (value, &other) in part.as_flattened_mut().iter_mut().zip(others.as_flattened()) {
                *value = (f64::from(*value) * (1.0 - share) + f64::from(other) * share) as f32;
            }
        }
        self
    }

    /// Evaluates a sample in centipawns for the mover. Slow reference implementation.
    pub fn value(&self, sample: &Sample) -> f64 {
        let mut inputs = Inputs::NONE;
        sample.find_inputs(false, &mut inputs);
        let head = &self.parts[TILES];
        let mut output = f64::from(head[HEAD_BIAS][inputs.bucket]);
        for (at, tile) in self.parts[..TILES].iter().enumerate() {
            for view in 0..2 {
                for lane in 0..LANES {
                    let weights = inputs.pairs[..inputs.count].iter().map(|pair| tile[usize::from(pair[view])][lane]);
                    let sum: f64 = weights.map(f64::from).sum::<f64>() + f64::from(tile[BIAS][lane]);
                    let weight = head[head_row(inputs.bucket, view, at)][lane];
                    output += sum.clamp(0.0, 1.0).powi(2) * f64::from(weight);
                }
            }
        }
        output * f64::from(SCALE)
    }

    /// Returns the quantized network. If the sums of a neuron could overflow, its weights of threats are halved; the
    /// result then differs from the network that the gradients belong to.
    pub fn quantized(&self, note: &str) -> Result<Network, NetworkError> {
        let row = |row: usize| self.parts[..TILES].iter().flat_map(move |tile| tile[row]);
        let to_input = |value| rounded_input(value) as i16;
        let head = &self.parts[TILES];
        let weights = head[..HEAD_BIAS].iter().flatten();
        let biases = head[HEAD_BIAS][..BUCKETS].iter();
        let numbers = RawWeights {
            input_weights: (0..INPUTS).flat_map(row).map(to_input).collect(),
            input_biases: row(BIAS).map(to_input).collect(),
            output_weights: weights.map(|&value| rounded_output(value, QB) as i16).collect(),
            output_biases: biases.map(|&value| rounded_output(value, QN * QB) as i32).collect(),
        };
        Network::with_limited_threats(numbers, note)
    }

    pub fn from_network(network: &Network) -> Model {
        let numbers = network.raw_weights();
        let mut model = Model::zero();
        let input = |value: i16| f32::from(value) / QA as f32;
        let rows = numbers.input_weights.as_chunks::<HIDDEN>().0.iter().map(|row| row.as_slice());
        let rows = rows.chain([numbers.input_biases.as_slice()]);
        for (row, values) in rows.enumerate() {
            for (tile, values) in values.as_chunks::<LANES>().0.iter().enumerate() {
                model.parts[tile][row] = values.map(input);
            }
        }
        let head = &mut model.parts[TILES];
        for (row, values) in head.iter_mut().zip(numbers.output_weights.as_chunks::<LANES>().0) {
            *row = values.map(|value| f32::from(value) / QB as f32);
        }
        for (bias, &value) in head[HEAD_BIAS].iter_mut().zip(&numbers.output_biases) {
            *bias = (f64::from(value) / f64::from(QN * QB)) as f32;
        }
        model
    }
}

/// Rounds an input weight or bias to units.
#[inline(always)]
fn rounded_input(value: f32) -> f32 {
    (value * QA as f32).round_ties_even()
}

/// Rounds a parameter of the head to units of 1 / `unit`.
fn rounded_output(value: f32, unit: i32) -> f64 {
    (f64::from(value) * f64::from(unit)).round_ties_even()
}

/// Part of a network with its parameters rounded to the integer grid.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Quantized {
    /// Rows of a tile; empty for the head.
    pub inputs: Vec<IntegerRow>,
    /// Rows of the head; empty for a tile.
    pub outputs: Vec<Row>,
}

impl Quantized {
    /// Quantizes the part with index `at`.
    pub fn new(at: usize, values: &[Row]) -> Quantized {
        let mut part = Quantized::default();
        part.requantize(at, values);
        part
    }

    /// Requantizes the part with index `at` after a step.
    pub fn requantize(&mut self, at: usize, values: &[Row]) {
        if at < TILES {
            self.inputs.resize(values.len(), [0; LANES]);
            return round_inputs(Isa::best(), values, &mut self.inputs);
        }
        let rounded = |(row, values): (usize, &Row)| {
            let unit = if row < HEAD_BIAS { QB } else { QN * QB };
            values.map(|value| (rounded_output(value, unit) / f64::from(unit)) as f32)
        };
        self.outputs = values.iter().enumerate().map(rounded).collect();
    }
}

multiversion! {
    fn round_inputs(values: &[Row], integers: &mut [IntegerRow]) = inputs_of;
}

#[inline(always)]
fn inputs_of(values: &[Row], integers: &mut [IntegerRow]) {
    for (values, integers) in values.iter().zip(integers) {
        for lane in 0..LANES {
            integers[lane] = rounded_input(values[lane]) as i32 as i16;
        }
    }
}

/// Returns the quantized parts of a model.
pub fn quantized_parts(model: &Model) -> Vec<Quantized> {
    model.parts.iter().enumerate().map(|(at, part)| Quantized::new(at, part)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;

    #[test]
    fn exported_networks_round_trip() {
        let network = Model::random(1).quantized("a note").unwrap();
        let back = Network::from_bytes(&network.to_bytes()).unwrap();
        assert_eq!(back, network);
        assert_eq!(Model::from_network(&back).quantized("a note").unwrap(), network);
        assert_eq!(back.note(), "a note");
    }

    #[test]
    fn the_quantized_network_agrees_with_the_model() {
        let mut model = Model::random(2);
        model.parts[TILES][HEAD_BIAS] = std::array::from_fn(|bucket| bucket as f32 / 10.0);
        let network = model.quantized("").unwrap();
        let exact = Model::from_network(&network);
        for fen in crate::engine::bench::POSITIONS.iter() {
            let position = Position::from_fen(fen).unwrap();
            let sample = Sample::new(&position, 0, 0.5).unwrap();
            // A sample may hold the mirror image, which the network evaluates differently.
            let shown = sample.position().unwrap();
            let integer = f64::from(network.evaluate(&shown));
            // Only neurons and the final value are rounded.
            assert!((exact.value(&sample) - integer).abs() < 2.0, "{fen}");
            assert!((model.value(&sample) - integer).abs() < 6.0, "{fen}");
        }
    }
}
