//! The list of everything the evaluation counts, and the two ways of counting it.

use super::Tapered;
use super::weights::WEIGHTS;
use crate::types::{PieceKind, Side, Value};

/// Squares of one piece-square table: five files (a mirrored onto i) by ten ranks from the owner's side.
pub const PSQT_SIZE: usize = 50;

/// The kinds of men whose attacks are counted: rook, horse, cannon, pawn.
const ATTACKERS: usize = 4;

/// How many terms there are.
// With one byte for each of them the size is the number.
pub const TERMS: usize = size_of::<Terms<u8>>();

/// The terms of a group that has one index.
type Row<T, const LENGTH: usize> = [T; LENGTH];
/// The terms of a group that has two indices.
type Grid<T, const ROWS: usize, const COLUMNS: usize> = [[T; COLUMNS]; ROWS];

/// A group of terms filled with a value, or seen as a slice.
macro_rules! group {
    (filled $value:expr; $rows:expr) => {
        [$value; $rows]
    };
    (filled $value:expr; $rows:expr, $columns:expr) => {
        [[$value; $columns]; $rows]
    };
    (slice $array:expr; $rows:expr) => {
        &$array
    };
    (slice $array:expr; $rows:expr, $columns:expr) => {
        $array.as_flattened()
    };
    (slice_mut $array:expr; $rows:expr) => {
        &mut $array
    };
    (slice_mut $array:expr; $rows:expr, $columns:expr) => {
        $array.as_flattened_mut()
    };
}

/// Declares the terms, each with its shape, once for everything that goes through all of them.
macro_rules! terms {
    ($($(#[$doc:meta])* $name:ident: $shape:ident[$($size:expr),+],)*) => {
        /// One `T` for every term of the evaluation: weights when `T` is [`Tapered`], counts when it is a number.
        ///
        /// The sum over all terms of weight × (count for the side to move − count for the other side) is the
        /// evaluation, but for what [`scale_factor`](super::scale_factor) takes of it, so whatever fits weights to
        /// positions needs nothing but those.
        #[derive(Clone, PartialEq, Debug)]
        pub struct Terms<T> {
            $($(#[$doc])* pub $name: $shape<T, $({ $size }),+>,)*
        }

        /// How many groups there are.
        const GROUPS: usize = [$(stringify!($name)),*].len();

        impl<T: Copy> Terms<T> {
            /// The same value in every term.
            pub const fn filled(value: T) -> Terms<T> {
                Terms { $($name: group!(filled value; $($size),+),)* }
            }

            /// Every group of terms by name, each flattened into one slice.
            pub fn groups(&self) -> [(&'static str, &[T]); GROUPS] {
                [$((stringify!($name), group!(slice self.$name; $($size),+)),)*]
            }

            /// Every group of terms by name, each flattened into one slice that may be changed.
            pub fn groups_mut(&mut self) -> [(&'static str, &mut [T]); GROUPS] {
                [$((stringify!($name), group!(slice_mut self.$name; $($size),+)),)*]
            }
        }
    };
}

terms! {
    /// A man of each kind.
    material: Row[PieceKind::COUNT],
    /// A piece of each kind on each square of its piece-square table.
    psqt: Grid[PieceKind::COUNT, PSQT_SIZE],
    /// A pair of own men, by their kinds in the order of [`PieceKind`]: what they are worth together beyond each alone.
    own_pairs: Grid[PieceKind::COUNT, PieceKind::COUNT],
    /// An own man and an enemy man of a later kind in the order of [`PieceKind`]: what it is worth to have the one
    /// against the other.
    enemy_pairs: Grid[PieceKind::COUNT, PieceKind::COUNT],
    /// A rook, by the empty points it reaches.
    rook_mobility: Row[18],
    /// A cannon, by the empty points it reaches.
    cannon_mobility: Row[18],
    /// A horse, by the points it reaches that are not taken by its own side.
    horse_mobility: Row[9],
    /// An enemy man that an own rook, horse, cannon or pawn could capture, by both kinds.
    attacks: Grid[ATTACKERS, PieceKind::COUNT],
    /// An own man that an own rook, horse or cannon could recapture on, by both kinds; the row of pawns is not used.
    protects: Grid[ATTACKERS, PieceKind::COUNT],
    /// The guard of the own king, by advisors and elephants left.
    guard: Grid[3, 3],
    /// Own pawns across the river, by their number and the enemy's advisors.
    crossed_pawns: Grid[6, 3],
    /// Two own pawns across the river hand in hand on one rank.
    linked_pawns: Row[1],
    /// A cannon on the file of the enemy king with nothing between them (hollow cannon), by the enemy's advisors.
    hollow_cannon: Row[3],
    /// A cannon on the file of the enemy king with two men between them (central cannon), by the enemy's advisors.
    central_cannon: Row[3],
    /// A cannon on the rank of the enemy king with nothing between them, by the enemy's advisors.
    bottom_cannon: Row[3],
    /// A cannon on the rank of the enemy king with two men between them, by the enemy's advisors.
    screened_bottom_cannon: Row[3],
    /// A rook that would check but for one man: along the file, along the rank.
    rook_behind_blocker: Row[2],
    /// The enemy man that alone stands between an own rook and the enemy king, and is pinned.
    rook_pin: Row[PieceKind::COUNT],
    /// The own man that alone stands between an own rook and the enemy king, and checks by leaving.
    rook_discovery: Row[PieceKind::COUNT],
    /// An enemy man among the two between an own cannon and the enemy king: its leaving gives check.
    cannon_pin: Row[PieceKind::COUNT],
    /// An own man among the two between an own cannon and the enemy king.
    cannon_discovery: Row[PieceKind::COUNT],
    /// The own man that alone stands between the kings, and must stay on their file.
    facing_kings_pin: Row[PieceKind::COUNT],
    /// A horse that would check but for the man on its leg.
    blocked_horse_check: Row[1],
    /// The own men across the river that threaten the enemy king, by their number and the enemy's advisors.
    king_danger: Grid[8, 3],
    /// Points of the enemy palace that an own horse attacks.
    horse_palace_attacks: Row[5],
    /// Points of the enemy palace that an own rook attacks.
    rook_palace_attacks: Row[6],
    /// The right to move.
    tempo: Row[1],
}

/// Where the terms of a position are counted.
pub(super) trait Tally {
    /// Counts one term for `side` so many times. `weight` and `count` choose the same term of the weights and of the
    /// counts.
    fn add(
        &mut self,
        side: Side,
        times: Value,
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
        times: Value,
        weight: impl FnOnce(&Terms<Tapered>) -> Tapered,
        _: impl FnOnce(&mut Terms<Value>) -> &mut Value,
    ) {
        self.0[side.index()] += weight(&WEIGHTS) * times;
    }
}

/// Counts one term, named once, for a side: `count!(tally, side, rook_mobility[n])`, or several times:
/// `count!(tally, side, 2 => material[kind])`.
macro_rules! count {
    ($tally:expr, $side:expr, $times:expr => $($term:tt)+) => {
        $crate::eval::terms::Tally::add(
            $tally,
            $side,
            $times,
            |weights| weights.$($term)+,
            |counts| &mut counts.$($term)+,
        )
    };
    ($tally:expr, $side:expr, $($term:tt)+) => {
        $crate::eval::terms::count!($tally, $side, 1 => $($term)+)
    };
}
pub(super) use count;
