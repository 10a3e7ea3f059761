//! Quiescence: captures and replies to checks until the position is quiet enough to be evaluated.

use super::bounds::ValueBounds;
use super::node::{NodeKind, NonPv, Pv};
use super::picker::{Picker, PickerMode, Stage};
use super::pvs::is_usable;
use super::stack::Frame;
use super::transposition::{Bound, Entry, value_from_table, value_to_table};
use super::worker::Worker;
use crate::position::exchange_value;
use crate::types::score::*;
use crate::types::{Move, Value};

impl Worker {
    /// The value of the current position when only captures that lose nothing are looked at, at first also quiet moves
    /// that give check and lose nothing, and all moves out of check. Bounds as in [`Worker::search`].
    ///
    /// What the table knows of a position from further down the captures, where checks were not looked at, counts too.
    ///
    /// Mating attacks hang on quiet checks: to look at them on the first ply brought 36 ± 27 Elo (400 games of 4,000
    /// nodes a move).
    pub(super) fn quiesce<K: NodeKind>(&mut self, ply: usize, alpha: Value, beta: Value) -> Value {
        let plies = self.params.quiescence_check_plies;
        if K::PV {
            self.quiesce_node::<Pv>(ply, alpha, beta, plies)
        } else {
            self.quiesce_node::<NonPv>(ply, alpha, beta, plies)
        }
    }

    /// `check_plies` more plies look at quiet checks, this one included.
    fn quiesce_node<K: NodeKind>(&mut self, ply: usize, mut alpha: Value, mut beta: Value, check_plies: i32) -> Value {
        self.frames[ply].line.clear();
        if self.must_stop() {
            return DRAW;
        }
        self.selective_depth = self.selective_depth.max(ply);
        let ruling = if ply > 0 { self.ruling(ply, 0) } else { ValueBounds::OPEN };
        if let Some(value) = ruling.decided() {
            return value;
        }
        alpha = alpha.max(ruling.floor);
        beta = beta.min(ruling.ceiling);
        if alpha >= beta {
            return alpha;
        }
        let suspects = self.frames[ply].suspects;
        let in_check = suspects.in_check();
        if ply >= MAX_PLY {
            return if in_check { DRAW } else { self.evaluate() };
        }

        let key = self.position.key() ^ self.ban_key ^ ruling.key;
        let entry = self.shared.table.probe(key);
        let was_pv = K::PV || entry.is_some_and(|entry| entry.was_pv);
        if !K::PV
            && let Some(entry) = entry
            && !self.is_near_move_limit(ply)
        {
            let value = value_from_table(entry.value, ply);
            if is_usable(entry.bound, value, beta) {
                return ruling.bound(value);
            }
        }

        // Standing pat: the side to move need not capture.
        let mut static_value = Frame::NO_EVALUATION;
        let mut best_value = -INFINITE;
        if !in_check {
            static_value = entry.map_or_else(|| self.evaluate(), |entry| entry.evaluation);
            best_value = static_value;
            if let Some(entry) = entry {
                let value = value_from_table(entry.value, ply);
                let tightens = if value > best_value { entry.bound.is_lower() } else { entry.bound.is_upper() };
                if tightens && !is_decisive(value) {
                    best_value = value;
                }
            }
            if best_value >= beta {
                return ruling.bound(best_value);
            }
            alpha = alpha.max(best_value);
        }
        let futile_below = static_value + self.params.quiescence_margin;

        let before = self.before(ply);
        let table_move = entry.map_or(Move::NONE, |entry| entry.mv);
        let scope = if check_plies > 0 { PickerMode::CapturesAndChecks } else { PickerMode::Captures };
        let mut picker = Picker::tactical(&self.position, in_check, scope, table_move, before);
        let mut best_move = Move::NONE;
        let mut bound = Bound::Upper;
        let mut legal = 0;
        while let Some((mv, stage)) = picker.next(&self.position, &self.history) {
            if !suspects.is_legal(&self.position, mv) {
                continue;
            }
            legal += 1;
            // A capture that even for nothing leaves us below alpha.
            if !in_check
                && let Some(victim) = self.position.piece_on(mv.to())
                && !is_decisive(alpha)
                && futile_below + exchange_value(victim.kind()) <= alpha
            {
                best_value = best_value.max(futile_below + exchange_value(victim.kind()));
                continue;
            }
            if stage == Stage::Quiets && !self.position.see_ge(mv, 0) {
                continue;
            }
            self.make(mv, ply);
            let value = -self.quiesce_node::<K>(ply + 1, -beta, -alpha, check_plies - 1);
            self.unmake();
            if self.stopped {
                return DRAW;
            }
            if value > best_value {
                best_value = value;
                if value > alpha {
                    best_move = mv;
                    if K::PV {
                        self.extend_line(ply, mv);
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
        // No legal move loses, in check or not.
        if legal == 0 && (in_check || !self.position.has_legal_move()) {
            return mated_in(ply);
        }
        self.shared.table.store(
            key,
            Entry {
                mv: best_move,
                value: value_to_table(best_value, ply),
                evaluation: static_value,
                depth: 0,
                bound,
                was_pv,
            },
        );
        ruling.bound(best_value)
    }
}
