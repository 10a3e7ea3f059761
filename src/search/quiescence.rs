//! Quiescence search: some captures and check evasions until the position is quiet enough to be evaluated.

use super::bounds::{self, ValueBounds};
use super::node::{NodeKind, NonPv, Pv, is_usable};
use super::picker::{Picker, PickerMode, Stage};
use super::state::{Searcher, StackEntry};
use super::transposition::{Bound, Entry, value_from_table, value_to_table};
use crate::position::{CheckInfo, CheckSquares, exchange_value};
use crate::types::score::*;
use crate::types::{Move, Value};

impl Searcher<'_> {
    /// Returns the value of the current position with the first captures that lose no material, captures of the piece
    /// that moved last or with check, on the first plies also quiet checks, and in check with evasions until one holds,
    /// then with captures and few quiet evasions. Bounds as in [`Searcher::search`].
    pub fn quiesce<K: NodeKind>(&mut self, ply: usize, alpha: Value, beta: Value) -> Value {
        if self.config.params.use_quiescence() == 0 {
            return self.evaluate_horizon(ply);
        }
        let plies = self.config.params.quiescence_check_plies;
        if K::PV {
            self.quiesce_node::<Pv>(ply, alpha, beta, plies)
        } else {
            self.quiesce_node::<NonPv>(ply, alpha, beta, plies)
        }
    }

    /// Returns the evaluation of the current position: what is left without quiescence, in the laboratory.
    #[cold]
    fn evaluate_horizon(&mut self, ply: usize) -> Value {
        self.state.pv_lines[ply].clear();
        if self.must_stop() {
            return DRAW;
        }
        let bounds = if ply > 0 { bounds::rule_bounds(self, ply, 0) } else { ValueBounds::OPEN };
        let raw_eval = self.evaluate();
        let corrected = self.thread.correction.correct(&self.state.stack[ply].correction_key, raw_eval);
        bounds.exact_value().unwrap_or_else(|| bounds.clamp(corrected))
    }

    /// Quiet checks are searched on `check_plies` more plies, this one included.
    fn quiesce_node<K: NodeKind>(&mut self, ply: usize, mut alpha: Value, mut beta: Value, check_plies: i32) -> Value {
        // Step 1: stop, rules of repetition, and the end of the stack. Tablebases are left to the main search.
        if K::PV {
            self.state.pv_lines[ply].clear();
        }
        if self.must_stop() {
            return DRAW;
        }
        self.state.statistics.update(|all| all.quiescence_nodes += 1);
        self.state.selective_depth = self.state.selective_depth.max(ply);
        let bounds = if ply > 0 { bounds::rule_bounds(self, ply, 0) } else { ValueBounds::OPEN };
        if let Some(value) = bounds.exact_value() {
            return value;
        }
        alpha = alpha.max(bounds.floor);
        beta = beta.min(bounds.ceiling);
        if alpha >= beta {
            return bounds.clamp(alpha);
        }
        let in_check = self.state.stack[ply].in_check;
        if ply >= MAX_PLY {
            return if in_check { DRAW } else { self.evaluate() };
        }

        // Step 2: transposition table.
        let key = self.position.key() ^ self.state.key_salt ^ bounds.key_salt;
        let entry = self.probe_table(key);
        let was_pv = K::PV || entry.is_some_and(|entry| entry.was_pv);
        if !K::PV
            && let Some(entry) = entry
        {
            let value = value_from_table(entry.value, ply);
            if is_usable(entry.bound, value, beta) && !bounds::may_exceed_move_limit(self, ply, value) {
                return bounds.clamp(value);
            }
        }

        // Step 3: stand pat. The side to move need not capture.
        let (mut raw_eval, mut static_eval) = (StackEntry::NO_EVAL, StackEntry::NO_EVAL);
        let mut best_value = -INFINITE;
        if !in_check {
            raw_eval = entry.map_or_else(|| self.evaluate(), |entry| entry.raw_eval);
            static_eval = self.thread.correction.correct(&self.state.stack[ply].correction_key, raw_eval);
            best_value = static_eval;
            if let Some(entry) = entry {
                let value = value_from_table(entry.value, ply);
                if entry.bound.decides(value, best_value) && !is_decisive(value) {
                    best_value = value;
                }
            }
            if best_value >= beta {
                // A value far above beta is less certain.
                if !is_decisive(beta) {
                    best_value = (best_value + beta) / 2;
                }
                return bounds.clamp(best_value);
            }
            alpha = alpha.max(best_value);
        }
        let futility_base = static_eval + self.config.params.quiescence_margin;

        let keys = self.history_keys(ply);
        let table_move = entry.map_or(Move::NONE, |entry| entry.mv);
        let mode = if check_plies > 0 { PickerMode::CapturesAndChecks } else { PickerMode::Captures };
        let check_info = CheckInfo::new(&self.position);
        let check_squares = CheckSquares::new(&self.position);
        let mut picker = Picker::new(&self.position, check_squares, in_check, mode, table_move, keys);
        let mut best_move = Move::NONE;
        let mut bound = Bound::Upper;
        let (mut legal, mut searched, mut evasions_searched) = (0, 0, 0);
        while let Some((mv, stage)) = picker.next(&self.position, &self.thread.history) {
            if !check_info.is_legal(&self.position, mv) {
                continue;
            }
            legal += 1;
            // Once one evasion holds, the number of quiet ones is limited. After a quiet one that counts here only
            // quiet ones follow.
            if in_check && !is_lost(best_value) && self.position.piece_on(mv.to()).is_none() {
                if evasions_searched >= self.config.params.quiescence_evasions {
                    break;
                }
                evasions_searched += 1;
            }
            // Step 4: pruning of captures that are late or even without recapture stay below alpha, and of checks that
            // lose material. A check, and the capture of the piece that moved last, may change more than the material.
            let takes_last_moved = ply > 0 && self.state.stack[ply - 1].mv.to() == mv.to();
            if !in_check
                && !takes_last_moved
                && let Some(victim) = self.position.piece_on(mv.to())
            {
                let is_late = ply > 0 && searched >= self.config.params.quiescence_captures;
                let most = futility_base + exchange_value(victim.kind());
                let is_futile = most <= alpha && !is_decisive(alpha);
                if (is_late || is_futile) && !check_squares.gives_check(&self.position, mv) {
                    if !is_late {
                        best_value = best_value.max(most);
                    }
                    continue;
                }
            }
            // Not for moves that the tests above leave out. The entries arrive while exchanges are examined.
            self.prefetch_child(mv);
            if stage == Stage::Quiets && !self.position.see_ge(mv, 0) {
                continue;
            }
            searched += 1;
            // The picker returns no other quiet moves.
            let gives_check = stage == Stage::Quiets || check_squares.gives_check(&self.position, mv);
            self.make(mv, ply, gives_check);
            let value = -self.quiesce_node::<K>(ply + 1, -beta, -alpha, check_plies - 1);
            self.unmake();
            if self.state.stopped {
                return DRAW;
            }
            if value > best_value {
                best_value = value;
                if value > alpha {
                    best_move = mv;
                    if K::PV {
                        self.update_line(ply, mv);
                    }
                    if value >= beta {
                        bound = Bound::Lower;
                        break;
                    }
                    bound = Bound::Exact;
                    alpha = value;
                }
            }
        }
        // Step 5: without a legal move the side to move has lost, in check or not.
        if legal == 0 && (in_check || !check_info.has_legal_move(&self.position)) {
            return mated_in(ply);
        }
        if best_value > beta && !is_decisive(best_value) && !is_decisive(beta) {
            best_value = (best_value + beta) / 2;
        }
        let value = value_to_table(best_value, ply);
        self.table.store(key, Entry { mv: best_move, value, raw_eval, depth: 0, bound, was_pv });
        bounds.clamp(best_value)
    }
}

