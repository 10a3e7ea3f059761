//! Errors and warnings about games, with their place in the file, common to all formats.

use std::{fmt, io};

use thiserror::Error;

use crate::position::FenError;

/// Maximum number of warnings of a game; further ones are only counted.
const MAX_WARNINGS: usize = 20;

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
    pub(crate) fn in_line(number: u64, fault: impl Into<GameFault>) -> GameError {
        GameError { location: Location::Line(number), fault: fault.into() }
    }

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
    /// There is more of something than this maximum.
    #[error("more than {1} {0}")]
    TooMuch(&'static str, usize),
    /// Anything else that is wrong.
    #[error("{0}")]
    Other(String),
}

impl GameFault {
    pub(crate) fn malformed(reason: impl Into<String>) -> GameFault {
        GameFault::Other(reason.into())
    }

    /// Error of a move, before which its half-move is named.
    pub(super) fn in_move(ply: usize, reason: &impl fmt::Display) -> GameFault {
        GameFault::Other(without_controls(format!("ply {ply}: {reason}").chars()))
    }

    /// Error of a move that names its word.
    pub(super) fn in_word(ply: usize, reason: &str) -> GameFault {
        GameFault::Other(without_controls(format!("{reason} (ply {ply})").chars()))
    }

    /// Error of a text that is no result.
    pub(super) fn result(text: &str) -> GameFault {
        GameFault::Other(format!("'{}' is not a result (1-0, 0-1, 1/2-1/2 or *)", shortened(text)))
    }

    /// The file ends within this part of a game.
    pub(super) fn cut_off(what: &str) -> GameFault {
        GameFault::Other(format!("the file ends within {what}"))
    }
}

/// Returns the first 40 characters of a text for a message, with control characters replaced.
pub fn shortened(text: &str) -> String {
    without_controls(text.chars().take(40))
}

fn without_controls(text: impl Iterator<Item = char>) -> String {
    text.map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Kind of a warning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WarningKind {
    /// The main line ends before a move that is not legal, cannot be read or is beyond a limit.
    Cut,
    /// A variation or a comment is left out.
    LeftOut,
    /// Moves of variations are left out because of a limit.
    Limit,
    /// Nothing is lost, but something was read otherwise than the file has it, such as the side to move.
    Corrected,
}

/// Warning about a game that was read, but not in full or not as its file has it. [`Display`](fmt::Display) gives one
/// line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// Kind.
    pub kind: WarningKind,
    /// Location of the first cause.
    pub location: Location,
    /// Description of the first cause.
    pub reason: String,
    /// Number of causes; of [`WarningKind::Limit`], of moves that are left out.
    pub count: usize,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Warning { kind, location, reason, count } = self;
        write!(f, "{location}: {reason}")?;
        match (kind, count) {
            (WarningKind::Cut, _) => write!(f, "; the game is read up to there"),
            (WarningKind::LeftOut, 1) => write!(f, "; this variation or comment is left out"),
            (WarningKind::LeftOut, count) => write!(f, "; {count} variations and comments are left out"),
            (WarningKind::Limit, 1) => write!(f, "; 1 move is left out"),
            (WarningKind::Limit, count) => write!(f, "; {count} moves are left out"),
            (WarningKind::Corrected, 1) => Ok(()),
            (WarningKind::Corrected, count) => write!(f, "; and {} more", count - 1),
        }
    }
}

/// Warnings about a game, in order; those of one kind that lose something are one warning with their number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Warnings(Vec<Warning>);

impl Warnings {
    /// Adds a warning with its number of causes.
    pub(super) fn add(&mut self, kind: WarningKind, location: Location, reason: impl fmt::Display, count: usize) {
        let is_full = self.0.len() >= MAX_WARNINGS;
        let is_joined = |warning: &&mut Warning| warning.kind == kind && (kind != WarningKind::Corrected || is_full);
        match self.0.iter_mut().rev().find(is_joined) {
            Some(warning) => warning.count += count,
            None => self.0.push(Warning { kind, location, reason: reason.to_string(), count }),
        }
    }

    /// Adds the warning that something was read otherwise than the file has it.
    pub(super) fn add_correction(&mut self, location: Location, reason: impl fmt::Display) {
        self.add(WarningKind::Corrected, location, reason, 1);
    }

    pub(super) fn add_error(&mut self, kind: WarningKind, error: &GameError) {
        self.add(kind, error.location, &error.fault, 1);
    }

    /// Drops what is not about the main line.
    pub(super) fn keep_main_line(&mut self) {
        self.0.retain(|warning| matches!(warning.kind, WarningKind::Cut | WarningKind::Corrected));
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Warning> {
        self.0.iter()
    }

    /// Returns the warning that the main line lacks its end.
    pub fn cut(&self) -> Option<&Warning> {
        self.iter().find(|warning| warning.kind == WarningKind::Cut)
    }

    /// Returns whether something of the game is lost.
    pub fn has_losses(&self) -> bool {
        self.iter().any(|warning| warning.kind != WarningKind::Corrected)
    }
}
