//! Principal variation search of a node in negamax form, fail-soft, in eighteen numbered steps: ten before the moves of
//! a node, eight to search them. A new rule that prunes moves belongs into `pruning_rule`, its margin into `margins`,
//! its numbers into `params`, with a constant that disables it, and a name for its counter into `statistics`.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;

use super::bounds::{self, ValueBounds};
use super::history::{HistoryKeys, MoveHistory, TriedMoves};
use super::margins;
use super::params::*;
use super::picker::{Picker, PickerMode, Stage};
use super::state::{Line, PROOF_PLIES, Searcher, StackEntry, ThreadRole};
use super::statistics::PruningRule;
use super::transposition::{Bound, Entry, value_from_table, value_to_table};
use crate::position::{CheckInfo, CheckSquares, exchange_value};
use crate::solver::FoundMate;
use crate::types::score::*;
use crate::types::{Move, Value};

/// Kind of a node, known at compile time.
pub(super) trait NodeKind {
    const ROOT: bool = false;
    /// The window is open: the exact value is wanted.
    const PV: bool = true;
}

pub(super) struct Root;
impl NodeKind for Root {
    const ROOT: bool = true;
}

/// A node of the principal variation.
pub(super) struct Pv;
impl NodeKind for Pv {}

/// A node with a null window.
pub(super) struct NonPv;
impl NodeKind for NonPv {
    const PV: bool = false;
}

/// Evaluations of a node. In check `raw_eval`, `static_eval` and `eval` are [`StackEntry::NO_EVAL`].
struct NodeEval {
    /// Static evaluation as the transposition table keeps it.
    raw_eval: Value,
    /// Static evaluation with correction history.
    static_eval: Value,
    /// Best estimate: the value of the transposition table if it bounds the static evaluation.
    eval: Value,
    /// Size of the correction in centipawns, also in check, where it measures how uncertain evaluations are.
    correction: Value,
    /// The static evaluation is better than two plies before, or than four before if the side was in check then, or
    /// neither is known. From step 8 on also if it reaches beta.
    improving: bool,
}

/// Node whose moves are searched: what the steps before them have found out.
struct Node {
    ply: usize,
    depth: i32,
    /// `true` if a value of at least beta is expected.
    cut_node: bool,
    in_check: bool,
    /// Along the last principal variation quiet moves that neither give nor answer check are only left out as late.
    spares_quiets: bool,
    /// The node belongs to the principal variation, or did when it was stored in the transposition table.
    was_pv: bool,
    /// The side to move has a rook, horse or cannon.
    has_major: bool,
    key: u64,
    entry: Option<Entry>,
    /// Value of the entry, seen from this node; [`DRAW`] without an entry.
    table_value: Value,
    /// Move of the entry, or none; at the root the best move of the last iteration.
    table_move: Move,
    table_capture: bool,
    /// Move that a singular search leaves out, or none.
    excluded: Move,
    history_keys: HistoryKeys,
    eval: NodeEval,
    /// Bounds of rules and tablebases together, and of tablebases alone.
    bounds: ValueBounds,
    tablebase_bounds: ValueBounds,
    check_info: CheckInfo,
    check_squares: CheckSquares,
}

/// Move of a node as the picker returned it.
struct PickedMove {
    mv: Move,
    stage: Stage,
    is_capture: bool,
    /// 1 for the first legal move of the node.
    move_count: i32,
    gives_check: bool,
    history: MoveHistory,
    /// Base of its reduction in 1024ths of a ply.
    base_reduction: i32,
}

