//! One thread of a search: what it owns, and the calls that start and stop it.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::correction::Correction;
use super::eval_cache::EvalCache;
use super::history::{Continuation, History};
use super::limits::Limits;
use super::margins::Reductions;
use super::params::Params;
use super::report::{Outcome, Reporter};
use super::shared::Shared;
use super::stack::{Frame, Line};
use super::time::Budget;
use super::transposition::Bound;
use crate::eval::network::Network;
use crate::eval::{EvalConfig, Evaluator};
use crate::position::{CheckInfo, Position};
use crate::rules::{MoveCount, MoveFacts, RepetitionFilter, Rules};
use crate::tablebase::Tablebases;
use crate::types::score::{INFINITE, MAX_PLY, clamp_evaluation};
use crate::types::{Move, Value};

/// The stack that a searching thread needs, in bytes: [`MAX_PLY`] nodes with their move lists.
pub const STACK_SIZE: usize = 32 << 20;

/// A root move and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub mv: Move,
    /// The value in this iteration; −infinite for moves that failed low.
    pub score: Value,
    /// The value in the iteration before.
    pub earlier_score: Value,
    /// Nodes spent below it in the whole search.
    pub nodes: u64,
    pub line: Line,
}

/// A bounded random change of every evaluation, for variety.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EvalNoise {
    /// The largest change in centipawns; 0 for none.
    pub amplitude: Value,
    /// Which changes: the same seed gives the same search.
    pub seed: u64,
}

/// What a thread is there for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// It obeys the limits and its result counts.
    Decides,
    /// It searches the same position until the other has finished, for what it leaves in the table.
    Helps,
}

/// The state of one searching thread. It outlives its searches, so that histories carry over from move to move.
pub struct Worker {
    pub(super) shared: Arc<Shared>,
    pub(super) position: Position,
    pub(super) rules: Rules,
    /// The positions of the game and of the line under examination that may occur again.
    pub(super) occurrences: RepetitionFilter,
    /// What positions are worth to this engine.
    pub(super) evaluator: Evaluator,
    pub(super) history: History,
    pub(super) correction: Correction,
    evaluations: EvalCache,
    pub(super) frames: Vec<Frame>,
    pub(super) root_moves: Vec<RootMove>,
    /// The move that the iteration under way has found better than all before it, and better than the lower end of its
    /// window.
    pub(super) promising: Option<Move>,
    /// Which of the best lines is searched for, 0 for the very best. Root moves before it have theirs already.
    pub(super) place: usize,
    pub(super) limits: Limits,
    pub(super) budget: Option<Budget>,
    pub(super) start: Instant,
    pub(super) nodes: u64,
    /// How many of them a helper has told of.
    nodes_told: u64,
    pub(super) selective_depth: usize,
    pub(super) root_depth: usize,
    /// No null move is tried nearer to the root than this: one is being verified.
    pub(super) null_move_from: usize,
    pub(super) stopped: bool,
    /// Not all root moves are allowed.
    pub(super) is_restricted: bool,
    /// What the score of the outcome is to its true value.
    pub(super) outcome_bound: Bound,
    /// Keeps what is found while not all root moves are allowed, or with an opinion of one's own, apart in the table:
    /// it does not hold otherwise.
    pub(super) ban_key: u64,
    pub(super) noise: EvalNoise,
    /// Tables of endings to look positions up in.
    pub(super) endings: Option<Arc<Tablebases>>,
    /// How many positions of the search they knew.
    pub(super) tbhits: u64,
    pub(super) params: Params,
    /// What follows from the parameters.
    pub(super) reductions: Reductions,
    pub(super) outcome: Outcome,
    pub(super) role: Role,
}

