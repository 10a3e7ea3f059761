//! What the rules of the game say of a node, in the search's own terms.

use super::worker::Worker;
use crate::rules::Recurrence;
use crate::types::Value;
use crate::types::score::*;

/// What the history of a node means for its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ruling {
    /// The least value it can have.
    pub floor: Value,
    /// The greatest value it can have.
    pub ceiling: Value,
    /// Keeps what is found about a position that occurred before apart in the table: it is another matter than the same
    /// position fresh, since one more occurrence may end the game.
    pub key: u64,
}

impl Ruling {
    /// The rules say nothing.
    pub const OPEN: Ruling = Ruling { floor: -INFINITE, ceiling: INFINITE, key: 0 };

    const REPEATED: Ruling = Ruling { key: 0x6A09_E667_F3BC_C908, ..Ruling::OPEN };

    const fn over(value: Value) -> Ruling {
        Ruling { floor: value, ceiling: value, key: 0 }
    }

    /// The value, when nothing is left to search.
    #[inline(always)]
    pub fn decided(self) -> Option<Value> {
        (self.floor == self.ceiling).then_some(self.floor)
    }

    /// The value pressed between the bounds.
    #[inline(always)]
    pub fn bound(self, value: Value) -> Value {
        value.clamp(self.floor, self.ceiling)
    }
}

impl Worker {
    /// What the rules say of the current position, `ply` plies below the root. Where somebody must turn aside to draw,
    /// the value may lie `slack` on the wrong side of a draw, so that a line that leads there can still be preferred.
    #[inline]
    pub(super) fn ruling(&self, ply: usize, slack: Value) -> Ruling {
        let mut ruling = Ruling::OPEN;
        if self.occurrences.may_contain(self.position.key()) {
            ruling = self.ruling_on_recurrence(ply, slack);
        }
        if ruling.decided().is_none()
            && (self.rules.is_dead(&self.position)
                || self.rules.is_limit_reached(&self.position, self.frames[ply].count))
        {
            // A side without a legal move has lost all the same.
            ruling = Ruling::over(if self.position.has_legal_move() { DRAW } else { mated_in(ply) });
        }
        ruling
    }

    #[cold]
    fn ruling_on_recurrence(&self, ply: usize, slack: Value) -> Ruling {
        match self.rules.recurrence(&self.position, ply, self.frames[ply].count) {
            None => Ruling::OPEN,
            Some(Recurrence::Open) => Ruling::REPEATED,
            Some(Recurrence::Draw) => Ruling::over(DRAW),
            Some(Recurrence::Win) => Ruling::over(rule_win_in(ply)),
            Some(Recurrence::Loss) => Ruling::over(rule_loss_in(ply)),
            Some(Recurrence::AtLeastDraw) => Ruling { floor: DRAW - slack, ..Ruling::REPEATED },
            Some(Recurrence::AtMostDraw) => Ruling { ceiling: DRAW + slack, ..Ruling::REPEATED },
        }
    }

    /// Whether values from elsewhere, which know nothing of the plies without capture here, may mislead.
    #[inline]
    pub(super) fn is_near_move_limit(&self, ply: usize) -> bool {
        /// How many plies before the limit.
        const NEAR: usize = 8;
        self.frames[ply].count.plies() + NEAR >= usize::from(self.rules.move_limit)
    }
}
