//! One engine: position, options, search, book, tablebases and network. The only owner of configuration.
//!
//! Front ends drive an [`Engine`] and receive results through [`crate::search::Reporter`].

pub mod bench;
mod book;
mod game;
mod learning;
mod options;
mod pruning;
mod request;
mod search_pool;
mod setup;
mod skill;
mod style;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use thiserror::Error;

pub use book::BookChoice;
pub use game::Offer;
pub use learning::{LearnedGame, MoveSource};

/// Returns the names of files or folders in an option that takes several, separated by `;`.
fn split_names(value: &str) -> impl Iterator<Item = &str> {
    value.split(';').map(str::trim).filter(|name| !name.is_empty())
}

#[cfg(test)]
pub(crate) use options::OPTIONS;
pub use options::{DEFAULT_HASH_MEGABYTES, MAX_HASH_MEGABYTES, MAX_MULTI_PV, Options, Variety};
pub(crate) use options::{EngineOption, OptionEffect, OptionKind, parse_bool, saturating_number};
pub use pruning::Pruning;
pub use setup::read_network;
pub use skill::{FULL_SKILL, MIN_SKILL};
pub use style::Style;

use crate::eval::network::Network;
use crate::eval::{EvalConfig, EvalNoise, Evaluator};
use crate::position::Position;
use crate::search::{
    AllocationError, BaseReductions, Collector, Entry, Limits, Outcome, ParameterError, Params, Reporter, STACK_SIZE,
    SearchConfig, SearchSignals, TranspositionTable,
};
use crate::solver::SolverMemoryError;
use crate::tablebase::Tablebases;
use crate::types::score::DRAW;
use crate::types::{Move, Value};
use crate::util::cancel::CancelFlag;
use crate::util::host::{Duration, HAS_THREADS, Instant};
use crate::util::parallel::JobThread;
use book::BookSet;
use game::{DrawResignPolicy, GameContinuity};
use learning::GameTracker;
use request::SearchRequest;
use search_pool::SearchPool;
use style::{Situation, StyleState};

