//! Counting and ranking of rooks, horses and cannons of both sides on free squares.
//!
//! The squares of one piece are a k-subset of the free squares, numbered by the combinatorial number system.

use super::placement::Placement;
use crate::types::{Piece, PieceKind, Side, Square, SquareSet};

/// Maximum subset size plus one.
const SIZES: usize = 8;

/// `BINOMIALS[k][n]`: number of k-subsets of n squares.
static BINOMIALS: [[u64; Square::COUNT + 1]; SIZES] = {
    let mut table = [[0; Square::COUNT + 1]; SIZES];
    let mut n = 0;
    while n <= Square::COUNT {
        table[0][n] = 1;
        let mut k = 1;
        while k < SIZES && n > 0 {
            table[k][n] = table[k - 1][n - 1] + table[k][n - 1];
            k += 1;
        }
        n += 1;
    }
    table
};

/// Returns the number of subsets of `size` out of `points` squares.
pub(super) fn binomial(points: usize, size: usize) -> u64 {
    BINOMIALS[size][points]
}

/// Returns the rank of a set among all sets of its size within `free`: 0 to binomial − 1.
///
/// Sets are in colexicographic order: the k-th square of a set, counted from 1, contributes the number of k-subsets of
/// the free squares before it.
pub(super) fn rank_among(set: SquareSet, free: SquareSet) -> u64 {
    set.iter().zip(1..).map(|(square, size)| binomial(free_before(free, square), size)).sum()
}

/// Returns the set of `size` squares within `free` with this rank.
pub(super) fn unrank_among(mut number: u64, size: usize, free: SquareSet) -> SquareSet {
    let mut set = SquareSet::EMPTY;
    let mut points = free.len() as usize;
    for size in (1..=size).rev() {
        // Largest index whose preceding sets do not exceed the rank.
        points = BINOMIALS[size][..points].partition_point(|&sets| sets <= number) - 1;
        number -= binomial(points, size);
        set.insert(nth(free, points));
    }
    set
}

fn free_before(free: SquareSet, square: Square) -> usize {
    (free.bits() & ((1 << square.index()) - 1)).count_ones() as usize
}

/// Returns the square of `set` that has exactly `count` others before it.
fn nth(set: SquareSet, mut count: usize) -> Square {
    let (mut bits, mut index) = (set.bits(), 0);
    for width in [64, 32, 16, 8, 4, 2, 1] {
        let low = (bits & ((1 << width) - 1)).count_ones() as usize;
        if count >= low {
            count -= low;
            bits >>= width;
            index += width;
        }
    }
    Square::from_index(index)
}

/// Pieces without restrictions on their squares, in the order in which they are placed.
const FREE_PIECES: [Piece; 6] = [
    Piece::new(Side::Red, PieceKind::Rook),
    Piece::new(Side::Black, PieceKind::Rook),
    Piece::new(Side::Red, PieceKind::Horse),
    Piece::new(Side::Black, PieceKind::Horse),
    Piece::new(Side::Red, PieceKind::Cannon),
    Piece::new(Side::Black, PieceKind::Cannon),
];

/// Number of selections: none, one or two of each piece.
const SELECTIONS: usize = 3_usize.pow(FREE_PIECES.len() as u32);

/// Number of each piece of [`FREE_PIECES`].
type Counts = [u8; FREE_PIECES.len()];

/// All placements of several selections of pieces on free squares.
pub(super) struct FreePieces {
    selections: Vec<Counts>,
    /// Index in `selections` by selection code.
    indices: Vec<Option<u16>>,
    /// For each number of free squares that has been prepared: the number of placements with the selections before each
    /// one, and finally with all.
    starts: Vec<Vec<u128>>,
}

impl FreePieces {
    /// A single selection, given by `count`.
    pub(super) fn exactly(count: impl Fn(Piece) -> u8) -> FreePieces {
        FreePieces::new(vec![FREE_PIECES.map(count)])
    }

    /// All selections.
    pub(super) fn any() -> FreePieces {
        FreePieces::new((0..SELECTIONS).map(selection).collect())
    }

