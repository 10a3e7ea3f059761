//! Iterative deepening at the root: iterations with aspiration windows, proofs of mates beside the search, reports, and
//! the decision to start another iteration.
//!
//! A long series of checks costs the search many plies and the mate solver few nodes. In most positions of games the
//! solver refutes all checks at once, and all threats soon, so the attempts cost next to nothing there. Where the side
//! to move is ahead, a part of the nodes looks for the shortest mate by any moves.

use super::limits::{IterationStats, MAX_DEPTH, should_stop_after_iteration};
use super::node::{Root, plies_to_reach};
use super::params::{ASPIRATION_MAX_WIDTH, HELPER_WINDOWS};
use super::state::{FinishedSearch, PROOF_PLIES, RepeatableSearch, RootMove, RootProof, Searcher, ThreadRole};
use super::transposition::Bound;
use super::{PvReport, Reporter};
use crate::solver::{FoundMate, MateAttempt};
use crate::types::score::{INFINITE, MATE, is_mate, mate_in};
use crate::types::{Move, Value};

/// The fewest nodes of an attempt at the root.
const MIN_ATTEMPT_NODES: u64 = 64;
/// The fewest nodes of attempts at the root before checks count as going on. In 95 % of the positions of games the
/// checks are refuted by 30 nodes.
const MIN_CHECK_NODES: u64 = 200;

/// Iterations of one thread in one search.
pub(super) struct Deepening<'a, 's> {
    searcher: &'a mut Searcher<'s>,
    reporter: &'a mut dyn Reporter,
}

impl<'a, 's> Deepening<'a, 's> {
    pub fn new(searcher: &'a mut Searcher<'s>, reporter: &'a mut dyn Reporter) -> Deepening<'a, 's> {
        Deepening { searcher, reporter }
    }

