//! Evaluation of the positions along a search, updated move by move.

use std::sync::Arc;

use super::handcrafted::{PsqtStack, apply_scale};
use super::network::{AccumulatorStack, Network};
use super::{EvalConfig, Knowledge};
use crate::position::{PieceObserver, Position};
use crate::types::{Piece, Square, Value};

/// Incremental evaluation of one position through make and unmake: the network for [`Knowledge::Large`], the hand-made
/// evaluation for lower levels.
#[derive(Clone, Debug)]
pub struct Evaluator {
    config: EvalConfig,
    accumulators: AccumulatorStack,
    psqt: PsqtStack,
    /// Selects the stack that is updated by moves.
    uses_network: bool,
}

impl Evaluator {
    /// Returns an evaluator set to `position`, with default settings and the embedded network.
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
            psqt: PsqtStack::new(position),
            uses_network: config.knowledge() == Knowledge::Large,
            config,
        }
    }

    /// Evaluates one position with this network and these settings.
    pub fn value_of(position: &Position, network: &Arc<Network>, config: EvalConfig) -> Value {
        Evaluator::with(position, Arc::clone(network), config).evaluate(position)
    }

    /// Sets the evaluator to another position.
    pub fn reset(&mut self, position: &Position) {
        if self.uses_network {
            self.accumulators.reset(position);
        } else {
            self.psqt = PsqtStack::new(position);
        }
    }

    /// Returns the settings.
    #[inline(always)]
    pub fn config(&self) -> &EvalConfig {
        &self.config
    }

    /// Changes the settings. Call [`Evaluator::reset`] before the next use.
    pub fn set_config(&mut self, config: EvalConfig) {
        self.uses_network = config.knowledge() == Knowledge::Large;
        self.config = config;
    }

    /// Returns the network.
    pub fn network(&self) -> &Arc<Network> {
        self.accumulators.network()
    }

    /// Changes the network. Call [`Evaluator::reset`] before the next use.
    pub fn set_network(&mut self, network: Arc<Network>) {
        self.accumulators = AccumulatorStack::new(network, &Position::start());
    }

    /// Returns the value of `position`, the current position of this evaluator, in centipawns for its side to move,
    /// within ±[`crate::types::score::EVALUATION_LIMIT`].
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> Value {
        if !self.uses_network {
            return self.config.evaluate_with(position, self.psqt.current());
        }
        let value = self.accumulators.evaluate(position);
        let value = if self.config.is_default() { value } else { value + self.config.style_bonus(position) };
        apply_scale(position, value, position.side())
    }
}

impl PieceObserver for Evaluator {
    #[inline(always)]
    fn begin(&mut self) {
        if self.uses_network { self.accumulators.begin() } else { self.psqt.begin() }
    }

    #[inline(always)]
    fn removed(&mut self, piece: Piece, square: Square) {
        if self.uses_network {
            self.accumulators.removed(piece, square);
        } else {
            self.psqt.removed(piece, square);
        }
    }

    #[inline(always)]
    fn moved(&mut self, piece: Piece, from: Square, to: Square) {
        if self.uses_network {
            self.accumulators.moved(piece, from, to);
        } else {
            self.psqt.moved(piece, from, to);
        }
    }

    #[inline(always)]
    fn reverted(&mut self) {
        if self.uses_network { self.accumulators.reverted() } else { self.psqt.reverted() }
    }
}
