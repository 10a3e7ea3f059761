//! Draws without a repetition: the natural move limit and too little material to win.

use super::{RuleSet, Rules};
use crate::position::Position;
use crate::types::{Piece, PieceKind, Side};

/// Number of checks of each side since the last capture that count as moves under most rules.
const COUNTED_CHECKS: u16 = 10;

/// Counted plies towards the natural move limit since the last capture. Only the first ten checks of a side since then
/// count: not a later check, nor the reply to it. Under [`RuleSet::League`] no check and no reply to a check counts,
/// and under [`RuleSet::Axf`] everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MoveCount {
    plies: u16,
    checks: [u16; 2],
}

/// Properties of a non-capture that decide whether it counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveFacts {
    /// The side that moves.
    pub side: Side,
    /// The move gives check.
    pub gives_check: bool,
    /// The move is an evasion.
    pub answers_check: bool,
}

impl MoveCount {
    /// Returns the count for the history of a position; all moves that only its FEN counts are included.
    pub fn new(set: RuleSet, position: &Position) -> MoveCount {
        let since_capture = position.plies_since_capture();
        let known = since_capture.min(position.history().len());
        let mut scratch = position.with_recent_history(known);
        let mut checked = Vec::with_capacity(known + 1);
        checked.push(scratch.in_check());
        for _ in 0..known {
            scratch.unmake();
            checked.push(scratch.in_check());
        }
        let unknown = u16::try_from(since_capture - known).unwrap_or(u16::MAX);
        let mut count = MoveCount { plies: unknown, ..MoveCount::default() };
        let mut side = scratch.side();
        // Oldest first: each pair holds the check after a move and the one before it.
        for pair in checked.windows(2).rev() {
            count = count.after(set, MoveFacts { side, gives_check: pair[0], answers_check: pair[1] });
            side = !side;
        }
        count
    }

    /// Returns the counted plies since the last capture.
    #[inline(always)]
    pub const fn plies(self) -> usize {
        self.plies as usize
    }

    /// Returns the count after one more non-capture.
    #[inline(always)]
    pub fn after(mut self, set: RuleSet, mv: MoveFacts) -> MoveCount {
        // Most moves neither give nor answer a check.
        if (!mv.gives_check && !mv.answers_check) || set == RuleSet::Axf {
            self.plies = self.plies.saturating_add(1);
            return self;
        }
        if set == RuleSet::League {
            return self;
        }
        let checks = &mut self.checks;
        let (own, other) = (mv.side.index(), (!mv.side).index());
        if mv.gives_check {
            checks[own] = checks[own].saturating_add(1);
            if checks[own] > COUNTED_CHECKS {
                return self;
            }
        }
        if mv.answers_check && checks[other] > COUNTED_CHECKS {
            return self;
        }
        self.plies = self.plies.saturating_add(1);
        self
    }
}

impl Rules {
    /// Tells whether a position with this count is a draw by the natural move limit or by dead material, as far as that
    /// is certain without trying a move: a side without a legal move has lost all the same.
    #[inline]
    pub fn is_exhausted(&self, position: &Position, count: MoveCount) -> bool {
        (count.plies() >= usize::from(self.move_limit) || self.is_dead(position)) && self.survives(position)
    }

    #[cold]
    pub(super) fn survives(&self, position: &Position) -> bool {
        position.has_legal_move() || (self.set.limits_come_first() && !position.in_check())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Material {
    Alive,
    DeadButForMate,
    Dead,
}

impl Rules {
    /// Tells whether the remaining material is a dead draw, as far as that is certain without trying a move: when no
    /// rook, horse, cannon or pawn is left, and under [`RuleSet::Computer`] for some endings of one cannon, or of one
    /// cannon each, without advisors and elephants as screens.
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
