//! Dead draws: too little material to win.

use super::{RuleSet, Rules};
use crate::position::Position;
use crate::types::{Piece, PieceKind, Side};

/// Result of the remaining material.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Material {
    /// A side may still win.
    Alive,
    /// A draw, unless the side to move mates at once.
    DeadButForMate,
    /// A draw.
    Dead,
}

impl Rules {
    /// Tells whether the remaining material is a dead draw, as far as that is certain without trying a move.
    ///
    /// Always when no rook, horse, cannon or pawn is left. Under [`RuleSet::Computer`] also for some endings of one
    /// cannon, or of one cannon each, without advisors and elephants as screens.
    ///
    /// ```
    /// use chuhe::position::Position;
    /// use chuhe::rules::{RuleSet, Rules};
    /// let bare_cannon = Position::from_fen("4k4/9/4b4/9/9/9/9/4B4/9/2C1K4 w")?;
    /// assert!(Rules::new(RuleSet::Computer).is_dead(&bare_cannon));
    /// assert!(!Rules::new(RuleSet::League).is_dead(&bare_cannon));
    /// # Ok::<(), chuhe::position::FenError>(())
    /// ```
    #[inline]
    pub fn is_dead(&self, position: &Position) -> bool {
        let has_pawns = Side::BOTH.into_iter().any(|side| position.count(Piece::new(side, PieceKind::Pawn)) > 0);
        !has_pawns && self.material(position) == Material::Dead
    }

    /// Tells the same; where only a mate in one could still win, the legal moves are tried.
    pub fn is_dead_unless_mate(&self, position: &Position) -> bool {
        match self.material(position) {
            Material::Alive => false,
            Material::Dead => true,
            Material::DeadButForMate => {
                let mut scratch = position.clone();
                position.legal_moves().into_iter().all(|mv| {
                    scratch.make(mv);
                    let has_reply = scratch.has_legal_move();
                    scratch.unmake();
                    has_reply
                })
            }
        }
    }

    fn material(&self, position: &Position) -> Material {
        let count = |side, kind| position.count(Piece::new(side, kind));
        let both = |kind| count(Side::Red, kind) + count(Side::Black, kind);
        if both(PieceKind::Pawn) + both(PieceKind::Rook) + both(PieceKind::Horse) > 0 {
            return Material::Alive;
        }
        let [red_cannons, black_cannons] = Side::BOTH.map(|side| count(side, PieceKind::Cannon));
        match (self.set, red_cannons, black_cannons) {
            (_, 0, 0) => Material::Dead,
            (RuleSet::Computer, 1, 1) if both(PieceKind::Advisor) == 0 => {
                if both(PieceKind::Elephant) == 0 {
                    Material::Dead
                } else {
                    Material::DeadButForMate
                }
            }
            (RuleSet::Computer, 1, 0) | (RuleSet::Computer, 0, 1) => {
                let owner = if red_cannons == 1 { Side::Red } else { Side::Black };
                let has_elephants = count(owner, PieceKind::Elephant) > 0;
                // With its own advisors as screens a cannon may always win.
                match (count(owner, PieceKind::Advisor), count(!owner, PieceKind::Advisor), has_elephants) {
                    (0, 0, _) | (0, 1, false) => Material::Dead,
                    (0, 1, true) | (0, 2, false) => Material::DeadButForMate,
                    _ => Material::Alive,
                }
            }
            _ => Material::Alive,
        }
    }
}
