//! Style of play: the weight of the engine's attack against that of the opponent, and its change during a game.
//!
//! The situation factor a (Li 2010, after earlier work on Xiangqi) weights terms of the engine by a and those of the
//! opponent by 1 − a. Here it weights the attack terms of each side; ½ is the plain evaluation.
//!
//! In the style `dynamic` the factor begins at ½, and when the engine's share of strength has shifted since its last
//! move, the factor changes and the move is searched again ("second evaluation", 二次估值). The share of strength of a
//! side follows from the hand-made evaluation at the end of the line that the search expects. A first search with the
//! old factor takes a quarter of the limits at most; if the share has not shifted, the search goes on from its results.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::game::GameContinuity;
use crate::eval::{EvalConfig, Knowledge, handcrafted};
use crate::position::{Position, exchange_value};
use crate::search::{Budget, Limits, Outcome, SearchConfig, ThreadPool};
use crate::types::{PieceKind, Side, Value};

/// Change of the engine's share, of the material or of strength, from one of its moves to the next, in thousandths,
/// beyond which the factor changes. Early in a game a horse is worth about 23, an advisor 10.
const THRESHOLD: Value = 20;
/// Change of the factor each time, in percent.
const STEP: Value = 5;
/// Minimum and maximum factor in percent.
const RANGE: (Value, Value) = (20, 80);

/// Maximum number of nodes of the first search.
const MAX_FIRST_NODES: u64 = 50_000;
/// Part of the limits that the first search may take.
const FIRST_PART: u32 = 4;

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
    /// The attacks of both sides count the same at first; then the factor follows the game, and moves are searched
    /// again.
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

/// What is known of a game at one of the engine's moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Situation {
    /// Factor in percent.
    factor: Value,
    /// The engine's share of strength at the end of the line expected then, in thousandths; `None` before its first
    /// move.
    share: Option<Value>,
}

/// Situations of the current game, shared with the search in the background.
#[derive(Clone, Debug, Default)]
pub(super) struct Situations(Arc<Mutex<GameContinuity<Situation>>>);

impl Situations {
    /// Returns the weights of Red's and of Black's attack for the next search of `position`, in percent.
    fn attack_percents(&self, position: &Position) -> [Value; 2] {
        percents_of(self.situation(position).factor, position.side())
    }

    fn situation(&self, position: &Position) -> Situation {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).clone().value_of(position, continued)
    }

    /// Searches a first time, decides on the factor, and searches by `search_main`, with the nodes that are left. If
    /// the first search is stopped, its outcome is the result.
    pub(super) fn search(
        &self,
        config: &Arc<SearchConfig>,
        pool: &mut ThreadPool,
        search_main: impl FnOnce(Arc<SearchConfig>, &mut ThreadPool) -> Outcome,
    ) -> Outcome {
        let position = &config.position;
        let before = self.situation(position);
        let first = SearchConfig { limits: first_limits(&config.limits), ..SearchConfig::clone(config) };
        let outcome = pool.search(&Arc::new(first), &mut ());
        // The signals that end the helpers are cleared for the next search.
        pool.collect();
        let signals = &config.shared.signals;
        if signals.is_stopped() {
            return outcome;
        }
        signals.next_search();
        let mut main = SearchConfig::clone(config);
        if let Some(nodes) = &mut main.limits.nodes {
            *nodes = nodes.saturating_sub(outcome.nodes);
        }
        let shift = before.share.map_or(0, |share| share_after(position, &outcome) - share);
        let factor = factor_after(before.factor, shift);
        if factor != before.factor {
            main.eval = EvalConfig::new(main.eval.knowledge(), percents_of(factor, position.side()));
        }
        let main = search_main(Arc::new(main), pool);
        self.set(position, Situation { factor, share: Some(share_after(position, &main)) });
        Outcome { nodes: outcome.nodes + main.nodes, ..main }
    }

    fn set(&self, position: &Position, situation: Situation) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).value_of(position, continued) = situation;
    }
}

/// Returns the weights of Red's and of Black's attack for the factor of a side, in percent.
fn percents_of(factor: Value, side: Side) -> [Value; 2] {
    let mut percents = [2 * (100 - factor); 2];
    percents[side.index()] = 2 * factor;
    percents
}

