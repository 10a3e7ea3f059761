//! The style of play: how much the own attack counts against the opponent's, and how that shifts with the fortunes of
//! the game.
//!
//! The situation factor a of the literature (Zhang 2006, Li 2010) weighs what is one's own by a and what is the
//! opponent's by 1 − a. Here it weighs what each side has against the enemy king; ½ is the plain evaluation.

use crate::position::{Position, exchange_value};
use crate::types::{PieceKind, Side, Value};

/// How the engine likes to play.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// It thinks of the safety of its own king first.
    Solid,
    /// Attacks of both sides count the same.
    #[default]
    Normal,
    /// It thinks of its own attack first.
    Risky,
}

impl Style {
    /// Names and styles.
    pub const NAMED: [(&'static str, Style); 3] =
        [("solid", Style::Solid), ("normal", Style::Normal), ("risky", Style::Risky)];

    /// The situation factor at the beginning of a game, in percent.
    pub const fn factor(self) -> Value {
        match self {
            Style::Solid => 35,
            Style::Normal => 50,
            Style::Risky => 65,
        }
    }
}

/// By how many thousandths the own share of the material must change from one own move to the next for the factor to
/// follow. Early in a game a horse more or less is about 23, an advisor 10.
const THRESHOLD: Value = 20;
/// How far the factor follows each time, in percent.
const STEP: Value = 5;
/// The least and the greatest factor in percent.
const RANGE: (Value, Value) = (20, 80);

/// The situation of the side that the engine plays.
#[derive(Clone, Debug, Default)]
pub(super) struct Situation {
    /// Where it stood at its last move, and the factor then.
    last: Option<(Position, Value)>,
}

impl Situation {
    /// The side to move of `position` is about to search for its move. Gives back what the attacks of Red and of Black
    /// count for it, in percent of what they are worth.
    ///
    /// When its share of the material has risen (or fallen) by more than the threshold since its last move, its attack
    /// counts more (or less) from now on. A position that does not follow from the last one begins anew.
    pub(super) fn turn(&mut self, style: Style, position: &Position) -> [Value; 2] {
        if style == Style::Normal {
            return [100; 2];
        }
        let side = position.side();
        let factor = match self.last.take() {
            Some((last, factor)) if last.key() == position.key() => factor,
            Some((last, factor)) if follows(position, &last) => {
                let change = share(position, side) - share(&last, side);
                let step = if change.abs() > THRESHOLD { change.signum() * STEP } else { 0 };
                (factor + step).clamp(RANGE.0, RANGE.1)
            }
            _ => style.factor(),
        };
        self.last = Some((position.with_recent_history(0), factor));
        let mut percents = [2 * (100 - factor); 2];
        percents[side.index()] = 2 * factor;
        percents
    }
}

/// Thousandths of all material that `side` has.
fn share(position: &Position, side: Side) -> Value {
    let men = |wanted: Side| -> Value {
        let men = position.pieces().filter(|(piece, _)| piece.side() == wanted && piece.kind() != PieceKind::King);
        men.map(|(piece, _)| exchange_value(piece.kind())).sum()
    };
    let (own, other) = (men(side), men(!side));
    own * 1000 / (own + other).max(1)
}

/// Whether one move of each side leads from `earlier` to `position`.
///
/// Told by looking, not from the history of the moves: front ends leave that out after captures.
///
/// ```
/// use chuhe::engine::follows;
/// use chuhe::position::Position;
/// let earlier = Position::start();
/// let mut later = earlier.clone();
/// later.play(["c3c4", "c6c5"])?;
/// assert!(follows(&later, &earlier) && !follows(&earlier, &later) && !follows(&earlier, &earlier));
/// # Ok::<(), chuhe::position::PlayError>(())
/// ```
pub fn follows(position: &Position, earlier: &Position) -> bool {
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

    /// Two positions of one game with two plies between, in which Red takes a horse.
    const BEFORE: &str = "3ak4/9/9/9/2n6/9/9/9/2R6/3K5 w";
    const AFTER: &str = "3a1k3/9/9/9/2R6/9/9/9/9/3K5 w";

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).unwrap()
    }

    #[test]
    fn the_own_side_is_the_one_to_move_at_the_root() {
        let start = Position::start();
        let mut after = start.clone();
        after.play(["h2e2"]).unwrap();
        assert_eq!(Situation::default().turn(Style::Risky, &start), [130, 70]);
        assert_eq!(Situation::default().turn(Style::Risky, &after), [70, 130]);
        assert_eq!(Situation::default().turn(Style::Solid, &start), [70, 130]);
        assert_eq!(Situation::default().turn(Style::Normal, &after), [100, 100]);
    }

    #[test]
    fn the_factor_follows_a_shift_of_strength_within_one_game() {
        // Red takes a horse.
        let (before, after) = (position(BEFORE), position(AFTER));
        let mut situation = Situation::default();
        assert_eq!(situation.turn(Style::Risky, &before), [130, 70]);
        assert_eq!(situation.turn(Style::Risky, &before), [130, 70], "the same move again");
        assert_eq!(situation.turn(Style::Risky, &after), [140, 60]);
        let mut quiet = after.clone();
        quiet.play(["d0d1", "f9f8"]).unwrap();
        assert_eq!(situation.turn(Style::Risky, &quiet), [140, 60], "nothing shifted");
        assert_eq!(situation.turn(Style::Risky, &before), [130, 70], "another game");
        // Red loses one.
        let before = position("2rak4/9/9/9/2N6/9/9/9/9/3K5 w");
        let mut after = before.clone();
        after.play(["d0d1", "c9c5"]).unwrap();
        let mut situation = Situation::default();
        assert_eq!(situation.turn(Style::Solid, &before), [70, 130]);
        assert_eq!(situation.turn(Style::Solid, &after), [60, 140]);
        assert_eq!(situation.turn(Style::Normal, &after), [100, 100]);
    }

    #[test]
    fn the_factor_stays_in_its_range() {
        let (before, after) = (position(BEFORE), position(AFTER));
        let mut situation = Situation::default();
        for _ in 0..9 {
            situation.last = Some((before.clone(), situation.last.as_ref().map_or(65, |(_, factor)| *factor)));
            situation.turn(Style::Risky, &after);
        }
        assert_eq!(situation.last.map(|(_, factor)| factor), Some(RANGE.1));
    }
}
