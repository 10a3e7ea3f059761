//! Tablebase values: of positions, of captures, and the initial values of a slice.

use std::fmt;

use crate::types::SquareSet;

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

/// Initial values of a slice for one side to move.
pub(super) struct InitialValues {
    /// No legal move (mate or stalemate).
    pub stuck: SquareSet,
    /// A capture avoids losing, or does so until its successor is known to be won.
    pub held: SquareSet,
    /// All legal moves are captures that lose eventually, so these positions may be lost without a decided quiet
    /// successor.
    pub may_lose: SquareSet,
    /// Positions won by a capture, by level.
    pub wins: Vec<(usize, SquareSet)>,
    /// Positions whose last holding capture fails, by level.
    pub losses: Vec<(usize, SquareSet)>,
}

/// Values of the captures of a slice.
#[derive(Default)]
pub(super) struct CaptureValues {
    legal: SquareSet,
    draws: SquareSet,
    wins: Vec<(usize, SquareSet)>,
    losses: Vec<(usize, SquareSet)>,
}

impl CaptureValues {
    /// Adds a legal capture, available with the free piece on `squares`, that leads to a position with this value for
    /// the other side; `level` converts plies to a level.
    pub fn add(&mut self, squares: SquareSet, value: TablebaseValue, level: impl Fn(u8) -> usize) {
        self.legal |= squares;
        match value {
            TablebaseValue::Draw => self.draws |= squares,
            TablebaseValue::Loss(plies) => join(&mut self.wins, level(plies), squares),
            TablebaseValue::Win(plies) => join(&mut self.losses, level(plies), squares),
        }
    }

    /// Computes the initial values; `moves` are the free squares with a legal quiet move.
    pub fn initial_values(mut self, valid: SquareSet, moves: SquareSet) -> InitialValues {
        let mut won = SquareSet::EMPTY;
        let mut lost = SquareSet::EMPTY;
        self.wins.iter().for_each(|&(_, squares)| won |= squares);
        self.losses.iter().for_each(|&(_, squares)| lost |= squares);
        // A winning capture also avoids losing; of losing captures, the longest counts.
        let never_lost = self.draws | won;
        self.losses.sort_by_key(|&(level, _)| std::cmp::Reverse(level));
        let mut assigned = never_lost;
        for (_, squares) in &mut self.losses {
            *squares -= assigned;
            assigned |= *squares;
        }
        self.losses.retain(|(_, squares)| !squares.is_empty());
        InitialValues {
            stuck: valid - moves - self.legal,
            held: never_lost | lost,
            may_lose: lost - never_lost,
            wins: self.wins,
            losses: self.losses,
        }
    }
}

/// Adds squares to a level.
fn join(levels: &mut Vec<(usize, SquareSet)>, level: usize, squares: SquareSet) {
    match levels.iter_mut().find(|known| known.0 == level) {
        Some((_, known)) => *known |= squares,
        None => levels.push((level, squares)),
    }
}
