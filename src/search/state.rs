//! Data of a search: configuration, state and thread data, and the searcher that works on them: moves, evaluation and
//! the end of the search.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use arrayvec::ArrayVec;

use super::history::{CONTINUATION_PLIES, Continuation, History, HistoryKeys};
use super::history::{CORRECTION_PLIES, CorrectionHistory, CorrectionKey};
use super::limits::{Budget, Limits};
use super::margins::{BaseReductions, MaterialScale};
use super::params::*;
use super::statistics::Collector;
use super::transposition::TranspositionTable;
use super::{Outcome, SearchSignals};
use crate::eval::network::Network;
use crate::eval::{EvalCache, EvalConfig, EvalNoise, Evaluator};
use crate::position::Position;
use crate::rules::{MoveCount, MoveFacts, RepetitionFilter, Rules};
use crate::solver::MateSolver;
use crate::tablebase::Tablebases;
use crate::types::score::{INFINITE, MAX_PLY, is_decisive};
use crate::types::{Move, Side, Value};
use crate::util::host::{Duration, Instant, poll};
use crate::util::math::GOLDEN_RATIO;

/// Everything that does not change during a search. Built once per `go` and shared by all threads.
#[derive(Clone)]
pub struct SearchConfig {
    pub position: Position,
    pub limits: Limits,
    pub rules: Rules,
    pub params: Params,
    /// Late move reductions that follow from `params`.
    pub reductions: Arc<BaseReductions>,
    pub eval: EvalConfig,
    pub network: Arc<Network>,
    pub noise: EvalNoise,
    pub tablebases: Option<Arc<Tablebases>>,
    pub table: Arc<TranspositionTable>,
    pub signals: Arc<SearchSignals>,
    /// Statistics that the main thread adds to, if they are collected.
    pub statistics: Collector,
}

impl SearchConfig {
    /// Returns the part of the table keys that keeps results of this evaluation and worth of draws apart from others.
    /// The worth is that to Red, since either side may be at the root, and not scaled by material.
    pub(crate) fn table_salt(&self) -> u64 {
        let draw = self.limits.draw_value();
        let draw_for_red = if self.position.side() == Side::Red { draw } else { -draw };
        self.eval.key() ^ (draw_for_red as u64).wrapping_mul(GOLDEN_RATIO)
    }
}

/// Root move and its results.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub mv: Move,
    /// The value in this iteration; −infinite for moves that failed low.
    pub score: Value,
    pub previous_score: Value,
    /// Running average of its exact scores and bounds, each new one with half of the weight; `None` before the first.
    pub average_score: Option<Value>,
    pub nodes: u64,
    pub line: Line,
}

/// Role of a thread in a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ThreadRole {
    /// Keeps to the limits, reports iterations and ends the search.
    Main,
    /// Searches the same position until the main thread has finished. Helpers are counted from 0.
    Helper(usize),
}

/// The last ply, counted from the root, at which a mate that is looked for ends.
pub(super) const PROOF_PLIES: usize = 99;
const _: () = assert!(PROOF_PLIES <= MateSolver::MAX_PLIES);

/// Mates proved beside one search, and the cost of the attempts.
#[derive(Default)]
pub(super) struct MateProofs {
    /// Value and line of the shortest mate proved at the root.
    pub root_value: Option<Value>,
    pub root_line: Line,
    pub nodes: u64,
    pub root_nodes: u64,
    /// There is no mate shorter than the best one known.
    pub is_shortest: bool,
    /// Checks at the root are not refuted yet, so mates by checks are looked for below it too.
    pub checks_go_on: bool,
}

/// The most plies back to a move that continuation history or correction history uses.
const MAX_CONTINUATION_PLIES: usize = CONTINUATION_PLIES[CONTINUATION_PLIES.len() - 1];

