//! Set-up of an engine while no search runs: options, search parameters, books, tablebases, network and threads.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::book::BookSet;
use super::options::{EngineOption, OPTIONS, OptionEffect, Options};
use super::search_pool::SearchPool;
use super::split_names;
use super::style::StyleState;
use super::{Engine, EngineError, new_pool};
use crate::eval::EvalNoise;
use crate::eval::network::Network;
#[cfg(feature = "lab")]
use crate::search::Collector;
use crate::search::{AllocationError, BaseReductions, Params, TranspositionTable};
use crate::tablebase::{Tablebases, make_small_tables};
use crate::util::files::{TIME_TO_OPEN, within};

impl Engine {
    /// Sets an option by a name of either protocol to a value as a client writes it, and does the work that this
    /// requires. Errors are those of [`Engine::configure`]; nothing changes for an unknown name or unreadable value.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), EngineError> {
        self.set(EngineOption::named(name)?, value)
    }

    pub(crate) fn set(&mut self, option: &EngineOption, value: &str) -> Result<(), EngineError> {
        let mut options = self.options.clone();
        option.set(&mut options, value)?;
        self.adopt(options, Some(option))
    }

    /// Changes options and does the work that the new values require: clears the results of earlier searches that
    /// depend on them, allocates the table, starts threads, opens files. Numbers out of range are set to the nearest
    /// one in the range.
    ///
    /// # Errors
    /// Nothing changes while a search runs, or for search parameters that cannot be set. A table that cannot be
    /// allocated keeps its size, if there still is memory for that, but not its entries. Without books, tablebases and
    /// networks that cannot be used the engine goes on; the option `evalfile` is empty then.
    ///
    /// ```
    /// use chuhe::engine::Engine;
    /// let mut engine = Engine::with_hash(1)?;
    /// engine.configure(|options| options.skill = 3)?;
    /// assert_eq!(engine.options().skill, 3);
    /// # Ok::<(), chuhe::engine::EngineError>(())
    /// ```
    pub fn configure(&mut self, change: impl FnOnce(&mut Options)) -> Result<(), EngineError> {
        let mut options = self.options.clone();
        change(&mut options);
        self.adopt(options, None)
    }

    /// Replaces the options. Files that the `named` option names are opened again: they may have changed.
    fn adopt(&mut self, mut options: Options, named: Option<&EngineOption>) -> Result<(), EngineError> {
        use OptionEffect::{ClearSearch, NewGame, OpenBooks, OpenNetwork, OpenTablebases};
        self.require_idle()?;
        let mut effects = Vec::new();
        for option in &OPTIONS {
            let is_new = option.value(&self.options) != option.value(&options);
            let is_repeated = named.is_some_and(|named| std::ptr::eq(named, option))
                && matches!(option.effect, Some(OpenBooks | OpenTablebases | OpenNetwork | NewGame));
            if is_new || is_repeated {
                option.limit(&mut options);
                effects.extend(option.effect);
            }
        }
        let has = |effect| effects.contains(&effect);
        // Parameters, memory and threads may be refused; then the old values stay.
        if has(OptionEffect::SetParams) {
            self.params = options.search_params.parse()?;
        }
        if has(OptionEffect::ResizeTable) {
            self.resize(options.hash_megabytes)?;
        }
        if has(OptionEffect::SetThreads) {
            self.set_threads(options.threads)?;
        }
        let used_tablebases = std::mem::replace(&mut self.options, options).uses_tablebases;
        if has(ClearSearch) || has(OptionEffect::SetParams) || has(NewGame) {
            self.new_game();
        }
        // Books that are not in use are opened when they are turned on, tables likewise.
        if has(OpenBooks) && self.options.uses_book {
            self.open_books()?;
        }
        if has(OpenTablebases) && (self.options.uses_tablebases || used_tablebases) {
            self.open_tablebases()?;
        }
        if has(OpenNetwork) { self.open_network() } else { Ok(()) }
    }

    /// Prepares for a new game: clears the transposition table, the histories and the result kept for a repeated
    /// search, forgets how far the style has shifted, draws the random change of evaluations again, and derives the
    /// search parameters from the options. Position, bans, options and books stay. Does nothing while a search runs.
    pub fn new_game(&mut self) {
        if let Some(pool) = &mut self.pool {
            // A large table takes seconds to clear, and clients send several commands that clear it before a game.
            if !self.is_table_clear {
                self.table.clear();
                self.is_table_clear = true;
            }
            pool.clear();
            self.style_state = StyleState::default();
            self.overrun = Duration::ZERO;
            let amplitude = self.options.randomness;
            let seed = if amplitude == 0 { 0 } else { self.options.seed_or_random() };
            self.noise = EvalNoise { amplitude, seed };
            let params = self.options.pruning.apply(self.params).with_toggles();
            if params != self.search_params {
                self.search_params = params;
                self.reductions = Arc::new(BaseReductions::new(&params));
            }
        }
    }

    /// Sets where the following searches add their statistics.
    #[cfg(feature = "lab")]
    pub fn collect_statistics(&mut self, statistics: Collector) {
        self.statistics = statistics;
    }

    /// The search parameters, without the pruning level.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Sets the search parameters and clears transposition table and histories, unless a search runs.
    pub fn set_params(&mut self, params: Params) -> Result<(), EngineError> {
        self.require_idle()?;
        self.params = params;
        self.new_game();
        Ok(())
    }

    fn require_idle(&self) -> Result<(), EngineError> {
        if self.is_busy() { Err(EngineError::Busy) } else { Ok(()) }
    }

    fn open_tablebases(&mut self) -> Result<(), EngineError> {
        let mut faults = Vec::new();
        self.tablebases = self.options.uses_tablebases.then(|| {
            let folders: Vec<PathBuf> = split_names(&self.options.tablebase_folders).map(PathBuf::from).collect();
            let (tables, errors) = within(TIME_TO_OPEN, move || Tablebases::open(&folders)).unwrap_or_else(|error| {
                faults.push(format!("{}: {error}", self.options.tablebase_folders));
                Tablebases::open(&[])
            });
            faults.extend(errors.iter().map(ToString::to_string));
            // Computed here, not while a clock runs.
            make_small_tables();
            Arc::new(tables)
        });
        // The results in the transposition table depend on the tablebases.
        self.new_game();
        without(&faults)
    }

    /// Sets the network, empties the option `evalfile`, and clears table and histories, unless a search runs.
    pub fn set_network(&mut self, network: Arc<Network>) -> Result<(), EngineError> {
        self.require_idle()?;
        self.options.evaluation_file.clear();
        self.network = network;
        self.new_game();
        Ok(())
    }

    fn open_network(&mut self) -> Result<(), EngineError> {
        let name = self.options.evaluation_file.clone();
        if name.is_empty() {
            let is_in_use = Arc::ptr_eq(&self.network, &Network::embedded());
            return if is_in_use { Ok(()) } else { self.set_network(Network::embedded()) };
        }
        let path = PathBuf::from(&name);
        match within(TIME_TO_OPEN, move || read_network(&path)).flatten() {
            Ok(network) => {
                self.set_network(network)?;
                self.options.evaluation_file = name;
                Ok(())
            }
            Err(error) => {
                self.set_network(Network::embedded())?;
                Err(EngineError::Files(format!("{name}: {error}; the network of the program is used")))
            }
        }
    }

    pub(super) fn open_books(&mut self) -> Result<(), EngineError> {
        let (books, faults) = BookSet::open(&self.options.book_files);
        self.books = books;
        without(&faults)
    }

    /// Replaces the table by an empty one of this size, unless it has it already. If the system refuses the memory, the
    /// old size is restored, or as much of it as the system grants then.
    fn resize(&mut self, megabytes: usize) -> Result<(), EngineError> {
        let old = self.options.hash_megabytes;
        if megabytes == old {
            return Ok(());
        }
        // There may not be memory for two tables: the old one is released first, also by the thread that backs it, and
        // the smallest stands in.
        self.replace_table(0)?;
        self.backing.cancel();
        self.memory_thread = None;
        let halves = std::iter::successors(Some(old), |&size| Some(size / 2).filter(|&half| half > 0));
        let mut refusal = Ok(());
        for size in std::iter::once(megabytes).chain(halves) {
            match self.replace_table(size) {
                Ok(()) => break,
                Err(error) => refusal = refusal.and(Err(error.into())),
            }
        }
        self.back_memory();
        refusal
    }

    fn replace_table(&mut self, megabytes: usize) -> Result<(), AllocationError> {
        self.table = Arc::new(TranspositionTable::new(megabytes)?);
        self.is_table_clear = true;
        self.options.hash_megabytes = megabytes;
        // With an empty table a search starts from nothing, whatever was found before.
        self.pool.iter_mut().for_each(SearchPool::clear);
        Ok(())
    }

    fn set_threads(&mut self, threads: usize) -> Result<(), EngineError> {
        if threads == self.options.threads {
            return Ok(());
        }
        match &mut self.pool {
            Some(pool) => pool.threads.resize(threads).map_err(|error| EngineError::Histories(error.to_string()))?,
            None => self.pool = Some(new_pool(threads)?),
        }
        self.options.threads = threads;
        self.new_game();
        self.back_memory();
        Ok(())
    }
}

