//! Positions that occur again, and who is to blame.

use crate::position::Position;

/// The verdict on the cycle that a recurrence closes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recurrence {
    /// Neither side, or both, checked with every move of the cycle.
    Draw,
    /// The opponent of the side to move checked with every move of the cycle.
    SideToMoveWins,
    /// The side to move checked with every move of the cycle.
    SideToMoveLoses,
}

/// The verdict on the shortest cycle that ends in this position, or `None` when it has not occurred before.
///
/// Only plies that can be taken back count: no capture and no null move lies inside a cycle. A side that checks with
/// every move of the cycle loses, unless both do.
///
/// ```
/// use chuhe::position::Position;
/// use chuhe::rules::{Recurrence, recurrence};
/// let mut position = Position::start();
/// for mv in ["a0a1", "a9a8", "a1a0", "a8a9"] {
///     assert_eq!(recurrence(&position), None);
///     position.make(mv.parse().unwrap());
/// }
/// assert_eq!(recurrence(&position), Some(Recurrence::Draw));
/// ```
#[inline]
pub fn recurrence(position: &Position) -> Option<Recurrence> {
    // The shortest cycle has four plies: both sides go and return.
    let reversible = position.reversible_plies();
    let history = position.history();
    let length = (4..=reversible).step_by(2).find(|&length| history[history.len() - length].key == position.key())?;
    Some(judge(position, length))
}

/// Goes back over a cycle of `length` plies on a copy and asks in every position whether the side to move is in check.
#[cold]
fn judge(position: &Position, length: usize) -> Recurrence {
    let mut scratch = position.with_recent_history(length);
    let mover = position.side();
    let (mut mover_checks, mut opponent_checks) = (true, true);
    for _ in 0..length {
        let checked = scratch.in_check();
        if scratch.side() == mover {
            opponent_checks &= checked;
        } else {
            mover_checks &= checked;
        }
        if !mover_checks && !opponent_checks {
            return Recurrence::Draw;
        }
        scratch.unmake();
    }
    match (mover_checks, opponent_checks) {
        (true, false) => Recurrence::SideToMoveLoses,
        (false, true) => Recurrence::SideToMoveWins,
        _ => Recurrence::Draw,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(fen: &str, moves: &str) -> Position {
        let mut position = Position::from_fen(fen).unwrap();
        for mv in moves.split_whitespace().map(|text| text.parse().unwrap()) {
            assert!(position.is_pseudo_legal(mv) && position.is_legal(mv), "{mv} in {position}");
            position.make(mv);
        }
        position
    }

    #[test]
    fn a_perpetual_check_loses_and_a_mutual_one_draws() {
        // Red's rook checks with every move, Black's king only steps aside.
        let fen = "3k5/R8/9/9/9/9/9/4K4/9/9 w - - 0 1";
        let lap = "a8a9 d9d8 a9a8 d8d9";
        let position = after(fen, lap);
        assert_eq!(recurrence(&position), Some(Recurrence::SideToMoveLoses));
        let position = after(fen, &format!("{lap} a8a9"));
        assert_eq!(recurrence(&position), Some(Recurrence::SideToMoveWins));
        // Both sides check with every move.
        let lap = "d6e4 d7e7 e4d6 e7d7";
        let position = after("3kr4/2N6/1P1c5/3N5/9/9/9/5A3/4K4/3C5 w - - 0 1", lap);
        assert_eq!(recurrence(&position), Some(Recurrence::Draw));
    }

    #[test]
    fn one_quiet_move_in_the_cycle_makes_it_a_draw() {
        let position = after("3k5/9/R8/9/9/9/9/4K4/9/9 w - - 0 1", "a7a9 d9d8 a9a7 d8d9");
        assert_eq!(recurrence(&position), Some(Recurrence::Draw));
    }

    #[test]
    fn neither_captures_nor_null_moves_lie_inside_a_cycle() {
        let mut position = Position::start();
        for mv in ["a0a1", "a9a8"] {
            position.make(mv.parse().unwrap());
        }
        position.make_null(&mut ());
        position.make_null(&mut ());
        for mv in ["a1a0", "a8a9"] {
            position.make(mv.parse().unwrap());
        }
        assert_eq!(recurrence(&position), None);
    }
}