    fn new(selections: Vec<Counts>) -> FreePieces {
        let mut indices = vec![None; SELECTIONS];
        selections.iter().zip(0..).for_each(|(counts, index)| indices[code(counts)] = Some(index));
        FreePieces { selections, indices, starts: vec![Vec::new(); Square::COUNT + 1] }
    }

    /// Returns the number of placements on this number of squares. Must be called before ranks are computed for it.
    pub(super) fn count(&mut self, points: usize) -> u128 {
        let starts = &mut self.starts[points];
        if starts.is_empty() {
            let mut sum = 0;
            starts.push(0);
            for counts in &self.selections {
                sum += bases(counts, points).iter().map(|&base| u128::from(base)).product::<u128>();
                starts.push(sum);
            }
        }
        starts[self.selections.len()]
    }

    /// Returns the rank of the free pieces of a placement; `None` for a selection that is not included.
    pub(super) fn rank(&self, placement: &Placement, mut free: SquareSet) -> Option<u128> {
        let counts = FREE_PIECES.map(|piece| placement.squares(piece).len().min(3) as u8);
        if counts.contains(&3) {
            return None;
        }
        let index = usize::from(self.indices[code(&counts)]?);
        let points = free.len() as usize;
        let mut number = 0;
        for (piece, base) in FREE_PIECES.into_iter().zip(bases(&counts, points)) {
            let squares = placement.squares(piece);
            number = number * u128::from(base) + u128::from(rank_among(squares, free));
            free -= squares;
        }
        Some(self.starts[points][index] + number)
    }

    /// Adds the pieces with this rank to a placement.
    pub(super) fn unrank(&self, number: u128, mut free: SquareSet, placement: &mut Placement) {
        let points = free.len() as usize;
        let starts = &self.starts[points];
        let index = starts.partition_point(|&start| start <= number) - 1;
        let counts = self.selections[index];
        let mut rest = number - starts[index];
        let mut digits = bases(&counts, points);
        for digit in digits.iter_mut().rev() {
            let base = u128::from(*digit);
            *digit = (rest % base) as u64;
            rest /= base;
        }
        for ((piece, count), digit) in FREE_PIECES.into_iter().zip(counts).zip(digits) {
            let squares = unrank_among(digit, usize::from(count), free);
            placement.add(piece, squares);
            free -= squares;
        }
    }
}

/// Returns the number of placements of each piece when those before it have taken their squares.
fn bases(counts: &Counts, mut points: usize) -> [u64; FREE_PIECES.len()] {
    counts.map(|count| {
        let ways = binomial(points, usize::from(count));
        points -= usize::from(count);
        ways
    })
}

fn code(counts: &Counts) -> usize {
    counts.iter().fold(0, |code, &count| code * 3 + usize::from(count))
}

fn selection(mut code: usize) -> Counts {
    let mut counts = [0; FREE_PIECES.len()];
    for count in counts.iter_mut().rev() {
        *count = (code % 3) as u8;
        code /= 3;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binomials_match_known_values() {
        assert_eq!((binomial(0, 0), binomial(0, 1), binomial(5, 2), binomial(90, 2)), (1, 0, 10, 4005));
        assert_eq!((binomial(45, 5), binomial(3, 5), binomial(90, 7)), (1_221_759, 0, 7_471_375_560));
    }

    #[test]
    fn every_set_has_its_own_rank() {
        let free: SquareSet = Square::all().filter(|square| square.raw() % 7 == 3).collect();
        let points = free.len() as usize;
        for size in 0..=5 {
            let mut seen = std::collections::HashSet::new();
            for number in 0..binomial(points, size) {
                let set = unrank_among(number, size, free);
                assert_eq!((set.len() as usize, (set - free).len()), (size, 0));
                assert_eq!(rank_among(set, free), number);
                seen.insert(set.bits());
            }
            assert_eq!(seen.len() as u64, binomial(points, size));
        }
    }

    #[test]
    fn the_n_th_point_is_found_on_the_whole_board() {
        Square::all().enumerate().for_each(|(count, square)| assert_eq!(nth(SquareSet::FULL, count), square));
    }
}
