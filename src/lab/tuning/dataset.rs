//! Labelled positions as evaluation traces, and evaluation weights as vectors.

use crate::eval::handcrafted::{MAX_PHASE, MAX_SCALE, NORMAL_SCALE, TERMS, Tapered, Terms, Trace};
use crate::lab::training::{Loss, fit_scale_to};
use crate::position::Position;
use crate::types::Value;
use crate::util::math::logistic;

/// Number of weights: an opening and an endgame weight for each term.
pub const WEIGHT_COUNT: usize = 2 * TERMS;

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Label {
    /// Points of the game for Red: 1 for a win, ½ for a draw, 0 for a loss, or anything between.
    pub result: f32,
    /// Search score in centipawns for Red.
    pub score: Option<Value>,
}

impl Label {
    /// Returns the target winning chance of Red: the result with a weight of `result_share`, and the score as a winning
    /// chance with the rest. Without a score it is the result alone.
    pub fn target(self, scale: f64, result_share: f64) -> f64 {
        let result = f64::from(self.result);
        let blend = |score| result_share * result + (1.0 - result_share) * logistic(f64::from(score) / scale);
        self.score.map_or(result, blend)
    }
}

/// Labelled position in about 150 bytes. Its evaluation under any weights is the dot product with its terms, scaled
/// where the material decides.
#[derive(Clone, PartialEq, Debug)]
pub struct Example {
    /// Terms with their count for Red minus their count for Black, without zeros.
    pub terms: Box<[(u16, i8)]>,
    /// Game phase in units of 1 / [`MAX_PHASE`].
    phase: u8,
    /// Scale factor of an advantage of Red and of Black, in units of 1 / [`NORMAL_SCALE`].
    scale_factors: [u8; 2],
    pub label: Label,
}

const _: () = assert!(TERMS <= u16::MAX as usize && MAX_PHASE <= u8::MAX as Value && MAX_SCALE <= u8::MAX as Value);

impl Example {
    pub fn new(position: &Position, label: Label) -> Example {
        let trace = Trace::new(position);
        let [red, black] = [trace.counts[0].groups(), trace.counts[1].groups()];
        let pairs = red.iter().zip(&black).flat_map(|(red, black)| red.1.iter().zip(black.1));
        let terms = (0..).zip(pairs).filter(|(_, (red, black))| red != black);
        let terms = terms.map(|(term, (red, black))| (term, (red - black).clamp(i8::MIN.into(), i8::MAX.into()) as i8));
        let scale_factors = trace.scale_factors.map(|scale_factor| scale_factor as u8);
        Example { terms: terms.collect(), phase: trace.phase as u8, scale_factors, label }
    }

    /// Game phase: 1 in the opening, 0 in the endgame.
    #[inline]
    pub fn phase(&self) -> f64 {
        f64::from(self.phase) / f64::from(MAX_PHASE)
    }

    /// Scale factor of an advantage of Red or Black, 1/8 to 3.
    #[inline]
    pub fn scale_factor(&self, is_red: bool) -> f64 {
        f64::from(self.scale_factors[usize::from(!is_red)]) / f64::from(NORMAL_SCALE)
    }

    /// Evaluates the position for Red under these weights, without rounding; see [`flat_weights`].
    #[inline]
    pub fn value(&self, weights: &[f64]) -> f64 {
        let weights = weights.as_chunks::<2>().0;
        let (mut opening, mut ending) = (0.0, 0.0);
        for &(term, count) in &self.terms {
            let (count, weights) = (f64::from(count), weights[usize::from(term)]);
            opening += count * weights[0];
            ending += count * weights[1];
        }
        let phase = self.phase();
        let sum = opening * phase + ending * (1.0 - phase);
        sum * self.scale_factor(sum > 0.0)
    }
}

/// Fits the logistic scale, in centipawns, to the evaluations under these weights and the results.
pub fn fit_scale(examples: &[Example], weights: &[f64], threads: usize) -> f64 {
    let values: Vec<(f64, f64)> =
        examples.iter().map(|example| (example.value(weights), f64::from(example.label.result))).collect();
    fit_scale_to(&values, Loss::CrossEntropy, threads)
}

/// Flattens weights to a vector, opening before endgame.
pub fn flat_weights(weights: &Terms<Tapered>) -> Vec<f64> {
    let all = weights.groups().into_iter().flat_map(|(_, group)| group);
    all.flat_map(|weight| [f64::from(weight.opening), f64::from(weight.ending)]).collect()
}

/// Converts a vector back to weights, rounded and clamped to ±32767.
pub fn rounded_weights(flat: &[f64]) -> Terms<Tapered> {
    const MAX_WEIGHT: f64 = i16::MAX as f64;
    let rounded = |value: f64| value.round().clamp(-MAX_WEIGHT, MAX_WEIGHT) as Value;
    let mut weights = Terms::filled(Tapered::ZERO);
    let all = weights.groups_mut().into_iter().flat_map(|(_, group)| group);
    for (weight, pair) in all.zip(flat.as_chunks::<2>().0) {
        *weight = Tapered::new(rounded(pair[0]), rounded(pair[1]));
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::handcrafted::WEIGHTS;

    #[test]
    fn weights_survive_being_flattened_and_stay_in_range() {
        let mut flat = flat_weights(&WEIGHTS);
        assert_eq!((flat.len(), rounded_weights(&flat)), (WEIGHT_COUNT, WEIGHTS.clone()));
        assert_eq!(flat[WEIGHT_COUNT - 1], f64::from(WEIGHTS.tempo[0].ending));
        flat[..4].copy_from_slice(&[1e9, -1e9, f64::NAN, -0.6]);
        let weights = rounded_weights(&flat);
        assert_eq!(weights.material[..2], [Tapered::new(32767, -32767), Tapered::new(0, -1)]);
    }

    #[test]
    fn targets_blend_results_and_scores() {
        let label = Label { result: 1.0, score: Some(0) };
        assert_eq!(label.target(300.0, 0.5), 0.75);
        assert_eq!(label.target(300.0, 1.0), 1.0);
        assert_eq!(Label { score: None, ..label }.target(300.0, 0.0), 1.0);
        let lost = Label { result: 0.0, score: Some(-300) };
        assert!((lost.target(300.0, 0.0) - 1.0 / (1.0 + 1f64.exp())).abs() < 1e-12);
    }
}
