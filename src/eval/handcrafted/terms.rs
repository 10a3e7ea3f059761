//! List of all evaluation terms, pairs of an opening and an ending value, and weighted sums of the terms.

use std::ops::{Add, AddAssign, Mul, Sub};

use crate::types::{PieceKind, Side, Value};

/// Centipawns in the opening and in the ending; the evaluation interpolates between them by game phase.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tapered {
    /// With all rooks, horses and cannons on the board.
    pub opening: Value,
    /// With none of them.
    pub ending: Value,
}

impl Tapered {
    /// Zero in both phases.
    pub const ZERO: Tapered = Tapered::new(0, 0);

    /// Returns the pair of an opening and an ending value.
    pub const fn new(opening: Value, ending: Value) -> Tapered {
        Tapered { opening, ending }
    }

    /// Interpolates: the ending value at phase 0, the opening value at phase `max`.
    #[inline(always)]
    pub const fn blend(self, phase: Value, max: Value) -> Value {
        (self.opening * phase + self.ending * (max - phase)) / max
    }
}

impl Add for Tapered {
    type Output = Tapered;
    #[inline(always)]
    fn add(self, other: Tapered) -> Tapered {
        Tapered::new(self.opening + other.opening, self.ending + other.ending)
    }
}

impl Sub for Tapered {
    type Output = Tapered;
    #[inline(always)]
    fn sub(self, other: Tapered) -> Tapered {
        Tapered::new(self.opening - other.opening, self.ending - other.ending)
    }
}

impl AddAssign for Tapered {
    #[inline(always)]
    fn add_assign(&mut self, other: Tapered) {
        *self = *self + other;
    }
}

impl Mul<Value> for Tapered {
    type Output = Tapered;
    #[inline(always)]
    fn mul(self, factor: Value) -> Tapered {
        Tapered::new(self.opening * factor, self.ending * factor)
    }
}

/// Squares of one piece-square table: five files (a to e, mirrored onto i to f) by ten ranks from the owner's side.
pub const PSQT_SIZE: usize = 50;

const ATTACKERS: usize = 4;

/// Number of terms.
// With one byte for each of them the size is the number.
pub const TERMS: usize = size_of::<Terms<u8>>();

