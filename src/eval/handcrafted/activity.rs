//! Activity: mobility, contact between pieces, king danger and crossed pawns.
//!
//! Mobility counts points that rooks, cannons and horses reach, points of the enemy palace that they attack, and pieces
//! that they attack and protect. King danger counts guards, attackers across the river, and lines and horses aimed at
//! the enemy king.

use super::terms::{Accumulate, add_term};
use crate::position::Position;
use crate::tables::geometry;
use crate::tables::lines::{self, Line};
use crate::types::{Piece, PieceKind, Side, Square};

/// Files of a palace in a rank occupancy.
const PALACE_FILES: u16 = 0b000_111_000;

/// Returns the ranks of the palace of `side` in a file occupancy.
const fn palace_ranks(side: Side) -> u16 {
    match side {
        Side::Red => 0b00_0000_0111,
        Side::Black => 0b11_1000_0000,
    }
}

const fn is_in_palace_of(side: Side, square: Square) -> bool {
    geometry::is_in_palace(square) && !geometry::has_crossed(side, square)
}

// Rows of the terms `attacks` and `protects`.
const ROOK: usize = 0;
const HORSE: usize = 1;
const CANNON: usize = 2;
const PAWN: usize = 3;

/// Counts the piece on `square` as attacked or protected.
#[inline(always)]
fn count_contact<A: Accumulate>(position: &Position, side: Side, attacker: usize, square: Square, sum: &mut A) {
    if let Some(target) = position.piece_on(square) {
        if target.side() == side {
            add_term!(sum, side, protects[attacker][target.kind().index()]);
        } else {
            add_term!(sum, side, attacks[attacker][target.kind().index()]);
        }
    }
}

#[inline(always)]
pub(super) fn count_mobility<A: Accumulate>(position: &Position, side: Side, sum: &mut A) {
    let own = |kind| position.squares(Piece::new(side, kind)).iter().copied();
    for rook in own(PieceKind::Rook) {
        let on_rank = lines::along_rank(rook.file(), position.rank_occupancy(rook));
        let on_file = lines::along_file(rook.rank(), position.file_occupancy(rook));
        let reach = lines::count_bits(on_rank.quiet) + lines::count_bits(on_file.quiet);
        add_term!(sum, side, rook_mobility[reach]);
        for file in lines::bits(on_rank.rook) {
            count_contact(position, side, ROOK, rook.with_file(file), sum);
        }
        for rank in lines::bits(on_file.rook) {
            count_contact(position, side, ROOK, rook.with_rank(rank), sum);
        }
        let ranks = palace_ranks(!side);
        let mut attacks = 0;
        if ranks & (1 << rook.rank()) != 0 {
            attacks += lines::count_bits((on_rank.quiet | on_rank.rook) & PALACE_FILES);
        }
        if PALACE_FILES & (1 << rook.file()) != 0 {
            attacks += lines::count_bits((on_file.quiet | on_file.rook) & ranks);
        }
        if attacks > 0 {
            add_term!(sum, side, rook_palace_attacks[attacks.min(5)]);
        }
    }
    for cannon in own(PieceKind::Cannon) {
        let on_rank = lines::along_rank(cannon.file(), position.rank_occupancy(cannon));
        let on_file = lines::along_file(cannon.rank(), position.file_occupancy(cannon));
        let reach = lines::count_bits(on_rank.quiet) + lines::count_bits(on_file.quiet);
        add_term!(sum, side, cannon_mobility[reach]);
        for file in lines::bits(on_rank.cannon) {
            count_contact(position, side, CANNON, cannon.with_file(file), sum);
        }
        for rank in lines::bits(on_file.cannon) {
            count_contact(position, side, CANNON, cannon.with_rank(rank), sum);
        }
    }
    for horse in own(PieceKind::Horse) {
        let (mut reach, mut attacks) = (0, 0);
        for step in geometry::horse(horse).iter() {
            if position.piece_on(step.over).is_some() {
                continue;
            }
            count_contact(position, side, HORSE, step.square, sum);
            if position.piece_on(step.square).is_none_or(|piece| piece.side() != side) {
                reach += 1;
            }
            attacks += usize::from(is_in_palace_of(!side, step.square));
        }
        add_term!(sum, side, horse_mobility[reach]);
        if attacks > 0 {
            add_term!(sum, side, horse_palace_attacks[attacks.min(4)]);
        }
    }
    for pawn in own(PieceKind::Pawn) {
        for square in geometry::pawn(side, pawn).iter() {
            if let Some(target) = position.piece_on(square).filter(|target| target.side() != side) {
                add_term!(sum, side, attacks[PAWN][target.kind().index()]);
            }
        }
    }
}

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
