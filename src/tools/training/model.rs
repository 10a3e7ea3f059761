//! The network while it learns: its numbers as floats, laid out for the loops that train it.
//!
//! The neurons of a view come in tiles of [`LANES`]. A tile is small enough for the fast memory of a core, so all
//! positions of a block pass through one tile before the next one is touched.
//!
//! Steps move floats, but slopes are those of the network in integers that the floats are rounded to ([`Rounded`]): what
//! is trained is what plays, and nothing is lost at the end.

use super::features::{Features, Inputs};
use super::sample::Sample;
use crate::eval::network::{
    BUCKETS, HIDDEN, INPUTS, MAX_OUTPUT_WEIGHT, MAX_WEIGHT, Network, NetworkError, QA, QB, QN, RawWeights, SCALE,
};
use crate::util::random::StableRandom;
use crate::util::simd::{Isa, multiversion};

/// How many neurons stand in a row.
pub const LANES: usize = 64;
/// How many rows hold all neurons of a view.
pub const TILES: usize = HIDDEN / LANES;
/// The row of a tile that holds its biases; before it stand the weights of the inputs.
pub(super) const BIAS: usize = INPUTS;
/// The row of the head that holds the biases, of which there are fewer than [`LANES`].
pub(super) const HEAD_BIAS: usize = BUCKETS * 2 * TILES;
/// How many inputs a position sets at most.
const INPUTS_AT_ONCE: f32 = 32.0;

const _: () = assert!(HIDDEN.is_multiple_of(LANES) && BUCKETS <= LANES);

/// Some numbers that are computed with at once.
pub type Row = [f32; LANES];
/// Some weights of inputs in integers.
pub type IntegerRow = [i16; LANES];
/// The rows of a tile, or of the head.
pub type Part = Vec<Row>;

/// How many rows each part has: the tiles and then the head.
pub(super) fn part_rows() -> [usize; TILES + 1] {
    std::array::from_fn(|part| if part < TILES { BIAS + 1 } else { HEAD_BIAS + 1 })
}

/// Numbers of a part stay within ± this.
pub(super) fn bound(part: usize) -> f32 {
    if part < TILES { MAX_WEIGHT } else { MAX_OUTPUT_WEIGHT }
}

/// The row of the head with the output weights of a tile in one of the views.
#[inline(always)]
pub(super) fn head_row(bucket: usize, view: usize, tile: usize) -> usize {
    (bucket * 2 + view) * TILES + tile
}

/// All numbers of a network: the tiles, and the head, which are the weights and biases of the output.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    /// The parts.
    pub parts: Vec<Part>,
}

impl Model {
    /// One whose numbers are all zero.
    pub fn zero() -> Model {
        Model { parts: part_rows().iter().map(|&rows| vec![[0.0; LANES]; rows]).collect() }
    }

    /// One to begin with: small random weights, the same for the same seed.
    pub fn random(seed: u64) -> Model {
        let mut dice = StableRandom::new(seed, 0);
        let mut uniform = |most: f32| {
            let steps = 1 << 24;
            (dice.below(steps) as f32 / steps as f32 * 2.0 - 1.0) * most
        };
        let mut model = Model::zero();
        for (at, part) in model.parts.iter_mut().enumerate() {
            let (bias, most) = if at < TILES {
                (BIAS, INPUTS_AT_ONCE.sqrt().recip())
            } else {
                (HEAD_BIAS, (2.0 * HIDDEN as f32).sqrt().recip())
            };
            part[..bias].as_flattened_mut().iter_mut().for_each(|weight| *weight = uniform(most));
        }
        // More neurons are awake than asleep at first: those that sleep in every position never learn.
        for tile in &mut model.parts[..TILES] {
            tile[BIAS] = [0.2; LANES];
        }
        model
    }

    /// What the network makes of a sample, in centipawns for the mover. Slow and plain: what training is checked with.
    pub fn value(&self, sample: &Sample) -> f64 {
        let mut inputs = Inputs::NONE;
        Features::new().find(sample, false, &mut inputs);
        self.value_of(&inputs)
    }

