//! Style of play: the weight of the engine's attack against that of the opponent, and its change during a game.
//!
//! The situation factor a (Li 2010, after earlier work on Xiangqi) weights terms of the engine by a and those of the
//! opponent by 1 − a. Here it weights the attack terms of each side; ½ is the plain evaluation.

use super::continuity::GameContinuity;
use super::situation::{Situations, factor_after, material, percents_of};
use crate::eval::{EvalConfig, Knowledge};
use crate::position::Position;
use crate::types::{Side, Value};

/// Style of play.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// King safety counts more.
    Solid,
    /// The attacks of both sides count the same.
    #[default]
    Normal,
    /// Attacks of the engine count more.
    Risky,
    /// The attacks of both sides count the same at first; then the factor follows the game (see [`super::situation`]).
    Dynamic,
}

impl Style {
    /// Names and styles.
    pub const NAMED: [(&'static str, Style); 4] =
        [("solid", Style::Solid), ("normal", Style::Normal), ("risky", Style::Risky), ("dynamic", Style::Dynamic)];

    /// The situation factor at the start of a game, in percent.
    pub const fn factor(self) -> Value {
        match self {
            Style::Solid => 35,
            Style::Normal | Style::Dynamic => 50,
            Style::Risky => 65,
        }
    }
}

/// Situation factor of the side that the engine plays.
#[derive(Clone, Debug, Default)]
pub(super) struct StyleState {
    /// The factor at each of the engine's moves, in percent.
    factors: GameContinuity<Value>,
    /// The situations in the style that follows the game.
    pub(super) situations: Situations,
}

impl StyleState {
    /// Returns the configuration of the evaluation for a search of `position` and updates the factor.
    pub(super) fn eval_config(&mut self, knowledge: Knowledge, style: Style, position: &Position) -> EvalConfig {
        EvalConfig::new(knowledge, self.attack_percents(style, position))
    }

    /// Returns the weights of Red's and of Black's attack in a search for the side to move of `position`, in percent.
    ///
    /// When its share of the material has risen (or fallen) by more than the threshold since its last move, its attack
    /// counts more (or less) from now on. A position that follows from neither of its last two starts a new game.
    fn attack_percents(&mut self, style: Style, position: &Position) -> [Value; 2] {
        match style {
            Style::Normal => return [100; 2],
            Style::Dynamic => return self.situations.attack_percents(position),
            Style::Solid | Style::Risky => {}
        }
        let side = position.side();
        let factor = *self.factors.value_of(position, |before| {
            before.map_or(style.factor(), |(earlier, factor)| {
                factor_after(*factor, material_share(position, side) - material_share(earlier, side))
            })
        });
        percents_of(factor, side)
    }
}

/// Returns the share of `side` in all material, in thousandths.
fn material_share(position: &Position, side: Side) -> Value {
    let (own, other) = (material(position, side), material(position, !side));
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
        assert_eq!(StyleState::default().attack_percents(Style::Risky, &start), [130, 70]);
        assert_eq!(StyleState::default().attack_percents(Style::Risky, &after), [70, 130]);
        assert_eq!(StyleState::default().attack_percents(Style::Solid, &start), [70, 130]);
        assert_eq!(StyleState::default().attack_percents(Style::Normal, &after), [100, 100]);
    }

    #[test]
    fn the_factor_follows_a_change_of_material_within_one_game() {
        // Red takes a horse.
        let (before, after) = (position(BEFORE), position(AFTER));
        let mut state = StyleState::default();
        assert_eq!(state.attack_percents(Style::Risky, &before), [130, 70]);
        assert_eq!(state.attack_percents(Style::Risky, &before), [130, 70], "the same move again");
        assert_eq!(state.attack_percents(Style::Risky, &after), [140, 60]);
        let mut quiet = after.clone();
        quiet.play(["d0d1", "f9f8"]).unwrap();
        assert_eq!(state.attack_percents(Style::Risky, &quiet), [140, 60], "no change");
        assert_eq!(state.attack_percents(Style::Risky, &before), [130, 70], "another game");
        // Red loses one.
        let before = position("2rak4/9/9/9/2N6/9/9/9/9/3K5 w");
        let mut after = before.clone();
        after.play(["d0d1", "c9c5"]).unwrap();
        let mut state = StyleState::default();
        assert_eq!(state.attack_percents(Style::Solid, &before), [70, 130]);
        assert_eq!(state.attack_percents(Style::Solid, &after), [60, 140]);
        assert_eq!(state.attack_percents(Style::Normal, &after), [100, 100]);
    }

    #[test]
    fn searches_of_other_positions_do_not_end_the_game() {
        let before = position(BEFORE);
        let mut state = StyleState::default();
        assert_eq!(state.attack_percents(Style::Risky, &before), [130, 70]);
        // Pondering expected another reply than the one played.
        let mut expected = before.clone();
        expected.play(["c1c5", "e9f9"]).unwrap();
        assert_eq!(state.attack_percents(Style::Risky, &expected), [140, 60]);
        let mut played = before.clone();
        played.play(["c1c5", "e9e8"]).unwrap();
        assert_eq!(state.attack_percents(Style::Risky, &played), [140, 60]);
        // An analysis of something else.
        assert_eq!(state.attack_percents(Style::Risky, &Position::start()), [130, 70]);
        let mut quiet = played.clone();
        quiet.play(["d0d1", "e8e9"]).unwrap();
        assert_eq!(state.attack_percents(Style::Risky, &quiet), [140, 60]);
        // The expected reply was played.
        let mut later = quiet.clone();
        later.play(["d1d0", "e9e8"]).unwrap();
        assert_eq!(state.attack_percents(Style::Risky, &later), [140, 60]);
    }
}
