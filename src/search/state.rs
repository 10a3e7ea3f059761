//! Data of a search: configuration, shared by all threads; state, of one thread in one search; thread data, which
//! survives from search to search.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arrayvec::ArrayVec;

use super::correction::{CORRECTION_PLIES, CorrectionHistory, CorrectionKey};
use super::history::{CONTINUATION_PLIES, Continuation, History};
use super::limits::Limits;
use super::margins::BaseReductions;
use super::material_scale::MaterialScale;
use super::params::Params;
use super::picker::Refutations;
use super::report::Outcome;
use super::signals::SearchSignals;
use super::statistics::SearchStatistics;
use super::time::Budget;
use super::transposition::TranspositionTable;
use crate::eval::network::Network;
use crate::eval::{EvalConfig, Evaluator};
use crate::position::Position;
use crate::rules::{MoveCount, RepetitionFilter, Rules};
use crate::solver::MateProver;
use crate::tablebase::Tablebases;
use crate::types::score::{INFINITE, MAX_PLY, is_decisive};
use crate::types::{Move, Side, Value};
use crate::util::huge_pages::prefetch;
use crate::util::math::GOLDEN_RATIO;

/// Transposition table and signals of one engine.
pub struct Shared {
    /// The transposition table.
    pub table: TranspositionTable,
    /// Stop flag, ponder hit and node counts; they outlive a table that is resized.
    pub signals: Arc<SearchSignals>,
}

impl From<TranspositionTable> for Shared {
    /// This table with signals of its own.
    fn from(table: TranspositionTable) -> Shared {
        Shared { table, signals: Arc::default() }
    }
}

/// Bounded random change of every evaluation, for variety.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EvalNoise {
    /// The largest change in centipawns; 0 for none.
    pub amplitude: Value,
    /// Seed: with the same seed a position always gets the same change.
    pub seed: u64,
}

/// Everything that does not change during a search. Built once per `go` and shared by all threads.
#[derive(Clone)]
pub struct SearchConfig {
    /// The root position with the game before it.
    pub position: Position,
    /// Limits and allowed root moves.
    pub limits: Limits,
    /// Rules of repetition and the natural move limit.
    pub rules: Rules,
    /// Search parameters.
    pub params: Params,
    /// Late move reductions that follow from `params`.
    pub reductions: Arc<BaseReductions>,
    /// Knowledge and style of the evaluation.
    pub eval: EvalConfig,
    /// The network.
    pub network: Arc<Network>,
    /// Random change of evaluations.
    pub noise: EvalNoise,
    /// Tablebases to probe; `None` for none.
    pub tablebases: Option<Arc<Tablebases>>,
    /// Transposition table and signals.
    pub shared: Arc<Shared>,
    /// Statistics that the main thread adds to; `None` to collect none.
    pub statistics: Option<Arc<Mutex<SearchStatistics>>>,
}

impl SearchConfig {
    /// A search with default rules, parameters and evaluation.
    pub fn new(position: Position, limits: Limits, shared: Arc<Shared>) -> SearchConfig {
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
            shared,
            statistics: None,
        }
    }

    /// Returns the part of the keys under which the transposition table keeps results of this evaluation with this
    /// worth of draws: other searches would otherwise take them for their own. The worth is that to Red, since either
    /// side may be at the root; the scale by material, which changes it a little from move to move, is left out.
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
    /// The value in the previous iteration.
    pub previous_score: Value,
    /// Running average of its exact scores and bounds so far, each new one with half of the weight; `None` before the
    /// first.
    pub average_score: Option<Value>,
    /// Nodes below it in the whole search.
    pub nodes: u64,
    pub line: Line,
}

/// Role of a thread in a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ThreadRole {
    /// Keeps to the limits, reports iterations and ends the search.
    Main,
    /// Searches the same position until the main thread has finished; fills the transposition table and has a vote on
    /// the move. Helpers are counted from 0.
    Helper(usize),
}

/// The last ply, counted from the root, at which a mate that is looked for ends.
pub(super) const PROOF_PLIES: usize = 99;
const _: () = assert!(PROOF_PLIES <= MateProver::MAX_PLIES);

