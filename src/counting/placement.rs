//! Pieces on squares, without a side to move, and the ranking of those of one side that are restricted to its half:
//! king, advisors, elephants and uncrossed pawns. These are seen from Red's side; for Black the board is flipped.

use std::sync::LazyLock;

use crate::position::{FenError, Position, Strictness, board_text};
use crate::tables::geometry;
use crate::types::{Piece, PieceKind, Side, Square, SquareSet};

/// Pieces on squares of the board, without a side to move and without any validity check.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Placement {
    /// Squares by [`Piece::index`]; the sets are disjoint.
    sets: [SquareSet; Piece::TABLE_SIZE],
}

impl Placement {
    pub fn from_position(position: &Position) -> Placement {
        let mut placement = Placement::default();
        for (piece, square) in position.pieces() {
            placement.sets[piece.index()].insert(square);
        }
        placement
    }

    pub fn put(&mut self, square: Square, piece: Option<Piece>) {
        let square_set = SquareSet::from_square(square);
        self.sets.iter_mut().for_each(|set| *set -= square_set);
        if let Some(piece) = piece {
            self.add(piece, square_set);
        }
    }

    pub fn add(&mut self, piece: Piece, squares: SquareSet) {
        self.sets[piece.index()] |= squares;
    }

    pub fn squares(&self, piece: Piece) -> SquareSet {
        self.sets[piece.index()]
    }

    pub fn occupied(&self) -> SquareSet {
        self.sets.iter().fold(SquareSet::EMPTY, |all, &set| all | set)
    }

    pub fn pieces(&self) -> impl Iterator<Item = (Piece, Square)> + '_ {
        Piece::ALL.into_iter().flat_map(|piece| self.squares(piece).iter().map(move |square| (piece, square)))
    }

    pub fn swapped(&self) -> Placement {
        let mut swapped = Placement::default();
        for (piece, square) in self.pieces() {
            swapped.sets[Piece::new(!piece.side(), piece.kind()).index()].insert(square.flipped());
        }
        swapped
    }

    pub fn mirrored(&self) -> Placement {
        Placement { sets: self.sets.map(SquareSet::mirrored) }
    }

    pub fn position(&self, side: Side) -> Result<Position, FenError> {
        let board = self.board();
        Position::from_board(|square| board[square.index()], side, Strictness::Strict)
    }

    pub fn fen(&self, side: Side) -> String {
        let board = self.board();
        let letter = if side == Side::Red { 'w' } else { 'b' };
        format!("{} {letter} - - 0 1", board_text(|square| board[square.index()]))
    }

    fn board(&self) -> [Option<Piece>; Square::COUNT] {
        let mut board = [None; Square::COUNT];
        self.pieces().for_each(|(piece, square)| board[square.index()] = Some(piece));
        board
    }

    /// Splits the pieces of a side into those in its own half, seen from Red's side, and its crossed pawns on the
    /// board. `None` unless there is exactly one king.
    pub fn half(&self, side: Side) -> Option<(HomeArrangement, SquareSet)> {
        let home = half_of(side);
        let pieces = |kind| self.squares(Piece::new(side, kind));
        let king = pieces(PieceKind::King);
        let (pawns, relative) = (pieces(PieceKind::Pawn), |squares| relative_to(side, squares));
        let arrangement = HomeArrangement {
            king: relative(king).iter().next()?,
            advisors: relative(pieces(PieceKind::Advisor)),
            elephants: relative(pieces(PieceKind::Elephant)),
            pawns: relative(pawns & home),
        };
        (king.len() == 1).then_some((arrangement, pawns - home))
    }

    /// Adds the pieces of a side; the inverse of [`Placement::half`].
    pub fn add_half(&mut self, side: Side, half: &HomeArrangement, crossed: SquareSet) {
        let mut add = |kind, squares| self.add(Piece::new(side, kind), relative_to(side, squares));
        add(PieceKind::King, SquareSet::from_square(half.king));
        add(PieceKind::Advisor, half.advisors);
        add(PieceKind::Elephant, half.elephants);
        add(PieceKind::Pawn, half.pawns);
        self.add(Piece::new(side, PieceKind::Pawn), crossed);
    }
}

/// Returns the squares of a side's half of the board: ranks 0 to 4 for Red, 5 to 9 for Black.
#[inline]
pub const fn half_of(side: Side) -> SquareSet {
    const RED: u128 = (1 << (Square::COUNT / 2)) - 1;
    SquareSet::from_bits(if matches!(side, Side::Red) { RED } else { !RED })
}

/// Converts squares to a side's perspective: unchanged for Red, flipped for Black.
pub(super) fn relative_to(side: Side, squares: SquareSet) -> SquareSet {
    match side {
        Side::Red => squares,
        Side::Black => squares.flipped(),
    }
}

/// Kinds in the order of their digits in a code, and the width of each digit: one bit for each possible square.
const DIGITS: [(PieceKind, u32); 4] =
    [(PieceKind::King, 9), (PieceKind::Elephant, 7), (PieceKind::Advisor, 5), (PieceKind::Pawn, 10)];

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

    pub fn get(&self, number: usize) -> HomeArrangement {
        HomeArrangement::from_code(self.codes[number])
    }

    pub fn find(&self, arrangement: &HomeArrangement) -> Option<usize> {
        self.codes.binary_search(&arrangement.code()?).ok()
    }
}

/// Returns the arrangements for any numbers of pieces that a game can have, computed once.
pub(super) fn home_arrangements(advisors: u32, elephants: u32, pawns: u32) -> &'static HomeArrangements {
    static KNOWN: LazyLock<Vec<HomeArrangements>> =
        LazyLock::new(|| (0..3 * 3 * 6).map(|code| HomeArrangements::new(code / 18, code / 6 % 3, code % 6)).collect());
    assert!(advisors < 3 && elephants < 3 && pawns < 6);
    &KNOWN[((advisors * 3 + elephants) * 6 + pawns) as usize]
}
