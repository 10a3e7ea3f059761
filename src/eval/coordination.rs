//! Men that are worth more together: pawns across the river.

use super::king::guards;
use super::terms::{Tally, count};
use crate::position::Position;
use crate::tables::geometry;
use crate::types::{Piece, PieceKind, Side};

#[inline(always)]
pub(super) fn count_coordination<T: Tally>(position: &Position, side: Side, tally: &mut T) {
    let pawn = Piece::new(side, PieceKind::Pawn);
    let mut crossed = 0;
    for &square in position.squares(pawn) {
        if geometry::has_crossed(side, square) {
            crossed += 1;
            if position.piece_on(square.offset(1)) == Some(pawn) {
                count!(tally, side, linked_pawns[0]);
            }
        }
    }
    let enemy_advisors = guards(position, !side, PieceKind::Advisor);
    count!(tally, side, crossed_pawns[crossed.min(5)][enemy_advisors]);
}