/// Returns the factor after a change of the engine's share, in thousandths.
fn factor_after(factor: Value, change: Value) -> Value {
    let step = if change.abs() > THRESHOLD { change.signum() * STEP } else { 0 };
    (factor + step).clamp(RANGE.0, RANGE.1)
}

/// Begins the situation of a move with that of the move before.
fn continued(before: Option<(&Position, &Situation)>) -> Situation {
    before.map_or(Situation { factor: Style::Dynamic.factor(), share: None }, |(_, situation)| *situation)
}

/// Returns the limits of the first search.
fn first_limits(limits: &Limits) -> Limits {
    let nodes = limits.nodes.map_or(MAX_FIRST_NODES, |nodes| (nodes / u64::from(FIRST_PART)).min(MAX_FIRST_NODES));
    Limits {
        nodes: Some(nodes),
        depth: limits.depth.map(|depth| depth.div_ceil(2)),
        move_time: Budget::new(limits).map(|budget| budget.optimum / FIRST_PART),
        // The budget is without it already.
        move_overhead: Duration::ZERO,
        clock: None,
        infinite: false,
        mate: None,
        ..limits.clone()
    }
}

/// Returns the share of strength of the side to move of `position` at the end of the line of an outcome, in
/// thousandths.
fn share_after(position: &Position, outcome: &Outcome) -> Value {
    let mut end = position.clone();
    outcome.line.iter().for_each(|mv| end.make(*mv));
    strength_share(&end, position.side())
}

/// Returns the share of strength of a side in thousandths: one half, and half of what the hand-made evaluation says
/// that it is ahead, as a part of all material on the board.
fn strength_share(position: &Position, side: Side) -> Value {
    let value = handcrafted::evaluate(position);
    let ahead = if position.side() == side { value } else { -value };
    let all = material(position, side) + material(position, !side);
    (500 + 500 * ahead / all.max(1)).clamp(0, 1000)
}

/// Returns the exchange values of all pieces of a side but its king, in centipawns.
fn material(position: &Position, side: Side) -> Value {
    let pieces = position.pieces().filter(|(piece, _)| piece.side() == side && piece.kind() != PieceKind::King);
    pieces.map(|(piece, _)| exchange_value(piece.kind())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;

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
    fn the_factor_begins_at_a_half_and_follows_shifts_of_the_share() {
        let mut engine = Engine::with_hash(4).unwrap();
        engine.configure(|options| options.style = Style::Dynamic).unwrap();
        let mut search = |position: &Position| {
            engine.set_position(position.clone());
            engine.search(&Limits::nodes(4_000), &mut ()).unwrap();
            engine.style_state.situations.situation(position)
        };
        let before = position("3ak4/9/4b4/r8/9/9/8R/9/9/3K5 w");
        let begun = search(&before);
        assert_eq!(begun.factor, 50);
        assert!(begun.share.is_some());
        // The only other rook has moved to where the rook takes it.
        let mut lost = before.clone();
        lost.play(["i3i4", "a6a4"]).unwrap();
        let shifted = search(&lost);
        assert!(shifted.factor > 50 && shifted.share > begun.share, "{begun:?} {shifted:?}");
        assert_eq!(search(&Position::start()).factor, 50, "another game");
    }

    #[test]
    fn the_first_search_takes_a_part_of_every_limit() {
        let part = first_limits(&Limits { depth: Some(9), ..Limits::nodes(1_000) });
        assert_eq!((part.nodes, part.depth, part.move_time), (Some(250), Some(5), None));
        assert_eq!(first_limits(&Limits { infinite: true, ..Limits::default() }).nodes, Some(MAX_FIRST_NODES));
        let ms = Duration::from_millis;
        let short = Limits { move_time: Some(ms(20)), move_overhead: ms(30), ..Limits::default() };
        let [all, part] = [&short, &first_limits(&short)].map(|limits| Budget::new(limits).unwrap().maximum);
        assert_eq!((all, part), (ms(8), ms(2)));
        let mut engine = Engine::with_hash(4).unwrap();
        engine.configure(|options| options.style = Style::Dynamic).unwrap();
        let nodes = engine.search(&Limits::nodes(20_000), &mut ()).unwrap().nodes;
        assert!((20_000..=20_600).contains(&nodes), "{nodes} of both searches");
    }
}
