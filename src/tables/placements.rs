//! Placements: each piece on each square that it can ever stand on, numbered without gaps.
//!
//! A table with an entry for each placement is half as large as one for all pieces and squares.

use super::geometry;
use crate::types::{Piece, Square};

/// Number of placements, 692, and one more for [`NONE`].
pub const COUNT: usize = {
    let mut count = 1;
    let mut i = 0;
    while i < Piece::ALL.len() * Square::COUNT {
        let (piece, square) = (Piece::ALL[i / Square::COUNT], Square::from_index(i % Square::COUNT));
        count += geometry::may_stand(piece, square) as usize;
        i += 1;
    }
    count
};

/// The number of no placement.
pub const NONE: u16 = 0;

/// Returns the number of a placement, 1 to [`COUNT`] − 1; [`NONE`] if the piece can never stand on the square. The
/// numbers of Red's pieces come before those of Black's.
#[inline(always)]
pub const fn number(piece: Piece, square: Square) -> u16 {
    static NUMBERS: [[u16; 256]; Piece::TABLE_SIZE] = {
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
    NUMBERS[piece.index()][square.raw()]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::types::{PieceKind, Side, SquareSet};

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
    fn the_squares_that_pieces_reach_from_their_first_ones_are_numbered_without_gaps() {
        let mut numbers = HashSet::new();
        for kind in PieceKind::ALL {
            let mut next = start_squares(kind);
            let mut reached: SquareSet = next.iter().copied().collect();
            while let Some(from) = next.pop() {
                for to in steps(kind, from).into_iter().filter(|&to| !reached.contains(to)).collect::<HashSet<_>>() {
                    reached.insert(to);
                    next.push(to);
                }
            }
            for square in Square::all() {
                let red = number(Piece::new(Side::Red, kind), square);
                let black = number(Piece::new(Side::Black, kind), square.flipped());
                assert_eq!([red != NONE, black != NONE], [reached.contains(square); 2], "{kind:?} {square}");
                assert!(red == NONE || red < black && numbers.insert(red) && numbers.insert(black));
            }
        }
        assert_eq!(numbers, (1..COUNT as u16).collect());
        assert_eq!(COUNT, 693);
    }
}
