//! Updates of histories and correction history by the results of a node.

use super::correction::CorrectionKey;
use super::history::HistoryKeys;
use super::margins;
use super::params::REFUTED_MOVE_COUNT;
use super::searcher::Searcher;
use super::state::StackEntry;
use super::transposition::Bound;
use crate::types::score::is_decisive;
use crate::types::{Move, Value};

impl Searcher<'_> {
    /// Returns this percentage of the bonus of a move that causes a cut-off.
    #[inline(always)]
    fn bonus_share(&self, depth: i32, percent: i32) -> i32 {
        margins::history_bonus(&self.config.params, depth) * percent / 100
    }

    /// Step 15: updates killers, counter move and histories after a cut-off by `mv`. `tried` are the quiet moves and
    /// the captures searched before it.
    pub fn update_cutoff(&mut self, ply: usize, mv: Move, depth: i32, keys: &HistoryKeys, tried: (&[Move], &[Move])) {
        self.count(|statistics| statistics.count_cutoff(tried.0.len() + tried.1.len() + 1));
        let params = &self.config.params;
        let changes = (margins::history_bonus(params, depth), margins::history_malus(params, depth));
        let entry = &mut self.state.stack[ply];
        entry.cutoffs += 1;
        self.thread.history.update_cutoff(&self.position, mv, changes, keys, &mut entry.killers, tried);
    }

    /// Step 5: returns the change of the static evaluation by the last move, for the side to move now. `None` after a
    /// null move, or if one of the two positions is in check.
    #[inline(always)]
    pub fn evaluation_rise(&self, ply: usize) -> Option<Value> {
        let before = &self.state.stack[ply.checked_sub(1)?];
        let now = self.state.stack[ply].static_eval;
        let is_known = !before.mv.is_none() && before.static_eval != StackEntry::NO_EVAL && now != StackEntry::NO_EVAL;
        is_known.then_some(now + before.static_eval)
    }

    /// Step 5: updates the history of the last move by the change of the evaluation, and returns the plies by which the
    /// node is searched deeper than planned. A second search of the node, as for a verification, changes nothing.
    #[inline(always)]
    pub fn learn_from_last_move(&mut self, ply: usize, depth: i32, keys: &HistoryKeys) -> i32 {
        if self.state.verified_ply == Some(ply) {
            return 0;
        }
        let Some(rise) = self.evaluation_rise(ply) else { return 0 };
        self.update_last_move_by_evaluation(ply, rise, keys);
        margins::hindsight(&self.config.params, depth, self.state.stack[ply - 1].reduction, rise)
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
            let bonus = self.bonus_share(depth, self.config.params.history_table_percent);
            self.thread.history.update_quiet(self.position.side(), piece, mv, keys, bonus);
        }
    }

    /// Steps 4 and 14: adds a malus to the last move, if it was quiet and among the first of its node, after a cut-off.
    #[inline(always)]
    pub fn update_refuted_move(&mut self, ply: usize, depth: i32) {
        let Some(last) = ply.checked_sub(1).map(|ply| &self.state.stack[ply]) else { return };
        let mv = last.mv;
        if !mv.is_none()
            && !last.is_capture
            && last.move_count <= REFUTED_MOVE_COUNT
            && let Some(piece) = self.position.piece_on(mv.to())
        {
            let malus = self.bonus_share(depth, self.config.params.history_refuted_percent);
            let keys_before = self.history_keys(ply - 1);
            self.thread.history.update_continuation(piece, mv, &keys_before, -malus);
        }
    }

    /// Step 13: adds a bonus or malus to a quiet move that is made and was searched to full depth after a reduced
    /// search beat alpha.
    pub fn update_searched_again(
        &mut self,
        mv: Move,
        depth: i32,
        value: Value,
        (alpha, beta): (Value, Value),
        keys: &HistoryKeys,
    ) {
        let Some(piece) = self.position.piece_on(mv.to()) else { return };
        let bonus = self.bonus_share(depth, self.config.params.history_research_percent);
        if value >= beta {
            self.thread.history.update_continuation(piece, mv, keys, bonus);
        } else if value <= alpha {
            self.thread.history.update_continuation(piece, mv, keys, -bonus);
        }
    }

    /// Step 17: adds a bonus to the quiet move that led to a node without a good reply.
    pub fn update_unrefuted_move(&mut self, ply: usize, depth: i32, keys: &HistoryKeys) {
        let Some(last) = ply.checked_sub(1).map(|ply| &self.state.stack[ply]) else { return };
        let mv = last.mv;
        if !mv.is_none()
            && !last.is_capture
            && let Some(piece) = self.position.piece_on(mv.to())
        {
            let bonus = self.bonus_share(depth, self.config.params.history_fail_low_percent);
            let keys_before = self.history_keys(ply - 1);
            self.thread.history.update_butterfly_and_pawn(piece.side(), piece, mv, keys, bonus / 2);
            self.thread.history.update_continuation(piece, mv, &keys_before, bonus);
        }
    }

    /// Step 17: updates correction history by the result of a node. Mates and captures are left out, since they say
    /// nothing about the evaluation of a quiet position, and so are bounds that do not show in which direction the
    /// evaluation errs.
    #[inline(always)]
    pub fn update_correction(
        &mut self,
        key: &CorrectionKey,
        (best_value, bound, best_move): (Value, Bound, Move),
        (raw_eval, static_eval): (Value, Value),
        depth: i32,
    ) {
        if bound == Bound::Exact && !is_decisive(best_value) {
            self.count(|statistics| statistics.count_evaluation(depth, best_value, raw_eval, static_eval));
        }
        if !is_decisive(best_value)
            && (best_move.is_none() || self.position.piece_on(best_move.to()).is_none())
            && best_value != static_eval
            && bound.decides(best_value, static_eval)
        {
            self.thread.correction.update(key, best_value - static_eval, depth, &self.config.params);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::history::Continuation;
    use super::super::searcher::tests::{at_root, with_searcher};
    use super::*;
    use crate::position::START_FEN;
    use crate::types::{Piece, PieceKind, Side};

    /// History of Red's move h2e2 in the position after it, by pawn structure alone.
    fn cannon_history(searcher: &Searcher, mv: Move) -> i32 {
        let cannon = Piece::new(Side::Red, PieceKind::Cannon);
        let keys = HistoryKeys::new(&searcher.position, 0, [Continuation::NONE; 4]);
        searcher.thread.history.quiet(Side::Red, cannon, mv, &keys)
    }

    #[test]
    fn the_rise_is_that_of_the_side_to_move_and_unknown_in_check_and_after_a_null_move() {
        with_searcher(at_root(START_FEN, ""), |searcher| {
            assert_eq!(searcher.evaluation_rise(0), None);
            searcher.state.stack[0].static_eval = 40;
            searcher.play("h2e2".parse().unwrap(), 0);
            searcher.state.stack[1].static_eval = -25;
            // Red's cannon has cost Red 15 centipawns.
            assert_eq!(searcher.evaluation_rise(1), Some(15));
            searcher.state.stack[1].static_eval = StackEntry::NO_EVAL;
            assert_eq!(searcher.evaluation_rise(1), None);
            searcher.unmake();
            searcher.make_null(0);
            searcher.state.stack[1].static_eval = -40;
            assert_eq!(searcher.evaluation_rise(1), None);
        });
    }

    #[test]
    fn a_move_that_raised_the_evaluation_of_its_side_gains_history_and_one_that_lowered_it_loses() {
        let mv: Move = "h2e2".parse().unwrap();
        for (rise, sign) in [(-60, 1), (0, 0), (60, -1)] {
            with_searcher(at_root(START_FEN, ""), |searcher| {
                searcher.play(mv, 0);
                let keys = searcher.history_keys(1);
                searcher.update_last_move_by_evaluation(1, rise, &keys);
                assert_eq!(cannon_history(searcher, mv).signum(), sign, "{rise}");
            });
        }
    }

    #[test]
    fn captures_and_null_moves_gain_no_quiet_history() {
        let mv: Move = "h2h9".parse().unwrap();
        with_searcher(at_root(START_FEN, ""), |searcher| {
            let keys = searcher.history_keys(0);
            searcher.update_table_move(mv, 8, &keys);
            searcher.update_table_move(Move::NONE, 8, &keys);
            searcher.play(mv, 0);
            let keys = searcher.history_keys(1);
            searcher.update_last_move_by_evaluation(1, -60, &keys);
            searcher.update_unrefuted_move(1, 8, &keys);
            assert_eq!(cannon_history(searcher, mv), 0);
            searcher.unmake();
            searcher.make_null(0);
            searcher.update_unrefuted_move(1, 8, &keys);
            searcher.update_unrefuted_move(0, 8, &keys);
            assert_eq!(cannon_history(searcher, "h2e2".parse().unwrap()), 0);
        });
    }

    #[test]
    fn only_first_quiet_moves_lose_by_a_refutation() {
        let reply: Move = "h9g7".parse().unwrap();
        let horse = Piece::new(Side::Black, PieceKind::Horse);
        for (move_count, sign) in [(1, -1), (REFUTED_MOVE_COUNT, -1), (REFUTED_MOVE_COUNT + 1, 0)] {
            with_searcher(at_root(START_FEN, ""), |searcher| {
                searcher.play("h2e2".parse().unwrap(), 0);
                let keys = searcher.history_keys(1);
                searcher.state.stack[1].move_count = move_count;
                searcher.play(reply, 1);
                searcher.update_refuted_move(2, 8);
                let history = searcher.thread.history.quiet(Side::Black, horse, reply, &keys);
                assert_eq!(history.signum(), sign, "{move_count}");
            });
        }
    }

    #[test]
    fn quiet_moves_gain_by_table_cut_offs_and_nodes_without_a_good_reply() {
        let mv: Move = "h2e2".parse().unwrap();
        with_searcher(at_root(START_FEN, ""), |searcher| {
            let keys = searcher.history_keys(0);
            searcher.update_table_move(mv, 8, &keys);
            let first = cannon_history(searcher, mv);
            searcher.play(mv, 0);
            let keys = searcher.history_keys(1);
            searcher.update_unrefuted_move(1, 8, &keys);
            assert!(0 < first && first < cannon_history(searcher, mv));
        });
    }

    #[test]
    fn a_move_searched_again_gains_at_a_cut_off_and_loses_below_alpha() {
        let reply: Move = "h9g7".parse().unwrap();
        let horse = Piece::new(Side::Black, PieceKind::Horse);
        for (value, sign) in [(-11, -1), (-10, -1), (0, 0), (10, 1)] {
            with_searcher(at_root(START_FEN, ""), |searcher| {
                searcher.play("h2e2".parse().unwrap(), 0);
                let keys = searcher.history_keys(1);
                searcher.play(reply, 1);
                searcher.update_searched_again(reply, 8, value, (-10, 10), &keys);
                assert_eq!(searcher.thread.history.quiet(Side::Black, horse, reply, &keys).signum(), sign, "{value}");
            });
        }
    }

    #[test]
    fn only_results_that_show_the_direction_of_the_error_correct_the_evaluation() {
        let quiet: Move = "h2e2".parse().unwrap();
        let capture: Move = "h2h9".parse().unwrap();
        let cases = [
            ((80, Bound::Exact, quiet), 1),
            ((80, Bound::Lower, quiet), 1),
            ((80, Bound::Upper, Move::NONE), 0),
            ((-80, Bound::Upper, Move::NONE), -1),
            ((-80, Bound::Lower, quiet), 0),
            ((80, Bound::Exact, capture), 0),
            ((crate::types::score::mate_in(5), Bound::Exact, quiet), 0),
        ];
        for (result, sign) in cases {
            with_searcher(at_root(START_FEN, ""), |searcher| {
                let key = searcher.correction_key(0);
                for _ in 0..50 {
                    searcher.update_correction(&key, result, (0, 0), 8);
                }
                let corrected = searcher.thread.correction.correct(&key, 0, &searcher.config.params);
                assert_eq!(corrected.signum(), sign, "{result:?}");
            });
        }
    }
}
