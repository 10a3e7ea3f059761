//! What may be wrong with files that are put together.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::reader::{HeaderError, RecordError};
use super::settings::Difference;
use crate::util::shard::Shard;

/// Why files are not put together. Nothing is written then.
#[derive(Debug, Error)]
pub enum GatherError {
    /// There is none.
    #[error("there is no file to put together")]
    Nothing,
    /// One of them cannot be used.
    #[error("{}: {fault}", path.display())]
    Part {
        /// Which file.
        path: PathBuf,
        /// Why not.
        fault: PartFault,
    },
    /// The result cannot be written.
    #[error(transparent)]
    Output(io::Error),
    /// The user has had enough.
    #[error("interrupted")]
    Interrupted,
}

/// Why a file is not put together with others.
#[derive(Debug, Error)]
pub enum PartFault {
    /// The system does not let us.
    #[error(transparent)]
    System(#[from] io::Error),
    /// It cannot be read twice.
    #[error("it is no ordinary file")]
    Special,
    /// It holds something else.
    #[error(transparent)]
    Header(HeaderError),
    /// How its games were made cannot be read any more.
    #[error(
        "its first bytes, which tell how its games were made, are damaged; leave it out, and what is missing is told"
    )]
    Headless,
    /// Its games were made otherwise.
    #[error(
        "its games were made otherwise than those of {}: {} is {} there and {} here; leave out one of them",
        first.display(), difference.name(), difference.earlier, difference.now
    )]
    Settings {
        /// What it was compared with.
        first: PathBuf,
        /// The first option in which they differ.
        difference: Difference,
    },
    /// Somebody writes to it.
    #[error("it changed while it was read")]
    Changed,
}

impl PartFault {
    /// The fault of a file.
    pub(super) fn of(self, path: &Path) -> GatherError {
        GatherError::Part { path: path.to_owned(), fault: self }
    }
}

/// Something that is found in files and costs nothing but what it names.
#[derive(Debug)]
pub enum Finding<'a> {
    /// A record that is no game.
    Fault(&'a Path, RecordError),
    /// A shard of which there was a file before.
    Repeated {
        /// Which shard.
        shard: Shard,
        /// Where it is again.
        path: &'a Path,
        /// Where it was first.
        first: &'a Path,
    },
    /// A game of a number that another game has already.
    Conflict {
        /// The number.
        number: u64,
        /// Where the game is that is left out.
        path: &'a Path,
        /// Where the game is that is kept.
        first: &'a Path,
    },
}
