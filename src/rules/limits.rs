//! The natural move limit: a game in which nothing is captured for long is a draw.

use super::{RuleSet, Rules};
use crate::position::Position;
use crate::types::Side;

/// How many checks of each side since the last capture count as moves under [`RuleSet::Computer`] and
/// [`RuleSet::Simple`].
const COUNTED_CHECKS: u16 = 10;

/// How far a position is on its way to the natural move limit.
///
/// A capture begins anew. Otherwise a ply counts, except that of the checks which a side gave since the last capture
/// only the first ten count: a later check does not, nor does the reply to it. Under [`RuleSet::League`] no check and
/// no reply to a check ever counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MoveCount {
    plies: u16,
    checks: [u16; 2],
}

/// What the count must know of a move that captures nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveFacts {
    /// Who moves.
    pub side: Side,
    /// Whether it gives check.
    pub gives_check: bool,
    /// Whether it answers a check.
    pub answers_check: bool,
}

impl MoveCount {
    /// The count that the history of a position amounts to.
    ///
    /// The moves before the history, of which a FEN only tells the number, count in full.
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
        // Oldest first: `checked` tells it of the position after a move and of the one before.
        for pair in checked.windows(2).rev() {
            count = count.after(set, MoveFacts { side, gives_check: pair[0], answers_check: pair[1] });
            side = !side;
        }
        count
    }

    /// Counted plies since the last capture.
    #[inline(always)]
    pub const fn plies(self) -> usize {
        self.plies as usize
    }

    /// The count after one more move that captures nothing.
    #[inline(always)]
    pub fn after(mut self, set: RuleSet, mv: MoveFacts) -> MoveCount {
        // Most moves have nothing to do with a check.
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
    /// Whether a position with this count is a draw by the natural move limit or because too few men are left, as far
    /// as that is certain without a move being looked at.
    ///
    /// A side without a legal move has lost all the same; where limits come first, only when it is in check.
    #[inline]
    pub fn is_exhausted(&self, position: &Position, count: MoveCount) -> bool {
        (count.plies() >= usize::from(self.move_limit) || self.is_dead(position)) && self.survives(position)
    }

    /// Whether the side to move has not lost by what is on the board.
    #[cold]
    pub(super) fn survives(&self, position: &Position) -> bool {
        position.has_legal_move() || (self.set.limits_come_first() && !position.in_check())
    }
}