#[cfg(test)]
mod tests {
    use super::super::state::tests::{at_root, with_searcher};
    use super::*;
    use crate::types::PieceKind;

    #[test]
    fn a_ceiling_below_alpha_is_the_value() {
        // Red repeats its checks: at most a draw, wherever alpha lies.
        with_searcher(at_root("3k5/R8/9/9/9/9/9/4K4/9/9 w", ""), |searcher| {
            searcher.make_all("a8a9 d9d8 a9a8 d8d9 a8a9 d9d8");
            assert_eq!(bounds::rule_bounds(searcher, 6, 0).ceiling, DRAW);
            assert_eq!(searcher.quiesce::<NonPv>(6, 500, 501), DRAW);
            assert_eq!(bounds::rule_bounds(searcher, 6, 1).ceiling, DRAW + 1);
            assert_eq!(searcher.search::<NonPv>(6, 500, 501, 3, false), DRAW + 1);
            // Between the bounds of the window the rules leave the value open.
            assert!(searcher.quiesce::<NonPv>(6, -500, -499) > -500);
        });
    }

    #[test]
    fn only_captures_of_the_last_piece_and_checks_are_searched_where_none_reaches_alpha() {
        // The pawn on file d or e is the only piece to take, and alpha is far above the evaluation.
        let search = |fen: &str, mv: &str| {
            let mut config = at_root(fen, "");
            config.params.quiescence_check_plies = 0;
            with_searcher(config, |searcher| {
                searcher.play(mv.parse().unwrap(), 0);
                let before = searcher.state.nodes;
                let most = searcher.evaluate() + searcher.config.params.quiescence_margin;
                let value = searcher.quiesce::<NonPv>(1, 6_000, 6_001);
                (searcher.state.nodes - before, value - most)
            })
        };
        let pawn = exchange_value(PieceKind::Pawn);
        assert_eq!(search("4k4/9/9/9/9/R2p5/9/9/9/3K5 b - - 0 1", "e9e8"), (0, pawn));
        let (nodes, _) = search("4k4/9/9/9/9/R3p4/9/9/9/3K5 b - - 0 1", "e4d4");
        assert!(nodes > 0, "the pawn moved last");
        let (nodes, _) = search("3k5/9/9/9/9/R3p4/9/9/9/5K3 b - - 0 1", "d9e9");
        assert!(nodes > 0, "the capture gives check");
    }
}