/// Mates proved beside one search, and the cost of the attempts.
#[derive(Default)]
pub(super) struct MateProofs {
    /// The shortest mate proved at the root.
    pub root: Option<RootProof>,
    /// Nodes of all attempts.
    pub nodes: u64,
    /// Nodes of the attempts at the root.
    pub root_nodes: u64,
    /// There is no mate shorter than the best one known.
    pub is_shortest: bool,
    /// There is no mate within this number of moves, by any attack.
    pub refuted_moves: usize,
    /// Checks at the root are not refuted yet, so mates by checks are looked for below it too.
    pub checks_go_on: bool,
}

/// Mate proved at the root.
pub(super) struct RootProof {
    pub value: Value,
    pub line: Line,
}

impl MateProofs {
    /// Value of the mate proved at the root.
    pub fn root_value(&self) -> Option<Value> {
        self.root.as_ref().map(|proof| proof.value)
    }
}

/// The most plies back to a move that continuation history or correction history uses.
pub(super) const MAX_CONTINUATION_PLIES: usize = max_plies(&CONTINUATION_PLIES, max_plies(&CORRECTION_PLIES, 0));

/// Returns the greatest of some numbers of plies and of `max`.
const fn max_plies(plies: &[usize], mut max: usize) -> usize {
    let mut index = 0;
    while index < plies.len() {
        if plies[index] > max {
            max = plies[index];
        }
        index += 1;
    }
    max
}

/// State of one thread in one search. A new search starts from a new one.
#[derive(Default)]
pub(super) struct SearchState {
    pub stack: Vec<StackEntry>,
    /// The moves of the current line as keys of continuation history. The move made at ply `p` has the index `p` +
    /// [`MAX_CONTINUATION_PLIES`]; before the root all are [`Continuation::NONE`], and beyond the current ply they mean
    /// nothing.
    pub continuation_keys: Vec<Continuation>,
    /// The principal variation from each ply on, of the node of the principal variation that was searched last there.
    pub pv_lines: Vec<Line>,
    /// The positions of the game and of the current line that may occur again.
    pub occurrences: RepetitionFilter,
    pub nodes: u64,
    /// Nodes that a helper has added to the common count.
    pub published_nodes: u64,
    /// Positions found in tablebases.
    pub tbhits: u64,
    pub root_depth: usize,
    pub selective_depth: usize,
    /// The ply from which null moves are allowed: above it one is being verified.
    pub null_move_min_ply: usize,
    pub stopped: bool,
    /// Part of the key under which results are stored while some root moves are excluded, the evaluation has a style or
    /// draws are not worth 0: such results do not hold otherwise ([`SearchConfig::table_salt`]).
    pub key_salt: u64,
    /// `true` if some legal root moves are not allowed.
    pub is_restricted: bool,
    /// Value of a draw for the side to move at the root, in the unit of the search.
    pub draw_value: Value,
    pub budget: Option<Budget>,
    /// The time spent pondering suffices for this move, so the search ends on the ponder hit.
    pub stops_on_ponder_hit: bool,
    /// The clock is read at the next node: something that may take long, such as reading a file, has been done.
    pub reads_clock: bool,
    /// The thread offers its processor to others now and then, since there are more threads than processors.
    pub yields: bool,
    /// Number of nodes at which the clock is read next.
    pub next_clock_check: u64,
    /// Number of nodes from the last reading of the clock to the next.
    pub clock_interval: u64,
    /// Time of the search at the last reading of the clock.
    pub clock_checked: Duration,
    /// Some of the extensions for checks, single replies and recaptures are switched on.
    pub extends_forcing_moves: bool,
    pub root_moves: Vec<RootMove>,
    /// Index of the principal variation being searched, 0 for the best one. The root moves before it are final.
    pub pv_index: usize,
    /// The best move of the unfinished iteration, once it is better than all moves before it and than alpha.
    pub partial_best: Option<Move>,
    /// First move of the last reported line of the best move.
    pub reported: Option<Move>,
    /// Mates proved beside the search.
    pub proofs: MateProofs,
    pub outcome: Outcome,
    /// Statistics of this search so far, if they are collected.
    pub statistics: Option<Box<SearchStatistics>>,
    /// A ply whose node is searched a second time to verify that it was pruned rightly, without reverse futility
    /// pruning and ProbCut.
    pub verified_ply: Option<usize>,
}