/// State of one thread in one search. A new search starts from a new one.
#[derive(Default)]
pub(super) struct SearchState {
    pub stack: Vec<StackEntry>,
    /// The moves of the current line as keys of continuation history: the move made at ply `p` at index `p` +
    /// [`MAX_CONTINUATION_PLIES`], before it those from before the root, all [`Continuation::NONE`].
    continuation_keys: Vec<Continuation>,
    /// The principal variation from each ply on, of the node of the principal variation that was searched last there.
    pub pv_lines: Vec<Line>,
    /// Positions of the game and of the current line that may occur again.
    pub occurrences: RepetitionFilter,
    pub nodes: u64,
    /// Nodes that a helper has added to the common count.
    published_nodes: u64,
    pub tbhits: u64,
    pub root_depth: usize,
    pub selective_depth: usize,
    /// The ply from which null moves are allowed: above it one is being verified.
    pub null_move_min_ply: usize,
    pub stopped: bool,
    /// Part of the table keys while some root moves are excluded, the evaluation has a style or draws are not worth 0.
    pub key_salt: u64,
    pub is_restricted: bool,
    /// Value of a draw for the side to move at the root, in the unit of the search.
    pub draw_value: Value,
    pub budget: Option<Budget>,
    /// The time spent pondering suffices for this move, so the search ends on the ponder hit.
    pub stops_on_ponder_hit: bool,
    /// The clock is read at the next node, after something that may have taken long, such as reading a file.
    pub reads_clock: bool,
    /// The thread offers its processor to others now and then, since there are more threads than processors.
    pub yields: bool,
    next_clock_check: u64,
    clock_interval: u64,
    clock_checked: Duration,
    pub root_moves: Vec<RootMove>,
    /// Index of the principal variation being searched, 0 for the best one. The root moves before it are final.
    pub pv_index: usize,
    /// The best move of the unfinished iteration, once it is better than all moves before it and than alpha.
    pub partial_best: Option<Move>,
    /// First move of the last reported line of the best move.
    pub reported: Option<Move>,
    pub proofs: MateProofs,
    pub outcome: Outcome,
    pub statistics: Collector,
    /// A ply whose node is searched a second time to verify that it was pruned rightly.
    pub verified_ply: Option<usize>,
}

impl SearchState {
    pub fn new(config: &SearchConfig, role: ThreadRole) -> SearchState {
        let (position, limits) = (&config.position, &config.limits);
        let (allowed, excluded): (Vec<Move>, Vec<Move>) =
            position.legal_moves().into_iter().partition(|&mv| limits.allows(mv));
        let root = StackEntry {
            in_check: position.in_check(),
            count: MoveCount::new(config.rules.set, position),
            static_eval: StackEntry::NO_EVAL,
            ..StackEntry::default()
        };
        let mix = |key: u64, mv: &Move| (key ^ u64::from(mv.bits())).wrapping_mul(GOLDEN_RATIO);
        let mut state = SearchState {
            stack: vec![root; MAX_PLY + 2],
            continuation_keys: vec![Continuation::NONE; MAX_CONTINUATION_PLIES + MAX_PLY + 2],
            pv_lines: vec![Line::default(); MAX_PLY + 2],
            key_salt: excluded.iter().fold(config.table_salt(), mix),
            is_restricted: !excluded.is_empty(),
            draw_value: MaterialScale::new(position, &config.params).apply_rounded_up(limits.draw_value()),
            // The end of the main thread ends a helper.
            budget: (role == ThreadRole::Main).then(|| Budget::new(limits)).flatten(),
            // If the search fails before its first iteration ends, any legal move is better than none.
            outcome: Outcome { pv_index: 1, line: Vec::from_iter(allowed.first().copied()), ..Outcome::default() },
            statistics: if role == ThreadRole::Main { config.statistics.clone() } else { Collector::default() },
            root_moves: allowed.into_iter().map(RootMove::new).collect(),
            ..SearchState::default()
        };
        let history = position.history();
        let reversible = &history[history.len() - position.reversible_plies()..];
        state.occurrences.reset(reversible.iter().map(|played| played.key));
        state
    }
}

impl RootMove {
    fn new(mv: Move) -> RootMove {
        let line = Line::from_iter([mv]);
        RootMove { mv, score: -INFINITE, previous_score: -INFINITE, average_score: None, nodes: 0, line }
    }

    /// Adds a score to the running average. A decisive score begins a new one.
    pub fn update_average(&mut self, score: Value) {
        self.average_score = Some(self.average_beside(score).map_or(score, |average| (average + score) / 2));
    }

