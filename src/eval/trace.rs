//! The terms of one position counted out: for tables that explain a score, and for fitting weights.

use super::terms::{Tally, Terms, count};
use super::weights::WEIGHTS;
use super::{MAX_PHASE, MAX_SCALE, Tapered, bounded, count_terms, material, placement, scale_factor};
use crate::position::Position;
use crate::types::score::clamp_evaluation;
use crate::types::{Side, Value};

/// What the evaluation saw in a position.
///
/// For each term, `score = weight × (counts[Red] − counts[Black])`, blended by `phase`, is its share of the evaluation
/// from Red's view. [`Trace::total`] adds them up and takes `scale_factors` of the sum.
#[derive(Clone, Debug)]
pub struct Trace {
    /// How often each term was counted, for Red and for Black.
    pub counts: [Box<Terms<Value>>; 2],
    /// How far the position is from an ending: 0 to [`MAX_PHASE`].
    pub phase: Value,
    /// What is left of an advantage of Red and of Black: parts of [`MAX_SCALE`].
    pub scale_factors: [Value; 2],
}

impl Tally for Trace {
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
            phase: bounded(placement::PsqtScore::phase_of(position)),
            scale_factors: Side::BOTH.map(|side| scale_factor(position, side)),
        };
        for (piece, square) in position.pieces() {
            let (side, kind) = (piece.side(), piece.kind().index());
            count!(&mut trace, side, material[kind]);
            count!(&mut trace, side, psqt[kind][placement::psqt_index(side, square)]);
        }
        for side in Side::BOTH {
            material::count_material(position, side, &mut trace);
        }
        count_terms(position, &mut trace);
        trace
    }

    /// Each group of terms with its worth for Red and for Black in centipawns, not yet blended.
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

    /// The evaluation from Red's view, added up from the counts.
    pub fn total(&self) -> Value {
        let sum = self.groups().iter().fold(Tapered::ZERO, |sum, (_, sides)| sum + sides[0] - sides[1]);
        let sum = sum.blend(self.phase, MAX_PHASE);
        let ahead = if sum > 0 { Side::Red } else { Side::Black };
        clamp_evaluation(sum * self.scale_factors[ahead.index()] / MAX_SCALE)
    }
}
