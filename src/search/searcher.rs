//! One thread at work on one search: making and taking back moves, evaluating, and the test for the end.

use std::time::{Duration, Instant};

use super::correction::{CORRECTION_PLIES, CorrectionKey};
use super::history::{CONTINUATION_PLIES, Continuation, HistoryKeys};
use super::material_scale::MaterialScale;
use super::params::{FIRST_ITERATION_NODES, NODES_PER_CHECK, ONLY_MOVE_DEPTH, SLOW_CHECK};
use super::signals::SearchSignals;
use super::state::{MAX_CONTINUATION_PLIES, SearchConfig, SearchState, ThreadData, ThreadRole};
use super::statistics::{PruningRule, SearchStatistics};
use super::time::Budget;
use super::transposition::TranspositionTable;
use crate::position::Position;
use crate::rules::{MoveCount, MoveFacts};
use crate::types::score::clamp_evaluation;
use crate::types::{Move, Value};
use crate::util::math::GOLDEN_RATIO;

/// One thread at work on one search.
pub(super) struct Searcher<'a> {
    pub config: &'a SearchConfig,
    pub table: &'a TranspositionTable,
    pub signals: &'a SearchSignals,
    pub role: ThreadRole,
    /// Start of the search.
    pub start: Instant,
    /// The root position with the moves of the current line made on it.
    pub position: Position,
    pub state: SearchState,
    pub thread: &'a mut ThreadData,
}

