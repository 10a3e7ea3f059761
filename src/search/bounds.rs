//! What the rules of the game say of a node, in the search's own terms.

use super::worker::Worker;
use crate::rules::Recurrence;
use crate::types::Value;
use crate::types::score::*;

/// What the history of a node means for its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ValueBounds {
    /// The least value it can have.
    pub floor: Value,
    /// The greatest value it can have.
    pub ceiling: Value,
    /// Keeps what is found about a position that occurred before apart in the table: it is another matter than the same
    /// position fresh, since one more occurrence may end the game.
    pub key: u64,
}

impl ValueBounds {
    /// The rules say nothing.
    pub const OPEN: ValueBounds = ValueBounds { floor: -INFINITE, ceiling: INFINITE, key: 0 };

    const REPEATED: ValueBounds = ValueBounds { key: 0x6A09_E667_F3BC_C908, ..ValueBounds::OPEN };

    const fn over(value: Value) -> ValueBounds {
        ValueBounds { floor: value, ceiling: value, key: 0 }
    }

    /// This, and what tables say, which know nothing of the history.
    pub fn and(self, tables: ValueBounds) -> ValueBounds {
        if self.floor > tables.ceiling || self.ceiling < tables.floor {
            return self;
        }
        ValueBounds { floor: self.floor.max(tables.floor), ceiling: self.ceiling.min(tables.ceiling), key: self.key }
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
    pub(super) fn ruling(&self, ply: usize, slack: Value) -> ValueBounds {
        let mut ruling = ValueBounds::OPEN;
        if self.occurrences.may_contain(self.position.key()) {
            ruling = self.ruling_on_recurrence(ply, slack);
        }
        if (ruling.decided().is_none() || self.rules.set.limits_come_first())
            && self.rules.is_exhausted(&self.position, self.frames[ply].count)
        {
            ruling = ValueBounds::over(DRAW);
        }
        ruling
    }

    #[cold]
    fn ruling_on_recurrence(&self, ply: usize, slack: Value) -> ValueBounds {
        match self.rules.recurrence(&self.position, ply, self.frames[ply].count) {
            None => ValueBounds::OPEN,
            Some(Recurrence::Open) => ValueBounds::REPEATED,
            Some(Recurrence::Draw) => ValueBounds::over(DRAW),
            Some(Recurrence::Win) => ValueBounds::over(rule_win_in(ply)),
            Some(Recurrence::Loss) => ValueBounds::over(rule_loss_in(ply)),
            Some(Recurrence::AtLeastDraw) => ValueBounds { floor: DRAW - slack, ..ValueBounds::REPEATED },
            Some(Recurrence::AtMostDraw) => ValueBounds { ceiling: DRAW + slack, ..ValueBounds::REPEATED },
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::pvs::is_usable;
    use super::super::shared::Shared;
    use super::super::transposition::{Bound, Table};
    use super::*;
    use crate::position::Position;
    use crate::search::Limits;

    /// A worker at the root of a search of `fen` after moves of the game, and then some moves further.
    fn worker_after(fen: &str, game: &str, line: &str) -> Worker {
        let mut position = Position::from_fen(fen).unwrap();
        position.play(game.split_whitespace()).unwrap();
        let mut worker = Worker::new(Arc::new(Shared::new(Table::new(1).unwrap()))).unwrap();
        worker.shared.signal().arm(false);
        worker.run(&position, &Limits::depth(1), &mut ());
        for (ply, text) in line.split_whitespace().enumerate() {
            worker.make(text.parse().unwrap(), ply);
        }
        worker
    }

    const START: &str = crate::position::START_FEN;

    #[test]
    fn a_fresh_position_is_open_and_a_repeated_one_has_another_key() {
        assert_eq!(worker_after(START, "", "a0a1").ruling(1, 1), ValueBounds::OPEN);
        let repeated = worker_after(START, "a0a1 a9a8 a1a0", "a8a9").ruling(1, 1);
        assert_eq!(repeated, ValueBounds::REPEATED);
        assert_ne!(repeated.key, ValueBounds::OPEN.key);
    }

    #[test]
    fn recurrences_are_draws_decisions_and_bounds() {
        let checks = "3k5/R8/9/9/9/9/9/4K4/9/9 w";
        assert_eq!(worker_after(START, "", "a0a1 a9a8 a1a0 a8a9 a0a1").ruling(5, 1).decided(), Some(DRAW));
        let lap = "a8a9 d9d8 a9a8 d8d9 a8a9";
        assert_eq!(worker_after(checks, "", lap).ruling(5, 1).decided(), Some(rule_win_in(5)));
        let way_in = worker_after("3k5/9/R8/9/9/9/9/4K4/9/9 w", "", "a7a9 d9d8 a9a8 d8d9 a8a9");
        let (searched, quiet) = (way_in.ruling(5, 1), way_in.ruling(5, 0));
        assert_eq!((searched.floor, searched.ceiling), (DRAW - 1, INFINITE));
        assert_eq!((quiet.floor, quiet.ceiling), (DRAW, INFINITE));
        assert_eq!(searched.decided(), None);
        assert_eq!((searched.bound(-300), searched.bound(300)), (-1, 300));
    }

    #[test]
    fn values_that_rest_on_repetition_never_cut_from_the_table() {
        for value in [rule_win_in(5), rule_loss_in(5)] {
            for bound in [Bound::Exact, Bound::Lower, Bound::Upper] {
                assert!(!is_usable(bound, value, 0), "{value} {bound:?}");
            }
        }
        assert!(is_usable(Bound::Lower, mate_in(5), 0) && is_usable(Bound::Upper, -50, 0));
        assert!(!is_usable(Bound::Upper, mate_in(5), 0) && !is_usable(Bound::Lower, -50, 0));
    }

    #[test]
    fn near_the_limit_the_table_is_not_believed() {
        let near = |plies: usize| {
            let fen = format!("4k4/4a4/4b4/9/9/4R4/9/4B4/4A4/4KA3 w - - {plies} 60");
            worker_after(&fen, "", "e4a4").is_near_move_limit(1)
        };
        assert!(!near(110) && near(111) && near(118));
    }
}
