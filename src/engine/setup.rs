//! Set-up of an engine: options, search parameters, books, tablebases, network and threads. No search may run
//! meanwhile.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::book::BookSet;
use super::network::open_network;
use super::options::OptionEffect;
use super::style::StyleState;
use super::{Engine, EngineError, new_pool};
use crate::eval::network::Network;
use crate::search::{
    AllocationError, BaseReductions, EvalNoise, Params, SearchStatistics, Shared, ThreadPool, TranspositionTable,
};

impl Engine {
    /// Sets an option by name, does the work that this requires, and returns which work it was.
    ///
    /// # Errors
    /// [`EngineError::Busy`] while a search runs, [`EngineError::Option`] for an unknown name or unreadable value,
    /// [`EngineError::Parameter`] for search parameters that cannot be set; nothing changes then.
    /// [`EngineError::Memory`] for a table that cannot be allocated; the table keeps its size, if there still is memory
    /// for that, but its entries only if the new one would not fit in its place either. Books, tablebases and networks
    /// that cannot be used have errors of their own, and the engine goes on without them; the option `evalfile` is
    /// empty then.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<OptionEffect, EngineError> {
        if self.is_busy() {
            return Err(EngineError::Busy);
        }
        let mut options = self.options.clone();
        let effect = options.set(name, value)?;
        // Memory, threads and parameters may be refused; then the old value stays.
        match effect {
            OptionEffect::ResizeTable => self.resize(options.hash_megabytes)?,
            OptionEffect::SetThreads => self.set_threads(options.threads)?,
            OptionEffect::SetParams => self.params = options.search_params.parse()?,
            _ => {}
        }
        self.options = options;
        match effect {
            OptionEffect::ClearSearch | OptionEffect::NewGame | OptionEffect::SetParams => self.new_game(),
            OptionEffect::OpenBooks => self.open_books()?,
            OptionEffect::OpenTablebases => self.open_tablebases()?,
            OptionEffect::OpenNetwork => self.open_network()?,
            OptionEffect::None | OptionEffect::ResizeTable | OptionEffect::SetThreads => {}
        }
        Ok(effect)
    }

    /// Prepares for a new game: clears the transposition table, the histories and the result kept for a repeated
    /// search, forgets how far the style has shifted in the last game, draws the random change of evaluations again,
    /// and derives the search parameters from the options. Position, bans, options and books stay as they are. Does
    /// nothing while a search runs.
    pub fn new_game(&mut self) {
        if let Some(pool) = &mut self.pool {
            // A large table takes seconds to clear, and clients send several commands that clear it before a game.
            if !self.is_table_clear {
                self.shared.table.clear();
                self.is_table_clear = true;
            }
            pool.clear();
            self.style_state = StyleState::default();
            self.overrun = Duration::ZERO;
            let amplitude = self.options.randomness.amplitude();
            let seed = if amplitude == 0 { 0 } else { self.options.seed_or_random() };
            self.noise = EvalNoise { amplitude, seed };
            let params = self.options.pruning.apply(self.params).with_switches();
            if params != self.search_params {
                self.search_params = params;
                self.reductions = Arc::new(BaseReductions::new(&params));
            }
        }
    }

    /// Sets the statistics that the following searches add to; `None` to collect none.
    pub fn collect_statistics(&mut self, statistics: Option<Arc<Mutex<SearchStatistics>>>) {
        self.statistics = statistics;
    }

    /// The search parameters, without the pruning level.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Sets the search parameters and clears transposition table and histories.
    ///
    /// # Errors
    /// [`EngineError::Busy`] while a search runs; nothing changes then.
    ///
    /// ```
    /// use chuhe::engine::Engine;
    /// use chuhe::search::{Limits, Params};
    /// let mut engine = Engine::with_hash(1)?;
    /// let default = engine.search(&Limits::depth(9), &mut ())?.nodes;
    /// engine.set_params(Params { reduction_depth: 10, ..Params::default() })?;
    /// assert!(engine.search(&Limits::depth(9), &mut ())?.nodes > default, "no late move reductions");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_params(&mut self, params: Params) -> Result<(), EngineError> {
        if self.is_busy() {
            return Err(EngineError::Busy);
        }
        self.params = params;
        self.new_game();
        Ok(())
    }

    fn open_tablebases(&mut self) -> Result<(), EngineError> {
        let (tablebases, faults) = self.options.tablebases.open();
        self.tablebases = tablebases;
        // The results in the transposition table depend on the tablebases.
        self.new_game();
        if faults.is_empty() { Ok(()) } else { Err(EngineError::Tablebases(faults.join("; "))) }
    }

    /// Sets the network, empties the option `evalfile`, and clears transposition table and histories.
    ///
    /// # Errors
    /// [`EngineError::Busy`] while a search runs; nothing changes then.
    pub fn set_network(&mut self, network: Arc<Network>) -> Result<(), EngineError> {
        if self.is_busy() {
            return Err(EngineError::Busy);
        }
        self.options.evaluation_file.clear();
        self.replace_network(network);
        Ok(())
    }

    fn replace_network(&mut self, network: Arc<Network>) {
        self.network = network;
        self.new_game();
    }

    fn open_network(&mut self) -> Result<(), EngineError> {
        if self.options.evaluation_file.is_empty() && Arc::ptr_eq(&self.network, &Network::embedded()) {
            return Ok(());
        }
        let opened = open_network(&self.options.evaluation_file);
        self.replace_network(opened.as_ref().map_or_else(|_| Network::embedded(), Arc::clone));
        opened.map(|_| ()).map_err(|error| {
            self.options.evaluation_file.clear();
            EngineError::Network(error)
        })
    }

    pub(super) fn open_books(&mut self) -> Result<(), EngineError> {
        let (books, faults) = BookSet::open(&self.options.book.files);
        self.books = books;
        if faults.is_empty() { Ok(()) } else { Err(EngineError::Books(faults.join("; "))) }
    }

    /// Replaces the table by an empty one of this size, unless it has it already.
    fn resize(&mut self, megabytes: usize) -> Result<(), EngineError> {
        let old = self.options.hash_megabytes;
        if megabytes == old {
            return Ok(());
        }
        match TranspositionTable::new(megabytes) {
            Ok(table) => self.replace_table(table, megabytes),
            Err(error) => {
                // There may not be memory for two tables. One much larger is refused for other reasons.
                let largest = error.largest.map(|fitting| fitting.saturating_add(old));
                if largest.map_or(megabytes / 2 > old, |largest| largest < megabytes) {
                    return Err(AllocationError { largest, ..error }.into());
                }
                self.release_and_resize(megabytes)?;
            }
        }
        self.back_memory();
        Ok(())
    }

    /// Releases the old table before the new one is allocated. If the system refuses the memory, the old size is
    /// restored, or as much of it as the system grants then.
    fn release_and_resize(&mut self, megabytes: usize) -> Result<(), EngineError> {
        let old = self.options.hash_megabytes;
        // Threads that back the old table would keep it.
        self.backing.cancel();
        // The smallest table stands in.
        self.replace_table(TranspositionTable::new(0)?, 0);
        let error = match TranspositionTable::new(megabytes) {
            Ok(table) => {
                self.replace_table(table, megabytes);
                return Ok(());
            }
            Err(error) => error,
        };
        let mut sizes = std::iter::successors(Some(old), |&size| Some(size / 2).filter(|&half| half > 0));
        if let Some((table, size)) = sizes.find_map(|size| Some((TranspositionTable::new(size).ok()?, size))) {
            self.replace_table(table, size);
        }
        Err(error.into())
    }

    fn replace_table(&mut self, table: TranspositionTable, megabytes: usize) {
        self.shared = Arc::new(Shared { table, signals: Arc::clone(&self.shared.signals) });
        self.is_table_clear = true;
        self.options.hash_megabytes = megabytes;
        // With an empty table a search starts from nothing, whatever was found before.
        if let Some(pool) = &mut self.pool {
            pool.clear();
        }
    }

    /// Backs the histories of all threads by memory, unless a search uses them.
    pub(super) fn back_histories(&self) {
        self.backing.start(self.pool.iter().flat_map(ThreadPool::pages));
    }

    fn set_threads(&mut self, threads: usize) -> Result<(), EngineError> {
        if threads == self.options.threads {
            return Ok(());
        }
        match &mut self.pool {
            Some(pool) => pool.resize(threads).map_err(|error| EngineError::Histories(error.to_string()))?,
            None => self.pool = Some(new_pool(threads)?),
        }
        self.options.threads = threads;
        self.new_game();
        self.back_histories();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Bound, Entry, Limits};
    use crate::types::Move;

    #[test]
    fn a_table_that_no_search_has_used_is_not_cleared_again() {
        let entry = Entry { mv: Move::NONE, value: 7, raw_eval: 0, depth: 3, bound: Bound::Exact, was_pv: false };
        let mut engine = Engine::with_hash(2).unwrap();
        let clears = |engine: &mut Engine, clear: fn(&mut Engine)| {
            // Not written by a search, so that only a needless clearing removes it.
            engine.shared.table.store(1, entry);
            clear(engine);
            engine.shared.table.probe(1).is_none()
        };
        assert!(!clears(&mut engine, Engine::new_game));
        assert!(!clears(&mut engine, |engine| drop(engine.set_option("threads", "2"))));
        engine.search(&Limits::depth(1), &mut ()).unwrap();
        assert!(clears(&mut engine, |engine| drop(engine.set_option("rules", "league"))));
        assert!(!clears(&mut engine, Engine::new_game));
        engine.search(&Limits::depth(1), &mut ()).unwrap();
        engine.set_option("hashsize", "1").unwrap();
        assert!(!clears(&mut engine, Engine::new_game));
        engine.search(&Limits::depth(1), &mut ()).unwrap();
        assert!(clears(&mut engine, Engine::new_game));
    }

    #[test]
    fn a_search_that_is_over_keeps_no_table_in_memory() {
        let mut engine = Engine::with_hash(1).unwrap();
        engine.set_option("threads", "3").unwrap();
        for _ in 0..50 {
            engine.search(&Limits::depth(1), &mut ()).unwrap();
            assert_eq!(Arc::strong_count(&engine.shared), 1);
        }
    }
}