impl Searcher<'_> {
    /// Returns the value of the current position, `ply` plies from the root, searched `depth` plies deep: exact between
    /// `alpha` and `beta`, otherwise a bound. `cut_node` tells that a value of at least beta is expected. After a stop
    /// the result is meaningless.
    pub fn search<K: NodeKind>(&mut self, ply: usize, alpha: Value, beta: Value, depth: i32, cut_node: bool) -> Value {
        debug_assert!(-INFINITE <= alpha && alpha < beta && beta <= INFINITE && (K::PV || beta - alpha == 1));
        let (params, mut alpha, mut beta, mut depth) = (&self.config.params, alpha, beta, depth);

        // Step 1: horizon. Captures are resolved before the evaluation is trusted.
        if depth <= 0 {
            return self.quiesce::<K>(ply, alpha, beta);
        }
        if K::PV {
            self.state.pv_lines[ply].clear();
        }
        if self.must_stop() {
            return DRAW;
        }
        self.state.selective_depth = self.state.selective_depth.max(ply);
        self.state.statistics.update(|all| all.count_node(K::PV, cut_node));
        let in_check = self.state.stack[ply].in_check;
        let in_last_pv = self.is_in_last_pv(ply);
        self.state.stack[ply].in_last_pv = in_last_pv;
        let (mut bounds, mut tablebase_bounds) = (ValueBounds::OPEN, ValueBounds::OPEN);
        if !K::ROOT {
            // Step 2: rules of repetition and tablebases. The root needs a move whatever happened before.
            bounds = bounds::rule_bounds(self, ply, 1);
            if let Some(value) = bounds.exact_value() {
                return value;
            }
            tablebase_bounds = bounds::tablebase_bounds(self, ply);
            bounds = bounds.intersect(tablebase_bounds);
            if let Some(value) = bounds.exact_value() {
                return value;
            }
            if ply >= MAX_PLY {
                return if in_check { DRAW } else { self.evaluate() };
            }
            // Step 3: bounds and mate distance.
            alpha = alpha.max(mated_in(ply)).max(bounds.floor);
            beta = beta.min(mate_in(ply + 1)).min(bounds.ceiling);
            if alpha >= beta {
                // A singular search asks about the other moves alone, so no bound makes a move more singular.
                return if self.state.stack[ply].excluded.is_none() { bounds.clamp(alpha) } else { alpha };
            }
        }

        // Step 4: transposition table (TT). Outside the principal variation a deep enough value ends the node, unless
        // the natural move limit, which the table ignores, comes first.
        let key = self.position.key() ^ self.state.key_salt ^ bounds.key_salt;
        let excluded = self.state.stack[ply].excluded;
        let is_singular_search = !excluded.is_none();
        let entry = self.probe_table(key);
        let was_pv = K::PV || entry.is_some_and(|entry| entry.was_pv);
        if !is_singular_search {
            self.state.stack[ply].was_pv = was_pv;
        }
        self.state.stack[ply].in_table = entry.is_some();
        let table_value = entry.map_or(DRAW, |entry| value_from_table(entry.value, ply));
        let root_move = (K::ROOT && self.state.root_depth > 1).then(|| self.state.root_moves[self.state.pv_index].mv);
        let table_move = root_move.or(entry.map(|entry| entry.mv)).unwrap_or(Move::NONE);
        let history_keys = self.history_keys(ply);
        if !K::PV
            && !is_singular_search
            && let Some(entry) = entry
            && entry.depth >= depth
            && is_usable(entry.bound, table_value, beta)
            // A value above beta must come from a deeper search.
            && (table_value <= beta || entry.depth > depth)
            && !bounds::may_exceed_move_limit(self, ply, table_value)
        {
            if table_value >= beta {
                self.update_histories_by_table_cutoff(ply, table_move, depth, &history_keys);
            }
            return bounds.clamp(table_value);
        }
        // The entries after the table move arrive while the node is tested for pruning and moves are generated.
        if !is_singular_search {
            self.prefetch_child(table_move);
        }

        // Step 5: static evaluation with correction history. What the last move did to it is remembered of that move,
        // and may change the depth (hindsight), but not in a second search of the node.
        let mut node_eval = self.evaluate_to_stack(ply, in_check, entry, table_value);
        let NodeEval { raw_eval, static_eval, eval, correction, improving, .. } = node_eval;
        self.state.stack[ply + 2].cutoffs = 0;
        let is_verification = self.state.verified_ply == Some(ply);
        if !is_singular_search
            && !is_verification
            && let Some(rise) = self.evaluation_rise(ply)
        {
            self.update_last_move_by_evaluation(ply, rise, &history_keys);
            depth += margins::hindsight(params, depth, self.state.stack[ply - 1].reduction, rise);
        }
        let table_capture = !table_move.is_none() && self.position.piece_on(table_move.to()).is_some();

        // A side without rook, horse or cannon may lose by zugzwang, whatever the evaluation is.
        let has_major = self.position.has_major(self.position.side());
        if !K::PV && !in_check && !is_singular_search {
            // Step 6: reverse futility pruning (RFP). So far above beta that a shallow search would hardly fail low.
            if depth <= params.reverse_futility_depth
                && !was_pv
                && (table_move.is_none() || table_capture)
                && has_major
                && !is_verification
                && !is_decisive(beta)
                && eval - margins::reverse_futility(params, depth, improving, correction) >= beta
            {
                self.count_pruned_node(PruningRule::ReverseFutility, ply, beta, depth, cut_node);
                return bounds.clamp((eval + beta) / 2);
            }
            // Step 7: null move pruning (NMP). If a pass still fails high, so does the best move.
            if cut_node && let Some(value) = self.try_null_move(ply, beta, depth, eval, static_eval) {
                return bounds.clamp(value);
            }
            if self.state.stopped {
                return DRAW;
            }
        }
        // A position that is better than needed is pruned and reduced like one that improves.
        node_eval.improving |= !in_check && static_eval >= beta;

        // Step 8: proof of a mate by checks, which no depth could change.
        if !K::ROOT
            && !is_singular_search
            && let Some((mv, value)) = self.prove_mate(ply, beta, depth)
        {
            if K::PV {
                self.state.pv_lines[ply + 1].clear();
                self.update_line(ply, mv);
            }
            self.count_cutoff(ply, 1, true);
            self.update_histories_by_best(ply, mv, depth, &history_keys, &TriedMoves::default());
            let (depth, table_value) = (depth + MATE_PROOF_ENTRY_DEPTH, value_to_table(value, ply));
            self.table.store(key, Entry { mv, value: table_value, raw_eval, depth, bound: Bound::Lower, was_pv });
            return bounds.clamp(value);
        }

        // Step 9: internal iterative reduction (IIR). Without a table move the move order is poor. Not along the
        // principal variation of the last iteration.
        if depth >= params.internal_reduction_depth && table_move.is_none() && (K::PV || cut_node) && !in_last_pv {
            depth -= 1;
        }

        let node = Node {
            ply,
            depth,
            cut_node,
            in_check,
            spares_quiets: K::PV && in_last_pv,
            was_pv,
            has_major,
            key,
            entry,
            table_value,
            table_move,
            table_capture,
            excluded,
            history_keys,
            eval: node_eval,
            bounds,
            tablebase_bounds,
            check_info: CheckInfo::new(&self.position),
            check_squares: CheckSquares::new(&self.position),
        };

        // Step 10: ProbCut, on the principal variation too: a capture far above beta in a shallower search cuts off.
        if !K::ROOT && !in_check && !is_singular_search && !is_verification {
            if let Some(value) = self.try_probcut(&node, beta) {
                self.count_pruned_node(PruningRule::ProbCut, ply, beta, depth, cut_node);
                return bounds.clamp(value);
            }
            if self.state.stopped {
                return DRAW;
            }
        }
        self.search_moves::<K>(node, alpha, beta)
    }

    /// Steps 11 to 18: searches the moves of a node, updates histories and transposition table, and returns its value.
    #[inline(always)]
    fn search_moves<K: NodeKind>(&mut self, mut node: Node, mut alpha: Value, beta: Value) -> Value {
        let params = &self.config.params;
        let Node { ply, cut_node, in_check, entry, table_value, table_move, history_keys, .. } = node;
        let is_singular_search = !node.excluded.is_none();

        // Step 11: moves, the most promising first.
        let mut picker =
            Picker::new(&self.position, node.check_squares, in_check, PickerMode::All, table_move, history_keys);
        let (mut best_value, mut best_move, mut bound) = (-INFINITE, Move::NONE, Bound::Upper);
        // The legal moves so far, and those of them that were not pruned.
        let (mut move_count, mut searched_count) = (0, 0);
        let mut tried = TriedMoves::default();

        loop {
            // Step 12 needs a line that is not lost.
            let may_prune = !K::ROOT && node.has_major && !is_lost(best_value);
            // All further quiet moves are late: they are not even generated.
            if may_prune && self.is_late(&node, move_count + 1) {
                picker.skip_quiets();
            }
            let Some((mv, stage)) = picker.next(&self.position, &self.thread.history) else { break };
            if (K::ROOT && !self.state.root_moves[self.state.pv_index..].iter().any(|root| root.mv == mv))
                || mv == node.excluded
                || !node.check_info.is_legal(&self.position, mv)
            {
                continue;
            }
            // The entries after the table move were prefetched in step 4.
            if stage != Stage::Table {
                self.prefetch_child(mv);
            }
            move_count += 1;
            let is_capture = self.position.piece_on(mv.to()).is_some();
            let gives_check = node.check_squares.gives_check(&self.position, mv);
            let history = self.thread.history.of_move(&self.position, mv, &history_keys);
            let base_reduction = self.config.reductions.base(node.depth, move_count);
            let picked = PickedMove { mv, stage, is_capture, move_count, gives_check, history, base_reduction };

            // Step 12: pruning of futile and losing moves.
            if may_prune && let Some((rule, value)) = self.pruning_rule(&node, &picked, alpha, !best_move.is_none()) {
                best_value = best_value.max(value);
                let depth = node.depth;
                self.count_pruned(rule, |searcher| searcher.beats_alpha(mv, ply, depth, alpha));
                continue;
            }

            // Step 13: singular extension (SE) and multicut.
            let (mut new_depth, mut extension) = (node.depth - 1, 0);
            if !K::ROOT
                && !is_singular_search
                && mv == table_move
                && let Some(entry) = entry
            {
                let result = self.search_singular(&node, entry, alpha, beta);
                if self.state.stopped {
                    return DRAW;
                }
                match result {
                    ControlFlow::Break(value) => return node.bounds.clamp(value),
                    ControlFlow::Continue(plies) => extension = plies,
                }
                new_depth += extension;
                // What follows a singular move is worth more depth too.
                node.depth += i32::from(extension > 0);
            }

            if K::ROOT && self.role == ThreadRole::Main {
                self.signals.root_move.store(mv.bits(), Relaxed);
            }
            let nodes_before = self.state.nodes;
            searched_count += 1;
            self.state.stack[ply].move_count = move_count;
            self.state.stack[ply].move_history = history.reduction;
            self.make(mv, ply, gives_check);
            if params.check_extension() + params.single_reply_extension() + params.recapture_extension() > 0 {
                new_depth += self.forcing_extension(ply, is_capture);
            }

            // Step 14: late move reductions (LMR). A reduced move that beats alpha is searched again to full depth.
            let mut value;
            if K::PV && params.use_null_windows() == 0 {
                value = alpha + 1;
            } else if node.depth >= params.reduction_depth && move_count >= params.reduction_first_move {
                let reduction = self.late_move_reduction(&node, &picked, K::PV, alpha);
                (value, new_depth) = self.search_late_move::<K>(&node, mv, new_depth, reduction, alpha, best_value);
            } else if !K::PV || move_count > 1 {
                let is_first = !K::PV && move_count == 1 && table_move.is_none();
                let reduction = if is_first { margins::first_move_reduction(params, node.depth, cut_node) } else { 0 };
                value = -self.search::<NonPv>(ply + 1, -alpha - 1, -alpha, new_depth - reduction, !cut_node);
            } else {
                value = alpha + 1;
            }
            // A move that tables know to be better is searched for its line, whatever the closed window says.
            if K::ROOT {
                value = self.clamp_root_value(mv, value);
            }
            // Step 15: open window for the first move of a PV node and for any that beats it. A table move that a
            // search found to decide the game is not left to quiescence, which may not find the mate again.
            if K::PV && (move_count == 1 || value > alpha) {
                if mv == table_move && entry.is_some_and(|entry| entry.depth > 0) && is_decisive(table_value) {
                    new_depth = new_depth.max(1);
                }
                value = -self.search::<Pv>(ply + 1, -beta, -alpha, new_depth, false);
            }
            self.unmake();
            if self.state.stopped {
                return DRAW;
            }
            if K::ROOT {
                value = self.clamp_root_value(mv, value);
                self.update_root_move(mv, value, move_count, alpha, nodes_before);
            }

            // Step 16: new best move, or a cut-off at beta: the opponent would avoid this position.
            if value > best_value {
                best_value = value;
                if value > alpha {
                    best_move = mv;
                    bound = Bound::Exact;
                    if K::PV {
                        self.update_line(ply, mv);
                    }
                    if value >= beta {
                        bound = Bound::Lower;
                        let is_expected = extension <= SINGULAR_EXPECTED_PLIES || K::PV;
                        self.count_cutoff(ply, searched_count, is_expected);
                        break;
                    }
                    alpha = value;
                    if !K::ROOT && ALPHA_RAISE_DEPTHS.contains(&node.depth) && !is_decisive(value) {
                        node.depth -= params.alpha_raise_reduction.min(node.depth - 1);
                    }
                }
            }
            if mv != best_move {
                let _ = if is_capture { &mut tried.captures } else { &mut tried.quiets }.try_push(mv);
            }
        }

        // Step 17: without a legal move the side to move has lost, in check or not. The result of a singular search, or
        // of a root without its best moves, is not that of the position.
        let depth = node.depth;
        if move_count == 0 {
            return if is_singular_search { alpha } else { mated_in(ply) };
        }
        if !best_move.is_none() {
            self.update_histories_by_best(ply, best_move, depth, &history_keys, &tried);
        }
        if is_singular_search || (K::ROOT && self.state.pv_index > 0) {
            return best_value;
        }

        // Step 18: histories and transposition table. The bounds of tablebases hold wherever the position occurs, those
        // of the rules only here.
        // A fail-high value far above beta is less certain, the more the shallower the search was.
        if best_value > beta && !is_decisive(best_value) && !is_decisive(beta) {
            best_value = (best_value * depth + beta) / (depth + 1);
        }
        let mut was_pv = node.was_pv;
        if bound == Bound::Upper {
            // The move before was probably good, and the position belongs to the lines that matter.
            was_pv |= ply > 0 && self.state.stack[ply - 1].was_pv;
            self.update_histories_by_fail_low(ply, depth, best_value, &history_keys);
        }
        let mut entry = Entry { mv: best_move, value: best_value, raw_eval: node.eval.raw_eval, depth, bound, was_pv };
        if !in_check && (ply > 0 || !self.state.is_restricted) {
            self.update_correction(ply, &entry, node.eval.static_eval);
        }
        if best_value < node.tablebase_bounds.floor {
            (best_value, entry.bound) = (node.tablebase_bounds.floor, Bound::Lower);
        } else if best_value > node.tablebase_bounds.ceiling {
            (best_value, entry.bound) = (node.tablebase_bounds.ceiling, Bound::Upper);
        }
        entry.value = value_to_table(best_value, ply);
        self.table.store(node.key, entry);
        node.bounds.clamp(best_value)
    }

    /// Returns `true` if all moves to the node are those of the principal variation of the last iteration, also while
    /// further principal variations are searched.
    #[inline(always)]
    fn is_in_last_pv(&self, ply: usize) -> bool {
        let Some(parent) = ply.checked_sub(1) else { return true };
        let before = &self.state.stack[parent];
        before.in_last_pv && self.state.outcome.line.get(parent) == Some(&before.mv)
    }

    #[inline(always)]
    pub(super) fn probe_table(&self, key: u64) -> Option<Entry> {
        if self.config.params.use_transposition_table() == 0 { None } else { self.table.probe(key) }
    }

    /// Step 4: a bonus for a quiet table move that cuts off, a malus for the last move if quiet and one of its node's
    /// first two.
    fn update_histories_by_table_cutoff(&mut self, ply: usize, mv: Move, depth: i32, keys: &HistoryKeys) {
        if mv.is_none() {
            return;
        }
        if self.position.is_pseudo_legal(mv)
            && self.position.piece_on(mv.to()).is_none()
            && let Some(piece) = self.position.piece_on(mv.from())
        {
            let bonus = margins::table_cutoff_bonus(depth);
            self.thread.history.update_quiet(self.position.side(), piece, mv, keys, bonus);
        }
        if self.last_move(ply).is_some_and(|last| last.move_count <= 2) {
            self.update_last_quiet(ply, -TABLE_CUTOFF_MALUS);
        }
    }

    /// Step 5: evaluates a node and stores its static evaluation on the stack.
    #[inline(always)]
    fn evaluate_to_stack(&mut self, ply: usize, in_check: bool, entry: Option<Entry>, table_value: Value) -> NodeEval {
        let none = StackEntry::NO_EVAL;
        let mut node = NodeEval { raw_eval: none, static_eval: none, eval: none, correction: 0, improving: false };
        let key = self.state.stack[ply].correction_key;
        if in_check {
            node.correction = self.thread.correction.correction(&key).abs();
        } else {
            node.raw_eval = entry.map_or_else(|| self.evaluate(), |entry| entry.raw_eval);
            node.static_eval = self.thread.correction.correct(&key, node.raw_eval);
            node.eval = node.static_eval;
            node.correction = (node.static_eval - node.raw_eval).abs();
            if let Some(entry) = entry
                && !is_decisive(table_value)
                && entry.bound.decides(table_value, node.eval)
            {
                node.eval = table_value;
            }
            node.improving = ply >= 2 && {
                let mut earlier = self.state.stack[ply - 2].static_eval;
                if earlier == none && ply >= 4 {
                    earlier = self.state.stack[ply - 4].static_eval;
                }
                earlier == none || node.static_eval > earlier
            };
        }
        self.state.stack[ply].static_eval = node.static_eval;
        node
    }

    /// Step 5: returns the change of the static evaluation by the last move, for the side to move now, unless it was a
    /// null move or one of the two positions is in check.
    #[inline(always)]
    fn evaluation_rise(&self, ply: usize) -> Option<Value> {
        let before = &self.state.stack[ply.checked_sub(1)?];
        let now = self.state.stack[ply].static_eval;
        let is_known = !before.mv.is_none() && before.static_eval != StackEntry::NO_EVAL && now != StackEntry::NO_EVAL;
        is_known.then_some(now + before.static_eval)
    }

    /// Step 5: a quiet move that lowered the evaluation of the side to move now was good, whatever a search says later.
    #[inline(always)]
    fn update_last_move_by_evaluation(&mut self, ply: usize, rise: Value, keys: &HistoryKeys) {
        let last = &self.state.stack[ply - 1];
        if !last.is_capture
            && let Some(piece) = self.position.piece_on(last.mv.to())
        {
            let (mv, bonus) = (last.mv, margins::evaluation_bonus(&self.config.params, rise));
            self.thread.history.update_butterfly(piece.side(), mv, bonus);
            // A position in the table has had its bonus already.
            if !self.state.stack[ply].in_table {
                self.thread.history.update_pawn_after(piece, mv, keys, bonus);
            }
        }
    }

    /// Step 7: null move pruning (Donninger 1993). Returns a value of at least `beta` if a pass does not lower the
    /// value below it. Not for a side without rook, horse or cannon, which may be in zugzwang. A side with only one,
    /// and every deep search, verifies the result by a search of at least half the depth; in the first three quarters
    /// of its plies neither side makes a null move.
    fn try_null_move(&mut self, ply: usize, beta: Value, depth: i32, eval: Value, static_eval: Value) -> Option<Value> {
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
            let min_ply = ply + (3 * reduced / 4) as usize + 1;
            let verified = self.search_unpruned(ply, beta, reduced, min_ply, false);
            if self.state.stopped || verified < beta {
                return None;
            }
        }
        self.count_pruned(PruningRule::NullMove, |searcher| {
            searcher.search_unpruned(ply, beta, depth, ply + 1, true) < beta
        });
        Some(value)
    }

    /// Searches the node with a null window below `beta`, without null moves above `min_ply` and without reverse
    /// futility pruning and ProbCut of the node itself.
    fn search_unpruned(&mut self, ply: usize, beta: Value, depth: i32, min_ply: usize, cut_node: bool) -> Value {
        let outer_ply = self.state.verified_ply.replace(ply);
        let outer_min_ply = std::mem::replace(&mut self.state.null_move_min_ply, min_ply);
        let value = self.search::<NonPv>(ply, beta - 1, beta, depth, cut_node);
        self.state.null_move_min_ply = outer_min_ply;
        self.state.verified_ply = outer_ply;
        value
    }

    /// Step 8: attempts to prove that the side to move, that of the root, mates by checks, fast enough to reach `beta`.
    /// Returns the first move and the value of the mate.
    #[inline]
    fn prove_mate(&mut self, ply: usize, beta: Value, depth: i32) -> Option<(Move, Value)> {
        let is_attempted = self.state.proofs.checks_go_on && depth >= MATE_PROOF_DEPTH && ply.is_multiple_of(2);
        if !is_attempted {
            return None;
        }
        let nodes = MATE_PROOF_NODES * (depth - MATE_PROOF_DEPTH + 1);
        let nodes = self.nodes_left().min(nodes as u64);
        let prover = self.thread.prover.as_mut()?;
        let attempt = prover.prove_by_checks(&mut self.position, plies_to_reach(beta, ply), nodes);
        self.state.proofs.nodes += attempt.nodes;
        attempt.mate.map(|FoundMate { plies, line }| (line[0], mate_in(ply + plies)))
    }

    /// Step 10: ProbCut (Buro 1995). Returns a value of at least beta if a capture stays far above it in a search of
    /// less depth.
    fn try_probcut(&mut self, node: &Node, beta: Value) -> Option<Value> {
        let &Node { ply, depth, table_move, history_keys, .. } = node;
        let params = &self.config.params;
        let (margin, reduced) = margins::probcut(params, depth, node.eval.improving);
        let raised = beta + margin;
        let is_known_to_be_less = node.entry.is_some() && node.table_value < raised;
        if depth < params.probcut_depth || is_decisive(beta) || is_known_to_be_less {
            return None;
        }
        let mut picker =
            Picker::new(&self.position, node.check_squares, false, PickerMode::Captures, table_move, history_keys);
        while let Some((mv, _)) = picker.next(&self.position, &self.thread.history) {
            if !node.check_info.is_legal(&self.position, mv)
                || !self.position.see_ge(mv, raised - node.eval.static_eval)
            {
                continue;
            }
            self.prefetch_child(mv);
            let gives_check = node.check_squares.gives_check(&self.position, mv);
            self.make(mv, ply, gives_check);
            let mut value = -self.quiesce::<NonPv>(ply + 1, -raised, -raised + 1);
            if value >= raised && reduced > 0 && !self.state.stopped {
                value = -self.search::<NonPv>(ply + 1, -raised, -raised + 1, reduced, !node.cut_node);
            }
            self.unmake();
            if self.state.stopped {
                return None;
            }
            if value >= raised {
                let (raw_eval, was_pv, depth) = (node.eval.raw_eval, node.was_pv, reduced.max(0) + 1);
                let (table_value, bound) = (value_to_table(value, ply), Bound::Lower);
                self.table.store(node.key, Entry { mv, value: table_value, raw_eval, depth, bound, was_pv });
                // A decisive value is not taken from so shallow a search.
                if !is_decisive(value) {
                    return Some(value - margin);
                }
            }
        }
        None
    }

    /// Step 12: returns `true` if a quiet move is pruned for its number among the moves of the node, 1 for the first.
    #[inline(always)]
    fn is_late(&self, node: &Node, move_count: i32) -> bool {
        let params = &self.config.params;
        node.depth <= params.late_move_pruning_depth
            && move_count >= margins::late_move_count(params, node.depth, node.eval.improving)
    }

    /// Step 12: returns the rule by which a move is not searched, and the most that it could be worth, `-INFINITE` if
    /// unknown. The depth left after a reduction is estimated by the base alone (`planned`), and by the history of a
    /// quiet move too (`reduced`).
    #[inline(always)]
    fn pruning_rule(
        &self,
        node: &Node,
        picked: &PickedMove,
        alpha: Value,
        has_best_move: bool,
    ) -> Option<(PruningRule, Value)> {
        let params = &self.config.params;
        let (depth, static_eval) = (node.depth, node.eval.static_eval);
        let &PickedMove { mv, gives_check, history, .. } = picked;
        let loses_more_than = |limit: Value| depth <= params.exchange_depth && !self.position.see_ge(mv, -limit);
        let has_poor_history = |margin: i32| history.pruning < -margin * depth;
        let planned = depth - picked.base_reduction / 1024;
        let without_value = |rule: PruningRule| Some((rule, -INFINITE));
        if picked.is_capture {
            if picked.stage == Stage::BadCaptures
                && loses_more_than(margins::capture_exchange_margin(params, depth, history.pruning))
            {
                return without_value(PruningRule::CaptureExchange);
            }
            let planned = planned.max(0);
            if node.in_check || gives_check || planned >= params.futility_depth {
                return None;
            }
            let victim = self.position.piece_on(mv.to()).map_or(0, |victim| exchange_value(victim.kind()));
            let margin = margins::capture_futility_margin(params, planned, history.pruning);
            let value = clamp_evaluation(static_eval + margin + victim);
            return (value <= alpha).then_some((PruningRule::CaptureFutility, value));
        }
        if node.in_check {
            if has_poor_history(params.history_evasion_margin) {
                return without_value(PruningRule::History);
            }
            let limit = params.exchange_evasion_margin * (planned.max(0) + 1);
            return loses_more_than(limit).then_some((PruningRule::QuietExchange, -INFINITE));
        }
        if gives_check {
            let limit = params.exchange_check_margin * depth;
            return loses_more_than(limit).then_some((PruningRule::QuietExchange, -INFINITE));
        }
        if node.spares_quiets {
            return None;
        }
        if has_poor_history(params.history_margin) {
            return without_value(PruningRule::History);
        }
        // Below zero for a late move with a bad history: the margin may be less than at depth 0.
        let reduced = planned + history.pruning_depth / params.pruning_history;
        // Against a known win too: near the horizon only checks are then searched for a faster one.
        if reduced.max(0) < params.futility_depth {
            let margin = margins::futility_margin(params, reduced, has_best_move, static_eval > alpha);
            let value = clamp_evaluation(static_eval + margin);
            if value <= alpha {
                return Some((PruningRule::Futility, value));
            }
        }
        let limit = params.exchange_quiet_margin * reduced.max(0) * reduced.max(0);
        loses_more_than(limit).then_some((PruningRule::QuietExchange, -INFINITE))
    }

    /// Step 13: tests whether the table move is the only good one, by a search of half the depth without it against a
    /// lowered window ("singular extension", Anantharaman, Campbell and Hsu 1988).
    ///
    /// If all other moves fail low, the table move is extended by a ply, or by two or three if they fail far enough
    /// below. If another move holds beta as well, the node is cut off with its value ("multicut", Björnsson and
    /// Marsland 1999). Otherwise the table move is reduced if it holds beta or a cut-off is expected.
    fn search_singular(&mut self, node: &Node, entry: Entry, alpha: Value, beta: Value) -> ControlFlow<Value, i32> {
        let &Node { ply, depth, cut_node, table_value, .. } = node;
        let params = &self.config.params;
        let is_candidate = depth >= params.singular_depth
            && ply < SINGULAR_MAX_PLY_FACTOR * self.state.root_depth
            && entry.depth >= depth - SINGULAR_ENTRY_DEPTH
            && entry.bound.is_lower()
            && !is_decisive(table_value);
        if !is_candidate {
            return ControlFlow::Continue(0);
        }
        // A PV node with a closed window has the margins of other nodes.
        let is_pv = beta - alpha > 1;
        let was_pv = self.state.stack[ply].was_pv;
        let further = if was_pv && !is_pv { params.singular_was_pv } else { 0 };
        let singular_beta = table_value - (params.singular_margin + further) * depth / 16;
        self.state.stack[ply].excluded = entry.mv;
        let value = self.search::<NonPv>(ply, singular_beta - 1, singular_beta, (depth - 1) / 2, cut_node);
        self.state.stack[ply].excluded = Move::NONE;
        if self.state.stopped {
            return ControlFlow::Continue(0);
        }
        // A mate is not proved by a search of half the depth.
        let is_extended = value < singular_beta;
        let is_multicut = !is_extended && value >= beta && !is_decisive(value);
        self.state.statistics.update(|all| {
            all.singular_searches += 1;
            all.singular_extensions += u64::from(is_extended);
            all.multicuts += u64::from(is_multicut);
        });
        if is_multicut {
            return ControlFlow::Break(value);
        }
        let [holds_beta, expects_cutoff] = SINGULAR_REDUCTION;
        ControlFlow::Continue(if is_extended {
            let (double, triple) = margins::singular_margins(params, is_pv, was_pv, node.table_capture);
            let reaches = |margin: Value| i32::from(value < singular_beta - margin);
            1 + reaches(double) + reaches(triple)
        } else if table_value >= beta {
            -holds_beta
        } else if cut_node {
            -expects_cutoff
        } else {
            0
        })
    }

    /// Step 13, in the laboratory: returns the plies by which the move just made is extended for giving check, for
    /// being a recapture, or for being the only evasion.
    #[cold]
    fn forcing_extension(&self, ply: usize, is_capture: bool) -> i32 {
        let params = &self.config.params;
        if ply >= SINGULAR_MAX_PLY_FACTOR * self.state.root_depth {
            return 0;
        }
        let [here, after] = [ply, ply + 1].map(|ply| &self.state.stack[ply]);
        let last = ply.checked_sub(1).map(|ply| &self.state.stack[ply]);
        let is_recapture = is_capture && last.is_some_and(|last| last.is_capture && last.mv.to() == here.mv.to());
        let is_single_reply = params.single_reply_extension() > 0 && here.in_check && {
            let mut before = self.position.clone();
            before.unmake();
            before.legal_moves().len() == 1
        };
        let plies = |applies: bool, plies: i32| if applies { plies } else { 0 };
        plies(after.in_check, params.check_extension())
            .max(plies(is_recapture, params.recapture_extension()))
            .max(plies(is_single_reply, params.single_reply_extension()))
    }

    /// Step 14: returns the reduction of a late move, which is made, in plies. It is negative for an extension.
    #[inline(always)]
    fn late_move_reduction(&self, node: &Node, picked: &PickedMove, is_pv: bool, alpha: Value) -> i32 {
        let (params, cut_node) = (&self.config.params, node.cut_node);
        let when = |applies: bool, amount: i32| if applies { amount } else { 0 };
        let mut reduction = picked.base_reduction;
        reduction += when(cut_node, params.reduction_cut_node);
        if node.was_pv {
            reduction -= params.reduction_was_pv;
            reduction -= when(node.entry.is_some() && node.table_value > alpha, params.reduction_was_pv_high);
            let is_deep = node.entry.is_some_and(|entry| entry.depth >= node.depth);
            reduction -= when(is_deep, params.reduction_was_pv_deep);
        }
        reduction += when(cut_node && node.table_move.is_none(), params.reduction_no_table_move);
        reduction -= when(picked.stage == Stage::GoodCaptures, params.reduction_good_capture);
        reduction -= when(is_pv, params.reduction_pv);
        reduction += when(!node.eval.improving, params.reduction_not_improving);
        reduction -= when(node.in_check || picked.gives_check, params.reduction_check);
        reduction += when(node.table_capture, params.reduction_table_capture);
        if self.state.stack[node.ply + 1].cutoffs > 2 {
            reduction += params.reduction_cutoffs;
            reduction += when(!cut_node && !is_pv, params.reduction_cutoffs_all_node);
        }
        reduction += params.reduction_offset - params.reduction_move_count * picked.move_count;
        reduction -= node.eval.correction * params.reduction_correction;
        reduction -= picked.history.reduction * 1024 / params.reduction_history;
        reduction / 1024
    }

    /// Step 14: searches a late move, which is made, with a null window: reduced, and again to full depth if that beats
    /// alpha: a ply more or less by the value of the reduced search. Returns the value and the full depth.
    #[inline(always)]
    fn search_late_move<K: NodeKind>(
        &mut self,
        node: &Node,
        mv: Move,
        mut new_depth: i32,
        reduction: i32,
        alpha: Value,
        best_value: Value,
    ) -> (Value, i32) {
        let ply = node.ply;
        let reduced = (new_depth - reduction).clamp(1, (new_depth + i32::from(K::PV)).max(1));
        self.state.stack[ply].reduction = (new_depth - reduced).max(0);
        let mut value = -self.search::<NonPv>(ply + 1, -alpha - 1, -alpha, reduced, true);
        self.state.stack[ply].reduction = 0;
        self.state.statistics.update(|all| all.reduced_searches += 1);
        if value > alpha && !self.state.stopped {
            // Better than expected.
            if let Some(piece) = self.position.piece_on(mv.to()) {
                let bonus = self.config.params.history_research_bonus;
                self.thread.history.update_continuation(piece, mv, &node.history_keys, bonus);
            }
            if reduced < new_depth {
                if !K::ROOT {
                    let (params, gain) = (&self.config.params, value - best_value);
                    new_depth += i32::from(gain > params.research_deeper_margin);
                    new_depth -= i32::from(gain < params.research_shallower_margin);
                }
                if reduced < new_depth {
                    self.state.statistics.update(|all| all.searches_to_full_depth += 1);
                    value = -self.search::<NonPv>(ply + 1, -alpha - 1, -alpha, new_depth, !node.cut_node);
                }
            }
        }
        (value, new_depth)
    }

    /// Step 15: clamps the value of a root move to its known bounds. With contempt a draw has another value within the
    /// search than in reports.
    fn clamp_root_value(&self, mv: Move, value: Value) -> Value {
        match self.config.limits.known_value(mv) {
            Some(known) if known.min == known.max => self.state.draw_value,
            Some(known) => value.clamp(known.min, known.max),
            None => value,
        }
    }

    /// Step 15: stores the result of a root move. One that did not beat alpha is only known to be no better.
    fn update_root_move(&mut self, mv: Move, value: Value, move_count: i32, alpha: Value, nodes_before: u64) {
        let nodes = self.state.nodes - nodes_before;
        if self.state.pv_index == 0 && (value > alpha || move_count == 1) {
            self.state.partial_best = (value > alpha).then_some(mv);
        }
        let line = &self.state.pv_lines[1];
        if let Some(root) = self.state.root_moves.iter_mut().find(|root| root.mv == mv) {
            root.nodes += nodes;
            if move_count == 1 || value > alpha {
                root.score = value;
                root.update_average(value);
                set_line(&mut root.line, mv, line);
            } else {
                root.score = -INFINITE;
            }
        }
    }

    /// Step 16: sets the principal variation from here to `mv` and that of the child.
    pub(super) fn update_line(&mut self, ply: usize, mv: Move) {
        let (upper, lower) = self.state.pv_lines.split_at_mut(ply + 1);
        set_line(&mut upper[ply], mv, &lower[0]);
    }

    /// Step 16: counts a cut-off by the move searched with this number. Only an expected one tells that the parent's
    /// other moves may be reduced more.
    fn count_cutoff(&mut self, ply: usize, move_count: usize, is_expected: bool) {
        self.state.statistics.update(|all| all.count_cutoff(move_count));
        self.state.stack[ply].cutoffs += i32::from(is_expected);
    }

    /// Step 17: updates histories by the best move and the moves tried besides. The last move gets a malus if it was
    /// quiet and the first of a node outside the table, or the second of one in it.
    fn update_histories_by_best(&mut self, ply: usize, mv: Move, depth: i32, keys: &HistoryKeys, tried: &TriedMoves) {
        let params = &self.config.params;
        let bonus = margins::history_points(depth, params.history_bonus_slope, params.history_bonus_max);
        let malus = margins::history_points(depth, params.history_malus_slope, params.history_malus_max);
        self.thread.history.update_best_move(&self.position, mv, keys, bonus, malus, tried);
        if self.last_move(ply).is_some_and(|last| last.move_count == 1 + i32::from(last.in_table)) {
            self.update_last_quiet(ply, -(malus * params.history_refuted_percent / 100));
        }
    }

    /// The move that led to the node at `ply`; `None` at the root and after a null move.
    #[inline(always)]
    fn last_move(&self, ply: usize) -> Option<&StackEntry> {
        ply.checked_sub(1).map(|ply| &self.state.stack[ply]).filter(|last| !last.mv.is_none())
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

    /// Step 18: adds a bonus to the move that led to a node of this value without a good reply.
    fn update_histories_by_fail_low(&mut self, ply: usize, depth: i32, best_value: Value, keys: &HistoryKeys) {
        let Some(last) = self.last_move(ply) else { return };
        let mv = last.mv;
        let Some(piece) = self.position.piece_on(mv.to()) else { return };
        if last.is_capture {
            if let Some(victim) = self.position.history().last().and_then(|played| played.captured) {
                self.thread.history.update_capture(piece, mv.to(), victim.kind(), FAIL_LOW_CAPTURE_BONUS);
            }
            return;
        }
        let known = |eval: Value| Some(eval).filter(|&eval| eval != StackEntry::NO_EVAL);
        let fall = known(self.state.stack[ply].static_eval).map(|eval| eval - best_value);
        let gain = known(last.static_eval).map(|eval| -best_value - eval);
        let bonus = margins::unrefuted_bonus(depth, last.move_history, last.move_count, fall, gain);
        let [continuation, butterfly, pawn] = FAIL_LOW_PERCENT.map(|percent| bonus * percent / 100);
        let keys_before = self.history_keys(ply - 1);
        let history = &mut self.thread.history;
        history.update_continuation(piece, mv, &keys_before, continuation);
        history.update_butterfly(piece.side(), mv, butterfly);
        history.update_pawn_after(piece, mv, keys, pawn);
    }

    /// Step 18: updates correction history by the result of a node. Mates and captures are left out, since they say
    /// nothing about a quiet position, and so are bounds that do not show in which direction the evaluation errs.
    #[inline(always)]
    fn update_correction(&mut self, ply: usize, result: &Entry, static_eval: Value) {
        let &Entry { mv, value, raw_eval, depth, bound, .. } = result;
        if is_decisive(value) {
            return;
        }
        if bound == Bound::Exact {
            self.state.statistics.update(|all| all.count_exact_value(depth, value, raw_eval, static_eval));
        }
        if (mv.is_none() || self.position.piece_on(mv.to()).is_none())
            && value != static_eval
            && bound.decides(value, static_eval)
        {
            let key = &self.state.stack[ply].correction_key;
            self.thread.correction.update(key, value - static_eval, depth, &self.config.params);
        }
    }

    /// Nodes that the limit leaves, but for the one at which the search notices it.
    pub(super) fn nodes_left(&self) -> u64 {
        self.config.limits.nodes.map_or(u64::MAX, |limit| limit.saturating_sub(self.all_nodes() + 1))
    }

    /// Steps 6 and 10: counts a node that reverse futility pruning or ProbCut prunes. One of the sample is searched
    /// without both.
    #[inline(always)]
    fn count_pruned_node(&mut self, rule: PruningRule, ply: usize, beta: Value, depth: i32, cut_node: bool) {
        self.count_pruned(rule, |searcher| {
            let min_ply = searcher.state.null_move_min_ply;
            searcher.search_unpruned(ply, beta, depth, min_ply, cut_node) < beta
        });
    }

    /// Step 12: searches a pruned move all the same. Returns `true` if it beats alpha.
    fn beats_alpha(&mut self, mv: Move, ply: usize, depth: i32, alpha: Value) -> bool {
        self.make(mv, ply, self.position.gives_check(mv));
        let value = -self.search::<NonPv>(ply + 1, -alpha - 1, -alpha, depth - 1, true);
        self.unmake();
        value > alpha
    }

    /// Counts a pruned node or move, in the laboratory. If it belongs to the sample, `is_wrong` searches it, uncounted.
    #[inline(always)]
    fn count_pruned(&mut self, rule: PruningRule, is_wrong: impl FnOnce(&mut Self) -> bool) {
        if self.state.statistics.count_pruned(rule) {
            self.verify(rule, is_wrong);
        }
    }

    #[cold]
    fn verify(&mut self, rule: PruningRule, is_wrong: impl FnOnce(&mut Self) -> bool) {
        let statistics = std::mem::take(&mut self.state.statistics);
        let (nodes, proof_nodes) = (self.state.nodes, self.state.proofs.nodes);
        let is_wrong = is_wrong(self);
        (self.state.nodes, self.state.proofs.nodes) = (nodes, proof_nodes);
        self.state.statistics = statistics;
        if !self.state.stopped {
            self.state.statistics.count_verified(rule, is_wrong);
        }
    }
}

