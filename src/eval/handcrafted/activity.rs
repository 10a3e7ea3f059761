//! Terms of one side: pairs of pieces, mobility (points that rooks, cannons and horses reach, points of the enemy
//! palace that they attack, and pieces that they attack and protect), contact between pieces, king danger (guards,
//! attackers across the river, lines and horses aimed at the enemy king) and crossed pawns.

use super::terms::{Accumulate, add_term};
use crate::position::Position;
use crate::tables::geometry;
use crate::tables::lines::{self, Line};
use crate::types::{Piece, PieceKind, Side, Square, Value};

const KINDS: usize = PieceKind::COUNT;

#[inline(always)]
pub(super) fn count_side<A: Accumulate>(position: &Position, side: Side, sum: &mut A) {
    count_pairs(position, side, sum);
    count_mobility(position, side, sum);
    count_king_danger(position, side, sum);
    count_crossed_pawns(position, side, sum);
}

#[inline(always)]
pub(super) fn count_pairs<A: Accumulate>(position: &Position, side: Side, sum: &mut A) {
    let count = |side, kind| position.count(Piece::new(side, kind)) as Value;
    for (first, &kind) in PieceKind::ALL.iter().enumerate().skip(1) {
        let own = count(side, kind);
        add_term!(sum, side, own * (own - 1) / 2 => own_pairs[first * KINDS + first]);
        for (second, &other) in PieceKind::ALL.iter().enumerate().skip(first + 1) {
            add_term!(sum, side, own * count(side, other) => own_pairs[first * KINDS + second]);
            add_term!(sum, side, own * count(!side, other) => enemy_pairs[first * KINDS + second]);
        }
    }
}

const PALACE_FILES: u16 = 0b000_111_000;

const fn palace_ranks(side: Side) -> u16 {
    match side {
        Side::Red => 0b00_0000_0111,
        Side::Black => 0b11_1000_0000,
    }
}

// Rows of the terms `attacks` and `protects`.
const ROOK: usize = 0;
const HORSE: usize = 1;
const CANNON: usize = 2;
const PAWN: usize = 3;

#[inline(always)]
fn count_contact<A: Accumulate>(position: &Position, side: Side, attacker: usize, square: Square, sum: &mut A) {
    if let Some(target) = position.piece_on(square) {
        if target.side() == side {
            add_term!(sum, side, protects[attacker * KINDS + target.kind().index()]);
        } else {
            add_term!(sum, side, attacks[attacker * KINDS + target.kind().index()]);
        }
    }
}

#[inline(always)]
fn count_mobility<A: Accumulate>(position: &Position, side: Side, sum: &mut A) {
    let own = |kind| position.squares(Piece::new(side, kind)).iter().copied();
    for (kind, row) in [(PieceKind::Rook, ROOK), (PieceKind::Cannon, CANNON)] {
        for from in own(kind) {
            let on_rank = lines::along_rank(from.file(), position.rank_occupancy(from));
            let on_file = lines::along_file(from.rank(), position.file_occupancy(from));
            let reach = lines::count_bits(on_rank.quiet) + lines::count_bits(on_file.quiet);
            let is_rook = kind == PieceKind::Rook;
            let (files, ranks) = if is_rook { (on_rank.rook, on_file.rook) } else { (on_rank.cannon, on_file.cannon) };
            lines::bits(files).for_each(|file| count_contact(position, side, row, from.with_file(file), sum));
            lines::bits(ranks).for_each(|rank| count_contact(position, side, row, from.with_rank(rank), sum));
            if !is_rook {
                add_term!(sum, side, cannon_mobility[reach]);
                continue;
            }
            add_term!(sum, side, rook_mobility[reach]);
            let palace_ranks = palace_ranks(!side);
            let mut attacks = 0;
            if palace_ranks & (1 << from.rank()) != 0 {
                attacks += lines::count_bits((on_rank.quiet | on_rank.rook) & PALACE_FILES);
            }
            if PALACE_FILES & (1 << from.file()) != 0 {
                attacks += lines::count_bits((on_file.quiet | on_file.rook) & palace_ranks);
            }
            if attacks > 0 {
                add_term!(sum, side, rook_palace_attacks[attacks.min(5)]);
            }
        }
    }
    for horse in own(PieceKind::Horse) {
        let (mut reach, mut attacks) = (0, 0);
        for step in geometry::horse(horse).iter().filter(|step| position.piece_on(step.over).is_none()) {
            count_contact(position, side, HORSE, step.square, sum);
            reach += usize::from(position.piece_on(step.square).is_none_or(|piece| piece.side() != side));
            let is_in_enemy_palace = geometry::is_in_palace(step.square) && geometry::has_crossed(side, step.square);
            attacks += usize::from(is_in_enemy_palace);
        }
        add_term!(sum, side, horse_mobility[reach]);
        if attacks > 0 {
            add_term!(sum, side, horse_palace_attacks[attacks.min(4)]);
        }
    }
    for pawn in own(PieceKind::Pawn) {
        for square in geometry::pawn(side, pawn).iter() {
            if let Some(target) = position.piece_on(square).filter(|target| target.side() != side) {
                add_term!(sum, side, attacks[PAWN * KINDS + target.kind().index()]);
            }
        }
    }
}

