//! Training sample: a position with its labels in 32 bytes.
//!
//! | bytes | |
//! |---|---|
//! | 12 | occupied squares, one bit each from a0, b0, … to i9 |
//! | 16 | the pieces on them in that order, four bits each, the first in the low half: 0 to 6 for the mover's king, advisor, elephant, horse, rook, cannon, pawn; 7 to 13 for the opponent's |
//! | 2 | score in centipawns for the mover, little-endian |
//! | 1 | result for the mover in 1/200 of a win: 0 lost, 100 drawn, 200 won, others when smoothed |
//! | 1 | output bucket, plus 128 if the sample is held out for validation |
//!
//! The board is seen by the side to move. A position and its mirror image have the same canonical form, so that
//! positions the network cannot tell apart have the same first 28 bytes.

use crate::eval::network::{MAX_PIECES, output_bucket};
use crate::position::{Position, Strictness};
use crate::types::{Piece, PieceKind, Side, Square, Value};

/// Size of a sample in bytes.
pub const SAMPLE_BYTES: usize = 32;
/// Bytes of the board at the front.
pub const BOARD_BYTES: usize = 28;
/// Bytes of the occupancy mask.
const OCCUPANCY_BYTES: usize = 12;
/// Bit of the last byte that marks a validation sample.
const VALIDATION_BIT: u8 = 0x80;
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

/// Position with its score and the result of its game, plain or [smoothed](super::Smoothing).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Sample([u8; SAMPLE_BYTES]);

impl Sample {
    /// Creates the sample of a position with a score for the side to move and the points of the game for Red: 1, ½ or
    /// 0, or a number between them, which is rounded to 1/200. `None` when there are more than [`MAX_PIECES`] pieces.
    ///
    /// ```
    /// use chuhe::position::Position;
    /// use chuhe::lab::training::Sample;
    /// let position = Position::from_fen("3ak4/9/9/9/9/9/9/9/4A4/3RK4 w")?;
    /// let sample = Sample::new(&position, 120, 1.0).expect("there are few men");
    /// assert_eq!((sample.score(), sample.result()), (120, 1.0));
    /// assert_eq!(Sample::new(&position.mirrored(), 120, 1.0), Some(sample));
    /// assert_eq!(Sample::new(&position.colour_flipped(), 120, 0.0), Some(sample));
    /// # Ok::<(), chuhe::position::FenError>(())
    /// ```
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

    /// Iterator over the samples in a byte slice. A remainder at the end is ignored.
    pub fn parse_all(bytes: &[u8]) -> impl Iterator<Item = Sample> + '_ {
        bytes.as_chunks::<SAMPLE_BYTES>().0.iter().map(|&bytes| Sample(bytes))
    }

    /// Returns the encoded sample.
    pub fn bytes(&self) -> &[u8; SAMPLE_BYTES] {
        &self.0
    }

    /// Returns the bytes of the board.
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

    /// Output bucket.
    #[inline]
    pub fn bucket(&self) -> usize {
        usize::from(self.0[31] & !VALIDATION_BIT)
    }

    /// Returns whether the sample is held out for validation.
    pub fn is_validation(&self) -> bool {
        self.0[31] & VALIDATION_BIT != 0
    }

    /// Marks the sample as held out for validation, or not.
    pub fn with_validation(mut self, validation: bool) -> Sample {
        self.0[31] = self.0[31] & !VALIDATION_BIT | if validation { VALIDATION_BIT } else { 0 };
        self
    }

    /// Iterator over the pieces as pairs of code and square index, from a0 on; see [the format](self).
    #[inline(always)]
    pub(super) fn pieces(&self) -> impl Iterator<Item = (usize, usize)> {
        let (points, pieces) = self.0[..BOARD_BYTES].split_at(OCCUPANCY_BYTES);
        let mut bytes = [0; 16];
        bytes[..OCCUPANCY_BYTES].copy_from_slice(points);
        let mut points = u128::from_le_bytes(bytes);
        bytes.copy_from_slice(pieces);
        let mut pieces = u128::from_le_bytes(bytes);
        std::iter::from_fn(move || {
            let square = points.trailing_zeros() as usize;
            let code = (pieces & 15) as usize;
            pieces >>= 4;
            points &= points.wrapping_sub(1);
            (square < Square::COUNT).then_some((code, square))
        })
    }

    /// Returns the position with Red as the mover. `None` when the bytes hold no valid position.
    pub fn position(&self) -> Option<Position> {
        let mut board = [None; Square::COUNT];
        for (code, square) in self.pieces() {
            board[square] = Some(piece(code)?);
        }
        Position::from_board(|square| board[square.index()], Side::Red, Strictness::Lax).ok()
    }
}

/// Returns the piece with this code, Red as the mover.
pub(super) fn piece(code: usize) -> Option<Piece> {
    PIECES.get(code).copied()
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
pub(super) mod tests {
    use super::*;

    /// Positions of either side to move that need all combinations of perspectives.
    pub const KINGS_ON_ALL_FILES: [&str; 7] = [
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
            assert_eq!((sample.score(), sample.result(), sample.is_validation()), (-77, 0.5, false));
            assert_eq!(sample.bucket(), output_bucket(&position));
            let relative = if position.side() == Side::Red { position.clone() } else { position.colour_flipped() };
            let found = sample.position().unwrap();
            assert!(
                [&relative, &relative.mirrored()].iter().any(|form| form.key() == found.key()),
                "{fen} became {found}"
            );
            assert_eq!(Sample::new(&relative.mirrored(), -77, 0.5), Some(sample), "{fen}");
            let validation = sample.with_validation(true);
            assert!(
                validation.is_validation()
                    && validation.bucket() == sample.bucket()
                    && validation.with_validation(false) == sample
            );
            assert_eq!(Sample::parse_all(validation.bytes()).collect::<Vec<_>>(), [validation]);
        }
    }

    #[test]
    fn results_are_those_of_the_mover() {
        let red = Position::start();
        let mut black = Position::start();
        black.play(["h2e2"]).unwrap();
        let result = |position, points| Sample::new(position, 0, points).unwrap().result();
        assert_eq!([1.0, 0.5, 0.0].map(|points| result(&red, points)), [1.0, 0.5, 0.0]);
        assert_eq!([1.0, 0.5, 0.0].map(|points| result(&black, points)), [0.0, 0.5, 1.0]);
        assert_eq!([0.615, 0.6174].map(|points| result(&red, points)), [0.615; 2]);
        assert_eq!([0.615, 0.6126].map(|points| result(&black, points)), [0.385, 0.385]);
    }

    #[test]
    fn invalid_bytes_give_no_position() {
        let samples: Vec<Sample> = Sample::parse_all(&[0xFF; 3 * SAMPLE_BYTES + 5]).collect();
        assert_eq!(samples.len(), 3);
        assert!(samples[0].position().is_none() && Sample([0; SAMPLE_BYTES]).position().is_none());
        assert!(samples[0].pieces().count() <= Square::COUNT);
    }
}