impl SearchState {
    /// State at the root, before the first iteration.
    pub fn new(config: &SearchConfig, role: ThreadRole) -> SearchState {
        let (position, limits) = (&config.position, &config.limits);
        let (allowed, excluded): (Vec<Move>, Vec<Move>) =
            position.legal_moves().into_iter().partition(|&mv| limits.allows(mv));
        let mix = |key: u64, mv: &Move| (key ^ u64::from(mv.bits())).wrapping_mul(GOLDEN_RATIO);
        let params = &config.params;
        let mut state = SearchState {
            extends_forcing_moves: params.check_extension + params.single_reply_extension + params.recapture_extension
                > 0,
            stack: new_stack(position, MoveCount::new(config.rules.set, position)),
            continuation_keys: vec![Continuation::NONE; MAX_CONTINUATION_PLIES + MAX_PLY + 2],
            pv_lines: vec![Line::default(); MAX_PLY + 2],
            key_salt: excluded.iter().fold(config.table_salt(), mix),
            is_restricted: !excluded.is_empty(),
            draw_value: MaterialScale::new(position, params).apply_rounded_up(limits.draw_value()),
            // The end of the main thread ends a helper.
            budget: (role == ThreadRole::Main).then(|| Budget::new(limits)).flatten(),
            // If the search fails before its first iteration ends, any legal move is better than none.
            outcome: Outcome { line: allowed.first().copied().into_iter().collect(), ..Outcome::default() },
            statistics: config
                .statistics
                .as_ref()
                .filter(|_| role == ThreadRole::Main)
                .map(|statistics| Box::new(statistics.lock().unwrap_or_else(PoisonError::into_inner).clone())),
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
        RootMove {
            mv,
            score: -INFINITE,
            previous_score: -INFINITE,
            average_score: None,
            nodes: 0,
            line: Line::default(),
        }
    }

    /// Adds a score to the running average. A decisive score does not belong to an average with others and begins a new
    /// one.
    pub(super) fn update_average(&mut self, score: Value) {
        self.average_score = Some(self.average_beside(score).map_or(score, |average| (average + score) / 2));
    }

    /// Returns the score to be expected of the next iteration: `percent` of the way from the previous score to the
    /// running average. `None` without a score.
    pub(super) fn expected_score(&self, percent: i32) -> Option<Value> {
        let previous = Some(self.previous_score).filter(|&score| score > -INFINITE)?;
        let average = self.average_beside(previous);
        Some(average.map_or(previous, |average| previous + (average - previous) * percent / 100))
    }

    /// Returns the running average if neither it nor this score is decisive.
    fn average_beside(&self, score: Value) -> Option<Value> {
        self.average_score.filter(|&average| !is_decisive(average) && !is_decisive(score))
    }
}

/// Principal variation.
#[derive(Clone, Default, Debug)]
pub struct Line(ArrayVec<Move, { MAX_PLY + 1 }>);

impl Line {
    /// The moves.
    pub fn moves(&self) -> &[Move] {
        &self.0
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The first moves of a line, as many as fit.
    pub(super) fn from_moves(moves: &[Move]) -> Line {
        Line(moves.iter().copied().take(MAX_PLY + 1).collect())
    }

    /// Becomes `mv` followed by `rest`.
    pub(super) fn set(&mut self, mv: Move, rest: &Line) {
        self.0.clear();
        self.0.push(mv);
        let length = self.0.remaining_capacity().min(rest.0.len());
        self.0.extend(rest.0[..length].iter().copied());
    }
}

/// One ply of the current line.
pub(super) struct StackEntry {
    /// The side to move is in check; set when the move to the position is made.
    pub in_check: bool,
    /// Progress towards the natural move limit; set together with `in_check`.
    pub count: MoveCount,
    /// Key of the position in correction history; set together with `in_check`.
    pub correction_key: CorrectionKey,
    /// The corrected static evaluation; [`StackEntry::NO_EVAL`] in check.
    pub static_eval: Value,
    /// The last quiet moves that caused a cut-off at this ply.
    pub killers: [Move; 2],
    /// The move that a singular search leaves out; [`Move::NONE`] otherwise.
    pub excluded: Move,
    /// The current move.
    pub mv: Move,
    /// `true` if the current move captures.
    pub is_capture: bool,
    /// Number of the current move among the moves of the node, 1 for the first.
    pub move_count: i32,
    /// `true` if the node is or was on a principal variation.
    pub was_pv: bool,
    /// Plies by which the search of the current move is reduced.
    pub reduction: i32,
    /// Cut-offs at this ply since the node two plies above was entered, less those by moves that were extended far.
    pub cutoffs: i32,
    /// Points of the current move's history for reductions.
    pub move_history: i32,
    /// The transposition table has an entry of the node.
    pub in_table: bool,
    /// All moves to the node are those of the principal variation of the last iteration.
    pub in_last_pv: bool,
}

impl StackEntry {
    /// Stands for the evaluation of a position in check.
    pub const NO_EVAL: Value = -INFINITE;
}

/// A stack for the deepest line and the child of its last node.
fn new_stack(position: &Position, count: MoveCount) -> Vec<StackEntry> {
    let in_check = position.in_check();
    let entry = |_| StackEntry {
        in_check,
        count,
        correction_key: CorrectionKey::default(),
        static_eval: StackEntry::NO_EVAL,
        killers: Refutations::NONE.killers,
        excluded: Move::NONE,
        mv: Move::NONE,
        is_capture: false,
        move_count: 0,
        was_pv: false,
        reduction: 0,
        cutoffs: 0,
        move_history: 0,
        in_table: false,
        in_last_pv: false,
    };
    (0..MAX_PLY + 2).map(entry).collect()
}

/// Search to a fixed depth that nothing but these data and the network influences.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct RepeatableSearch {
    /// Position key of the root XOR [`SearchState::key_salt`].
    pub key: u64,
    pub depth: usize,
    pub rules: Rules,
    pub params: Params,
}

/// Result of a finished search that may be repeated.
pub(super) struct FinishedSearch {
    pub search: RepeatableSearch,
    pub score: Value,
    pub selective_depth: usize,
    pub line: Line,
}

/// Data of one thread that survives from search to search, and the correction history that all threads of its pool
/// share.
pub(super) struct ThreadData {
    pub(super) history: History,
    pub(super) correction: Arc<CorrectionHistory>,
    pub(super) eval_cache: EvalCache,
    pub(super) evaluator: Evaluator,
    /// Only the main thread proves mates.
    pub(super) prover: Option<MateProver>,
    /// Last finished search to a fixed depth, whose result a repetition of it returns.
    pub(super) finished_search: Option<FinishedSearch>,
    /// `true` once a search may have written to the histories.
    is_used: bool,
}

impl ThreadData {
    /// Empty histories of its own, this correction history, and an empty cache.
    ///
    /// # Errors
    /// If there is no memory for the histories, about 5 MB, and for the main thread the table of proofs, 1 MB.
    pub(super) fn new(correction: Arc<CorrectionHistory>, role: ThreadRole) -> io::Result<ThreadData> {
        let prover = match role {
            ThreadRole::Main => Some(MateProver::new(PROVER_BYTES).map_err(io::Error::other)?),
            ThreadRole::Helper(_) => None,
        };
        Ok(ThreadData {
            history: History::new()?,
            correction,
            eval_cache: EvalCache::new(),
            evaluator: Evaluator::new(&Position::start()),
            prover,
            finished_search: None,
            is_used: false,
        })
    }

