//! The own turns of a game, and what is to be remembered of each.

use arrayvec::ArrayVec;

use crate::position::Position;

/// The last two positions in which the own side was to move, each with a `T`.
///
/// Two, because the latest may have been a search on the opponent's time for a move that was not played, or an
/// analysis; then the game goes on from the other.
#[derive(Clone, Debug)]
pub struct MoveContinuity<T> {
    /// The latest first.
    recent: ArrayVec<(Position, T), 2>,
}

impl<T> Default for MoveContinuity<T> {
    fn default() -> MoveContinuity<T> {
        MoveContinuity { recent: ArrayVec::new() }
    }
}

impl<T> MoveContinuity<T> {
    /// What is remembered of the turn in `position`, which becomes the latest.
    ///
    /// If that is one of the last two, it is what it was. Otherwise `begin` makes it from the turn before: from the
    /// last position, or else the one before it, that one move of each side leads here from; from nothing in a new
    /// game.
    ///
    /// ```
    /// use chuhe::engine::MoveContinuity;
    /// use chuhe::position::Position;
    /// let mut turns = MoveContinuity::default();
    /// let number = |before: Option<(&Position, &u32)>| before.map_or(1, |(_, number)| number + 1);
    /// let mut position = Position::start();
    /// assert_eq!(*turns.turn(&position, number), 1);
    /// position.play(["c3c4", "c6c5"])?;
    /// assert_eq!(*turns.turn(&position, number), 2);
    /// assert_eq!(*turns.turn(&Position::start(), number), 1, "the same turn again");
    /// position.play(["h2e2"])?;
    /// assert_eq!(*turns.turn(&position, number), 1, "the other side");
    /// # Ok::<(), chuhe::position::PlayError>(())
    /// ```
    pub fn turn(&mut self, position: &Position, begin: impl FnOnce(Option<(&Position, &T)>) -> T) -> &mut T {
        // The latest first: in a game that goes to and fro, the turn before last looks like the next one.
        let relation = self.recent.iter().enumerate().find_map(|(place, (earlier, _))| {
            let is_same = earlier.key() == position.key();
            (is_same || follows(position, earlier)).then_some((place, is_same))
        });
        if let Some((place, true)) = relation {
            self.recent.swap(0, place);
        } else {
            let before = relation.map(|(place, _)| place);
            let begun = begin(before.map(|place| (&self.recent[place].0, &self.recent[place].1)));
            // The turn before is kept; where the game is a new one, the latest of the old.
            let kept = before.unwrap_or(0);
            let kept = (kept < self.recent.len()).then(|| self.recent.swap_remove(kept));
            self.recent.clear();
            self.recent.push((position.with_recent_history(0), begun));
            self.recent.extend(kept);
        }
        &mut self.recent[0].1
    }
}

/// Whether one move of each side leads from `earlier` to `position`.
///
/// Told by looking, not from the history of the moves: front ends leave that out after captures.
fn follows(position: &Position, earlier: &Position) -> bool {
    if position.side() != earlier.side() {
        return false;
    }
    let mut walked = earlier.with_recent_history(0);
    let is_one_move_away =
        |walked: &Position| walked.legal_moves().iter().any(|&mv| walked.key_after(mv) == position.key());
    earlier.legal_moves().iter().any(|&mv| {
        walked.make(mv);
        let is_found = is_one_move_away(&walked);
        walked.unmake();
        is_found
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

    /// The number of the turn in its game.
    fn number(before: Option<(&Position, &usize)>) -> usize {
        before.map_or(1, |(_, number)| number + 1)
    }

    #[test]
    fn one_move_of_each_side_leads_on_and_nothing_else() {
        let (start, later) = (Position::start(), after(&["c3c4", "c6c5"]));
        assert!(follows(&later, &start));
        assert!(!follows(&start, &later) && !follows(&start, &start) && !follows(&after(&["c3c4"]), &start));
    }

    #[test]
    fn a_game_that_goes_to_and_fro_goes_on() {
        let mut turns = MoveContinuity::default();
        let shuffle = ["a0a1", "a9a8", "a1a0", "a8a9"];
        for turn in 0..9 {
            let moves: Vec<&str> = shuffle.iter().copied().cycle().take(2 * turn).collect();
            assert_eq!(*turns.turn(&after(&moves), number), turn + 1);
            assert_eq!(*turns.turn(&after(&moves), number), turn + 1, "the same turn again");
        }
    }

    #[test]
    fn what_was_only_thought_of_does_not_break_the_game_off() {
        let mut turns = MoveContinuity::default();
        assert_eq!(*turns.turn(&Position::start(), number), 1);
        // Another reply was expected than the one that came.
        assert_eq!(*turns.turn(&after(&["h2e2", "h9g7"]), number), 2);
        assert_eq!(*turns.turn(&after(&["h2e2", "b9c7"]), number), 2);
        // An analysis of something else, with the other side to move.
        assert_eq!(*turns.turn(&after(&["a0a1"]), number), 1);
        assert_eq!(*turns.turn(&after(&["h2e2", "b9c7", "h0g2", "h9g7"]), number), 3);
        // Two positions that lead nowhere, and the game is forgotten.
        assert_eq!(*turns.turn(&after(&["a0a1"]), number), 1);
        assert_eq!(*turns.turn(&after(&["a0a2"]), number), 1);
        assert_eq!(*turns.turn(&after(&["h2e2", "b9c7", "h0g2", "h9g7", "i0h0", "i9i8"]), number), 1);
    }
}
