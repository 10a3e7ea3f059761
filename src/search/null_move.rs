//! The null move: if passing is still too good for the opponent, so is the best move (Donninger 1993).

use super::margins;
use super::node::NonPv;
use super::worker::Worker;
use crate::types::Value;
use crate::types::score::is_decisive;

impl Worker {
    /// Lets the opponent move twice and returns a value at or above `beta` if that is not enough for them.
    ///
    /// Not for a side without rook, horse or cannon, where passing is often the best move; a side with just one, and
    /// any deep search, must confirm by a search of its own in which it may not pass.
    pub(super) fn try_null_move(
        &mut self,
        ply: usize,
        beta: Value,
        depth: i32,
        estimate: Value,
        static_value: Value,
        cut_node: bool,
    ) -> Option<Value> {
        let params = &self.params;
        let majors = self.position.major_count(self.position.side());
        let may_pass = depth >= params.null_move_depth
            && majors > 0
            && ply >= self.null_move_from
            && estimate >= beta
            && static_value >= beta + params.null_move_static_margin - params.null_move_static_slope * depth
            && !is_decisive(beta)
            && ply > 0
            && !self.frames[ply - 1].mv.is_none();
        if !may_pass {
            return None;
        }
        let reduced = depth - margins::null_move_reduction(params, depth, estimate - beta);
        self.make_null(ply);
        let value = -self.search::<NonPv>(ply + 1, -beta, -beta + 1, reduced, !cut_node);
        self.unmake();
        if self.stopped || value < beta {
            return None;
        }
        // A mate found after passing is none that was proved.
        let value = if is_decisive(value) { beta } else { value };
        if majors > 1 && depth < self.params.null_move_verification_depth {
            return Some(value);
        }
        let outer = std::mem::replace(&mut self.null_move_from, ply + (3 * reduced.max(0) / 4) as usize + 1);
        let verified = self.search::<NonPv>(ply, beta - 1, beta, reduced.max(1), false);
        self.null_move_from = outer;
        (!self.stopped && verified >= beta).then_some(value)
    }
}
