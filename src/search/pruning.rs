//! Pruning of nodes by null move and ProbCut, and of moves that are late, futile or losing.
//!
//! The steps are those of `pvs`, which decides where a rule applies. Margins are in `margins`; knows nothing of the
//! order of the steps.

use super::history::{HistoryKeys, MoveHistory};
use super::margins;
use super::node_kind::NonPv;
use super::params::NULL_MOVE_VERIFICATION_QUARTERS;
use super::picker::{Picker, PickerMode, Stage};
use super::searcher::Searcher;
use super::statistics::PruningRule;
use super::transposition::{Bound, Entry, value_to_table};
use crate::position::{CheckInfo, CheckSquares, exchange_value};
use crate::types::score::*;
use crate::types::{Move, Value};

/// Node that may be cut off by a shallower search of a capture.
pub(super) struct ProbCutNode {
    pub beta: Value,
    pub depth: i32,
    pub cut_node: bool,
    /// The static evaluation improves or reaches beta.
    pub improving: bool,
    /// Static evaluation with correction history.
    pub static_eval: Value,
    /// Static evaluation as the transposition table keeps it.
    pub raw_eval: Value,
    pub was_pv: bool,
}

/// Facts about a node that decide which of its moves are pruned.
pub(super) struct PruningContext {
    pub depth: i32,
    pub alpha: Value,
    pub in_check: bool,
    pub improving: bool,
    pub static_eval: Value,
    /// A move raised alpha.
    pub has_best_move: bool,
    /// Quiet moves that neither give nor answer check are pruned only for being late: a PV node along the principal
    /// variation of the last iteration.
    pub spares_quiets: bool,
}

/// Move of a node as the picker returned it.
pub(super) struct PickedMove {
    pub mv: Move,
    pub stage: Stage,
    pub is_capture: bool,
    /// 1 for the first legal move of the node.
    pub move_count: i32,
    pub gives_check: bool,
    pub history: MoveHistory,
    /// Base of its reduction in 1024ths of a ply.
    pub base_reduction: i32,
}

