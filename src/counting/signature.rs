//! Material signature.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::position::Position;
use crate::types::{Piece, PieceKind, Side};

/// Order of a side's pieces in the text form.
const ORDER: [PieceKind; PieceKind::COUNT] = {
    use PieceKind::*;
    [King, Rook, Horse, Cannon, Pawn, Advisor, Elephant]
};

/// Number of pieces of each kind for both sides: one king each, and at most the initial number of each other kind. As
/// text the letters of Red's pieces, a `v` and those of Black's. Ordered by Red's pieces, rooks first, then by Black's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Signature {
    counts: [[u8; PieceKind::COUNT]; 2],
}

#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct SignatureError(String);

impl Signature {
    pub fn new(count: impl Fn(Side, PieceKind) -> usize) -> Result<Signature, SignatureError> {
        let mut counts = [[0; PieceKind::COUNT]; 2];
        for side in Side::BOTH {
            for (index, kind) in ORDER.into_iter().enumerate() {
                let (count, max) = (count(side, kind), kind.initial_count());
                if count > max {
                    let plural = if max == 1 { "" } else { "s" };
                    return Err(SignatureError(format!("{side} has more than {max} {}{plural}", kind.name())));
                }
                if kind == PieceKind::King && count == 0 {
                    return Err(SignatureError(format!("{side} has no king")));
                }
                counts[side.index()][index] = count as u8;
            }
        }
        Ok(Signature { counts })
    }

    /// Returns the signature of a position; `None` if it has surplus pieces, as composed problems may.
    pub fn from_position(position: &Position) -> Option<Signature> {
        Signature::new(|side, kind| position.count(Piece::new(side, kind))).ok()
    }

    pub fn count(&self, side: Side, kind: PieceKind) -> u8 {
        self.counts[side.index()][order_index(kind)]
    }

    pub fn swapped(&self) -> Signature {
        Signature { counts: [self.counts[1], self.counts[0]] }
    }

    pub fn piece_count(&self) -> usize {
        self.counts.iter().flatten().map(|&count| usize::from(count)).sum()
    }

    pub fn attackers(&self) -> usize {
        self.attackers_of(Side::Red) + self.attackers_of(Side::Black)
    }

    pub fn attackers_of(&self, side: Side) -> usize {
        const KINDS: [PieceKind; 4] = [PieceKind::Rook, PieceKind::Horse, PieceKind::Cannon, PieceKind::Pawn];
        KINDS.iter().map(|&kind| usize::from(self.count(side, kind))).sum()
    }

    /// Returns all signatures with at most this number of attackers in increasing order.
    pub fn with_attackers(max: usize) -> Vec<Signature> {
        let bare = Signature::new(|_, kind| usize::from(kind == PieceKind::King)).ok();
        let mut found: Vec<Signature> = bare.into_iter().collect();
        for side in Side::BOTH {
            for kind in ORDER.into_iter().filter(|&kind| kind != PieceKind::King) {
                let more = |counts: Signature| {
                    (0..=kind.initial_count() as u8).map(move |count| {
                        let mut counts = counts;
                        counts.counts[side.index()][order_index(kind)] = count;
                        counts
                    })
                };
                found = found.into_iter().flat_map(more).filter(|signature| signature.attackers() <= max).collect();
            }
        }
        found.sort_unstable();
        found
    }
}

const fn order_index(kind: PieceKind) -> usize {
    [0, 5, 6, 2, 1, 3, 4][kind.index()]
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

    /// Parses letters in any order and case; horse is `N` or `H`, elephant is `B` or `E`.
    fn from_str(text: &str) -> Result<Signature, SignatureError> {
        let mut counts = [[0_usize; PieceKind::COUNT]; 2];
        let mut side = Side::Red;
        for (letter, index) in text.chars().zip(1..) {
            if matches!(letter, 'v' | 'V') && side == Side::Red {
                side = Side::Black;
                continue;
            }
            let piece = Piece::from_letter(letter).ok_or_else(|| {
                SignatureError(format!("letter {index}, '{letter}', is not a piece letter (KRNCPAB, H, E)"))
            })?;
            counts[side.index()][piece.kind().index()] += 1;
        }
        if side == Side::Red {
            return Err(SignatureError(format!(
                "'{:.40}' does not name the pieces of two sides separated by one 'v', as in KRvKAABB",
                text
            )));
        }
        Signature::new(|side, kind| counts[side.index()][kind.index()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trips() {
        assert!(PieceKind::ALL.into_iter().all(|kind| ORDER[order_index(kind)] == kind));
        for signature in Signature::with_attackers(2) {
            assert_eq!(signature.to_string().parse(), Ok(signature));
            assert_eq!(signature.swapped().swapped(), signature);
        }
        let start = Signature::from_position(&Position::start()).map(|signature| signature.to_string());
        assert_eq!(start.as_deref(), Some("KRRNNCCPPPPPAABBvKRRNNCCPPPPPAABB"));
        let fen = "rrr1k4/9/9/9/9/9/9/9/9/3K5 w";
        let lax = Position::parse_fen(fen, crate::position::Strictness::Lax).unwrap().position;
        assert_eq!(Signature::from_position(&lax), None, "surplus pieces");
        assert_eq!("khevkR".parse::<Signature>().map(|read| read.to_string()).as_deref(), Ok("KNBvKR"));
        let error = "K".repeat(100_000).parse::<Signature>().unwrap_err().to_string();
        assert!(error.len() < 200 && error.contains("does not name the pieces of two sides"), "{error}");
    }
}
