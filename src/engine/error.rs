//! Errors of an engine.

use thiserror::Error;

use super::options::OptionError;
use crate::search::{AllocationError, ParameterError};
use crate::solver::SolverMemoryError;

/// Error of an engine.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EngineError {
    /// An option could not be set.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// A search parameter could not be set.
    #[error("searchparams: {0}")]
    Parameter(#[from] ParameterError),
    /// There is no memory for a transposition table of this size. An engine that has a table keeps its
    /// size, if there still is memory for that.
    #[error("{0}; choose a smaller hash size")]
    Memory(#[from] AllocationError),
    /// There is no memory for the table of the mate solver.
    #[error("{0}; choose a smaller hash size")]
    Solver(#[from] SolverMemoryError),
    /// There is no memory for the histories of the search.
    #[error("no memory to search with: {0}; free memory or choose fewer threads")]
    Histories(String),
    /// Books that cannot be used, each with the reason; the others are used.
    #[error("{0}; the game goes on without it")]
    Books(String),
    /// Tablebases that cannot be used, each with the reason; the others are used.
    #[error("{0}; the game goes on without it")]
    Tablebases(String),
    /// A network that cannot be used, with the reason; the embedded one is used.
    #[error("{0}; the network of the program is used")]
    Network(String),
    /// A search is running.
    #[error("a search is running; stop it first")]
    Busy,
    /// The system grants no thread for the search, with the reason.
    #[error("cannot start a thread for the search: {0}; choose fewer threads or allow more processes")]
    Thread(String),
    /// The thread of the search ended without a result.
    #[error("the search failed and has no result")]
    NoResult,
}
