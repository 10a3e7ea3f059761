//! Draws by the rules that end a mating attempt: repetition with the game before, natural move limit and dead material.

use std::cell::Cell;

use crate::position::Position;
use crate::rules::{MoveCount, Rules};
use crate::util::math::GOLDEN_RATIO;

/// Draws during an attempt. A shortest mate repeats no position, so repetitions within the attempt need no test.
pub(super) struct Draws {
    rules: Rules,
    /// Positions of the game that are judged when they occur once more, which is never a mate.
    excluded: Vec<u64>,
    start: usize,
    /// Plies since the last capture at the start that do not count towards the natural move limit.
    uncounted: usize,
    /// The limit may be reached during the attempt.
    is_limit_near: bool,
    was_limit_reached: Cell<bool>,
}

impl Draws {
    /// Returns the draws for an attempt from `position` of at most `plies` plies.
    pub fn new(rules: Rules, position: &Position, plies: usize) -> Draws {
        let history = position.history();
        let recent = &history[history.len() - position.reversible_plies().min(history.len())..];
        let keys = || recent.iter().map(|played| played.key).chain([position.key()]);
        let mut excluded: Vec<u64> =
            keys().filter(|&key| keys().filter(|&other| other == key).count() + 1 >= rules.set.occurrences()).collect();
        excluded.sort_unstable();
        excluded.dedup();
        let counted = MoveCount::new(rules.set, position).plies();
        Draws {
            rules,
            excluded,
            start: history.len(),
            uncounted: position.plies_since_capture().saturating_sub(counted),
            is_limit_near: counted + plies >= usize::from(rules.move_limit),
            was_limit_reached: Cell::new(false),
        }
    }

    /// Tells whether a position with this key may not occur again.
    #[inline]
    pub fn excludes(&self, key: u64) -> bool {
        !self.excluded.is_empty() && self.excluded.contains(&key)
    }

    /// Tells whether the game is drawn at this position of the attempt; `has_move` says whether its side can move.
    #[inline]
    pub fn is_draw(&self, position: &Position, has_move: bool) -> bool {
        if !has_move && (position.in_check() || !self.rules.set.limits_come_first()) {
            return false;
        }
        (self.is_limit_near && self.is_limit_reached(position)) || self.rules.is_dead_unless_mate(position)
    }

    /// Tells whether the natural move limit is reached, if every ply counts: a refutation may be due to this.
    fn is_limit_reached(&self, position: &Position) -> bool {
        let since_capture = position.plies_since_capture();
        let played = position.history().len() - self.start;
        let uncounted = if since_capture > played { self.uncounted } else { 0 };
        let is_reached = since_capture - uncounted.min(since_capture) >= usize::from(self.rules.move_limit);
        if is_reached {
            self.was_limit_reached.set(true);
        }
        is_reached
    }

    pub fn was_limit_reached(&self) -> bool {
        self.was_limit_reached.get()
    }

    /// Returns the change of keys that keeps positions with different move counts apart, where these matter.
    #[inline]
    pub fn salt(&self, plies_since_capture: usize) -> u64 {
        if self.is_limit_near { (plies_since_capture as u64 + 1).wrapping_mul(GOLDEN_RATIO) } else { 0 }
    }
}
