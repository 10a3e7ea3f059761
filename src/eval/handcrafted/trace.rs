//! Evaluation trace: the count of every term in one position, to explain a score and to fit weights.

use super::terms::{Accumulate, Terms, add_term};
use super::weights::WEIGHTS;
use super::{MAX_PHASE, MAX_SCALE, PsqtScore, Tapered, count_terms, psqt, scale_factor};
use crate::position::Position;
use crate::types::score::clamp_evaluation;
use crate::types::{Side, Value};

/// Counts of all terms in one position.
///
/// The share of a term in the evaluation for Red is `weight × (counts[Red] − counts[Black])`, blended by `phase`.
/// [`Trace::total`] adds them up and multiplies the sum by the scale factor of the side that is ahead.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Count of each term, for Red and for Black.
    pub counts: [Box<Terms<Value>>; 2],
    /// Game phase: 0 (ending) to [`MAX_PHASE`] (opening).
    pub phase: Value,
    /// Scale factor of an advantage of Red and of Black: 0 to [`MAX_SCALE`].
    pub scale_factors: [Value; 2],
}

impl Accumulate for Trace {
    fn add(
        &mut self,
        side: Side,
        times: Value,
        _: impl FnOnce(&Terms<Tapered>) -> Tapered,
        count: impl FnOnce(&mut Terms<Value>) -> &mut Value,
    ) {
        *count(&mut self.counts[side.index()]) += times;
    }
}

impl Trace {
    /// Counts the terms of `position`.
    pub fn new(position: &Position) -> Trace {
        let zero = || Box::new(Terms::filled(0));
        let mut trace = Trace {
            counts: [zero(), zero()],
            phase: PsqtScore::phase_of(position),
            scale_factors: Side::BOTH.map(|side| scale_factor(position, side)),
        };
        for (piece, square) in position.pieces() {
            let (side, kind) = (piece.side(), piece.kind().index());
            add_term!(&mut trace, side, material[kind]);
            add_term!(&mut trace, side, psqt[kind][psqt::psqt_index(side, square)]);
        }
        for side in Side::BOTH {
            psqt::count_pairs(position, side, &mut trace);
        }
        count_terms(position, &mut trace);
        trace
    }

    /// Returns each group of terms with its value for Red and for Black in centipawns, not yet blended.
    pub fn groups(&self) -> Vec<(&'static str, [Tapered; 2])> {
        let weights = WEIGHTS.groups();
        let mut rows: Vec<_> = weights.iter().map(|&(name, _)| (name, [Tapered::ZERO; 2])).collect();
        for side in Side::BOTH {
            for (row, (weights, counts)) in rows.iter_mut().zip(weights.iter().zip(self.counts[side.index()].groups()))
            {
                let products = weights.1.iter().zip(counts.1).map(|(&weight, &count)| weight * count);
                row.1[side.index()] = products.fold(Tapered::ZERO, |sum, product| sum + product);
            }
        }
        rows
    }

    /// Returns the evaluation for Red, added up from the counts.
    pub fn total(&self) -> Value {
        let sum = self.groups().iter().fold(Tapered::ZERO, |sum, (_, sides)| sum + sides[0] - sides[1]);
        let sum = sum.blend(self.phase, MAX_PHASE);
        let ahead = if sum > 0 { Side::Red } else { Side::Black };
        clamp_evaluation(sum * self.scale_factors[ahead.index()] / MAX_SCALE)
    }
}
