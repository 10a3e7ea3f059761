//! The main search: principal variation search in negamax form, fail-soft.

use arrayvec::ArrayVec;

use super::bounds::ValueBounds;
use super::correction::Place;
use super::extend::SingularResult;
use super::margins;
use super::node::{NodeKind, NonPv, Pv};
use super::picker::{Picker, Refutations, Stage};
use super::stack::Frame;
use super::transposition::{Bound, Entry, value_from_table, value_to_table};
use super::worker::{Role, Worker};
use crate::types::score::*;
use crate::types::{Move, Value};

/// Moves tried at one node, kept for blame when another one cuts off.
type Tried = ArrayVec<Move, 64>;

impl Worker {
    /// The value of the current position, `ply` plies from the root, searched `depth` plies deep.
    ///
    /// Exact between `alpha` and `beta`, otherwise a bound on the side where it lies. `cut_node` says that a value
    /// above beta is expected. The result means nothing once the search is stopped.
    pub(super) fn search<K: NodeKind>(
        &mut self,
        ply: usize,
        mut alpha: Value,
        mut beta: Value,
        mut depth: i32,
        cut_node: bool,
    ) -> Value {
        debug_assert!(-INFINITE <= alpha && alpha < beta && beta <= INFINITE);
        debug_assert!(K::PV || beta - alpha == 1);

        // Step 1: the horizon. Captures are played out before the evaluation is believed.
        if depth <= 0 {
            return self.quiesce::<K>(ply, alpha, beta);
        }
        self.frames[ply].line.clear();
        if self.must_stop() {
            return DRAW;
        }
        self.selective_depth = self.selective_depth.max(ply);

        let suspects = self.frames[ply].suspects;
        let in_check = suspects.in_check();
        let mut ruling = ValueBounds::OPEN;
        let mut tables = ValueBounds::OPEN;
        if !K::ROOT {
            // Step 2: what the rules say, and tables of endings. At the root a move is wanted whatever came before.
            ruling = self.ruling(ply, 1);
            if let Some(value) = ruling.decided() {
                return value;
            }
            if let Some(known) = self.ruling_of_tables(ply) {
                tables = known;
                ruling = ruling.and(tables);
                if let Some(value) = ruling.decided() {
                    return value;
                }
            }
            if ply >= MAX_PLY {
                return if in_check { DRAW } else { self.evaluate() };
            }
            // Step 3: bounds of the rules, and mate distance: even mating at once would not beat a shorter mate found
            // elsewhere.
            alpha = alpha.max(mated_in(ply)).max(ruling.floor);
            beta = beta.min(mate_in(ply + 1)).min(ruling.ceiling);
            if alpha >= beta {
                return alpha;
            }
        }

        // Step 4: the transposition table. Its value ends a node that is only to be compared with a bound.
        let key = self.position.key() ^ self.ban_key ^ ruling.key;
        let excluded = self.frames[ply].excluded;
        let is_whole = excluded.is_none();
        let entry = self.shared.table.probe(key);
        let was_pv = K::PV || entry.is_some_and(|entry| entry.was_pv);
        let table_value = entry.map_or(DRAW, |entry| value_from_table(entry.value, ply));
        let table_move = if K::ROOT && self.root_depth > 1 {
            self.root_moves[self.place].mv
        } else {
            entry.map_or(Move::NONE, |entry| entry.mv)
        };
        if !K::PV
            && is_whole
            && let Some(entry) = entry
            && entry.depth >= depth
            && is_usable(entry.bound, table_value, beta)
            && !self.is_near_move_limit(ply)
        {
            return ruling.bound(table_value);
        }

        // Step 5: the static evaluation, corrected by what was learned of its mistakes, and bettered by the table's
        // value where that is a bound on the right side. The table keeps it as it was.
        let before = self.before(ply);
        let place = (!in_check).then(|| Place::of(&self.position, before));
        let mut evaluation = Frame::NO_EVALUATION;
        let mut static_value = evaluation;
        let mut estimate = evaluation;
        if let Some(place) = &place {
            evaluation = entry.map_or_else(|| self.evaluate(), |entry| entry.evaluation);
            static_value = self.correction.correct(place, evaluation, &self.params);
            estimate = static_value;
            if let Some(entry) = entry
                && !is_decisive(table_value)
                && (if table_value > estimate { entry.bound.is_lower() } else { entry.bound.is_upper() })
            {
                estimate = table_value;
            }
        }
        self.frames[ply].evaluation = static_value;
        let improving = !in_check && ply >= 2 && {
            let earlier = self.frames[ply - 2].evaluation;
            earlier == Frame::NO_EVALUATION || static_value > earlier
        };
        self.frames[ply + 1].killers = [Move::NONE; 2];

        // A side without attackers may lose for want of a move, whatever the evaluation says.
        let has_major = self.position.has_major(self.position.side());
        if !K::PV && !in_check && is_whole {
            // Step 6: reverse futility. So far above beta that a shallow search would hardly bring it down.
            if depth <= self.params.reverse_futility_depth
                && has_major
                && !is_decisive(beta)
                && !is_decisive(estimate)
                && estimate - margins::reverse_futility_margin(&self.params, depth, improving) >= beta
            {
                return ruling.bound((estimate + beta) / 2);
            }
            // Step 7: null move. If passing is still too good, so is the best move.
            if let Some(value) = self.try_null_move(ply, beta, depth, estimate, static_value, cut_node) {
                return ruling.bound(value);
            }
            if self.stopped {
                return DRAW;
            }
        }

        // Step 8: internal iterative reduction. Without a move from the table the order is poor; look less deep.
        if depth >= self.params.internal_reduction_depth && table_move.is_none() && (K::PV || cut_node) {
            depth -= 1;
        }

        // Step 9: the moves, most promising first.
        let refutations = Refutations { killers: self.frames[ply].killers, counter: self.history.counter(before[0]) };
        let mut picker = Picker::all(&self.position, in_check, table_move, refutations, before);
        let (mut best_value, mut best_move) = (-INFINITE, Move::NONE);
        let mut bound = Bound::Upper;
        let mut number = 0;
        let (mut quiets_tried, mut captures_tried) = (Tried::new(), Tried::new());

        while let Some((mv, stage)) = picker.next(&self.position, &self.history) {
            if K::ROOT && !self.root_moves[self.place..].iter().any(|root| root.mv == mv) {
                continue;
            }
            if mv == excluded || !suspects.is_legal(&self.position, mv) {
                continue;
            }
            number += 1;
            let captures = self.position.piece_on(mv.to()).is_some();
            let move_history = self.history.of(&self.position, mv, before);
            let mut reduction = self.reductions.base(depth, number);

            // Step 10: pruning of moves that hardly matter, once one line is known that is not lost. Quiet checks are
            // left alone: mating attacks run on them, and pruning them cost 120 Elo (600 games of 4,000 nodes a move).
            if !K::ROOT && has_major && best_value > -TABLE_WIN + MAX_PLY as Value {
                if captures {
                    let floor = -self.params.exchange_capture_margin * depth;
                    if stage == Stage::BadCaptures
                        && depth <= self.params.exchange_depth
                        && !self.position.see_ge(mv, floor)
                    {
                        continue;
                    }
                } else if !in_check {
                    let reduced = (depth - reduction / 1024).max(0);
                    let floor = -self.params.exchange_quiet_margin * reduced * reduced;
                    // Late moves of shallow nodes, and moves that cannot lift the evaluation to alpha: those that
                    // follow cannot either.
                    let is_late = depth <= self.params.late_move_depth
                        && number >= margins::late_move_count(&self.params, depth, improving);
                    let is_futile = reduced <= self.params.futility_depth
                        && !is_decisive(alpha)
                        && static_value + margins::futility_margin(&self.params, reduced) <= alpha;
                    if is_late || is_futile {
                        picker.leave_only_checks();
                    }
                    // Moves that have always failed, and moves that lose material at once.
                    let has_failed =
                        reduced <= self.params.history_depth && move_history < -self.params.history_margin * depth;
                    if (is_late
                        || is_futile
                        || has_failed
                        || (depth <= self.params.exchange_depth && !self.position.see_ge(mv, floor)))
                        && !self.position.gives_check(mv)
                    {
                        continue;
                    }
                }
            }

            // Step 11: the table's move, if nothing else comes near it, is worth a deeper look; if something else holds
            // beta as well, the node is done.
            let mut new_depth = depth - 1;
            if !K::ROOT
                && is_whole
                && mv == table_move
                && let Some(entry) = entry
            {
                let singularity = self.singularity(ply, depth, (entry, table_value), (alpha, beta), cut_node);
                if self.stopped {
                    return DRAW;
                }
                match singularity {
                    SingularResult::Extend(plies) => new_depth += plies,
                    SingularResult::CutOff(value) => return ruling.bound(value),
                }
            }

            if K::ROOT && self.role == Role::Decides {
                self.shared.signal().set_root_move(mv);
            }
            let nodes_before = self.nodes;
            self.make(mv, ply);
            let gives_check = self.frames[ply + 1].suspects.in_check();

            // Step 12: late moves are searched less deep, and again in full when they surprise.
            let mut value;
            if depth >= self.params.reduction_depth
                && number >= self.params.reduction_first_move
                && stage != Stage::GoodCaptures
            {
                if cut_node {
                    reduction += 1024;
                }
                if was_pv {
                    reduction -= 1024;
                }
                if !improving {
                    reduction += 512;
                }
                if in_check || gives_check {
                    reduction -= 1024;
                }
                reduction -= move_history * 1024 / self.params.reduction_history;
                let reduced = (new_depth - reduction / 1024).clamp(1, new_depth.max(1));
                value = -self.search::<NonPv>(ply + 1, -alpha - 1, -alpha, reduced, true);
                if value > alpha && reduced < new_depth {
                    value = -self.search::<NonPv>(ply + 1, -alpha - 1, -alpha, new_depth, !cut_node);
                }
            } else if !K::PV || number > 1 {
                value = -self.search::<NonPv>(ply + 1, -alpha - 1, -alpha, new_depth, !cut_node);
            } else {
                value = alpha + 1;
            }
            // Step 13: the first move, and any that beats it, is searched with the open window.
            if K::PV && (number == 1 || value > alpha) {
                value = -self.search::<Pv>(ply + 1, -beta, -alpha, new_depth, false);
            }
            self.unmake();
            if self.stopped {
                return DRAW;
            }
            if K::ROOT {
                self.note_root_move(mv, value, number, alpha, nodes_before);
            }

            // Step 14: a new best move; above beta, nobody will let us come here.
            if value > best_value {
                best_value = value;
                if value > alpha {
                    best_move = mv;
                    bound = Bound::Exact;
                    if K::PV {
                        self.extend_line(ply, mv);
                    }
                    if value >= beta {
                        bound = Bound::Lower;
                        self.reward(ply, mv, depth, before, &quiets_tried, &captures_tried);
                        break;
                    }
                    alpha = value;
                }
            }
            let tried = if captures { &mut captures_tried } else { &mut quiets_tried };
            let _ = tried.try_push(mv);
        }

        // Step 15: no legal move loses, in check or not. What was found without one of the moves is not remembered.
        if number == 0 {
            return if is_whole { mated_in(ply) } else { alpha };
        }
        if !is_whole {
            return best_value;
        }

        // Step 16: remember, but for a root whose best moves were left out. A value on the far side of a bound says
        // nothing of the evaluation, one that comes of a capture nothing of a quiet position's, and one of some moves
        // nothing of all.
        if K::ROOT && self.place > 0 {
            return best_value;
        }
        let is_of_all_moves = !K::ROOT || !self.is_restricted;
        if let Some(place) = &place
            && is_of_all_moves
            && !is_decisive(best_value)
            && (best_move.is_none() || self.position.piece_on(best_move.to()).is_none())
            && (if best_value > static_value { bound.is_lower() } else { bound.is_upper() })
        {
            self.correction.learn(place, best_value - static_value, depth, &self.params);
        }
        // What tables of endings know holds wherever the position occurs.
        if best_value < tables.floor {
            (best_value, bound) = (tables.floor, Bound::Lower);
        } else if best_value > tables.ceiling {
            (best_value, bound) = (tables.ceiling, Bound::Upper);
        }
        let value = value_to_table(best_value, ply);
        let entry = Entry { mv: best_move, value, evaluation, depth, bound, was_pv };
        self.shared.table.store(key, entry);
        ruling.bound(best_value)
    }

    /// The line from here becomes `mv` and what follows it.
    pub(super) fn extend_line(&mut self, ply: usize, mv: Move) {
        let (upper, lower) = self.frames.split_at_mut(ply + 1);
        upper[ply].line.set(mv, &lower[0].line);
    }
}

/// Whether a table value decides a null window below `beta`. Repetition verdicts depend on the path and never do.
#[inline]
pub(super) fn is_usable(bound: Bound, value: Value, beta: Value) -> bool {
    let decides = if value >= beta { bound.is_lower() } else { bound.is_upper() };
    decides && !is_rule_decision(value)
}
