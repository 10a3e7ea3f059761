//! Iterative deepening with aspiration windows, and the decision to start another iteration.

use super::limits::MAX_DEPTH;
use super::node_kind::Root;
use super::params::{ASPIRATION_MAX_REDUCTION, ASPIRATION_MAX_WIDTH, HELPER_WINDOWS};
use super::report::{PvReport, Reporter};
use super::searcher::Searcher;
use super::state::{FinishedSearch, RepeatableSearch, RootMove, ThreadRole};
use super::time::{IterationStats, should_stop_after_iteration};
use super::transposition::Bound;
use crate::types::score::{INFINITE, MATE, is_mate};
use crate::types::{Move, Value};

impl Searcher<'_> {
    /// Deepens until a limit is reached or the result cannot change. Helpers deepen until the main thread has finished.
    pub fn iterate(&mut self, reporter: &mut dyn Reporter) {
        if self.state.root_moves.is_empty() {
            return;
        }
        let limits = &self.config.limits;
        let is_main = self.role == ThreadRole::Main;
        let max_depth = limits.depth.filter(|_| is_main).unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH);
        let multi_pv = limits.multi_pv.clamp(1, self.state.root_moves.len());
        let repeatable = self.repeatable_search();
        if let Some(search) = &repeatable
            && self.reuse_finished_search(search, reporter)
        {
            return;
        }
        let mut stats = IterationStats::default();
        let mut previous: Option<(Move, Value)> = None;
        for depth in 1..=max_depth {
            self.state.root_moves.iter_mut().for_each(|root| root.previous_score = root.score);
            self.state.partial_best = None;
            self.state.stack[1].cutoffs = 0;
            // A mate proved here is reported with the depth of the last iteration, since this one may be left out.
            self.prove_root_mate(reporter);
            if self.is_proof_enough() {
                break;
            }
            self.state.root_depth = depth;
            self.state.selective_depth = 0;
            let is_finished = (0..multi_pv).all(|pv_index| self.search_root(pv_index, reporter));
            if !is_finished {
                self.use_partial_iteration(reporter);
                break;
            }
            let (best, score) = self.finish_iteration(depth);
            (0..multi_pv)
                .for_each(|index| self.report(reporter, index, self.state.root_moves[index].score, Bound::Exact));
            stats.stable_iterations = match previous {
                Some((earlier, _)) if earlier != best => 0,
                _ => stats.stable_iterations + 1,
            };
            stats.score_drop = previous.map_or(0, |(_, earlier)| earlier - score);
            stats.best_move_share = (self.state.root_moves[0].nodes * 1000 / self.state.nodes.max(1)) as u32;
            previous = Some((best, score));
            // A mate of the search may not be the shortest.
            let is_decided = self.is_decided(depth, score);
            let seeks_shorter = is_decided && !limits.may_end_early() && limits.mate.is_none();
            if seeks_shorter && self.prove_root_mate(reporter) {
                continue;
            }
            let is_soft_limit = is_main && limits.soft_nodes.is_some_and(|nodes| self.all_nodes() >= nodes);
            if is_decided || is_soft_limit || self.is_time_up(stats) || self.must_stop() {
                break;
            }
        }
        if let Some(search) = repeatable
            && self.state.outcome.depth == search.depth
        {
            let (root, selective_depth) = (&self.state.root_moves[0], self.state.selective_depth);
            let finished = FinishedSearch { search, score: root.score, selective_depth, line: root.line.clone() };
            self.thread.finished_search = Some(finished);
        }
    }

    /// Returns the description of a search whose result holds whenever it is repeated: one to a fixed depth without
    /// other limits, of all moves, right after a capture or at the start of a game, so that no earlier position and no
    /// count of moves matters.
    fn repeatable_search(&self) -> Option<RepeatableSearch> {
        let (config, limits) = (self.config, &self.config.limits);
        let depth = limits.depth.filter(|_| self.role == ThreadRole::Main && self.is_to_reach_depth())?;
        let depends_on_game = self.position.plies_since_capture() > 0;
        let has_other_limits = limits.nodes.is_some() || limits.soft_nodes.is_some() || limits.mate.is_some();
        let is_special = self.state.is_restricted
            || limits.multi_pv > 1
            || config.noise.amplitude > 0
            || config.tablebases.is_some()
            || config.statistics.is_some();
        let key = self.position.key() ^ self.state.key_salt;
        let search = RepeatableSearch { key, depth, rules: config.rules, params: config.params };
        (!depends_on_game && !has_other_limits && !is_special).then_some(search)
    }

    /// Takes the result of the last finished search if this one repeats it, and returns whether it does. A new search
    /// could choose another of nearly equal moves, since the table and the histories have changed.
    fn reuse_finished_search(&mut self, search: &RepeatableSearch, reporter: &mut dyn Reporter) -> bool {
        let Some(finished) = self.thread.finished_search.as_ref().filter(|finished| finished.search == *search) else {
            return false;
        };
        let first = finished.line.moves().first();
        let Some(index) = self.state.root_moves.iter().position(|root| Some(&root.mv) == first) else { return false };
        let root = &mut self.state.root_moves[index];
        (root.score, root.line) = (finished.score, finished.line.clone());
        self.state.root_moves.swap(0, index);
        (self.state.root_depth, self.state.selective_depth) = (search.depth, finished.selective_depth);
        let (_, score) = self.finish_iteration(search.depth);
        self.report(reporter, 0, score, Bound::Exact);
        true
    }

    /// Searches for the best of the root moves from `pv_index` on and sorts it in. Returns whether it was finished.
    fn search_root(&mut self, pv_index: usize, reporter: &mut dyn Reporter) -> bool {
        self.state.pv_index = pv_index;
        let guess = self.state.root_moves[pv_index].expected_score(self.config.params.aspiration_average);
        let Some(score) = self.search_with_aspiration(guess, reporter) else { return false };
        self.state.root_moves[pv_index].score = score;
        // A later principal variation may have become better than an earlier one.
        self.state.root_moves[..=pv_index].sort_by_key(|root| std::cmp::Reverse(root.score));
        true
    }

    /// Searches the root in a window around `guess`, widened on the side on which it fails. `None` if it was stopped.
    fn search_with_aspiration(&mut self, guess: Option<Value>, reporter: &mut dyn Reporter) -> Option<Value> {
        let params = &self.config.params;
        let depth = self.state.root_depth;
        if let Some(proved) = self.state.proofs.root_value() {
            // Only a shorter mate is better.
            let score = self.search::<Root>(0, proved, INFINITE, depth as i32, false);
            if self.state.stopped {
                return None;
            }
            self.sort_root_moves();
            if score <= proved {
                self.restore_root_proof();
            } else {
                self.state.proofs.root = None;
            }
            return Some(score.max(proved));
        }
        let (mut alpha, mut beta, mut width) = (-INFINITE, INFINITE, params.aspiration_window);
        // Windows of other widths let helpers search other trees.
        if let ThreadRole::Helper(index) = self.role {
            width += (index % HELPER_WINDOWS) as Value;
        }
        if let Some(guess) = guess.filter(|_| depth as i32 >= params.aspiration_depth) {
            alpha = (guess - width).max(-INFINITE);
            beta = (guess + width).min(INFINITE);
        }
        let max_reduction = if params.use_reductions == 0 { 0 } else { ASPIRATION_MAX_REDUCTION };
        let mut reduction = 0;
        loop {
            let score = self.search::<Root>(0, alpha, beta, (depth as i32 - reduction).max(1), false);
            if self.state.stopped {
                return None;
            }
            self.sort_root_moves();
            let step = if width > ASPIRATION_MAX_WIDTH { 2 * INFINITE } else { width };
            if score <= alpha && alpha > -INFINITE {
                self.state.partial_best = None;
                self.report(reporter, self.state.pv_index, score, Bound::Upper);
                beta = (alpha + beta) / 2;
                alpha = (score - step).max(-INFINITE);
                reduction = 0;
            } else if score >= beta && beta < INFINITE {
                self.report(reporter, self.state.pv_index, score, Bound::Lower);
                beta = (score + step).min(INFINITE);
                // The move is good; a slightly shallower search is enough to tell how good.
                reduction = (reduction + 1).min(max_reduction);
            } else {
                return Some(score);
            }
            width += width;
        }
    }

    /// Clamps the value that the search found for a root move to its known bounds. With contempt a draw has another
    /// value within the search than in reports.
    pub fn clamp_root_value(&self, mv: Move, value: Value) -> Value {
        match self.config.limits.known_value(mv) {
            Some(known) if known.min == known.max => self.state.draw_value,
            Some(known) => value.clamp(known.min, known.max),
            None => value,
        }
    }

    /// Stores the result of a root move. One that did not beat alpha is only known to be no better.
    pub fn update_root_move(&mut self, mv: Move, value: Value, move_count: i32, alpha: Value, nodes_before: u64) {
        let nodes = self.state.nodes - nodes_before;
        if self.state.pv_index == 0 && (value > alpha || move_count == 1) {
            self.state.partial_best = Some(mv).filter(|_| value > alpha);
        }
        let line = &self.state.pv_lines[1];
        if let Some(root) = self.state.root_moves.iter_mut().find(|root| root.mv == mv) {
            root.nodes += nodes;
            if move_count == 1 || value > alpha {
                root.score = value;
                root.update_average(value);
                root.line.set(mv, line);
            } else {
                root.score = -INFINITE;
            }
        }
    }

    /// Takes from an unfinished iteration what is certain. In the first one the best move searched is better than none;
    /// later a move that is better than the previous best move replaces it: +27 [+5, +49] (400 games of 4,000 nodes a
    /// move).
    fn use_partial_iteration(&mut self, reporter: &mut dyn Reporter) {
        if self.state.outcome.depth == 0 {
            self.sort_root_moves();
            let best = &self.state.root_moves[0];
            let is_searched = best.score > -INFINITE;
            self.state.outcome.line = vec![best.mv];
            self.state.outcome.score = best.score.max(-INFINITE + 1);
            self.set_outcome_depth(if is_searched { Bound::Lower } else { Bound::None });
            return;
        }
        // The principal variations before the unfinished one are complete, the best of them first.
        if self.state.pv_index > 0 {
            self.set_outcome();
            self.set_outcome_depth(Bound::Exact);
            (0..self.state.pv_index)
                .for_each(|index| self.report(reporter, index, self.state.root_moves[index].score, Bound::Exact));
            return;
        }
        let is_better = |root: &RootMove| {
            Some(root.mv) == self.state.partial_best && self.state.outcome.line.first() != Some(&root.mv)
        };
        if let Some(index) = self.state.root_moves.iter().position(is_better) {
            self.state.root_moves.swap(0, index);
            self.set_outcome();
            self.set_outcome_depth(Bound::Lower);
            self.report(reporter, 0, self.state.outcome.score, Bound::Lower);
        } else if self.state.reported != self.state.outcome.line.first().copied() {
            // A move that was better at first, and so reported, was not when searched again. What is played is told.
            let outcome = &self.state.outcome;
            let (line, depth, score) = (outcome.line.clone(), outcome.depth, outcome.score);
            self.report_line(reporter, line, (0, depth), score, Bound::Exact);
        }
    }

    /// Adds the table move of the position after it to a result of a single move, so that a client can ponder. A move
    /// that was only found to be better than alpha has no line.
    pub(super) fn add_known_reply(&mut self) {
        let [mv] = self.state.outcome.line[..] else { return };
        let mut after = self.config.position.clone();
        after.make(mv);
        let known = self.table.probe(after.key() ^ self.state.key_salt);
        self.state.outcome.line.extend(known.map(|entry| entry.mv).filter(|&reply| after.can_play(reply)));
    }

    fn sort_root_moves(&mut self) {
        // Stable: moves that failed low keep their order.
        self.state.root_moves[self.state.pv_index..].sort_by_key(|root| std::cmp::Reverse(root.score));
    }

    fn finish_iteration(&mut self, depth: usize) -> (Move, Value) {
        self.set_outcome();
        self.state.outcome.depth = depth;
        self.set_outcome_depth(Bound::Exact);
        (self.state.root_moves[0].mv, self.state.root_moves[0].score)
    }

    /// Sets the bound type of the score of the outcome, and as its depth that of the current iteration.
    fn set_outcome_depth(&mut self, bound: Bound) {
        let outcome = &mut self.state.outcome;
        outcome.bound = bound;
        (outcome.line_depth, outcome.selective_depth) = (self.state.root_depth, self.state.selective_depth);
    }

    /// Takes line and score of the outcome from the first root move.
    pub(super) fn set_outcome(&mut self) {
        let (best, outcome) = (&self.state.root_moves[0], &mut self.state.outcome);
        outcome.line.clear();
        outcome.line.extend_from_slice(best.line.moves());
        outcome.score = best.score;
    }

    /// Returns `true` if a mate is proved, and it is the shortest, or within the limit of a search for a mate, or the
    /// clock of a game runs. A search to a depth reaches it.
    fn is_proof_enough(&self) -> bool {
        let limits = &self.config.limits;
        let proofs = &self.state.proofs;
        let is_played_at_once = limits.may_end_early() && !self.signals.is_pondering();
        let is_answer = |value: Value| is_played_at_once || self.is_within_mate_limit(MATE - value);
        (proofs.is_shortest && !self.is_to_reach_depth()) || proofs.root_value().is_some_and(is_answer)
    }

    /// Returns `true` if a mate at this distance in plies is what the search looks for.
    fn is_within_mate_limit(&self, distance: Value) -> bool {
        let most = |moves: usize| Value::try_from(2 * moves.min(MAX_DEPTH)).unwrap_or(MATE);
        self.config.limits.mate.is_some_and(|moves| distance <= most(moves))
    }

    /// Returns `true` if a depth limit alone ends the search.
    fn is_to_reach_depth(&self) -> bool {
        let limits = &self.config.limits;
        limits.depth.is_some() && !limits.is_timed() && !limits.infinite
    }

    pub(super) fn report(&mut self, reporter: &mut dyn Reporter, index: usize, score: Value, bound: Bound) {
        let line = self.state.root_moves[index].line.moves().to_vec();
        self.report_line(reporter, line, (index, self.state.root_depth), score, bound);
    }

    /// Reports a line as that of the best move but `index`, at this depth.
    fn report_line(
        &mut self,
        reporter: &mut dyn Reporter,
        line: Vec<Move>,
        (index, depth): (usize, usize),
        score: Value,
        bound: Bound,
    ) {
        let Some(&first) = line.first() else { return };
        if index == 0 {
            self.state.reported = Some(first);
        }
        if !reporter.wants_reports() {
            return;
        }
        reporter.report(&PvReport {
            pv_index: index + 1,
            depth,
            selective_depth: self.state.selective_depth,
            score: self.config.limits.clamp_to_known(first, self.material_scale().remove(score)),
            bound,
            nodes: self.all_nodes(),
            elapsed: self.start.elapsed(),
            hashfull: self.table.hashfull(),
            tbhits: self.state.tbhits,
            line,
        });
    }

    /// Returns `true` if a deeper iteration could not change the move: a mate was searched to twice its distance, or
    /// there is only one move, its score has some depth, and the clock of a game runs. Also whether a mate
    /// within the limit was found.
    fn is_decided(&self, depth: usize, score: Value) -> bool {
        let limits = &self.config.limits;
        let distance = MATE - score.abs();
        // A search for a mate within a limit goes on after a longer one.
        let mate_is_proved =
            is_mate(score) && depth as Value >= 2 * distance && limits.multi_pv <= 1 && limits.mate.is_none();
        if self.role != ThreadRole::Main {
            return mate_is_proved;
        }
        if self.is_within_mate_limit(distance) {
            return true;
        }
        if self.is_to_reach_depth() {
            return false;
        }
        let only_move = self.only_move_is_settled(depth) && !self.signals.is_pondering();
        only_move || mate_is_proved
    }

    /// Returns `true` if the clock leaves no time for another iteration. The time spent pondering counts as thinking,
    /// so while the search ponders this only decides whether it ends on the ponder hit.
    fn is_time_up(&mut self, stats: IterationStats) -> bool {
        let Some(budget) = self.state.budget else { return false };
        let clock_time = self.clock_time();
        let spent = budget.time_spent(clock_time.unwrap_or_default(), self.start.elapsed());
        let is_enough = should_stop_after_iteration(budget, spent, stats);
        self.state.stops_on_ponder_hit = is_enough && clock_time.is_none();
        is_enough && clock_time.is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::searcher::Searcher;
    use super::super::searcher::tests::{at_root, with_searcher};
    use super::super::time::{Budget, IterationStats};
    use super::super::transposition::{Bound, Entry};
    use crate::position::START_FEN;
    use crate::search::Limits;

    #[test]
    fn time_spent_pondering_counts_after_the_ponder_hit() {
        let hour = Duration::from_secs(3_600);
        for (optimum, is_enough) in [(Duration::ZERO, true), (hour, false)] {
            for is_fixed in [false, true] {
                with_searcher(at_root(START_FEN, ""), |searcher| {
                    searcher.signals.reset(true);
                    searcher.state.budget = Some(Budget { optimum, maximum: hour, is_fixed });
                    assert!(!searcher.is_time_up(IterationStats::default()), "the clock does not run");
                    assert!(!searcher.must_move_now());
                    searcher.signals.ponder_hit();
                    assert_eq!(searcher.must_move_now(), is_enough && !is_fixed, "{optimum:?}, {is_fixed}");
                });
            }
        }
    }

    #[test]
    fn a_ponder_hit_after_the_maximum_ends_the_search() {
        let maximum = Duration::from_millis(2);
        with_searcher(at_root(START_FEN, ""), |searcher| {
            searcher.signals.reset(true);
            let optimum = Duration::from_secs(1);
            searcher.state.budget = Some(Budget { optimum, maximum, is_fixed: false });
            while searcher.start.elapsed() < maximum {
                std::thread::yield_now();
            }
            assert!(!searcher.must_move_now());
            searcher.signals.ponder_hit();
            assert!(searcher.must_move_now());
        });
    }

    #[test]
    fn an_only_move_is_played_at_a_ponder_hit_once_its_score_has_some_plies() {
        let hour = Duration::from_secs(3_600);
        for saves_time in [true, false] {
            let mut config = at_root("3k5/R8/7R1/9/9/9/9/9/4A4/4K4 b", "");
            config.limits = Limits { move_time: Some(hour), saves_time, ..Limits::default() };
            with_searcher(config, |searcher| {
                searcher.signals.reset(true);
                searcher.state.budget = Some(Budget { optimum: hour, maximum: hour, is_fixed: false });
                for (depth, is_settled) in [(1, false), (7, false), (8, true), (30, true)] {
                    searcher.state.outcome.depth = depth;
                    searcher.signals.reset(true);
                    assert!(!searcher.must_move_now(), "the opponent is to move");
                    searcher.signals.ponder_hit();
                    assert_eq!(searcher.must_move_now(), is_settled && saves_time, "depth {depth}");
                }
            });
        }
    }

    #[test]
    fn a_single_move_gets_the_reply_of_the_table() {
        with_searcher(at_root(START_FEN, ""), |searcher| {
            let line = |searcher: &mut Searcher, moves: &str| {
                searcher.state.outcome.line = moves.split(' ').map(|text| text.parse().unwrap()).collect();
                searcher.add_known_reply();
                searcher.state.outcome.line.iter().map(|mv| mv.to_string()).collect::<Vec<_>>().join(" ")
            };
            assert_eq!(line(searcher, "h2e2"), "h2e2", "nothing is known");
            let mut after = searcher.position.clone();
            after.make("h2e2".parse().unwrap());
            let store = |searcher: &Searcher, mv: &str| {
                let (bound, mv) = (Bound::Upper, mv.parse().unwrap());
                let entry = Entry { mv, value: 0, raw_eval: 0, depth: 9, bound, was_pv: false };
                searcher.table.store(after.key() ^ searcher.state.key_salt, entry);
            };
            store(searcher, "h9g7");
            assert_eq!(line(searcher, "h2e2"), "h2e2 h9g7");
            assert_eq!(line(searcher, "h2e2 b9c7"), "h2e2 b9c7");
            store(searcher, "a0a1");
            assert_eq!(line(searcher, "h2e2"), "h2e2", "an entry of another position");
        });
    }

    #[test]
    fn the_clock_is_read_at_the_next_node_after_something_slow() {
        with_searcher(at_root(START_FEN, ""), |searcher| {
            searcher.state.budget = Some(Budget { optimum: Duration::ZERO, maximum: Duration::ZERO, is_fixed: false });
            (searcher.state.outcome.depth, searcher.state.nodes) = (1, 1);
            searcher.state.next_clock_check = 9;
            assert!(!searcher.must_stop());
            searcher.state.reads_clock = true;
            assert!(searcher.must_stop());
        });
    }
}
