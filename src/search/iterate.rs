//! Iterative deepening with aspiration windows, and the decision to go on.

use super::limits::MAX_DEPTH;
use super::node::Root;
use super::report::{Iteration, Outcome, Reporter};
use super::time::{IterationStats, should_stop_after_iteration};
use super::transposition::Bound;
use super::worker::{RootMove, Worker};
use crate::types::score::{INFINITE, MATE, is_mate};
use crate::types::{Move, Value};

impl Worker {
    /// Deepens until a limit is met or the result cannot change.
    pub(super) fn iterate(&mut self, reporter: &mut dyn Reporter) {
        if self.root_moves.is_empty() {
            return;
        }
        let last = self.limits.depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH);
        let lines = self.limits.multi_pv.clamp(1, self.root_moves.len());
        let mut judgement = IterationStats::default();
        let mut before: Option<(Move, Value)> = None;
        for depth in 1..=last {
            self.root_depth = depth;
            self.selective_depth = 0;
            self.root_moves.iter_mut().for_each(|root| root.earlier_score = root.score);
            self.promising = None;
            let is_finished = (0..lines).all(|place| self.search_place(place, reporter));
            if !is_finished {
                self.settle_for_less(reporter);
                break;
            }
            let (best, score) = self.finish_iteration(depth);
            (0..lines).for_each(|place| self.report(reporter, place, self.root_moves[place].score, Bound::Exact));
            judgement = match before {
                Some((earlier, _)) if earlier != best => IterationStats { stable_iterations: 0, ..judgement },
                _ => IterationStats { stable_iterations: judgement.stable_iterations + 1, ..judgement },
            };
            judgement.score_drop = before.map_or(0, |(_, earlier)| earlier - score);
            judgement.best_move_share = (self.root_moves[0].nodes * 1000 / self.nodes.max(1)) as u32;
            before = Some((best, score));
            let is_enough = self.limits.soft_nodes.is_some_and(|nodes| self.all_nodes() >= nodes);
            if self.is_decided(depth, score) || is_enough || self.is_time_up(judgement) || self.must_stop() {
                break;
            }
        }
    }

    /// Searches for the best of the root moves from `place` on and sorts it in. Returns whether that was finished.
    fn search_place(&mut self, place: usize, reporter: &mut dyn Reporter) -> bool {
        self.place = place;
        let guess = Some(self.root_moves[place].earlier_score).filter(|&score| score > -INFINITE);
        let Some(score) = self.aspire(guess, reporter) else { return false };
        self.root_moves[place].score = score;
        // A later line may have turned out better than an earlier one.
        self.root_moves[..=place].sort_by_key(|root| std::cmp::Reverse(root.score));
        true
    }

    /// One iteration in a window around `guess` that widens on the side where it fails. `None` when it was stopped.
    fn aspire(&mut self, guess: Option<Value>, reporter: &mut dyn Reporter) -> Option<Value> {
        let depth = self.root_depth;
        let (mut alpha, mut beta, mut width) = (-INFINITE, INFINITE, self.params.aspiration_window);
        if let Some(guess) = guess.filter(|_| depth as i32 >= self.params.aspiration_depth) {
            alpha = (guess - width).max(-INFINITE);
            beta = (guess + width).min(INFINITE);
        }
        let mut reduction = 0;
        loop {
            let score = self.search::<Root>(0, alpha, beta, (depth as i32 - reduction).max(1), false);
            if self.stopped {
                return None;
            }
            self.sort_root_moves();
            // A bound that keeps failing is given up.
            let step = if width > 1_000 { 2 * INFINITE } else { width };
            if score <= alpha && alpha > -INFINITE {
                self.promising = None;
                self.report(reporter, self.place, score, Bound::Upper);
                beta = (alpha + beta) / 2;
                alpha = (score - step).max(-INFINITE);
                reduction = 0;
            } else if score >= beta && beta < INFINITE {
                self.report(reporter, self.place, score, Bound::Lower);
                beta = (score + step).min(INFINITE);
                // The move is good; a slightly shallower search settles how good.
                reduction = (reduction + 1).min(3);
            } else {
                return Some(score);
            }
            width += width;
        }
    }

    /// Notes the result of a root move; those that did not beat the best one are only known to be no better.
    pub(super) fn note_root_move(&mut self, mv: Move, value: Value, number: i32, alpha: Value, nodes_before: u64) {
        let spent = self.nodes - nodes_before;
        if self.place == 0 && (value > alpha || number == 1) {
            self.promising = Some(mv).filter(|_| value > alpha);
        }
        let line = &self.frames[1].line;
        if let Some(root) = self.root_moves.iter_mut().find(|root| root.mv == mv) {
            root.nodes += spent;
            if number == 1 || value > alpha {
                root.score = value;
                root.line.set(mv, line);
            } else {
                root.score = -INFINITE;
            }
        }
    }

    /// What an iteration that was not finished is good for. When it was the very first, the best of the moves it looked
    /// at is better than any other; later, a move that it found better than the best one so far is played instead,
    /// which brought 27 ± 22 Elo (400 games of 4,000 nodes a move).
    fn settle_for_less(&mut self, reporter: &mut dyn Reporter) {
        if self.outcome.depth == 0 {
            self.sort_root_moves();
            self.outcome.line = vec![self.root_moves[0].mv];
            self.outcome.score = self.root_moves[0].score.max(-INFINITE + 1);
            return;
        }
        // Lines before the one that was interrupted are whole, the best of them first.
        if self.place > 0 {
            self.outcome.line = self.root_moves[0].line.moves().to_vec();
            self.outcome.score = self.root_moves[0].score;
            (0..self.place).for_each(|place| self.report(reporter, place, self.root_moves[place].score, Bound::Exact));
            return;
        }
        let is_better =
            |root: &RootMove| Some(root.mv) == self.promising && self.outcome.line.first() != Some(&root.mv);
        if let Some(place) = self.root_moves.iter().position(is_better) {
            self.root_moves.swap(0, place);
            let root = &self.root_moves[0];
            self.outcome.line = root.line.moves().to_vec();
            self.outcome.score = root.score;
            self.outcome_bound = Bound::Lower;
            self.report(reporter, 0, root.score, Bound::Lower);
        }
    }

    fn sort_root_moves(&mut self) {
        // Stable: moves that failed low keep their order.
        self.root_moves[self.place..].sort_by_key(|root| std::cmp::Reverse(root.score));
    }

    fn finish_iteration(&mut self, depth: usize) -> (Move, Value) {
        let best = &self.root_moves[0];
        self.outcome.line.clear();
        self.outcome.line.extend_from_slice(best.line.moves());
        self.outcome.score = best.score;
        self.outcome.depth = depth;
        self.outcome_bound = Bound::Exact;
        (best.mv, best.score)
    }

    fn report(&self, reporter: &mut dyn Reporter, place: usize, score: Value, bound: Bound) {
        let line = self.root_moves[place].line.moves();
        if line.is_empty() {
            return;
        }
        reporter.iteration(&Iteration {
            pv_index: place + 1,
            depth: self.root_depth,
            selective_depth: self.selective_depth,
            score: self.limits.told(line[0], score),
            bound,
            nodes: self.all_nodes(),
            elapsed: self.start.elapsed(),
            hashfull: self.shared.table.hashfull(),
            tbhits: self.tbhits,
            line,
        });
    }

    /// Tells of what this worker found, with the counts of `outcome`.
    pub(super) fn report_outcome(&self, outcome: &Outcome, reporter: &mut dyn Reporter) {
        reporter.iteration(&Iteration {
            pv_index: 1,
            depth: outcome.depth,
            selective_depth: self.selective_depth,
            score: outcome.score,
            bound: self.outcome_bound,
            nodes: outcome.nodes,
            elapsed: outcome.elapsed,
            hashfull: self.shared.table.hashfull(),
            tbhits: self.tbhits,
            line: &outcome.line,
        });
    }

    /// Whether a deeper iteration could not change the move: a mate is proved, and was looked at twice as deep as it
    /// is far; or, when time matters, there is only one move. Or whether the mate that is wanted was found.
    fn is_decided(&self, depth: usize, score: Value) -> bool {
        let distance = MATE - score.abs();
        if self.limits.mate.is_some_and(|moves| distance <= Value::try_from(2 * moves.min(MAX_DEPTH)).unwrap_or(MATE)) {
            return true;
        }
        if self.limits.depth.is_some() && !self.limits.is_timed() && !self.limits.infinite {
            return false;
        }
        let only_move = self.has_only_move()
            && self.limits.is_timed()
            && !self.limits.infinite
            && !self.shared.signal().is_pondering();
        let mate_is_proved = is_mate(score) && depth as Value >= 2 * distance && self.limits.multi_pv <= 1;
        only_move || mate_is_proved
    }

    fn is_time_up(&self, judgement: IterationStats) -> bool {
        self.budget
            .zip(self.on_clock())
            .is_some_and(|(budget, elapsed)| should_stop_after_iteration(budget, elapsed, judgement))
    }
}
