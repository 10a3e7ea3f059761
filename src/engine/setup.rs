//! How an engine is set up: options, numbers, books, tables, networks and threads. Of searches it knows only that none may
//! be running.

use std::sync::Arc;

use super::book::BookSet;
use super::network::open_network;
use super::options::OptionEffect;
use super::style::StyleState;
use super::{Engine, EngineError};
use crate::eval::network::Network;
use crate::search::{EvalNoise, Params, Shared, Table};

impl Engine {
    /// Sets an option by name, does the work that this requires, and returns which work it was.
    ///
    /// # Errors
    /// [`EngineError::Busy`] while a search runs, [`EngineError::Option`] for an unknown name or unreadable value, and
    /// [`EngineError::Memory`] for a table that cannot be had; nothing changes then. Books, tables of endings and
    /// networks that cannot be used are told by errors of their own, and the engine goes on without them: then the option
    /// names no network.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<OptionEffect, EngineError> {
        if self.is_busy() {
            return Err(EngineError::Busy);
        }
        let mut options = self.options.clone();
        let effect = options.set(name, value)?;
        // Memory and threads may be refused; then the old value stays.
        match effect {
            OptionEffect::ResizeTable => self.resize(options.hash_megabytes)?,
            OptionEffect::SetThreads => self.set_threads(options.threads)?,
            _ => {}
        }
        self.options = options;
        match effect {
            OptionEffect::ClearSearch | OptionEffect::NewGame => self.new_game(),
            OptionEffect::OpenBooks => self.open_books()?,
            OptionEffect::OpenTablebases => self.open_endings()?,
            OptionEffect::OpenNetwork => self.open_network()?,
            OptionEffect::None | OptionEffect::ResizeTable | OptionEffect::SetThreads => {}
        }
        Ok(effect)
    }

    /// Forgets what earlier searches learned. Does nothing while one runs.
    pub fn new_game(&mut self) {
        if let Some(pool) = &mut self.pool {
            self.shared.table.clear();
            self.situation = StyleState::default();
            let amplitude = self.options.randomness.amplitude();
            let seed = if amplitude == 0 { 0 } else { self.options.seed_or_random() };
            let params = self.options.pruning.applied_to(self.params);
            pool.start_afresh(self.options.rules(), EvalNoise { amplitude, seed }, params);
        }
    }

    /// The numbers that searches go by.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// From now on searches go by these numbers. What was learned by others is forgotten.
    ///
    /// # Errors
    /// [`EngineError::Busy`] while a search runs; nothing changes then.
    ///
    /// ```
    /// use chuhe::engine::Engine;
    /// use chuhe::search::{Limits, Params};
    /// let mut engine = Engine::with_hash(1)?;
    /// let usual = engine.search(&Limits::depth(9), &mut ())?.nodes;
    /// engine.set_params(Params { reduction_base: 3000, ..Params::default() })?;
    /// assert!(engine.search(&Limits::depth(9), &mut ())?.nodes < usual, "more is left out");
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

    fn open_endings(&mut self) -> Result<(), EngineError> {
        let (shelf, faults) = self.options.tablebases.open();
        self.endings = shelf;
        // What the table of positions holds was found with other tables of endings.
        self.new_game();
        if faults.is_empty() { Ok(()) } else { Err(EngineError::Tablebases(faults.join("; "))) }
    }

    /// From now on asks this network what positions are worth, wherever it is from: the option names no file any more.
    /// What was learned with another one is forgotten.
    ///
    /// # Errors
    /// [`EngineError::Busy`] while a search runs; nothing changes then.
    pub fn set_network(&mut self, network: Arc<Network>) -> Result<(), EngineError> {
        if self.is_busy() {
            return Err(EngineError::Busy);
        }
        self.options.evaluation_file.clear();
        self.ask(network);
        Ok(())
    }

    fn ask(&mut self, network: Arc<Network>) {
        self.network = network;
        self.new_game();
    }

    fn open_network(&mut self) -> Result<(), EngineError> {
        let opened = open_network(&self.options.evaluation_file);
        self.ask(opened.as_ref().map_or_else(|_| Network::embedded(), Arc::clone));
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

    fn resize(&mut self, megabytes: usize) -> Result<(), EngineError> {
        if megabytes != self.options.hash_megabytes {
            self.shared = Arc::new(Shared::new(Table::new(megabytes)?));
            self.options.hash_megabytes = megabytes;
            if let Some(pool) = &mut self.pool {
                pool.set_shared(&self.shared);
            }
        }
        Ok(())
    }

    fn set_threads(&mut self, threads: usize) -> Result<(), EngineError> {
        if threads == self.options.threads {
            return Ok(());
        }
        if let Some(pool) = &mut self.pool {
            pool.resize(&self.shared, threads).map_err(|error| EngineError::Histories(error.to_string()))?;
            self.options.threads = threads;
            // New threads know neither rules nor numbers nor noise.
            self.new_game();
        }
        Ok(())
    }
}
