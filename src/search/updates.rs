//! Updates of histories and correction history by the results of a node, beside those at a cut-off by a move
//! ([`History::update_cutoff`](super::history::History)).

use super::correction::CorrectionKey;
use super::history::HistoryKeys;
use super::margins;
use super::searcher::Searcher;
use super::state::StackEntry;
use super::transposition::Bound;
use crate::types::score::is_decisive;
use crate::types::{Move, Value};

impl Searcher<'_> {
    /// Step 5: returns the change of the static evaluation by the last move, for the side to move now. `None` after a
    /// null move, or if one of the two positions is in check.
    #[inline(always)]
    pub fn evaluation_rise(&self, ply: usize) -> Option<Value> {
        let before = &self.state.stack[ply.checked_sub(1)?];
        let now = self.state.stack[ply].static_eval;
        let is_known = !before.mv.is_none() && before.static_eval != StackEntry::NO_EVAL && now != StackEntry::NO_EVAL;
        is_known.then_some(now + before.static_eval)
    }

    /// Step 5: a quiet move that lowered the evaluation of the side to move now was good, whatever a search says later.
    #[inline(always)]
    pub fn update_last_move_by_evaluation(&mut self, ply: usize, rise: Value, keys: &HistoryKeys) {
        let last = &self.state.stack[ply - 1];
        if !last.is_capture
            && let Some(piece) = self.position.piece_on(last.mv.to())
        {
            let bonus = margins::evaluation_bonus(&self.config.params, rise);
            self.thread.history.update_butterfly_and_pawn(piece.side(), piece, last.mv, keys, bonus);
        }
    }

    /// Step 4: adds a bonus to the quiet table move of a node that the table cuts off.
    pub fn update_table_move(&mut self, mv: Move, depth: i32, keys: &HistoryKeys) {
        if self.position.is_pseudo_legal(mv)
            && self.position.piece_on(mv.to()).is_none()
            && let Some(piece) = self.position.piece_on(mv.from())
        {
            let bonus = margins::history_bonus(depth) * self.config.params.history_table_percent / 100;
            self.thread.history.update_quiet(self.position.side(), piece, mv, keys, bonus);
        }
    }

    /// Step 12: adds a bonus or malus to a quiet move that is made and was searched to full depth after a reduced search
    /// beat alpha.
    pub fn update_searched_again(
        &mut self,
        mv: Move,
        depth: i32,
        value: Value,
        (alpha, beta): (Value, Value),
        keys: &HistoryKeys,
    ) {
        let Some(piece) = self.position.piece_on(mv.to()) else { return };
        let bonus = margins::history_bonus(depth) * self.config.params.history_research_percent / 100;
        if value >= beta {
            self.thread.history.update_continuation(piece, mv, keys, bonus);
        } else if value <= alpha {
            self.thread.history.update_continuation(piece, mv, keys, -bonus);
        }
    }

    /// Step 16: adds a bonus to the quiet move that led to a node without a good reply.
    pub fn update_unrefuted_move(&mut self, ply: usize, depth: i32, keys: &HistoryKeys) {
        let Some(last) = ply.checked_sub(1).map(|ply| &self.state.stack[ply]) else { return };
        let mv = last.mv;
        if !mv.is_none()
            && !last.is_capture
            && let Some(piece) = self.position.piece_on(mv.to())
        {
            let bonus = margins::history_bonus(depth) * self.config.params.history_fail_low_percent / 100;
            let keys_before = self.history_keys(ply - 1);
            self.thread.history.update_butterfly_and_pawn(piece.side(), piece, mv, keys, bonus / 2);
            self.thread.history.update_continuation(piece, mv, &keys_before, bonus);
        }
    }

    /// Step 16: updates correction history by the result of a node. Mates and captures are left out, since they say
    /// nothing about the evaluation of a quiet position, and so are bounds that do not show in which direction the
    /// evaluation errs.
    #[inline(always)]
    pub fn update_correction(
        &mut self,
        key: &CorrectionKey,
        (best_value, bound, best_move): (Value, Bound, Move),
        static_eval: Value,
        depth: i32,
    ) {
        if !is_decisive(best_value)
            && (best_move.is_none() || self.position.piece_on(best_move.to()).is_none())
            && best_value != static_eval
            && bound.decides(best_value, static_eval)
        {
            self.thread.correction.update(key, best_value - static_eval, depth, &self.config.params);
        }
    }
}