impl Searcher<'_> {
    /// Steps 6 and 10: counts a node that reverse futility pruning or ProbCut prunes. One of the sample is searched
    /// without both.
    #[inline(always)]
    pub(super) fn count_pruned_node(&mut self, rule: PruningRule, ply: usize, beta: Value, depth: i32, cut_node: bool) {
        self.count_pruned(rule, |searcher| {
            let outer = searcher.state.verified_ply.replace(ply);
            let value = searcher.search::<NonPv>(ply, beta - 1, beta, depth, cut_node);
            searcher.state.verified_ply = outer;
            value < beta
        });
    }

    /// Step 12: searches a pruned move all the same. Returns `true` if it beats alpha.
    #[cold]
    pub(super) fn verify_pruned_move(&mut self, mv: Move, ply: usize, depth: i32, alpha: Value) -> bool {
        self.make(mv, ply, self.position.gives_check(mv));
        let value = -self.search::<NonPv>(ply + 1, -alpha - 1, -alpha, depth - 1, true);
        self.unmake();
        value > alpha
    }

    /// Step 12: returns `true` if a quiet move is late, pruned at this depth for its number among the moves of the
    /// node, 1 for the first.
    #[inline(always)]
    pub(super) fn is_late(&self, depth: i32, improving: bool, move_count: i32) -> bool {
        let params = &self.config.params;
        depth <= params.late_move_pruning_depth
            && move_count >= margins::late_move_pruning_count(params, depth, improving)
    }

    /// Step 12: returns the rule by which a move is not searched, and the most that it could be worth, `-INFINITE` if
    /// that is unknown or the move is pruned for being late.
    #[inline(always)]
    pub(super) fn pruning_rule(&self, node: &PruningContext, picked: &PickedMove) -> Option<(PruningRule, Value)> {
        let params = &self.config.params;
        let &PruningContext { depth, alpha, in_check, improving, static_eval, has_best_move, spares_quiets } = node;
        let &PickedMove { mv, stage, is_capture, move_count, gives_check, history, base_reduction } = picked;
        // Both rules end at a depth of their own.
        let loses_more_than = |limit: Value| depth <= params.exchange_depth && !self.position.see_ge(mv, -limit);
        let has_poor_history = |margin: i32| depth <= params.history_depth && history.pruning < -margin * depth;
        let planned = depth - base_reduction / 1024;
        if is_capture {
            if stage == Stage::BadCaptures
                && loses_more_than(margins::capture_exchange_margin(params, depth, history.pruning))
            {
                return Some((PruningRule::CaptureExchange, -INFINITE));
            }
            let reduced = planned.max(0);
            if in_check || gives_check || reduced > params.futility_depth || is_decisive(alpha) {
                return None;
            }
            let victim = self.position.piece_on(mv.to()).map_or(0, |victim| exchange_value(victim.kind()));
            let futility_value =
                static_eval + margins::capture_futility_margin(params, reduced, history.pruning) + victim;
            return (futility_value <= alpha).then_some((PruningRule::CaptureFutility, futility_value));
        }
        if in_check {
            let rule = if has_poor_history(params.history_evasion_margin) {
                PruningRule::History
            } else if loses_more_than(params.exchange_evasion_margin * (planned.max(0) + 1)) {
                PruningRule::QuietExchange
            } else {
                return None;
            };
            return Some((rule, -INFINITE));
        }
        let is_late = self.is_late(depth, improving, move_count);
        if gives_check {
            let rule = if is_late {
                PruningRule::LateMove
            } else if loses_more_than(params.exchange_check_margin * depth) {
                PruningRule::QuietExchange
            } else {
                return None;
            };
            return Some((rule, -INFINITE));
        }
        if spares_quiets && !is_late {
            return None;
        }
        // Below zero for a late move with a bad history.
        let reduced = planned + history.pruning_depth / params.pruning_history;
        let futility_value =
            static_eval + margins::futility_margin(params, reduced, has_best_move, static_eval > alpha);
        let rule = if is_late {
            PruningRule::LateMove
        } else if has_poor_history(params.history_margin) {
            PruningRule::History
        } else if reduced.max(0) <= params.futility_depth && !is_decisive(alpha) && futility_value <= alpha {
            PruningRule::Futility
        } else if loses_more_than(params.exchange_quiet_margin * reduced.max(0) * reduced.max(0)) {
            PruningRule::QuietExchange
        } else {
            return None;
        };
        Some((rule, if rule == PruningRule::Futility { futility_value } else { -INFINITE }))
    }

    /// Step 7: null move pruning (Donninger 1993). Returns a value of at least `beta` if a pass does not lower the
    /// value below it.
    ///
    /// Only where a cut-off is expected. Not for a side without rook, horse or cannon, which may be in zugzwang. A side
    /// with only one, and every deep search, verifies the result by a search of at least half the depth; in the first
    /// three quarters of its plies neither side makes a null move.
    pub(super) fn try_null_move(
        &mut self,
        ply: usize,
        beta: Value,
        depth: i32,
        (eval, static_eval): (Value, Value),
    ) -> Option<Value> {
        let params = &self.config.params;
        let majors = self.position.major_count(self.position.side());
        let may_pass = depth >= params.null_move_depth
            && majors > 0
            && ply >= self.state.null_move_min_ply
            && eval >= beta
            && static_eval >= beta + params.null_move_static_margin - params.null_move_static_slope * depth
            && !is_decisive(beta)
            && ply > 0
            && !self.state.stack[ply - 1].mv.is_none();
        if !may_pass {
            return None;
        }
        let reduced = depth - margins::null_move_reduction(params, depth, eval - beta);
        self.make_null(ply);
        let value = -self.search::<NonPv>(ply + 1, -beta, -beta + 1, reduced, false);
        self.unmake();
        if self.state.stopped || value < beta {
            return None;
        }
        // A mate after a null move is not proved.
        let value = if is_decisive(value) { beta } else { value };
        if majors == 1 || depth >= self.config.params.null_move_verification_depth {
            let reduced = reduced.max(depth / 2).max(1);
            let min_ply = ply + (NULL_MOVE_VERIFICATION_QUARTERS * reduced / 4) as usize + 1;
            let verified = self.search_without_null_move(ply, beta, reduced, min_ply, false);
            if self.state.stopped || verified < beta {
                return None;
            }
        }
        self.count_pruned(PruningRule::NullMove, |searcher| {
            searcher.search_without_null_move(ply, beta, depth, ply + 1, true) < beta
        });
        Some(value)
    }

    /// Step 10: ProbCut (Buro 1995). Returns a value of at least beta if a capture stays so far above it in a search of
    /// less depth that it would hardly fall below it in one of full depth. `known` is the value of the node in the
    /// transposition table, if there is one.
    pub(super) fn try_probcut(
        &mut self,
        ply: usize,
        node: &ProbCutNode,
        (key, table_move, known): (u64, Move, Option<Value>),
        (check_info, check_squares, keys): (&CheckInfo, CheckSquares, HistoryKeys),
    ) -> Option<Value> {
        let params = &self.config.params;
        let &ProbCutNode { beta, depth, cut_node, improving, static_eval, raw_eval, was_pv } = node;
        let (margin, reduced) = margins::probcut(params, depth, improving);
        let raised = beta + margin;
        if depth < params.probcut_depth || is_decisive(beta) || known.is_some_and(|value| value < raised) {
            return None;
        }
        let mut picker = Picker::tactical(&self.position, check_squares, false, PickerMode::Captures, table_move, keys);
        while let Some((mv, _)) = picker.next(&self.position, &self.thread.history) {
            if !check_info.is_legal(&self.position, mv) || !self.position.see_ge(mv, raised - static_eval) {
                continue;
            }
            self.prefetch_child(mv);
            let gives_check = check_squares.gives_check(&self.position, mv);
            self.make(mv, ply, gives_check);
            let mut value = -self.quiesce::<NonPv>(ply + 1, -raised, -raised + 1);
            if value >= raised && reduced > 0 && !self.state.stopped {
                value = -self.search::<NonPv>(ply + 1, -raised, -raised + 1, reduced, !cut_node);
            }
            self.unmake();
            if self.state.stopped {
                return None;
            }
            if value >= raised {
                let (value_in_table, depth) = (value_to_table(value, ply), reduced.max(0) + 1);
                let entry = Entry { mv, value: value_in_table, raw_eval, depth, bound: Bound::Lower, was_pv };
                self.table.store(key, entry);
                // A decisive value is not taken from so shallow a search.
                if !is_decisive(value) {
                    return Some(value - margin);
                }
            }
        }
        None
    }

    /// Searches the node with a null window below `beta`, without null moves above `min_ply` and without reverse
    /// futility pruning and ProbCut of the node itself, which would answer without a full search.
    fn search_without_null_move(
        &mut self,
        ply: usize,
        beta: Value,
        depth: i32,
        min_ply: usize,
        cut_node: bool,
    ) -> Value {
        let outer_ply = self.state.verified_ply.replace(ply);
        let outer_min_ply = std::mem::replace(&mut self.state.null_move_min_ply, min_ply);
        let value = self.search::<NonPv>(ply, beta - 1, beta, depth, cut_node);
        self.state.null_move_min_ply = outer_min_ply;
        self.state.verified_ply = outer_ply;
        value
    }
}

