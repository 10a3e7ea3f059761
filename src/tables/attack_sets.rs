//! Squares that king, advisor, elephant, horse and pawn attack, as sets. Built from the steps of [`super::geometry`].

use super::geometry::{self, BlockableStep, Steps};
use crate::types::{Side, Square, SquareSet};

/// Squares attacked over one leg or eye.
#[derive(Clone, Copy)]
struct BlockableSet {
    /// Leg of a horse or eye of an elephant; empty for unused entries, whose targets are empty too.
    over: SquareSet,
    /// Squares attacked while it is empty.
    targets: SquareSet,
}

/// Blockable attacks of a horse or an elephant, by leg or eye.
type BlockableSets = [BlockableSet; 4];

const UNUSED: BlockableSet = BlockableSet { over: SquareSet::EMPTY, targets: SquareSet::EMPTY };

/// Returns the union of steps.
const fn union<const N: usize>(steps: &Steps<Square, N>) -> SquareSet {
    let mut set = SquareSet::EMPTY;
    let mut i = 0;
    while i < steps.len() {
        set.insert(steps.get(i));
        i += 1;
    }
    set
}

/// Groups steps by the squares that block them.
const fn by_blocker<const N: usize>(steps: &Steps<BlockableStep, N>) -> BlockableSets {
    let mut sets = [UNUSED; 4];
    let mut i = 0;
    while i < steps.len() {
        let step = steps.get(i);
        let over = SquareSet::from_square(step.over);
        let mut j = 0;
        while !sets[j].over.is_empty() && sets[j].over.bits() != over.bits() {
            j += 1;
        }
        sets[j].over = over;
        sets[j].targets.insert(step.square);
        i += 1;
    }
    sets
}

/// Tables by dense square index.
struct Tables {
    king: [SquareSet; Square::COUNT],
    advisor: [SquareSet; Square::COUNT],
    elephant: [BlockableSets; Square::COUNT],
    horse: [BlockableSets; Square::COUNT],
    pawn: [[SquareSet; Square::COUNT]; 2],
}

static TABLES: Tables = {
    let mut tables = Tables {
        king: [SquareSet::EMPTY; Square::COUNT],
        advisor: [SquareSet::EMPTY; Square::COUNT],
        elephant: [[UNUSED; 4]; Square::COUNT],
        horse: [[UNUSED; 4]; Square::COUNT],
        pawn: [[SquareSet::EMPTY; Square::COUNT]; 2],
    };
    let mut index = 0;
    while index < Square::COUNT {
        let from = Square::from_index(index);
        tables.king[index] = union(&geometry::king_steps(from));
        tables.advisor[index] = union(&geometry::advisor_steps(from));
        tables.elephant[index] = by_blocker(&geometry::elephant_steps(from));
        tables.horse[index] = by_blocker(&geometry::horse_steps(from));
        tables.pawn[Side::Red as usize][index] = union(&geometry::pawn_steps(Side::Red, from));
        tables.pawn[Side::Black as usize][index] = union(&geometry::pawn_steps(Side::Black, from));
        index += 1;
    }
    tables
};

/// Returns the squares that a king on `from` attacks inside its palace.
#[inline(always)]
pub fn king(from: Square) -> SquareSet {
    TABLES.king[from.index()]
}

/// Returns the squares that an advisor on `from` attacks.
#[inline(always)]
pub fn advisor(from: Square) -> SquareSet {
    TABLES.advisor[from.index()]
}

/// Returns the squares that an elephant on `from` attacks with these squares occupied.
#[inline(always)]
pub fn elephant(from: Square, occupied: SquareSet) -> SquareSet {
    unblocked(&TABLES.elephant[from.index()], occupied)
}

/// Returns the squares that a horse on `from` attacks with these squares occupied.
#[inline(always)]
pub fn horse(from: Square, occupied: SquareSet) -> SquareSet {
    unblocked(&TABLES.horse[from.index()], occupied)
}

#[inline(always)]
fn unblocked(sets: &BlockableSets, occupied: SquareSet) -> SquareSet {
    sets.iter().fold(
        SquareSet::EMPTY,
        |union, set| {
            if (set.over & occupied).is_empty() { union | set.targets } else { union }
        },
    )
}

/// Returns the squares that a pawn of `side` on `from` attacks.
#[inline(always)]
pub fn pawn(side: Side, from: Square) -> SquareSet {
    TABLES.pawn[side.index()][from.index()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_the_steps() {
        for from in Square::all() {
            let steps = |steps: &mut dyn Iterator<Item = Square>| steps.collect::<SquareSet>();
            assert_eq!(king(from), steps(&mut geometry::king(from).iter()));
            assert_eq!(advisor(from), steps(&mut geometry::advisor(from).iter()));
            for side in [Side::Red, Side::Black] {
                assert_eq!(pawn(side, from), steps(&mut geometry::pawn(side, from).iter()));
            }
            for blocked in Square::all() {
                let occupied = SquareSet::from_square(blocked);
                let free = |step: &BlockableStep| step.over != blocked;
                let horse_steps = geometry::horse(from).iter().filter(free).map(|step| step.square);
                assert_eq!(horse(from, occupied), horse_steps.collect());
                let elephant_steps = geometry::elephant(from).iter().filter(free).map(|step| step.square);
                assert_eq!(elephant(from, occupied), elephant_steps.collect());
            }
        }
    }
}
