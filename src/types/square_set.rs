//! Sets of squares as 128-bit bitboards.

use std::ops::{BitAnd, BitOr, BitOrAssign, BitXorAssign, Sub, SubAssign};

use super::Square;

/// Set of squares of the board.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SquareSet(u128);

impl SquareSet {
    /// The empty set.
    pub const EMPTY: SquareSet = SquareSet(0);
    /// The set of all squares of the board.
    pub const FULL: SquareSet = SquareSet((1 << Square::COUNT) - 1);

    /// Returns the set of the squares whose bits are set; bit 0 is a0, bit 89 is i9, higher bits are ignored.
    pub const fn from_bits(bits: u128) -> SquareSet {
        SquareSet(bits & SquareSet::FULL.0)
    }

    /// Returns the bits, bit 0 for a0 to bit 89 for i9.
    #[inline(always)]
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// Returns the square of a bit, 0 to 89; of others an arbitrary one.
    #[inline(always)]
    pub const fn square_of_bit(bit: u32) -> Square {
        SQUARES[(bit & 127) as usize]
    }

    /// Returns the squares of one rank, 0 to 9, whose bits are set; bit 0 is file a, and bits above 8 must not be set.
    #[inline(always)]
    pub const fn from_rank(rank: u8, files: u16) -> SquareSet {
        debug_assert!(rank < Square::RANKS && files >> Square::FILES == 0);
        let [low, twice_high] = RANK_FACTORS[(rank & 15) as usize];
        SquareSet::from_halves((files as u64).wrapping_mul(low), (files as u64 * twice_high) >> 1)
    }

    /// Returns the squares of one file, 0 to 8, whose bits are set; bit 0 is rank 0, and bits above 9 must not be set.
    #[inline(always)]
    pub const fn from_file(file: u8, ranks: u16) -> SquareSet {
        debug_assert!(file < Square::FILES && ranks >> Square::RANKS == 0);
        // The masks state bounds that always hold.
        let [low, twice_high] = ON_FILE_A[(ranks & (ON_FILE_A.len() - 1) as u16) as usize];
        let file = file & 15;
        SquareSet::from_halves(low << file, (twice_high << file) >> 1)
    }

    #[inline(always)]
    const fn from_halves(low: u64, high: u64) -> SquareSet {
        SquareSet(low as u128 | (high as u128) << 64)
    }

    /// Returns the set of one square of the board.
    #[inline(always)]
    pub const fn from_square(square: Square) -> SquareSet {
        // Squares off the board have the dense index 0, and so the set of the first square.
        static SETS: [SquareSet; 256] = {
            let mut sets = [SquareSet(1); 256];
            let mut index = 0;
            while index < Square::COUNT {
                sets[Square::from_index(index).raw()] = SquareSet(1 << index);
                index += 1;
            }
            sets
        };
        SETS[square.raw()]
    }

    /// Returns the set mirrored left to right.
    #[inline]
    pub const fn mirrored(self) -> SquareSet {
        let mut mirrored = 0;
        let mut file = 0;
        while file < Square::FILES {
            mirrored |= ((self.0 >> file) & FILE_A) << (Square::FILES - 1 - file);
            file += 1;
        }
        SquareSet(mirrored)
    }

    /// Returns the set with the ranks exchanged.
    pub fn flipped(self) -> SquareSet {
        self.iter().map(Square::flipped).collect()
    }

    /// Tells whether the set is empty.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Adds a square of the board.
    #[inline(always)]
    pub const fn insert(&mut self, square: Square) {
        self.0 |= SquareSet::from_square(square).0;
    }

    /// Tells whether the square is in the set.
    #[inline(always)]
    pub const fn contains(self, square: Square) -> bool {
        self.0 & SquareSet::from_square(square).0 != 0
    }

    /// Returns the number of squares.
    #[inline(always)]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Iterates over the squares, in the order of their dense indices.
    #[inline(always)]
    pub fn iter(self) -> impl Iterator<Item = Square> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            Some(SquareSet::square_of_bit(bit))
        })
    }
}

/// Squares by dense index; further entries are not used.
static SQUARES: [Square; 128] = {
    let mut squares = [Square::from_raw(0); 128];
    let mut index = 0;
    while index < Square::COUNT {
        squares[index] = Square::from_index(index);
        index += 1;
    }
    squares
};

/// The rank whose squares lie in both halves of the bits: only that on file a is in the lower one.
const DIVIDED_RANK: u32 = 63 / Square::FILES as u32;
const _: () = assert!(DIVIDED_RANK * Square::FILES as u32 == 63);

