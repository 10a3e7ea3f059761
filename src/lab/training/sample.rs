//! Training sample: a position with its labels in 32 bytes.
//!
//! | bytes | |
//! |---|---|
//! | 12 | occupied squares, one bit each from a0, b0, … to i9 |
//! | 16 | the pieces on them in that order, four bits each, the first in the low half: 0 to 6 for the mover's king, advisor, elephant, horse, rook, cannon, pawn; 7 to 13 for the opponent's |
//! | 2 | score in centipawns for the mover, little-endian |
//! | 1 | result for the mover in 1/200 of a win: 0 lost, 100 drawn, 200 won, others when smoothed |
//! | 1 | output bucket |
//!
//! The board is seen by the side to move. A position and its mirror image have the same canonical form, so that
//! positions the network cannot tell apart have the same first 28 bytes.

use crate::eval::network::{
    ATTACKER_GROUPS, BUCKETS, INPUTS, MAX_PIECES, Perspective, PiecePlacement, Threats, output_bucket,
};
use crate::position::{Position, Strictness};
use crate::types::{Piece, PieceKind, Side, Square, SquareSet, Value};

/// Size of a sample in bytes.
pub const SAMPLE_BYTES: usize = 32;
/// Bytes of the board at the front.
pub const BOARD_BYTES: usize = 28;
/// Bytes of the occupancy mask.
const OCCUPANCY_BYTES: usize = 12;
/// Steps of the result from a loss to a win.
const RESULT_STEPS: u8 = 200;
/// Marks an empty square while a board is encoded.
const EMPTY: u8 = u8::MAX;
/// Pieces by code.
const PIECES: [Piece; 14] = {
    let mut pieces = [Piece::ALL[0]; 14];
    let mut kind = 0;
    while kind < PieceKind::COUNT {
        pieces[kind] = Piece::new(Side::Red, PieceKind::ALL[kind]);
        pieces[kind + PieceKind::COUNT] = Piece::new(Side::Black, PieceKind::ALL[kind]);
        kind += 1;
    }
    pieces
};

/// Position with its score and the result of its game, plain or smoothed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample([u8; SAMPLE_BYTES]);

impl Sample {
    /// Creates the sample of a position with a score for the side to move and the points of the game for Red: 1, ½ or
    /// 0, or a number between them, which is rounded to 1/200. `None` when there are more than [`MAX_PIECES`] pieces.
    pub fn new(position: &Position, score: Value, points: f64) -> Option<Sample> {
        let mover = position.side();
        let mut board = [EMPTY; Square::COUNT];
        let mut pieces = 0;
        for (piece, square) in position.pieces() {
            let square = if mover == Side::Red { square } else { square.flipped() };
            let own = if piece.side() == mover { 0 } else { PieceKind::COUNT };
            board[square.index()] = (piece.kind().index() + own) as u8;
            pieces += 1;
        }
        if pieces > MAX_PIECES {
            return None;
        }
        let middle = Square::FILES / 2;
        let files = [position.king(mover).file(), position.king(!mover).file()];
        let bytes = match files.into_iter().find(|&file| file != middle) {
            Some(file) if file > middle => board_bytes(&mirrored(&board)),
            Some(_) => board_bytes(&board),
            None => board_bytes(&board).min(board_bytes(&mirrored(&board))),
        };
        let mut sample = [0; SAMPLE_BYTES];
        sample[..BOARD_BYTES].copy_from_slice(&bytes);
        let score = score.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        sample[BOARD_BYTES..30].copy_from_slice(&score.to_le_bytes());
        let points = if mover == Side::Red { points } else { 1.0 - points };
        sample[30] = (f64::from(RESULT_STEPS) * points).round() as u8;
        sample[31] = output_bucket(position) as u8;
        Some(Sample(sample))
    }

    pub fn board(&self) -> [u8; BOARD_BYTES] {
        let mut board = [0; BOARD_BYTES];
        board.copy_from_slice(&self.0[..BOARD_BYTES]);
        board
    }

    /// Search score in centipawns for the mover.
    #[inline]
    pub fn score(&self) -> i16 {
        i16::from_le_bytes([self.0[28], self.0[29]])
    }

    /// Points of the game for the mover, from 0 to 1.
    #[inline]
    pub fn result(&self) -> f32 {
        f32::from(self.0[30].min(RESULT_STEPS)) / f32::from(RESULT_STEPS)
    }

    #[inline]
    pub fn bucket(&self) -> usize {
        usize::from(self.0[31])
    }

