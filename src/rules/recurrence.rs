//! Repeated positions in a search: conclusions from them, and a filter of positions that have certainly not occurred.

use super::cycle::{loser, violations};
use super::{MoveCount, RuleSet, Rules};
use crate::position::Position;

/// Result of a repeated position for a search.
///
/// A game is judged at the third occurrence (under [`super::RuleSet::League`] at the fourth), which a search
/// anticipates: for a draw that is right. But a violator may deviate before the violation is complete, and the other
/// side may choose another cycle. So a decisive verdict is only anticipated when the very same cycle begins again and
/// no position in it could be judged before it ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recurrence {
    /// Repeated, but nothing follows from it yet.
    Open,
    /// The game is a draw.
    Draw,
    /// The opponent of the side to move has committed the more serious violation and loses.
    Win,
    /// The side to move has committed the more serious violation and loses.
    Loss,
    /// The opponent violates the rules and must deviate: the side to move has at least a draw.
    AtLeastDraw,
    /// The side to move violates the rules and must deviate: it has at most a draw.
    AtMostDraw,
}

impl Rules {
    /// Returns the result of the earlier occurrences of this position, which is `ply` plies below the root of the
    /// search; `None` when there are none. Repetitions strictly below the root are judged at once, others only as in a
    /// game. Scans the history: call [`super::RepetitionFilter::may_contain`] first.
    #[cold]
    pub fn recurrence(&self, position: &Position, ply: usize, count: MoveCount) -> Option<Recurrence> {
        let mut earlier = earlier_occurrences(position, position.history().len());
        let first = earlier.next()?;
        if first < ply {
            let anticipated = self.judge(position, first);
            let is_final = anticipated == Recurrence::Draw
                || (count.plies() < usize::from(self.move_limit)
                    && begins_same_cycle(position, first)
                    && (self.set != RuleSet::Axf || self.holds_a_ply_earlier(position, first, anticipated)));
            if is_final {
                return Some(anticipated);
            }
            // A longer cycle may be complete in the game.
            return Some(match (self.complete_cycle(position), anticipated) {
                (Some(length), _) => self.judge(position, length),
                (None, Recurrence::Win) => Recurrence::AtLeastDraw,
                (None, _) => Recurrence::AtMostDraw,
            });
        }
        Some(self.complete_cycle(position).map_or(Recurrence::Open, |length| self.judge(position, length)))
    }

    /// Returns the length of the cycle by which a game is judged, when the position has occurred often enough.
    pub(super) fn complete_cycle(&self, position: &Position) -> Option<usize> {
        // The current occurrence is one of them, and the cycle begins at the first.
        earlier_occurrences(position, position.history().len()).nth(self.set.occurrences() - 2)
    }

    /// Tells whether the cycle has this result when judged before its last move too: under [`RuleSet::Axf`] the move
    /// before the cycle counts, so that a game may end in a draw a ply before the result that the search expects.
    fn holds_a_ply_earlier(&self, position: &Position, length: usize, result: Recurrence) -> bool {
        let mut before = position.with_recent_history(length + 2);
        before.unmake();
        // For the other side, so that a win here is a loss there.
        let earlier = self.judge(&before, length);
        earlier != Recurrence::Draw && earlier != result
    }

    fn judge(&self, position: &Position, length: usize) -> Recurrence {
        match loser(violations(self.set, position, length)) {
            None => Recurrence::Draw,
            Some(side) if side == position.side() => Recurrence::Loss,
            Some(_) => Recurrence::Win,
        }
    }
}

pub(super) fn occurrences(position: &Position) -> usize {
    1 + earlier_occurrences(position, position.history().len()).count()
}

/// Iterates over the distances in plies from the position after `at` moves to its earlier occurrences, nearest first.
fn earlier_occurrences(position: &Position, at: usize) -> impl Iterator<Item = usize> + '_ {
    let history = position.history();
    let key = history.get(at).map_or(position.key(), |played| played.key);
    let reversible = position.reversible_plies().saturating_sub(history.len() - at);
    // The shortest cycle has four plies: both sides move and return.
    (4..=reversible).step_by(2).filter(move |&length| history[at - length].key == key)
}

/// Tells whether the last `length` plies are a cycle that now begins for the second time: the position has occurred
/// just once before and was reached by the same move, and no position of the cycle has occurred more often.
fn begins_same_cycle(position: &Position, length: usize) -> bool {
    let history = position.history();
    let now = history.len();
    let is_same_move = now > length && history[now - 1].key == history[now - 1 - length].key;
    is_same_move
        && earlier_occurrences(position, now).count() == 1
        && (2..length).all(|back| earlier_occurrences(position, now - back).next().is_none())
}

/// Number of counters. A line of the search has some hundred positions at most, so nearly all counters are 0.
const SIZE: usize = 1 << 12;

/// Occurrences of positions, counted by the low bits of their keys: only a count of 0 is certain.
pub struct RepetitionFilter(Box<[u8; SIZE]>);

impl RepetitionFilter {
    /// Clears the filter and enters the positions of a game, which must not be removed again.
    pub fn reset(&mut self, keys: impl Iterator<Item = u64>) {
        self.0.fill(0);
        for key in keys {
            // One is enough, and a whole line of the search cannot overflow the counter.
            self.0[Self::index(key)] = 1;
        }
    }

    /// Adds the position before a move.
    #[inline(always)]
    pub fn enter(&mut self, key: u64) {
        let count = &mut self.0[Self::index(key)];
        *count = count.wrapping_add(1);
    }

    /// Removes it when the move is unmade.
    #[inline(always)]
    pub fn leave(&mut self, key: u64) {
        let count = &mut self.0[Self::index(key)];
        *count = count.wrapping_sub(1);
    }

    /// Tells whether a position with this key may have occurred.
    #[inline(always)]
    pub fn may_contain(&self, key: u64) -> bool {
        self.0[Self::index(key)] != 0
    }

    #[inline(always)]
    fn index(key: u64) -> usize {
        key as usize % SIZE
    }
}

impl Default for RepetitionFilter {
    fn default() -> RepetitionFilter {
        RepetitionFilter(Box::new([0; SIZE]))
    }
}
