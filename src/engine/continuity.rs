//! Recognition of a game from one own move to the next.

use arrayvec::ArrayVec;

use crate::position::Position;
use crate::types::Move;

/// Values that belong to a game, found again when a new position continues it.
///
/// Keeps the last two positions with the engine to move, each with a `T`. Two, because the latest may have been a
/// search on the opponent's time for a move that was not played, or an analysis; then the game continues from the
/// other.
#[derive(Clone, Debug)]
pub struct GameContinuity<T> {
    /// The latest first.
    recent: ArrayVec<(Position, T), 2>,
}

impl<T> Default for GameContinuity<T> {
    fn default() -> GameContinuity<T> {
        GameContinuity { recent: ArrayVec::new() }
    }
}

impl<T> GameContinuity<T> {
    /// Returns the value of `position`, which becomes the latest.
    ///
    /// If it is one of the last two positions, its value is kept. Otherwise `begin` makes the value from the preceding
    /// position and its value: the latest of the two from which one move of each side leads here, or none in a new
    /// game.
    ///
    /// ```
    /// use chuhe::engine::GameContinuity;
    /// use chuhe::position::Position;
    /// let mut continuity = GameContinuity::default();
    /// let number = |before: Option<(&Position, &u32)>| before.map_or(1, |(_, number)| number + 1);
    /// let mut position = Position::start();
    /// assert_eq!(*continuity.value_of(&position, number), 1);
    /// position.play(["c3c4", "c6c5"])?;
    /// assert_eq!(*continuity.value_of(&position, number), 2);
    /// assert_eq!(*continuity.value_of(&Position::start(), number), 1, "the same position again");
    /// position.play(["h2e2"])?;
    /// assert_eq!(*continuity.value_of(&position, number), 1, "the other side");
    /// # Ok::<(), chuhe::position::PlayError>(())
    /// ```
    pub fn value_of(&mut self, position: &Position, begin: impl FnOnce(Option<(&Position, &T)>) -> T) -> &mut T {
        // The latest first: in a game of repetitions, the position before last looks like the next one.
        let relation = self.recent.iter().enumerate().find_map(|(index, (earlier, _))| {
            let is_same = earlier.key() == position.key();
            (is_same || moves_between(earlier, position).is_some()).then_some((index, is_same))
        });
        if let Some((index, true)) = relation {
            self.recent.swap(0, index);
        } else {
            let before = relation.map(|(index, _)| index);
            let begun = begin(before.map(|index| (&self.recent[index].0, &self.recent[index].1)));
            // The preceding position is kept; in a new game, the latest of the old one.
            let kept = before.unwrap_or(0);
            let kept = (kept < self.recent.len()).then(|| self.recent.swap_remove(kept));
            self.recent.clear();
            self.recent.push((position.with_recent_history(0), begun));
            self.recent.extend(kept);
        }
        &mut self.recent[0].1
    }
}

/// Returns one move of each side that lead from `earlier` to `position`.
///
/// Found by trying all moves, not by the move history: front ends omit it after captures.
pub(super) fn moves_between(earlier: &Position, position: &Position) -> Option<[Move; 2]> {
    if position.side() != earlier.side() {
        return None;
    }
    let mut walked = earlier.with_recent_history(0);
    earlier.legal_moves().iter().find_map(|&first| {
        walked.make(first);
        let second = walked.legal_moves().into_iter().find(|&mv| walked.key_after(mv) == position.key());
        walked.unmake();
        Some([first, second?])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(moves: &[&str]) -> Position {
        let mut position = Position::start();
        position.play(moves.iter().copied()).unwrap();
        position
    }

    /// The number of the move in its game.
    fn number(before: Option<(&Position, &usize)>) -> usize {
        before.map_or(1, |(_, number)| number + 1)
    }

    #[test]
    fn one_move_of_each_side_continues_the_game_and_nothing_else() {
        let (start, later) = (Position::start(), after(&["c3c4", "c6c5"]));
        assert_eq!(moves_between(&start, &later).unwrap().map(|mv| mv.to_string()), ["c3c4", "c6c5"]);
        for (earlier, position) in [(&later, &start), (&start, &start), (&start, &after(&["c3c4"]))] {
            assert_eq!(moves_between(earlier, position), None);
        }
    }

    #[test]
    fn a_game_of_repetitions_continues() {
        let mut continuity = GameContinuity::default();
        let shuffle = ["a0a1", "a9a8", "a1a0", "a8a9"];
        for turn in 0..9 {
            let moves: Vec<&str> = shuffle.iter().copied().cycle().take(2 * turn).collect();
            assert_eq!(*continuity.value_of(&after(&moves), number), turn + 1);
            assert_eq!(*continuity.value_of(&after(&moves), number), turn + 1, "the same position again");
        }
    }

    #[test]
    fn searches_of_other_positions_do_not_end_the_game() {
        let mut continuity = GameContinuity::default();
        assert_eq!(*continuity.value_of(&Position::start(), number), 1);
        // Pondering expected another reply than the one played.
        assert_eq!(*continuity.value_of(&after(&["h2e2", "h9g7"]), number), 2);
        assert_eq!(*continuity.value_of(&after(&["h2e2", "b9c7"]), number), 2);
        // An analysis of something else, with the other side to move.
        assert_eq!(*continuity.value_of(&after(&["a0a1"]), number), 1);
        assert_eq!(*continuity.value_of(&after(&["h2e2", "b9c7", "h0g2", "h9g7"]), number), 3);
        // After two unrelated positions the game is forgotten.
        assert_eq!(*continuity.value_of(&after(&["a0a1"]), number), 1);
        assert_eq!(*continuity.value_of(&after(&["a0a2"]), number), 1);
        assert_eq!(*continuity.value_of(&after(&["h2e2", "b9c7", "h0g2", "h9g7", "i0h0", "i9i8"]), number), 1);
    }
}
