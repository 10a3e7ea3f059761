//! Squares that king, advisor, elephant, horse and pawn attack, as sets, and those that the first three can stand on.

use super::geometry::{self, BlockableStep, Steps};
use super::lines::{self, LineTargets};
use crate::types::{Side, Square, SquareSet};

#[derive(Clone, Copy)]
struct OverEye {
    /// Empty for unused entries, whose target is empty too.
    eye: SquareSet,
    target: SquareSet,
}

const UNUSED: OverEye = OverEye { eye: SquareSet::EMPTY, target: SquareSet::EMPTY };

const fn union<const N: usize>(steps: &Steps<Square, N>) -> SquareSet {
    let mut set = SquareSet::EMPTY;
    let mut i = 0;
    while i < steps.len() {
        set.insert(steps.get(i));
        i += 1;
    }
    set
}

const fn over_eyes(steps: &Steps<BlockableStep, 4>) -> [OverEye; 4] {
    let mut attacks = [UNUSED; 4];
    let mut i = 0;
    while i < steps.len() {
        let BlockableStep { square, over } = steps.get(i);
        attacks[i] = OverEye { eye: SquareSet::from_square(over), target: SquareSet::from_square(square) };
        i += 1;
    }
    attacks
}

/// Returns the squares that a horse attacks by the occupied squares next to it ([`neighbours`]).
const fn by_neighbours(from: Square) -> [SquareSet; 16] {
    let steps = geometry::horse_steps(from, false);
    let mut sets = [SquareSet::EMPTY; 16];
    let mut occupied = 0;
    while occupied < sets.len() {
        let mut i = 0;
        while i < steps.len() {
            let BlockableStep { square, over } = steps.get(i);
            let (rank, file) = (1 << over.file(), 1 << over.rank());
            let legs = if over.row() == from.row() { neighbours(from, rank, 0) } else { neighbours(from, 0, file) };
            if occupied & legs == 0 {
                sets[occupied].insert(square);
            }
            i += 1;
        }
        occupied += 1;
    }
    sets
}

/// Returns the occupied ones of the four squares next to a square, one bit each.
#[inline(always)]
const fn neighbours(square: Square, rank_occupancy: u16, file_occupancy: u16) -> usize {
    /// Bits of the squares before and after one whose bit is moved to the middle.
    const BOTH: u16 = 0b101;
    let on_rank = ((rank_occupancy << 1) >> square.file()) & BOTH;
    let on_file = ((file_occupancy << 1) >> square.rank()) & BOTH;
    (on_rank | on_file << 1) as usize
}

struct Tables {
    king: [SquareSet; Square::COUNT],
    advisor: [SquareSet; Square::COUNT],
    elephant: [[OverEye; 4]; Square::COUNT],
    /// By occupied neighbours ([`neighbours`]) too.
    horse: [[SquareSet; 16]; Square::COUNT],
    pawn: [[SquareSet; Square::COUNT]; 2],
    /// Union of the origins of the steps of king, advisor, elephant and pawn, by side and target.
    near: [[SquareSet; Square::COUNT]; 2],
    home: [SquareSet; 2],
}

static TABLES: Tables = {
    let mut tables = Tables {
        king: [SquareSet::EMPTY; Square::COUNT],
        advisor: [SquareSet::EMPTY; Square::COUNT],
        elephant: [[UNUSED; 4]; Square::COUNT],
        horse: [[SquareSet::EMPTY; 16]; Square::COUNT],
        pawn: [[SquareSet::EMPTY; Square::COUNT]; 2],
        near: [[SquareSet::EMPTY; Square::COUNT]; 2],
        home: [SquareSet::EMPTY; 2],
    };
    let mut index = 0;
    while index < Square::COUNT {
        let from = Square::from_index(index);
        tables.king[index] = union(&geometry::palace_steps(from, geometry::ORTHOGONAL));
        tables.advisor[index] = union(&geometry::palace_steps(from, geometry::DIAGONAL));
        tables.elephant[index] = over_eyes(&geometry::elephant_steps(from));
        tables.horse[index] = by_neighbours(from);
        // But for pawns a step leads from where it leads to.
        let mut near = tables.king[index].bits() | tables.advisor[index].bits();
        let mut i = 0;
        while i < 4 {
            near |= tables.elephant[index][i].target.bits();
            i += 1;
        }
        i = 0;
        while i < 2 {
            let (side, ahead) = (Side::BOTH[i], geometry::forward(Side::BOTH[i]));
            tables.pawn[i][index] = union(&geometry::pawn_neighbours(side, from, ahead));
            let pawns = union(&geometry::pawn_neighbours(side, from, -ahead));
            tables.near[i][index] = SquareSet::from_bits(near | pawns.bits());
            i += 1;
        }
        let side = geometry::home_side(from);
        if geometry::is_in_palace(from) || geometry::is_elephant_point(side, from) {
            tables.home[side as usize].insert(from);
        }
        index += 1;
    }
    tables
};

#[inline(always)]
pub fn king(from: Square) -> SquareSet {
    TABLES.king[from.index()]
}

#[inline(always)]
pub fn advisor(from: Square) -> SquareSet {
    TABLES.advisor[from.index()]
}

#[inline(always)]
pub fn elephant(from: Square, occupied: SquareSet) -> SquareSet {
    TABLES.elephant[from.index()].iter().fold(SquareSet::EMPTY, |set, attack| {
        if (attack.eye & occupied).is_empty() { set | attack.target } else { set }
    })
}

#[inline(always)]
pub fn horse(from: Square, rank_occupancy: u16, file_occupancy: u16) -> SquareSet {
    TABLES.horse[from.index()][neighbours(from, rank_occupancy, file_occupancy)]
}

/// Returns the squares that king, advisors and elephants of a side can ever stand on, and so attack.
#[inline(always)]
pub fn home(side: Side) -> SquareSet {
    TABLES.home[side.index()]
}

#[inline(always)]
pub fn pawn(side: Side, from: Square) -> SquareSet {
    TABLES.pawn[side.index()][from.index()]
}

/// Returns some of the targets of a rook or cannon on `from`, given the occupancies of its rank and file.
#[inline(always)]
pub fn along_lines(
    from: Square,
    rank_occupancy: u16,
    file_occupancy: u16,
    targets: impl Fn(LineTargets) -> u16,
) -> SquareSet {
    let on_rank = targets(lines::along_rank(from.file(), rank_occupancy));
    let on_file = targets(lines::along_file(from.rank(), file_occupancy));
    SquareSet::from_rank(from.rank(), on_rank) | SquareSet::from_file(from.file(), on_file)
}

/// Returns the squares from which a king, advisor, elephant or pawn of `side` may attack `target` on an empty board.
#[inline(always)]
pub fn near(side: Side, target: Square) -> SquareSet {
    TABLES.near[side.index()][target.index()]
}
