//! Pieces on squares, without a side to move.

use super::home::HomeArrangement;
use crate::position::{FenError, Position, Strictness, board_text};
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

    /// Puts a piece on a square or clears it.
    pub fn put(&mut self, square: Square, piece: Option<Piece>) {
        let square_set = SquareSet::from_square(square);
        self.sets.iter_mut().for_each(|set| *set -= square_set);
        if let Some(piece) = piece {
            self.add(piece, square_set);
        }
    }

    /// Adds pieces on empty squares.
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

    /// Returns the placement with colours swapped and the board flipped.
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

    /// Returns the FEN with this side to move, even for an invalid position.
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