/// Sets a line to `mv` and as much of `rest` as fits.
fn set_line(line: &mut Line, mv: Move, rest: &Line) {
    line.clear();
    line.push(mv);
    let length = line.remaining_capacity().min(rest.len());
    line.extend(rest[..length].iter().copied());
}

/// Returns `true` if a table value decides a null window below `beta`. Values that rest on repetition depend on the
/// path and never do.
#[inline]
pub(super) fn is_usable(bound: Bound, value: Value, beta: Value) -> bool {
    bound.decides(value, beta) && !is_rule_decision(value)
}

/// Plies of the longest mate that is better than `value` or reaches it, from `ply` on.
pub(super) fn plies_to_reach(value: Value, ply: usize) -> usize {
    let from_root = if is_mate(value) && value > 0 { (MATE - value) as usize } else { PROOF_PLIES };
    from_root.min(PROOF_PLIES).saturating_sub(ply)
}

#[cfg(test)]
mod tests {
    use super::super::state::tests::{at_root, with_searcher};
    use super::*;
    use crate::position::START_FEN;
    use crate::types::PieceKind;

    const PLY: usize = 1;
    const DEPTH: i32 = 6;

    fn entry(value: Value) -> Entry {
        let mv = "h9g7".parse().unwrap();
        Entry { mv, value, raw_eval: 0, depth: DEPTH - 1, bound: Bound::Lower, was_pv: false }
    }

