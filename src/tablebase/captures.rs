//! What the captures of a slice bring, and what is known of it before the first level.

use super::value::Value;
use crate::types::SquareSet;

/// What is known of a slice and side to move before the first level.
pub(super) struct InitialValues {
    /// No legal move.
    pub stuck: SquareSet,
    /// A capture spares from losing, or seems to.
    pub held: SquareSet,
    /// Positions that may be lost although nothing else is decided: only captures are left, and they lose.
    pub may_lose: SquareSet,
    /// By the level at which a capture wins.
    pub wins: Vec<(usize, SquareSet)>,
    /// By the level at which the last capture that spared from losing is seen to lose.
    pub losses: Vec<(usize, SquareSet)>,
}

/// What the captures of a slice lead to.
#[derive(Default)]
pub(super) struct CaptureValues {
    legal: SquareSet,
    draws: SquareSet,
    wins: Vec<(usize, SquareSet)>,
    losses: Vec<(usize, SquareSet)>,
}

impl CaptureValues {
    /// Adds a legal capture in the positions of `rovers` that leads to a position of this value for the other side;
    /// `level` tells at which level so many plies count.
    pub fn add(&mut self, rovers: SquareSet, value: Value, level: impl Fn(u8) -> usize) {
        self.legal |= rovers;
        match value {
            Value::Draw => self.draws |= rovers,
            Value::Loss(plies) => join(&mut self.wins, level(plies), rovers),
            Value::Win(plies) => join(&mut self.losses, level(plies), rovers),
        }
    }

    /// What is known with `moves` the places of the rover for which there is a legal move that captures nothing.
    pub fn beginning(mut self, valid: SquareSet, moves: SquareSet) -> InitialValues {
        let mut won = SquareSet::EMPTY;
        let mut lost = SquareSet::EMPTY;
        self.wins.iter().for_each(|&(_, rovers)| won |= rovers);
        self.losses.iter().for_each(|&(_, rovers)| lost |= rovers);
        // A capture that wins spares from losing as well; of those that lose, the longest counts.
        let never_lost = self.draws | won;
        self.losses.sort_by_key(|&(level, _)| std::cmp::Reverse(level));
        let mut seen = never_lost;
        for (_, rovers) in &mut self.losses {
            *rovers -= seen;
            seen |= *rovers;
        }
        self.losses.retain(|(_, rovers)| !rovers.is_empty());
        InitialValues {
            stuck: valid - moves - self.legal,
            held: never_lost | lost,
            may_lose: lost - never_lost,
            wins: self.wins,
            losses: self.losses,
        }
    }
}

/// Adds places to those of a level.
fn join(levels: &mut Vec<(usize, SquareSet)>, level: usize, rovers: SquareSet) {
    match levels.iter_mut().find(|known| known.0 == level) {
        Some((_, known)) => *known |= rovers,
        None => levels.push((level, rovers)),
    }
}