#[cfg(test)]
mod tests {
    use super::super::params::{PROBCUT_REDUCTION, Params};
    use super::super::searcher::tests::{at_root, with_searcher};
    use super::super::state::StackEntry;
    use super::*;
    use crate::types::PieceKind;

    fn node(depth: i32, in_check: bool, static_eval: Value) -> PruningContext {
        let static_eval = if in_check { StackEntry::NO_EVAL } else { static_eval };
        let (improving, has_best_move, spares_quiets) = (false, true, false);
        PruningContext { depth, alpha: 0, in_check, improving, static_eval, has_best_move, spares_quiets }
    }

    /// The second move of a node, without a base reduction.
    fn picked(mv: &str, stage: Stage, pruning: i32) -> PickedMove {
        PickedMove {
            mv: mv.parse().unwrap(),
            stage,
            is_capture: matches!(stage, Stage::GoodCaptures | Stage::BadCaptures),
            move_count: 2,
            gives_check: false,
            history: MoveHistory { pruning, ..MoveHistory::default() },
            base_reduction: 0,
        }
    }

    #[test]
    fn quiet_evasions_that_lose_material_or_have_a_poor_history_are_pruned() {
        // Two rooks can block the check of Black's rook: one protected by the king, one unprotected.
        let mut config = at_root("3k5/4r4/9/9/9/R8/9/9/R8/4K4 w - - 0 1", "");
        (config.params.exchange_depth, config.params.exchange_evasion_margin) = (16, 95);
        with_searcher(config, |searcher| {
            let params = searcher.config.params;
            let rule = |mv: &str, depth: i32, pruning: i32| {
                searcher
                    .pruning_rule(&node(depth, true, 0), &picked(mv, Stage::Evasions, pruning))
                    .map(|(rule, _)| rule)
            };
            assert_eq!([rule("a1e1", 1, 0), rule("a4e4", 1, 0)], [None, Some(PruningRule::QuietExchange)]);
            // A rook is less than the exchange may lose in a deep search.
            let plies = (exchange_value(PieceKind::Rook) + 94) / 95;
            assert!(plies <= 16);
            assert_eq!(rule("a4e4", plies - 2, 0), Some(PruningRule::QuietExchange));
            assert_eq!(rule("a4e4", plies - 1, 0), None);
            let lowest = -3 * params.history_evasion_margin;
            assert_eq!([rule("a1e1", 3, lowest), rule("a1e1", 3, lowest - 1)], [None, Some(PruningRule::History)]);
        });
    }