    /// A node at the current position, searched to this depth.
    fn node(searcher: &mut Searcher, ply: usize, depth: i32, in_check: bool, static_eval: Value) -> Node {
        let static_eval = if in_check { StackEntry::NO_EVAL } else { static_eval };
        Node {
            ply,
            depth,
            cut_node: true,
            in_check,
            spares_quiets: false,
            was_pv: false,
            has_major: true,
            key: searcher.position.key() ^ searcher.state.key_salt,
            entry: None,
            table_value: DRAW,
            table_move: Move::NONE,
            table_capture: false,
            excluded: Move::NONE,
            history_keys: searcher.history_keys(ply),
            eval: NodeEval { raw_eval: static_eval, static_eval, eval: static_eval, correction: 0, improving: false },
            bounds: ValueBounds::OPEN,
            tablebase_bounds: ValueBounds::OPEN,
            check_info: CheckInfo::new(&searcher.position),
            check_squares: CheckSquares::new(&searcher.position),
        }
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
    fn only_nodes_along_the_last_principal_variation_belong_to_it() {
        // The last variation but for the third move, its second move after another first one, and with a null move.
        for (line, expected) in [
            ("h2e2 h9g7 h0g2", [true, true, false]),
            ("b2e2 h9g7 h0g2", [false, false, false]),
            ("h2e2 - h0g2", [true, false, false]),
        ] {
            with_searcher(at_root(START_FEN, ""), |searcher| {
                searcher.state.outcome.line = ["h2e2", "h9g7"].map(|mv| mv.parse().unwrap()).to_vec();
                searcher.state.stack[0].in_last_pv = true;
                for (ply, mv) in line.split(' ').enumerate() {
                    match mv.parse() {
                        Ok(mv) => searcher.play(mv, ply),
                        Err(_) => searcher.make_null(ply),
                    }
                    searcher.search::<NonPv>(ply + 1, 0, 1, 1, true);
                    assert_eq!(searcher.state.stack[ply + 1].in_last_pv, expected[ply], "{line}");
                }
            });
        }
    }

    #[test]
    fn a_table_value_above_beta_needs_a_deeper_search() {
        let is_searched = |entry_depth: i32, value: Value, bound: Bound| {
            with_searcher(at_root(START_FEN, ""), |searcher| {
                searcher.make_all("h2e2");
                let key = searcher.position.key() ^ searcher.state.key_salt;
                searcher.table.store(key, Entry { value, depth: entry_depth, bound, ..entry(value) });
                let nodes = searcher.state.nodes;
                searcher.search::<NonPv>(PLY, -1, 0, DEPTH, true);
                searcher.state.nodes > nodes
            })
        };
        // At beta and below it a search of the same depth is enough, and a shallower one never.
        assert!(!is_searched(DEPTH, 0, Bound::Lower) && !is_searched(DEPTH, -300, Bound::Upper));
        assert!(is_searched(DEPTH - 1, 0, Bound::Lower) && is_searched(DEPTH - 1, -300, Bound::Upper));
        assert!(is_searched(DEPTH, 30, Bound::Lower) && !is_searched(DEPTH + 1, 30, Bound::Lower));
    }

    #[test]
    fn a_table_move_that_mates_is_not_left_to_quiescence() {
        // Red confines the king by a4a8 and mates by b5b9, after the only reply. Quiescence with checks on one ply does
        // not see that.
        let value_at_depth_1 = |table_value: Value| {
            with_searcher(at_root("3k5/9/9/9/1R7/R8/9/9/9/5K3 b - - 0 1", ""), |searcher| {
                searcher.make_all("d9e9");
                let key = searcher.position.key() ^ searcher.state.key_salt;
                let (mv, value) = ("a4a8".parse().unwrap(), value_to_table(table_value, PLY));
                searcher.table.store(key, Entry { mv, depth: 3, ..entry(value) });
                searcher.search::<Pv>(PLY, -INFINITE, INFINITE, 1, false)
            })
        };
        let mate = mate_in(PLY + 3);
        assert_eq!(value_at_depth_1(mate), mate);
        assert!(!is_decisive(value_at_depth_1(500)));
    }

    /// The singular search at Black's most common reply to the most common opening move, with this entry in the table.
    fn singular(entry: Entry, alpha: Value, beta: Value, cut_node: bool) -> ControlFlow<Value, i32> {
        let mut config = at_root(START_FEN, "");
        config.limits.depth = Some(4);
        with_searcher(config, |searcher| {
            super::super::root::deepen(searcher, &mut ());
            searcher.make_all("h2e2");
            let node = Node { table_value: entry.value, cut_node, ..node(searcher, PLY, DEPTH, false, 0) };
            let result = searcher.search_singular(&node, entry, alpha, beta);
            assert_eq!(searcher.state.stack[PLY].excluded, Move::NONE);
            result
        })
    }

    #[test]
    fn a_move_far_better_than_all_others_is_extended() {
        // No move is worth eight pawns here, nor could futile ones be, but the table says that this one is.
        assert_eq!(singular(entry(800), 0, 1, false), ControlFlow::Continue(3));
        assert_eq!(singular(entry(800), -50, 50, false), ControlFlow::Continue(3));
    }

    #[test]
    fn a_move_with_rivals_is_not_extended() {
        // All moves are better than a loss of three pawns, and than that less the margin at this depth.
        let [holds_beta, expects_cutoff] = SINGULAR_REDUCTION;
        let low = entry(-300);
        let singular_beta = -300 - Params::default().singular_margin * DEPTH / 16;
        let result = singular(low, singular_beta - 1, singular_beta, false);
        let ControlFlow::Break(mut rival) = result else { panic!("{result:?}") };
        assert!(rival > singular_beta);
        // The value that was found decides, not the margin below the value of the table.
        assert_eq!(singular(low, rival - 1, rival, false), ControlFlow::Break(rival));
        // A higher beta may find a better rival, until only the table move holds it.
        let only_table_move = loop {
            match singular(entry(rival + 1), rival, rival + 1, false) {
                ControlFlow::Break(better) if better > rival => rival = better,
                result => break result,
            }
        };
        assert_eq!(only_table_move, ControlFlow::Continue(-holds_beta));
        let (alpha, beta) = (rival + 100, rival + 101);
        assert_eq!(singular(low, alpha, beta, true), ControlFlow::Continue(-expects_cutoff));
        assert_eq!(singular(low, alpha, beta, false), ControlFlow::Continue(0));
    }

    #[test]
    fn quiet_evasions_that_lose_material_or_have_a_poor_history_are_pruned() {
        // Two rooks can block the check of Black's rook: one protected by the king, one unprotected.
        let mut config = at_root("3k5/4r4/9/9/9/R8/9/9/R8/4K4 w - - 0 1", "");
        config.params.exchange_evasion_margin = 95;
        with_searcher(config, |searcher| {
            let lowest = -3 * searcher.config.params.history_evasion_margin;
            let mut rule = |mv: &str, depth: i32, pruning: i32| {
                let node = node(searcher, 0, depth, true, 0);
                searcher.pruning_rule(&node, &picked(mv, Stage::Evasions, pruning), 0, true).map(|(rule, _)| rule)
            };
            assert_eq!([rule("a1e1", 1, 0), rule("a4e4", 1, 0)], [None, Some(PruningRule::QuietExchange)]);
            // A rook is less than the exchange may lose in a deep search.
            let plies = (exchange_value(PieceKind::Rook) + 94) / 95;
            assert_eq!(rule("a4e4", plies - 2, 0), Some(PruningRule::QuietExchange));
            assert_eq!(rule("a4e4", plies - 1, 0), None);
            assert_eq!([rule("a1e1", 3, lowest), rule("a1e1", 3, lowest - 1)], [None, Some(PruningRule::History)]);
        });
    }

    #[test]
    fn along_the_last_principal_variation_quiet_moves_are_pruned_only_if_they_evade_or_check() {
        with_searcher(at_root("3k5/9/9/2p6/R8/9/9/9/9/4K4 w - - 0 1", ""), |searcher| {
            let mut rules = |in_check: bool, static_eval: Value, picked: PickedMove| {
                [false, true].map(|spares_quiets| {
                    let node = Node { spares_quiets, ..node(searcher, 0, 1, in_check, static_eval) };
                    searcher.pruning_rule(&node, &picked, 0, true).map(|(rule, _)| rule)
                })
            };
            let quiet = |pruning: i32| picked("a5b5", Stage::Quiets, pruning);
            assert_eq!(rules(false, -2_000, quiet(0)), [Some(PruningRule::Futility), None]);
            assert_eq!(rules(false, 0, quiet(-30_000)), [Some(PruningRule::History), None]);
            let evasion = picked("a5b5", Stage::Evasions, -30_000);
            assert_eq!(rules(true, 0, evasion), [Some(PruningRule::History); 2]);
            let check = |mv: &str| PickedMove { gives_check: true, ..picked(mv, Stage::Quiets, 0) };
            assert_eq!(rules(false, -2_000, check("a5b5")), [None; 2], "it loses nothing");
            assert_eq!(rules(false, 0, check("a5c5")), [Some(PruningRule::QuietExchange); 2]);
        });
    }

    #[test]
    fn moves_are_late_from_a_number_on_up_to_a_depth_and_expected_cut_offs_count() {
        with_searcher(at_root(START_FEN, ""), |searcher| {
            let deepest = searcher.config.params.late_move_pruning_depth;
            let count = margins::late_move_count(&searcher.config.params, deepest, false);
            let [node, deeper] = [deepest, deepest + 1].map(|depth| node(searcher, 0, depth, false, 0));
            assert!(!searcher.is_late(&node, count - 1) && searcher.is_late(&node, count));
            assert!(!searcher.is_late(&deeper, 10 * count));
            [true, false, true].into_iter().for_each(|is_expected| searcher.count_cutoff(0, 1, is_expected));
            assert_eq!(searcher.state.stack[0].cutoffs, 2);
        });
    }

    #[test]
    fn captures_that_leave_the_evaluation_below_alpha_are_pruned_unless_they_check() {
        with_searcher(at_root("3k5/9/9/9/R7p/9/9/9/9/4K4 w - - 0 1", ""), |searcher| {
            let pawn = exchange_value(PieceKind::Pawn);
            let most = margins::capture_futility_margin(&searcher.config.params, 1, 0) + pawn;
            let mut rule = |static_eval: Value, in_check: bool, gives_check: bool, pruning: i32| {
                let node = node(searcher, 0, 1, in_check, static_eval);
                let picked = PickedMove { gives_check, ..picked("a5i5", Stage::GoodCaptures, pruning) };
                searcher.pruning_rule(&node, &picked, 0, true)
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
    fn moves_without_check_are_futile_against_a_known_win_and_none_against_a_known_loss() {
        with_searcher(at_root("3k5/9/9/9/R7p/9/9/9/9/4K4 w - - 0 1", ""), |searcher| {
            for (mv, stage, rule) in [
                ("a5i5", Stage::GoodCaptures, Some(PruningRule::CaptureFutility)),
                ("a5b5", Stage::Quiets, Some(PruningRule::Futility)),
                ("a5a9", Stage::Quiets, None),
            ] {
                for static_eval in [0, EVALUATION_LIMIT, -EVALUATION_LIMIT] {
                    let node = node(searcher, 0, 1, false, static_eval);
                    let picked = PickedMove { gives_check: rule.is_none(), ..picked(mv, stage, 0) };
                    let found = searcher.pruning_rule(&node, &picked, mate_in(9), true);
                    assert_eq!(found.map(|(rule, _)| rule), rule, "{mv}");
                    assert!(found.is_none_or(|(_, value)| !is_decisive(value)));
                    assert_eq!(searcher.pruning_rule(&node, &picked, mated_in(4), true), None);
                }
            }
        });
    }

    #[test]
    fn a_capture_far_above_beta_cuts_off_and_is_kept_in_the_table() {
        // Red's rook takes a rook.
        with_searcher(at_root("3k5/9/9/9/r8/9/9/9/9/R3K4 w - - 0 1", ""), |searcher| {
            let static_eval = searcher.evaluate();
            let probcut = |searcher: &mut Searcher, beta: Value, depth: i32, known: Option<Value>| {
                let table_value = known.unwrap_or(DRAW);
                let node =
                    Node { entry: known.map(entry), table_value, ..node(searcher, 0, depth, false, static_eval) };
                searcher.try_probcut(&node, beta)
            };
            let (margin, _) = margins::probcut(&Params::default(), 6, false);
            assert_eq!(probcut(searcher, 100, Params::default().probcut_depth - 1, None), None);
            // The table knows that the margin is not reached, or a rook is not enough.
            assert_eq!(probcut(searcher, 100, 6, Some(100 + margin - 1)), None);
            assert_eq!(probcut(searcher, 5_000, 6, None), None);
            assert_eq!(probcut(searcher, mate_in(9), 6, None), None);
            // In a shallow node quiescence is enough.
            let key = searcher.position.key();
            assert!(probcut(searcher, 100, 3, None).is_some());
            assert_eq!(searcher.table.probe(key).unwrap().depth, 1);
            let value = probcut(searcher, 100, 6, Some(100 + margin)).unwrap();
            assert!((100..4_000).contains(&value), "{value}");
            let entry = searcher.table.probe(key).unwrap();
            assert_eq!((entry.mv, entry.value, entry.bound), ("a0a5".parse().unwrap(), value + margin, Bound::Lower));
            assert_eq!(entry.depth, 4);
        });
    }

    #[test]
    fn only_results_that_show_the_direction_of_the_error_correct_the_evaluation() {
        let [quiet, capture] = ["h2e2", "h2h9"].map(|text| text.parse::<Move>().unwrap());
        for (value, bound, mv, sign) in [
            (80, Bound::Exact, quiet, 1),
            (80, Bound::Lower, quiet, 1),
            (80, Bound::Upper, Move::NONE, 0),
            (-80, Bound::Upper, Move::NONE, -1),
            (-80, Bound::Lower, quiet, 0),
            (80, Bound::Exact, capture, 0),
            (mate_in(5), Bound::Exact, quiet, 0),
        ] {
            with_searcher(at_root(START_FEN, ""), |searcher| {
                let key = searcher.state.stack[0].correction_key;
                let result = Entry { mv, bound, depth: 8, ..entry(value) };
                (0..50).for_each(|_| searcher.update_correction(0, &result, 0));
                assert_eq!(searcher.thread.correction.correct(&key, 0).signum(), sign, "{result:?}");
            });
        }
    }
}
