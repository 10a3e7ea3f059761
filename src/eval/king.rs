//! The safety of kings: their guards, the men massed against them, and the lines that aim at them.

use super::terms::{Tally, count};
use crate::position::Position;
use crate::tables::{geometry, lines};
use crate::types::{Piece, PieceKind, Side};

/// The advisors (or elephants) of a side as an index; surplus men of composed problems count as two.
#[inline(always)]
pub(super) fn guards(position: &Position, side: Side, kind: PieceKind) -> usize {
    position.count(Piece::new(side, kind)).min(2)
}

/// What `side` has against the enemy king, and the guard of its own.
pub(super) fn count_king_safety<T: Tally>(position: &Position, side: Side, tally: &mut T) {
    let own = |kind| position.squares(Piece::new(side, kind)).iter().copied();
    let king = position.king(!side);
    let enemy_advisors = guards(position, !side, PieceKind::Advisor);
    let (advisors, elephants) =
        (guards(position, side, PieceKind::Advisor), guards(position, side, PieceKind::Elephant));
    count!(tally, side, guard[advisors][elephants]);

    let along_rank = lines::along_rank(king.file(), position.rank_word(king));
    let along_file = lines::along_file(king.rank(), position.file_word(king));
    let mut attackers = 0;
    for cannon in own(PieceKind::Cannon) {
        attackers += usize::from(geometry::has_crossed(side, cannon));
        if cannon.column() == king.column() {
            let bit = 1 << cannon.rank();
            if along_file.rook & bit != 0 {
                count!(tally, side, hollow_cannon[enemy_advisors]);
            } else if along_file.two_screens & bit != 0 {
                count!(tally, side, central_cannon[enemy_advisors]);
            }
        } else if cannon.row() == king.row() {
            let bit = 1 << cannon.file();
            if along_rank.rook & bit != 0 {
                count!(tally, side, bottom_cannon[enemy_advisors]);
            } else if along_rank.two_screens & bit != 0 {
                count!(tally, side, screened_bottom_cannon[enemy_advisors]);
            }
        }
    }
    for rook in own(PieceKind::Rook) {
        attackers += usize::from(geometry::has_crossed(side, rook));
        if rook.column() == king.column() {
            if along_file.cannon & (1 << rook.rank()) != 0 {
                count!(tally, side, rook_behind_blocker[0]);
            }
        } else if rook.row() == king.row() && along_rank.cannon & (1 << rook.file()) != 0 {
            count!(tally, side, rook_behind_blocker[1]);
        }
    }
    for horse in own(PieceKind::Horse) {
        attackers += usize::from(geometry::has_crossed(side, horse));
        if geometry::horse_leg(horse, king).is_some_and(|leg| position.piece_on(leg).is_some()) {
            count!(tally, side, blocked_horse_check[0]);
        }
    }
    attackers += own(PieceKind::Pawn).filter(|&pawn| geometry::has_crossed(side, pawn)).count();
    count!(tally, side, exposure[attackers.min(7)][enemy_advisors]);
}
