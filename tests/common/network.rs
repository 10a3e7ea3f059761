//! Network for tests whose expectations depend on values: material and simple piece-square tables. It never changes, so
//! that another network can be shipped without a change of these tests.

use std::sync::{Arc, LazyLock};

use chuhe::engine::Engine;
use chuhe::eval::network::{BUCKETS, HIDDEN, INPUTS, Network, Perspective, QA, QB, QN, RawWeights, SCALE};
use chuhe::tables::geometry::may_stand;
use chuhe::types::{Piece, PieceKind, Side, Square};

/// Neurons that add up to a linear function: one takes the sum, the other its negative, and the difference of the
/// squares of `BIAS + x` and `BIAS - x` is proportional to `x`.
const PAIRS: i32 = 10;
/// Bias of all neurons. Sums up to this size on either side are in the linear range.
const BIAS: i16 = (QA / 2) as i16;
/// Advantage of the side to move in centipawns.
pub const TEMPO: i32 = 10;

/// Value of a piece in centipawns by its square, seen from its own side, in round numbers.
fn value(kind: PieceKind, file: u8, rank: u8) -> i32 {
    let (centre, rank) = (4 - (i32::from(file) - 4).abs(), i32::from(rank));
    match kind {
        PieceKind::King => 0,
        PieceKind::Advisor => 200,
        PieceKind::Elephant => 200 + 3 * centre,
        PieceKind::Horse => 400 + 12 * centre + 8 * rank.min(7),
        PieceKind::Rook => 900 + 6 * centre + 3 * rank,
        PieceKind::Cannon => 450 + 8 * centre - 3 * rank,
        PieceKind::Pawn if rank < 5 => 80,
        PieceKind::Pawn => 150 + 15 * centre - if rank == 9 { 80 } else { 0 },
    }
}

/// The test network. Its value is that of the material, within a few centipawns.
pub fn test_network() -> Arc<Network> {
    static NETWORK: LazyLock<Arc<Network>> = LazyLock::new(|| Arc::new(built()));
    Arc::clone(&NETWORK)
}

/// A file of the test network, for programs; it is removed when this is dropped.
pub fn test_network_file() -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().expect("temporary files can be written");
    std::fs::write(file.path(), test_network().to_bytes()).expect("temporary files can be written");
    file
}

pub fn test_engine() -> Engine {
    test_engine_with(&[])
}

/// An engine with these options, by name and value.
pub fn test_engine_with(options: &[(&str, &str)]) -> Engine {
    let mut engine = Engine::with_hash(4).unwrap();
    engine.set_network(test_network()).unwrap();
    options.iter().for_each(|(name, value)| engine.set_option(name, value).unwrap());
    engine
}

fn built() -> Network {
    let red = Perspective::from_kings(Side::Red, "e0".parse().unwrap(), "e9".parse().unwrap());
    let mut input_weights = vec![0; INPUTS * HIDDEN];
    // Squares that a piece cannot reach share the input of another one, so the possible ones are written last.
    for is_possible in [false, true] {
        for piece in Piece::ALL {
            for square in (0..Square::COUNT).map(Square::from_index) {
                if may_stand(piece, square) != is_possible {
                    continue;
                }
                let own = if piece.side() == Side::Red { square } else { square.flipped() };
                let value = value(piece.kind(), own.file(), own.rank());
                let row = &mut input_weights[red.feature(piece, square) * HIDDEN..][..HIDDEN];
                for (pair, neurons) in row.as_chunks_mut::<2>().0.iter_mut().take(PAIRS as usize).enumerate() {
                    // Rounded differently in each pair, so that they add up to the value (Hermite's identity).
                    let part = (value + pair as i32).div_euclid(PAIRS) as i16;
                    let part = if piece.side() == Side::Red { part } else { -part };
                    neurons.copy_from_slice(&[part, -part]);
                }
            }
        }
    }
    // For a sum x in one pair both perspectives together give 4 · BIAS · x / 64 · 2 units of QN.
    let weight = (i64::from(QN * QB / SCALE) * 64 / (8 * i64::from(BIAS))) as i16;
    let mut output_weights = vec![0; BUCKETS * 2 * HIDDEN];
    for (index, row) in output_weights.as_chunks_mut::<HIDDEN>().0.iter_mut().enumerate() {
        let sign = if index % 2 == 0 { 1 } else { -1 };
        for neurons in row.as_chunks_mut::<2>().0.iter_mut().take(PAIRS as usize) {
            neurons.copy_from_slice(&[sign * weight, -sign * weight]);
        }
    }
    let weights = RawWeights {
        input_weights,
        input_biases: vec![BIAS; HIDDEN],
        output_weights,
        output_biases: vec![QN * QB / SCALE * TEMPO; BUCKETS],
    };
    Network::new(&weights, "test network: material and piece-square tables").unwrap()
}
