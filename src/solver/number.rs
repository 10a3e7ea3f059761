//! Proof and disproof numbers.

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