impl Worker {
    /// A thread with empty histories.
    ///
    /// # Errors
    /// When there is no memory for them.
    pub fn new(shared: Arc<Shared>) -> io::Result<Worker> {
        let position = Position::start();
        let frame = Frame::new(CheckInfo::new(&position));
        Ok(Worker {
            evaluator: Evaluator::new(&position),
            position,
            rules: Rules::default(),
            occurrences: RepetitionFilter::new(),
            shared,
            history: History::new()?,
            correction: Correction::new(),
            evaluations: EvalCache::new(),
            frames: vec![frame; MAX_PLY + 2],
            root_moves: Vec::new(),
            promising: None,
            place: 0,
            limits: Limits::default(),
            budget: None,
            start: Instant::now(),
            nodes: 0,
            nodes_told: 0,
            selective_depth: 0,
            root_depth: 0,
            null_move_from: 0,
            stopped: false,
            is_restricted: false,
            outcome_bound: Bound::Exact,
            ban_key: 0,
            noise: EvalNoise::default(),
            endings: None,
            tbhits: 0,
            params: Params::default(),
            reductions: Reductions::of(&Params::default()),
            outcome: Outcome::default(),
            role: Role::Decides,
        })
    }

    /// From now on searches with this table and these signals.
    pub fn set_shared(&mut self, shared: Arc<Shared>) {
        self.shared = shared;
    }

    /// Forgets what earlier searches learned about moves.
    pub fn clear(&mut self) {
        self.history.clear();
        self.correction.clear();
    }

    /// From now on evaluations are changed by this much.
    pub fn set_noise(&mut self, noise: EvalNoise) {
        self.noise = noise;
    }

    /// From now on has this opinion of positions.
    pub fn set_eval_config(&mut self, eval_config: EvalConfig) {
        if *self.evaluator.config() != eval_config {
            self.evaluator.set_config(eval_config);
            self.evaluations.clear();
        }
    }

    /// From now on asks this network what positions are worth.
    pub fn set_network(&mut self, network: Arc<Network>) {
        if !Arc::ptr_eq(self.evaluator.network(), &network) {
            self.evaluator.set_network(network);
            self.evaluations.clear();
        }
    }

    /// From now on looks endings up in these tables, or in none.
    pub fn set_endings(&mut self, endings: Option<Arc<Tablebases>>) {
        self.endings = endings;
    }

    /// From now on searches by these numbers.
    pub fn set_params(&mut self, params: Params) {
        if self.params != params {
            self.params = params;
            self.reductions = Reductions::of(&params);
        }
    }

    /// From now on plays under these rules.
    pub fn set_rules(&mut self, rules: Rules) {
        self.rules = rules;
    }

    /// Searches `position` within `limits` and tells `reporter` of every iteration.
    ///
    /// The shared signal must have been armed for this search (see [`super::Signal::arm`]); an order to stop that came
    /// since then is obeyed, but a first iteration is finished if that takes a moment only. There is a move whenever
    /// one is legal and not banned. A panic inside the search is caught and logged, and the last finished iteration
    /// stands.
    pub fn run(&mut self, position: &Position, limits: &Limits, reporter: &mut dyn Reporter) -> Outcome {
        self.role = Role::Decides;
        self.search_safely(position, limits, reporter);
        self.shared.signal().set_over();
        self.shared.signal().set_root_move(Move::NONE);
        self.outcome.score = self.told(&self.outcome);
        self.outcome.nodes = self.all_nodes();
        self.outcome.elapsed = self.start.elapsed();
        std::mem::take(&mut self.outcome)
    }

    /// Searches the same position as another worker of the same [`Shared`] that runs at the same time, until that has
    /// finished. What it found is kept, see [`Worker::outcome`].
    pub(super) fn help(&mut self, position: &Position, limits: &Limits) {
        self.role = Role::Helps;
        // What ends the other ends this one.
        let limits = Limits {
            depth: None,
            nodes: None,
            soft_nodes: None,
            mate: None,
            move_time: None,
            clock: None,
            infinite: true,
            ..limits.clone()
        };
        self.search_safely(position, &limits, &mut ());
        self.outcome.score = self.told(&self.outcome);
    }

