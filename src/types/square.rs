//! Squares (points of the board) as indices of a 16×16 mailbox.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Square of a 16×16 mailbox whose middle 9×10 squares are the board. The low four bits are the column, the high four
/// the row, so a step off the board leads to a square that [`Square::is_on_board`] recognises.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Square(u8);

/// Column of file a and row of rank 0 in the mailbox.
const MARGIN: u8 = 3;
// As many rows lie below the board as above it, which [`Square::flipped`] rests on.
const _: () = assert!(2 * MARGIN + Square::RANKS == 16);

impl Square {
    /// Number of squares of the board.
    pub const COUNT: usize = 90;
    /// Files of the board, counted from 0 (`a`) to 8 (`i`).
    pub const FILES: u8 = 9;
    /// Ranks of the board, counted from 0 (Red's home) to 9 (Black's home).
    pub const RANKS: u8 = 10;

    /// Returns the square on `file` (0 to 8) and `rank` (0 to 9). Panics when it is off the board.
    #[inline(always)]
    pub const fn new(file: u8, rank: u8) -> Square {
        assert!(file < Square::FILES && rank < Square::RANKS);
        Square(((rank + MARGIN) << 4) | (file + MARGIN))
    }

    /// Returns the square with this mailbox index, on the board or off it.
    #[inline(always)]
    pub const fn from_raw(raw: u8) -> Square {
        Square(raw)
    }

    /// Returns the mailbox index, 0 to 255.
    #[inline(always)]
    pub const fn raw(self) -> usize {
        self.0 as usize
    }

    /// Returns the square with index `index` (0 to 89, rank by rank from a0). Panics when there is none.
    #[inline(always)]
    pub const fn from_index(index: usize) -> Square {
        assert!(index < Square::COUNT);
        Square::new((index % 9) as u8, (index / 9) as u8)
    }

    /// Returns the dense index: 0 (a0) to 89 (i9), and 0 off the board.
    #[inline(always)]
    pub const fn index(self) -> usize {
        static INDEX: [u8; 256] = {
            let mut table = [0; 256];
            let mut i = 0;
            while i < Square::COUNT {
                table[Square::from_index(i).raw()] = i as u8;
                i += 1;
            }
            table
        };
        INDEX[self.raw()] as usize
    }

    /// Tells whether the square is one of the 90 of the board.
    #[inline(always)]
    pub const fn is_on_board(self) -> bool {
        self.file() < Square::FILES && self.rank() < Square::RANKS
    }

    /// Returns the file, 0 (`a`, Red's left) to 8; larger off the board.
    #[inline(always)]
    pub const fn file(self) -> u8 {
        (self.0 & 15).wrapping_sub(MARGIN)
    }

    /// Returns the rank, 0 (Red's home) to 9; larger off the board.
    #[inline(always)]
    pub const fn rank(self) -> u8 {
        (self.0 >> 4).wrapping_sub(MARGIN)
    }

    /// Returns the mailbox column, 0 to 15: the index of this file's occupancy.
    #[inline(always)]
    pub const fn column(self) -> usize {
        (self.0 & 15) as usize
    }

    /// Returns the mailbox row, 0 to 15: the index of this rank's occupancy.
    #[inline(always)]
    pub const fn row(self) -> usize {
        (self.0 >> 4) as usize
    }

    /// Returns the square `delta` mailbox steps away, wrapping at the edge of the mailbox.
    #[inline(always)]
    pub const fn offset(self, delta: i8) -> Square {
        Square(self.0.wrapping_add(delta as u8))
    }

    /// Returns the square on the same rank and another file.
    #[inline(always)]
    pub const fn with_file(self, file: u8) -> Square {
        Square((self.0 & 0xF0) | (file + MARGIN))
    }

    /// Returns the square on the same file and another rank.
    #[inline(always)]
    pub const fn with_rank(self, rank: u8) -> Square {
        Square((self.0 & 15) | ((rank + MARGIN) << 4))
    }

    /// Returns the square mirrored left to right (a0 becomes i0).
    #[inline(always)]
    pub const fn mirrored(self) -> Square {
        self.with_file(Square::FILES - 1 - self.file())
    }

    /// Returns the square with the ranks exchanged (a0 becomes a9).
    #[inline(always)]
    pub const fn flipped(self) -> Square {
        // Row r becomes row 15 − r.
        Square(self.0 ^ 0xF0)
    }

    /// Iterates over all squares, rank by rank from a0 to i9.
    pub fn all() -> impl Iterator<Item = Square> {
        (0..Square::COUNT).map(Square::from_index)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_on_board() {
            write!(f, "{}{}", (b'a' + self.file()) as char, self.rank())
        } else {
            f.write_str("--")
        }
    }
}

/// Error of a text that is not a square.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{0}' is not a point of the board (a0 to i9)")]
pub struct ParseSquareError(pub String);

impl FromStr for Square {
    type Err = ParseSquareError;

    fn from_str(text: &str) -> Result<Square, ParseSquareError> {
        match text.as_bytes() {
            [file @ b'a'..=b'i', rank @ b'0'..=b'9'] => Ok(Square::new(file - b'a', rank - b'0')),
            _ => Err(ParseSquareError(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_ninety_squares_are_on_the_board() {
        let on_board: Vec<Square> = (0..=255).map(Square::from_raw).filter(|s| s.is_on_board()).collect();
        assert_eq!(on_board, Square::all().collect::<Vec<_>>());
        for (index, square) in on_board.into_iter().enumerate() {
            assert_eq!(square.index(), index);
            assert_eq!(square.to_string().parse(), Ok(square));
        }
    }

    #[test]
    fn mirrored_and_flipped_squares() {
        let b2: Square = "b2".parse().unwrap();
        assert_eq!(b2.mirrored().to_string(), "h2");
        assert_eq!(b2.flipped().to_string(), "b7");
        for square in Square::all() {
            assert_eq!(square.mirrored(), Square::new(8 - square.file(), square.rank()));
            assert_eq!(square.flipped(), Square::new(square.file(), 9 - square.rank()));
        }
    }

    #[test]
    fn malformed_squares_are_refused() {
        for text in ["", "a", "j0", "a10", "A0", "0a", "é"] {
            assert!(text.parse::<Square>().is_err(), "{text}");
        }
    }
}
