//! Neural network evaluation: a perspective network with one hidden layer, (4134 → 256) × 2 → 1 with output buckets.
//!
//! Each side's [`Perspective`] of the position sets some of [`INPUTS`] inputs: one for each piece, and one for each
//! group of enemy pieces that attacks it ([`Threats`]). Their weight rows add up to an [`Accumulator`] of [`HIDDEN`]
//! sums for each perspective. The sums are clamped to 0–1 and squared (SCReLU); the neurons of the side to move and
//! then those of the other side are multiplied by output weights, which depend on the rooks, horses and cannons on the
//! board ([`output_bucket`]), and added up. All arithmetic is in integers:
//!
//! - sums: `s = b₁ + Σ w₁`, 16 bits, in units of [`QA`];
//! - neurons: `n = clamp(s, 0, QA)² / 64`, rounded down, in units of [`QN`];
//! - output: `o = b₂ + Σ n·w₂`, 32 bits for the sum of each perspective, in units of `QN` · [`QB`];
//! - value: `o · SCALE / (QN · QB)`, rounded towards 0, in centipawns for the side to move.
//!
//! The units are as large as 16 bits allow.
//!
//! A network is refused ([`NetworkError`]) if its sums could overflow in a position with no more pieces of a kind than
//! a game begins with. In composed positions with more pieces sums may wrap around: the value is a poor one, but
//! the same on every machine. [`AccumulatorStack`] updates accumulators incrementally: a move costs the rows of the
//! pieces and threats that it changes.
//! A wider network needs other constants here and nothing else.

mod accumulator;
mod feature;
mod file;
mod kernel;
#[cfg(test)]
mod tests;
mod threats;

pub use accumulator::AccumulatorStack;
pub use feature::Perspective;
pub use file::NetworkError;
pub use kernel::Accumulator;
pub use threats::{ATTACKER_GROUPS, PiecePlacement, THREAT_INPUTS, ThreatDifference, Threats, threat_input};

use std::sync::{Arc, LazyLock};

use arrayvec::ArrayVec;

use crate::position::Position;
use crate::types::score::clamp_evaluation;
use crate::types::{Piece, PieceKind, Side, Square, Value};
use crate::util::simd::Isa;

/// Inputs for the pieces of a perspective.
pub const PIECE_INPUTS: usize = 689;
/// Inputs of a perspective: pieces, then attacked pieces.
pub const INPUTS: usize = PIECE_INPUTS + THREAT_INPUTS;
/// Bound of the number of inputs that a position sets: each piece by itself and attacked by every group.
const MAX_ACTIVE_INPUTS: usize = Square::COUNT * (1 + ATTACKER_GROUPS);
/// Neurons of a perspective.
pub const HIDDEN: usize = 256;
/// Output buckets.
pub const BUCKETS: usize = 8;

/// Quantisation of the first layer: the integer that represents 1.0 in input weights, biases and sums.
pub const QA: i32 = 1016;
/// Quantisation of neurons: QA² / 64.
pub const QN: i32 = 127 * 127;
/// Quantisation of output weights; output biases are in units of [`QN`] · `QB`.
pub const QB: i32 = 512;
/// Centipawns of an output of 1.0.
pub const SCALE: i32 = 400;

/// Bound of input weights and biases in training, in units of [`QA`], within which the pieces alone cannot make sums
/// overflow; [`Network::with_limited_threats`] sees to the threats.
pub const MAX_WEIGHT: f32 = 0.97;
/// Bound of output weights, in units of [`QB`], within which outputs cannot overflow.
pub const MAX_OUTPUT_WEIGHT: f32 = 1.0;
const _: () = assert!(MAX_OUTPUT_WEIGHT * (HIDDEN as i32 * QB) as f32 * QN as f32 <= i32::MAX as f32);
/// Maximum number of pieces in a game. Only composed problems have more.
pub const MAX_PIECES: usize = 32;
const _: () = assert!((MAX_PIECES + 1) as f32 * (MAX_WEIGHT * QA as f32 + 1.0) < i16::MAX as f32);

/// Returns the bucket below [`BUCKETS`]: half the sum of attackers of both sides, a rook counted twice.
#[inline]
pub fn output_bucket(position: &Position) -> usize {
    let count = |kind| position.count(Piece::new(Side::Red, kind)) + position.count(Piece::new(Side::Black, kind));
    let attackers = 2 * count(PieceKind::Rook) + count(PieceKind::Horse) + count(PieceKind::Cannon);
    (attackers / 2).min(BUCKETS - 1)
}

