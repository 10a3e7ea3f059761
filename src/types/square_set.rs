//! Sets of points as one 128-bit word.

use std::ops::{BitAnd, BitOr, Sub};

use super::Square;

/// A set of points of the board.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SquareSet(u128);

impl SquareSet {
    /// The set without points.
    pub const EMPTY: SquareSet = SquareSet(0);
    /// The set of all points of the board.
    pub const FULL: SquareSet = SquareSet((1 << Square::COUNT) - 1);

    /// The set with the points whose bits are set; bit 0 is a0, bit 89 is i9, those above are dropped.
    pub const fn from_bits(bits: u128) -> SquareSet {
        SquareSet(bits & SquareSet::FULL.0)
    }

    /// The set as a word, bit 0 for a0 to bit 89 for i9.
    #[inline(always)]
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// Whether no point is in the set.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Adds a point of the board.
    #[inline(always)]
    pub const fn insert(&mut self, square: Square) {
        self.0 |= 1 << square.index();
    }

    /// Whether the point is in the set.
    #[inline(always)]
    pub const fn contains(self, square: Square) -> bool {
        (self.0 >> square.index()) & 1 != 0
    }

    /// How many points are in the set.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// The points in the set, in the order of their dense numbers.
    pub fn iter(self) -> impl Iterator<Item = Square> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let index = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            Some(Square::from_index(index))
        })
    }
}

impl BitAnd for SquareSet {
    type Output = SquareSet;

    /// The points in both sets.
    #[inline(always)]
    fn bitand(self, other: SquareSet) -> SquareSet {
        SquareSet(self.0 & other.0)
    }
}

impl BitOr for SquareSet {
    type Output = SquareSet;

    /// The points in either set.
    #[inline(always)]
    fn bitor(self, other: SquareSet) -> SquareSet {
        SquareSet(self.0 | other.0)
    }
}

impl Sub for SquareSet {
    type Output = SquareSet;

    /// The points in this set that are not in the other.
    #[inline(always)]
    fn sub(self, other: SquareSet) -> SquareSet {
        SquareSet(self.0 & !other.0)
    }
}

impl FromIterator<Square> for SquareSet {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> SquareSet {
        let mut set = SquareSet::EMPTY;
        for square in squares {
            set.insert(square);
        }
        set
    }
}
