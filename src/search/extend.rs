//! Which moves are looked at more deeply than their depth says, or less.

use super::pvs::NonPv;
use super::table::Entry;
use super::worker::Worker;
use crate::types::score::is_decisive;
use crate::types::{Move, Value};

/// What a search without the table's move says of that move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Singularity {
    /// It is to be searched so many plies deeper (or, negative, less deep).
    Extend(i32),
    /// The node is at least worth this, at or above beta: even without that move another one holds.
    CutOff(Value),
}

impl Worker {
    /// Asks whether the table's move `mv` is the only good one at `ply`, by a search of half the depth without it that it
    /// would have to beat by a margin ("singular extension", Anantharaman, Campbell & Hsu 1988).
    ///
    /// If nothing else comes near it, the move is worth a ply more, or two off the principal variation when all else is
    /// far worse. If something else holds beta as well, the node is cut off at once ("multicut", Björnsson & Marsland
    /// 1999). Otherwise the move is one of several, and searched less deep where a cut-off is expected anyway.
    pub(super) fn singularity(
        &mut self,
        ply: usize,
        depth: i32,
        (mv, entry, table_value): (Move, Entry, Value),
        window: (Value, Value),
        cut_node: bool,
    ) -> Singularity {
        let (alpha, beta) = window;
        let params = &self.params;
        let is_in_question = depth >= params.singular_depth
            && ply < 2 * self.root_depth
            && entry.depth >= depth - 3
            && entry.bound.is_lower()
            && !is_decisive(table_value);
        if !is_in_question {
            return Singularity::Extend(0);
        }
        let to_beat = table_value - params.singular_margin * depth / 16;
        let far_below = to_beat - params.singular_double;
        self.frames[ply].excluded = mv;
        let value = self.search::<NonPv>(ply, to_beat - 1, to_beat, (depth - 1) / 2, cut_node);
        self.frames[ply].excluded = Move::NONE;
        let is_pv = beta - alpha > 1;
        if value < to_beat {
            Singularity::Extend(if !is_pv && value < far_below { 2 } else { 1 })
        } else if to_beat >= beta {
            Singularity::CutOff(to_beat)
        } else if table_value >= beta {
            Singularity::Extend(-2)
        } else {
            Singularity::Extend(-i32::from(cut_node))
        }
    }
}
