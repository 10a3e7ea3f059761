//! The safety of kings: their guards, the men massed against them, and the lines that aim at them.

use super::terms::{Tally, count};
use crate::position::Position;
use crate::tables::geometry;
use crate::tables::lines::Line;
use crate::types::{Piece, PieceKind, Side};

/// The advisors (or elephants) of a side as an index; surplus men of composed problems count as two.
#[inline(always)]
pub(super) fn guards(position: &Position, side: Side, kind: PieceKind) -> usize {
    position.count(Piece::new(side, kind)).min(2)
}

/// What `side` has against the enemy king, and the guard of its own.
#[inline(always)]
pub(super) fn count_king_safety<T: Tally>(position: &Position, side: Side, tally: &mut T) {
    let own = |kind| position.squares(Piece::new(side, kind)).iter().copied();
    let king = position.king(!side);
    let enemy_advisors = guards(position, !side, PieceKind::Advisor);
    let (advisors, elephants) =
        (guards(position, side, PieceKind::Advisor), guards(position, side, PieceKind::Elephant));
    count!(tally, side, guard[advisors][elephants]);

    let sight_of_king = |from| Line::new(king, from, position.rank_occupancy(king), position.file_occupancy(king));
    let mut attackers = 0;
    for cannon in own(PieceKind::Cannon) {
        attackers += usize::from(geometry::has_crossed(side, cannon));
        if let Some(sight) = sight_of_king(cannon) {
            if sight.screens() == 2 {
                for man in sight.occupied().filter_map(|square| position.piece_on(square)) {
                    if man.side() == side {
                        count!(tally, side, cannon_discovery[man.kind().index()]);
                    } else {
                        count!(tally, side, cannon_pin[man.kind().index()]);
                    }
                }
            }
            match (sight.is_along_rank(), sight.screens()) {
                (false, 0) => count!(tally, side, hollow_cannon[enemy_advisors]),
                (false, 2) => count!(tally, side, central_cannon[enemy_advisors]),
                (true, 0) => count!(tally, side, bottom_cannon[enemy_advisors]),
                (true, 2) => count!(tally, side, screened_bottom_cannon[enemy_advisors]),
                _ => {}
            }
        }
    }
    for rook in own(PieceKind::Rook) {
        attackers += usize::from(geometry::has_crossed(side, rook));
        if let Some(sight) = sight_of_king(rook).filter(|sight| sight.screens() == 1) {
            count!(tally, side, rook_behind_blocker[usize::from(sight.is_along_rank())]);
            for man in sight.occupied().filter_map(|square| position.piece_on(square)) {
                if man.side() == side {
                    count!(tally, side, rook_discovery[man.kind().index()]);
                } else {
                    count!(tally, side, rook_pin[man.kind().index()]);
                }
            }
        }
    }
    if let Some(sight) = sight_of_king(position.king(side)).filter(|sight| sight.screens() == 1) {
        for man in sight.occupied().filter_map(|square| position.piece_on(square)) {
            if man.side() == side {
                count!(tally, side, facing_kings_pin[man.kind().index()]);
            }
        }
    }
    for horse in own(PieceKind::Horse) {
        attackers += usize::from(geometry::has_crossed(side, horse));
        if geometry::horse_leg(horse, king).is_some_and(|leg| position.piece_on(leg).is_some()) {
            count!(tally, side, blocked_horse_check[0]);
        }
    }
    attackers += own(PieceKind::Pawn).filter(|&pawn| geometry::has_crossed(side, pawn)).count();
    count!(tally, side, king_danger[attackers.min(7)][enemy_advisors]);
}