/// Quantised network. See [`Network::from_bytes`] for the file format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Network {
    input_weights: Vec<Accumulator>,
    input_biases: Accumulator,
    /// For each bucket, the weights of the neurons of the side to move and of the other side.
    output_weights: Vec<[[i16; HIDDEN]; 2]>,
    output_biases: [i32; BUCKETS],
    has_threats: bool,
    note: String,
}

/// Quantised weights and biases as flat vectors, from which [`Network::new`] makes a network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RawWeights {
    /// [`INPUTS`] rows of [`HIDDEN`] weights, in units of [`QA`].
    pub input_weights: Vec<i16>,
    /// [`HIDDEN`] biases, in units of [`QA`].
    pub input_biases: Vec<i16>,
    /// [`BUCKETS`] rows of twice [`HIDDEN`] weights, those of the side to move first, in units of [`QB`].
    pub output_weights: Vec<i16>,
    /// [`BUCKETS`] biases, in units of [`QN`] · [`QB`].
    pub output_biases: Vec<i32>,
}

static EMBEDDED: &[u8] = include_bytes!("../../../networks/default.network");

impl Network {
    /// Returns the embedded network, which is decoded once. That it cannot overflow is known, and not checked again.
    pub fn embedded() -> Arc<Network> {
        static NETWORK: LazyLock<Arc<Network>> = LazyLock::new(|| match Network::decode(EMBEDDED) {
            Ok(network) => Arc::new(network),
            Err(error) => unreachable!("the embedded network: {error}"),
        });
        Arc::clone(&NETWORK)
    }

    /// Makes a network of weights with which no result could overflow. `note` describes its training.
    pub fn new(weights: &RawWeights, note: &str) -> Result<Network, NetworkError> {
        Network::unchecked(weights, note)?.checked()
    }

    /// Returns the network itself if no result can overflow.
    fn checked(self) -> Result<Network, NetworkError> {
        if self.overflowing_neurons().is_empty() && !self.outputs_may_overflow() {
            Ok(self)
        } else {
            Err(NetworkError::overflow())
        }
    }

    /// Makes a network like [`Network::new`], but halves the weights of the threats of a neuron until its sums cannot
    /// overflow. In training this keeps a network usable whose weights have grown too large.
    pub fn with_limited_threats(mut weights: RawWeights, note: &str) -> Result<Network, NetworkError> {
        for _ in 0..i16::BITS {
            let neurons = Network::unchecked(&weights, note)?.overflowing_neurons();
            for row in weights.input_weights.as_chunks_mut::<HIDDEN>().0.iter_mut().skip(PIECE_INPUTS) {
                neurons.iter().for_each(|&neuron| row[neuron] /= 2);
            }
            if neurons.is_empty() {
                break;
            }
        }
        Network::new(&weights, note)
    }

    fn unchecked(weights: &RawWeights, note: &str) -> Result<Network, NetworkError> {
        let rows = |flat| <[i16]>::as_chunks::<HIDDEN>(flat).0;
        let is_complete = weights.input_weights.len() == INPUTS * HIDDEN
            && weights.input_biases.len() == HIDDEN
            && weights.output_weights.len() == BUCKETS * 2 * HIDDEN;
        let output_biases = weights.output_biases.as_slice().try_into();
        let (true, Ok(output_biases)) = (is_complete, output_biases) else { return Err(NetworkError::shape()) };
        if note.len() > file::MAX_NOTE_BYTES {
            return Err(NetworkError::note());
        }
        Ok(Network {
            input_weights: rows(&weights.input_weights).iter().copied().map(Accumulator).collect(),
            input_biases: Accumulator(rows(&weights.input_biases)[0]),
            output_weights: rows(&weights.output_weights).as_chunks().0.to_vec(),
            output_biases,
            has_threats: weights.input_weights[PIECE_INPUTS * HIDDEN..].iter().any(|&weight| weight != 0),
            note: note.to_owned(),
        })
    }

    /// Returns all weights and biases as flat vectors.
    pub fn raw_weights(&self) -> RawWeights {
        RawWeights {
            input_weights: self.input_weights.iter().flat_map(|row| row.0).collect(),
            input_biases: self.input_biases.0.to_vec(),
            output_weights: self.output_weights.iter().flatten().flatten().copied().collect(),
            output_biases: self.output_biases.to_vec(),
        }
    }