    /// Clears the histories of this thread and the finished search, but not correction history, which other threads use
    /// too. Histories that no search has used are left alone, so that many threads cost no memory before their first
    /// search.
    pub fn clear(&mut self) {
        if self.is_used {
            self.history.clear();
            self.finished_search = None;
            self.is_used = false;
        }
    }

    /// Forgets what depends on the evaluation.
    fn forget_results(&mut self) {
        self.eval_cache.clear();
        self.finished_search = None;
    }

    /// Sets network and configuration of the evaluator to those of a search. Results of others are dropped.
    pub(super) fn set_evaluation(&mut self, config: &SearchConfig) {
        if *self.evaluator.config() != config.eval {
            self.evaluator.set_config(config.eval.clone());
            self.forget_results();
        }
        if !Arc::ptr_eq(self.evaluator.network(), &config.network) {
            self.evaluator.set_network(Arc::clone(&config.network));
            self.forget_results();
        }
    }

    /// Prepares for a search.
    pub(super) fn prepare(&mut self, config: &SearchConfig) {
        self.set_evaluation(config);
        self.evaluator.reset(&config.position);
        if let Some(prover) = &mut self.prover {
            prover.set_root(config.rules, &config.position, PROOF_PLIES);
        }
        self.history.clear_low_ply();
        self.history.configure(&config.params);
        self.is_used = true;
    }
}

/// Bytes of the table of the mate prover.
const PROVER_BYTES: usize = 1 << 20;

/// One entry for each value of the low 13 bits of a key.
const CACHE_ENTRIES: usize = 1 << 13;
/// The bits of an entry that hold the value. The others hold those of the key, so that with the index 61 bits of the
/// key are compared.
const VALUE_BITS: u64 = 0xFFFF;

/// Evaluation cache of one thread, 64 KiB, always replaced.
///
/// The transposition table keeps the evaluation of searched positions only. Most positions are evaluated, cut off at
/// once and soon reached again by another order of moves. A larger cache finds more of them, but competes with the
/// histories and the weights of the network for the second-level cache of the processor.
pub(super) struct EvalCache(Box<[u64]>);

impl EvalCache {
    pub fn new() -> EvalCache {
        EvalCache(vec![0; CACHE_ENTRIES].into_boxed_slice())
    }

    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    #[inline(always)]
    fn index(key: u64) -> usize {
        key as usize % CACHE_ENTRIES
    }

