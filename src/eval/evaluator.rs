//! Evaluation of the positions along a search, and its settings: level of knowledge and weight of attacks.

use std::sync::Arc;

use super::handcrafted::{
    AttackWeights, MAX_PHASE, Tapered, apply_scale, classic, evaluate_with, phase_of, value_of_pieces,
};
use super::network::{AccumulatorStack, Network};
use crate::position::{PieceObserver, Position};
use crate::types::score::clamp_evaluation;
use crate::types::{Piece, Side, Square, Value};

/// Parts of the evaluation that are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Knowledge {
    /// Material only: piece values and imbalance.
    None,
    /// Material and piece-square tables.
    Small,
    /// The whole hand-made evaluation.
    Medium,
    /// The network.
    #[default]
    Large,
    /// The numbers of the papers, for comparison; see [`classic`].
    Classic,
}

impl Knowledge {
    /// Names and levels, in rising order, and the numbers of the papers.
    pub const NAMED: [(&'static str, Knowledge); 5] = [
        ("none", Knowledge::None),
        ("small", Knowledge::Small),
        ("medium", Knowledge::Medium),
        ("large", Knowledge::Large),
        ("classic", Knowledge::Classic),
    ];

    /// Returns the option value of this level.
    pub fn name(self) -> &'static str {
        Knowledge::NAMED[self as usize].0
    }
}

const DEFAULT_ATTACK: [Value; 2] = [100; 2];

/// Evaluation settings of one search.
#[derive(Clone, PartialEq, Debug)]
pub struct EvalConfig {
    knowledge: Knowledge,
    attack: [Value; 2],
    /// Set when the attack percentages differ from the default and the level of knowledge has attack terms.
    weights: Option<Arc<AttackWeights>>,
}

impl Default for EvalConfig {
    fn default() -> EvalConfig {
        EvalConfig::new(Knowledge::default(), DEFAULT_ATTACK)
    }
}

impl EvalConfig {
    /// Returns the settings with a level of knowledge and with its terms of
    /// [`ATTACK_GROUPS`](super::handcrafted::ATTACK_GROUPS) scaled to these percentages for Red and for Black.
    pub fn new(knowledge: Knowledge, attack: [Value; 2]) -> EvalConfig {
        let attack = match knowledge {
            Knowledge::None | Knowledge::Small | Knowledge::Classic => DEFAULT_ATTACK,
            Knowledge::Medium | Knowledge::Large => attack,
        };
        let weights = (attack != DEFAULT_ATTACK).then(|| Arc::new(AttackWeights::new(attack)));
        EvalConfig { knowledge, attack, weights }
    }

    /// Returns the level of knowledge.
    #[inline(always)]
    pub fn knowledge(&self) -> Knowledge {
        self.knowledge
    }

    /// Tells whether these are the default settings: the network without a style bonus.
    #[inline(always)]
    pub fn is_default(&self) -> bool {
        self.knowledge == Knowledge::Large && self.weights.is_none()
    }

    /// Returns a key to be XORed with position keys, so that different settings never mix: 0 for the default.
    pub fn key(&self) -> u64 {
        let mix =
            |key: u64, part: u64| (key ^ part).wrapping_add(1).wrapping_mul(0xD6E8_FEB8_6659_FD93).rotate_left(29);
        let parts = [self.knowledge as u64, self.attack[0] as u64, self.attack[1] as u64];
        if self.is_default() { 0 } else { parts.into_iter().fold(0, mix) }
    }

    /// Returns the hand-made value of `position` for the side to move at this level of knowledge.
    pub fn evaluate(&self, position: &Position) -> Value {
        let for_red = match self.knowledge {
            Knowledge::None => value_of_pieces(position, false),
            Knowledge::Small => value_of_pieces(position, true),
            Knowledge::Classic => classic::evaluate(position),
            Knowledge::Medium | Knowledge::Large => return evaluate_with(position, self.bonus(position)),
        };
        clamp_evaluation(if position.side() == Side::Red { for_red } else { -for_red })
    }

    /// Returns what the attack percentages add to the value of `position`, for Red.
    fn bonus(&self, position: &Position) -> Tapered {
        let [red, black] = self.weights.as_ref().map_or([Tapered::ZERO; 2], |weights| weights.bonuses(position));
        red - black
    }

    /// Returns what the attack percentages add to the network's value of `position` for the side to move.
    pub fn style_bonus(&self, position: &Position) -> Value {
        let for_red = self.bonus(position).blend(phase_of(position), MAX_PHASE);
        if position.side() == Side::Red { for_red } else { -for_red }
    }
}

