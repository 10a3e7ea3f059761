//! Pairs of an opening and an ending value.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use crate::types::Value;

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

impl SubAssign for Tapered {
    #[inline(always)]
    fn sub_assign(&mut self, other: Tapered) {
        *self = *self - other;
    }
}

impl Neg for Tapered {
    type Output = Tapered;
    #[inline(always)]
    fn neg(self) -> Tapered {
        Tapered::new(-self.opening, -self.ending)
    }
}

impl Mul<Value> for Tapered {
    type Output = Tapered;
    #[inline(always)]
    fn mul(self, factor: Value) -> Tapered {
        Tapered::new(self.opening * factor, self.ending * factor)
    }
}
