//! Which men there are, without where they stand.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::Placement;
use crate::position::Position;
use crate::types::{Piece, PieceKind, Side};

/// In which order the men of a side are written.
const ORDER: [PieceKind; PieceKind::COUNT] = [
    PieceKind::King,
    PieceKind::Rook,
    PieceKind::Horse,
    PieceKind::Cannon,
    PieceKind::Pawn,
    PieceKind::Advisor,
    PieceKind::Elephant,
];

/// How many men of each kind either side has: one king, and of the others no more than at the start of a game.
///
/// It is written as the letters of Red's men, a `v` and those of Black's. Signatures are ordered by the men of Red, the
/// rooks first, then by those of Black.
///
/// ```
/// use chuhe::counting::Signature;
/// use chuhe::types::{PieceKind, Side};
/// let ending: Signature = "KHRvKAAEE".parse()?;
/// assert_eq!(ending.to_string(), "KRNvKAABB");
/// assert_eq!(ending.swapped().to_string(), "KAABBvKRN");
/// assert_eq!(ending.count(Side::Black, PieceKind::Advisor), 2);
/// assert!(ending > ending.swapped());
/// # Ok::<(), chuhe::counting::SignatureError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Signature {
    /// By side, and in the order in which they are written.
    counts: [[u8; PieceKind::COUNT]; 2],
}

/// Why there is no such signature.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum SignatureError {
    /// Not two groups of letters.
    #[error("'{0}' does not name the men of two sides with one 'v' between them, as KRvKAABB does")]
    NotTwoSides(String),
    /// A letter that names no man.
    #[error("letter {place}, '{letter}', is no piece letter (KRNCPAB, H, E)")]
    UnknownLetter {
        /// The letter.
        letter: char,
        /// Which letter of the text it is, 1 for the first.
        place: usize,
    },
    /// More men of a kind than a side starts a game with.
    #[error("{side} has more than {most} {}{}", kind.name(), if *most == 1 { "" } else { "s" })]
    TooMany {
        /// Whose men.
        side: Side,
        /// Of which kind.
        kind: PieceKind,
        /// How many may be.
        most: usize,
    },
    /// A side without a king.
    #[error("{0} has no king")]
    NoKing(Side),
}

impl Signature {
    /// The signature with as many men as `count` says.
    ///
    /// # Errors
    /// [`SignatureError`] when a king is missing or there are too many men of a kind.
    pub fn new(count: impl Fn(Side, PieceKind) -> usize) -> Result<Signature, SignatureError> {
        let mut counts = [[0; PieceKind::COUNT]; 2];
        for side in Side::BOTH {
            for (place, kind) in ORDER.into_iter().enumerate() {
                let (men, most) = (count(side, kind), kind.initial_count());
                if men > most {
                    return Err(SignatureError::TooMany { side, kind, most });
                }
                if kind == PieceKind::King && men == 0 {
                    return Err(SignatureError::NoKing(side));
                }
                counts[side.index()][place] = men as u8;
            }
        }
        Ok(Signature { counts })
    }

    /// The signature of a position; `None` when it has surplus men, as only composed problems do.
    pub fn of(position: &Position) -> Option<Signature> {
        Signature::new(|side, kind| position.count(Piece::new(side, kind))).ok()
    }

    /// The signature of men on points; `None` when a king is missing or there are surplus men.
    pub fn of_placement(placement: &Placement) -> Option<Signature> {
        Signature::new(|side, kind| placement.squares(Piece::new(side, kind)).len() as usize).ok()
    }

    /// How many men of this kind the side has.
    pub fn count(&self, side: Side, kind: PieceKind) -> u8 {
        self.counts[side.index()][place(kind)]
    }

    /// The same with colours exchanged.
    pub fn swapped(&self) -> Signature {
        Signature { counts: [self.counts[1], self.counts[0]] }
    }

    /// How many men there are, kings included.
    pub fn men(&self) -> usize {
        self.counts.iter().flatten().map(|&count| usize::from(count)).sum()
    }

    /// How many men can attack beyond the river: rooks, horses, cannons and pawns.
    pub fn attackers(&self) -> usize {
        const ATTACKERS: [PieceKind; 4] = [PieceKind::Rook, PieceKind::Horse, PieceKind::Cannon, PieceKind::Pawn];
        let of_side = |side| ATTACKERS.map(|kind| usize::from(self.count(side, kind))).iter().sum::<usize>();
        of_side(Side::Red) + of_side(Side::Black)
    }