/// Declares the groups of terms, each with its size, and the functions that iterate over all of them.
macro_rules! terms {
    ($($(#[$doc:meta])* $name:ident: $size:expr,)*) => {
        /// One `T` for every term of the evaluation: weights when `T` is [`Tapered`], counts when it is a number. The
        /// evaluation is the sum over all terms of weight × (count for the side to move − count for the other side),
        /// multiplied by the [scale factor](super::scale_factor()).
        #[derive(Clone, PartialEq, Debug)]
        pub struct Terms<T> {
            $($(#[$doc])* pub $name: [T; $size],)*
        }

        const GROUPS: usize = [$(stringify!($name)),*].len();

        impl<T: Copy> Terms<T> {
            /// Returns the same value in every term.
            pub const fn filled(value: T) -> Terms<T> {
                Terms { $($name: [value; $size],)* }
            }

            /// Returns every group of terms with its name.
            pub fn groups(&self) -> [(&'static str, &[T]); GROUPS] {
                [$((stringify!($name), &self.$name[..]),)*]
            }

            /// Returns every group of terms with its name, to be changed.
            pub fn groups_mut(&mut self) -> [(&'static str, &mut [T]); GROUPS] {
                [$((stringify!($name), &mut self.$name[..]),)*]
            }
        }
    };
}

terms! {
    /// A piece of each kind.
    material: PieceKind::COUNT,
    /// A piece of each kind on each square of its piece-square table.
    psqt: PieceKind::COUNT * PSQT_SIZE,
    /// A pair of own pieces, by their kinds in the order of [`PieceKind`]: their value beyond that of each alone.
    own_pairs: PieceKind::COUNT * PieceKind::COUNT,
    /// An own piece and an enemy piece of a later kind in the order of [`PieceKind`].
    enemy_pairs: PieceKind::COUNT * PieceKind::COUNT,
    /// A rook, by the empty points it reaches.
    rook_mobility: 18,
    /// A cannon, by the empty points it reaches.
    cannon_mobility: 18,
    /// A horse, by the points it reaches that its own side does not occupy.
    horse_mobility: 9,
    /// An enemy piece that an own rook, horse, cannon or pawn attacks, by both kinds.
    attacks: ATTACKERS * PieceKind::COUNT,
    /// An own piece that an own rook, horse or cannon protects, by both kinds; the row of pawns is not used.
    protects: ATTACKERS * PieceKind::COUNT,
    /// The guards of the king: number of advisors and of elephants.
    guard: 3 * 3,
    /// Own pawns across the river, by their number and the enemy's advisors.
    crossed_pawns: 6 * 3,
    /// Two own pawns across the river side by side on a rank.
    linked_pawns: 1,
    /// A cannon on the file of the enemy king with nothing between them (hollow cannon), by the enemy's advisors.
    hollow_cannon: 3,
    /// A cannon on the file of the enemy king with two pieces between them (central cannon), by the enemy's advisors.
    central_cannon: 3,
    /// A cannon on the rank of the enemy king with nothing between them, by the enemy's advisors.
    bottom_cannon: 3,
    /// A cannon on the rank of the enemy king with two pieces between them, by the enemy's advisors.
    screened_bottom_cannon: 3,
    /// A rook whose check one piece blocks: along the file, along the rank.
    rook_behind_blocker: 2,
    /// The enemy piece that is the only one between an own rook and the enemy king (pinned).
    rook_pin: PieceKind::COUNT,
    /// An own piece that is the only one between an own rook and the enemy king (discovered check).
    rook_discovery: PieceKind::COUNT,
    /// An enemy piece among the two between an own cannon and the enemy king: its leaving exposes the king.
    cannon_pin: PieceKind::COUNT,
    /// An own piece among the two between an own cannon and the enemy king.
    cannon_discovery: PieceKind::COUNT,
    /// An own piece that is the only one between the facing kings and is pinned to their file.
    facing_kings_pin: PieceKind::COUNT,
    /// A horse whose check is blocked at its leg.
    blocked_horse_check: 1,
    /// Own rooks, horses, cannons and pawns across the river, by their number and the enemy's advisors.
    king_danger: 8 * 3,
    /// Points of the enemy palace that an own horse attacks.
    horse_palace_attacks: 5,
    /// Points of the enemy palace that an own rook attacks.
    rook_palace_attacks: 6,
    /// The side to move.
    tempo: 1,
}

pub(super) trait Accumulate {
    /// Counts one term `times` times for `side`; `weight` and `count` select the same term.
    fn add(
        &mut self,
        side: Side,
        times: Value,
        weight: impl FnOnce(&Terms<Tapered>) -> Tapered,
        count: impl FnOnce(&mut Terms<Value>) -> &mut Value,
    );
}

/// Counts one term for a side: `add_term!(sum, side, rook_mobility[n])`, or several times:
/// `add_term!(sum, side, 2 => material[kind])`.
macro_rules! add_term {
    ($sum:expr, $side:expr, $times:expr => $($term:tt)+) => {
        $crate::eval::handcrafted::terms::Accumulate::add(
            $sum,
            $side,
            $times,
            |weights| weights.$($term)+,
            |counts| &mut counts.$($term)+,
        )
    };
    ($sum:expr, $side:expr, $($term:tt)+) => {
        $crate::eval::handcrafted::terms::add_term!($sum, $side, 1 => $($term)+)
    };
}
pub(super) use add_term;

pub(super) struct WeightedSum<'a> {
    weights: [&'a Terms<Tapered>; 2],
    pub sums: [Tapered; 2],
}

impl<'a> WeightedSum<'a> {
    pub fn new(weights: [&'a Terms<Tapered>; 2]) -> WeightedSum<'a> {
        WeightedSum { weights, sums: [Tapered::ZERO; 2] }
    }

    /// Returns the value for Red.
    pub fn difference(&self) -> Tapered {
        self.sums[0] - self.sums[1]
    }
}

impl Accumulate for WeightedSum<'_> {
    #[inline(always)]
    fn add(
        &mut self,
        side: Side,
        times: Value,
        weight: impl FnOnce(&Terms<Tapered>) -> Tapered,
        _: impl FnOnce(&mut Terms<Value>) -> &mut Value,
    ) {
        self.sums[side.index()] += weight(self.weights[side.index()]) * times;
    }
}
