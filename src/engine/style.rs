//! The style of play: how much the own attack counts against the opponent's, and how that shifts with the fortunes of
//! the game.
//!
//! The situation factor a (Li 2010, after earlier work on Xiangqi) weighs what is one's own by a and what is the
//! opponent's by 1 − a. Here it weighs what each side has against the enemy king; ½ is the plain evaluation.

use super::continuity::MoveContinuity;
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
pub(super) struct StyleState {
    /// The factor at each turn, in percent.
    factors: MoveContinuity<Value>,
}

impl StyleState {
    /// The side to move of `position` is about to search for its move. Gives back what the attacks of Red and of Black
    /// count for it, in percent of what they are worth.
    ///
    /// When its share of the material has risen (or fallen) by more than the threshold since its last move, its attack
    /// counts more (or less) from now on. A position that follows from neither of the last two turns begins anew.
    pub(super) fn turn(&mut self, style: Style, position: &Position) -> [Value; 2] {
        if style == Style::Normal {
            return [100; 2];
        }
        let side = position.side();
        let factor = *self.factors.turn(position, |before| {
            before.map_or(style.factor(), |(earlier, factor)| {
                factor_after(*factor, share(position, side) - share(earlier, side))
            })
        });
        let mut percents = [2 * (100 - factor); 2];
        percents[side.index()] = 2 * factor;
        percents
    }
}

/// The factor after the own share of the material has changed by so many thousandths.
fn factor_after(factor: Value, change: Value) -> Value {
    let step = if change.abs() > THRESHOLD { change.signum() * STEP } else { 0 };
    (factor + step).clamp(RANGE.0, RANGE.1)
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
        assert_eq!(StyleState::default().turn(Style::Risky, &start), [130, 70]);
        assert_eq!(StyleState::default().turn(Style::Risky, &after), [70, 130]);
        assert_eq!(StyleState::default().turn(Style::Solid, &start), [70, 130]);
        assert_eq!(StyleState::default().turn(Style::Normal, &after), [100, 100]);
    }

    #[test]
    fn the_factor_follows_a_shift_of_strength_within_one_game() {
        // Red takes a horse.
        let (before, after) = (position(BEFORE), position(AFTER));
        let mut situation = StyleState::default();
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
        let mut situation = StyleState::default();
        assert_eq!(situation.turn(Style::Solid, &before), [70, 130]);
        assert_eq!(situation.turn(Style::Solid, &after), [60, 140]);
        assert_eq!(situation.turn(Style::Normal, &after), [100, 100]);
    }

    #[test]
    fn thinking_of_what_is_not_played_does_not_break_the_game_off() {
        let before = position(BEFORE);
        let mut situation = StyleState::default();
        assert_eq!(situation.turn(Style::Risky, &before), [130, 70]);
        // On the opponent's time another reply was expected than the one that came.
        let mut expected = before.clone();
        expected.play(["c1c5", "e9f9"]).unwrap();
        assert_eq!(situation.turn(Style::Risky, &expected), [140, 60]);
        let mut played = before.clone();
        played.play(["c1c5", "e9e8"]).unwrap();
        assert_eq!(situation.turn(Style::Risky, &played), [140, 60]);
        // An analysis of something else.
        assert_eq!(situation.turn(Style::Risky, &Position::start()), [130, 70]);
        let mut quiet = played.clone();
        quiet.play(["d0d1", "e8e9"]).unwrap();
        assert_eq!(situation.turn(Style::Risky, &quiet), [140, 60]);
        // What was expected came.
        let mut later = quiet.clone();
        later.play(["d1d0", "e9e8"]).unwrap();
        assert_eq!(situation.turn(Style::Risky, &later), [140, 60]);
    }

    #[test]
    fn the_factor_stays_in_its_range() {
        let walk = |style: Style, change| (0..20).fold(style.factor(), |factor, _| factor_after(factor, change));
        assert_eq!(walk(Style::Risky, THRESHOLD + 1), RANGE.1);
        assert_eq!(walk(Style::Solid, -THRESHOLD - 1), RANGE.0);
        assert_eq!(walk(Style::Solid, THRESHOLD), Style::Solid.factor());
    }
}
