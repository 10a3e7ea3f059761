//! What a table says of a position.

use std::fmt;

/// Who wins with best play.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Outcome {
    /// The side to move loses.
    Loss,
    /// Neither side can force a win.
    Draw,
    /// The side to move wins.
    Win,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Outcome::Loss => "loss",
            Outcome::Draw => "draw",
            Outcome::Win => "win",
        })
    }
}

/// What the plies of a [`Value`] are counted to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Metric {
    /// Until a capture that leads to a won ending, or until mate or stalemate, whichever comes first.
    Conversion,
    /// Until mate or stalemate.
    Mate,
}

/// The outcome of a position for the side to move, and how long it takes with best play of both sides.
///
/// The winner hurries and the loser delays; a position without a legal move is `Loss(0)`. Plies that do not fit are
/// told as [`Value::MOST_PLIES`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// Lost in so many plies.
    Loss(u8),
    /// Drawn.
    Draw,
    /// Won in so many plies.
    Win(u8),
}

impl Value {
    /// The most plies that are told; it stands for more as well.
    pub const MOST_PLIES: u8 = u8::MAX;

    /// Who wins.
    pub fn outcome(self) -> Outcome {
        match self {
            Value::Loss(_) => Outcome::Loss,
            Value::Draw => Outcome::Draw,
            Value::Win(_) => Outcome::Win,
        }
    }

    /// The value of a position, by conversion, from which a move leads to one with this value for the other side;
    /// `is_conversion` tells whether the move captures.
    pub(super) fn before(self, is_conversion: bool) -> Value {
        let longer = |plies: u8| if is_conversion { 1 } else { plies.saturating_add(1) };
        match self {
            Value::Draw => Value::Draw,
            Value::Loss(plies) => Value::Win(longer(plies)),
            Value::Win(plies) => Value::Loss(longer(plies)),
        }
    }

    /// How much a player prefers it: wins soon, then draws, then losses late.
    pub(super) fn preference(self) -> i32 {
        match self {
            Value::Win(plies) => 1000 - i32::from(plies),
            Value::Draw => 0,
            Value::Loss(plies) => i32::from(plies) - 1000,
        }
    }

    /// In how many plies, unless it is a draw.
    pub fn plies(self) -> Option<u8> {
        match self {
            Value::Loss(plies) | Value::Win(plies) => Some(plies),
            Value::Draw => None,
        }
    }
}
