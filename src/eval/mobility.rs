//! How freely rooks, cannons and horses move, and how much of the enemy palace they reach.

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

pub(super) fn count_mobility<T: Tally>(position: &Position, side: Side, tally: &mut T) {
    let own = |kind| position.squares(Piece::new(side, kind)).iter().copied();
    for rook in own(PieceKind::Rook) {
        let on_rank = lines::along_rank(rook.file(), position.rank_word(rook));
        let on_file = lines::along_file(rook.rank(), position.file_word(rook));
        let reach = lines::count(on_rank.quiet) + lines::count(on_file.quiet);
        count!(tally, side, rook_mobility[reach]);
        let ranks = palace_ranks(!side);
        let mut attacks = 0;
        if ranks & (1 << rook.rank()) != 0 {
            attacks += lines::count((on_rank.quiet | on_rank.rook) & PALACE_FILES);
        }
        if PALACE_FILES & (1 << rook.file()) != 0 {
            attacks += lines::count((on_file.quiet | on_file.rook) & ranks);
        }
        if attacks > 0 {
            count!(tally, side, rook_palace_attacks[attacks.min(5)]);
        }
    }
    for cannon in own(PieceKind::Cannon) {
        let on_rank = lines::along_rank(cannon.file(), position.rank_word(cannon));
        let on_file = lines::along_file(cannon.rank(), position.file_word(cannon));
        let reach = lines::count(on_rank.quiet) + lines::count(on_file.quiet);
        count!(tally, side, cannon_mobility[reach]);
    }
    for horse in own(PieceKind::Horse) {
        let (mut reach, mut attacks) = (0, 0);
        for hop in geometry::horse(horse).iter() {
            if position.piece_on(hop.over).is_some() {
                continue;
            }
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
}