    /// Tells whether some weight of a threat is not 0. Otherwise values depend on the pieces alone.
    #[inline(always)]
    pub fn has_threats(&self) -> bool {
        self.has_threats
    }

    /// Returns the description of its training.
    pub fn note(&self) -> &str {
        &self.note
    }

    /// Returns the neurons whose sums could overflow in some position with no more pieces of a kind than a game begins
    /// with, each of them attacked by every group that makes the sum larger.
    fn overflowing_neurons(&self) -> Vec<usize> {
        let bounds = [(1, i32::from(i16::MAX)), (-1, -i32::from(i16::MIN))];
        let sums = bounds.map(|(sign, bound)| (self.largest_sums(sign), bound));
        (0..HIDDEN).filter(|&neuron| sums.iter().any(|(sums, bound)| sums[neuron] > *bound)).collect()
    }

    fn outputs_may_overflow(&self) -> bool {
        self.output_weights.iter().flatten().any(|weights| {
            let sum: i64 = weights.iter().map(|&weight| i64::from(weight).abs()).sum();
            sum * i64::from(QN) > i64::from(i32::MAX)
        })
    }

    /// Returns a bound of `sign` times the sum of each neuron, over the positions of [`Network::overflowing_neurons`].
    fn largest_sums(&self, sign: i32) -> [i32; HIDDEN] {
        let mut bounds = self.input_biases.0.map(|bias| sign * i32::from(bias));
        for (piece, inputs) in Piece::ALL.into_iter().zip(feature::inputs_by_piece()) {
            // For each neuron the largest values of these pieces, the best in the first row.
            let mut largest = vec![[0; HIDDEN]; piece.kind().initial_count()];
            for input in inputs {
                let mut values = self.input_weights[input].0.map(|weight| sign * i32::from(weight));
                for group in 0..ATTACKER_GROUPS {
                    let threats = &self.input_weights[threat_input(input, group)].0;
                    values.iter_mut().zip(threats).for_each(|(value, &weight)| {
                        *value += (sign * i32::from(weight)).max(0);
                    });
                }
                for row in &mut largest {
                    for (place, value) in row.iter_mut().zip(&mut values) {
                        (*place, *value) = ((*place).max(*value), (*place).min(*value));
                    }
                }
            }
            for row in largest {
                bounds.iter_mut().zip(row).for_each(|(bound, value)| *bound += value);
            }
        }
        bounds
    }

    /// Returns the value of a position for its side to move, computed from scratch, in centipawns.
    pub fn evaluate(&self, position: &Position) -> Value {
        self.evaluate_with_isa(Isa::best(), position)
    }

    /// Returns the same value, computed with this instruction set.
    pub fn evaluate_with_isa(&self, isa: Isa, position: &Position) -> Value {
        let threats = self.has_threats.then(|| Threats::new(position));
        let accumulators = [position.side(), !position.side()].map(|side| {
            let mut accumulator = Accumulator::ZERO;
            let perspective = Perspective::from_position(side, position);
            self.accumulate(isa, perspective, position, threats.as_ref(), &mut accumulator);
            accumulator
        });
        self.value(isa, &accumulators[0], &accumulators[1], output_bucket(position))
    }

    /// Sets an accumulator to the biases plus the rows of a position's pieces and, if these have weight, its threats.
    fn accumulate(
        &self,
        isa: Isa,
        perspective: Perspective,
        position: &Position,
        threats: Option<&Threats>,
        accumulator: &mut Accumulator,
    ) {
        let mut inputs = ArrayVec::<u16, MAX_ACTIVE_INPUTS>::new();
        inputs.extend(position.pieces().map(|(piece, square)| perspective.feature(piece, square) as u16));
        if let Some(threats) = threats {
            threats.for_each(|square, group| {
                let attacked = position.piece_on(square);
                inputs.extend(attacked.map(|piece| perspective.threat(piece, square, group) as u16));
            });
        }
        kernel::add(isa, &self.input_biases, accumulator, &self.input_weights, &inputs);
    }

    /// Returns the value in centipawns for the accumulators of the side to move and of the other side.
    #[inline]
    fn value(&self, isa: Isa, own: &Accumulator, other: &Accumulator, bucket: usize) -> Value {
        let sum = kernel::output(isa, own, other, &self.output_weights[bucket]);
        let output = sum + i64::from(self.output_biases[bucket]);
        let value = output * i64::from(SCALE) / i64::from(QN * QB);
        clamp_evaluation(value.clamp(i64::from(Value::MIN), i64::from(Value::MAX)) as Value)
    }
}
