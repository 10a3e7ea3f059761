//! Principal variation search in negamax form, fail-soft.
//!
//! Elo figures are of games of 4,000 nodes a move unless said otherwise, with their 95 % interval;
//! `docs/experiments.md` lists all that was tried.

use arrayvec::ArrayVec;

use super::bounds::ValueBounds;
use super::correction::CorrectionKey;
use super::history::HistoryKeys;
use super::margins::{self, ReductionContext};
use super::node_kind::{NodeKind, NonPv, Pv};
use super::params::*;
use super::picker::{Picker, Refutations, Stage};
use super::pruning::{PickedMove, ProbCutNode, PruningContext};
use super::searcher::Searcher;
use super::state::{StackEntry, ThreadRole};
use super::statistics::PruningRule;
use super::transposition::{Bound, Entry, value_from_table, value_to_table};
use crate::position::{CheckInfo, CheckSquares};
use crate::types::score::*;
use crate::types::{Move, Value};

/// Moves searched at a node that did not raise alpha, which get a malus if another one did.
type Tried = ArrayVec<Move, 64>;

/// Evaluations of a node. In check `raw_eval`, `static_eval` and `eval` are [`StackEntry::NO_EVAL`].
struct NodeEval {
    /// Static evaluation as the transposition table keeps it.
    raw_eval: Value,
    /// Static evaluation with correction history.
    static_eval: Value,
    /// Best estimate: the value of the transposition table if it bounds the static evaluation.
    eval: Value,
    /// Index of the node in correction history; `None` in check, and at a root whose moves are not all allowed.
    correction_key: Option<CorrectionKey>,
    /// Size of the correction in centipawns, also in check, where it measures how uncertain evaluations are.
    correction: Value,
    /// `true` if the static evaluation is better than two plies before, or than four before if the side was in check
    /// then, or if neither is known.
    improving: bool,
}

/// Node whose moves are searched: what the steps before them have found out.
struct NodeContext {
    /// Plies from the root.
    ply: usize,
    /// `true` if a value of at least beta is expected.
    cut_node: bool,
    in_check: bool,
    /// `true` if all moves to the node are those of the principal variation of the last iteration.
    in_last_pv: bool,
    /// `true` if the node belongs to the principal variation, or did when it was stored in the transposition table.
    was_pv: bool,
    /// `true` if the side to move has a rook, horse or cannon.
    has_major: bool,
    /// Key in the transposition table.
    key: u64,
    /// Entry of the transposition table.
    entry: Option<Entry>,
    /// Value of the entry, seen from this node; [`DRAW`] without an entry.
    table_value: Value,
    /// Move of the entry, or none; at the root the best move of the last iteration.
    table_move: Move,
    /// Move that a singular search leaves out, or none.
    excluded: Move,
    /// `true` if the table move is a capture.
    table_capture: bool,
    history_keys: HistoryKeys,
    eval: NodeEval,
    /// Bounds of rules and tablebases together, and of tablebases alone.
    bounds: ValueBounds,
    tablebase_bounds: ValueBounds,
}

/// Late move and what its search depends on.
struct LateMove<'a> {
    picked: &'a PickedMove,
    /// In plies.
    reduction: i32,
    best_value: Value,
    alpha: Value,
    cut_node: bool,
}

/// Result of a search without the table move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SingularResult {
    /// The table move is searched deeper by this many plies; a negative number is a reduction.
    Extend(i32),
    /// The node fails high with this value: without the table move another one holds beta.
    CutOff(Value),
}