/// For each rank, the numbers by which its bits are multiplied for the lower half of a set, and for twice the upper
/// half: file a of [`DIVIDED_RANK`] would be its bit −1. Compilers shift 128-bit numbers slowly.
static RANK_FACTORS: [[u64; 2]; 16] = {
    let mut factors = [[0; 2]; 16];
    let mut rank = 0;
    while rank < Square::RANKS as u32 {
        if rank <= DIVIDED_RANK {
            factors[rank as usize][0] = 1 << (rank * Square::FILES as u32);
        }
        if rank >= DIVIDED_RANK {
            factors[rank as usize][1] = 1 << ((rank - DIVIDED_RANK) * Square::FILES as u32);
        }
        rank += 1;
    }
    factors
};

/// Squares of file a whose bits are set, in halves as there: shifted, they are right for other files too.
static ON_FILE_A: [[u64; 2]; 1 << Square::RANKS] = {
    let mut sets = [[0; 2]; 1 << Square::RANKS];
    let mut ranks: usize = 1;
    while ranks < sets.len() {
        let [rest, of_rank] = [sets[ranks & (ranks - 1)], RANK_FACTORS[ranks.trailing_zeros() as usize]];
        sets[ranks] = [rest[0] | of_rank[0], rest[1] | of_rank[1]];
        ranks += 1;
    }
    sets
};

const FILE_A: u128 = {
    let mut bits = 0;
    let mut rank = 0;
    while rank < Square::RANKS {
        bits |= 1 << (rank * Square::FILES);
        rank += 1;
    }
    bits
};

impl BitAnd for SquareSet {
    type Output = SquareSet;

    #[inline(always)]
    fn bitand(self, other: SquareSet) -> SquareSet {
        SquareSet(self.0 & other.0)
    }
}

impl BitOr for SquareSet {
    type Output = SquareSet;

    #[inline(always)]
    fn bitor(self, other: SquareSet) -> SquareSet {
        SquareSet(self.0 | other.0)
    }
}

impl Sub for SquareSet {
    type Output = SquareSet;

    #[inline(always)]
    fn sub(self, other: SquareSet) -> SquareSet {
        SquareSet(self.0 & !other.0)
    }
}

impl BitXorAssign for SquareSet {
    #[inline(always)]
    fn bitxor_assign(&mut self, other: SquareSet) {
        self.0 ^= other.0;
    }
}

impl BitOrAssign for SquareSet {
    #[inline(always)]
    fn bitor_assign(&mut self, other: SquareSet) {
        *self = *self | other;
    }
}

impl SubAssign for SquareSet {
    #[inline(always)]
    fn sub_assign(&mut self, other: SquareSet) {
        *self = *self - other;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirrored_and_flipped_sets_hold_the_mirrored_and_flipped_squares() {
        for square in Square::all() {
            assert_eq!(SquareSet::from_square(square).mirrored(), SquareSet::from_square(square.mirrored()));
            assert_eq!(SquareSet::from_square(square).flipped(), SquareSet::from_square(square.flipped()));
        }
        assert_eq!(SquareSet::FULL.mirrored(), SquareSet::FULL);
        assert_eq!(SquareSet::FULL.flipped(), SquareSet::FULL);
    }

    #[test]
    fn sets_of_a_file_or_rank_hold_the_squares_whose_bits_are_set() {
        for file in 0..Square::FILES {
            for ranks in 0..1 << Square::RANKS {
                let squares = (0..Square::RANKS).filter(|rank| ranks & (1 << rank) != 0);
                let expected: SquareSet = squares.map(|rank| Square::new(file, rank)).collect();
                assert_eq!(SquareSet::from_file(file, ranks), expected);
            }
        }
        for rank in 0..Square::RANKS {
            for files in 0..1 << Square::FILES {
                let squares = (0..Square::FILES).filter(|file| files & (1 << file) != 0);
                let expected: SquareSet = squares.map(|file| Square::new(file, rank)).collect();
                assert_eq!(SquareSet::from_rank(rank, files), expected);
            }
        }
    }

    #[test]
    fn iteration_gives_the_squares_in_the_order_of_their_indices() {
        let (even, odd) = Square::all().partition::<Vec<_>, _>(|square| square.index() % 2 == 0);
        for squares in [even, odd, Square::all().collect(), Vec::new()] {
            let set: SquareSet = squares.iter().copied().collect();
            assert_eq!(set.iter().collect::<Vec<_>>(), squares);
        }
    }
}
