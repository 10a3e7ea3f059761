//! Counting and ranking of the pieces of one side that are restricted to its half: king, advisors, elephants and
//! uncrossed pawns.
//!
//! Everything is seen from Red's side; for Black the board is flipped.

use std::sync::LazyLock;

use crate::tables::geometry;
use crate::types::{PieceKind, Side, Square, SquareSet};

/// Elephant squares that pawns can also occupy.
const C4: Square = Square::new(2, 4);
const G4: Square = Square::new(6, 4);

/// Marks missing entries of index tables.
const NONE: u16 = u16::MAX;

static KING_SQUARES: SquareList<9> = SquareList::new(PieceKind::King);
static ADVISOR_SQUARES: SquareList<5> = SquareList::new(PieceKind::Advisor);
static ELEPHANT_SQUARES: SquareList<7> = SquareList::new(PieceKind::Elephant);
static PAWN_SQUARES: SquareList<10> = SquareList::new(PieceKind::Pawn);

/// Squares of Red's half that a kind can occupy.
struct SquareList<const N: usize> {
    squares: [Square; N],
    /// Index of each square in `squares`.
    indices: [u16; Square::COUNT],
}

impl<const N: usize> SquareList<N> {
    const fn new(kind: PieceKind) -> SquareList<N> {
        let mut list = SquareList { squares: [C4; N], indices: [NONE; Square::COUNT] };
        let (mut index, mut found) = (0, 0);
        while index < Square::COUNT / 2 {
            let square = Square::from_index(index);
            let is_allowed = match kind {
                PieceKind::King => geometry::is_in_palace(square),
                PieceKind::Advisor => geometry::is_advisor_point(Side::Red, square),
                PieceKind::Elephant => geometry::is_elephant_point(Side::Red, square),
                _ => geometry::is_pawn_point(Side::Red, square),
            };
            if is_allowed {
                list.squares[found] = square;
                list.indices[index] = found as u16;
                found += 1;
            }
            index += 1;
        }
        assert!(found == N);
        list
    }

    fn index_of(&self, square: Square) -> Option<usize> {
        let index = self.indices[square.index()];
        (index != NONE).then_some(usize::from(index))
    }

    /// Returns the bit of a square in a mask; 0 if it is not included.
    fn bit(&self, square: Square) -> u16 {
        self.index_of(square).map_or(0, |index| 1 << index)
    }

    /// Converts a set to a mask of N bits; `None` if it contains other squares.
    fn mask(&self, set: SquareSet) -> Option<u16> {
        set.iter().try_fold(0, |mask, square| Some(mask | 1 << self.index_of(square)?))
    }

    fn set(&self, mask: u16) -> SquareSet {
        (0..N).filter(|index| mask & (1 << index) != 0).map(|index| self.squares[index]).collect()
    }
}

/// All allowed masks with a given number of bits, with the index of each.
struct MaskList {
    list: Vec<u16>,
    numbers: Vec<u16>,
}

impl MaskList {
    fn new(bits: usize, ones: u8, is_allowed: impl Fn(u16) -> bool) -> MaskList {
        let list: Vec<u16> =
            (0..1 << bits).filter(|&mask: &u16| mask.count_ones() == u32::from(ones) && is_allowed(mask)).collect();
        let mut numbers = vec![NONE; 1 << bits];
        list.iter().zip(0..).for_each(|(&mask, number)| numbers[usize::from(mask)] = number);
        MaskList { list, numbers }
    }

    fn index_of(&self, mask: u16) -> Option<usize> {
        let number = self.numbers[usize::from(mask)];
        (number != NONE).then_some(usize::from(number))
    }
}

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
    /// Occupied squares.
    pub fn occupied(&self) -> SquareSet {
        SquareSet::from_square(self.king) | self.advisors | self.elephants | self.pawns
    }
}

/// Arrangements with the same king square and elephants, which determine the choices of the other pieces.
struct Group {
    /// Rank of its first arrangement.
    start: usize,
    king: usize,
    elephants: u16,
}

/// All arrangements of a king with fixed numbers of advisors, elephants and uncrossed pawns.
///
/// ```
/// use chuhe::counting::palace_and_home::HomeArrangements;
/// let bare_kings = HomeArrangements::new(0, 0, 0);
/// assert_eq!(bare_kings.len(), 9);
/// let start = HomeArrangements::new(2, 2, 5);
/// let last = start.get(start.len() - 1);
/// assert_eq!(start.rank(&last), start.len() - 1);
/// assert_eq!(last.occupied().len(), 10);
/// assert!(HomeArrangements::new(6, 0, 0).is_empty(), "advisors have five squares");
/// ```
pub struct HomeArrangements {
    /// Sets of advisors, for each advisor square that the king occupies, and finally for none.
    advisors: [MaskList; 6],
    /// Sets of elephants, without and with the king on an elephant square.
    elephants: [MaskList; 2],
    /// Sets of pawns, by the squares that elephants occupy: c4 (1) and g4 (2).
    pawns: [MaskList; 4],
    /// By king square, then by set of elephants.
    groups: Vec<Group>,
    /// First group of each king square.
    first_groups: [usize; 9],
    len: usize,
}