    /// Iterator over the pieces from a0 on, Red as the mover.
    #[inline(always)]
    fn pieces(&self) -> impl Iterator<Item = (Piece, Square)> {
        let (points, pieces) = self.0[..BOARD_BYTES].split_at(OCCUPANCY_BYTES);
        let mut bytes = [0; 16];
        bytes[..OCCUPANCY_BYTES].copy_from_slice(points);
        let mut points = u128::from_le_bytes(bytes);
        bytes.copy_from_slice(pieces);
        let mut pieces = u128::from_le_bytes(bytes);
        let codes = std::iter::from_fn(move || {
            let square = points.trailing_zeros() as usize;
            let code = (pieces & 15) as usize;
            pieces >>= 4;
            points &= points.wrapping_sub(1);
            (square < Square::COUNT).then_some((code, square))
        });
        codes.take(MAX_PIECES).filter_map(|(code, square)| Some((*PIECES.get(code)?, Square::from_index(square))))
    }

    /// Returns the position with Red as the mover. `None` when the bytes hold no valid position.
    pub fn position(&self) -> Option<Position> {
        let mut board = [None; Square::COUNT];
        self.pieces().for_each(|(piece, square)| board[square.index()] = Some(piece));
        Position::from_board(|square| board[square.index()], Side::Red, Strictness::Lax).ok()
    }

    /// Finds the features of the sample. With both kings on the central file `turn` selects the mirrored orientation.
    #[inline(always)]
    pub(super) fn find_inputs(&self, turn: bool, inputs: &mut Inputs) {
        let board = Board::new(self.pieces());
        let [own, enemy] = Side::BOTH.map(|side| board.king(side));
        let is_even = [own, enemy].iter().all(|king| king.file() == Square::FILES / 2);
        let views = [Perspective::from_kings(Side::Red, own, enemy), Perspective::from_kings(Side::Black, enemy, own)];
        let views = if is_even && turn { views.map(Perspective::mirrored) } else { views };
        let mut count = 0;
        for (piece, square) in self.pieces() {
            inputs.pairs[count] = views.map(|view| view.feature(piece, square) as u16);
            count += 1;
        }
        Threats::new(&board).for_each(|square, group| {
            let piece = board.pieces[square.index()];
            // The bound always holds: only one side can attack a piece.
            if let Some(pair) = inputs.pairs.get_mut(count) {
                *pair = views.map(|view| view.threat(piece, square, group) as u16);
                count += 1;
            }
        });
        inputs.count = count;
        inputs.bucket = self.bucket().min(BUCKETS - 1);
    }
}

/// Maximum number of features of a sample.
const MAX_SAMPLE_INPUTS: usize = MAX_PIECES * (1 + ATTACKER_GROUPS);
const _: () = assert!(INPUTS <= u16::MAX as usize);

/// Features of a sample in both perspectives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inputs {
    pub count: usize,
    /// Features in the mover's and the opponent's perspective: pieces, then threats.
    pub pairs: [[u16; 2]; MAX_SAMPLE_INPUTS],
    pub bucket: usize,
}

impl Inputs {
    pub const NONE: Inputs = Inputs { count: 0, pairs: [[0; 2]; MAX_SAMPLE_INPUTS], bucket: 0 };
}

/// Pieces of a sample as threats need them. A [`Position`], with its checks and keys, would slow training down by a
/// fifth.
struct Board {
    squares: [[Square; MAX_PIECES]; Piece::TABLE_SIZE],
    counts: [usize; Piece::TABLE_SIZE],
    occupied: [SquareSet; 2],
    ranks: [u16; Square::RANKS as usize],
    files: [u16; Square::FILES as usize],
    /// Piece on each occupied square.
    pieces: [Piece; Square::COUNT],
}

impl Board {
    #[inline(always)]
    fn new(pieces: impl Iterator<Item = (Piece, Square)>) -> Board {
        let mut board = Board {
            squares: [[Square::from_raw(0); MAX_PIECES]; Piece::TABLE_SIZE],
            counts: [0; Piece::TABLE_SIZE],
            occupied: [SquareSet::EMPTY; 2],
            ranks: [0; Square::RANKS as usize],
            files: [0; Square::FILES as usize],
            pieces: [Piece::ALL[0]; Square::COUNT],
        };
        for (piece, square) in pieces {
            let count = &mut board.counts[piece.index()];
            board.squares[piece.index()][*count % MAX_PIECES] = square;
            *count += 1;
            board.occupied[piece.side().index()].insert(square);
            board.ranks[usize::from(square.rank())] |= 1 << square.file();
            board.files[usize::from(square.file())] |= 1 << square.rank();
            board.pieces[square.index()] = piece;
        }
        board
    }

