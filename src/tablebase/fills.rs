//! Whole sets of points at once: what lies beside, along and behind every point of a set.
//!
//! Answers for a set what the tables of geometry answer for one point. The retrograde analysis asks for all places of
//! one man together, so that one word of 128 bits stands for ninety positions. Nothing here knows whose turn it is.

use crate::types::SquareSet;

/// A step along a rank or a file.
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
    /// All four.
    pub(super) const ALL: [Direction; 4] = [North, South, East, West];

    /// The way back.
    pub(super) const fn opposite(self) -> Direction {
        match self {
            North => South,
            South => North,
            East => West,
            West => East,
        }
    }

    /// The two directions across this one.
    pub(super) const fn across(self) -> [Direction; 2] {
        match self {
            North | South => [East, West],
            East | West => [North, South],
        }
    }
}

/// The points one step from those of `set`; what would leave the board is lost.
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

/// The points of one file.
const fn file(file: u32) -> u128 {
    let mut bits = 0;
    let mut rank = 0;
    while rank < 10 {
        bits |= 1 << (rank * 9 + file);
        rank += 1;
    }
    bits
}

/// The empty points that a man on a point of `set` sees along `direction`, up to the first man.
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

/// The empty points from which a rook reaches a point of `set`, along lines without men.
#[inline(always)]
pub(super) fn rook_sources(set: SquareSet, empty: SquareSet) -> SquareSet {
    let mut sources = SquareSet::EMPTY;
    for direction in Direction::ALL {
        sources |= slide(set, direction, empty);
    }
    sources
}

/// The empty points from which a cannon reaches a point of `set` over exactly one man.
pub(super) fn cannon_capture_sources(set: SquareSet, empty: SquareSet) -> SquareSet {
    let mut sources = SquareSet::EMPTY;
    for direction in Direction::ALL {
        let screens = step(set | slide(set, direction, empty), direction) - empty;
        sources |= slide(screens, direction, empty);
    }
    sources
}

/// The empty points from which a horse reaches a point of `set`.
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

/// The empty points from which a pawn of Red reaches a point of `set`.
#[inline(always)]
pub(super) fn pawn_sources(set: SquareSet, empty: SquareSet) -> SquareSet {
    const CROSSED: u128 = ((1 << 90) - 1) & !((1 << 45) - 1);
    let sideways = (step(set, East) | step(set, West)) & SquareSet::from_bits(CROSSED);
    (step(set, South) | sideways) & empty
}

#[cfg(test)]
mod tests {
    use crate::tables::geometry;
    use crate::types::{Side, Square};

    use super::*;

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
    fn horses_and_pawns_come_from_where_the_tables_say() {
        for blocked in Square::all() {
            let empty = SquareSet::FULL - one(blocked);
            for target in Square::all() {
                let horses: SquareSet = geometry::horses_attacking(target)
                    .iter()
                    .filter(|hop| hop.over != blocked && hop.square != blocked)
                    .map(|hop| hop.square)
                    .collect();
                assert_eq!(horse_sources(one(target), empty), horses, "{target} with {blocked}");
                let pawns: SquareSet =
                    geometry::pawns_attacking(Side::Red, target).iter().filter(|&from| from != blocked).collect();
                // The table leaves out places where no pawn of Red can stand.
                let found = pawn_sources(one(target), empty);
                assert_eq!(found & pawns, pawns, "{target}");
                assert!((found - pawns).iter().all(|from| !geometry::is_pawn_point(Side::Red, from)), "{target}");
            }
        }
    }
}