impl HomeArrangements {
    /// Creates the arrangements with these numbers of pieces; empty if they do not fit.
    pub fn new(advisors: u8, elephants: u8, pawns: u8) -> HomeArrangements {
        let advisors = std::array::from_fn(|king| MaskList::new(5, advisors, |mask| mask & (1 << king) == 0));
        let king_among_elephants = KING_SQUARES.squares.iter().fold(0, |mask, &king| mask | ELEPHANT_SQUARES.bit(king));
        let elephants =
            [0, king_among_elephants].map(|taken| MaskList::new(7, elephants, |mask: u16| mask & taken == 0));
        let pawns = std::array::from_fn(|taken| {
            let by = |index: usize, square: Square| if taken & index == 0 { 0 } else { PAWN_SQUARES.bit(square) };
            let taken = by(1, C4) | by(2, G4);
            // Rank 3 has the low five bits, rank 4 the high five.
            MaskList::new(10, pawns, |mask| mask & taken == 0 && mask & (mask >> 5) == 0)
        });
        let mut all = HomeArrangements { advisors, elephants, pawns, groups: Vec::new(), first_groups: [0; 9], len: 0 };
        for king in 0..KING_SQUARES.squares.len() {
            all.first_groups[king] = all.groups.len();
            for index in 0..all.elephants_beside(king).list.len() {
                let group = Group { start: all.len, king, elephants: all.elephants_beside(king).list[index] };
                all.len += all.advisors_of(&group).list.len() * all.pawns_of(&group).list.len();
                all.groups.push(group);
            }
        }
        all
    }

    /// Number of arrangements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there is no arrangement.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the arrangement with this rank.
    ///
    /// # Panics
    /// If the rank is not below [`HomeArrangements::len`].
    pub fn get(&self, number: usize) -> HomeArrangement {
        assert!(number < self.len, "there are {} arrangements", self.len);
        let group = &self.groups[self.groups.partition_point(|group| group.start <= number) - 1];
        let (advisors, pawns) = (self.advisors_of(group), self.pawns_of(group));
        let rest = number - group.start;
        HomeArrangement {
            king: KING_SQUARES.squares[group.king],
            advisors: ADVISOR_SQUARES.set(advisors.list[rest / pawns.list.len()]),
            elephants: ELEPHANT_SQUARES.set(group.elephants),
            pawns: PAWN_SQUARES.set(pawns.list[rest % pawns.list.len()]),
        }
    }

    /// Returns the rank of an arrangement.
    ///
    /// # Panics
    /// If it is not included; [`HomeArrangements::find`] returns `None` instead.
    pub fn rank(&self, arrangement: &HomeArrangement) -> usize {
        match self.find(arrangement) {
            Some(number) => number,
            None => panic!("{arrangement:?} is not one of these arrangements"),
        }
    }

    /// Returns the rank of an arrangement; `None` if it is not included.
    pub fn find(&self, arrangement: &HomeArrangement) -> Option<usize> {
        let king = KING_SQUARES.index_of(arrangement.king)?;
        let elephants = self.elephants_beside(king).index_of(ELEPHANT_SQUARES.mask(arrangement.elephants)?)?;
        let group = &self.groups[self.first_groups[king] + elephants];
        let advisors = self.advisors_of(group).index_of(ADVISOR_SQUARES.mask(arrangement.advisors)?)?;
        let pawns = self.pawns_of(group);
        Some(group.start + advisors * pawns.list.len() + pawns.index_of(PAWN_SQUARES.mask(arrangement.pawns)?)?)
    }

    fn elephants_beside(&self, king: usize) -> &MaskList {
        &self.elephants[usize::from(ELEPHANT_SQUARES.index_of(KING_SQUARES.squares[king]).is_some())]
    }

    fn advisors_of(&self, group: &Group) -> &MaskList {
        &self.advisors[ADVISOR_SQUARES.index_of(KING_SQUARES.squares[group.king]).unwrap_or(5)]
    }

    fn pawns_of(&self, group: &Group) -> &MaskList {
        let taken = |square| usize::from(group.elephants & ELEPHANT_SQUARES.bit(square) != 0);
        &self.pawns[taken(C4) + 2 * taken(G4)]
    }
}

/// Returns the arrangements for any numbers of pieces that a game can have, computed once.
///
/// # Panics
/// If a number exceeds that of the start position.
pub(super) fn known(advisors: u8, elephants: u8, pawns: u8) -> &'static HomeArrangements {
    static KNOWN: LazyLock<Vec<HomeArrangements>> =
        LazyLock::new(|| (0..3 * 3 * 6).map(|code| HomeArrangements::new(code / 18, code / 6 % 3, code % 6)).collect());
    assert!(advisors < 3 && elephants < 3 && pawns < 6);
    &KNOWN[(usize::from(advisors) * 3 + usize::from(elephants)) * 6 + usize::from(pawns)]
}