    /// Returns the square of a king, or any square without one.
    fn king(&self, side: Side) -> Square {
        self.squares[Piece::new(side, PieceKind::King).index()][0]
    }
}

impl PiecePlacement for Board {
    #[inline(always)]
    fn squares(&self, piece: Piece) -> &[Square] {
        &self.squares[piece.index()][..self.counts[piece.index()].min(MAX_PIECES)]
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

fn mirrored(board: &[u8; Square::COUNT]) -> [u8; Square::COUNT] {
    let mut mirrored = *board;
    mirrored.chunks_mut(usize::from(Square::FILES)).for_each(<[u8]>::reverse);
    mirrored
}

fn board_bytes(board: &[u8; Square::COUNT]) -> [u8; BOARD_BYTES] {
    let (mut points, mut pieces, mut shift) = (0_u128, 0_u128, 0);
    for (square, &code) in board.iter().enumerate() {
        if code != EMPTY {
            points |= 1 << square;
            pieces |= u128::from(code) << shift;
            shift += 4;
        }
    }
    let mut bytes = [0; BOARD_BYTES];
    bytes[..OCCUPANCY_BYTES].copy_from_slice(&points.to_le_bytes()[..OCCUPANCY_BYTES]);
    bytes[OCCUPANCY_BYTES..].copy_from_slice(&pieces.to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions of either side to move that need all combinations of perspectives.
    const KINGS_ON_ALL_FILES: [&str; 7] = [
        crate::position::START_FEN,
        "3a5/4k4/9/9/9/2n6/9/9/4A4/3K3R1 b",
        "5a3/4k4/9/9/9/2n6/9/9/4A4/4K2R1 b",
        "4ka3/9/9/9/9/2n6/9/9/4A4/4K2R1 w",
        "3k5/9/4C4/9/9/2n6/9/9/4A4/5K3 w",
        "5k3/9/4C4/9/9/2n6/9/9/4A4/3K5 b",
        "3a5/4k4/9/9/9/2n6/9/9/4A4/5K1R1 b",
    ];

    #[test]
    fn samples_hold_the_position_from_the_movers_side() {
        for fen in KINGS_ON_ALL_FILES {
            let position = Position::from_fen(fen).unwrap();
            let sample = Sample::new(&position, -77, 0.5).unwrap();
            assert_eq!((sample.score(), sample.result()), (-77, 0.5));
            assert_eq!(sample.bucket(), output_bucket(&position));
            let relative = if position.side() == Side::Red { position.clone() } else { position.colour_flipped() };
            let found = sample.position().unwrap();
            assert!([&relative, &relative.mirrored()].iter().any(|form| form.key() == found.key()), "{fen}: {found}");
            assert_eq!(Sample::new(&relative.mirrored(), -77, 0.5), Some(sample), "{fen}");
            let [won, lost] = [1.0, 0.0].map(|points| Sample::new(&position, 0, points).unwrap().result());
            assert_eq!([won, lost], if position.side() == Side::Red { [1.0, 0.0] } else { [0.0, 1.0] });
            assert_eq!(Sample::new(&relative, 0, 0.6174).unwrap().result(), 0.615);
        }
    }

    #[test]
    fn samples_set_the_inputs_that_the_network_sees() {
        let seen = |position: &Position, side| {
            let view = Perspective::from_position(side, position);
            let mut seen: Vec<usize> = position.pieces().map(|(piece, square)| view.feature(piece, square)).collect();
            Threats::new(position).for_each(|square, group| {
                seen.push(view.threat(position.piece_on(square).unwrap(), square, group));
            });
            seen.sort_unstable();
            seen
        };
        let both = |position: &Position| [position.side(), !position.side()].map(|side| seen(position, side));
        for fen in KINGS_ON_ALL_FILES {
            let position = Position::from_fen(fen).unwrap();
            let sample = Sample::new(&position, 0, 0.5).unwrap();
            let mut found = [false, true].map(|turn| {
                let mut inputs = Inputs::NONE;
                sample.find_inputs(turn, &mut inputs);
                [0, 1].map(|view| {
                    let pairs = inputs.pairs[..inputs.count].iter();
                    let mut found: Vec<usize> = pairs.map(|pair| usize::from(pair[view])).collect();
                    found.sort_unstable();
                    found
                })
            });
            let mut expected = [both(&position), both(&position.mirrored())];
            expected.sort();
            found.sort();
            assert_eq!(found, expected, "{fen}");
        }
    }
}