/// Error of an engine.
#[allow(missing_docs, reason = "the messages say it")]
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EngineError {
    /// There is no such option, or it does not take this value.
    #[error("{0}")]
    Option(String),
    #[error("searchparams: {0}")]
    Parameter(#[from] ParameterError),
    #[error("{0}; choose a smaller hash size")]
    Memory(#[from] AllocationError),
    #[error("{0}; choose a smaller hash size")]
    Solver(#[from] SolverMemoryError),
    #[error("no memory to search with: {0}; free memory or choose fewer threads")]
    Histories(String),
    /// Books, tablebases or a network that cannot be used, each with the reason, and what is used instead.
    #[error("{0}")]
    Files(String),
    #[error("a search is running; stop it first")]
    Busy,
    #[error("cannot start a thread for the search: {0}; choose fewer threads or allow more processes")]
    Thread(String),
    #[error("the search failed and has no result")]
    NoResult,
}

/// An engine with one game.
pub struct Engine {
    position: Position,
    banned_moves: Vec<Move>,
    options: Options,
    params: Params,
    /// `params` with the pruning level of the options, and what follows from them.
    search_params: Params,
    reductions: Arc<BaseReductions>,
    /// Random change of evaluations, the same throughout a game.
    noise: EvalNoise,
    table: Arc<TranspositionTable>,
    signals: Arc<SearchSignals>,
    /// No search has written to the transposition table since it was cleared or allocated.
    is_table_clear: bool,
    statistics: Collector,
    /// Helper threads and the data of all threads. A search in the background has it until the search is over.
    pool: Option<SearchPool>,
    /// Thread of all searches but those on the caller's thread; started by the first of them.
    main_thread: Option<JobThread>,
    /// Thread that backs the table by memory, and what ends its work.
    memory_thread: Option<JobThread>,
    backing: CancelFlag,
    running: Option<Receiver<Finished>>,
    /// The longest time by which a search of this game exceeded its share of the clock.
    overrun: Duration,
    style_state: StyleState,
    /// Part of the table keys of the last search ([`SearchConfig::table_salt`]).
    table_salt: u64,
    /// Value of a draw in the last search for the side to move at its root, in centipawns.
    draw_value: Value,
    books: BookSet,
    tablebases: Option<Arc<Tablebases>>,
    network: Arc<Network>,
    game: GameTracker,
    /// State of the draw and resign policy before and after each of the last own moves.
    offers: GameContinuity<[DrawResignPolicy; 2]>,
}

impl Engine {
    /// An engine at the start position with default options, if there is memory for it.
    pub fn new() -> Result<Engine, EngineError> {
        Engine::with_hash(DEFAULT_HASH_MEGABYTES)
    }

    /// The same with a transposition table of this many megabytes.
    pub fn with_hash(megabytes: usize) -> Result<Engine, EngineError> {
        let params = Params::default();
        Ok(Engine {
            position: Position::start(),
            banned_moves: Vec::new(),
            options: Options { hash_megabytes: megabytes, ..Options::default() },
            params,
            search_params: params,
            reductions: Arc::new(BaseReductions::new(&params)),
            noise: EvalNoise::default(),
            table: Arc::new(TranspositionTable::new(megabytes)?),
            signals: Arc::default(),
            is_table_clear: true,
            statistics: Collector::default(),
            pool: Some(new_pool(1)?),
            main_thread: None,
            memory_thread: None,
            backing: CancelFlag::default(),
            running: None,
            overrun: Duration::ZERO,
            style_state: StyleState::default(),
            table_salt: EvalConfig::default().key(),
            draw_value: DRAW,
            books: BookSet::Embedded,
            tablebases: None,
            network: Network::embedded(),
            game: GameTracker::default(),
            offers: GameContinuity::default(),
        })
    }

    /// Has the system provide the memory of transposition table and histories before a search needs it: that of the
    /// table in the background, between searches. Options that change their sizes do this too.
    pub fn back_memory(&mut self) {
        let Some(pool) = self.pool.as_mut().filter(|_| self.running.is_none()) else { return };
        pool.threads.back();
        // It has begun, or is done.
        if self.memory_thread.is_some() && !self.backing.is_cancelled() {
            return;
        }
        self.backing = CancelFlag::default();
        let (table, cancel) = (Arc::clone(&self.table), self.backing.clone());
        self.memory_thread = self.memory_thread.take().or_else(|| JobThread::spawn("memory", 1 << 20).ok());
        self.when_ready(move || table.back(&cancel));
    }

    /// Calls `ready` once the memory is there or a search has begun, on any thread.
    pub fn when_ready(&self, ready: impl FnOnce() + Send + 'static) {
        match &self.memory_thread {
            Some(thread) => thread.run(ready),
            None => ready(),
        }
    }

    /// The position that the next search starts from.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The options in force.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Root moves that the next search may not play.
    pub fn banned_moves(&self) -> &[Move] {
        &self.banned_moves
    }

    /// Sets the position and lifts all bans.
    pub fn set_position(&mut self, position: Position) {
        self.position = position;
        self.banned_moves.clear();
    }

    /// Forbids a root move until the next position is set. Returns whether it is legal; nothing happens otherwise.
    pub fn ban(&mut self, mv: Move) -> bool {
        let is_legal = self.position.can_play(mv);
        if is_legal && !self.banned_moves.contains(&mv) {
            self.banned_moves.push(mv);
        }
        is_legal
    }

    /// Returns `true` if a search in the background runs, or has ended without a call of [`Engine::wait`] since.
    pub fn is_busy(&self) -> bool {
        self.running.is_some()
    }

    /// Searches the position and returns the result. The search runs on the engine's main thread, `reporter` on the
    /// calling one; its panic stops the search, and the result of the last finished iteration is returned. Fails while
    /// a search runs in the background, if the system grants no thread, and after a panic outside the iterations.
    pub fn search(&mut self, limits: &Limits, reporter: &mut dyn Reporter) -> Result<Outcome, EngineError> {
        if !HAS_THREADS {
            return self.search_on_current_thread(limits, reporter);
        }
        let (reports, received) = channel();
        let (results, result) = channel();
        let finish = move |outcome| drop(results.send(outcome));
        self.launch(limits, ReportSender(reporter.wants_reports().then_some(reports)), false, finish)?;
        let mut is_failed = false;
        for report in received {
            if !is_failed && catch_unwind(AssertUnwindSafe(|| reporter.report(&report))).is_err() {
                log::error!("the reporter of a search failed; the search is stopped");
                is_failed = true;
                self.stop();
            }
        }
        let outcome = result.recv();
        self.wait();
        outcome.map_err(|_| EngineError::NoResult)
    }

    /// The same as [`Engine::search`] on the calling thread, which must have a stack of
    /// [`STACK_SIZE`] to spare: for searches so short that a change of thread for each would cost too much.
    pub fn search_on_current_thread(
        &mut self,
        limits: &Limits,
        reporter: &mut dyn Reporter,
    ) -> Result<Outcome, EngineError> {
        let mut request = self.prepare(limits)?;
        let pool = self.pool.as_mut().ok_or(EngineError::Busy)?;
        let outcome = request.run(pool, reporter);
        pool.threads.collect();
        self.adopt_situation(request.situation);
        Ok(outcome)
    }

    /// Starts a search in the background and returns at once. `finished` is called on its thread when the result may be
    /// given out: an infinite search waits for [`Engine::stop`] even after its end (but for a proved mate), and a
    /// pondering one for [`Engine::ponder_hit`] or [`Engine::stop`]. If the search panics outside its iterations, its
    /// result is the first legal move that is allowed, without a score.
    pub fn start(
        &mut self,
        limits: &Limits,
        reporter: impl Reporter + Send + 'static,
        finished: impl FnOnce(Outcome) + Send + 'static,
    ) -> Result<(), EngineError> {
        self.launch(limits, reporter, true, finished)
    }

    /// Starts a search on the main thread. With `waits` the result is held back, and replaced if the search panics, as
    /// [`Engine::start`] says; otherwise `finished` is not called after a panic.
    fn launch(
        &mut self,
        limits: &Limits,
        mut reporter: impl Reporter + Send + 'static,
        waits: bool,
        finished: impl FnOnce(Outcome) + Send + 'static,
    ) -> Result<(), EngineError> {
        let mut request = self.prepare(limits)?;
        let thread = match &mut self.main_thread {
            Some(thread) => thread,
            none => none.insert(
                JobThread::spawn("search", STACK_SIZE).map_err(|error| EngineError::Thread(error.to_string()))?,
            ),
        };
        let mut pool = self.pool.take().ok_or(EngineError::Busy)?;
        let (sender, receiver) = channel();
        thread.run(move || {
            let result = catch_unwind(AssertUnwindSafe(|| request.run(&mut pool, &mut reporter)));
            drop(reporter);
            // After a panic the pool is dropped.
            let pool = result.is_ok().then_some(pool);
            if pool.is_none() {
                log::error!("the search failed");
            }
            let (overrun, situation) = (request.overrun(), request.situation);
            // A client waits for a move, whatever happens.
            let any_move = || Outcome {
                line: Vec::from_iter(any_move(&request.config.position, &request.config.limits)),
                ..Outcome::default()
            };
            if let Some(outcome) = result.ok().or_else(|| waits.then(any_move)) {
                if waits {
                    request.config.signals.wait(request.must_wait_for_stop(&outcome));
                }
                finished(outcome);
            }
            // Before the end is known, so that the memory of the table can be given back then.
            drop(request);
            // Received by `wait`, unless the engine is gone.
            if let Some(mut pool) = pool {
                pool.threads.collect();
                let _ = sender.send(Finished { pool, overrun, situation });
            }
        });
        self.running = Some(receiver);
        Ok(())
    }

    /// Stops a running search. Its result still comes through `finished`.
    pub fn stop(&self) {
        self.signals.stop();
    }

    /// A handle that stops searches of this engine from elsewhere, such as another thread.
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle(Arc::clone(&self.signals))
    }

    /// Ends pondering: the predicted move was played, and the clock counts as started at this time.
    pub fn ponder_hit(&self, at: Instant) {
        self.signals.ponder_hit_at(at);
    }

    /// The root move that is being searched.
    pub fn root_move(&self) -> Option<Move> {
        self.signals.root_move().filter(|_| self.is_busy())
    }

    /// Waits for the end of a search in the background.
    pub fn wait(&mut self) {
        // A panic outside the search destroys the pool with its histories; the next search makes another.
        if let Some(Ok(finished)) = self.running.take().map(|running| running.recv()) {
            self.pool = Some(finished.pool);
            self.overrun = self.overrun.max(finished.overrun);
            self.adopt_situation(finished.situation);
            if self.memory_thread.is_some() {
                self.back_memory();
            }
        }
    }

    fn adopt_situation(&mut self, situation: Option<Situation>) {
        situation.into_iter().for_each(|situation| self.style_state.update(situation));
    }

    /// Returns a move without a search: the first legal one that these limits and the banned moves allow.
    pub fn any_move(&self, limits: &Limits) -> Option<Move> {
        any_move(&self.position, &Limits { banned_moves: self.banned_moves.clone(), ..limits.clone() })
    }

    /// Builds the configuration of a search, which must follow, and resets the signals.
    fn prepare(&mut self, limits: &Limits) -> Result<SearchRequest, EngineError> {
        if self.is_busy() {
            return Err(EngineError::Busy);
        }
        if self.pool.is_none() {
            self.pool = Some(new_pool(self.options.threads)?);
            self.new_game();
        }
        // The search has the processors to itself.
        self.backing.cancel();
        let (options, position) = (&self.options, &self.position);
        let config = SearchConfig {
            position: position.clone(),
            limits: limits.clone(),
            rules: options.rules(),
            params: self.search_params,
            reductions: Arc::clone(&self.reductions),
            eval: self.style_state.eval_config(options.knowledge, options.style, position),
            network: Arc::clone(&self.network),
            noise: self.noise,
            tablebases: self.tablebases.clone(),
            table: Arc::clone(&self.table),
            signals: Arc::clone(&self.signals),
            statistics: self.statistics.clone(),
        };
        let situation = (options.style == Style::Dynamic).then(|| self.style_state.situation(position));
        // Tablebases are read for the root moves, which is a part of the time for the move.
        self.signals.reset_at(limits.ponder, limits.start.unwrap_or_else(Instant::now));
        let request = SearchRequest::new(config, options, &self.banned_moves, self.overrun, situation);
        (self.table_salt, self.draw_value) = (request.config.table_salt(), request.config.limits.draw_value());
        self.table.new_search();
        self.is_table_clear = false;
        Ok(request)
    }

    /// Returns a book move for this search, if books are used for it. Searches never use a book.
    pub fn book_move(&self, limits: &Limits) -> Option<BookChoice> {
        self.books.choose(&self.position, limits, &self.banned_moves, &self.options)
    }

    /// Returns the static evaluation in centipawns for the side to move, with the knowledge and style of the options.
    pub fn evaluate(&self) -> Value {
        let config = self.style_state.clone().eval_config(self.options.knowledge, self.options.style, &self.position);
        Evaluator::value_of(&self.position, &self.network, config)
    }

    /// The network of the evaluation.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Returns the transposition table entry of a position, stored with style, contempt and root moves of the last
    /// search.
    pub fn probe(&self, position: &Position) -> Option<Entry> {
        self.table.probe(position.key() ^ self.table_salt)
    }
}

/// Handle to stop the searches of an engine. It stays valid when the transposition table is resized.
#[derive(Clone)]
pub struct StopHandle(Arc<SearchSignals>);

impl StopHandle {
    /// Stops a running search as soon as possible.
    pub fn stop(&self) {
        self.0.stop();
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stop();
        self.wait();
        // After the wait, which begins it again.
        self.backing.cancel();
    }
}

struct Finished {
    pool: SearchPool,
    /// Time by which it exceeded its share of the clock.
    overrun: Duration,
    situation: Option<Situation>,
}

/// Reporter that sends its reports to the thread that called [`Engine::search`], unless they are not wanted there.
struct ReportSender(Option<Sender<Outcome>>);

impl Reporter for ReportSender {
    fn report(&mut self, report: &Outcome) {
        if let Some(sender) = &self.0 {
            // The receiver waits for the end of the search.
            let _ = sender.send(report.clone());
        }
    }

    fn wants_reports(&self) -> bool {
        self.0.is_some()
    }
}

fn any_move(position: &Position, limits: &Limits) -> Option<Move> {
    position.legal_moves().into_iter().find(|&mv| limits.allows(mv))
}

fn new_pool(threads: usize) -> Result<SearchPool, EngineError> {
    SearchPool::new(threads).map_err(|error| EngineError::Histories(error.to_string()))
}
