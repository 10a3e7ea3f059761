//! Updates of histories and correction history by the results of a node.

use super::correction::CorrectionKey;
use super::history::HistoryKeys;
use super::margins::{self, UnrefutedMove};
use super::params::REFUTED_MOVE_COUNT;
use super::searcher::Searcher;
use super::state::StackEntry;
use super::transposition::Bound;
use crate::types::score::is_decisive;
use crate::types::{Move, Value};

impl Searcher<'_> {
    /// The move that led to the node at `ply`; `None` at the root and after a null move.
    #[inline(always)]
    fn last_move(&self, ply: usize) -> Option<&StackEntry> {
        ply.checked_sub(1).map(|ply| &self.state.stack[ply]).filter(|last| !last.mv.is_none())
    }

    /// Step 16: counts a cut-off by `mv`, which was searched as the move with this number, and keeps a quiet one as
    /// killer and counter move. Only an expected cut-off tells that the parent's other moves may be reduced more.
    pub fn count_cutoff(&mut self, ply: usize, mv: Move, keys: &HistoryKeys, number: usize, is_expected: bool) {
        self.count(|statistics| statistics.count_cutoff(number));
        let entry = &mut self.state.stack[ply];
        entry.cutoffs += i32::from(is_expected);
        if self.position.piece_on(mv.to()).is_none() {
            if entry.killers[0] != mv {
                entry.killers[1] = entry.killers[0];
                entry.killers[0] = mv;
            }
            self.thread.history.set_counter_move(keys.previous(), mv);
        }
    }

    /// Step 17: updates histories by the best move of a node. `tried` are the quiet moves and the captures searched
    /// besides. The last move gets a malus if it was quiet and the first of a node outside the table, or the second of
    /// one in it.
    pub fn update_best_move(
        &mut self,
        ply: usize,
        mv: Move,
        depth: i32,
        keys: &HistoryKeys,
        tried: (&[Move], &[Move]),
    ) {
        let params = &self.config.params;
        let changes = (margins::history_bonus(params, depth), margins::history_malus(params, depth));
        let refuted = changes.1 * params.history_refuted_percent / 100;
        self.thread.history.update_best_move(&self.position, mv, changes, keys, tried);
        if self.last_move(ply).is_some_and(|last| last.move_count == 1 + i32::from(last.in_table)) {
            self.update_last_quiet(ply, -refuted);
        }
    }

    /// Adds a bonus or malus to the last move in continuation history, if it was quiet.
    #[inline(always)]
    fn update_last_quiet(&mut self, ply: usize, bonus: i32) {
        if let Some(last) = self.last_move(ply).filter(|last| !last.is_capture)
            && let Some(piece) = self.position.piece_on(last.mv.to())
        {
            let (mv, keys_before) = (last.mv, self.history_keys(ply - 1));
            self.thread.history.update_continuation(piece, mv, &keys_before, bonus);
        }
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
            let mv = last.mv;
            self.thread.history.update_butterfly(piece.side(), mv, bonus);
            // A position in the table has had its bonus already.
            if !self.state.stack[ply].in_table {
                self.thread.history.update_pawn_after(piece, mv, keys, bonus);
            }
        }
    }

    /// Step 4: updates histories where a value of the table that is at least beta ends the node: a bonus for a quiet
    /// table move, and a malus for the last move if it was quiet and among the first of its node.
    pub fn update_table_cutoff(&mut self, ply: usize, mv: Move, depth: i32, keys: &HistoryKeys) {
        if mv.is_none() {
            return;
        }
        let params = &self.config.params;
        let malus = params.history_table_refuted;
        if self.position.is_pseudo_legal(mv)
            && self.position.piece_on(mv.to()).is_none()
            && let Some(piece) = self.position.piece_on(mv.from())
        {
            let bonus = margins::table_move_bonus(params, depth);
            self.thread.history.update_quiet(self.position.side(), piece, mv, keys, bonus);
        }
        if self.last_move(ply).is_some_and(|last| last.move_count <= REFUTED_MOVE_COUNT) {
            self.update_last_quiet(ply, -malus);
        }
    }

    /// Step 14: adds a bonus to a move, quiet or a capture, that is made and, though late, beat alpha in its first
    /// search.
    pub fn update_unexpected_move(&mut self, mv: Move, keys: &HistoryKeys) {
        if let Some(piece) = self.position.piece_on(mv.to()) {
            let bonus = self.config.params.history_research_bonus;
            self.thread.history.update_continuation(piece, mv, keys, bonus);
        }
    }

    /// Step 18: adds a bonus to the move that led to a node of this value without a good reply.
    pub fn update_unrefuted_move(&mut self, ply: usize, depth: i32, best_value: Value, keys: &HistoryKeys) {
        let Some(last) = self.last_move(ply) else { return };
        let (params, mv) = (&self.config.params, last.mv);
        let Some(piece) = self.position.piece_on(mv.to()) else { return };
        if last.is_capture {
            if let Some(victim) = self.position.history().last().and_then(|played| played.captured) {
                let bonus = params.history_fail_low_capture;
                self.thread.history.update_capture(piece, mv.to(), victim.kind(), bonus);
            }
            return;
        }
        let known = |eval: Value| Some(eval).filter(|&eval| eval != StackEntry::NO_EVAL);
        let context = UnrefutedMove {
            depth,
            history: last.move_history,
            move_count: last.move_count,
            fall: known(self.state.stack[ply].static_eval).map(|eval| eval - best_value),
            gain: known(last.static_eval).map(|eval| -best_value - eval),
        };
        let bonus = margins::unrefuted_bonus(params, &context);
        let of = |percent: i32| bonus * percent / 100;
        let keys_before = self.history_keys(ply - 1);
        let history = &mut self.thread.history;
        history.update_continuation(piece, mv, &keys_before, of(params.history_fail_low_continuation));
        history.update_butterfly(piece.side(), mv, of(params.history_fail_low_butterfly));
        history.update_pawn_after(piece, mv, keys, of(params.history_fail_low_pawn));
    }

    /// Step 18: updates correction history by the result of a node. Mates and captures are left out, since they say
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
    use super::super::params::LOW_PLIES;
    use super::super::searcher::tests::{at_root, with_searcher};
    use super::*;
    use crate::position::START_FEN;
    use crate::types::{Piece, PieceKind, Side};

    /// Rank of Red's move h2e2 in the order of the position after it, without earlier moves.
    fn cannon_history(searcher: &Searcher, mv: Move) -> i32 {
        let cannon = Piece::new(Side::Red, PieceKind::Cannon);
        let keys = HistoryKeys::new(&searcher.position, LOW_PLIES, false, [Continuation::NONE; 5]);
        searcher.thread.history.order(Side::Red, cannon, mv, &keys)
    }

    /// Rank of Black's reply h9g7 after Red's move h2e2.
    fn reply_history(searcher: &Searcher, mv: Move, keys: &HistoryKeys) -> i32 {
        let horse = Piece::new(Side::Black, PieceKind::Horse);
        searcher.thread.history.order(Side::Black, horse, mv, keys)
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
        let neutral = crate::search::Params::default().history_evaluation_offset;
        for (rise, sign) in [(neutral - 60, 1), (neutral, 0), (neutral + 60, -1)] {
            with_searcher(at_root(START_FEN, ""), |searcher| {
                searcher.play(mv, 0);
                let keys = searcher.history_keys(1);
                searcher.update_last_move_by_evaluation(1, rise, &keys);
                assert_eq!(cannon_history(searcher, mv).signum(), sign, "{rise}");
            });
        }
    }

    #[test]
    fn a_position_in_the_table_has_had_its_bonus_by_pawn_structure() {
        let mv: Move = "h2e2".parse().unwrap();
        let histories = [false, true].map(|in_table| {
            with_searcher(at_root(START_FEN, ""), |searcher| {
                searcher.play(mv, 0);
                searcher.state.stack[1].in_table = in_table;
                let keys = searcher.history_keys(1);
                searcher.update_last_move_by_evaluation(1, -100, &keys);
                cannon_history(searcher, mv)
            })
        });
        assert!(0 < histories[1] && histories[1] < histories[0], "{histories:?}");
    }

    #[test]
    fn captures_and_null_moves_gain_no_quiet_history() {
        let mv: Move = "h2h9".parse().unwrap();
        with_searcher(at_root(START_FEN, ""), |searcher| {
            let keys = searcher.history_keys(0);
            searcher.update_table_cutoff(0, mv, 8, &keys);
            searcher.update_table_cutoff(0, Move::NONE, 8, &keys);
            searcher.play(mv, 0);
            let keys = searcher.history_keys(1);
            searcher.update_last_move_by_evaluation(1, -60, &keys);
            searcher.update_unrefuted_move(1, 8, 0, &keys);
            assert_eq!(cannon_history(searcher, mv), 0);
            searcher.unmake();
            searcher.make_null(0);
            searcher.update_unrefuted_move(1, 8, 0, &keys);
            searcher.update_unrefuted_move(0, 8, 0, &keys);
            assert_eq!(cannon_history(searcher, "h2e2".parse().unwrap()), 0);
        });
    }

    #[test]
    fn a_capture_gains_where_it_left_no_good_reply() {
        let mv: Move = "h2h9".parse().unwrap();
        with_searcher(at_root(START_FEN, ""), |searcher| {
            let cannon = Piece::new(Side::Red, PieceKind::Cannon);
            searcher.play(mv, 0);
            let keys = searcher.history_keys(1);
            searcher.update_unrefuted_move(1, 3, 0, &keys);
            assert!(searcher.thread.history.capture(cannon, mv.to(), PieceKind::Horse) > 0);
            assert_eq!(searcher.thread.history.capture(cannon, mv.to(), PieceKind::Rook), 0);
        });
    }

    #[test]
    fn only_first_quiet_moves_lose_by_a_refutation() {
        let (reply, answer): (Move, Move) = ("h9g7".parse().unwrap(), "b0c2".parse().unwrap());
        // A best move refutes the first move, or the second of a node in the table, a table cut-off each of the two.
        for (move_count, in_table, by_best, by_table) in
            [(1, false, -1, -1), (2, true, -1, -1), (2, false, 0, -1), (1, true, 0, -1), (3, false, 0, 0)]
        {
            for (is_table_cutoff, sign) in [(false, by_best), (true, by_table)] {
                with_searcher(at_root(START_FEN, ""), |searcher| {
                    searcher.play("h2e2".parse().unwrap(), 0);
                    let keys = searcher.history_keys(1);
                    (searcher.state.stack[1].move_count, searcher.state.stack[1].in_table) = (move_count, in_table);
                    searcher.play(reply, 1);
                    let now = searcher.history_keys(2);
                    if is_table_cutoff {
                        searcher.update_table_cutoff(2, answer, 8, &now);
                    } else {
                        searcher.update_best_move(2, answer, 8, &now, (&[], &[]));
                    }
                    let history = reply_history(searcher, reply, &keys);
                    assert_eq!(history.signum(), sign, "{move_count} {in_table} {is_table_cutoff}");
                });
            }
        }
    }

    #[test]
    fn quiet_moves_gain_by_table_cut_offs_and_nodes_without_a_good_reply() {
        let mv: Move = "h2e2".parse().unwrap();
        with_searcher(at_root(START_FEN, ""), |searcher| {
            let keys = searcher.history_keys(0);
            searcher.update_table_cutoff(0, mv, 8, &keys);
            let first = cannon_history(searcher, mv);
            searcher.play(mv, 0);
            let keys = searcher.history_keys(1);
            searcher.update_unrefuted_move(1, 8, -200, &keys);
            assert!(0 < first && first < cannon_history(searcher, mv));
        });
    }

    #[test]
    fn a_move_that_beat_alpha_in_a_reduced_search_gains() {
        let reply: Move = "h9g7".parse().unwrap();
        with_searcher(at_root(START_FEN, ""), |searcher| {
            searcher.play("h2e2".parse().unwrap(), 0);
            let keys = searcher.history_keys(1);
            searcher.play(reply, 1);
            searcher.update_unexpected_move(reply, &keys);
            assert!(reply_history(searcher, reply, &keys) > 0);
        });
    }

    #[test]
    fn a_cut_off_keeps_quiet_moves_as_killers_and_counts_if_it_was_expected() {
        let [quiet, other, capture] = ["h2e2", "b0c2", "h2h9"].map(|text| text.parse::<Move>().unwrap());
        with_searcher(at_root(START_FEN, ""), |searcher| {
            let keys = searcher.history_keys(0);
            for (mv, is_expected) in [(quiet, true), (other, false), (other, true), (capture, true)] {
                searcher.count_cutoff(0, mv, &keys, 1, is_expected);
            }
            assert_eq!(searcher.state.stack[0].killers, [other, quiet]);
            assert_eq!(searcher.state.stack[0].cutoffs, 3);
        });
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