fn without(faults: &[String]) -> Result<(), EngineError> {
    if faults.is_empty() {
        return Ok(());
    }
    Err(EngineError::Files(format!("{}; the game goes on without it", faults.join("; "))))
}

/// Reads a network from a file.
pub fn read_network(path: &Path) -> io::Result<Arc<Network>> {
    // Opening a pipe would block until a writer opens it.
    if path.exists() && !path.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    // One byte more than the largest network shows that a file is too long; the rest is not read.
    let mut bytes = Vec::new();
    File::open(path)?.take(Network::MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(Arc::new(Network::from_bytes(&bytes).map_err(io::Error::other)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Bound, Entry, Limits};
    use crate::types::Move;

    fn clears(engine: &mut Engine, act: impl FnOnce(&mut Engine)) -> bool {
        let entry = Entry { mv: Move::NONE, value: 7, raw_eval: 0, depth: 3, bound: Bound::Exact, was_pv: false };
        engine.table.store(1, entry);
        act(engine);
        engine.table.probe(1).is_none()
    }

    #[test]
    fn a_table_that_no_search_has_used_is_not_cleared_again() {
        let mut engine = Engine::with_hash(2).unwrap();
        // The entry is not written by a search, so that only a needless clearing removes it.
        assert!(!clears(&mut engine, Engine::new_game));
        assert!(!clears(&mut engine, |engine| engine.configure(|options| options.threads = 2).unwrap()));
        engine.search(&Limits::depth(1), &mut ()).unwrap();
        assert!(clears(&mut engine, Engine::new_game));
        assert!(!clears(&mut engine, Engine::new_game));
        engine.search(&Limits::depth(1), &mut ()).unwrap();
        engine.configure(|options| options.hash_megabytes = 1).unwrap();
        assert!(!clears(&mut engine, Engine::new_game));
    }

    #[test]
    fn a_new_value_of_an_option_that_clears_earlier_results_does_and_the_same_value_does_not() {
        let mut engine = Engine::with_hash(1).unwrap();
        for option in OPTIONS.iter().filter(|option| option.effect == Some(OptionEffect::ClearSearch)) {
            let other = ["true", "risky", "small", "league", "100", "3", "1700"]
                .into_iter()
                .find(|value| {
                    let mut options = engine.options().clone();
                    let before = option.value(&options);
                    option.set(&mut options, value).is_ok() && option.value(&options) != before
                })
                .unwrap_or_else(|| panic!("{} has no other value here", option.name()));
            for is_cleared in [true, false] {
                engine.search(&Limits::depth(1), &mut ()).unwrap();
                let found = clears(&mut engine, |engine| engine.set(option, other).unwrap());
                assert_eq!(found, is_cleared, "{} {other}", option.name());
            }
        }
    }

    #[test]
    fn a_search_that_is_over_keeps_no_table_in_memory() {
        let mut engine = Engine::with_hash(1).unwrap();
        engine.configure(|options| options.threads = 3).unwrap();
        for _ in 0..50 {
            engine.search(&Limits::depth(1), &mut ()).unwrap();
            engine.memory_thread = None;
            assert_eq!(Arc::strong_count(&engine.table), 1);
        }
    }
}
