//! Values of captures, and the initial values of a slice.

use super::value::TablebaseValue;
use crate::types::SquareSet;

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
