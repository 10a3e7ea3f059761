//! One engine: a position, what its searches share, and its options. The only owner of configuration.
//!
//! Front ends of every kind (protocols, the command line, tests) drive an [`Engine`] and listen through
//! [`crate::search::Reporter`]; the engine knows none of them.

pub mod bench;
mod book;
mod continuity;
mod draw_resign;
mod error;
mod learning;
mod network;
mod option_values;
mod options;
mod parse;
mod pruning;
mod request;
mod setup;
mod skill;
mod style;
mod tablebases;

use std::sync::Arc;
use std::thread::JoinHandle;

pub use book::{BookChoice, BookOptions, Variety};
pub use continuity::MoveContinuity;
pub use draw_resign::Claim;
pub use error::EngineError;
pub use learning::{LearnedGame, MoveSource};
pub use network::{NetworkFileError, read_network};
pub use option_values::{Coordinates, DEFAULT_HASH_MEGABYTES, Options, Randomness};
pub use options::{EngineOption, MAX_HASH_MEGABYTES, MAX_MULTI_PV, OPTIONS, OptionEffect, OptionError, OptionKind};
pub use parse::saturating_number;
pub use pruning::Pruning;
pub use skill::FULL_SKILL;
pub use style::Style;
pub use tablebases::TablebaseOptions;

use crate::eval::network::Network;
use crate::eval::{EvalConfig, Evaluator};
use crate::position::Position;
use crate::search::{Entry, Limits, Outcome, Params, Pool, Reporter, STACK_SIZE, Shared, Table};
use crate::tablebase::Tablebases;
use crate::types::{Move, Value};
use book::{BookQuery, BookSet};
use draw_resign::DrawResignPolicy;
use learning::GameTracker;
use request::Task;
use style::StyleState;

/// An engine with one game.
pub struct Engine {
    position: Position,
    banned: Vec<Move>,
    options: Options,
    params: Params,
    shared: Arc<Shared>,
    /// At home between searches.
    pool: Option<Pool>,
    running: Option<JoinHandle<Pool>>,
    /// What the style makes of the game.
    situation: StyleState,
    /// The opinion of positions in the last search.
    eval_config: EvalConfig,
    books: BookSet,
    endings: Option<Arc<Tablebases>>,
    network: Arc<Network>,
    /// Game so far, for book learning.
    game: GameTracker,
    /// State of the draw and resign policy before and after each of the last own moves.
    claims: MoveContinuity<[DrawResignPolicy; 2]>,
}

impl Engine {
    /// An engine at the start position with default options.
    ///
    /// # Errors
    /// When there is no memory for the default table.
    pub fn new() -> Result<Engine, EngineError> {
        Engine::with_hash(DEFAULT_HASH_MEGABYTES)
    }