    /// Returns the score to be expected of the next iteration, between the previous one and the running average.
    pub fn expected_score(&self) -> Option<Value> {
        let previous = Some(self.previous_score).filter(|&score| score > -INFINITE)?;
        let average = self.average_beside(previous);
        let step = |average: Value| (average - previous) * ASPIRATION_AVERAGE_PERCENT / 100;
        Some(average.map_or(previous, |average| previous + step(average)))
    }

    /// Returns the running average if neither it nor this score is decisive.
    fn average_beside(&self, score: Value) -> Option<Value> {
        self.average_score.filter(|&average| !is_decisive(average) && !is_decisive(score))
    }
}

/// Principal variation.
pub(super) type Line = ArrayVec<Move, { MAX_PLY + 1 }>;

/// One ply of the current line.
#[derive(Clone, Default)]
pub(super) struct StackEntry {
    /// The side to move is in check; set when the move to the position is made.
    pub in_check: bool,
    /// Progress towards the natural move limit; set together with `in_check`.
    pub count: MoveCount,
    /// Key of the position in correction history; set together with `in_check`.
    pub correction_key: CorrectionKey,
    /// The corrected static evaluation; [`StackEntry::NO_EVAL`] in check.
    pub static_eval: Value,
    /// The move that a singular search leaves out; [`Move::NONE`] otherwise.
    pub excluded: Move,
    pub mv: Move,
    pub is_capture: bool,
    /// Number of the current move among the moves of the node, 1 for the first.
    pub move_count: i32,
    pub was_pv: bool,
    pub reduction: i32,
    /// Cut-offs at this ply since the node two plies above was entered, less those by moves that were extended far.
    pub cutoffs: i32,
    /// Points of the current move's history for reductions.
    pub move_history: i32,
    pub in_table: bool,
    /// All moves to the node are those of the principal variation of the last iteration.
    pub in_last_pv: bool,
}

impl StackEntry {
    /// Stands for the evaluation of a position in check.
    pub const NO_EVAL: Value = -INFINITE;
}

/// Data of one thread that survives from search to search, with the correction history that all threads share.
pub(super) struct ThreadData {
    pub history: History,
    pub correction: Arc<CorrectionHistory>,
    pub eval_cache: EvalCache,
    pub evaluator: Evaluator,
    /// Only the main thread proves mates.
    pub prover: Option<MateSolver>,
    /// `true` once a search may have written to the histories.
    is_used: bool,
    /// The system has provided their memory.
    is_backed: bool,
}

impl ThreadData {
    /// Empty histories, about 5 MB, this correction history, and for the main thread a table of proofs, 1 MB.
    pub fn new(correction: Arc<CorrectionHistory>, role: ThreadRole) -> io::Result<ThreadData> {
        let prover =
            (role == ThreadRole::Main).then(|| MateSolver::new(1 << 20).map_err(io::Error::other)).transpose()?;
        let (history, eval_cache, evaluator) = (History::new()?, EvalCache::new(), Evaluator::default());
        Ok(ThreadData { history, correction, eval_cache, evaluator, prover, is_used: false, is_backed: false })
    }

    /// Clears the histories, but not correction history, which other threads use too, and none that no search has used,
    /// so that many threads cost no memory before their first search.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.is_used) {
            self.history.clear();
        }
    }

    /// Has the system provide the memory of the histories, unless it has or a search has used them.
    pub fn back(&mut self) {
        if !self.is_used && !std::mem::replace(&mut self.is_backed, true) {
            self.history.clear();
        }
    }

    /// Sets network and configuration of the evaluator to those of a search. Evaluations by others are dropped.
    pub fn set_evaluation(&mut self, config: &SearchConfig) {
        if *self.evaluator.config() != config.eval {
            self.evaluator.set_config(config.eval.clone());
            self.eval_cache.clear();
        }
        if !Arc::ptr_eq(self.evaluator.network(), &config.network) {
            self.evaluator.set_network(Arc::clone(&config.network));
            self.eval_cache.clear();
        }
    }

    pub fn prepare(&mut self, config: &SearchConfig) {
        self.set_evaluation(config);
        self.evaluator.reset();
        if let Some(prover) = &mut self.prover {
            prover.set_root(config.rules, &config.position, PROOF_PLIES);
        }
        self.history.clear_low_ply();
        self.history.configure(&config.params);
        self.is_used = true;
    }
}