    /// Deepens until a limit is reached or the result cannot change. Helpers deepen until the main thread has finished.
    pub fn run(mut self) {
        if self.searcher.state.root_moves.is_empty() {
            return;
        }
        let limits = &self.searcher.config.limits;
        let is_main = self.searcher.role == ThreadRole::Main;
        let max_depth = limits.depth.filter(|_| is_main).unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH);
        let multi_pv = limits.multi_pv.clamp(1, self.searcher.state.root_moves.len());
        let repeatable = self.repeatable_search();
        if let Some(search) = &repeatable
            && self.reuse_finished_search(search)
        {
            return;
        }
        let mut stats = IterationStats::default();
        let mut previous: Option<(Move, Value)> = None;
        for depth in 1..=max_depth {
            self.searcher.state.root_moves.iter_mut().for_each(|root| root.previous_score = root.score);
            self.searcher.state.partial_best = None;
            self.searcher.state.stack[1].cutoffs = 0;
            // A mate proved here is reported with the depth of the last iteration, since this one may be left out.
            self.prove_root_mate();
            if self.is_proof_enough() {
                break;
            }
            self.searcher.state.root_depth = depth;
            self.searcher.state.selective_depth = 0;
            let is_finished = (0..multi_pv).all(|pv_index| self.search_root(pv_index));
            if !is_finished {
                self.use_partial_iteration();
                break;
            }
            let (best, score) = self.finish_iteration(depth);
            (0..multi_pv)
                .for_each(|index| self.report(index, self.searcher.state.root_moves[index].score, Bound::Exact));
            stats.stable_iterations = match previous {
                Some((earlier, _)) if earlier != best => 0,
                _ => stats.stable_iterations + 1,
            };
            stats.score_drop = previous.map_or(0, |(_, earlier)| earlier - score);
            stats.best_move_share =
                (self.searcher.state.root_moves[0].nodes * 1000 / self.searcher.state.nodes.max(1)) as u32;
            previous = Some((best, score));
            // A mate of the search may not be the shortest.
            let is_decided = self.is_decided(depth, score);
            let seeks_shorter = is_decided && !limits.may_end_early() && limits.mate.is_none();
            if seeks_shorter && self.prove_root_mate() {
                continue;
            }
            let is_soft_limit = is_main && limits.soft_nodes.is_some_and(|nodes| self.searcher.all_nodes() >= nodes);
            if is_decided || is_soft_limit || self.is_time_up(stats) || self.searcher.must_stop() {
                break;
            }
        }
        if let Some(search) = repeatable
            && self.searcher.state.outcome.depth == search.depth
        {
            let (root, selective_depth) = (&self.searcher.state.root_moves[0], self.searcher.state.selective_depth);
            let finished = FinishedSearch { search, score: root.score, selective_depth, line: root.line.clone() };
            self.searcher.thread.finished_search = Some(finished);
        }
    }

    /// Returns the description of a search whose result holds whenever it is repeated: one to a fixed depth without
    /// other limits, of all moves, right after a capture or at the start of a game, so that no earlier position and no
    /// count of moves matters.
    fn repeatable_search(&self) -> Option<RepeatableSearch> {
        let (config, limits) = (self.searcher.config, &self.searcher.config.limits);
        let depth = limits.depth.filter(|_| self.searcher.role == ThreadRole::Main && self.is_to_reach_depth())?;
        let depends_on_game = self.searcher.position.plies_since_capture() > 0;
        let has_other_limits = limits.nodes.is_some() || limits.soft_nodes.is_some() || limits.mate.is_some();
        let is_special = self.searcher.state.is_restricted
            || limits.multi_pv > 1
            || config.noise.amplitude > 0
            || config.tablebases.is_some()
            || config.statistics.is_collecting();
        let key = self.searcher.position.key() ^ self.searcher.state.key_salt;
        let search = RepeatableSearch { key, depth, rules: config.rules, params: config.params };
        (!depends_on_game && !has_other_limits && !is_special).then_some(search)
    }

    /// Takes the result of the last finished search if this one repeats it, and returns whether it does. A new search
    /// could choose another of nearly equal moves, since the table and the histories have changed.
    fn reuse_finished_search(&mut self, search: &RepeatableSearch) -> bool {
        let Some(finished) =
            self.searcher.thread.finished_search.as_ref().filter(|finished| finished.search == *search)
        else {
            return false;
        };
        let first = finished.line.first();
        let Some(index) = self.searcher.state.root_moves.iter().position(|root| Some(&root.mv) == first) else {
            return false;
        };
        let root = &mut self.searcher.state.root_moves[index];
        (root.score, root.line) = (finished.score, finished.line.clone());
        self.searcher.state.root_moves.swap(0, index);
        (self.searcher.state.root_depth, self.searcher.state.selective_depth) =
            (search.depth, finished.selective_depth);
        let (_, score) = self.finish_iteration(search.depth);
        self.report(0, score, Bound::Exact);
        true
    }

    /// Searches for the best of the root moves from `pv_index` on and sorts it in. Returns whether it was finished.
    fn search_root(&mut self, pv_index: usize) -> bool {
        self.searcher.state.pv_index = pv_index;
        let guess = self.searcher.state.root_moves[pv_index].expected_score();
        let Some(score) = self.search_with_aspiration(guess) else { return false };
        self.searcher.state.root_moves[pv_index].score = score;
        // A later principal variation may have become better than an earlier one.
        self.searcher.state.root_moves[..=pv_index].sort_by_key(|root| std::cmp::Reverse(root.score));
        true
    }

    /// Searches the root in a window around `guess`, widened on the side on which it fails. `None` if it was stopped.
    fn search_with_aspiration(&mut self, guess: Option<Value>) -> Option<Value> {
        let params = &self.searcher.config.params;
        let depth = self.searcher.state.root_depth;
        if let Some(proved) = self.searcher.state.proofs.root_value() {
            // Only a shorter mate is better.
            let score = self.searcher.search::<Root>(0, proved, INFINITE, depth as i32, false);
            if self.searcher.state.stopped {
                return None;
            }
            self.sort_root_moves();
            if score <= proved {
                self.restore_root_proof();
            } else {
                self.searcher.state.proofs.root = None;
            }
            return Some(score.max(proved));
        }
        let (mut alpha, mut beta, mut width) = (-INFINITE, INFINITE, params.aspiration_window);
        // Windows of other widths let helpers search other trees.
        if let ThreadRole::Helper(index) = self.searcher.role {
            width += (index % HELPER_WINDOWS) as Value;
        }
        if let Some(guess) = guess.filter(|_| depth as i32 >= params.aspiration_depth) {
            alpha = (guess - width).max(-INFINITE);
            beta = (guess + width).min(INFINITE);
        }
        let mut reduction = 0;
        loop {
            let score = self.searcher.search::<Root>(0, alpha, beta, (depth as i32 - reduction).max(1), false);
            if self.searcher.state.stopped {
                return None;
            }
            self.sort_root_moves();
            let step = if width > ASPIRATION_MAX_WIDTH { 2 * INFINITE } else { width };
            if score <= alpha && alpha > -INFINITE {
                self.searcher.state.partial_best = None;
                self.report(self.searcher.state.pv_index, score, Bound::Upper);
                beta = (alpha + beta) / 2;
                alpha = (score - step).max(-INFINITE);
                reduction = 0;
            } else if score >= beta && beta < INFINITE {
                self.report(self.searcher.state.pv_index, score, Bound::Lower);
                beta = (score + step).min(INFINITE);
                // The move is good; a slightly shallower search is enough to tell how good.
                reduction = (reduction + 1).min(params.aspiration_reduction);
            } else {
                return Some(score);
            }
            width += width;
        }
    }

    /// Takes from an unfinished iteration what is certain. In the first one the best move searched is better than none;
    /// later a move that is better than the previous best move replaces it.
    fn use_partial_iteration(&mut self) {
        if self.searcher.state.outcome.depth == 0 {
            self.sort_root_moves();
            let best = &self.searcher.state.root_moves[0];
            let is_searched = best.score > -INFINITE;
            self.searcher.state.outcome.line = vec![best.mv];
            self.searcher.state.outcome.score = best.score.max(-INFINITE + 1);
            self.set_outcome_depth(if is_searched { Bound::Lower } else { Bound::None });
            return;
        }
        // The principal variations before the unfinished one are complete, the best of them first.
        if self.searcher.state.pv_index > 0 {
            self.set_outcome();
            self.set_outcome_depth(Bound::Exact);
            (0..self.searcher.state.pv_index)
                .for_each(|index| self.report(index, self.searcher.state.root_moves[index].score, Bound::Exact));
            return;
        }
        let is_better = |root: &RootMove| {
            Some(root.mv) == self.searcher.state.partial_best
                && self.searcher.state.outcome.line.first() != Some(&root.mv)
        };
        if let Some(index) = self.searcher.state.root_moves.iter().position(is_better) {
            self.searcher.state.root_moves.swap(0, index);
            self.set_outcome();
            self.set_outcome_depth(Bound::Lower);
            self.report(0, self.searcher.state.outcome.score, Bound::Lower);
        } else if self.searcher.state.reported != self.searcher.state.outcome.line.first().copied() {
            // A move that was better at first, and so reported, was not when searched again. What is played is told.
            let outcome = &self.searcher.state.outcome;
            let (line, depth, score) = (outcome.line.clone(), outcome.depth, outcome.score);
            self.report_line(line, 0, depth, score, Bound::Exact);
        }
    }

    fn sort_root_moves(&mut self) {
        // Stable: moves that failed low keep their order.
        self.searcher.state.root_moves[self.searcher.state.pv_index..]
            .sort_by_key(|root| std::cmp::Reverse(root.score));
    }

    fn finish_iteration(&mut self, depth: usize) -> (Move, Value) {
        self.set_outcome();
        self.searcher.state.outcome.depth = depth;
        self.set_outcome_depth(Bound::Exact);
        (self.searcher.state.root_moves[0].mv, self.searcher.state.root_moves[0].score)
    }

    /// Sets the bound type of the score of the outcome, and as its depth that of the current iteration.
    fn set_outcome_depth(&mut self, bound: Bound) {
        let outcome = &mut self.searcher.state.outcome;
        outcome.bound = bound;
        (outcome.line_depth, outcome.selective_depth) =
            (self.searcher.state.root_depth, self.searcher.state.selective_depth);
    }

    /// Takes line and score of the outcome from the first root move.
    fn set_outcome(&mut self) {
        let (best, outcome) = (&self.searcher.state.root_moves[0], &mut self.searcher.state.outcome);
        outcome.line.clear();
        outcome.line.extend_from_slice(&best.line);
        outcome.score = best.score;
    }

    /// Returns `true` if a mate is proved, and it is the shortest, or within the limit of a search for a mate, or the
    /// clock of a game runs. A search to a depth reaches it.
    fn is_proof_enough(&self) -> bool {
        let limits = &self.searcher.config.limits;
        let proofs = &self.searcher.state.proofs;
        let is_played_at_once = limits.may_end_early() && !self.searcher.signals.is_pondering();
        let is_answer = |value: Value| is_played_at_once || self.is_within_mate_limit(MATE - value);
        (proofs.is_shortest && !self.is_to_reach_depth()) || proofs.root_value().is_some_and(is_answer)
    }

    /// Returns `true` if a mate at this distance in plies is what the search looks for.
    fn is_within_mate_limit(&self, distance: Value) -> bool {
        let most = |moves: usize| Value::try_from(2 * moves.min(MAX_DEPTH)).unwrap_or(MATE);
        self.searcher.config.limits.mate.is_some_and(|moves| distance <= most(moves))
    }

    /// Returns `true` if a depth limit alone ends the search.
    fn is_to_reach_depth(&self) -> bool {
        let limits = &self.searcher.config.limits;
        limits.depth.is_some() && !limits.is_timed() && !limits.infinite
    }

    fn report(&mut self, index: usize, score: Value, bound: Bound) {
        let line = self.searcher.state.root_moves[index].line.to_vec();
        self.report_line(line, index, self.searcher.state.root_depth, score, bound);
    }

    /// Reports a line as that of the best move but `index`, at this depth.
    fn report_line(&mut self, line: Vec<Move>, index: usize, depth: usize, score: Value, bound: Bound) {
        let Some(&first) = line.first() else { return };
        if index == 0 {
            self.searcher.state.reported = Some(first);
        }
        if !self.reporter.wants_reports() {
            return;
        }
        self.reporter.report(&PvReport {
            pv_index: index + 1,
            depth,
            selective_depth: self.searcher.state.selective_depth,
            score: self.searcher.config.limits.clamp_to_known(first, self.searcher.material_scale().remove(score)),
            bound,
            nodes: self.searcher.all_nodes(),
            elapsed: self.searcher.start.elapsed(),
            hashfull: self.searcher.table.hashfull(),
            tbhits: self.searcher.state.tbhits,
            line,
        });
    }

    /// Returns `true` if a deeper iteration could not change the move: a mate was searched to twice its distance, or
    /// there is only one move, its score has some depth, and the clock of a game runs. Also whether a mate
    /// within the limit was found.
    fn is_decided(&self, depth: usize, score: Value) -> bool {
        let limits = &self.searcher.config.limits;
        let distance = MATE - score.abs();
        // A search for a mate within a limit goes on after a longer one.
        let mate_is_proved =
            is_mate(score) && depth as Value >= 2 * distance && limits.multi_pv <= 1 && limits.mate.is_none();
        if self.searcher.role != ThreadRole::Main {
            return mate_is_proved;
        }
        if self.is_within_mate_limit(distance) {
            return true;
        }
        if self.is_to_reach_depth() {
            return false;
        }
        let only_move = self.searcher.only_move_is_settled(depth) && !self.searcher.signals.is_pondering();
        only_move || mate_is_proved
    }

    /// Returns `true` if the clock leaves no time for another iteration. The time spent pondering counts as thinking,
    /// so while the search ponders this only decides whether it ends on the ponder hit.
    fn is_time_up(&mut self, stats: IterationStats) -> bool {
        let Some(budget) = self.searcher.state.budget else { return false };
        let clock_time = self.searcher.clock_time();
        let spent = budget.time_spent(clock_time.unwrap_or_default(), self.searcher.start.elapsed());
        let is_enough = should_stop_after_iteration(budget, spent, stats);
        self.searcher.state.stops_on_ponder_hit = is_enough && clock_time.is_none();
        is_enough && clock_time.is_some()
    }

    /// Attempts to prove a mate at the root, or one shorter than that proved before. The nodes of all attempts are a
    /// share of those of this thread so far, a larger one where the side to move is ahead; once a mate is known, half
    /// of them. A proved mate becomes the result so far and is reported. Returns `true` if one is found.
    fn prove_root_mate(&mut self) -> bool {
        let is_plain = !self.searcher.state.is_restricted && self.searcher.config.noise.amplitude == 0;
        let params = &self.searcher.config.params;
        if self.searcher.role != ThreadRole::Main
            || !is_plain
            || self.searcher.config.limits.multi_pv > 1
            || params.mate_proof_root_share == 0
        {
            return false;
        }
        let known = self.searcher.state.proofs.root_value().unwrap_or(self.searcher.state.root_moves[0].score);
        let is_known = is_mate(known) && known > 0;
        let is_ahead = known >= params.mate_proof_ahead_score;
        let root_share = if is_ahead { params.mate_proof_ahead_share } else { params.mate_proof_root_share } as u64;
        // Nodes of the other threads take no time of this one.
        let own = self.searcher.state.nodes + self.searcher.state.proofs.nodes;
        let share = if is_known { own / 2 } else { own * root_share / 1000 };
        let budget = share.saturating_sub(self.searcher.state.proofs.root_nodes).min(self.searcher.nodes_left());
        if budget < MIN_ATTEMPT_NODES || self.searcher.state.proofs.is_shortest {
            return false;
        }
        // A mate as long as the known one is no gain.
        let plies = if is_known { plies_to_reach(known, 0).saturating_sub(2) } else { PROOF_PLIES };
        let (signals, start, budget_of_time) = (self.searcher.signals, self.searcher.start, self.searcher.state.budget);
        let is_late = || {
            let time = budget_of_time.zip(signals.clock_time(start.elapsed()));
            time.is_some_and(|(budget, on_clock)| budget.time_spent(on_clock, start.elapsed()) >= budget.optimum)
        };
        let is_stopped = || signals.is_stopped() || is_late();
        let mut attempt = MateAttempt::default();
        if is_ahead && !is_known {
            let nodes = budget * params.mate_proof_short_share as u64 / 1000;
            attempt = self.prove_short_mate(nodes, &is_stopped);
        }
        if attempt.mate.is_none() {
            let nodes = budget.saturating_sub(attempt.nodes);
            let Some(prover) = &mut self.searcher.thread.prover else { return false };
            let long = prover.prove_by_each_attack(&mut self.searcher.position, plies, nodes, is_known, &is_stopped);
            attempt = MateAttempt { nodes: attempt.nodes + long.nodes, ..long };
            let root_nodes = self.searcher.state.proofs.root_nodes + attempt.nodes;
            self.searcher.state.proofs.checks_go_on = attempt.refuted_attacks == 0 && root_nodes >= MIN_CHECK_NODES;
        }
        let proofs = &mut self.searcher.state.proofs;
        proofs.nodes += attempt.nodes;
        proofs.root_nodes += attempt.nodes;
        if let Some(FoundMate { plies, line }) = attempt.mate {
            proofs.root =
                Some(RootProof { value: mate_in(plies), line: line.into_iter().take(PROOF_PLIES + 1).collect() });
            proofs.is_shortest = plies <= 2 * proofs.refuted_moves + 1;
            self.restore_root_proof();
            self.set_outcome();
            self.report(0, self.searcher.state.outcome.score, Bound::Exact);
            return true;
        }
        proofs.is_shortest = is_known && attempt.refuted_attacks == MateAttempt::ALL_ATTACKS;
        false
    }

    /// Attempts to prove the shortest mate at the root by any moves: one a move longer than those refuted, then one of
    /// two moves more, and so on. Attempts at mates of any length miss some of them. Counts the refuted moves; returns
    /// the mate and the nodes.
    fn prove_short_mate(&mut self, max_nodes: u64, is_stopped: &dyn Fn() -> bool) -> MateAttempt {
        let mut all = MateAttempt::default();
        let Some(prover) = &mut self.searcher.thread.prover else { return all };
        let proofs = &mut self.searcher.state.proofs;
        while all.mate.is_none() && all.nodes < max_nodes && proofs.refuted_moves < PROOF_PLIES / 2 {
            let (plies, nodes) = (2 * proofs.refuted_moves + 1, max_nodes - all.nodes);
            let attempt = prover.prove_by_each_attack(&mut self.searcher.position, plies, nodes, true, is_stopped);
            all.nodes += attempt.nodes;
            all.mate = attempt.mate;
            if attempt.refuted_attacks < MateAttempt::ALL_ATTACKS {
                break;
            }
            proofs.refuted_moves += 1;
        }
        all
    }

    /// Makes the first move of the mate proved at the root the best root move.
    fn restore_root_proof(&mut self) {
        let Some(RootProof { value, line, .. }) = &self.searcher.state.proofs.root else { return };
        let first = |mv| line.first() == Some(&mv);
        let Some(index) = self.searcher.state.root_moves.iter().position(|root| first(root.mv)) else { return };
        let root = &mut self.searcher.state.root_moves[index];
        (root.score, root.line) = (*value, line.clone());
        self.searcher.state.root_moves[..=index].rotate_right(1);
    }
}

