//! Static evaluation of a position, in centipawns for the side to move.
//!
//! The [`network`] was trained on games and is what the engine plays by. The [`handcrafted`] evaluation serves weaker
//! levels of [`Knowledge`] and explains itself term by term ([`table`], [`TermValues`]). [`Evaluator`] updates either
//! of them move by move and applies the [scale factor](handcrafted::scale_factor) of known endings to both. The
//! evaluation depends on the position alone, not on its history. [`WinModel`] says how often a score wins, and gives
//! the [`ReportedScore`] that users see.

pub mod handcrafted;
pub mod network;

mod cache;
mod evaluator;
mod win_model;

use std::sync::Arc;

pub(crate) use cache::EvalCache;
#[doc(hidden)]
pub use cache::EvalNoise;
pub use evaluator::{EvalConfig, Evaluator, Knowledge};
pub use win_model::{ReportedScore, WinModel};

use crate::position::Position;
use crate::types::{PieceKind, Side, Value};
use handcrafted::{MAX_PHASE, NORMAL_SCALE, Tapered, Trace, WEIGHTS, evaluate};
use network::{BUCKETS, Network, output_bucket};

/// Values of all groups of hand-made terms, their sum and the network: rows of [`table`], in centipawns for a side.
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

/// Returns the table of a position: each group of hand-made terms for both sides, their sum, and the network's value.
pub fn table(position: &Position, network: &Arc<Network>) -> String {
    let trace = Trace::new(position);
    let mut rows = trace.groups();
    let sum = rows.iter().fold([Tapered::ZERO; 2], |sum, (_, row)| [sum[0] + row[0], sum[1] + row[1]]);
    rows.push(("sum", sum));
    let mut text = format!("{:<24}|{:^15}|{:^15}|{:^15}|{:>6}\n", "centipawns", "Red", "Black", "difference", "blend");
    text.push_str(&format!("{:<24}|{:^15}|{:^15}|{:^15}|\n", "", "open.    end.", "open.    end.", "open.    end."));
    let rule = format!("{:-<24}+{:-<15}+{:-<15}+{:-<15}+{:-<6}\n", "", "", "", "", "");
    text.push_str(&rule);
    let mut total = 0;
    for (name, [red, black]) in rows {
        total = (red - black).blend(trace.phase, MAX_PHASE);
        let [first, second, third] =
            [red, black, red - black].map(|value| format!("{:>6} {:>6}", value.opening, value.ending));
        text.push_str(&format!("{:<24}| {first} | {second} | {third} |{total:>6}\n", name.replace('_', " ")));
    }
    text.push_str(&rule);
    let value = |kind: &PieceKind| {
        let Tapered { opening, ending } = WEIGHTS.material[kind.index()];
        format!("{} {opening}/{ending}", kind.name())
    };
    let values: Vec<String> = PieceKind::ALL[1..].iter().map(value).collect();
    text.push_str(&format!("one piece, opening/ending: {}\n", values.join(", ")));
    text.push_str(&format!("phase {} of {MAX_PHASE} (opening {MAX_PHASE}, ending 0)\n", trace.phase));
    let ahead = if total > 0 { Side::Red } else { Side::Black };
    let scale = trace.scale_factors[ahead.index()];
    if scale != NORMAL_SCALE {
        let wins = if scale > NORMAL_SCALE { "almost always wins" } else { "rarely wins" };
        text.push_str(&format!("{ahead} {wins} with these pieces: scale factor {scale}, usually {NORMAL_SCALE}\n"));
    }
    let (side, bucket) = (position.side(), output_bucket(position) + 1);
    let TermValues { handcrafted, network, .. } = TermValues::new(position, network, side);
    text.push_str(&format!("hand-made value for {side} to move: {handcrafted:+}\n"));
    text.push_str(&format!("network's value for {side} to move: {network:+} (output bucket {bucket} of {BUCKETS})\n"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_table() {
        let network = Network::embedded();
        let position = Position::from_fen("2bakab1r/6r2/2n1c3n/p1p1p1p1p/9/2P6/P3P1P1P/1C2C1N2/9/RNBAKAB1R b").unwrap();
        let text = table(&position, &network);
        let values = TermValues::new(&position, &network, Side::Red);
        for (name, value) in &values.groups {
            let name = name.replace('_', " ");
            let line = text.lines().find(|line| line.split('|').next().unwrap().trim() == name).expect(&name);
            assert_eq!(line.rsplit('|').next().unwrap().trim().parse(), Ok(*value), "{name}");
        }
        // The table has the values of the side to move.
        assert!(text.contains(&format!("hand-made value for Black to move: {:+}\n", -values.handcrafted)), "{text}");
        assert!(text.contains(&format!("network's value for Black to move: {:+} ", -values.network)), "{text}");
    }
}
