//! What a search may conclude from a position that occurs again.

use super::cycle::{loser, violations};
use super::{MoveCount, Rules};
use crate::position::Position;

/// What a recurring position means to a search that has found it.
///
/// A game is judged at the third occurrence (under [`super::RuleSet::League`] at the fourth). A search cannot wait that
/// long: a position that it meets again below its root it could meet over and over, so it anticipates the verdict. For
/// a draw that is right. An offender, however, may turn aside before the violation is complete, and the victim may choose
/// another way round: a decisive verdict is only anticipated when the very same lap begins anew, and no position in it
/// could be judged before it ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recurrence {
    /// It has occurred before, and nothing follows from it yet.
    Open,
    /// The game is a draw.
    Draw,
    /// The opponent of the side to move has committed the graver violation and loses.
    Win,
    /// The side to move has committed the graver violation and loses.
    Loss,
    /// The opponent offends and must turn aside: the side to move has a draw at least.
    AtLeastDraw,
    /// The side to move offends and must turn aside: it has a draw at most.
    AtMostDraw,
}

impl Rules {
    /// What follows for a search from the earlier occurrences of this position, which is `ply` plies below its root;
    /// `None` when there are none. Only plies that can be taken back count: no capture and no null move lies inside a
    /// cycle.
    ///
    /// RepetitionFilter strictly below the root are judged at once, others only as in a game. Ask
    /// [`super::RepetitionFilter::may_contain`] first: this goes through the history.
    #[cold]
    pub fn recurrence(&self, position: &Position, ply: usize, count: MoveCount) -> Option<Recurrence> {
        let mut earlier = earlier_occurrences(position, position.history().len());
        let first = earlier.next()?;
        if first < ply {
            let anticipated = self.judge(position, first);
            let is_final = anticipated == Recurrence::Draw
                || (count.plies() < usize::from(self.move_limit) && begins_same_lap(position, first));
            if is_final {
                return Some(anticipated);
            }
            // A game may be over with a longer cycle.
            return Some(match (self.complete(position), anticipated) {
                (Some(length), _) => self.judge(position, length),
                (None, Recurrence::Win) => Recurrence::AtLeastDraw,
                (None, _) => Recurrence::AtMostDraw,
            });
        }
        Some(self.complete(position).map_or(Recurrence::Open, |length| self.judge(position, length)))
    }

    /// The length of the cycle by which a game is judged, when the position has occurred often enough.
    pub(super) fn complete(&self, position: &Position) -> Option<usize> {
        // This occurrence is one, and the cycle begins at the first of those that are needed.
        earlier_occurrences(position, position.history().len()).nth(self.set.occurrences() - 2)
    }

    /// The verdict on a cycle, seen from the side to move.
    fn judge(&self, position: &Position, length: usize) -> Recurrence {
        match loser(violations(self.set, position, length)) {
            None => Recurrence::Draw,
            Some(side) if side == position.side() => Recurrence::Loss,
            Some(_) => Recurrence::Win,
        }
    }
}

/// How often the position has occurred, itself included.
pub(super) fn occurrences(position: &Position) -> usize {
    1 + earlier_occurrences(position, position.history().len()).count()
}

/// How many plies before the position after `at` moves of the history it occurred, nearest first.
fn earlier_occurrences(position: &Position, at: usize) -> impl Iterator<Item = usize> + '_ {
    let history = position.history();
    let key = history.get(at).map_or(position.key(), |played| played.key);
    let reversible = position.reversible_plies().saturating_sub(history.len() - at);
    // The shortest cycle has four plies: both sides go and return.
    (4..=reversible).step_by(2).filter(move |&length| history[at - length].key == key)
}

/// Whether the last `length` plies are a lap that now begins for the second time: the position has occurred just once
/// before and was reached by the same move, and no position of the lap has occurred more often.
fn begins_same_lap(position: &Position, length: usize) -> bool {
    let history = position.history();
    let now = history.len();
    let is_same_move = now > length && history[now - 1].key == history[now - 1 - length].key;
    is_same_move
        && earlier_occurrences(position, now).count() == 1
        && (2..length).all(|back| earlier_occurrences(position, now - back).next().is_none())
}