    /// The same with a table of this many megabytes.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn with_hash(megabytes: usize) -> Result<Engine, EngineError> {
        let shared = Arc::new(Shared::new(Table::new(megabytes)?));
        Ok(Engine {
            position: Position::start(),
            banned: Vec::new(),
            options: Options { hash_megabytes: megabytes, ..Options::default() },
            params: Params::default(),
            pool: Some(new_pool(&shared, 1)?),
            shared,
            running: None,
            situation: StyleState::default(),
            eval_config: EvalConfig::default(),
            books: BookSet::embedded(),
            endings: None,
            network: Network::embedded(),
            game: GameTracker::default(),
            claims: MoveContinuity::default(),
        })
    }

    /// The position that the next search starts from.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The options in force.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The moves that the next search may not play.
    pub fn banned(&self) -> &[Move] {
        &self.banned
    }

    /// Sets the position and lifts all bans.
    pub fn set_position(&mut self, position: Position) {
        self.position = position;
        self.banned.clear();
    }

    /// Forbids a root move until the next position is set. Returns whether it is legal; nothing happens otherwise.
    pub fn ban(&mut self, mv: Move) -> bool {
        let is_legal = self.position.can_play(mv);
        if is_legal && !self.banned.contains(&mv) {
            self.banned.push(mv);
        }
        is_legal
    }

    /// Whether a search runs (or its result was not yet fetched by [`Engine::wait`]).
    pub fn is_busy(&self) -> bool {
        self.running.is_some()
    }

    /// Searches the position and returns when that is done. The search runs on a thread of its own, since it needs more
    /// stack than the caller may have.
    ///
    /// # Errors
    /// [`EngineError::Busy`] while a search runs in the background, [`EngineError::Thread`] when there is no thread for
    /// this one.
    pub fn search(&mut self, limits: &Limits, reporter: &mut (dyn Reporter + Send)) -> Result<Outcome, EngineError> {
        let task = self.prepare(limits)?;
        let pool = self.pool.as_mut().ok_or(EngineError::Busy)?;
        let position = &self.position;
        let thread_error = |error: std::io::Error| EngineError::Thread(error.to_string());
        std::thread::scope(|scope| {
            let thread = search_thread().spawn_scoped(scope, || task.run(pool, position, reporter));
            let failed = || EngineError::Thread("it ended without a result".into());
            thread.map_err(thread_error)?.join().map_err(|_| failed())
        })
    }

    /// The same as [`Engine::search`] on the calling thread, which must have a stack of [`STACK_SIZE`] to spare: for
    /// those who search so often that a thread for each search would cost too much.
    ///
    /// # Errors
    /// [`EngineError::Busy`] while a search runs in the background.
    pub fn search_on_current_thread(
        &mut self,
        limits: &Limits,
        reporter: &mut dyn Reporter,
    ) -> Result<Outcome, EngineError> {
        let task = self.prepare(limits)?;
        let pool = self.pool.as_mut().ok_or(EngineError::Busy)?;
        Ok(task.run(pool, &self.position, reporter))
    }

    /// The move that a book gives for this search, if books are used for it: front ends ask before they search.
    /// Searches themselves never answer from a book.
    ///
    /// ```
    /// use chuhe::engine::Engine;
    /// use chuhe::search::Limits;
    /// let mut engine = Engine::with_hash(1)?;
    /// assert_eq!(engine.book_move(&Limits::depth(5)), None, "books are not used unless that is wanted");
    /// engine.set_option("usebook", "true")?;
    /// let first = engine.book_move(&Limits::depth(5)).expect("every book knows how games begin");
    /// assert!(engine.position().can_play(first.mv));
    /// # Ok::<(), chuhe::engine::EngineError>(())
    /// ```
    pub fn book_move(&self, limits: &Limits) -> Option<BookChoice> {
        let options = &self.options;
        let (rules, multi_pv, seed) = (options.rules(), options.multi_pv, options.seed_or_random());
        let query = BookQuery { options: &options.book, rules, multi_pv, seed };
        self.books.choose(&self.position, limits, &self.banned, &query)
    }

    /// Starts a search in the background and returns at once. `finished` is called from its thread when the result may
    /// be given out: a search without end waits for [`Engine::stop`] even when nothing is left to find (but for a
    /// proved mate), and a pondering one for [`Engine::ponder_hit`] or [`Engine::stop`].
    ///
    /// # Errors
    /// [`EngineError::Busy`] while another search runs, [`EngineError::Thread`] when there is no thread for it.
    pub fn start(
        &mut self,
        limits: &Limits,
        mut reporter: impl Reporter + Send + 'static,
        finished: impl FnOnce(Outcome) + Send + 'static,
    ) -> Result<(), EngineError> {
        let task = self.prepare(limits)?;
        let mut pool = self.pool.take().ok_or(EngineError::Busy)?;
        let shared = Arc::clone(&self.shared);
        let position = self.position.clone();
        let thread = search_thread().spawn(move || {
            let outcome = task.run(&mut pool, &position, &mut reporter);
            drop(reporter);
            shared.signal().wait(task.must_wait_with(&outcome));
            finished(outcome);
            pool
        });
        match thread {
            Ok(handle) => {
                self.running = Some(handle);
                Ok(())
            }
            Err(error) => {
                self.pool = new_pool(&self.shared, self.options.threads).ok();
                self.new_game();
                Err(EngineError::Thread(error.to_string()))
            }
        }
    }

    /// Tells a running search to end. Its result still comes through `finished`.
    pub fn stop(&self) {
        self.shared.signal().stop();
    }

    /// A handle that ends searches of this engine from elsewhere, such as another thread. It is of no use any more once
    /// the size of the table was changed.
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle(Arc::clone(&self.shared))
    }

    /// Tells a pondering search that the predicted move was played.
    pub fn ponder_hit(&self) {
        self.shared.signal().ponder_hit();
    }

    /// The root move that a running search is looking at.
    pub fn root_move(&self) -> Option<Move> {
        self.shared.signal().root_move().filter(|_| self.is_busy())
    }

    /// Waits for the end of a search in the background and takes its thread's state home.
    pub fn wait(&mut self) {
        if let Some(handle) = self.running.take() {
            // A thread that failed outside the search takes its histories with it; a fresh one takes over.
            match handle.join() {
                Ok(pool) => self.pool = Some(pool),
                Err(_) => {
                    self.pool = new_pool(&self.shared, self.options.threads).ok();
                    self.new_game();
                }
            }
        }
    }

    /// The static evaluation of the position, in centipawns for the side to move, with the knowledge and in the style
    /// that are set.
    pub fn evaluate(&self) -> Value {
        let attack = self.situation.clone().turn(self.options.style, &self.position);
        Evaluator::value_of(&self.position, &self.network, EvalConfig::new(self.options.knowledge, attack))
    }

    /// The network that says what positions are worth.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// What the transposition table knows of a position, found in the same situation as in the last search.
    pub fn probe(&self, position: &Position) -> Option<Entry> {
        self.shared.table.probe(position.key() ^ self.eval_config.key())
    }

    /// Gets ready for a search, which must follow.
    fn prepare(&mut self, limits: &Limits) -> Result<Task, EngineError> {
        let pool = self.pool.as_mut().ok_or(EngineError::Busy)?;
        let mut task = Task::new(limits, &self.options, &self.banned);
        if let Some(shelf) = &self.endings {
            task.keep_result(shelf, &self.position, &self.options.rules());
        }
        pool.set_endings(self.endings.as_ref());
        self.eval_config =
            EvalConfig::new(self.options.knowledge, self.situation.turn(self.options.style, &self.position));
        pool.set_eval_config(&self.eval_config);
        pool.set_network(&self.network);
        self.shared.signal().arm(task.limits().ponder);
        self.shared.table.age();
        Ok(task)
    }
}

/// Ends the searches of an engine; see [`Engine::stop_handle`].
#[derive(Clone)]
pub struct StopHandle(Arc<Shared>);

impl StopHandle {
    /// Tells a running search to end as soon as it can.
    pub fn stop(&self) {
        self.0.signal().stop();
    }
}

impl Drop for Engine {
    /// Ends a search that nobody will hear of.
    fn drop(&mut self) {
        self.stop();
        self.wait();
    }
}

fn search_thread() -> std::thread::Builder {
    std::thread::Builder::new().name("search".into()).stack_size(STACK_SIZE)
}

fn new_pool(shared: &Arc<Shared>, threads: usize) -> Result<Pool, EngineError> {
    Pool::new(shared, threads).map_err(|error| EngineError::Histories(error.to_string()))
}