    /// The score of an outcome within what is known of its move.
    fn told(&self, outcome: &Outcome) -> Value {
        outcome.best().map_or(outcome.score, |mv| self.limits.told(mv, outcome.score))
    }

    /// As if it had not searched yet: one that gets no thread must not vote for a move of another position.
    pub(super) fn forget_result(&mut self) {
        self.outcome = Outcome::default();
        self.nodes = 0;
    }

    /// What the last search as a helper found.
    pub(super) fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// The nodes of the last search.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }

    fn search_safely(&mut self, position: &Position, limits: &Limits, reporter: &mut dyn Reporter) {
        let searched = catch_unwind(AssertUnwindSafe(|| {
            self.prepare(position, limits);
            self.iterate(reporter);
        }));
        if searched.is_err() {
            log::error!("the search failed at iteration {}; its last result is used", self.root_depth);
            // What led to the failure may lie in there.
            self.clear();
        }
    }

    /// The nodes of all threads, those of helpers with some delay.
    #[inline]
    pub(super) fn all_nodes(&self) -> u64 {
        self.nodes + self.shared.signal().helper_nodes()
    }

    fn prepare(&mut self, position: &Position, limits: &Limits) {
        self.position = position.clone();
        self.evaluator.reset(position);
        self.limits = limits.clone();
        self.budget = Budget::of(limits);
        self.start = self.shared.signal().start();
        self.nodes = 0;
        self.nodes_told = 0;
        self.tbhits = 0;
        self.selective_depth = 0;
        self.root_depth = 0;
        self.null_move_from = 0;
        self.stopped = false;
        let is_allowed = |mv: &Move| {
            !limits.banned_moves.contains(mv) && (limits.search_moves.is_empty() || limits.search_moves.contains(mv))
        };
        let (allowed, excluded): (Vec<Move>, Vec<Move>) = position.legal_moves().into_iter().partition(is_allowed);
        let mix = |key: u64, mv: &Move| (key ^ u64::from(mv.bits())).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.is_restricted = !excluded.is_empty();
        self.ban_key = excluded.iter().fold(self.evaluator.config().key(), mix);
        self.place = 0;
        let history = position.history();
        let reversible = &history[history.len() - position.reversible_plies()..];
        self.occurrences.reset(reversible.iter().map(|played| played.key));
        let suspects = CheckInfo::new(position);
        let count = MoveCount::new(self.rules.set, position);
        for frame in &mut self.frames {
            frame.suspects = suspects;
            frame.count = count;
            frame.killers = [Move::NONE; 2];
            frame.excluded = Move::NONE;
            frame.evaluation = Frame::NO_EVALUATION;
            frame.continuation = Continuation::NONE;
            frame.line.clear();
        }
        self.root_moves = allowed
            .into_iter()
            .map(|mv| RootMove { mv, score: -INFINITE, earlier_score: -INFINITE, nodes: 0, line: Line::default() })
            .collect();
        // Should the search fail before its first iteration ends, any legal move is better than none.
        self.outcome =
            Outcome { line: self.root_moves.iter().take(1).map(|root| root.mv).collect(), ..Outcome::default() };
    }