/// Adds the table move of the position after it to a result of a single move, so that a client can ponder. A move that
/// was only found to be better than alpha has no line.
pub(super) fn add_known_reply(searcher: &mut Searcher) {
    let [mv] = searcher.state.outcome.line[..] else { return };
    let mut after = searcher.config.position.clone();
    after.make(mv);
    let known = searcher.table.probe(after.key() ^ searcher.state.key_salt);
    searcher.state.outcome.line.extend(known.map(|entry| entry.mv).filter(|&reply| after.can_play(reply)));
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::super::limits::{Budget, Limits};
    use super::super::state::tests::{at_root, with_searcher};
    use super::super::transposition::Entry;
    use super::*;
    use crate::position::START_FEN;

    #[test]
    fn time_spent_pondering_counts_after_the_ponder_hit() {
        let hour = Duration::from_secs(3_600);
        for (optimum, is_enough) in [(Duration::ZERO, true), (hour, false)] {
            for is_fixed in [false, true] {
                with_searcher(at_root(START_FEN, ""), |searcher| {
                    searcher.signals.reset_at(true, Instant::now());
                    searcher.state.budget = Some(Budget { optimum, maximum: hour, is_fixed });
                    assert!(
                        !Deepening::new(searcher, &mut ()).is_time_up(IterationStats::default()),
                        "the clock does not run"
                    );
                    assert!(!searcher.must_move_now());
                    searcher.signals.ponder_hit();
                    assert_eq!(searcher.must_move_now(), is_enough && !is_fixed, "{optimum:?}, {is_fixed}");
                });
            }
        }
    }

    #[test]
    fn an_only_move_is_played_at_a_ponder_hit_once_its_score_has_some_plies() {
        let hour = Duration::from_secs(3_600);
        for saves_time in [true, false] {
            let mut config = at_root("3k5/R8/7R1/9/9/9/9/9/4A4/4K4 b", "");
            config.limits = Limits { move_time: Some(hour), saves_time, ..Limits::default() };
            with_searcher(config, |searcher| {
                searcher.signals.reset_at(true, Instant::now());
                searcher.state.budget = Some(Budget { optimum: hour, maximum: hour, is_fixed: false });
                for (depth, is_settled) in [(1, false), (7, false), (8, true), (30, true)] {
                    searcher.state.outcome.depth = depth;
                    searcher.signals.reset_at(true, Instant::now());
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
                add_known_reply(searcher);
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
}
