//! Warnings about games that were read, but not in full or not as their file has them.

use std::fmt;

use super::game_error::{GameError, Location};

/// Maximum number of warnings of a game; further ones are only counted.
const MAX_WARNINGS: usize = 20;

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

/// Warning about a game. [`Display`](fmt::Display) gives one line.
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
    /// Adds a warning.
    pub(super) fn add(&mut self, kind: WarningKind, location: Location, reason: impl fmt::Display) {
        self.add_many(kind, location, reason, 1);
    }

    /// Adds a warning with its number of causes.
    pub(super) fn add_many(&mut self, kind: WarningKind, location: Location, reason: impl fmt::Display, count: usize) {
        let is_full = self.0.len() >= MAX_WARNINGS;
        let is_joined = |warning: &&mut Warning| warning.kind == kind && (kind != WarningKind::Corrected || is_full);
        match self.0.iter_mut().rev().find(is_joined) {
            Some(warning) => warning.count += count,
            None => self.0.push(Warning { kind, location, reason: reason.to_string(), count }),
        }
    }

    /// Adds an error as a warning.
    pub(super) fn add_error(&mut self, kind: WarningKind, error: &GameError) {
        self.add(kind, error.location, &error.fault);
    }

    /// Drops what is not about the main line.
    pub(super) fn keep_main_line(&mut self) {
        self.0.retain(|warning| matches!(warning.kind, WarningKind::Cut | WarningKind::Corrected));
    }

    /// Iterates over the warnings.
    pub fn iter(&self) -> impl Iterator<Item = &Warning> {
        self.0.iter()
    }

    /// Returns the warning that the main line lacks its end.
    pub fn cut(&self) -> Option<&Warning> {
        self.0.iter().find(|warning| warning.kind == WarningKind::Cut)
    }

    /// Returns whether something of the game is lost.
    pub fn has_losses(&self) -> bool {
        self.0.iter().any(|warning| warning.kind != WarningKind::Corrected)
    }
}
