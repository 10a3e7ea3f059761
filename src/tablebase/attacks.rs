//! Attacks in small endings: check detection on a placement, and bit-parallel move generation on sets of squares
//! (fills).
//!
//! A fill computes for a whole set what the geometry tables give for one square. The retrograde analysis handles all
//! squares of one piece together, so one 128-bit word represents ninety positions. Fills are independent of the side to
//! move.

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

/// Direction along a rank or a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    /// Toward rank 9.
    North,
    /// Toward rank 0.
    South,
    /// Toward file i.
    East,
    /// Toward file a.
    West,
}

use Direction::{East, North, South, West};

impl Direction {
    pub(super) const ALL: [Direction; 4] = [North, South, East, West];

    pub(super) const fn opposite(self) -> Direction {
        match self {
            North => South,
            South => North,
            East => West,
            West => East,
        }
    }

    /// The two perpendicular directions.
    pub(super) const fn across(self) -> [Direction; 2] {
        match self {
            North | South => [East, West],
            East | West => [North, South],
        }
    }
}

/// Shifts a set by one step; squares that would leave the board are dropped.
#[inline(always)]
pub(super) const fn step(set: SquareSet, direction: Direction) -> SquareSet {
    const FILE_A: u128 = file(0);
    const FILE_I: u128 = file(8);
    let bits = set.bits();
    SquareSet::from_bits(match direction {
        North => bits << 9,
        South => bits >> 9,
        East => (bits & !FILE_I) << 1,
        West => (bits & !FILE_A) >> 1,
    })
}

/// Squares of one file.
const fn file(file: u32) -> u128 {
    let mut bits = 0;
    let mut rank = 0;
    while rank < 10 {
        bits |= 1 << (rank * 9 + file);
        rank += 1;
    }
    bits
}

/// Returns the empty squares that a slider on a square of `set` reaches along `direction`, up to the first piece.
#[inline(always)]
pub(super) fn slide(set: SquareSet, direction: Direction, empty: SquareSet) -> SquareSet {
    let mut seen = SquareSet::EMPTY;
    let mut front = step(set, direction) & empty;
    while !front.is_empty() {
        seen |= front;
        front = step(front, direction) & empty;
    }
    seen
}

/// Returns the empty squares from which a rook reaches a square of `set` along empty squares.
#[inline(always)]
pub(super) fn rook_sources(set: SquareSet, empty: SquareSet) -> SquareSet {
    let mut sources = SquareSet::EMPTY;
    for direction in Direction::ALL {
        sources |= slide(set, direction, empty);
    }
    sources
}

/// Returns the empty squares from which a cannon reaches a square of `set` over exactly one screen.
pub(super) fn cannon_capture_sources(set: SquareSet, empty: SquareSet) -> SquareSet {
    let mut sources = SquareSet::EMPTY;
    for direction in Direction::ALL {
        let screens = step(set | slide(set, direction, empty), direction) - empty;
        sources |= slide(screens, direction, empty);
    }
    sources
}

/// Returns the empty squares from which a horse reaches a square of `set`.
#[inline(always)]
pub(super) fn horse_sources(set: SquareSet, empty: SquareSet) -> SquareSet {
    let mut sources = SquareSet::EMPTY;
    for direction in Direction::ALL {
        let free_leg = step(empty, direction.opposite());
        let back = direction.opposite();
        let turned = step(set, direction.across()[0]) | step(set, direction.across()[1]);
        sources |= step(step(turned, back), back) & free_leg;
    }
    sources & empty
}

/// Returns the empty squares from which a red pawn reaches a square of `set`.
#[inline(always)]
pub(super) fn pawn_sources(set: SquareSet, empty: SquareSet) -> SquareSet {
    const CROSSED: u128 = ((1 << 90) - 1) & !((1 << 45) - 1);
    let sideways = (step(set, East) | step(set, West)) & SquareSet::from_bits(CROSSED);
    (step(set, South) | sideways) & empty
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::geometry;
    use crate::types::{Side, Square};

    fn one(square: Square) -> SquareSet {
        SquareSet::from_iter([square])
    }

    #[test]
    fn steps_agree_with_the_mailbox() {
        for square in Square::all() {
            for (direction, delta) in Direction::ALL.into_iter().zip(geometry::ORTHOGONAL) {
                let beside = square.offset(delta);
                let expected = if beside.is_on_board() { one(beside) } else { SquareSet::EMPTY };
                assert_eq!(step(one(square), direction), expected, "{square} {direction:?}");
            }
        }
    }

    #[test]
    fn horse_and_pawn_sources_agree_with_the_tables() {
        for blocked in Square::all() {
            let empty = SquareSet::FULL - one(blocked);
            for target in Square::all() {
                let horses: SquareSet = geometry::horses_attacking(target)
                    .iter()
                    .filter(|step| step.over != blocked && step.square != blocked)
                    .map(|step| step.square)
                    .collect();
                assert_eq!(horse_sources(one(target), empty), horses, "{target} with {blocked}");
                let pawns: SquareSet =
                    geometry::pawns_attacking(Side::Red, target).iter().filter(|&from| from != blocked).collect();
                // The table omits squares where no red pawn can stand.
                let found = pawn_sources(one(target), empty);
                assert_eq!(found & pawns, pawns, "{target}");
                assert!((found - pawns).iter().all(|from| !geometry::is_pawn_point(Side::Red, from)), "{target}");
            }
        }
    }
}
