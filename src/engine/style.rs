//! Style of play: the weight of the engine's attack against that of the opponent.
//!
//! The situation factor a (Li 2010, after earlier work on Xiangqi) weights the attack terms of the engine by a and
//! those of the opponent by 1 − a; ½ is the plain evaluation. In the style `dynamic` it begins at ½ and changes when the
//! engine's share of strength has shifted from one search to the next. The share of a side follows from the hand-made
//! evaluation at the end of the line that the search expects. Li's "second evaluation" (二次估值) searches the same move
//! again with the new factor; here the next move uses it.

use super::game::GameContinuity;
use crate::eval::{EvalConfig, Knowledge, handcrafted};
use crate::position::{Position, exchange_value};
use crate::search::Outcome;
use crate::types::{PieceKind, Value};

/// Change of the engine's share of strength from one of its moves to the next, in thousandths, beyond which the factor
/// changes. Early in a game a horse is worth about 23, an advisor 10.
const THRESHOLD: Value = 20;
const STEP: Value = 5;
const MAX_SHIFT: Value = 30;

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
    /// As normal at first; then the factor follows the results of the searches.
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

/// What is known of a game at one of the engine's moves in the style `dynamic`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Situation {
    /// By how much the factor exceeds that of the start, in percent.
    shift: Value,
    /// The engine's share of strength at the end of the line expected then, in thousandths; `None` before its first
    /// move.
    share: Option<Value>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct StyleState(GameContinuity<Situation>);

impl StyleState {
    /// Returns the situation at a move in the style `dynamic`, which becomes the latest: that after the last search of the
    /// game.
    pub(super) fn situation(&mut self, position: &Position) -> Situation {
        *self.0.value_of(position, |before| before.map_or_else(Situation::default, |(_, situation)| *situation))
    }

    pub(super) fn update(&mut self, situation: Situation) {
        self.0.set_latest(situation);
    }

    /// Returns the configuration of the evaluation for a search of `position`.
    pub(super) fn eval_config(&mut self, knowledge: Knowledge, style: Style, position: &Position) -> EvalConfig {
        let shift = if style == Style::Dynamic { self.situation(position).shift } else { 0 };
        let factor = style.factor() + shift;
        let mut percents = [2 * (100 - factor); 2];
        percents[position.side().index()] = 2 * factor;
        EvalConfig::new(knowledge, percents)
    }
}

impl Situation {
    /// Returns the situation after a search, for the next move of the game.
    pub(super) fn after(self, position: &Position, outcome: &Outcome) -> Situation {
        let share = share_after(position, outcome);
        let change = self.share.map_or(0, |earlier| share - earlier);
        let step = if change.abs() > THRESHOLD { change.signum() * STEP } else { 0 };
        Situation { shift: (self.shift + step).clamp(-MAX_SHIFT, MAX_SHIFT), share: Some(share) }
    }
}

/// Returns the share of strength of the side to move at the end of the line of an outcome, in thousandths: one half,
/// and half of what the hand-made evaluation says that it is ahead, as a part of all material on the board.
fn share_after(position: &Position, outcome: &Outcome) -> Value {
    let (mut end, side) = (position.clone(), position.side());
    outcome.line.iter().for_each(|mv| end.make(*mv));
    let value = handcrafted::evaluate(&end);
    let ahead = if end.side() == side { value } else { -value };
    let men = end.pieces().filter(|(piece, _)| piece.kind() != PieceKind::King);
    let material: Value = men.map(|(piece, _)| exchange_value(piece.kind())).sum();
    (500 + 500 * ahead / material.max(1)).clamp(0, 1000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::search::Limits;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).unwrap()
    }

    #[test]
    fn the_factor_begins_at_a_half_and_follows_shifts_of_the_share() {
        let mut engine = Engine::with_hash(4).unwrap();
        engine.configure(|options| options.style = Style::Dynamic).unwrap();
        let mut search = |position: &Position| {
            engine.set_position(position.clone());
            engine.search(&Limits::nodes(4_000), &mut ()).unwrap();
            engine.style_state.situation(position)
        };
        let before = position("3ak4/9/4b4/r8/9/9/8R/9/9/3K5 w");
        let begun = search(&before);
        assert_eq!(begun.shift, 0);
        assert!(begun.share.is_some());
        // The only other rook has moved to where the rook takes it.
        let mut lost = before.clone();
        lost.play(["i3i4", "a6a4"]).unwrap();
        let shifted = search(&lost);
        assert!(shifted.shift > 0 && shifted.share > begun.share, "{begun:?} {shifted:?}");
        assert_eq!(search(&Position::start()).shift, 0, "another game");
    }
}
