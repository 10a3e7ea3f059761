//! What an engine can be told that it does not do.

use thiserror::Error;

use super::options::OptionError;
use crate::search::AllocationError;

/// Why an engine does not do as it is told.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EngineError {
    /// An option could not be set.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The memory for a larger table is not to be had; the old table is kept.
    #[error("{0}; the old one is kept")]
    Memory(#[from] AllocationError),
    /// There is no memory for what a search learns.
    #[error("no memory to search with: {0}")]
    Histories(String),
    /// Books that are not used, each with the reason; the others are.
    #[error("{0}; the game goes on without it")]
    Books(String),
    /// Tables of endings that are not used, each with the reason; the others are.
    #[error("{0}; the game goes on without it")]
    Tablebases(String),
    /// A network that is not used, with the reason; the one that the program brings along is.
    #[error("{0}; the network of the program is used")]
    Network(String),
    /// A search is running.
    #[error("a search is running")]
    Busy,
    /// The system grants no thread to search in.
    #[error("no thread to search in: {0}")]
    Thread(String),
}
