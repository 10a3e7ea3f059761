//! 16-bit moves and move lists.

use std::fmt;
use std::str::FromStr;

use arrayvec::ArrayVec;
use serde::{Serialize, Serializer};
use thiserror::Error;

use super::Square;

/// Move from one square to another. Any 16 bits are one, but not necessarily legal: see `Position::is_pseudo_legal`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Move(u16);

impl Move {
    /// No move: both squares are off the board, so it is never pseudo-legal.
    pub const NONE: Move = Move(0);

    /// Returns the move from `from` to `to`.
    #[inline(always)]
    pub const fn new(from: Square, to: Square) -> Move {
        Move(from.raw() as u16 | ((to.raw() as u16) << 8))
    }

    /// Returns the move with these 16 bits (low byte: origin, high byte: target).
    #[inline(always)]
    pub const fn from_bits(bits: u16) -> Move {
        Move(bits)
    }

    /// Returns the 16 bits of the move.
    #[inline(always)]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Returns the origin square.
    #[inline(always)]
    pub const fn from(self) -> Square {
        Square::from_raw(self.0 as u8)
    }

    /// Returns the target square.
    #[inline(always)]
    pub const fn to(self) -> Square {
        Square::from_raw((self.0 >> 8) as u8)
    }

    /// Tells whether this is [`Move::NONE`].
    #[inline(always)]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Returns the move mirrored left to right.
    pub const fn mirrored(self) -> Move {
        Move::new(self.from().mirrored(), self.to().mirrored())
    }

    /// Returns the corresponding move of the other side: ranks exchanged, files kept.
    pub const fn flipped(self) -> Move {
        Move::new(self.from().flipped(), self.to().flipped())
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())
    }
}

impl Serialize for Move {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Move({self})")
    }
}

/// Error of a text that is not a move.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{0}' is not a move (two points, such as h2e2)")]
pub struct ParseMoveError(pub String);

impl FromStr for Move {
    type Err = ParseMoveError;

    /// Reads `h2e2`. Upper case and the dash of ICCS (`H2-E2`) are accepted.
    fn from_str(text: &str) -> Result<Move, ParseMoveError> {
        let error = || ParseMoveError(text.chars().take(16).collect());
        let lower = text.to_ascii_lowercase();
        let (from, to) = match lower.len() {
            4 => (lower.get(0..2), lower.get(2..4)),
            5 if lower.as_bytes()[2] == b'-' => (lower.get(0..2), lower.get(3..5)),
            _ => return Err(error()),
        };
        let square = |part: Option<&str>| part.and_then(|p| p.parse::<Square>().ok());
        match (square(from), square(to)) {
            (Some(from), Some(to)) => Ok(Move::new(from, to)),
            _ => Err(error()),
        }
    }
}

/// Capacity of a move list: with at most 30 pieces a side, no more are pseudo-legal, since a piece has at most 17.
pub const MAX_MOVES: usize = 512;

/// Moves of one position, allocated on the stack.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_forms_are_read() {
        let expected = Move::new("h2".parse().unwrap(), "e2".parse().unwrap());
        for text in ["h2e2", "H2E2", "h2-e2", "H2-E2"] {
            assert_eq!(text.parse(), Ok(expected));
        }
        assert_eq!(expected.to_string(), "h2e2");
        for text in ["", "h2e", "h2e2 ", "h2xe2", "z2e2", "h2e2e2", "日本"] {
            assert!(text.parse::<Move>().is_err(), "{text}");
        }
    }
}
