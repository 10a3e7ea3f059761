//! Which moves are looked at more deeply than their depth says, or less.

use super::node::NonPv;
use super::transposition::Entry;
use super::worker::Worker;
use crate::types::score::is_decisive;
use crate::types::{Move, Value};

/// What a search without the table's move says of that move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SingularResult {
    /// It is to be searched so many plies deeper (or, negative, less deep).
    Extend(i32),
    /// The node is at least worth this, at or above beta: even without that move another one holds.
    CutOff(Value),
}

impl Worker {
    /// Asks whether the table's move is the only good one at `ply`, by a search of half the depth without it that it
    /// would have to beat by a margin ("singular extension", Anantharaman, Campbell & Hsu 1988).
    ///
    /// If nothing else comes near it, the move is worth a ply more, or two off the principal variation when all else is
    /// far worse. If something else holds beta as well, the node is cut off at once ("multicut", Björnsson & Marsland
    /// 1999). Otherwise the move is one of several, and searched less deep where a cut-off is expected anyway.
    pub(super) fn singularity(
        &mut self,
        ply: usize,
        depth: i32,
        (entry, table_value): (Entry, Value),
        window: (Value, Value),
        cut_node: bool,
    ) -> SingularResult {
        let (alpha, beta) = window;
        let params = &self.params;
        let is_in_question = depth >= params.singular_depth
            && ply < 2 * self.root_depth
            && entry.depth >= depth - 3
            && entry.bound.is_lower()
            && !is_decisive(table_value);
        if !is_in_question {
            return SingularResult::Extend(0);
        }
        let to_beat = table_value - params.singular_margin * depth / 16;
        let far_below = to_beat - params.singular_double;
        self.frames[ply].excluded = entry.mv;
        let value = self.search::<NonPv>(ply, to_beat - 1, to_beat, (depth - 1) / 2, cut_node);
        self.frames[ply].excluded = Move::NONE;
        let is_pv = beta - alpha > 1;
        if value < to_beat {
            SingularResult::Extend(if !is_pv && value < far_below { 2 } else { 1 })
        } else if to_beat >= beta {
            SingularResult::CutOff(to_beat)
        } else if table_value >= beta {
            SingularResult::Extend(-2)
        } else {
            SingularResult::Extend(-i32::from(cut_node))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::position::Position;
    use crate::search::shared::Shared;
    use crate::search::transposition::{Bound, Table};
    use crate::search::{Limits, Params};

    const PLY: usize = 1;
    const DEPTH: i32 = 6;

    /// What is said of Black's most usual reply to the most usual opening move, if the table's entry is this.
    fn said(entry: Entry, window: (Value, Value), cut_node: bool) -> SingularResult {
        let mut worker = Worker::new(Arc::new(Shared::new(Table::new(1).unwrap()))).unwrap();
        worker.shared.signal().arm(false);
        worker.run(&Position::start(), &Limits::depth(4), &mut ());
        worker.make("h2e2".parse().unwrap(), 0);
        let said = worker.singularity(PLY, DEPTH, (entry, entry.value), window, cut_node);
        assert_eq!(worker.frames[PLY].excluded, Move::NONE);
        said
    }

    fn entry(value: Value) -> Entry {
        let mv = "h9g7".parse().unwrap();
        Entry { mv, value, evaluation: 0, depth: DEPTH - 1, bound: Bound::Lower, was_pv: false }
    }

    #[test]
    fn a_move_that_nothing_else_comes_near_is_extended() {
        // Nothing is worth three pawns here; the table says that this move is.
        assert_eq!(said(entry(300), (0, 1), false), SingularResult::Extend(2));
        assert_eq!(
            said(entry(300), (-50, 50), false),
            SingularResult::Extend(1),
            "on the principal variation by one ply"
        );
    }

    #[test]
    fn a_move_that_others_rival_is_not() {
        // All moves are better than to lose three pawns. How much worse the others may be at this depth:
        let slack = Params::default().singular_margin * DEPTH / 16;
        let low = entry(-300);
        let to_beat = -300 - slack;
        assert_eq!(said(low, (to_beat - 1, to_beat), false), SingularResult::CutOff(to_beat));
        assert_eq!(
            said(low, (to_beat, to_beat + 1), false),
            SingularResult::Extend(-2),
            "the table's move holds beta alone"
        );
        assert_eq!(said(low, (-200, -199), true), SingularResult::Extend(-1));
        assert_eq!(said(low, (-200, -199), false), SingularResult::Extend(0));
    }

    #[test]
    fn the_question_is_not_asked_of_poor_entries() {
        for entry in [
            Entry { depth: DEPTH - 4, ..entry(300) },
            Entry { bound: Bound::Upper, ..entry(300) },
            entry(crate::types::score::mate_in(9)),
        ] {
            assert_eq!(said(entry, (0, 1), false), SingularResult::Extend(0));
        }
    }
}
