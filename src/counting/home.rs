//! Ranking of the pieces of one side that are restricted to its half: king, advisors, elephants and uncrossed pawns.
//!
//! Everything is seen from Red's side; for Black the board is flipped.

use std::sync::LazyLock;

use crate::tables::geometry;
use crate::types::{Piece, PieceKind, Side, Square, SquareSet};

/// Kinds in the order of their digits in a code, and the width of each digit: one bit for each possible square.
const DIGITS: [(PieceKind, u32); 4] =
    [(PieceKind::King, 9), (PieceKind::Elephant, 7), (PieceKind::Advisor, 5), (PieceKind::Pawn, 10)];

/// Squares of Red's half that each kind can occupy.
static HOME_SQUARES: LazyLock<[SquareSet; 4]> = LazyLock::new(|| {
    DIGITS.map(|(kind, width)| {
        let may_stand = |&square: &Square| geometry::may_stand(Piece::new(Side::Red, kind), square);
        Square::all().filter(may_stand).take(width as usize).collect()
    })
});

/// Arrangement of the pieces of a side that are in its own half, seen from Red's side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HomeArrangement {
    pub king: Square,
    pub advisors: SquareSet,
    pub elephants: SquareSet,
    /// Pawns that have not crossed the river.
    pub pawns: SquareSet,
}

impl HomeArrangement {
    pub fn occupied(&self) -> SquareSet {
        SquareSet::from_square(self.king) | self.advisors | self.elephants | self.pawns
    }

    /// Returns the sets of squares as digits of a number; `None` if a piece is on an impossible square.
    fn code(&self) -> Option<u32> {
        let sets = [SquareSet::from_square(self.king), self.elephants, self.advisors, self.pawns];
        HOME_SQUARES.iter().zip(DIGITS).zip(sets).try_fold(0, |code, ((&home, (_, width)), set)| {
            let bit = |square: Square| 1 << (home.bits() & ((1 << square.index()) - 1)).count_ones();
            (set - home).is_empty().then(|| code << width | set.iter().map(bit).sum::<u32>())
        })
    }

    fn from_code(mut code: u32) -> HomeArrangement {
        let mut sets = [SquareSet::EMPTY; 4];
        for ((home, (_, width)), set) in HOME_SQUARES.iter().zip(DIGITS).zip(&mut sets).rev() {
            *set = home.iter().zip(0..).filter(|(_, bit)| code & 1 << bit != 0).map(|(square, _)| square).collect();
            code >>= width;
        }
        let [king, elephants, advisors, pawns] = sets;
        let king = king.iter().next().unwrap_or(Square::from_index(0));
        HomeArrangement { king, advisors, elephants, pawns }
    }
}

/// All arrangements of a king with fixed numbers of advisors, elephants and uncrossed pawns.
pub struct HomeArrangements {
    /// Codes in ascending order, so that the index is the rank.
    codes: Vec<u32>,
}

impl HomeArrangements {
    pub fn new(advisors: u32, elephants: u32, pawns: u32) -> HomeArrangements {
        let numbers = [1, elephants, advisors, pawns];
        let mut codes = vec![0];
        for ((kind, width), number) in DIGITS.into_iter().zip(numbers) {
            // Rank 3 has the low five bits of the pawns, rank 4 the high five: no file may have two of them.
            let is_allowed =
                |digit: &u32| digit.count_ones() == number && (kind != PieceKind::Pawn || digit & (digit >> 5) == 0);
            let digits: Vec<u32> = (0..1 << width).filter(is_allowed).collect();
            codes = codes.iter().flat_map(|code| digits.iter().map(move |digit| code << width | digit)).collect();
        }
        codes.retain(|&code| HomeArrangement::from_code(code).occupied().len() == numbers.iter().sum::<u32>());
        HomeArrangements { codes }
    }

    pub fn count(&self) -> usize {
        self.codes.len()
    }

    /// Returns the arrangement with this rank.
    ///
    /// # Panics
    /// If the rank is not below [`HomeArrangements::count`].
    pub fn get(&self, number: usize) -> HomeArrangement {
        HomeArrangement::from_code(self.codes[number])
    }

    /// Returns the rank of an arrangement; `None` if it is not included.
    pub fn find(&self, arrangement: &HomeArrangement) -> Option<usize> {
        self.codes.binary_search(&arrangement.code()?).ok()
    }
}

/// Returns the arrangements for any numbers of pieces that a game can have, computed once.
///
/// # Panics
/// If a number exceeds that of the start position.
pub(super) fn known(advisors: u32, elephants: u32, pawns: u32) -> &'static HomeArrangements {
    static KNOWN: LazyLock<Vec<HomeArrangements>> =
        LazyLock::new(|| (0..3 * 3 * 6).map(|code| HomeArrangements::new(code / 18, code / 6 % 3, code % 6)).collect());
    assert!(advisors < 3 && elephants < 3 && pawns < 6);
    &KNOWN[((advisors * 3 + elephants) * 6 + pawns) as usize]
}
