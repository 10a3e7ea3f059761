//! Errors of commands, and their exit status.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::console::counted;
use crate::engine::EngineError;
use crate::notation::game::GameError;
use crate::position::{FenError, PlayError};
use crate::util::record_file::RecordFileError;

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
    /// A file could not be opened, read or written.
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    /// Results disagree with the expected ones, or there are none; the details were printed.
    #[error("{wrong} of {all} {things} disagree")]
    Disagreement { wrong: usize, all: usize, things: &'static str },
    #[error("{}: no games or moves were found; name the format with --from", path.display())]
    UnknownFormat { path: PathBuf },
    #[error("{0} files are only read; choose another format with --to")]
    ReadOnlyFormat(&'static str),
    /// Converting a file in place would lose games.
    #[error("{}: {games} games cannot be read in full, and what is missing would be lost; nothing was changed, name another output", path.display())]
    WouldLoseGames { path: PathBuf, games: usize },
    /// What could be read of a file was used; the warnings about the rest were printed.
    #[error("{}: {}, as the lines above say; what could be read was used", path.display(), lost_games(*games))]
    PartlyRead { path: PathBuf, games: usize },
    /// No game of a file could be read; the errors were printed.
    #[error("{}: no game could be read", path.display())]
    NoGame { path: PathBuf },
    /// The self-test failed; the details were printed.
    #[error("{failed} of {all} checks failed; please report it with all the output above")]
    SelfTest { failed: usize, all: usize },
    /// A game of a file could not be read.
    #[error("{}: {error}", path.display())]
    Game { path: PathBuf, error: GameError },
    /// Arguments contradict each other or the input.
    #[error("{0}")]
    Mismatch(String),
    /// The work failed for a reason that no argument names.
    #[error("{0}")]
    Failed(String),
    /// The content of a file cannot be used.
    #[error("{}: {fault}", path.display())]
    Unusable { path: PathBuf, fault: String },
    #[error("not everything was written: {0}")]
    Lost(String),
    /// Merged files lack games; the details were printed.
    #[error("{}: it is not complete: {lacks}", path.display())]
    Incomplete { path: PathBuf, lacks: String },
    /// Games of a match were not played because engines failed to start.
    #[error("{0} games were not played")]
    Unplayed(u64),
    /// A sequential test ended undecided because engines failed to start.
    #[error("the test is not decided: the games it still needs were not played")]
    Undecided,
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

/// Describes a number of games of which something is lost.
fn lost_games(games: usize) -> String {
    let verb = if games == 1 { "is" } else { "are" };
    format!("{} {verb} not complete", counted(games as u64, "game"))
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
    pub fn in_file(path: &Path) -> impl FnOnce(io::Error) -> CommandError {
        move |error| CommandError::File { path: path.to_owned(), error }
    }

    /// Returns the exit status of the program.
    pub fn exit_status(&self) -> u8 {
        match self {
            CommandError::Position(_) | CommandError::Move(_) | CommandError::Notation { .. } => 3,
            CommandError::Mismatch(_) | CommandError::ReadOnlyFormat(_) => 2,
            // The status that shells report after Ctrl-C; the same for SIGTERM.
            CommandError::Interrupted => 130,
            // The reader closed the pipe, which is not an error.
            CommandError::Output(error) if is_closed_pipe(error) => 0,
            _ => 1,
        }
    }
}

/// Returns whether the reader of a pipe has closed it.
fn is_closed_pipe(error: &io::Error) -> bool {
    /// Error codes of Windows for a pipe that is being closed, or was closed.
    const WINDOWS_CODES: [i32; 2] = [232, 233];
    error.kind() == io::ErrorKind::BrokenPipe
        || (cfg!(windows) && error.raw_os_error().is_some_and(|code| WINDOWS_CODES.contains(&code)))
}
