//! What a quiet position is worth, as a small neural network tells that learned it from games.
//!
//! Each side's [`Perspective`] of the position sets some of [`INPUTS`] inputs, one for each man. The rows of weights that belong
//! to them add up to [`HIDDEN`] sums for each view; clamped to 0–1 and squared (SCReLU), those of the side to move and
//! then those of the other side are weighed and summed once more, by weights that depend on how many attackers are left
//! ([`output_bucket`]). All of that is done in integers:
//!
//! - sums: `s = b₁ + Σ w₁`, 16 bits, where [`QA`] stands for 1;
//! - neurons: `n = clamp(s, 0, QA)² / 64`, rounded down, where [`QN`] stands for 1;
//! - output: `o = b₂ + Σ n·w₂`, 32 bits for the sum of each view, where `QN` · [`QB`] stands for 1;
//! - value: `o · SCALE / (QN · QB)`, rounded towards 0, in centipawns for the side to move.
//!
//! The units are as large as 16 bits allow: of coarser ones, such as 255 and 64, rounding alone moves values by 16
//! centipawns.
//!
//! A network is refused when its numbers could overflow ([`NetworkError`]), so the result does not depend on the order
//! of additions and is the same on every machine. [`AccumulatorStack`] follow the moves, so that a move costs two or three
//! rows instead of all. The shape is that of the smallest useful networks of other engines ("perspective network");
//! wider ones need other constants here and nothing else.

mod accumulator;
mod feature;
mod file;
mod kernel;
#[cfg(test)]
mod tests;

pub use accumulator::AccumulatorStack;
pub use feature::Perspective;
pub use file::{ARCHITECTURE, MAGIC, MAX_NOTE_BYTES, NetworkError, VERSION};
pub use kernel::Accumulator;

use std::sync::{Arc, LazyLock};

use arrayvec::ArrayVec;

use crate::position::Position;
use crate::types::score::clamp_evaluation;
use crate::types::{Piece, PieceKind, Side, Square, Value};
use crate::util::simd::Isa;

/// How many inputs a view has.
pub const INPUTS: usize = 689;
/// How many neurons a view has.
pub const HIDDEN: usize = 256;
/// How many sets of output weights there are.
pub const BUCKETS: usize = 8;

/// What stands for 1 in sums and in the weights and biases they are made of.
pub const QA: i32 = 1016;
/// What stands for 1 in neurons: a 64th of the square of [`QA`].
pub const QN: i32 = 127 * 127;
/// What stands for 1 in output weights; output biases are in units of [`QN`] · `QB`.
pub const QB: i32 = 512;
/// What an output of 1 is worth, in centipawns.
pub const SCALE: i32 = 400;

/// Weights and biases within ± this, where 1 is what a unit stands for, are sure not to make sums overflow.
pub const MAX_WEIGHT: f32 = 0.97;
/// Output weights within ± this are sure not to make outputs overflow.
pub const MAX_OUTPUT_WEIGHT: f32 = 1.0;
const _: () = assert!(MAX_OUTPUT_WEIGHT * (HIDDEN as i32 * QB) as f32 * QN as f32 <= i32::MAX as f32);
/// How many men a position has whose sums are sure not to overflow. Only composed problems have more.
pub const MAX_PIECES: usize = 32;
const _: () = assert!((MAX_PIECES + 1) as f32 * (MAX_WEIGHT * QA as f32 + 1.0) < i16::MAX as f32);

/// Which set of output weights judges a position, by the attackers of both sides: a rook counts 2, a horse or cannon 1,
/// and every two make one more. 0 to [`BUCKETS`] − 1.
#[inline]
pub fn output_bucket(position: &Position) -> usize {
    let count = |kind| position.count(Piece::new(Side::Red, kind)) + position.count(Piece::new(Side::Black, kind));
    let attackers = 2 * count(PieceKind::Rook) + count(PieceKind::Horse) + count(PieceKind::Cannon);
    (attackers / 2).min(BUCKETS - 1)
}

/// The numbers of a network. See [`Network::from_bytes`] for where they come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Network {
    /// What each input adds to the sums.
    input_weights: Vec<Accumulator>,
    input_biases: Accumulator,
    /// For each bucket, what the neurons of the side to move and of the other side count.
    output_weights: Vec<[[i16; HIDDEN]; 2]>,
    output_biases: [i32; BUCKETS],
    note: String,
}

/// Loose numbers of a network that is to be made.
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

/// The file of the network that the program brings along.
static EMBEDDED: &[u8] = include_bytes!("../../../networks/default.network");

impl Network {
    /// The network that the program brings along. Made from its file once.
    pub fn embedded() -> Arc<Network> {
        static NETWORK: LazyLock<Arc<Network>> = LazyLock::new(|| match Network::from_bytes(EMBEDDED) {
            Ok(network) => Arc::new(network),
            Err(error) => unreachable!("the network of the program: {error}"),
        });
        Arc::clone(&NETWORK)
    }

