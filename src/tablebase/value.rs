//! Tablebase values.

use std::fmt;

/// Outcome with best play.
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

/// Metric of the plies of a [`TablebaseValue`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Metric {
    /// Distance to conversion: plies to a capture into a won ending, or to mate or stalemate, whichever comes first.
    Conversion,
    /// Distance to mate: plies to mate or stalemate.
    Mate,
}

/// Outcome for the side to move, with the distance under best play of both sides.
///
/// The winner minimises the distance and the loser maximises it; a position without a legal move is `Loss(0)`. Larger
/// distances saturate at [`TablebaseValue::MAX_PLIES`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TablebaseValue {
    /// Lost, with the distance in plies.
    Loss(u8),
    /// Drawn.
    Draw,
    /// Won, with the distance in plies.
    Win(u8),
}

impl TablebaseValue {
    /// Maximum stored distance; also stands for larger ones.
    pub const MAX_PLIES: u8 = u8::MAX;

    /// Outcome without the distance.
    pub fn outcome(self) -> Outcome {
        match self {
            TablebaseValue::Loss(_) => Outcome::Loss,
            TablebaseValue::Draw => Outcome::Draw,
            TablebaseValue::Win(_) => Outcome::Win,
        }
    }

    /// Returns the value before a move that leads to a position with this value for the other side; `is_conversion` is
    /// set if the move is a conversion.
    pub(super) fn before(self, is_conversion: bool) -> TablebaseValue {
        let longer = |plies: u8| if is_conversion { 1 } else { plies.saturating_add(1) };
        match self {
            TablebaseValue::Draw => TablebaseValue::Draw,
            TablebaseValue::Loss(plies) => TablebaseValue::Win(longer(plies)),
            TablebaseValue::Win(plies) => TablebaseValue::Loss(longer(plies)),
        }
    }

    /// Sort key, larger is better: fast wins, slow wins, draws, late losses, early losses.
    pub(super) fn sort_key(self) -> i32 {
        match self {
            TablebaseValue::Win(plies) => 1000 - i32::from(plies),
            TablebaseValue::Draw => 0,
            TablebaseValue::Loss(plies) => i32::from(plies) - 1000,
        }
    }

    /// Distance in plies; `None` for a draw.
    pub fn plies(self) -> Option<u8> {
        match self {
            TablebaseValue::Loss(plies) | TablebaseValue::Win(plies) => Some(plies),
            TablebaseValue::Draw => None,
        }
    }
}
