//! Static evaluation of a position by groups of terms, to compare positions.

use std::sync::Arc;

use super::handcrafted::{MAX_PHASE, Tapered, Trace, evaluate};
use super::network::Network;
use super::{EvalConfig, Evaluator};
use crate::position::Position;
use crate::types::{Side, Value};

/// Values of all groups of hand-made terms, of their sum and of the network in one position: the rows of
/// [`table`](super::table) as numbers, in centipawns for one side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TermValues {
    /// Name and value of each group: that of the side minus that of the opponent, blended by the game phase.
    pub groups: Vec<(&'static str, Value)>,
    /// Hand-made value: the sum of all groups times the scale factor of drawish endings.
    pub handcrafted: Value,
    /// The network's value.
    pub network: Value,
}

impl TermValues {
    /// Evaluates a position for a side, which need not be the one to move.
    ///
    /// ```
    /// use chuhe::eval::{TermValues, network::Network};
    /// use chuhe::position::Position;
    /// use chuhe::types::Side;
    ///
    /// let start = Position::start();
    /// let [red, black] = Side::BOTH.map(|side| TermValues::new(&start, &Network::embedded(), side));
    /// assert_eq!(red.network, -black.network);
    /// assert!(red.groups.iter().zip(&black.groups).all(|(red, black)| red.1 == -black.1));
    /// ```
    pub fn new(position: &Position, network: &Arc<Network>, side: Side) -> TermValues {
        let trace = Trace::new(position);
        let blended = |[red, black]: [Tapered; 2]| {
            let value = (red - black).blend(trace.phase, MAX_PHASE);
            if side == Side::Red { value } else { -value }
        };
        let for_side = |value: Value| if position.side() == side { value } else { -value };
        TermValues {
            groups: trace.groups().into_iter().map(|(name, sides)| (name, blended(sides))).collect(),
            handcrafted: for_side(evaluate(position)),
            network: for_side(Evaluator::value_of(position, network, EvalConfig::default())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::table;

    #[test]
    fn the_numbers_are_those_of_the_table() {
        let network = Network::embedded();
        let position = Position::from_fen("2bakab1r/6r2/2n1c3n/p1p1p1p1p/9/2P6/P3P1P1P/1C2C1N2/9/RNBAKAB1R b").unwrap();
        let text = table(&position, &network);
        let values = TermValues::new(&position, &network, Side::Red);
        let last = |name: &str| {
            let line = text.lines().find(|line| line.split('|').next().unwrap().trim() == name).expect(name);
            line.rsplit('|').next().unwrap().trim().parse::<Value>().unwrap()
        };
        for (name, value) in &values.groups {
            assert_eq!(last(&name.replace('_', " ")), *value, "{name}");
        }
        // The table has the values of the side to move.
        let black = TermValues::new(&position, &network, Side::Black);
        assert!(text.contains(&format!("hand-made value for Black to move: {:+}\n", black.handcrafted)), "{text}");
        assert!(text.contains(&format!("network's value for Black to move: {:+} ", black.network)), "{text}");
        assert_eq!((values.handcrafted, values.network), (-black.handcrafted, -black.network));
    }
}