    /// A network of these numbers. `note` tells how it was trained.
    ///
    /// # Errors
    /// [`NetworkError::Shape`] when there are too few or too many numbers, [`NetworkError::Overflow`] when results
    /// could overflow, and [`NetworkError::Note`] when the note is too long.
    pub fn new(numbers: &RawWeights, note: &str) -> Result<Network, NetworkError> {
        let rows = |flat: &[i16]| -> Vec<[i16; HIDDEN]> {
            flat.chunks_exact(HIDDEN).map(|row| std::array::from_fn(|neuron| row[neuron])).collect()
        };
        let is_whole = numbers.input_weights.len() == INPUTS * HIDDEN
            && numbers.input_biases.len() == HIDDEN
            && numbers.output_weights.len() == BUCKETS * 2 * HIDDEN;
        let output_biases = numbers.output_biases.as_slice().try_into();
        let (true, Ok(output_biases)) = (is_whole, output_biases) else { return Err(NetworkError::Shape) };
        if note.len() > MAX_NOTE_BYTES {
            return Err(NetworkError::Note);
        }
        let network = Network {
            input_weights: rows(&numbers.input_weights).into_iter().map(Accumulator).collect(),
            input_biases: Accumulator(rows(&numbers.input_biases)[0]),
            output_weights: rows(&numbers.output_weights).chunks_exact(2).map(|two| [two[0], two[1]]).collect(),
            output_biases,
            note: note.to_owned(),
        };
        if network.may_overflow() { Err(NetworkError::Overflow) } else { Ok(network) }
    }

    /// Its numbers.
    pub fn raw_weights(&self) -> RawWeights {
        RawWeights {
            input_weights: self.input_weights.iter().flat_map(|row| row.0).collect(),
            input_biases: self.input_biases.0.to_vec(),
            output_weights: self.output_weights.iter().flatten().flatten().copied().collect(),
            output_biases: self.output_biases.to_vec(),
        }
    }

    /// What is said of its training.
    pub fn note(&self) -> &str {
        &self.note
    }

    /// Whether some position of [`MAX_PIECES`] men could make sums or outputs overflow.
    fn may_overflow(&self) -> bool {
        let sums_overflow = (0..HIDDEN).any(|neuron| {
            let mut weights: Vec<i64> = self.input_weights.iter().map(|row| i64::from(row.0[neuron])).collect();
            weights.sort_unstable();
            let bias = i64::from(self.input_biases.0[neuron]);
            let least = bias + weights[..MAX_PIECES].iter().map(|&weight| weight.min(0)).sum::<i64>();
            let most = bias + weights[INPUTS - MAX_PIECES..].iter().map(|&weight| weight.max(0)).sum::<i64>();
            least < i64::from(i16::MIN) || most > i64::from(i16::MAX)
        });
        let outputs_overflow = self.output_weights.iter().flatten().any(|weights| {
            let sum: i64 = weights.iter().map(|&weight| i64::from(weight).abs()).sum();
            sum * i64::from(QN) > i64::from(i32::MAX)
        });
        sums_overflow || outputs_overflow
    }

    /// The value of a position for its side to move, everything summed anew, in centipawns.
    pub fn evaluate(&self, position: &Position) -> Value {
        self.evaluate_with_isa(Isa::best(), position)
    }

    /// The same with these vector instructions.
    pub fn evaluate_with_isa(&self, path: Isa, position: &Position) -> Value {
        let sums = [position.side(), !position.side()].map(|side| {
            let mut sums = Accumulator::ZERO;
            self.sum_up(path, Perspective::from_position(side, position).features(position), &mut sums);
            sums
        });
        self.value(path, &sums[0], &sums[1], output_bucket(position))
    }

    /// What these inputs add up to.
    fn sum_up(&self, path: Isa, inputs: impl Iterator<Item = usize>, sums: &mut Accumulator) {
        let inputs: ArrayVec<u16, { Square::COUNT }> = inputs.map(|input| input as u16).collect();
        kernel::add(path, &self.input_biases, sums, &self.input_weights, &inputs);
    }

    /// The value when the inputs of the side to move and of the other add up to that.
    #[inline]
    fn value(&self, path: Isa, own: &Accumulator, other: &Accumulator, bucket: usize) -> Value {
        let sum = kernel::output(path, own, other, &self.output_weights[bucket]);
        let output = sum + i64::from(self.output_biases[bucket]);
        let value = output * i64::from(SCALE) / i64::from(QN * QB);
        clamp_evaluation(value.clamp(i64::from(Value::MIN), i64::from(Value::MAX)) as Value)
    }
}
