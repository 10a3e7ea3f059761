//! A position to learn from in 32 bytes.
//!
//! | bytes | |
//! |---|---|
//! | 12 | the occupied points, one bit each from a0, b0, … to i9 |
//! | 16 | the men on them in that order, four bits each, the first one in the low half: 0 to 6 the mover's king, advisor, elephant, horse, rook, cannon, pawn; 7 to 13 those of the other side |
//! | 2 | the score, in centipawns for the mover, low byte first |
//! | 1 | the result for the mover: 0 lost, 1 drawn, 2 won |
//! | 1 | the set of output weights that judges it, and 128 if it is put aside for validation |
//!
//! The mover looks up the board. Of a position and its mirror image only one form is ever made, so that what a network
//! cannot tell apart has the same 28 bytes at the front.

use crate::eval::network::{MAX_PIECES, output_bucket};
use crate::position::{Position, Strictness};
use crate::types::{Piece, PieceKind, Side, Square, Value};

/// How many bytes a sample has.
pub const SAMPLE_BYTES: usize = 32;
/// How many of them tell where the men stand.
pub const BOARD_BYTES: usize = 28;
/// The bytes of the points.
const POINT_BYTES: usize = 12;
/// The bit of the last byte that puts a sample aside.
const ASIDE: u8 = 0x80;
/// What stands on an empty point while a board is written.
const EMPTY: u8 = u8::MAX;
/// The men by their codes.
const MEN: [Piece; 14] = {
    let mut men = [Piece::ALL[0]; 14];
    let mut kind = 0;
    while kind < PieceKind::COUNT {
        men[kind] = Piece::new(Side::Red, PieceKind::ALL[kind]);
        men[kind + PieceKind::COUNT] = Piece::new(Side::Black, PieceKind::ALL[kind]);
        kind += 1;
    }
    men
};

/// A position with what is known of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Sample([u8; SAMPLE_BYTES]);

impl Sample {
    /// The sample of a position with a score for its side to move and with what the game was worth for Red in the end
    /// (1, ½ or 0). `None` when there are more than [`MAX_PIECES`] men.
    ///
    /// ```
    /// use chuhe::position::Position;
    /// use chuhe::tools::training::Sample;
    /// let position = Position::from_fen("3ak4/9/9/9/9/9/9/9/4A4/3RK4 w")?;
    /// let sample = Sample::of(&position, 120, 1.0).expect("there are few men");
    /// assert_eq!((sample.score(), sample.result()), (120, 1.0));
    /// assert_eq!(Sample::of(&position.mirrored(), 120, 1.0), Some(sample));
    /// assert_eq!(Sample::of(&position.colour_flipped(), 120, 0.0), Some(sample));
    /// # Ok::<(), chuhe::position::FenError>(())
    /// ```
    pub fn of(position: &Position, score: Value, points: f64) -> Option<Sample> {
        let mover = position.side();
        let mut board = [EMPTY; Square::COUNT];
        let mut men = 0;
        for (piece, square) in position.pieces() {
            let square = if mover == Side::Red { square } else { square.flipped() };
            let own = if piece.side() == mover { 0 } else { PieceKind::COUNT };
            board[square.index()] = (piece.kind().index() + own) as u8;
            men += 1;
        }
        if men > MAX_PIECES {
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
        sample[30] = (2.0 * points).round() as u8;
        sample[31] = output_bucket(position) as u8;
        Some(Sample(sample))
    }

    /// The samples that these bytes hold. What is left over at the end, and nothing else, is not one.
    pub fn all_of(bytes: &[u8]) -> impl Iterator<Item = Sample> + '_ {
        bytes.as_chunks::<SAMPLE_BYTES>().0.iter().map(|&bytes| Sample(bytes))
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8; SAMPLE_BYTES] {
        &self.0
    }

    /// Those of its bytes that tell where the men stand.
    pub fn board(&self) -> [u8; BOARD_BYTES] {
        let mut board = [0; BOARD_BYTES];
        board.copy_from_slice(&self.0[..BOARD_BYTES]);
        board
    }

    /// What a search said, in centipawns for the mover.
    #[inline]
    pub fn score(&self) -> i16 {
        i16::from_le_bytes([self.0[28], self.0[29]])
    }

    /// What the game was worth for the mover: 1, ½ or 0.
    #[inline]
    pub fn result(&self) -> f32 {
        f32::from(self.0[30].min(2)) / 2.0
    }

    /// Which set of output weights judges it.
    #[inline]
    pub fn bucket(&self) -> usize {
        usize::from(self.0[31] & !ASIDE)
    }

