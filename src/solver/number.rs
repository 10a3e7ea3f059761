//! Proof and disproof numbers, and the child that a node follows by them.

use crate::types::Move;

/// Number of a question that is decided the other way.
pub(super) const INFINITE: u32 = 1 << 30;

/// Greatest finite number.
pub(super) const GREATEST: u32 = INFINITE - 1;

/// Distance of a mate that is not proved.
pub(super) const NEVER: u8 = u8::MAX;

/// Distance within which no mate is possible, when that is any distance.
pub(super) const FOREVER: u8 = u8::MAX - 1;

/// Effort to decide a position, or its decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bounds {
    /// Proof number: estimate of the leaves to prove for a mate, 0 when it is proved.
    pub(super) proof: u32,
    /// Disproof number: estimate of the leaves to refute until there is no mate, 0 when it is refuted.
    pub(super) disproof: u32,
    /// Plies within which the attacker mates, or cannot mate; 0 when undecided.
    pub(super) plies: u8,
}

impl Bounds {
    /// The attacker mates within this many plies.
    pub(super) const fn won(plies: u8) -> Bounds {
        Bounds { proof: 0, disproof: INFINITE, plies }
    }

    /// The attacker cannot mate within this many plies.
    pub(super) const fn safe(plies: u8) -> Bounds {
        Bounds { proof: INFINITE, disproof: 0, plies }
    }

    /// Undecided, with finite numbers.
    pub(super) fn open(proof: u32, disproof: u32) -> Bounds {
        Bounds { proof: proof.clamp(1, GREATEST), disproof: disproof.clamp(1, GREATEST), plies: 0 }
    }

    /// Tells whether the mate is proved.
    pub(super) const fn is_won(self) -> bool {
        self.proof == 0
    }

    /// Tells whether the mate is refuted.
    pub(super) const fn is_safe(self) -> bool {
        self.disproof == 0
    }

    /// Tells whether the mate is proved or refuted.
    pub(super) const fn is_decided(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}

/// Returns the distance one ply further from the end.
pub(super) const fn one_more(plies: u8) -> u8 {
    if plies >= FOREVER { FOREVER } else { plies + 1 }
}

/// Choice of the next child: the one with the least number of its kind.
pub(super) struct Choice {
    /// Index of the child.
    pub(super) index: usize,
    /// Its number.
    pub(super) least: u32,
    /// The next greater or equal number of another child.
    second: u32,
    /// Number of the other kind for all children: the greatest, and one for each other child. A plain sum would count
    /// positions again and again that several moves lead to.
    pub(super) sum: u32,
    /// The number of other children.
    others: u32,
}

impl Choice {
    /// Chooses among undecided children; `numbers` returns the number to minimise and the one to sum up. Returns `None`
    /// if there are none.
    #[inline]
    pub(super) fn new(children: &[(Move, Bounds)], numbers: impl Fn(&Bounds) -> [u32; 2]) -> Option<Choice> {
        let (mut index, mut least, mut second, mut greatest) = (0, INFINITE, INFINITE, 0);
        for (at, (_, bounds)) in children.iter().enumerate() {
            let [minimised, summed] = numbers(bounds);
            greatest = greatest.max(summed);
            if minimised < least {
                (index, least, second) = (at, minimised, least);
            } else {
                second = second.min(minimised);
            }
        }
        let others = children.len().checked_sub(1)? as u32;
        Some(Choice { index, least, second, sum: (greatest + others).min(GREATEST), others })
    }

    /// Returns the limit up to which the child stays the best choice, with some allowance against changing to and fro.
    pub(super) fn limit_of_least(&self, limit: u32) -> u32 {
        limit.min(self.second.saturating_add(1 + self.second / 4))
    }

    /// Returns the limit of the child that corresponds to a limit of the sum.
    pub(super) fn limit_of_sum(&self, limit: u32) -> u32 {
        if limit >= INFINITE { INFINITE } else { limit - self.others }
    }
}