    /// The static evaluation of the current position for its side to move.
    #[inline]
    pub(super) fn evaluate(&mut self) -> Value {
        let (position, evaluator) = (&self.position, &mut self.evaluator);
        let value = self.evaluations.get_or(position.key(), || evaluator.evaluate(position));
        if self.noise.amplitude == 0 {
            return value;
        }
        // A hash of the key, so that a position keeps its change for the whole search.
        let mixed = (self.position.key() ^ self.noise.seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        let width = 2 * self.noise.amplitude + 1;
        clamp_evaluation(value + (mixed as Value % width) - self.noise.amplitude)
    }

    /// Plays a legal move at `ply`.
    #[inline]
    pub(super) fn make(&mut self, mv: Move, ply: usize) {
        let piece = self.position.piece_on(mv.from()).expect("a legal move moves a man");
        let captures = self.position.piece_on(mv.to()).is_some();
        self.occurrences.enter(self.position.key());
        let key = self.position.key_after(mv);
        self.shared.table.prefetch(key ^ self.ban_key);
        self.evaluations.prefetch(key);
        self.frames[ply].mv = mv;
        self.frames[ply].continuation = Continuation::new(piece, mv.to());
        self.position.make_observed(mv, &mut self.evaluator);
        let suspects = CheckInfo::new(&self.position);
        self.frames[ply + 1].suspects = suspects;
        self.frames[ply + 1].count = if captures {
            MoveCount::default()
        } else {
            let here = &self.frames[ply];
            let (gives_check, answers_check) = (suspects.in_check(), here.suspects.in_check());
            here.count.after(self.rules.set, MoveFacts { side: piece.side(), gives_check, answers_check })
        };
        self.nodes += 1;
    }

    /// Takes back the last move.
    #[inline]
    pub(super) fn unmake(&mut self) {
        self.position.unmake_observed(&mut self.evaluator);
        self.occurrences.leave(self.position.key());
    }

    /// Passes at `ply`. The side to move is not in check.
    pub(super) fn make_null(&mut self, ply: usize) {
        self.frames[ply].mv = Move::NONE;
        self.frames[ply].continuation = Continuation::NONE;
        self.occurrences.enter(self.position.key());
        self.position.make_null(&mut self.evaluator);
        self.shared.table.prefetch(self.position.key() ^ self.ban_key);
        self.frames[ply + 1].suspects = CheckInfo::new(&self.position);
        self.frames[ply + 1].count = self.frames[ply].count;
    }

    /// The moves one and two plies before `ply` as keys of continuation history.
    #[inline]
    pub(super) fn before(&self, ply: usize) -> [Continuation; 2] {
        let at = |back: usize| ply.checked_sub(back).map_or(Continuation::NONE, |at| self.frames[at].continuation);
        [at(1), at(2)]
    }

    /// Whether the search must end now. Asks the clock only once in a while.
    #[inline]
    pub(super) fn must_stop(&mut self) -> bool {
        /// Nodes between two looks at the clock: well under a millisecond.
        const LOOK_EVERY: u64 = 512;
        /// What a first iteration may take whatever the limits: some milliseconds.
        const FIRST_ITERATION_NODES: u64 = 5_000;
        if self.stopped {
            return true;
        }
        if self.role == Role::Helps {
            if self.nodes - self.nodes_told >= LOOK_EVERY {
                self.shared.signal().add_helper_nodes(self.nodes - self.nodes_told);
                self.nodes_told = self.nodes;
            }
            self.stopped = self.shared.signal().is_over();
            return self.stopped;
        }
        // A first iteration is worth waiting for, unless the captures of a crowded board never end.
        if self.outcome.depth == 0 && self.nodes < FIRST_ITERATION_NODES {
            return false;
        }
        self.stopped = self.shared.signal().is_stopped()
            || self.limits.nodes.is_some_and(|limit| self.all_nodes() >= limit)
            || (self.nodes.is_multiple_of(LOOK_EVERY) && self.is_out_of_time());
        self.stopped
    }

    fn is_out_of_time(&self) -> bool {
        let is_over = |(budget, elapsed): (Budget, Duration)| elapsed >= budget.maximum || self.has_only_move();
        self.budget.zip(self.on_clock()).is_some_and(is_over)
    }

    /// Whether there is nothing to choose.
    pub(super) fn has_only_move(&self) -> bool {
        self.root_moves.len() == 1
    }

    /// How long this move's clock has run; `None` while pondering.
    pub(super) fn on_clock(&self) -> Option<Duration> {
        self.shared.signal().on_clock(self.start.elapsed())
    }
}
