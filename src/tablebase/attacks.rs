//! Check detection for small endings.

use std::sync::LazyLock;

use crate::counting::Placement;
use crate::tables::geometry;
use crate::types::{Piece, PieceKind, Side, Square, SquareSet};

/// Returns the square of the king of `side`, which must exist.
pub(super) fn king_of(placement: &Placement, side: Side) -> Square {
    match placement.squares(Piece::new(side, PieceKind::King)).iter().next() {
        Some(king) => king,
        None => unreachable!("every ending has both kings"),
    }
}

/// Returns whether the king of `side` is attacked by a piece or faces the other king on an open file.
pub(super) fn is_checked(placement: &Placement, side: Side) -> bool {
    let king = king_of(placement, side);
    let other = king_of(placement, !side);
    let occupied = placement.occupied();
    if king.file() == other.file() && pieces_between(king, other, occupied) == 0 {
        return true;
    }
    let attackers = |kind| placement.squares(Piece::new(!side, kind)).iter();
    attackers(PieceKind::Rook).any(|from| are_in_line(from, king) && pieces_between(from, king, occupied) == 0)
        || attackers(PieceKind::Cannon).any(|from| are_in_line(from, king) && pieces_between(from, king, occupied) == 1)
        || attackers(PieceKind::Horse)
            .any(|from| geometry::horse_leg(from, king).is_some_and(|leg| !occupied.contains(leg)))
        || attackers(PieceKind::Pawn).any(|from| geometry::pawn(!side, from).iter().any(|to| to == king))
}

/// Returns whether two different squares share a rank or a file.
pub(super) fn are_in_line(one: Square, other: Square) -> bool {
    one != other && (one.file() == other.file() || one.rank() == other.rank())
}

/// Returns the squares strictly between two squares of a rank or file; empty otherwise.
#[inline]
pub(super) fn between(one: Square, other: Square) -> SquareSet {
    static BETWEEN: LazyLock<Vec<SquareSet>> = LazyLock::new(|| {
        Square::all().flat_map(|one| Square::all().map(move |other| squares_between(one, other))).collect()
    });
    BETWEEN[one.index() * Square::COUNT + other.index()]
}

fn squares_between(one: Square, other: Square) -> SquareSet {
    if !are_in_line(one, other) {
        return SquareSet::EMPTY;
    }
    let (low, high) = (one.index().min(other.index()), one.index().max(other.index()));
    let stride = if one.rank() == other.rank() { 1 } else { usize::from(Square::FILES) };
    (low + stride..high).step_by(stride).map(Square::from_index).collect()
}

fn pieces_between(one: Square, other: Square, occupied: SquareSet) -> u32 {
    (between(one, other) & occupied).len()
}
