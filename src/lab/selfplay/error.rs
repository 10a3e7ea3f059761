//! Errors of the rounds.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::state::StateFault;
use crate::engine::NetworkFileError;
use crate::lab::datagen::{Difference, FileError, FileFault, MergeError, RunError};
use crate::lab::training::TrainError;
use crate::util::folder_lock::LockError;
use crate::util::record_file::RecordFileError;

/// Error that ends the rounds. The files in the folder are intact.
#[derive(Debug, Error)]
pub enum RoundsError {
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error reported by the system.
        error: io::Error,
    },
    /// A file in the folder cannot be used; it is left unchanged.
    #[error("{}: {fault}", path.display())]
    Unusable {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        fault: RoundsFault,
    },
    /// An option contradicts the settings of the folder.
    #[error("{}: {difference}; leave the option out to continue, or choose another --out", folder.display())]
    Settings {
        /// The folder.
        folder: PathBuf,
        /// First difference.
        difference: Difference,
    },
    /// The folder cannot be locked.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The games of a round cannot be played.
    #[error(transparent)]
    Games(#[from] RunError),
    /// The games of a round cannot be put in order.
    #[error(transparent)]
    Order(#[from] MergeError),
    /// A network cannot be trained.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// The journal of a match cannot be read or written.
    #[error(transparent)]
    Journal(RecordFileError),
}

/// Cause that makes a file in the folder unusable.
#[derive(Debug, Error)]
pub enum RoundsFault {
    /// Not a valid state.
    #[error(transparent)]
    State(#[from] StateFault),
    /// Not a valid network.
    #[error(transparent)]
    Network(NetworkFileError),
    /// Another network than the one that was written there.
    #[error("it holds network {found}, not {expected}, which was written there; restore it from a copy")]
    OtherNetwork {
        /// Checksum of the network that should be there.
        expected: String,
        /// Checksum of the network that is there.
        found: String,
    },
    /// A file in a folder without a state, so another command may have made the folder.
    #[error("not a file of 'selfplay-train', which would write beside it; choose another --out")]
    OtherFile,
    /// A network of unknown origin in the place of one that is to be written.
    #[error("it holds network {found}, which comes from elsewhere; move it away")]
    ForeignNetwork {
        /// Checksum of the network.
        found: String,
    },
    /// Games of the current round that were begun with other settings or by another program.
    #[error("its games were made with other settings: {0}; remove it to play the games of this round again")]
    OtherGames(Difference),
    /// Games that changed after they were complete.
    #[error("it is damaged or was changed after its games were complete; restore it from a copy")]
    ChangedGames,
    /// Match of the current round that was begun between other networks or by another program.
    #[error("its games have {name} '{there}', not '{here}'; remove it to play the match of this round again")]
    OtherMatch {
        /// Name of the setting.
        name: String,
        /// Value in the journal.
        there: String,
        /// Current value.
        here: String,
    },
    /// Failure of an engine in the match, which says nothing about its network.
    #[error("a game of the match failed: {reason}; the same command plays it again")]
    Match {
        /// Reason given in the record of the game.
        reason: String,
    },
}

impl RoundsFault {
    /// Adds the path of the file.
    pub(super) fn at(self, path: &Path) -> RoundsError {
        RoundsError::Unusable { path: path.to_owned(), fault: self }
    }
}

impl RoundsError {
    /// Returns the function that adds the path to an error of the system.
    pub(super) fn in_file(path: &Path) -> impl Fn(io::Error) -> RoundsError {
        move |error| RoundsError::File { path: path.to_owned(), error }
    }

    /// Adds the path to the error of a network file.
    pub(super) fn network(path: &Path, error: NetworkFileError) -> RoundsError {
        match error {
            NetworkFileError::Unreadable(error) => RoundsError::in_file(path)(error),
            error => RoundsFault::Network(error).at(path),
        }
    }
}

impl From<FileError> for RoundsError {
    fn from(FileError { path, fault }: FileError) -> RoundsError {
        match fault {
            FileFault::Settings(difference) => RoundsFault::OtherGames(difference).at(&path),
            fault => RoundsError::Games(RunError::File(FileError { path, fault })),
        }
    }
}

impl From<RecordFileError> for RoundsError {
    fn from(error: RecordFileError) -> RoundsError {
        match error {
            RecordFileError::Different { path, name, there, here, .. } => {
                RoundsFault::OtherMatch { name, there, here }.at(&path)
            }
            error => RoundsError::Journal(error),
        }
    }
}
