//! Bit-parallel move generation on sets of squares (fills).
//!
//! Computes for a whole set what the geometry tables give for one square. The retrograde analysis handles all squares
//! of one piece together, so one 128-bit word represents ninety positions. Independent of the side to move.

use crate::types::SquareSet;

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
    /// All directions.
    pub(super) const ALL: [Direction; 4] = [North, South, East, West];

    /// Opposite direction.
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
    fn horse_and_pawn_sources_agree_with_the_tables() {
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
                // The table omits squares where no red pawn can stand.
                let found = pawn_sources(one(target), empty);
                assert_eq!(found & pawns, pawns, "{target}");
                assert!((found - pawns).iter().all(|from| !geometry::is_pawn_point(Side::Red, from)), "{target}");
            }
        }
    }
}