    #[test]
    fn along_the_last_principal_variation_quiet_moves_are_pruned_only_if_they_are_late_check_or_evade() {
        with_searcher(at_root("3k5/9/9/9/R8/9/9/9/9/4K4 w - - 0 1", ""), |searcher| {
            let rules = |node: PruningContext, picked: PickedMove| {
                [false, true].map(|spares_quiets| {
                    searcher.pruning_rule(&PruningContext { spares_quiets, ..node }, &picked).map(|(rule, _)| rule)
                })
            };
            let quiet = |pruning: i32| picked("a5b5", Stage::Quiets, pruning);
            assert_eq!(rules(node(1, false, -2_000), quiet(0)), [Some(PruningRule::Futility), None]);
            assert_eq!(rules(node(1, false, 0), quiet(-30_000)), [Some(PruningRule::History), None]);
            let late = PickedMove { move_count: 60, ..quiet(0) };
            assert_eq!(rules(node(1, false, 0), late), [Some(PruningRule::LateMove); 2]);
            let evasion = picked("a5b5", Stage::Evasions, -30_000);
            assert_eq!(rules(node(1, true, 0), evasion), [Some(PruningRule::History); 2]);
        });
    }

    #[test]
    fn captures_that_leave_the_evaluation_below_alpha_are_pruned_unless_they_check() {
        with_searcher(at_root("3k5/9/9/9/R7p/9/9/9/9/4K4 w - - 0 1", ""), |searcher| {
            let most =
                margins::capture_futility_margin(&searcher.config.params, 1, 0) + exchange_value(PieceKind::Pawn);
            let rule = |static_eval: Value, in_check: bool, gives_check: bool, pruning: i32| {
                let node = PruningContext { in_check, ..node(1, false, static_eval) };
                searcher
                    .pruning_rule(&node, &PickedMove { gives_check, ..picked("a5i5", Stage::GoodCaptures, pruning) })
            };
            assert_eq!(rule(-most, false, false, 0), Some((PruningRule::CaptureFutility, 0)));
            assert_eq!(rule(1 - most, false, false, 0), None);
            assert_eq!([rule(-most, true, false, 0), rule(-most, false, true, 0)], [None, None]);
            // A capture that has often cut off may gain more than it takes.
            assert_eq!(rule(-most, false, false, 1_024), None);
            assert!(rule(1 - most, false, false, -1_024).is_some());
        });
    }

