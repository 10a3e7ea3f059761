//! Style of play: the weight of the engine's attack against that of the opponent, and its change during a game.
//!
//! The situation factor a (Li 2010, after earlier work on Xiangqi) weights the attack terms of the engine by a and
//! those of the opponent by 1 − a; ½ is the plain evaluation. In the style `dynamic` it begins at ½, and when the
//! engine's share of strength has shifted since its last move, it changes and the move is searched again ("second
//! evaluation", 二次估值). The share of a side follows from the hand-made evaluation at the end of the line that the search
//! expects. A first search with the old factor takes a quarter of the limits at most; if the share has not shifted, the
//! search goes on from its results.

use std::sync::Arc;
use std::time::Duration;

use super::game::GameContinuity;
use super::search_pool::SearchPool;
use crate::eval::{EvalConfig, Knowledge, handcrafted};
use crate::position::{Position, exchange_value};
use crate::search::{Budget, Limits, Outcome, SearchConfig};
use crate::types::{PieceKind, Side, Value};

/// Change of the engine's share, of the material or of strength, from one of its moves to the next, in thousandths,
/// beyond which the factor changes. Early in a game a horse is worth about 23, an advisor 10.
const THRESHOLD: Value = 20;
const STEP: Value = 5;
const RANGE: (Value, Value) = (20, 80);

const MAX_FIRST_NODES: u64 = 50_000;
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
    /// As normal at first; then the factor follows the game, and moves are searched again.
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

/// What is known of a game at one of the engine's moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Situation {
    factor: Value,
    /// The engine's share in thousandths: of the material now, or in the style `dynamic` of strength at the end of the
    /// line that was expected then. `None` before its first move in that style.
    share: Option<Value>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct StyleState(GameContinuity<Situation>);

impl StyleState {
    /// Returns the situation at a move, which becomes the latest. When the engine's share of the material has risen (or
    /// fallen) by more than the threshold since its last move, its attack counts more (or less) from now on. In the
    /// style `dynamic` the search decides about the factor.
    pub(super) fn situation(&mut self, style: Style, position: &Position) -> Situation {
        let share = || material_share(position, position.side());
        *self.0.value_of(position, |before| match before {
            None => Situation { factor: style.factor(), share: (style != Style::Dynamic).then(share) },
            Some((_, Situation { factor, share: Some(earlier) })) if style != Style::Dynamic => {
                Situation { factor: factor_after(*factor, share() - earlier), share: Some(share()) }
            }
            Some((_, situation)) => *situation,
        })
    }

    pub(super) fn update(&mut self, situation: Situation) {
        self.0.set_latest(situation);
    }

    /// Returns the configuration of the evaluation for a search of `position` and updates the factor.
    pub(super) fn eval_config(&mut self, knowledge: Knowledge, style: Style, position: &Position) -> EvalConfig {
        let percents = match style {
            Style::Normal => [100; 2],
            _ => percents_of(self.situation(style, position).factor, position.side()),
        };
        EvalConfig::new(knowledge, percents)
    }
}

impl Situation {
    /// Searches a first time, decides on the factor, and searches by `search_main`, with the nodes that are left.
    /// Returns the situation after it too. If the first search is stopped, its outcome is the result.
    pub(super) fn search(
        self,
        config: &SearchConfig,
        pool: &mut SearchPool,
        search_main: impl FnOnce(Arc<SearchConfig>, &mut SearchPool) -> Outcome,
    ) -> (Outcome, Situation) {
        let position = &config.position;
        let first = SearchConfig { limits: first_limits(&config.limits), ..config.clone() };
        let outcome = pool.search(&Arc::new(first), &mut ());
        // The signals that end the helpers are cleared for the next search.
        pool.threads.collect();
        let signals = &config.signals;
        if signals.is_stopped() {
            return (outcome, self);
        }
        signals.next_search();
        let mut main = config.clone();
        if let Some(nodes) = &mut main.limits.nodes {
            *nodes = nodes.saturating_sub(outcome.nodes);
        }
        let shift = self.share.map_or(0, |share| share_after(position, &outcome) - share);
        let factor = factor_after(self.factor, shift);
        main.eval = EvalConfig::new(main.eval.knowledge(), percents_of(factor, position.side()));
        let main = search_main(Arc::new(main), pool);
        let after = Situation { factor, share: Some(share_after(position, &main)) };
        (Outcome { nodes: outcome.nodes + main.nodes, ..main }, after)
    }
}

/// Returns the weights of Red's and of Black's attack for the factor of a side, in percent.
fn percents_of(factor: Value, side: Side) -> [Value; 2] {
    let mut percents = [2 * (100 - factor); 2];
    percents[side.index()] = 2 * factor;
    percents
}

fn factor_after(factor: Value, change: Value) -> Value {
    let step = if change.abs() > THRESHOLD { change.signum() * STEP } else { 0 };
    (factor + step).clamp(RANGE.0, RANGE.1)
}

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

/// Returns the share of strength of the side to move at the end of the line of an outcome, in thousandths: one half,
/// and half of what the hand-made evaluation says that it is ahead, as a part of all material on the board.
fn share_after(position: &Position, outcome: &Outcome) -> Value {
    let (mut end, side) = (position.clone(), position.side());
    outcome.line.iter().for_each(|mv| end.make(*mv));
    let value = handcrafted::evaluate(&end);
    let ahead = if end.side() == side { value } else { -value };
    let all = material(&end, side) + material(&end, !side);
    (500 + 500 * ahead / all.max(1)).clamp(0, 1000)
}

fn material_share(position: &Position, side: Side) -> Value {
    let (own, other) = (material(position, side), material(position, !side));
    own * 1000 / (own + other).max(1)
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

    /// The weight of the attack of the side to move, in percent.
    fn own_percent(state: &mut StyleState, style: Style, position: &Position) -> Value {
        percents_of(state.situation(style, position).factor, position.side())[position.side().index()]
    }

    #[test]
    fn the_factor_follows_a_change_of_material_within_one_game() {
        // Red takes a horse.
        let (before, after) = (position(BEFORE), position(AFTER));
        let mut state = StyleState::default();
        let mut quiet = after.clone();
        quiet.play(["d0d1", "f9f8"]).unwrap();
        for (position, percent, reason) in [
            (&before, 130, "at first"),
            (&before, 130, "the same move again"),
            (&after, 140, "a gain"),
            (&quiet, 140, "no change"),
            (&before, 130, "another game"),
        ] {
            assert_eq!(own_percent(&mut state, Style::Risky, position), percent, "{reason}");
        }
        // Red loses one.
        let before = position("2rak4/9/9/9/2N6/9/9/9/9/3K5 w");
        let mut after = before.clone();
        after.play(["d0d1", "c9c5"]).unwrap();
        let mut state = StyleState::default();
        assert_eq!([&before, &after].map(|position| own_percent(&mut state, Style::Solid, position)), [70, 60]);
    }

    #[test]
    fn the_factor_begins_at_a_half_and_follows_shifts_of_the_share() {
        let mut engine = Engine::with_hash(4).unwrap();
        engine.configure(|options| options.style = Style::Dynamic).unwrap();
        let mut search = |position: &Position| {
            engine.set_position(position.clone());
            engine.search(&Limits::nodes(4_000), &mut ()).unwrap();
            engine.style_state.situation(Style::Dynamic, position)
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
