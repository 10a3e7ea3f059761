//! Input features of a sample, looked up in tables built from the definition in [`crate::eval::network`].

use super::sample::{Sample, piece};
use crate::eval::network::{
    ATTACKER_GROUPS, BUCKETS, INPUTS, MAX_PIECES, Perspective, PiecePlacement, Threats, threat_input,
};
use crate::types::{Piece, PieceKind, Side, Square, SquareSet};

/// Piece codes, rounded up to a power of two.
const CODES: usize = 16;
/// Squares, rounded up for bounds-free indexing.
const SQUARES: usize = 96;
/// Piece code of the enemy king.
const ENEMY_KING: usize = PieceKind::COUNT;
/// Number of files of the board.
const FILES: usize = Square::FILES as usize;

/// Maximum number of features of a sample.
const MAX_SAMPLE_INPUTS: usize = MAX_PIECES * (1 + ATTACKER_GROUPS);

/// Feature of every piece on every square.
type Table = [[u16; SQUARES]; CODES];

/// Features of a sample in both perspectives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inputs {
    /// Number of features.
    pub count: usize,
    /// Features in the mover's and the opponent's perspective: pieces, then threats.
    pub pairs: [[u16; 2]; MAX_SAMPLE_INPUTS],
    /// Output bucket.
    pub bucket: usize,
}

impl Inputs {
    /// Empty list.
    pub const NONE: Inputs = Inputs { count: 0, pairs: [[0; 2]; MAX_SAMPLE_INPUTS], bucket: 0 };
}

/// Pieces of a sample, by kind and by line.
struct Board {
    squares: [[Square; MAX_PIECES]; CODES],
    counts: [usize; CODES],
    /// Mover's and opponent's squares.
    occupied: [SquareSet; 2],
    ranks: [u16; Square::RANKS as usize],
    files: [u16; FILES],
    /// Code of the piece on each occupied square.
    codes: [u8; SQUARES],
}

impl Board {
    fn new(pieces: &[(usize, usize)]) -> Board {
        let mut board = Board {
            squares: [[Square::from_raw(0); MAX_PIECES]; CODES],
            counts: [0; CODES],
            occupied: [SquareSet::EMPTY; 2],
            ranks: [0; Square::RANKS as usize],
            files: [0; FILES],
            codes: [0; SQUARES],
        };
        for &(code, index) in pieces {
            let (square, code) = (Square::from_index(index), code % CODES);
            board.squares[code][board.counts[code] % MAX_PIECES] = square;
            board.counts[code] += 1;
            board.occupied[usize::from(code >= ENEMY_KING)].insert(square);
            board.ranks[index / FILES] |= 1 << (index % FILES);
            board.files[index % FILES] |= 1 << (index / FILES);
            board.codes[index] = code as u8;
        }
        board
    }
}

impl PiecePlacement for Board {
    #[inline(always)]
    fn squares(&self, piece: Piece) -> &[Square] {
        let code = piece.kind().index() + piece.side().index() * ENEMY_KING;
        &self.squares[code][..self.counts[code].min(MAX_PIECES)]
    }

    #[inline(always)]
    fn rank_occupancy(&self, square: Square) -> u16 {
        self.ranks[usize::from(square.rank())]
    }

    #[inline(always)]
    fn file_occupancy(&self, square: Square) -> u16 {
        self.files[usize::from(square.file())]
    }

    #[inline(always)]
    fn occupied_by(&self, side: Side) -> SquareSet {
        self.occupied[side.index()]
    }
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
        let board = Board::new(&pieces[..count]);
        Threats::new(&board).for_each(|square, group| {
            let square = square.index();
            let code = usize::from(board.codes[square]) % CODES;
            let threat = |table: &Table| threat_input(usize::from(table[code][square]), group) as u16;
            // The bound always holds: only one side can attack a piece.
            if let Some(pair) = inputs.pairs.get_mut(count) {
                *pair = [threat(own), threat(enemy)];
                count += 1;
            }
        });
        inputs.count = count;
        inputs.bucket = sample.bucket().min(BUCKETS - 1);
    }
}

const _: () = assert!(INPUTS <= u16::MAX as usize && SQUARES >= Square::COUNT);

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::eval::network::PIECE_INPUTS;
    use crate::eval::network::tests::attacking_groups;
    use crate::lab::training::sample::SAMPLE_BYTES;
    use crate::lab::training::sample::tests::KINGS_ON_ALL_FILES;
    use crate::position::Position;

    #[test]
    fn samples_set_the_inputs_that_the_network_sees() {
        let features = Features::new();
        for fen in KINGS_ON_ALL_FILES {
            let position = Position::from_fen(fen).unwrap();
            let sample = Sample::new(&position, 0, 0.5).unwrap();
            let seen = |position: &Position, side| {
                let view = Perspective::from_position(side, position);
                let pieces = position.pieces().map(|(piece, square)| view.feature(piece, square));
                let mut seen: Vec<usize> = pieces.collect();
                Threats::new(position).for_each(|square, group| {
                    seen.push(view.threat(position.piece_on(square).unwrap(), square, group));
                });
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

    #[test]
    fn threats_of_random_games_are_the_attacks_of_enemies() {
        let features = Features::new();
        let mut rng = ChaCha8Rng::seed_from_u64(14);
        let mut position = Position::start();
        let mut seen = [0; ATTACKER_GROUPS];
        for _ in 0..2_000 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                position = Position::start();
                continue;
            }
            position.make(moves[rng.random_range(0..moves.len())]);
            let sample = Sample::new(&position, 0, 0.5).unwrap();
            let shown = sample.position().unwrap();
            let mut inputs = Inputs::NONE;
            features.find(&sample, false, &mut inputs);
            let mut found: Vec<[u16; 2]> = inputs.pairs[..inputs.count].to_vec();
            found.retain(|pair| usize::from(pair[0]) >= PIECE_INPUTS);
            let views = [Side::Red, Side::Black].map(|side| Perspective::from_position(side, &shown));
            let mut expected: Vec<[u16; 2]> = Vec::new();
            for (piece, square) in shown.pieces() {
                for group in attacking_groups(&shown, piece, square) {
                    seen[group - 1] += 1;
                    expected.push(views.map(|view| (view.feature(piece, square) + PIECE_INPUTS * group) as u16));
                }
            }
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{shown}");
        }
        assert!(seen.iter().all(|&count| count > 10), "{seen:?}");
    }

    #[test]
    fn samples_of_any_bytes_set_valid_inputs() {
        let features = Features::new();
        let mut rng = ChaCha8Rng::seed_from_u64(15);
        for number in 0..2_000 {
            let bytes: [u8; SAMPLE_BYTES] =
                std::array::from_fn(|_| if number == 0 { 0xFF } else { rng.random_range(0..=255) });
            let sample = Sample::parse_all(&bytes).next().unwrap();
            for turn in [false, true] {
                let mut inputs = Inputs::NONE;
                features.find(&sample, turn, &mut inputs);
                let pairs = &inputs.pairs[..inputs.count];
                assert!(pairs.iter().flatten().all(|&input| usize::from(input) < INPUTS));
                assert!(inputs.bucket < BUCKETS);
            }
        }
    }
}
