//! The list of everything the evaluation counts, and the two ways of counting it.

use super::Tapered;
use super::weights::WEIGHTS;
use crate::types::{PieceKind, Side, Value};

/// Points of one kind's place table: five files (a mirrored onto i) by ten ranks from the owner's side.
pub const PLACES: usize = 50;

/// How many terms there are.
// With one byte for each of them the size is the number.
pub const TERMS: usize = size_of::<Terms<u8>>();

/// One `T` for every term of the evaluation: weights when `T` is [`Tapered`], counts when it is a number.
///
/// The evaluation is the sum over all terms of weight × (count for the side to move − count for the other side), so
/// whatever fits weights to positions needs nothing but the two of them.
#[derive(Clone, PartialEq, Debug)]
pub struct Terms<T> {
    /// A man of each kind.
    pub material: [T; PieceKind::COUNT],
    /// A man of each kind on each place.
    pub place: [[T; PLACES]; PieceKind::COUNT],
    /// A rook, by the empty points it reaches.
    pub rook_mobility: [T; 18],
    /// A cannon, by the empty points it reaches.
    pub cannon_mobility: [T; 18],
    /// A horse, by the points it reaches that are not taken by its own side.
    pub horse_mobility: [T; 9],
    /// The guard of the own king, by advisors and elephants left.
    pub guard: [[T; 3]; 3],
    /// Own pawns across the river, by their number and the enemy's advisors.
    pub crossed_pawns: [[T; 3]; 6],
    /// Two own pawns across the river hand in hand on one rank.
    pub linked_pawns: [T; 1],
    /// A cannon on the file of the enemy king with nothing between them (hollow cannon), by the enemy's advisors.
    pub hollow_cannon: [T; 3],
    /// A cannon on the file of the enemy king with two men between them (central cannon), by the enemy's advisors.
    pub central_cannon: [T; 3],
    /// A cannon on the rank of the enemy king with nothing between them, by the enemy's advisors.
    pub bottom_cannon: [T; 3],
    /// A cannon on the rank of the enemy king with two men between them, by the enemy's advisors.
    pub screened_bottom_cannon: [T; 3],
    /// A rook that would check but for one man: along the file, along the rank.
    pub rook_behind_blocker: [T; 2],
    /// A horse that would check but for the man on its leg.
    pub blocked_horse_check: [T; 1],
    /// The own men across the river that threaten the enemy king, by their number and the enemy's advisors.
    pub exposure: [[T; 3]; 8],
    /// Points of the enemy palace that an own horse attacks.
    pub horse_palace_attacks: [T; 5],
    /// Points of the enemy palace that an own rook attacks.
    pub rook_palace_attacks: [T; 6],
    /// The right to move.
    pub tempo: [T; 1],
}

impl<T: Copy> Terms<T> {
    /// The same value in every term.
    pub const fn filled(value: T) -> Terms<T> {
        Terms {
            material: [value; PieceKind::COUNT],
            place: [[value; PLACES]; PieceKind::COUNT],
            rook_mobility: [value; 18],
            cannon_mobility: [value; 18],
            horse_mobility: [value; 9],
            guard: [[value; 3]; 3],
            crossed_pawns: [[value; 3]; 6],
            linked_pawns: [value; 1],
            hollow_cannon: [value; 3],
            central_cannon: [value; 3],
            bottom_cannon: [value; 3],
            screened_bottom_cannon: [value; 3],
            rook_behind_blocker: [value; 2],
            blocked_horse_check: [value; 1],
            exposure: [[value; 3]; 8],
            horse_palace_attacks: [value; 5],
            rook_palace_attacks: [value; 6],
            tempo: [value; 1],
        }
    }

    /// Every group of terms by name, each flattened into one slice.
    pub fn groups(&self) -> [(&'static str, &[T]); 18] {
        [
            ("material", &self.material),
            ("place", self.place.as_flattened()),
            ("rook_mobility", &self.rook_mobility),
            ("cannon_mobility", &self.cannon_mobility),
            ("horse_mobility", &self.horse_mobility),
            ("guard", self.guard.as_flattened()),
            ("crossed_pawns", self.crossed_pawns.as_flattened()),
            ("linked_pawns", &self.linked_pawns),
            ("hollow_cannon", &self.hollow_cannon),
            ("central_cannon", &self.central_cannon),
            ("bottom_cannon", &self.bottom_cannon),
            ("screened_bottom_cannon", &self.screened_bottom_cannon),
            ("rook_behind_blocker", &self.rook_behind_blocker),
            ("blocked_horse_check", &self.blocked_horse_check),
            ("exposure", self.exposure.as_flattened()),
            ("horse_palace_attacks", &self.horse_palace_attacks),
            ("rook_palace_attacks", &self.rook_palace_attacks),
            ("tempo", &self.tempo),
        ]
    }

    /// Every group of terms by name, each flattened into one slice that may be changed.
    pub fn groups_mut(&mut self) -> [(&'static str, &mut [T]); 18] {
        [
            ("material", &mut self.material),
            ("place", self.place.as_flattened_mut()),
            ("rook_mobility", &mut self.rook_mobility),
            ("cannon_mobility", &mut self.cannon_mobility),
            ("horse_mobility", &mut self.horse_mobility),
            ("guard", self.guard.as_flattened_mut()),
            ("crossed_pawns", self.crossed_pawns.as_flattened_mut()),
            ("linked_pawns", &mut self.linked_pawns),
            ("hollow_cannon", &mut self.hollow_cannon),
            ("central_cannon", &mut self.central_cannon),
            ("bottom_cannon", &mut self.bottom_cannon),
            ("screened_bottom_cannon", &mut self.screened_bottom_cannon),
            ("rook_behind_blocker", &mut self.rook_behind_blocker),
            ("blocked_horse_check", &mut self.blocked_horse_check),
            ("exposure", self.exposure.as_flattened_mut()),
            ("horse_palace_attacks", &mut self.horse_palace_attacks),
            ("rook_palace_attacks", &mut self.rook_palace_attacks),
            ("tempo", &mut self.tempo),
        ]
    }
}

/// Where the terms of a position are counted.
pub(super) trait Tally {
    /// Counts one term for `side`. `weight` and `count` choose the same term of the weights and of the counts.
    fn add(
        &mut self,
        side: Side,
        weight: impl FnOnce(&Terms<Tapered>) -> Tapered,
        count: impl FnOnce(&mut Terms<Value>) -> &mut Value,
    );
}

/// Adds up weights and forgets the terms: what the search needs.
#[derive(Default)]
pub(super) struct Sum(pub [Tapered; 2]);

impl Tally for Sum {
    #[inline(always)]
    fn add(
        &mut self,
        side: Side,
        weight: impl FnOnce(&Terms<Tapered>) -> Tapered,
        _: impl FnOnce(&mut Terms<Value>) -> &mut Value,
    ) {
        self.0[side.index()] += weight(&WEIGHTS);
    }
}

/// Counts one term, named once, for a side: `count!(tally, side, rook_mobility[n])`.
macro_rules! count {
    ($tally:expr, $side:expr, $($term:tt)+) => {
        $crate::eval::terms::Tally::add($tally, $side, |weights| weights.$($term)+, |counts| &mut counts.$($term)+)
    };
}
pub(super) use count;
