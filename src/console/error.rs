//! Why a command fails, and which exit status tells so.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::engine::EngineError;
use crate::notation::NotationError;
use crate::notation::game::GameError;
use crate::position::{FenError, PlayError};

/// Why a command failed.
#[derive(Debug, Error)]
pub enum CommandError {
    /// A position could not be read.
    #[error("invalid position: {0}")]
    Position(#[from] FenError),
    /// A move could not be played.
    #[error("invalid move: {0}")]
    Move(#[from] PlayError),
    /// A move in any notation could not be read.
    #[error("invalid move: ply {ply}, {error}")]
    Notation {
        /// Which move of the list, 1 for the first.
        ply: usize,
        /// What is wrong with it.
        error: NotationError,
    },
    /// A file could not be opened, read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What happened.
        error: io::Error,
    },
    /// Results do not agree with those expected, or there are none; the details were printed.
    #[error("{wrong} of {all} {things} disagree")]
    Disagreement {
        /// How many.
        wrong: usize,
        /// Of how many.
        all: usize,
        /// Of what.
        things: &'static str,
    },
    /// Nothing tells which format a file of games has.
    #[error("{}: the format of the games is not known; name it with --from", path.display())]
    UnknownFormat {
        /// Which file.
        path: PathBuf,
    },
    /// A format that is only read was to be written.
    #[error("{0} files are only read; choose another format with --to")]
    ReadOnlyFormat(&'static str),
    /// A file was to be converted in its place, and games would be lost.
    #[error("{}: {games} games cannot be read and would be lost; nothing was changed, name another output", path.display())]
    WouldLoseGames {
        /// Which file.
        path: PathBuf,
        /// How many.
        games: usize,
    },
    /// No game of a file could be read; the faults were told.
    #[error("{}: no game could be read", path.display())]
    NoGame {
        /// Which file.
        path: PathBuf,
    },
    /// The program does not work as it should; the details were printed.
    #[error("{failed} of {all} checks failed; please report it with all that stands above")]
    SelfTest {
        /// How many.
        failed: usize,
        /// Of how many.
        all: usize,
    },
    /// A game of a file could not be read.
    #[error("{}: {error}", path.display())]
    Game {
        /// Which file.
        path: PathBuf,
        /// Where and what is wrong.
        error: GameError,
    },
    /// What was asked for does not go with what it was asked of.
    #[error("{0}")]
    Mismatch(String),
    /// What a file holds is of no use.
    #[error("{}: {fault}", path.display())]
    Unusable {
        /// Which file.
        path: PathBuf,
        /// Why.
        fault: String,
    },
    /// What was to be kept could not be written to the end.
    #[error("not everything was written: {0}")]
    Lost(String),
    /// Files that were put together do not hold all games they should; the details were told.
    #[error("{}: it is not whole: {lacks}", path.display())]
    Incomplete {
        /// The file they were written to.
        path: PathBuf,
        /// What is missing.
        lacks: String,
    },
    /// Games of a match were not played, because engines could not play them.
    #[error("{0} games were not played")]
    Unplayed(u64),
    /// A test had to be given up, because engines could not play on.
    #[error("the test is not decided: the games it still needs were not played")]
    Undecided,
    /// The user had enough; what was known has been told.
    #[error("interrupted")]
    Interrupted,
    /// The answer could not be written as JSON.
    #[error("cannot write JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The engine could not do it.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The output could not be written.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
}

impl CommandError {
    /// The exit status that goes with it.
    pub fn exit_status(&self) -> u8 {
        match self {
            CommandError::Position(_) | CommandError::Move(_) | CommandError::Notation { .. } => 3,
            CommandError::Mismatch(_) => 2,
            // What a shell reports of a program that was ended from the keyboard.
            CommandError::Interrupted => 130,
            // Whoever read the output has had enough; nothing went wrong.
            CommandError::Output(error) if is_closed_pipe(error) => 0,
            _ => 1,
        }
    }
}

/// Whether the reader at the other end of a pipe has gone.
fn is_closed_pipe(error: &io::Error) -> bool {
    /// What Windows says when a pipe is being closed, or was.
    const WINDOWS_CODES: [i32; 2] = [232, 233];
    error.kind() == io::ErrorKind::BrokenPipe
        || (cfg!(windows) && error.raw_os_error().is_some_and(|code| WINDOWS_CODES.contains(&code)))
}
