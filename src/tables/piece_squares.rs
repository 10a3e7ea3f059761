//! Index of each piece on each square that it can ever stand on, without gaps.
//!
//! A table by this index is half as large as one for all pieces and squares.

use super::geometry;
use crate::types::{Piece, Side, Square};

/// Size of a table indexed by [`index`]: 692 pieces on squares, and one element for [`NONE`].
pub const TABLE_SIZE: usize = {
    let mut count = 1;
    let mut i = 0;
    while i < Piece::ALL.len() * Square::COUNT {
        let (piece, square) = (Piece::ALL[i / Square::COUNT], Square::from_index(i % Square::COUNT));
        count += geometry::may_stand(piece, square) as usize;
        i += 1;
    }
    count
};

/// Number of indices of the pieces of one side.
const SIDE_SIZE: usize = (TABLE_SIZE - 1) / 2;

/// Returns the first and the last index of the pieces of a side.
pub const fn of_side(side: Side) -> (usize, usize) {
    let first = 1 + side.index() * SIDE_SIZE;
    (first, first + SIDE_SIZE - 1)
}

/// The index of a piece on a square that it can never stand on.
pub const NONE: u16 = 0;

/// Returns the index of a piece on a square, 1 to [`TABLE_SIZE`] − 1; [`NONE`] if it can never stand there.
#[inline(always)]
pub const fn index(piece: Piece, square: Square) -> u16 {
    static INDICES: [[u16; 256]; Piece::TABLE_SIZE] = {
        let mut table = [[NONE; 256]; Piece::TABLE_SIZE];
        let mut next = NONE;
        let mut i = 0;
        while i < Piece::ALL.len() * Square::COUNT {
            let (piece, square) = (Piece::ALL[i / Square::COUNT], Square::from_index(i % Square::COUNT));
            if geometry::may_stand(piece, square) {
                next += 1;
                table[piece.index()][square.raw()] = next;
            }
            i += 1;
        }
        table
    };
    INDICES[piece.index()][square.raw()]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::types::PieceKind;

    /// Squares where Red's pieces of a kind stand at the start of a game.
    fn start_squares(kind: PieceKind) -> Vec<Square> {
        let names: &[&str] = match kind {
            PieceKind::King => &["e0"],
            PieceKind::Advisor => &["d0", "f0"],
            PieceKind::Elephant => &["c0", "g0"],
            PieceKind::Horse => &["b0", "h0"],
            PieceKind::Rook => &["a0", "i0"],
            PieceKind::Cannon => &["b2", "h2"],
            PieceKind::Pawn => &["a3", "c3", "e3", "g3", "i3"],
        };
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    /// Squares that a piece of Red on an otherwise empty board moves to.
    fn steps(kind: PieceKind, from: Square) -> Vec<Square> {
        match kind {
            PieceKind::King => geometry::king(from).iter().collect(),
            PieceKind::Advisor => geometry::advisor(from).iter().collect(),
            PieceKind::Elephant => geometry::elephant(from).iter().map(|step| step.square).collect(),
            PieceKind::Horse => geometry::horse(from).iter().map(|step| step.square).collect(),
            PieceKind::Rook | PieceKind::Cannon => {
                Square::all().filter(|to| to.row() == from.row() || to.column() == from.column()).collect()
            }
            PieceKind::Pawn => geometry::pawn(Side::Red, from).iter().collect(),
        }
    }

    #[test]
    fn the_squares_that_pieces_reach_from_their_first_ones_have_indices_without_gaps() {
        let mut indices = HashSet::new();
        for kind in PieceKind::ALL {
            let reached = geometry::reached(start_squares(kind), |from| steps(kind, from));
            for square in Square::all() {
                let red = index(Piece::new(Side::Red, kind), square);
                let black = index(Piece::new(Side::Black, kind), square.flipped());
                assert_eq!([red != NONE, black != NONE], [reached.contains(square); 2], "{kind:?} {square}");
                assert!(red == NONE || indices.insert(red) && indices.insert(black));
                for (side, index) in [(Side::Red, red), (Side::Black, black)] {
                    let (first, last) = of_side(side);
                    assert!(index == NONE || (first..=last).contains(&usize::from(index)), "{kind:?} {square}");
                }
            }
        }
        assert_eq!(indices, (1..TABLE_SIZE as u16).collect());
        assert_eq!(TABLE_SIZE, 693);
        assert_eq!([of_side(Side::Red), of_side(Side::Black)], [(1, 346), (347, 692)]);
    }
}