    /// All signatures with at most so many attackers, from the least to the greatest.
    ///
    /// ```
    /// use chuhe::counting::Signature;
    /// assert_eq!(Signature::with_attackers(0).len(), 81);
    /// assert_eq!(Signature::with_attackers(1).len(), 81 * (1 + 8));
    /// ```
    pub fn with_attackers(most: usize) -> Vec<Signature> {
        let bare = Signature::new(|_, kind| usize::from(kind == PieceKind::King)).ok();
        let mut found: Vec<Signature> = bare.into_iter().collect();
        for side in Side::BOTH {
            for kind in ORDER.into_iter().filter(|&kind| kind != PieceKind::King) {
                let more = |counts: Signature| {
                    (0..=kind.initial_count() as u8).map(move |count| {
                        let mut counts = counts;
                        counts.counts[side.index()][place(kind)] = count;
                        counts
                    })
                };
                found = found.into_iter().flat_map(more).filter(|signature| signature.attackers() <= most).collect();
            }
        }
        found.sort_unstable();
        found
    }
}

/// Where a kind stands in [`ORDER`].
const fn place(kind: PieceKind) -> usize {
    match kind {
        PieceKind::King => 0,
        PieceKind::Rook => 1,
        PieceKind::Horse => 2,
        PieceKind::Cannon => 3,
        PieceKind::Pawn => 4,
        PieceKind::Advisor => 5,
        PieceKind::Elephant => 6,
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for side in Side::BOTH {
            if side == Side::Black {
                f.write_str("v")?;
            }
            for kind in ORDER {
                for _ in 0..self.count(side, kind) {
                    write!(f, "{}", Piece::new(Side::Red, kind).letter())?;
                }
            }
        }
        Ok(())
    }
}

impl FromStr for Signature {
    type Err = SignatureError;

    /// Reads letters in any order and case; horse is `N` or `H`, elephant is `B` or `E`.
    fn from_str(text: &str) -> Result<Signature, SignatureError> {
        let mut counts = [[0_usize; PieceKind::COUNT]; 2];
        let mut side = Side::Red;
        for (letter, place) in text.chars().zip(1..) {
            if matches!(letter, 'v' | 'V') && side == Side::Red {
                side = Side::Black;
                continue;
            }
            let piece = Piece::from_letter(letter).ok_or(SignatureError::UnknownLetter { letter, place })?;
            let count = &mut counts[side.index()][piece.kind().index()];
            *count = count.saturating_add(1);
        }
        if side == Side::Red {
            return Err(SignatureError::NotTwoSides(text.chars().take(40).collect()));
        }
        Signature::new(|side, kind| counts[side.index()][kind.index()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_place_in_the_order() {
        assert!(PieceKind::ALL.into_iter().all(|kind| ORDER[place(kind)] == kind));
    }

    #[test]
    fn what_is_written_is_read_again() {
        for signature in Signature::with_attackers(2) {
            assert_eq!(signature.to_string().parse(), Ok(signature));
            assert_eq!(signature.swapped().swapped(), signature);
        }
        let start = Signature::of(&Position::start()).map(|signature| signature.to_string());
        assert_eq!(start.as_deref(), Some("KRRNNCCPPPPPAABBvKRRNNCCPPPPPAABB"));
        assert_eq!("khevkR".parse::<Signature>().map(|read| read.to_string()).as_deref(), Ok("KNBvKR"));
    }

    #[test]
    fn every_fault_is_named() {
        let fault = |text: &str| text.parse::<Signature>().unwrap_err().to_string();
        assert_eq!(fault("KRvKX"), "letter 5, 'X', is no piece letter (KRNCPAB, H, E)");
        assert_eq!(fault("KvKvK"), "letter 4, 'v', is no piece letter (KRNCPAB, H, E)");
        assert_eq!(fault("KRRRvK"), "Red has more than 2 rooks");
        assert_eq!(fault("KvKK"), "Black has more than 1 king");
        assert_eq!(fault("KvR"), "Black has no king");
        assert_eq!(fault(""), "'' does not name the men of two sides with one 'v' between them, as KRvKAABB does");
        assert!(fault(&"K".repeat(100_000)).len() < 200);
    }

    #[test]
    fn surplus_men_have_no_signature() {
        let fen = "rrr1k4/9/9/9/9/9/9/9/9/3K5 w";
        let lax = Position::parse_fen(fen, crate::position::Strictness::Lax).unwrap().position;
        assert_eq!(Signature::of(&lax), None);
    }
}
