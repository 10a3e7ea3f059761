//! Squares that king, advisor, elephant, horse and pawn attack, as sets, and those that the first three can stand on.
//! Built from the steps of [`super::geometry`].

use super::geometry::{self, BlockableStep, Steps};
use crate::types::{Side, Square, SquareSet};

/// A square that an elephant attacks while the eye before it is empty.
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

/// Returns the squares from which king, advisor, elephant and pawn of `side` may reach `target` in one step.
const fn near_sources(side: Side, target: Square) -> SquareSet {
    // But for pawns the relations are symmetric.
    let mut set = union(&geometry::king_steps(target));
    let (advisors, pawns) = (union(&geometry::advisor_steps(target)), union(&geometry::pawn_sources(side, target)));
    set = SquareSet::from_bits(set.bits() | advisors.bits() | pawns.bits());
    let elephants = geometry::elephant_steps(target);
    let mut i = 0;
    while i < elephants.len() {
        set.insert(elephants.get(i).square);
        i += 1;
    }
    set
}

/// Returns the attacks of an elephant.
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
    let steps = geometry::horse_steps(from);
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

/// Tables by dense square index.
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
        tables.king[index] = union(&geometry::king_steps(from));
        tables.advisor[index] = union(&geometry::advisor_steps(from));
        tables.elephant[index] = over_eyes(&geometry::elephant_steps(from));
        tables.horse[index] = by_neighbours(from);
        tables.pawn[Side::Red as usize][index] = union(&geometry::pawn_steps(Side::Red, from));
        tables.pawn[Side::Black as usize][index] = union(&geometry::pawn_steps(Side::Black, from));
        tables.near[Side::Red as usize][index] = near_sources(Side::Red, from);
        tables.near[Side::Black as usize][index] = near_sources(Side::Black, from);
        let side = geometry::home_side(from) as usize;
        if geometry::is_in_palace(from) || geometry::is_elephant_point(geometry::home_side(from), from) {
            tables.home[side].insert(from);
        }
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
    TABLES.elephant[from.index()].iter().fold(SquareSet::EMPTY, |set, attack| {
        if (attack.eye & occupied).is_empty() { set | attack.target } else { set }
    })
}

/// Returns the squares that a horse on `from` attacks, given the occupancies of its rank and file.
#[inline(always)]
pub fn horse(from: Square, rank_occupancy: u16, file_occupancy: u16) -> SquareSet {
    TABLES.horse[from.index()][neighbours(from, rank_occupancy, file_occupancy)]
}

/// Returns the squares that king, advisors and elephants of a side can ever stand on, and so attack.
#[inline(always)]
pub fn home(side: Side) -> SquareSet {
    TABLES.home[side.index()]
}

/// Returns the squares that a pawn of `side` on `from` attacks.
#[inline(always)]
pub fn pawn(side: Side, from: Square) -> SquareSet {
    TABLES.pawn[side.index()][from.index()]
}

/// Returns the squares from which a king, advisor, elephant or pawn of `side` may attack `target`, whatever stands on
/// them and in between.
#[inline(always)]
pub fn near(side: Side, target: Square) -> SquareSet {
    TABLES.near[side.index()][target.index()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::lines;

    #[test]
    fn a_home_holds_the_squares_that_king_advisors_and_elephants_reach() {
        for (side, names) in [(Side::Red, ["e0", "d0", "c0"]), (Side::Black, ["e9", "f9", "g9"])] {
            let [king, advisor, elephant] = names.map(|name| name.parse::<Square>().unwrap());
            let expected = geometry::reached([king], |from| geometry::king(from).iter().collect())
                | geometry::reached([advisor], |from| geometry::advisor(from).iter().collect())
                | geometry::reached([elephant], |from| {
                    geometry::elephant(from).iter().map(|step| step.square).collect()
                });
            assert_eq!(home(side), expected);
            assert_eq!(expected.len(), 15);
        }
    }

    #[test]
    fn horses_attack_over_empty_legs() {
        for from in Square::all() {
            // All occupied squares on its rank and its file up to two squares away, and each alone farther away.
            let near = |index: u8| (0..32_u16).map(move |bits| (bits << index) >> 2);
            let far = (0..Square::RANKS).map(|index| 1 << index);
            let on_rank = near(from.file()).chain(far.clone()).map(|word| word & ((1 << Square::FILES) - 1));
            let on_file = near(from.rank()).chain(far).map(|word| word & ((1 << Square::RANKS) - 1));
            for (rank, file) in on_rank.flat_map(|rank| on_file.clone().map(move |file| (rank, file))) {
                let is_occupied = |square: Square| {
                    let (on_rank, on_file) = lines::occupancy_bits(square);
                    square.row() == from.row() && rank & on_rank != 0
                        || square.column() == from.column() && file & on_file != 0
                };
                let steps = geometry::horse(from).iter();
                let free = steps.filter(|step| !is_occupied(step.over)).map(|step| step.square);
                assert_eq!(horse(from, rank, file), free.collect(), "{from} {rank:b} {file:b}");
            }
        }
    }

    #[test]
    fn near_squares_are_those_that_attack_the_target_on_an_empty_board() {
        for side in [Side::Red, Side::Black] {
            for target in Square::all() {
                let attacks = |from: &Square| {
                    let sets = [king(*from), advisor(*from), elephant(*from, SquareSet::EMPTY), pawn(side, *from)];
                    sets.into_iter().any(|set| set.contains(target))
                };
                assert_eq!(near(side, target), Square::all().filter(attacks).collect(), "{side} {target}");
            }
        }
    }

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
                let elephant_steps = geometry::elephant(from).iter().filter(free).map(|step| step.square);
                assert_eq!(elephant(from, occupied), elephant_steps.collect());
            }
        }
    }
}