/// One thread at work on one search.
pub(super) struct Searcher<'a> {
    pub config: &'a SearchConfig,
    pub table: &'a TranspositionTable,
    pub signals: &'a SearchSignals,
    pub role: ThreadRole,
    pub start: Instant,
    /// The root position with the moves of the current line made on it.
    pub position: Position,
    pub state: SearchState,
    pub thread: &'a mut ThreadData,
}

impl<'a> Searcher<'a> {
    pub fn new(config: &'a SearchConfig, thread: &'a mut ThreadData, role: ThreadRole) -> Searcher<'a> {
        thread.prepare(config);
        let mut searcher = Searcher {
            table: &config.table,
            signals: &config.signals,
            role,
            start: config.signals.start(),
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
        self.state.nodes + self.state.proofs.nodes + self.signals.helper_nodes.0.load(Relaxed)
    }

    /// Returns the static evaluation for the side to move, in the unit of the search, without correction.
    #[inline]
    pub fn evaluate(&mut self) -> Value {
        let (position, thread, noise) = (&self.position, &mut *self.thread, self.config.noise);
        let scale = MaterialScale::new(position, &self.config.params);
        let value = thread.eval_cache.get_or_insert(position.key(), || thread.evaluator.evaluate(position));
        scale.apply(noise.applied_to(value, position.key()))
    }

    /// Prefetches the entries of table and evaluation cache after `mv`, which need not be legal here.
    #[inline(always)]
    pub fn prefetch_child(&self, mv: Move) {
        if !mv.is_none() {
            let key = self.position.key_after(mv);
            self.table.prefetch(key ^ self.state.key_salt);
            self.thread.eval_cache.prefetch(key);
        }
    }

    /// Makes a legal move at `ply`. `gives_check` must tell whether it gives check.
    #[inline]
    pub fn make(&mut self, mv: Move, ply: usize, gives_check: bool) {
        let piece = self.position.piece_on(mv.from()).expect("a legal move moves a piece");
        let is_capture = self.position.piece_on(mv.to()).is_some();
        debug_assert_eq!(gives_check, self.position.gives_check(mv));
        self.state.occurrences.enter(self.position.key());
        self.state.stack[ply].mv = mv;
        self.state.stack[ply].is_capture = is_capture;
        let answers_check = self.state.stack[ply].in_check;
        let key = Continuation::new(piece, mv.to()).of_class(answers_check, is_capture);
        self.state.continuation_keys[MAX_CONTINUATION_PLIES + ply] = key;
        self.position.make_observed(mv, &mut self.thread.evaluator);
        self.state.stack[ply + 1].count = if is_capture {
            MoveCount::default()
        } else {
            let facts = MoveFacts { side: piece.side(), gives_check, answers_check };
            self.state.stack[ply].count.after(self.config.rules.set, facts)
        };
        self.state.stack[ply + 1].in_check = gives_check;
        self.prepare_correction(ply + 1);
        self.state.nodes += 1;
    }

    #[inline]
    pub fn unmake(&mut self) {
        self.position.unmake_observed(&mut self.thread.evaluator);
        self.state.occurrences.leave(self.position.key());
    }

    /// Makes a null move at `ply`. The side to move is not in check.
    pub fn make_null(&mut self, ply: usize) {
        self.state.stack[ply].mv = Move::NONE;
        self.state.stack[ply].is_capture = false;
        self.state.continuation_keys[MAX_CONTINUATION_PLIES + ply] = Continuation::NONE;
        self.state.occurrences.enter(self.position.key());
        self.position.make_null(&mut self.thread.evaluator);
        self.table.prefetch(self.position.key() ^ self.state.key_salt);
        self.state.stack[ply + 1].in_check = false;
        self.state.stack[ply + 1].count = self.state.stack[ply].count;
        self.prepare_correction(ply + 1);
    }

    /// The keys of the moves made these numbers of plies before `ply`, 1 to [`MAX_CONTINUATION_PLIES`].
    #[inline(always)]
    fn continuation_keys_before<const N: usize>(&self, ply: usize, plies: [usize; N]) -> [Continuation; N] {
        let earlier: &[Continuation] = &self.state.continuation_keys[ply..ply + MAX_CONTINUATION_PLIES];
        plies.map(|back| earlier[MAX_CONTINUATION_PLIES - back])
    }

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

