//! Errors of game files, with their location, common to all formats.

use std::fmt;
use std::io;

use thiserror::Error;

use crate::position::{FenError, Position};
use crate::types::Move;

/// Error in a game file, with its location.
#[derive(Debug, Error)]
#[error("{location}: {fault}")]
pub struct GameError {
    /// Location in the file.
    pub location: Location,
    /// Cause.
    pub fault: GameFault,
}

impl GameError {
    /// Error in a line.
    pub(super) fn in_line(number: u64, fault: impl Into<GameFault>) -> GameError {
        GameError { location: Location::Line(number), fault: fault.into() }
    }

    /// Error at a byte.
    pub(super) fn at_byte(offset: usize, fault: impl Into<GameFault>) -> GameError {
        GameError { location: Location::Byte(offset as u64), fault: fault.into() }
    }

    /// Returns whether the file itself cannot be read any further, not only one game.
    pub fn is_read_error(&self) -> bool {
        matches!(self.fault, GameFault::Unreadable(_))
    }
}

/// Location in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Location {
    /// Line number, starting with 1.
    Line(u64),
    /// Byte offset, starting with 0.
    Byte(u64),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Line(number) => write!(f, "line {number}"),
            Location::Byte(offset) => write!(f, "byte {offset}"),
        }
    }
}

/// Cause of an error in a game file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GameFault {
    /// The file cannot be read any further.
    #[error("cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// The start position is invalid.
    #[error("invalid position: {0}")]
    Position(#[from] FenError),
    /// A move cannot be parsed or is illegal.
    #[error("ply {ply}: {reason}")]
    Move {
        /// Ply of the game, starting with 1.
        ply: usize,
        /// Description of the error.
        reason: String,
    },
    /// A word in the place of a move cannot be parsed or is illegal. The reason names the word.
    #[error("{reason} (ply {ply})")]
    Word {
        /// Ply of the game, starting with 1.
        ply: usize,
        /// Description of the error, beginning with the word.
        reason: String,
    },
    /// Invalid result.
    #[error("'{0}' is not a result (1-0, 0-1, 1/2-1/2 or *)")]
    Result(String),
    /// A size limit is exceeded.
    #[error("more than {max} {what}")]
    TooMuch {
        /// Name of the limited quantity.
        what: &'static str,
        /// The limit.
        max: usize,
    },
    /// The file ends within the game.
    #[error("the file ends within {0}")]
    CutOff(&'static str),
    /// Other violation of the format.
    #[error("{0}")]
    Malformed(String),
}

impl GameFault {
    /// Error of a move, with control characters replaced for the terminal.
    pub(super) fn in_move(ply: usize, reason: &impl fmt::Display) -> GameFault {
        GameFault::Move { ply, reason: harmless(reason) }
    }

    /// Error of the next move of `position` if it is not legal.
    pub(super) fn of_move(position: &Position, ply: usize, mv: Move) -> Option<GameFault> {
        position.fault_of(mv).map(|fault| GameFault::Move { ply, reason: format!("'{mv}' {fault}") })
    }

    /// Like [`GameFault::in_move`] for an error that names the word.
    pub(super) fn in_word(ply: usize, reason: &impl fmt::Display) -> GameFault {
        GameFault::Word { ply, reason: harmless(reason) }
    }

    /// Category of the error, for counting.
    pub fn kind(&self) -> &'static str {
        match self {
            GameFault::Unreadable(_) => "the file cannot be read",
            GameFault::Position(_) => "invalid position",
            GameFault::Move { .. } | GameFault::Word { .. } => "invalid move",
            GameFault::Result(_) => "invalid result",
            GameFault::TooMuch { .. } => "too long",
            GameFault::CutOff(_) => "cut off",
            GameFault::Malformed(_) => "malformed",
        }
    }
}

/// Returns the text with control characters replaced.
fn harmless(text: &impl fmt::Display) -> String {
    text.to_string().chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}
