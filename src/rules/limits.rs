//! Natural move limit: a game without a capture for a number of plies is a draw.

use super::{RuleSet, Rules};
use crate::position::Position;
use crate::types::Side;

/// Number of checks of each side since the last capture that count as moves under [`RuleSet::Computer`] and
/// [`RuleSet::Simple`].
const COUNTED_CHECKS: u16 = 10;

/// Counted plies towards the natural move limit.
///
/// A capture resets the count. Every other ply counts, except that only the first ten checks of a side since the last
/// capture count: a later check does not, nor does the reply to it. Under [`RuleSet::League`] no check and
/// no reply to a check ever counts.
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
    /// Returns the count for the history of a position.
    ///
    /// All moves before the history, of which a FEN only gives the number, count.
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
        if !mv.gives_check && !mv.answers_check {
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
    /// is certain without trying a move.
    ///
    /// A side without a legal move has lost all the same; where limits come first, only when it is in check.
    #[inline]
    pub fn is_exhausted(&self, position: &Position, count: MoveCount) -> bool {
        (count.plies() >= usize::from(self.move_limit) || self.is_dead(position)) && self.survives(position)
    }

    /// Tells whether the side to move has not lost by checkmate or stalemate.
    #[cold]
    pub(super) fn survives(&self, position: &Position) -> bool {
        position.has_legal_move() || (self.set.limits_come_first() && !position.in_check())
    }
}
