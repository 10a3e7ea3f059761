//! Mobility: points that rooks, cannons and horses reach, points of the enemy palace that they attack, and pieces that
//! they attack and protect.

use super::terms::{Accumulate, add_term};
use crate::position::Position;
use crate::tables::{geometry, lines};
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
        for hop in geometry::horse(horse).iter() {
            if position.piece_on(hop.over).is_some() {
                continue;
            }
            count_contact(position, side, HORSE, hop.square, sum);
            if position.piece_on(hop.square).is_none_or(|piece| piece.side() != side) {
                reach += 1;
            }
            attacks += usize::from(is_in_palace_of(!side, hop.square));
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
