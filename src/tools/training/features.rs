//! Input features of a sample, looked up in tables built from the definition in [`crate::eval::network`].

use super::sample::{Sample, piece};
use crate::eval::network::{BUCKETS, INPUTS, MAX_PIECES, Perspective};
use crate::types::{PieceKind, Side, Square};

/// Piece codes, rounded up to a power of two.
const CODES: usize = 16;
/// Squares, rounded up for bounds-free indexing.
const SQUARES: usize = 96;
/// Piece code of the enemy king.
const ENEMY_KING: usize = PieceKind::COUNT;
/// Number of files of the board.
const FILES: usize = Square::FILES as usize;

/// Feature of every piece on every square.
type Table = [[u16; SQUARES]; CODES];

/// Features of a sample in both perspectives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inputs {
    /// Number of pieces.
    pub count: usize,
    /// Features in the mover's and the opponent's perspective, piece by piece.
    pub pairs: [[u16; 2]; MAX_PIECES],
    /// Output bucket.
    pub bucket: usize,
}

impl Inputs {
    /// Empty list.
    pub const NONE: Inputs = Inputs { count: 0, pairs: [[0; 2]; MAX_PIECES], bucket: 0 };
}

/// Feature extraction.
#[derive(Clone, Debug)]
pub(super) struct Features {
    /// Feature tables of the mover's and the opponent's perspective, plain and mirrored.
    tables: [[Box<Table>; 2]; 2],
    /// `true` if each perspective is mirrored, by the files of the mover's king and the enemy king.
    is_mirrored: [[[bool; 2]; FILES]; FILES],
}

impl Features {
    /// Builds the tables from [`Perspective`].
    pub fn new() -> Features {
        let [own_king, enemy_king] = [0, Square::RANKS - 1].map(|rank| move |file| Square::new(file, rank));
        let view = |side, own: u8, enemy: u8| match side {
            Side::Red => Perspective::from_kings(Side::Red, own_king(own), enemy_king(enemy)),
            Side::Black => Perspective::from_kings(Side::Black, enemy_king(enemy), own_king(own)),
        };
        let table = |side: Side, mirrored: bool| {
            let plain = view(side, 3, 3);
            let view = if mirrored { plain.mirrored() } else { plain };
            let mut table = Box::new([[0; SQUARES]; CODES]);
            for (code, inputs) in table.iter_mut().enumerate() {
                let Some(piece) = piece(code) else { continue };
                for square in Square::all() {
                    inputs[square.index()] = view.feature(piece, square) as u16;
                }
            }
            table
        };
        let tables = [Side::Red, Side::Black].map(|side| [table(side, false), table(side, true)]);
        let is_mirrored = std::array::from_fn(|own| {
            std::array::from_fn(|enemy| {
                [Side::Red, Side::Black].map(|side| view(side, own as u8, enemy as u8).is_mirrored())
            })
        });
        Features { tables, is_mirrored }
    }

    /// Finds the features of a sample. With both kings on the central file both orientations are valid, and `turn`
    /// selects the mirrored one.
    #[inline(always)]
    pub fn find(&self, sample: &Sample, turn: bool, inputs: &mut Inputs) {
        let (mut own_file, mut enemy_file, mut count) = (0, 0, 0);
        let mut pieces = [(0, 0); MAX_PIECES];
        for ((code, square), place) in sample.pieces().zip(&mut pieces) {
            *place = (code, square);
            count += 1;
            match code {
                0 => own_file = square % FILES,
                ENEMY_KING => enemy_file = square % FILES,
                _ => {}
            }
        }
        let is_even = own_file == FILES / 2 && enemy_file == FILES / 2;
        let views = self.is_mirrored[own_file][enemy_file].map(|mirrored| mirrored ^ (is_even && turn));
        let [own, enemy] = [0, 1].map(|view| &*self.tables[view][usize::from(views[view])]);
        for (pair, (code, square)) in inputs.pairs.iter_mut().zip(&pieces[..count]) {
            *pair = [own[code % CODES][*square], enemy[code % CODES][*square]];
        }
        inputs.count = count;
        inputs.bucket = sample.bucket().min(BUCKETS - 1);
    }
}

const _: () = assert!(INPUTS <= u16::MAX as usize && SQUARES >= Square::COUNT);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::tools::training::sample::tests::KINGS_ON_ALL_FILES;

    #[test]
    fn samples_set_the_inputs_that_the_network_sees() {
        let features = Features::new();
        for fen in KINGS_ON_ALL_FILES {
            let position = Position::from_fen(fen).unwrap();
            let sample = Sample::new(&position, 0, 0.5).unwrap();
            let seen = |position: &Position, side| {
                let mut seen: Vec<usize> = Perspective::from_position(side, position).features(position).collect();
                seen.sort_unstable();
                seen
            };
            let both = |position: &Position| [position.side(), !position.side()].map(|side| seen(position, side));
            let found = [false, true].map(|turn| {
                let mut inputs = Inputs::NONE;
                features.find(&sample, turn, &mut inputs);
                [0, 1].map(|view| {
                    let mut found: Vec<usize> =
                        inputs.pairs[..inputs.count].iter().map(|pair| usize::from(pair[view])).collect();
                    found.sort_unstable();
                    found
                })
            });
            let mut expected = [both(&position), both(&position.mirrored())];
            let mut found_sorted = found;
            expected.sort();
            found_sorted.sort();
            assert_eq!(found_sorted, expected, "{fen}");
        }
    }
}