    /// Whether it is put aside for validation.
    pub fn is_aside(&self) -> bool {
        self.0[31] & ASIDE != 0
    }

    /// The same, put aside or not.
    pub fn put_aside(mut self, aside: bool) -> Sample {
        self.0[31] = self.0[31] & !ASIDE | if aside { ASIDE } else { 0 };
        self
    }

    /// Its men and where they stand: codes, see [the bytes](self), and indices of points, those from a0 on first.
    #[inline(always)]
    pub(super) fn men(&self) -> impl Iterator<Item = (usize, usize)> {
        let (points, men) = self.0[..BOARD_BYTES].split_at(POINT_BYTES);
        let mut bytes = [0; 16];
        bytes[..POINT_BYTES].copy_from_slice(points);
        let mut points = u128::from_le_bytes(bytes);
        bytes.copy_from_slice(men);
        let mut men = u128::from_le_bytes(bytes);
        std::iter::from_fn(move || {
            let point = points.trailing_zeros() as usize;
            let code = (men & 15) as usize;
            men >>= 4;
            points &= points.wrapping_sub(1);
            (point < Square::COUNT).then_some((code, point))
        })
    }

    /// The position, Red for the mover. `None` when the bytes mean none.
    pub fn position(&self) -> Option<Position> {
        let mut board = [None; Square::COUNT];
        for (code, point) in self.men() {
            board[point] = Some(man(code)?);
        }
        Position::from_board(|square| board[square.index()], Side::Red, Strictness::Lax).ok()
    }
}

/// The man of this code, Red for the mover.
pub(super) fn man(code: usize) -> Option<Piece> {
    MEN.get(code).copied()
}

fn mirrored(board: &[u8; Square::COUNT]) -> [u8; Square::COUNT] {
    let mut mirrored = *board;
    mirrored.chunks_mut(usize::from(Square::FILES)).for_each(<[u8]>::reverse);
    mirrored
}

fn board_bytes(board: &[u8; Square::COUNT]) -> [u8; BOARD_BYTES] {
    let (mut points, mut men, mut shift) = (0_u128, 0_u128, 0);
    for (point, &code) in board.iter().enumerate() {
        if code != EMPTY {
            points |= 1 << point;
            men |= u128::from(code) << shift;
            shift += 4;
        }
    }
    let mut bytes = [0; BOARD_BYTES];
    bytes[..POINT_BYTES].copy_from_slice(&points.to_le_bytes()[..POINT_BYTES]);
    bytes[POINT_BYTES..].copy_from_slice(&men.to_le_bytes());
    bytes
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Positions of either side to move whose kings call for every view.
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
    fn a_sample_tells_the_position_as_its_mover_sees_it() {
        for fen in KINGS_ON_ALL_FILES {
            let position = Position::from_fen(fen).unwrap();
            let sample = Sample::of(&position, -77, 0.5).unwrap();
            assert_eq!((sample.score(), sample.result(), sample.is_aside()), (-77, 0.5, false));
            assert_eq!(sample.bucket(), output_bucket(&position));
            let relative = if position.side() == Side::Red { position.clone() } else { position.colour_flipped() };
            let found = sample.position().unwrap();
            assert!(
                [&relative, &relative.mirrored()].iter().any(|form| form.key() == found.key()),
                "{fen} became {found}"
            );
            assert_eq!(Sample::of(&relative.mirrored(), -77, 0.5), Some(sample), "{fen}");
            let aside = sample.put_aside(true);
            assert!(aside.is_aside() && aside.bucket() == sample.bucket() && aside.put_aside(false) == sample);
            assert_eq!(Sample::all_of(aside.bytes()).collect::<Vec<_>>(), [aside]);
        }
    }

    #[test]
    fn results_are_those_of_the_mover() {
        let red = Position::start();
        let mut black = Position::start();
        black.play(["h2e2"]).unwrap();
        let result = |position, points| Sample::of(position, 0, points).unwrap().result();
        assert_eq!([1.0, 0.5, 0.0].map(|points| result(&red, points)), [1.0, 0.5, 0.0]);
        assert_eq!([1.0, 0.5, 0.0].map(|points| result(&black, points)), [0.0, 0.5, 1.0]);
    }

    #[test]
    fn bytes_that_mean_nothing_are_no_position() {
        let samples: Vec<Sample> = Sample::all_of(&[0xFF; 3 * SAMPLE_BYTES + 5]).collect();
        assert_eq!(samples.len(), 3);
        assert!(samples[0].position().is_none() && Sample([0; SAMPLE_BYTES]).position().is_none());
        assert!(samples[0].men().count() <= Square::COUNT);
    }
}
