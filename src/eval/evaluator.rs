//! What the positions along a search are worth to an engine.

use std::sync::Arc;

use super::network::{AccumulatorStack, Network};
use super::{EvalConfig, Knowledge, PsqtStack, apply_scale};
use crate::position::{PieceObserver, Position};
use crate::types::{Piece, Square, Value};

/// Follows a position through making and taking back moves and tells what it is worth: by the network, or by hand-made
/// terms to those who know less.
#[derive(Clone, Debug)]
pub struct Evaluator {
    config: EvalConfig,
    accumulators: AccumulatorStack,
    placement: PsqtStack,
    /// Which of the two follows the moves.
    asks_network: bool,
}

impl Evaluator {
    /// Starts to follow `position`, in everybody's opinion, with the network that the program brings along.
    ///
    /// ```
    /// use chuhe::eval::Evaluator;
    /// use chuhe::position::Position;
    /// let mut position = Position::start();
    /// let mut evaluator = Evaluator::new(&position);
    /// let before = evaluator.evaluate(&position);
    /// position.make_observed("h2e2".parse()?, &mut evaluator);
    /// assert_ne!(evaluator.evaluate(&position), before);
    /// position.unmake_observed(&mut evaluator);
    /// assert_eq!(evaluator.evaluate(&position), before);
    /// # Ok::<(), chuhe::types::ParseMoveError>(())
    /// ```
    pub fn new(position: &Position) -> Evaluator {
        Evaluator::with(position, Network::embedded(), EvalConfig::default())
    }

    fn with(position: &Position, network: Arc<Network>, config: EvalConfig) -> Evaluator {
        Evaluator {
            accumulators: AccumulatorStack::new(network, position),
            placement: PsqtStack::new(position),
            asks_network: config.knowledge() == Knowledge::Large,
            config,
        }
    }

    /// The value of one position by this network in this opinion.
    pub fn value_of(position: &Position, network: &Arc<Network>, config: EvalConfig) -> Value {
        Evaluator::with(position, Arc::clone(network), config).evaluate(position)
    }

    /// Starts to follow another position.
    pub fn reset(&mut self, position: &Position) {
        if self.asks_network {
            self.accumulators.reset(position);
        } else {
            self.placement = PsqtStack::new(position);
        }
    }

    /// The opinion that it tells.
    #[inline(always)]
    pub fn config(&self) -> &EvalConfig {
        &self.config
    }

    /// From now on tells another opinion; a position is to be followed anew.
    pub fn set_config(&mut self, config: EvalConfig) {
        self.asks_network = config.knowledge() == Knowledge::Large;
        self.config = config;
    }

    /// The network that it asks.
    pub fn network(&self) -> &Arc<Network> {
        self.accumulators.network()
    }

    /// From now on asks another network; a position is to be followed anew.
    pub fn set_network(&mut self, network: Arc<Network>) {
        self.accumulators = AccumulatorStack::new(network, &Position::start());
    }

    /// The value of the position followed, which is `position`, in centipawns for its side to move, within
    /// ±[`crate::types::score::EVALUATION_LIMIT`].
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> Value {
        if !self.asks_network {
            return self.config.evaluate_with(position, self.placement.current());
        }
        let value = self.accumulators.evaluate(position);
        let value = if self.config.is_default() { value } else { value + self.config.style_bonus(position) };
        apply_scale(position, value, position.side())
    }
}

impl PieceObserver for Evaluator {
    #[inline(always)]
    fn begin(&mut self) {
        if self.asks_network { self.accumulators.begin() } else { self.placement.begin() }
    }

    #[inline(always)]
    fn removed(&mut self, piece: Piece, square: Square) {
        if self.asks_network {
            self.accumulators.removed(piece, square);
        } else {
            self.placement.removed(piece, square);
        }
    }

    #[inline(always)]
    fn moved(&mut self, piece: Piece, from: Square, to: Square) {
        if self.asks_network {
            self.accumulators.moved(piece, from, to);
        } else {
            self.placement.moved(piece, from, to);
        }
    }

    #[inline(always)]
    fn reverted(&mut self) {
        if self.asks_network { self.accumulators.reverted() } else { self.placement.reverted() }
    }
}
