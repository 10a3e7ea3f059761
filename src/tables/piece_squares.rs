//! Index of each piece on each square that it can ever stand on, without gaps: tables by it have half the size.

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

const SIDE_SIZE: usize = (TABLE_SIZE - 1) / 2;

pub const fn of_side(side: Side) -> (usize, usize) {
    let first = 1 + side.index() * SIDE_SIZE;
    (first, first + SIDE_SIZE - 1)
}

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
    use super::*;

    #[test]
    fn indices_are_in_the_order_of_pieces_and_squares_without_gaps() {
        let all = Piece::ALL.into_iter().flat_map(|piece| Square::all().map(move |square| (piece, square)));
        let possible: Vec<_> = all.filter(|&(piece, square)| geometry::may_stand(piece, square)).collect();
        let indices: Vec<u16> = possible.iter().map(|&(piece, square)| index(piece, square)).collect();
        // Kings have 9 squares, advisors 5, elephants 7, pawns 55, and other pieces all.
        assert_eq!(indices, (1..=2 * (9 + 5 + 7 + 55 + 3 * 90)).collect::<Vec<u16>>());
        assert_eq!([of_side(Side::Red), of_side(Side::Black)], [(1, 346), (347, 692)]);
        let (king, pawn) = (Piece::ALL[0], Piece::ALL[6]);
        assert_eq!([index(king, "a0".parse().unwrap()), index(pawn, "b4".parse().unwrap())], [NONE; 2]);
    }
}