    #[test]
    fn captures_may_lose_more_in_deep_nodes_and_with_a_good_history() {
        // Red's rook takes a pawn that a rook protects.
        let mut config = at_root("3k4r/9/9/9/R7p/9/9/9/9/4K4 w - - 0 1", "");
        (config.params.exchange_depth, config.params.exchange_capture_margin) = (16, 240);
        config.params.exchange_capture_history = 32;
        with_searcher(config, |searcher| {
            assert_eq!(exchange_value(PieceKind::Rook) - exchange_value(PieceKind::Pawn), 850);
            let is_pruned_by_exchange = |depth: i32, pruning: i32| {
                searcher
                    .pruning_rule(&node(depth, false, 0), &picked("a5i5", Stage::BadCaptures, pruning))
                    .map(|(rule, _)| rule)
                    == Some(PruningRule::CaptureExchange)
            };
            assert_eq!([3, 4].map(|depth| is_pruned_by_exchange(depth, 0)), [true, false]);
            // 130 more than three plies allow.
            let points = 130 * 1_024 / 32;
            assert_eq!([points - 1, points].map(|pruning| is_pruned_by_exchange(3, pruning)), [true, false]);
        });
    }

    #[test]
    fn a_capture_far_above_beta_cuts_off_and_is_kept_in_the_table() {
        // Red's rook takes a rook.
        with_searcher(at_root("3k5/9/9/9/r8/9/9/9/9/R3K4 w - - 0 1", ""), |searcher| {
            let (key, keys, static_eval) = (searcher.position.key(), searcher.history_keys(0), searcher.evaluate());
            let probcut = |searcher: &mut Searcher, beta: Value, depth: i32, known: Option<Value>| {
                let node = ProbCutNode {
                    beta,
                    depth,
                    cut_node: true,
                    improving: false,
                    static_eval,
                    raw_eval: static_eval,
                    was_pv: false,
                };
                let (check_info, check_squares) =
                    (CheckInfo::new(&searcher.position), CheckSquares::new(&searcher.position));
                searcher.try_probcut(0, &node, (key, Move::NONE, known), (&check_info, check_squares, keys))
            };
            let (margin, _) = margins::probcut(&Params::default(), 6, false);
            assert_eq!(probcut(searcher, 100, Params::default().probcut_depth - 1, None), None);
            // The table knows that the margin is not reached, or a rook is not enough.
            assert_eq!(probcut(searcher, 100, 6, Some(100 + margin - 1)), None);
            assert_eq!(probcut(searcher, 5_000, 6, None), None);
            assert_eq!(probcut(searcher, mate_in(9), 6, None), None);
            // In a shallow node quiescence is enough.
            assert!(probcut(searcher, 100, PROBCUT_REDUCTION, None).is_some());
            assert_eq!(searcher.table.probe(key).unwrap().depth, 1);
            let value = probcut(searcher, 100, 6, Some(100 + margin)).unwrap();
            assert!((100..2_000).contains(&value), "{value}");
            let entry = searcher.table.probe(key).unwrap();
            assert_eq!((entry.mv, entry.value, entry.bound), ("a0a5".parse().unwrap(), value + margin, Bound::Lower));
            assert_eq!(entry.depth, 6 - PROBCUT_REDUCTION + 1);
        });
    }
}