/// Number of advisors (or elephants) of a side as an index, 0 to 2; surplus pieces of composed problems count as two.
#[inline(always)]
fn guards(position: &Position, side: Side, kind: PieceKind) -> usize {
    position.count(Piece::new(side, kind)).min(2)
}

#[inline(always)]
fn count_king_danger<A: Accumulate>(position: &Position, side: Side, sum: &mut A) {
    let own = |kind| position.squares(Piece::new(side, kind)).iter().copied();
    let king = position.king(!side);
    let enemy_advisors = guards(position, !side, PieceKind::Advisor);
    let [advisors, elephants] = [PieceKind::Advisor, PieceKind::Elephant].map(|kind| guards(position, side, kind));
    add_term!(sum, side, guard[3 * advisors + elephants]);

    let line_to_king = |from| Line::new(king, from, position.rank_occupancy(king), position.file_occupancy(king));
    // The pieces between, of which there must be this number, each with whether it is an own piece and its kind.
    let screens = |line: Line, number: usize| {
        let pieces = line.occupied().filter_map(|square| position.piece_on(square));
        pieces.filter(move |_| line.screens() == number).map(|piece| (piece.side() == side, piece.kind().index()))
    };
    for line in own(PieceKind::Cannon).filter_map(line_to_king) {
        for (is_own, kind) in screens(line, 2) {
            if is_own {
                add_term!(sum, side, cannon_discovery[kind]);
            } else {
                add_term!(sum, side, cannon_pin[kind]);
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
    for line in own(PieceKind::Rook).filter_map(line_to_king).filter(|line| line.screens() == 1) {
        add_term!(sum, side, rook_behind_blocker[usize::from(line.is_along_rank())]);
        for (is_own, kind) in screens(line, 1) {
            if is_own {
                add_term!(sum, side, rook_discovery[kind]);
            } else {
                add_term!(sum, side, rook_pin[kind]);
            }
        }
    }
    for (is_own, kind) in line_to_king(position.king(side)).into_iter().flat_map(|line| screens(line, 1)) {
        if is_own {
            add_term!(sum, side, facing_kings_pin[kind]);
        }
    }
    for leg in own(PieceKind::Horse).filter_map(|horse| geometry::horse_leg(horse, king)) {
        if position.piece_on(leg).is_some() {
            add_term!(sum, side, blocked_horse_check[0]);
        }
    }
    let attackers = [PieceKind::Rook, PieceKind::Horse, PieceKind::Cannon, PieceKind::Pawn].into_iter().flat_map(own);
    let attackers = attackers.filter(|&attacker| geometry::has_crossed(side, attacker)).count();
    add_term!(sum, side, king_danger[3 * attackers.min(7) + enemy_advisors]);
}

#[inline(always)]
fn count_crossed_pawns<A: Accumulate>(position: &Position, side: Side, sum: &mut A) {
    let pawn = Piece::new(side, PieceKind::Pawn);
    let mut crossed = 0;
    for square in position.squares(pawn).iter().filter(|&&square| geometry::has_crossed(side, square)) {
        crossed += 1;
        if position.piece_on(square.offset(1)) == Some(pawn) {
            add_term!(sum, side, linked_pawns[0]);
        }
    }
    let enemy_advisors = guards(position, !side, PieceKind::Advisor);
    add_term!(sum, side, crossed_pawns[3 * crossed.min(5) + enemy_advisors]);
}