impl Searcher<'_> {
    /// Returns the value of the current position, `ply` plies from the root, searched `depth` plies deep.
    ///
    /// It is exact between `alpha` and `beta`, otherwise a bound. `cut_node` tells that a value of at least beta is
    /// expected. After a stop the result is meaningless. Steps 1 to 10 come before the moves are searched in turn,
    /// which is done by `search_moves`.
    pub fn search<K: NodeKind>(
        &mut self,
        ply: usize,
        mut alpha: Value,
        mut beta: Value,
        mut depth: i32,
        cut_node: bool,
    ) -> Value {
        debug_assert!(-INFINITE <= alpha && alpha < beta && beta <= INFINITE && (K::PV || beta - alpha == 1));
        let params = &self.config.params;

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
        self.count_node(K::PV, cut_node);
        let in_check = self.state.stack[ply].in_check;
        let in_last_pv = self.is_in_last_pv(ply);
        self.state.stack[ply].in_last_pv = in_last_pv;
        let (mut bounds, mut tablebase_bounds) = (ValueBounds::OPEN, ValueBounds::OPEN);
        if !K::ROOT {
            // Step 2: rules of repetition and tablebases. The root needs a move whatever happened before. The full
            // rules of perpetual check and chase: +19 [−5, +44] against perpetual check at any recurrence (600 games).
            (bounds, tablebase_bounds) = self.node_bounds(ply);
            if let Some(value) = bounds.exact_value() {
                return value;
            }
            if ply >= MAX_PLY {
                return if in_check { DRAW } else { self.evaluate() };
            }
            // Step 3: bounds and mate distance. Even a mate in one would not beat a shorter mate found elsewhere.
            alpha = alpha.max(mated_in(ply)).max(bounds.floor);
            beta = beta.min(mate_in(ply + 1)).min(bounds.ceiling);
            if alpha >= beta {
                // A singular search asks about the other moves alone, so no bound makes a move more singular.
                return if self.state.stack[ply].excluded.is_none() { bounds.clamp(alpha) } else { alpha };
            }
        }

        // Step 4: transposition table. Outside the principal variation a deep enough value ends the node, unless the
        // natural move limit, which the table ignores, comes first.
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
            && !self.may_exceed_move_limit(ply, table_value)
        {
            if table_value >= beta {
                self.update_table_cutoff(ply, table_move, depth, &history_keys);
            }
            return bounds.clamp(table_value);
        }
        // The table move is usually made first. The entries after it arrive while the node is tested for pruning and
        // moves are generated.
        if !is_singular_search {
            self.prefetch_child(table_move);
        }

        // Step 5: static evaluation, corrected by correction history: with singular extensions +55 [+26, +84]
        // (400 games of 6,000 nodes a move). What the last move did to it is remembered of that move, and may change
        // the depth.
        let mut node_eval = self.evaluate_node(ply, in_check, entry, table_value);
        let NodeEval { raw_eval, static_eval, eval, correction, improving, .. } = node_eval;
        self.state.stack[ply + 1].killers = [Move::NONE; 2];
        self.state.stack[ply + 2].cutoffs = 0;
        if !is_singular_search {
            depth += self.learn_from_last_move(ply, depth, &history_keys);
        }
        let table_capture = !table_move.is_none() && self.position.piece_on(table_move.to()).is_some();

        // A side without rook, horse or cannon may lose by zugzwang, whatever the evaluation is.
        let has_major = self.position.has_major(self.position.side());
        if !K::PV && !in_check && !is_singular_search {
            // Step 6: reverse futility pruning. So far above beta that a shallow search would hardly fail low.
            let no_quiet = !was_pv && (table_move.is_none() || table_capture);
            let margin = margins::reverse_futility_margin(params, depth, improving, no_quiet, correction);
            let may_prune = has_major && self.state.verified_ply != Some(ply) && !is_decisive(beta);
            if may_prune && margin.is_some_and(|margin| eval - margin >= beta) {
                self.count_pruned_node(PruningRule::ReverseFutility, ply, beta, depth, cut_node);
                return bounds.clamp((eval + beta) / 2);
            }
            // Step 7: null move pruning. If a pass still fails high, so does the best move.
            if cut_node && let Some(value) = self.try_null_move(ply, beta, depth, (eval, static_eval)) {
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
            self.count_cutoff(ply, mv, &history_keys, 1, true);
            self.update_best_move(ply, mv, depth, &history_keys, (&Tried::new(), &Tried::new()));
            let depth = depth + MATE_PROOF_ENTRY_DEPTH;
            let entry = Entry { mv, value: value_to_table(value, ply), raw_eval, depth, bound: Bound::Lower, was_pv };
            self.table.store(key, entry);
            return bounds.clamp(value);
        }

        // Step 9: internal iterative reduction. Without a table move the move order is poor. Not along the principal
        // variation of the last iteration.
        if depth >= params.internal_reduction_depth && table_move.is_none() && (K::PV || cut_node) && !in_last_pv {
            depth -= 1;
        }

        let check_info = CheckInfo::new(&self.position);
        let check_squares = CheckSquares::new(&self.position);

        // Step 10: ProbCut, on the principal variation too. If a capture stays far above beta in a shallower search,
        // the node is cut off.
        if !K::ROOT && !in_check && !is_singular_search && self.state.verified_ply != Some(ply) {
            let improving = node_eval.improving;
            let node = ProbCutNode { beta, depth, cut_node, improving, static_eval, raw_eval, was_pv };
            let known = entry.map(|_| table_value);
            if let Some(value) =
                self.try_probcut(ply, &node, (key, table_move, known), (&check_info, check_squares, history_keys))
            {
                self.count_pruned_node(PruningRule::ProbCut, ply, beta, depth, cut_node);
                return bounds.clamp(value);
            }
            if self.state.stopped {
                return DRAW;
            }
        }

        let node = NodeContext {
            ply,
            cut_node,
            in_check,
            in_last_pv,
            was_pv,
            has_major,
            key,
            entry,
            table_value,
            table_move,
            excluded,
            table_capture,
            history_keys,
            eval: node_eval,
            bounds,
            tablebase_bounds,
        };
        self.search_moves::<K>(node, alpha, beta, depth, (&check_info, check_squares))
    }

    /// Steps 11 to 18: searches the moves of a node, updates histories and transposition table, and returns its value.
    #[inline(always)]
    fn search_moves<K: NodeKind>(
        &mut self,
        node: NodeContext,
        mut alpha: Value,
        beta: Value,
        mut depth: i32,
        (check_info, check_squares): (&CheckInfo, CheckSquares),
    ) -> Value {
        let params = &self.config.params;
        let NodeContext { ply, cut_node, in_check, in_last_pv, mut was_pv, has_major, .. } = node;
        let NodeContext { key, entry, table_value, table_move, excluded, table_capture, history_keys, .. } = node;
        let NodeEval { raw_eval, static_eval, correction_key, correction, improving, .. } = node.eval;
        let is_singular_search = !excluded.is_none();

        // Step 11: moves, the most promising first.
        let refutations = self.refutations(ply, &history_keys);
        let mut picker = Picker::all(&self.position, check_squares, in_check, table_move, refutations, history_keys);
        if params.use_exchange_order == 0 {
            picker.ignore_exchanges();
        }
        let (mut best_value, mut best_move, mut bound) = (-INFINITE, Move::NONE, Bound::Upper);
        // The legal moves so far, and those of them that were not pruned.
        let (mut move_count, mut searched_count) = (0, 0);
        let (mut quiets_tried, mut captures_tried) = (Tried::new(), Tried::new());

        loop {
            // Step 12 needs a line that is not lost.
            let may_prune = !K::ROOT && has_major && !is_lost(best_value);
            // All further quiet moves are late: they are not even generated.
            if may_prune && self.is_late(depth, improving, move_count + 1) {
                picker.skip_quiets();
            }
            let Some((mv, stage)) = picker.next(&self.position, &self.thread.history) else { break };
            if (K::ROOT && !self.state.root_moves[self.state.pv_index..].iter().any(|root| root.mv == mv))
                || mv == excluded
                || !check_info.is_legal(&self.position, mv)
            {
                continue;
            }
            // The entries after the move arrive while it is judged; those after the table move were in step 4.
            if stage != Stage::Table {
                self.prefetch_child(mv);
            }
            move_count += 1;
            let is_capture = self.position.piece_on(mv.to()).is_some();
            let gives_check = check_squares.gives_check(&self.position, mv);
            let history = self.thread.history.of_move(&self.position, mv, &history_keys);
            let base_reduction = self.config.reductions.base(depth, move_count);
            let picked = PickedMove { mv, stage, is_capture, move_count, gives_check, history, base_reduction };

            // Step 12: pruning of late, futile and losing moves.
            if may_prune {
                let context = PruningContext {
                    depth,
                    alpha,
                    in_check,
                    improving,
                    static_eval,
                    has_best_move: !best_move.is_none(),
                    spares_quiets: K::PV && in_last_pv,
                };
                if let Some((rule, value)) = self.pruning_rule(&context, &picked) {
                    best_value = best_value.max(value);
                    self.count_pruned(rule, |searcher| searcher.verify_pruned_move(mv, ply, depth, alpha));
                    continue;
                }
            }

            // Step 13: singular extension and multicut: +16 [−7, +39] (600 games of 10,000 nodes a move).
            let (mut new_depth, mut extension) = (depth - 1, 0);
            if !K::ROOT
                && !is_singular_search
                && mv == table_move
                && let Some(entry) = entry
            {
                let result = self.search_singular(ply, depth, (entry, table_value), (alpha, beta), cut_node);
                if self.state.stopped {
                    return DRAW;
                }
                match result {
                    SingularResult::Extend(plies) => {
                        extension = plies;
                        new_depth += plies;
                        // What follows a singular move is worth more depth too.
                        depth += i32::from(plies > 0);
                    }
                    SingularResult::CutOff(value) => return node.bounds.clamp(value),
                }
            }

            if K::ROOT && self.role == ThreadRole::Main {
                self.signals.set_root_move(mv);
            }
            let nodes_before = self.state.nodes;
            searched_count += 1;
            self.state.stack[ply].move_count = move_count;
            self.state.stack[ply].move_history = history.reduction;
            self.make(mv, ply, gives_check);
            if self.state.extends_forcing_moves {
                new_depth += self.forcing_extension(ply, is_capture);
            }

            // Step 14: late move reductions. A reduced move that beats alpha is searched again to full depth.
            let mut value;
            if K::PV && params.use_null_windows == 0 {
                value = alpha + 1;
            } else if depth >= params.reduction_depth && move_count >= params.reduction_first_move {
                let context = ReductionContext {
                    cut_node,
                    was_pv,
                    is_pv: K::PV,
                    improving,
                    move_count,
                    in_or_gives_check: in_check || gives_check,
                    table_capture,
                    many_cutoffs: self.state.stack[ply + 1].cutoffs > REDUCTION_CUTOFF_COUNT,
                    no_table_move: cut_node && table_move.is_none(),
                    good_capture: stage == Stage::GoodCaptures,
                    high_table_value: entry.is_some() && table_value > alpha,
                    deep_entry: entry.is_some_and(|entry| entry.depth >= depth),
                    correction,
                    history: history.reduction,
                };
                let reduction = margins::late_move_reduction(params, base_reduction, &context);
                let late = LateMove { picked: &picked, reduction, best_value, alpha, cut_node };
                (value, new_depth) = self.search_late_move::<K>(ply, new_depth, &late, &history_keys);
            } else if !K::PV || move_count > 1 {
                let is_first = !K::PV && move_count == 1 && table_move.is_none();
                let reduction = if is_first { margins::first_move_reduction(params, depth, cut_node) } else { 0 };
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
                        self.count_cutoff(ply, mv, &history_keys, searched_count, is_expected);
                        break;
                    }
                    alpha = value;
                    if !K::ROOT && ALPHA_RAISE_DEPTHS.contains(&depth) && !is_decisive(value) {
                        depth -= params.alpha_raise_reduction.min(depth - 1);
                    }
                }
            }
            if mv != best_move {
                let _ = if is_capture { &mut captures_tried } else { &mut quiets_tried }.try_push(mv);
            }
        }

        // Step 17: without a legal move the side to move has lost, in check or not. The result of a singular search, or
        // of a root without its best moves, is not that of the position.
        if move_count == 0 {
            return if is_singular_search { alpha } else { mated_in(ply) };
        }
        if !best_move.is_none() {
            self.update_best_move(ply, best_move, depth, &history_keys, (&quiets_tried, &captures_tried));
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
        if bound == Bound::Upper {
            // The move before was probably good, and the position belongs to the lines that matter.
            was_pv |= ply > 0 && self.state.stack[ply - 1].was_pv;
            self.update_unrefuted_move(ply, depth, best_value, &history_keys);
        }
        if let Some(key) = &correction_key {
            self.update_correction(key, (best_value, bound, best_move), (raw_eval, static_eval), depth);
        }
        if best_value < node.tablebase_bounds.floor {
            (best_value, bound) = (node.tablebase_bounds.floor, Bound::Lower);
        } else if best_value > node.tablebase_bounds.ceiling {
            (best_value, bound) = (node.tablebase_bounds.ceiling, Bound::Upper);
        }
        let value = value_to_table(best_value, ply);
        self.table.store(key, Entry { mv: best_move, value, raw_eval, depth, bound, was_pv });
        node.bounds.clamp(best_value)
    }

    /// Step 5: evaluates a node and stores its static evaluation on the stack.
    #[inline(always)]
    fn evaluate_node(&mut self, ply: usize, in_check: bool, entry: Option<Entry>, table_value: Value) -> NodeEval {
        let none = StackEntry::NO_EVAL;
        let mut node = NodeEval {
            raw_eval: none,
            static_eval: none,
            eval: none,
            correction_key: None,
            correction: 0,
            improving: false,
        };
        let key = self.correction_key(ply);
        if in_check {
            node.correction = self.thread.correction.correction(&key, &self.config.params).abs();
        } else {
            node.raw_eval = entry.map_or_else(|| self.evaluate(), |entry| entry.raw_eval);
            node.static_eval = self.thread.correction.correct(&key, node.raw_eval, &self.config.params);
            node.eval = node.static_eval;
            node.correction_key = (ply > 0 || !self.state.is_restricted).then_some(key);
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

    /// Returns `true` if all moves to the node at `ply` are those of the principal variation of the last iteration: the
    /// line of the best root move, also while further principal variations are searched.
    #[inline(always)]
    fn is_in_last_pv(&self, ply: usize) -> bool {
        let Some(parent) = ply.checked_sub(1) else { return true };
        let before = &self.state.stack[parent];
        before.in_last_pv && self.state.outcome.line.get(parent) == Some(&before.mv)
    }

    /// Step 4: returns the entry of a key in the transposition table.
    #[inline(always)]
    pub(super) fn probe_table(&self, key: u64) -> Option<Entry> {
        if self.config.params.use_transposition_table == 0 { None } else { self.table.probe(key) }
    }

    /// Step 11: returns the killer moves and the counter move of a node.
    #[inline(always)]
    fn refutations(&self, ply: usize, keys: &HistoryKeys) -> Refutations {
        if self.config.params.use_killers == 0 {
            return Refutations::NONE;
        }
        let counter = self.thread.history.counter_move(keys.previous());
        Refutations { killers: self.state.stack[ply].killers, counter }
    }

    /// Step 13: returns the plies by which the move just made at `ply` is extended for giving check, for being a
    /// recapture, or for being the only evasion. A line is at most twice as long as the iteration is deep.
    #[cold]
    fn forcing_extension(&self, ply: usize, is_capture: bool) -> i32 {
        let params = &self.config.params;
        if ply >= SINGULAR_MAX_PLY_FACTOR * self.state.root_depth {
            return 0;
        }
        let [here, after] = [ply, ply + 1].map(|ply| &self.state.stack[ply]);
        let last = ply.checked_sub(1).map(|ply| &self.state.stack[ply]);
        let is_recapture = is_capture && last.is_some_and(|last| last.is_capture && last.mv.to() == here.mv.to());
        let is_single_reply = params.single_reply_extension > 0 && here.in_check && {
            let mut before = self.position.clone();
            before.unmake();
            before.legal_moves().len() == 1
        };
        let plies = |applies: bool, plies: i32| if applies { plies } else { 0 };
        plies(after.in_check, params.check_extension)
            .max(plies(is_recapture, params.recapture_extension))
            .max(plies(is_single_reply, params.single_reply_extension))
    }

    /// Step 14: searches a late move, which is made, with a null window: reduced, and again to full depth if that beats
    /// alpha. On the principal variation it may be searched deeper at once. Full depth is a ply more or less than
    /// planned by the value of the reduced search. Returns the value and the full depth.
    #[inline(always)]
    fn search_late_move<K: NodeKind>(
        &mut self,
        ply: usize,
        mut new_depth: i32,
        late: &LateMove,
        keys: &HistoryKeys,
    ) -> (Value, i32) {
        let alpha = late.alpha;
        let extension = if K::PV { self.config.params.reduction_pv_extension } else { 0 };
        let reduced = (new_depth - late.reduction).clamp(1, (new_depth + extension).max(1));
        self.state.stack[ply].reduction = (new_depth - reduced).max(0);
        let mut value = -self.search::<NonPv>(ply + 1, -alpha - 1, -alpha, reduced, true);
        self.state.stack[ply].reduction = 0;
        self.count(|statistics| statistics.reduced_searches += 1);
        if value > alpha && !self.state.stopped {
            self.update_unexpected_move(late.picked.mv, keys);
        }
        if value > alpha && reduced < new_depth && !self.state.stopped {
            if !K::ROOT {
                new_depth += margins::research_extension(&self.config.params, value - late.best_value);
            }
            if reduced < new_depth {
                self.count(|statistics| statistics.searches_to_full_depth += 1);
                value = -self.search::<NonPv>(ply + 1, -alpha - 1, -alpha, new_depth, !late.cut_node);
            }
        }
        (value, new_depth)
    }

    /// Step 13: tests whether the table move is the only good one, by a search of half the depth without it against a
    /// lowered window ("singular extension", Anantharaman, Campbell and Hsu 1988).
    ///
    /// If all other moves fail low, the table move is extended by a ply, or by two or three if they fail far enough
    /// below; with the default numbers a quiet table move off the principal variation is always extended by three. If
    /// another move holds beta as well, the node is cut off ("multicut", Björnsson and Marsland 1999). Otherwise the
    /// table move is one of several and reduced by three plies if it holds beta, by two where a cut-off is expected.
    fn search_singular(
        &mut self,
        ply: usize,
        depth: i32,
        (entry, table_value): (Entry, Value),
        (alpha, beta): (Value, Value),
        cut_node: bool,
    ) -> SingularResult {
        let params = &self.config.params;
        let is_candidate = depth >= params.singular_depth
            && ply < SINGULAR_MAX_PLY_FACTOR * self.state.root_depth
            && entry.depth >= depth - SINGULAR_ENTRY_DEPTH
            && entry.bound.is_lower()
            && !is_decisive(table_value);
        if !is_candidate {
            return SingularResult::Extend(0);
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
            return SingularResult::Extend(0);
        }
        // A mate is not proved by a search of half the depth.
        let is_multicut = value >= singular_beta && value >= beta && !is_decisive(value);
        self.count(|statistics| {
            statistics.singular_searches += 1;
            statistics.singular_extensions += u64::from(value < singular_beta);
            statistics.multicuts += u64::from(is_multicut);
        });
        if value < singular_beta {
            let is_capture = self.position.piece_on(entry.mv.to()).is_some();
            let (double, triple) = margins::singular_margins(params, is_pv, was_pv, is_capture);
            SingularResult::Extend(
                1 + i32::from(value < singular_beta - double) + i32::from(value < singular_beta - triple),
            )
        } else if is_multicut {
            SingularResult::CutOff(value)
        } else if table_value >= beta {
            SingularResult::Extend(-SINGULAR_REDUCTION)
        } else if cut_node {
            SingularResult::Extend(-SINGULAR_CUT_NODE_REDUCTION)
        } else {
            SingularResult::Extend(0)
        }
    }

    /// Sets the principal variation from here to `mv` and that of the child.
    pub fn update_line(&mut self, ply: usize, mv: Move) {
        let (upper, lower) = self.state.pv_lines.split_at_mut(ply + 1);
        upper[ply].set(mv, &lower[0]);
    }
}

/// Returns `true` if a table value decides a null window below `beta`. Values that rest on repetition depend on the
/// path and never do.
#[inline]
pub(super) fn is_usable(bound: Bound, value: Value, beta: Value) -> bool {
    bound.decides(value, beta) && !is_rule_decision(value)
}

#[cfg(test)]
mod tests {
    use super::super::searcher::tests::{at_root, with_searcher};
    use super::*;
    use crate::position::START_FEN;

    const PLY: usize = 1;
    const DEPTH: i32 = 6;

    /// The singular search at Black's most common reply to the most common opening move, with this entry in the table.
    fn singular(entry: Entry, window: (Value, Value), cut_node: bool) -> SingularResult {
        let mut config = at_root(START_FEN, "");
        config.limits.depth = Some(4);
        with_searcher(config, |searcher| {
            searcher.iterate(&mut ());
            searcher.make_all("h2e2");
            let result = searcher.search_singular(PLY, DEPTH, (entry, entry.value), window, cut_node);
            assert_eq!(searcher.state.stack[PLY].excluded, Move::NONE);
            result
        })
    }

    fn entry(value: Value) -> Entry {
        let mv = "h9g7".parse().unwrap();
        Entry { mv, value, raw_eval: 0, depth: DEPTH - 1, bound: Bound::Lower, was_pv: false }
    }

    #[test]
    fn only_nodes_along_the_last_principal_variation_belong_to_it() {
        with_searcher(at_root(START_FEN, ""), |searcher| {
            searcher.state.outcome.line = ["h2e2", "h9g7"].map(|mv| mv.parse().unwrap()).to_vec();
            // The nodes after each of the moves, as searches mark them; "" is a null move.
            let mut nodes_in_last_pv = |moves: &[&str]| {
                searcher.state.stack[0].in_last_pv = true;
                let mut found = Vec::new();
                for (ply, mv) in moves.iter().enumerate() {
                    if mv.is_empty() {
                        searcher.make_null(ply);
                    } else {
                        searcher.play(mv.parse().unwrap(), ply);
                    }
                    searcher.search::<NonPv>(ply + 1, 0, 1, 1, true);
                    found.push(searcher.state.stack[ply + 1].in_last_pv);
                }
                moves.iter().for_each(|_| searcher.unmake());
                found
            };
            assert_eq!(nodes_in_last_pv(&["h2e2", "h9g7", "h0g2"]), [true, true, false]);
            // The second move of the line after another first one.
            assert_eq!(nodes_in_last_pv(&["b2e2", "h9g7"]), [false, false]);
            assert_eq!(nodes_in_last_pv(&["h2e2", "b9c7"]), [true, false]);
            assert_eq!(nodes_in_last_pv(&["h2e2", "", "h0g2"]), [true, false, false]);
        });
    }

    #[test]
    fn in_check_only_the_size_of_the_correction_is_known() {
        // Black's rook checks.
        with_searcher(at_root("3k5/9/9/9/4r4/9/9/9/9/4K4 w - - 0 1", ""), |searcher| {
            let key = searcher.correction_key(0);
            let before = searcher.evaluate_node(0, true, None, DRAW);
            assert_eq!(before.correction, 0);
            let params = searcher.config.params;
            searcher.thread.correction.update(&key, -300, 20, &params);
            let node = searcher.evaluate_node(0, true, None, DRAW);
            assert_eq!([node.raw_eval, node.static_eval, node.eval], [StackEntry::NO_EVAL; 3]);
            assert!(node.correction > 0 && node.correction_key.is_none() && !node.improving);
        });
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

    #[test]
    fn a_move_far_better_than_all_others_is_extended() {
        // No move is worth eight pawns here, nor could futile ones be, but the table says that this one is.
        assert_eq!(singular(entry(800), (0, 1), false), SingularResult::Extend(3));
        assert_eq!(singular(entry(800), (-50, 50), false), SingularResult::Extend(3));
    }

    #[test]
    fn a_move_with_rivals_is_not_extended() {
        // All moves are better than a loss of three pawns, and than that less the margin at this depth.
        let margin = Params::default().singular_margin * DEPTH / 16;
        let low = entry(-300);
        let singular_beta = -300 - margin;
        let result = singular(low, (singular_beta - 1, singular_beta), false);
        let SingularResult::CutOff(mut rival) = result else { panic!("{result:?}") };
        assert!(rival > singular_beta);
        // The value that was found decides, not the margin below the value of the table.
        assert_eq!(singular(low, (rival - 1, rival), false), SingularResult::CutOff(rival));
        // A higher beta may find a better rival, until only the table move holds it.
        let only_table_move = loop {
            match singular(entry(rival + 1), (rival, rival + 1), false) {
                SingularResult::CutOff(better) if better > rival => rival = better,
                result => break result,
            }
        };
        assert_eq!(only_table_move, SingularResult::Extend(-SINGULAR_REDUCTION));
        let above_all = (rival + 100, rival + 101);
        assert_eq!(singular(low, above_all, true), SingularResult::Extend(-SINGULAR_CUT_NODE_REDUCTION));
        assert_eq!(singular(low, above_all, false), SingularResult::Extend(0));
    }

    #[test]
    fn poor_entries_start_no_singular_search() {
        for entry in
            [Entry { depth: DEPTH - 4, ..entry(300) }, Entry { bound: Bound::Upper, ..entry(300) }, entry(mate_in(9))]
        {
            assert_eq!(singular(entry, (0, 1), false), SingularResult::Extend(0));
        }
    }
}
