//! King danger: guards, attackers across the river, and lines and horses aimed at the enemy king.

use super::terms::{Accumulate, add_term};
use crate::position::Position;
use crate::tables::geometry;
use crate::tables::lines::Line;
use crate::types::{Piece, PieceKind, Side};

/// Number of advisors (or elephants) of a side as an index, 0 to 2; surplus pieces of composed problems count as two.
#[inline(always)]
fn guards(position: &Position, side: Side, kind: PieceKind) -> usize {
    position.count(Piece::new(side, kind)).min(2)
}

/// Counts the threats of `side` against the enemy king, and the guards of its own.
#[inline(always)]
pub(super) fn count_king_danger<A: Accumulate>(position: &Position, side: Side, sum: &mut A) {
    let own = |kind| position.squares(Piece::new(side, kind)).iter().copied();
    let king = position.king(!side);
    let enemy_advisors = guards(position, !side, PieceKind::Advisor);
    let (advisors, elephants) =
        (guards(position, side, PieceKind::Advisor), guards(position, side, PieceKind::Elephant));
    add_term!(sum, side, guard[advisors][elephants]);

    let line_to_king = |from| Line::new(king, from, position.rank_occupancy(king), position.file_occupancy(king));
    let mut attackers = 0;
    for cannon in own(PieceKind::Cannon) {
        attackers += usize::from(geometry::has_crossed(side, cannon));
        if let Some(line) = line_to_king(cannon) {
            if line.screens() == 2 {
                for screen in line.occupied().filter_map(|square| position.piece_on(square)) {
                    if screen.side() == side {
                        add_term!(sum, side, cannon_discovery[screen.kind().index()]);
                    } else {
                        add_term!(sum, side, cannon_pin[screen.kind().index()]);
                    }
                }
            }
            match (line.is_along_rank(), line.screens()) {
                (false, 0) => add_term!(sum, side, hollow_cannon[enemy_advisors]),
                (false, 2) => add_term!(sum, side, central_cannon[enemy_advisors]),
                (true, 0) => add_term!(sum, side, bottom_cannon[enemy_advisors]),
                (true, 2) => add_term!(sum, side, screened_bottom_cannon[enemy_advisors]),
                _ => {}
            }
        }
    }
    for rook in own(PieceKind::Rook) {
        attackers += usize::from(geometry::has_crossed(side, rook));
        if let Some(line) = line_to_king(rook).filter(|line| line.screens() == 1) {
            add_term!(sum, side, rook_behind_blocker[usize::from(line.is_along_rank())]);
            for blocker in line.occupied().filter_map(|square| position.piece_on(square)) {
                if blocker.side() == side {
                    add_term!(sum, side, rook_discovery[blocker.kind().index()]);
                } else {
                    add_term!(sum, side, rook_pin[blocker.kind().index()]);
                }
            }
        }
    }
    if let Some(line) = line_to_king(position.king(side)).filter(|line| line.screens() == 1) {
        for blocker in line.occupied().filter_map(|square| position.piece_on(square)) {
            if blocker.side() == side {
                add_term!(sum, side, facing_kings_pin[blocker.kind().index()]);
            }
        }
    }
    for horse in own(PieceKind::Horse) {
        attackers += usize::from(geometry::has_crossed(side, horse));
        if geometry::horse_leg(horse, king).is_some_and(|leg| position.piece_on(leg).is_some()) {
            add_term!(sum, side, blocked_horse_check[0]);
        }
    }
    attackers += own(PieceKind::Pawn).filter(|&pawn| geometry::has_crossed(side, pawn)).count();
    add_term!(sum, side, king_danger[attackers.min(7)][enemy_advisors]);
}

/// Counts the pawns of `side` that have crossed the river, and those of them that protect each other on a rank.
#[inline(always)]
pub(super) fn count_crossed_pawns<A: Accumulate>(position: &Position, side: Side, sum: &mut A) {
    let pawn = Piece::new(side, PieceKind::Pawn);
    let mut crossed = 0;
    for &square in position.squares(pawn) {
        if geometry::has_crossed(side, square) {
            crossed += 1;
            if position.piece_on(square.offset(1)) == Some(pawn) {
                add_term!(sum, side, linked_pawns[0]);
            }
        }
    }
    let enemy_advisors = guards(position, !side, PieceKind::Advisor);
    add_term!(sum, side, crossed_pawns[crossed.min(5)][enemy_advisors]);
}