    /// Prefetches the entry of `key` for [`EvalCache::get_or_insert`].
    #[inline(always)]
    pub fn prefetch(&self, key: u64) {
        prefetch(&self.0[EvalCache::index(key)]);
    }

    /// Returns the value of the position with this key, evaluated now unless it is cached.
    #[inline(always)]
    pub fn get_or_insert(&mut self, key: u64, evaluate: impl FnOnce() -> Value) -> Value {
        let entry = &mut self.0[EvalCache::index(key)];
        if (*entry ^ key) & !VALUE_BITS == 0 {
            return Value::from(*entry as i16);
        }
        let value = evaluate();
        *entry = key & !VALUE_BITS | u64::from(value as i16 as u16);
        value
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::types::score::{EVALUATION_LIMIT, mate_in};

    #[test]
    fn the_expected_score_lies_between_the_previous_one_and_the_running_average() {
        let mut root = RootMove::new(Move::NONE);
        assert_eq!(root.expected_score(50), None);
        let mut expected_after = |score: Value| {
            root.update_average(score);
            root.previous_score = score;
            [0, 50, 100].map(|percent| root.expected_score(percent).unwrap())
        };
        assert_eq!(expected_after(40), [40, 40, 40]);
        assert_eq!(expected_after(80), [80, 70, 60]);
        assert_eq!(expected_after(20), [20, 30, 40]);
        // A mate is no part of an average.
        assert_eq!(expected_after(mate_in(5)), [mate_in(5); 3]);
        assert_eq!(expected_after(30), [30; 3]);
        // Nor is a mate that was proved beside the search.
        root.previous_score = mate_in(3);
        assert_eq!(root.expected_score(60), Some(mate_in(3)));
    }

    #[test]
    fn the_cache_never_returns_the_value_of_another_position() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut cache = EvalCache::new();
        let value_of = |key: u64| (key >> 20) as Value % (EVALUATION_LIMIT + 1) * if key & 1 == 0 { 1 } else { -1 };
        // Few indices, so that keys collide.
        let keys: Vec<u64> = (0..64).map(|_| rng.random::<u64>() & !0x1FF0).collect();
        let mut evaluated = 0;
        for _ in 0..10_000 {
            let key = keys[rng.random_range(0..keys.len())];
            let mut get = || {
                cache.get_or_insert(key, || {
                    evaluated += 1;
                    value_of(key)
                })
            };
            assert_eq!((get(), get()), (value_of(key), value_of(key)));
        }
        assert!((64..10_000).contains(&evaluated), "{evaluated} of 20,000");
        cache.clear();
        assert_eq!(cache.get_or_insert(keys[0], || 77), 77);
    }
}
