//! Errors of commands, and their exit status.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::console::counted;
use crate::engine::EngineError;
use crate::position::{FenError, PlayError};
use crate::util::cancel::CancelFlag;
use crate::util::record_file::RecordFileError;

/// Result of a command or of a part of it.
pub type Result<T = (), E = CommandError> = std::result::Result<T, E>;

/// Error of a command: one line for the user with the place and the remedy.
#[derive(Debug, Error)]
pub enum CommandError {
    #[error("invalid position: {0}")]
    Position(#[from] FenError),
    #[error("invalid move: {0}")]
    Move(#[from] PlayError),
    /// A move in any notation could not be read. The reason begins with its text.
    #[error("invalid move: ply {ply}, {reason}")]
    Notation { ply: usize, reason: String },
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("{}: {fault}", path.display())]
    Unusable { path: PathBuf, fault: String },
    #[error("{0}")]
    Mismatch(String),
    #[error("{0}")]
    Failed(String),
    /// Interrupted by the user; the results so far were printed.
    #[error("interrupted")]
    Interrupted,
    #[error("cannot write JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
}

impl From<RecordFileError> for CommandError {
    fn from(error: RecordFileError) -> CommandError {
        match error {
            RecordFileError::File { path, error } => CommandError::File { path, error },
            error => CommandError::Mismatch(error.to_string()),
        }
    }
}

impl CommandError {
    /// Returns what names the file in an error of the system.
    pub fn in_file(path: &Path) -> impl Fn(io::Error) -> CommandError {
        move |error| CommandError::File { path: path.to_owned(), error }
    }

    pub fn unusable(path: impl Into<PathBuf>, fault: impl ToString) -> CommandError {
        CommandError::Unusable { path: path.into(), fault: fault.to_string() }
    }

    /// No game of a file could be read; the faults were printed.
    pub fn no_game(path: impl Into<PathBuf>) -> CommandError {
        CommandError::unusable(path, "no game could be read")
    }

    /// Returns an error if some games of a file were left out or are not complete; the faults were printed.
    pub fn if_partly_read(path: impl Into<PathBuf>, games: usize) -> Result {
        let verb = if games == 1 { "is" } else { "are" };
        let lost = counted(games as u64, "game");
        let fault = format!("{lost} {verb} not complete, as the lines above say; what could be read was used");
        if games > 0 { Err(CommandError::unusable(path, fault)) } else { Ok(()) }
    }

    /// Returns an error if the user has interrupted the command.
    pub fn if_interrupted(cancel: &CancelFlag) -> Result {
        if cancel.is_cancelled() { Err(CommandError::Interrupted) } else { Ok(()) }
    }

    pub fn exit_status(&self) -> u8 {
        match self {
            CommandError::Position(_) | CommandError::Move(_) | CommandError::Notation { .. } => 3,
            CommandError::Mismatch(_) => 2,
            // The status that shells report after Ctrl-C; the same for SIGTERM.
            CommandError::Interrupted => 130,
            // The reader closed the pipe, which is not an error.
            CommandError::Output(error) if is_closed_pipe(error) => 0,
            _ => 1,
        }
    }
}

fn is_closed_pipe(error: &io::Error) -> bool {
    /// Error codes of Windows for a pipe that is being closed, or was closed.
    const WINDOWS_CODES: [i32; 2] = [232, 233];
    error.kind() == io::ErrorKind::BrokenPipe
        || (cfg!(windows) && error.raw_os_error().is_some_and(|code| WINDOWS_CODES.contains(&code)))
}