impl<'a> Searcher<'a> {
    /// A searcher at the root of the search, with a fresh [`SearchState`].
    pub fn new(config: &'a SearchConfig, thread: &'a mut ThreadData, role: ThreadRole) -> Searcher<'a> {
        thread.prepare(config);
        let mut searcher = Searcher {
            table: &config.shared.table,
            signals: &config.shared.signals,
            role,
            start: config.shared.signals.start(),
            position: config.position.clone(),
            state: SearchState::new(config, role),
            thread,
            config,
        };
        searcher.prepare_correction(0);
        searcher
    }

    /// The scale of scores at the root.
    pub fn material_scale(&self) -> MaterialScale {
        MaterialScale::new(&self.config.position, &self.config.params)
    }

    /// Nodes of all threads; those of the helpers with some delay.
    #[inline]
    pub fn all_nodes(&self) -> u64 {
        self.state.nodes + self.state.proofs.nodes + self.signals.helper_nodes()
    }

    /// Returns the static evaluation of the current position for its side to move, in the unit of the search, without
    /// correction.
    #[inline]
    pub fn evaluate(&mut self) -> Value {
        let scale = MaterialScale::new(&self.position, &self.config.params);
        scale.apply(self.unscaled_evaluation())
    }

    /// Returns the same in the unit of the evaluation.
    #[inline(always)]
    fn unscaled_evaluation(&mut self) -> Value {
        let (position, thread) = (&self.position, &mut *self.thread);
        let value = thread.eval_cache.get_or_insert(position.key(), || thread.evaluator.evaluate(position));
        let noise = self.config.noise;
        if noise.amplitude == 0 {
            return value;
        }
        // A hash of the key, so that a position has the same noise throughout the search.
        let mixed = (position.key() ^ noise.seed).wrapping_mul(GOLDEN_RATIO) >> 40;
        let width = 2 * noise.amplitude + 1;
        clamp_evaluation(value + (mixed as Value % width) - noise.amplitude)
    }

    /// Prefetches what is known of the position after `mv`, which need not be legal here: the entries of the
    /// transposition table and of the evaluation cache.
    #[inline(always)]
    pub fn prefetch_child(&self, mv: Move) {
        if !mv.is_none() {
            let key = self.position.key_after(mv);
            self.table.prefetch(key ^ self.state.key_salt);
            self.thread.eval_cache.prefetch(key);
        }
    }

    /// Makes a legal move at `ply`. `gives_check` must tell whether it gives check. A caller that knows the move
    /// earlier prefetches what is known of the position after it ([`Searcher::prefetch_child`]).
    #[inline]
    pub fn make(&mut self, mv: Move, ply: usize, gives_check: bool) {
        let piece = self.position.piece_on(mv.from()).expect("a legal move moves a piece");
        let is_capture = self.position.piece_on(mv.to()).is_some();
        debug_assert_eq!(gives_check, self.position.gives_check(mv));
        self.state.occurrences.enter(self.position.key());
        self.state.stack[ply].mv = mv;
        self.state.stack[ply].is_capture = is_capture;
        let answers_check = self.state.stack[ply].in_check;
        self.set_continuation_key(ply, Continuation::new(piece, mv.to()).of_class(answers_check, is_capture));
        self.position.make_observed(mv, &mut self.thread.evaluator);
        self.state.stack[ply + 1].count = if is_capture {
            MoveCount::default()
        } else {
            let entry = &self.state.stack[ply];
            let facts = MoveFacts { side: piece.side(), gives_check, answers_check: entry.in_check };
            entry.count.after(self.config.rules.set, facts)
        };
        self.state.stack[ply + 1].in_check = gives_check;
        self.prepare_correction(ply + 1);
        self.state.nodes += 1;
    }

    /// Takes back the last move or null move.
    #[inline]
    pub fn unmake(&mut self) {
        self.position.unmake_observed(&mut self.thread.evaluator);
        self.state.occurrences.leave(self.position.key());
    }

    /// Makes a null move at `ply`. The side to move is not in check.
    pub fn make_null(&mut self, ply: usize) {
        self.state.stack[ply].mv = Move::NONE;
        self.state.stack[ply].is_capture = false;
        self.set_continuation_key(ply, Continuation::NONE);
        self.state.occurrences.enter(self.position.key());
        self.position.make_null(&mut self.thread.evaluator);
        self.table.prefetch(self.position.key() ^ self.state.key_salt);
        self.state.stack[ply + 1].in_check = false;
        self.state.stack[ply + 1].count = self.state.stack[ply].count;
        self.prepare_correction(ply + 1);
    }

    /// Sets the key of continuation history of the move made at `ply`.
    #[inline(always)]
    fn set_continuation_key(&mut self, ply: usize, continuation: Continuation) {
        self.state.continuation_keys[MAX_CONTINUATION_PLIES + ply] = continuation;
    }

    /// The keys of continuation history of the moves made these numbers of plies before `ply`, 1 to
    /// [`MAX_CONTINUATION_PLIES`].
    #[inline(always)]
    fn continuation_keys_before<const N: usize>(&self, ply: usize, plies: [usize; N]) -> [Continuation; N] {
        let earlier: &[Continuation] = &self.state.continuation_keys[ply..ply + MAX_CONTINUATION_PLIES];
        plies.map(|back| earlier[MAX_CONTINUATION_PLIES - back])
    }

    /// The keys of the current position in the histories of quiet moves.
    #[inline]
    pub fn history_keys(&self, ply: usize) -> HistoryKeys {
        let continuation = self.continuation_keys_before(ply, CONTINUATION_PLIES);
        HistoryKeys::new(&self.position, ply, self.state.stack[ply].in_check, continuation)
    }

    /// Sets the key of the current position in correction history, and prefetches its counters.
    #[inline(always)]
    fn prepare_correction(&mut self, ply: usize) {
        let key = self.thread.correction.key(&self.position, self.continuation_keys_before(ply, CORRECTION_PLIES));
        self.thread.correction.prefetch(&key);
        self.state.stack[ply].correction_key = key;
    }

    /// The key of the current position in correction history.
    #[inline(always)]
    pub fn correction_key(&self, ply: usize) -> CorrectionKey {
        self.state.stack[ply].correction_key
    }

    /// Counts what `count` counts, if statistics are collected.
    #[inline(always)]
    pub fn count(&mut self, count: impl FnOnce(&mut SearchStatistics)) {
        if let Some(statistics) = &mut self.state.statistics {
            count(statistics);
        }
    }

    /// Counts a node of the main search.
    #[inline(always)]
    pub fn count_node(&mut self, is_pv: bool, cut_node: bool) {
        self.count(|statistics| match (is_pv, cut_node) {
            (true, _) => statistics.pv_nodes += 1,
            (false, true) => statistics.cut_nodes += 1,
            (false, false) => statistics.all_nodes += 1,
        });
    }

    /// Counts a pruned node or move. If it belongs to the sample, `is_wrong` searches it and tells whether the rule was
    /// wrong; that search is not counted.
    #[inline(always)]
    pub fn count_pruned(&mut self, rule: PruningRule, is_wrong: impl FnOnce(&mut Self) -> bool) {
        if self.state.statistics.as_mut().is_some_and(|statistics| statistics.count_pruned(rule)) {
            self.verify(rule, is_wrong);
        }
    }

    #[cold]
    fn verify(&mut self, rule: PruningRule, is_wrong: impl FnOnce(&mut Self) -> bool) {
        let statistics = self.state.statistics.take();
        let (nodes, proof_nodes) = (self.state.nodes, self.state.proofs.nodes);
        let is_wrong = is_wrong(self);
        (self.state.nodes, self.state.proofs.nodes) = (nodes, proof_nodes);
        self.state.statistics = statistics;
        if !self.state.stopped {
            self.count(|statistics| {
                let rule = &mut statistics.rules[rule as usize];
                rule.verified += 1;
                rule.wrong += u64::from(is_wrong);
            });
        }
    }

    /// Adds the nodes of a helper since the last call to those that the main thread sees.
    pub(super) fn publish_nodes(&mut self) {
        if self.role != ThreadRole::Main {
            self.signals.add_helper_nodes(self.state.nodes - self.state.published_nodes);
            self.state.published_nodes = self.state.nodes;
        }
    }

    /// Returns `true` if the search must end now. Reads the clock only once in at most [`NODES_PER_CHECK`] nodes,
    /// and after a tablebase was read.
    #[inline]
    pub fn must_stop(&mut self) -> bool {
        if self.state.stopped {
            return true;
        }
        if self.role != ThreadRole::Main {
            if self.state.nodes - self.state.published_nodes >= NODES_PER_CHECK {
                self.publish_nodes();
                if self.state.yields {
                    std::thread::yield_now();
                }
            }
            // With more threads than processors, the main thread may see a stop later than helpers.
            self.state.stopped = self.signals.is_finished() || self.signals.is_stopped();
            return self.state.stopped;
        }
        // The first iteration is finished, unless the captures of a crowded board never end.
        if self.state.outcome.depth == 0 && self.state.nodes < FIRST_ITERATION_NODES {
            return false;
        }
        self.state.stopped = self.signals.is_stopped()
            || self.config.limits.nodes.is_some_and(|limit| self.all_nodes() >= limit)
            || ((self.state.nodes >= self.state.next_clock_check || std::mem::take(&mut self.state.reads_clock))
                && self.is_out_of_time());
        self.state.stopped
    }

    /// Reads the clock, and plans when to read it next: nodes take longer than usual on a busy machine, and while the
    /// system provides memory.
    fn is_out_of_time(&mut self) -> bool {
        let elapsed = self.start.elapsed();
        let is_slow = elapsed.saturating_sub(self.state.clock_checked) > SLOW_CHECK;
        let interval = self.state.clock_interval;
        self.state.clock_interval = if is_slow { interval / 4 } else { 2 * interval }.clamp(1, NODES_PER_CHECK);
        self.state.clock_checked = elapsed;
        self.state.next_clock_check = self.state.nodes + self.state.clock_interval;
        self.must_move_now()
    }

    pub(super) fn must_move_now(&self) -> bool {
        let only_move_is_settled = self.only_move_is_settled(self.state.outcome.depth);
        let is_won = self.config.limits.may_end_early() && self.state.proofs.root.is_some();
        let is_certain = only_move_is_settled || is_won || self.state.stops_on_ponder_hit;
        let is_over = |(budget, on_clock): (Budget, Duration)| {
            budget.time_spent(on_clock, self.start.elapsed()) >= budget.maximum || is_certain
        };
        self.state.budget.zip(self.clock_time()).is_some_and(is_over)
    }

    /// Returns `true` if there is only one root move, an iteration of this depth gave its score enough plies, and time
    /// that is left is a gain.
    pub fn only_move_is_settled(&self, depth: usize) -> bool {
        self.config.limits.may_end_early() && self.state.root_moves.len() == 1 && depth >= ONLY_MOVE_DEPTH
    }

    /// Time that the clock of this move has run; `None` while pondering.
    pub fn clock_time(&self) -> Option<Duration> {
        self.signals.clock_time(self.start.elapsed())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use rand::seq::IndexedRandom;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::super::correction::CorrectionHistory;
    use super::*;
    use crate::position::START_FEN;
    use crate::search::Limits;
    use crate::types::score::MAX_PLY;

    /// The configuration of a search of `fen` after moves of the game.
    pub fn at_root(fen: &str, game: &str) -> SearchConfig {
        let mut position = Position::from_fen(fen).unwrap();
        position.play(game.split_whitespace()).unwrap();
        let config =
            SearchConfig::new(position, Limits::default(), Arc::new(TranspositionTable::new(1).unwrap().into()));
        config.shared.signals.reset(false);
        config
    }

    /// Runs `test` on a searcher at the root.
    pub fn with_searcher<R>(config: SearchConfig, test: impl FnOnce(&mut Searcher) -> R) -> R {
        let mut thread = ThreadData::new(Arc::new(CorrectionHistory::new(1).unwrap()), ThreadRole::Main).unwrap();
        test(&mut Searcher::new(&config, &mut thread, ThreadRole::Main))
    }

    impl Searcher<'_> {
        /// Makes a legal move at `ply`.
        pub fn play(&mut self, mv: Move, ply: usize) {
            self.make(mv, ply, self.position.gives_check(mv));
        }

        /// Makes the moves of a line from the root.
        pub fn make_all(&mut self, line: &str) {
            for (ply, text) in line.split_whitespace().enumerate() {
                self.play(text.parse().unwrap(), ply);
            }
        }
    }

    #[test]
    fn the_stack_holds_the_longest_line() {
        with_searcher(at_root(START_FEN, ""), |searcher| {
            for (ply, text) in (0..=MAX_PLY).zip(["a0a1", "a9a8", "a1a0", "a8a9"].into_iter().cycle()) {
                let mv = text.parse().unwrap();
                searcher.play(mv, ply);
                searcher.state.pv_lines[ply + 1].clear();
                searcher.update_line(ply, mv);
                assert_eq!(searcher.state.pv_lines[ply].moves(), [mv]);
            }
        });
    }

    #[test]
    fn the_stack_describes_the_position_after_every_move() {
        let mut checks = 0;
        with_searcher(at_root(START_FEN, ""), |searcher| {
            let mut random = ChaCha8Rng::seed_from_u64(5);
            let mut line = Vec::new();
            for _ in 0..20_000 {
                let (ply, position) = (line.len(), searcher.position.clone());
                let may_pass = !position.in_check() && line.last() != Some(&Move::NONE);
                match position.legal_moves().choose(&mut random) {
                    Some(&mv) if ply < 60 && !random.random_ratio(1, 4) => {
                        searcher.play(mv, ply);
                        line.push(mv);
                    }
                    Some(_) if ply < 60 && may_pass && random.random_ratio(1, 8) => {
                        searcher.make_null(ply);
                        line.push(Move::NONE);
                    }
                    _ if ply > 0 => {
                        searcher.unmake();
                        line.pop();
                    }
                    _ => {}
                }
                let ply = line.len();
                let in_check = searcher.position.in_check();
                checks += usize::from(in_check);
                assert_eq!(searcher.state.stack[ply].in_check, in_check, "{}", searcher.position);
                let key = |back| match ply.checked_sub(back).map(|ply: usize| line[ply]) {
                    None | Some(Move::NONE) => Continuation::NONE,
                    // The piece may have been captured since: that which moved is known from the position before.
                    Some(mv) => {
                        let mut before = searcher.position.clone();
                        (0..back).for_each(|_| before.unmake());
                        let key = Continuation::new(before.piece_on(mv.from()).unwrap(), mv.to());
                        key.of_class(before.in_check(), before.piece_on(mv.to()).is_some())
                    }
                };
                let correction_key = searcher.thread.correction.key(&searcher.position, CORRECTION_PLIES.map(key));
                assert_eq!(searcher.correction_key(ply), correction_key);
                let keys = HistoryKeys::new(&searcher.position, ply, in_check, CONTINUATION_PLIES.map(key));
                assert_eq!(searcher.history_keys(ply), keys);
            }
        });
        assert!(checks > 300, "{checks}");
    }
}