    /// The same of inputs.
    pub(super) fn value_of(&self, inputs: &Inputs) -> f64 {
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

    /// The network in integers.
    ///
    /// # Errors
    /// [`NetworkError`] when its numbers are too large for that.
    pub fn quantised(&self, note: &str) -> Result<Network, NetworkError> {
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
        Network::new(&numbers, note)
    }

    /// A network of integers as floats.
    pub fn of_network(network: &Network) -> Model {
        let numbers = network.raw_weights();
        let mut model = Model::zero();
        let input = |value: i16| f32::from(value) / QA as f32;
        let rows = numbers.input_weights.chunks_exact(HIDDEN).chain([numbers.input_biases.as_slice()]);
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

/// A weight or bias of the inputs in units, rounded.
#[inline(always)]
fn rounded_input(value: f32) -> f32 {
    (value * QA as f32).round_ties_even()
}

/// A number of the head in so many parts of 1, rounded.
#[inline(always)]
fn rounded_output(value: f32, unit: i32) -> f64 {
    (f64::from(value) * f64::from(unit)).round_ties_even()
}

/// A part of a network with its numbers rounded to what the integers can tell.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Rounded {
    /// The rows of a tile; none of the head.
    pub inputs: Vec<IntegerRow>,
    /// The rows of the head; none of a tile.
    pub outputs: Vec<Row>,
}

impl Rounded {
    /// The part of this number, rounded.
    pub fn of(at: usize, values: &[Row]) -> Rounded {
        let mut part = Rounded::default();
        part.follow(Isa::best(), at, values);
        part
    }

    /// Rounds the part of this number anew.
    pub fn follow(&mut self, path: Isa, at: usize, values: &[Row]) {
        if at < TILES {
            self.inputs.resize(values.len(), [0; LANES]);
            round_inputs(path, values, &mut self.inputs);
        } else {
            self.outputs.resize(values.len(), [0.0; LANES]);
            round_outputs(path, values, &mut self.outputs);
        }
    }
}

multiversion! {
    fn round_inputs(values: &[Row], integers: &mut [IntegerRow]) = inputs_of;
    fn round_outputs(values: &[Row], outputs: &mut [Row]) = outputs_of;
}

#[inline(always)]
fn inputs_of(values: &[Row], integers: &mut [IntegerRow]) {
    for (values, integers) in values.iter().zip(integers) {
        for lane in 0..LANES {
            integers[lane] = rounded_input(values[lane]) as i32 as i16;
        }
    }
}

#[inline(always)]
fn outputs_of(values: &[Row], outputs: &mut [Row]) {
    for (row, (values, outputs)) in values.iter().zip(outputs).enumerate() {
        let unit = if row < HEAD_BIAS { QB } else { QN * QB };
        for lane in 0..LANES {
            outputs[lane] = (rounded_output(values[lane], unit) / f64::from(unit)) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;

    #[test]
    fn what_was_exported_comes_back_bit_by_bit() {
        let network = Model::random(1).quantised("a note").unwrap();
        let back = Network::from_bytes(&network.to_bytes()).unwrap();
        assert_eq!(back, network);
        assert_eq!(Model::of_network(&back).quantised("a note").unwrap(), network);
        assert_eq!(back.note(), "a note");
    }

    #[test]
    fn integers_tell_nearly_the_same_as_floats() {
        let mut model = Model::random(2);
        model.parts[TILES][HEAD_BIAS] = std::array::from_fn(|bucket| bucket as f32 / 10.0);
        let network = model.quantised("").unwrap();
        let exact = Model::of_network(&network);
        for fen in crate::engine::bench::POSITIONS {
            let position = Position::from_fen(fen).unwrap();
            let sample = Sample::of(&position, 0, 0.5).unwrap();
            // A sample may show the mirror image, which the network sees as another position.
            let shown = sample.position().unwrap();
            let integer = f64::from(network.evaluate(&shown));
            // Only neurons and the value are rounded.
            assert!((exact.value(&sample) - integer).abs() < 2.0, "{fen}");
            assert!((model.value(&sample) - integer).abs() < 6.0, "{fen}");
        }
    }
}