    /// Adds the nodes of a helper to those that the main thread sees.
    pub fn publish_nodes(&mut self) {
        if self.role != ThreadRole::Main {
            self.signals.helper_nodes.0.fetch_add(self.state.nodes - self.state.published_nodes, Relaxed);
            self.state.published_nodes = self.state.nodes;
        }
    }

    /// Returns `true` if the search must end now. Reads the clock once in [`NODES_PER_CHECK`] nodes or fewer.
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
            self.state.stopped = self.signals.finished.load(Relaxed) || self.signals.is_stopped();
            return self.state.stopped;
        }
        // The first iteration is finished, unless the captures of a crowded board never end.
        if self.state.outcome.finished_depth == 0 && self.state.nodes < FIRST_ITERATION_NODES {
            return false;
        }
        self.state.stopped = self.signals.is_stopped()
            || self.config.limits.nodes.is_some_and(|limit| self.all_nodes() >= limit)
            || ((self.state.nodes >= self.state.next_clock_check || std::mem::take(&mut self.state.reads_clock))
                && self.is_out_of_time());
        self.state.stopped
    }

    /// Reads the clock, and plans when to read it next: nodes take longer on a busy machine.
    fn is_out_of_time(&mut self) -> bool {
        poll();
        let elapsed = self.start.elapsed();
        let is_slow = elapsed.saturating_sub(self.state.clock_checked) > SLOW_CHECK;
        let interval = self.state.clock_interval;
        self.state.clock_interval = if is_slow { interval / 4 } else { 2 * interval }.clamp(1, NODES_PER_CHECK);
        self.state.clock_checked = elapsed;
        self.state.next_clock_check = self.state.nodes + self.state.clock_interval;
        self.must_move_now()
    }

    pub fn must_move_now(&self) -> bool {
        let (Some(budget), Some(on_clock)) = (self.state.budget, self.clock_time()) else { return false };
        let is_won = self.config.limits.may_end_early() && self.state.proofs.root_value.is_some();
        let only_move_is_settled = self.only_move_is_settled(self.state.outcome.finished_depth);
        let is_certain = only_move_is_settled || is_won || self.state.stops_on_ponder_hit;
        is_certain || budget.time_spent(on_clock, self.start.elapsed()) >= budget.maximum
    }

    /// Returns `true` if there is only one root move, searched deep enough at this depth, and time left is a gain.
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

    use super::*;
    use crate::position::START_FEN;

    impl SearchConfig {
        /// A search with default rules, parameters and evaluation.
        pub fn new(position: Position, limits: Limits) -> SearchConfig {
            let params = Params::default();
            SearchConfig {
                position,
                limits,
                rules: Rules::default(),
                reductions: Arc::new(BaseReductions::new(&params)),
                params,
                eval: EvalConfig::default(),
                network: Network::embedded(),
                noise: EvalNoise::default(),
                tablebases: None,
                table: Arc::new(TranspositionTable::new(1).unwrap()),
                signals: Arc::default(),
                statistics: Collector::default(),
            }
        }
    }

    /// The configuration of a search of `fen` after moves of the game.
    pub fn at_root(fen: &str, game: &str) -> SearchConfig {
        let mut position = Position::from_fen(fen).unwrap();
        position.play(game.split_whitespace()).unwrap();
        let config = SearchConfig::new(position, Limits::default());
        config.signals.reset_at(false, Instant::now());
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
                assert_eq!(searcher.state.stack[ply].correction_key, correction_key);
                let keys = HistoryKeys::new(&searcher.position, ply, in_check, CONTINUATION_PLIES.map(key));
                assert_eq!(searcher.history_keys(ply), keys);
            }
        });
        assert!(checks > 300, "{checks}");
    }

    #[test]
    fn the_clock_is_read_at_the_next_node_after_something_slow() {
        with_searcher(at_root(START_FEN, ""), |searcher| {
            searcher.state.budget = Some(Budget { optimum: Duration::ZERO, maximum: Duration::ZERO, is_fixed: false });
            (searcher.state.outcome.finished_depth, searcher.state.nodes) = (1, 1);
            searcher.state.next_clock_check = 9;
            assert!(!searcher.must_stop());
            searcher.state.reads_clock = true;
            assert!(searcher.must_stop());
        });
    }
}