/// Evaluation along make and unmake: by the network for [`Knowledge::Large`], else by hand-made terms.
#[derive(Clone, Debug)]
pub struct Evaluator {
    config: EvalConfig,
    accumulators: AccumulatorStack,
}

/// Evaluator of any position, with default settings and the embedded network.
impl Default for Evaluator {
    fn default() -> Evaluator {
        Evaluator { accumulators: AccumulatorStack::new(Network::embedded()), config: EvalConfig::default() }
    }
}

impl Evaluator {
    /// Evaluates one position with this network and these settings.
    pub fn value_of(position: &Position, network: &Arc<Network>, config: EvalConfig) -> Value {
        Evaluator { accumulators: AccumulatorStack::new(Arc::clone(network)), config }.evaluate(position)
    }

    /// Forgets the moves so far. The next position may be any.
    pub fn reset(&mut self) {
        self.accumulators.reset();
    }

    /// Returns the settings.
    #[inline(always)]
    pub fn config(&self) -> &EvalConfig {
        &self.config
    }

    /// Changes the settings. Call [`Evaluator::reset`] before the next use.
    pub fn set_config(&mut self, config: EvalConfig) {
        self.config = config;
    }

    /// Returns the network.
    pub fn network(&self) -> &Arc<Network> {
        self.accumulators.network()
    }

    /// Changes the network. Call [`Evaluator::reset`] before the next use.
    pub fn set_network(&mut self, network: Arc<Network>) {
        self.accumulators = AccumulatorStack::new(network);
    }

    /// Returns the value of `position`, the current position of this evaluator, in centipawns for its side to move,
    /// within ±[`crate::types::score::EVALUATION_LIMIT`].
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> Value {
        if self.config.knowledge != Knowledge::Large {
            return self.config.evaluate(position);
        }
        let value = self.accumulators.evaluate(position);
        let value = if self.config.is_default() { value } else { value + self.config.style_bonus(position) };
        apply_scale(position, value, position.side())
    }
}

impl PieceObserver for Evaluator {
    #[inline(always)]
    fn begin(&mut self) {
        self.accumulators.begin();
    }

    #[inline(always)]
    fn removed(&mut self, piece: Piece, square: Square) {
        self.accumulators.removed(piece, square);
    }

    #[inline(always)]
    fn moved(&mut self, piece: Piece, from: Square, to: Square) {
        self.accumulators.moved(piece, from, to);
    }

    #[inline(always)]
    fn reverted(&mut self) {
        self.accumulators.reverted();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_settings_have_different_keys() {
        let mut keys = std::collections::HashSet::new();
        for (_, level) in Knowledge::NAMED {
            for red in (40..=160).step_by(10) {
                for black in (40..=160).step_by(10) {
                    let config = EvalConfig::new(level, [red, black]);
                    assert_eq!(config.key() == 0, config == EvalConfig::default());
                    // Levels without attack terms ignore the percentages.
                    assert!(keys.insert(config.key()) || config == EvalConfig::new(level, DEFAULT_ATTACK));
                }
            }
        }
        assert_eq!(keys.len(), 3 + 2 * 13 * 13);
    }

    #[test]
    fn each_level_uses_its_terms_only() {
        let value =
            |level, fen: &str| EvalConfig::new(level, DEFAULT_ATTACK).evaluate(&Position::from_fen(fen).unwrap());
        // A rook in a corner or in the middle.
        let (home, middle) = ("4k4/9/9/9/9/9/9/9/9/R2K5 w", "4k4/9/9/9/9/2R6/9/9/9/3K5 w");
        assert_eq!(value(Knowledge::None, home), value(Knowledge::None, middle));
        assert!(value(Knowledge::Small, home) < value(Knowledge::Small, middle));
        let (free, shut) = ("3ak4/9/9/9/9/9/9/9/4A4/R2K5 w", "3ak4/9/9/9/9/9/P8/9/4A4/R2K5 w");
        let without_pawn = |level| value(level, shut) - value(level, free);
        assert!(without_pawn(Knowledge::Small) > without_pawn(Knowledge::Medium), "a rook without moves");
        // A hollow cannon counts more with a higher attack percentage.
        let aimed = Position::from_fen("3akab2/9/9/9/9/9/9/4C4/4A4/RN1K5 w").unwrap();
        let [raised, default] = [[150, 100], DEFAULT_ATTACK].map(|attack| EvalConfig::new(Knowledge::Medium, attack));
        assert!(raised.style_bonus(&aimed) > 10 && default.style_bonus(&aimed) == 0);
        let difference = raised.evaluate(&aimed) - default.evaluate(&aimed);
        assert!((difference - raised.style_bonus(&aimed)).abs() <= 1, "rounded once or twice");
    }
}
