//! Ranking and unranking of k-subsets of the free squares (combinatorial number system).

use crate::types::{Square, SquareSet};

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
