//! Counting and ranking of rooks, horses and cannons of both sides on free squares.

use super::combinations::{binomial, rank_among, unrank_among};
use super::placement::Placement;
use crate::types::{Piece, PieceKind, Side, Square, SquareSet};

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
