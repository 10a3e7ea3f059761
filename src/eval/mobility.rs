//! How freely rooks, cannons and horses move, how much of the enemy palace they reach, and which men they attack and
//! protect.

use super::terms::{Tally, count};
use crate::position::Position;
use crate::tables::{geometry, lines};
use crate::types::{Piece, PieceKind, Side, Square};

/// The files of a palace in a rank word.
const PALACE_FILES: u16 = 0b000_111_000;

/// The ranks of the palace of `side` in a file word.
const fn palace_ranks(side: Side) -> u16 {
    match side {
        Side::Red => 0b00_0000_0111,
        Side::Black => 0b11_1000_0000,
    }
}

const fn is_in_palace_of(side: Side, square: Square) -> bool {
    geometry::is_in_palace(square) && !geometry::has_crossed(side, square)
}

/// The row of an attacker in the tables of attacks and protections.
const ROOK: usize = 0;
const HORSE: usize = 1;
const CANNON: usize = 2;
const PAWN: usize = 3;

/// Counts the man on `square` as attacked or protected.
#[inline(always)]
fn count_touch<T: Tally>(position: &Position, side: Side, attacker: usize, square: Square, tally: &mut T) {
    if let Some(man) = position.piece_on(square) {
        if man.side() == side {
            count!(tally, side, protects[attacker][man.kind().index()]);
        } else {
            count!(tally, side, attacks[attacker][man.kind().index()]);
        }
    }
}

#[inline(always)]
pub(super) fn count_mobility<T: Tally>(position: &Position, side: Side, tally: &mut T) {
    let own = |kind| position.squares(Piece::new(side, kind)).iter().copied();
    for rook in own(PieceKind::Rook) {
        let on_rank = lines::along_rank(rook.file(), position.rank_occupancy(rook));
        let on_file = lines::along_file(rook.rank(), position.file_occupancy(rook));
        let reach = lines::count_bits(on_rank.quiet) + lines::count_bits(on_file.quiet);
        count!(tally, side, rook_mobility[reach]);
        for file in lines::bits(on_rank.rook) {
            count_touch(position, side, ROOK, rook.with_file(file), tally);
        }
        for rank in lines::bits(on_file.rook) {
            count_touch(position, side, ROOK, rook.with_rank(rank), tally);
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
            count!(tally, side, rook_palace_attacks[attacks.min(5)]);
        }
    }
    for cannon in own(PieceKind::Cannon) {
        let on_rank = lines::along_rank(cannon.file(), position.rank_occupancy(cannon));
        let on_file = lines::along_file(cannon.rank(), position.file_occupancy(cannon));
        let reach = lines::count_bits(on_rank.quiet) + lines::count_bits(on_file.quiet);
        count!(tally, side, cannon_mobility[reach]);
        for file in lines::bits(on_rank.cannon) {
            count_touch(position, side, CANNON, cannon.with_file(file), tally);
        }
        for rank in lines::bits(on_file.cannon) {
            count_touch(position, side, CANNON, cannon.with_rank(rank), tally);
        }
    }
    for horse in own(PieceKind::Horse) {
        let (mut reach, mut attacks) = (0, 0);
        for hop in geometry::horse(horse).iter() {
            if position.piece_on(hop.over).is_some() {
                continue;
            }
            count_touch(position, side, HORSE, hop.square, tally);
            if position.piece_on(hop.square).is_none_or(|piece| piece.side() != side) {
                reach += 1;
            }
            attacks += usize::from(is_in_palace_of(!side, hop.square));
        }
        count!(tally, side, horse_mobility[reach]);
        if attacks > 0 {
            count!(tally, side, horse_palace_attacks[attacks.min(4)]);
        }
    }
    for pawn in own(PieceKind::Pawn) {
        for square in geometry::pawn(side, pawn).iter() {
            if let Some(man) = position.piece_on(square).filter(|man| man.side() != side) {
                count!(tally, side, attacks[PAWN][man.kind().index()]);
            }
        }
    }
}
