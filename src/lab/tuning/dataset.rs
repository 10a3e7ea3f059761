//! Labelled positions as evaluation traces.
//!
//! A position is a sparse list of terms with the difference of their counts between Red and Black. Its evaluation under
//! any weights is the dot product, scaled down where the material can hardly win. A position takes about a hundred
//! bytes.

use crate::eval::handcrafted::{MAX_PHASE, MAX_SCALE, TERMS, Tapered, Terms, Trace};
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

#[derive(Clone, PartialEq, Debug)]
pub struct Dataset {
    /// Start of each list in `terms`, and the end of the last.
    starts: Vec<usize>,
    /// Terms of all lists, one list after another.
    terms: Vec<u16>,
    /// Count for Red minus count for Black of each term in `terms`.
    counts: Vec<i8>,
    /// Game phase of each position, in units of 1 / [`MAX_PHASE`].
    phases: Vec<u8>,
    /// Scale factor of an advantage of Red and of Black, in units of 1 / [`MAX_SCALE`].
    scale_factors: Vec<[u8; 2]>,
    labels: Vec<Label>,
}

const _: () = assert!(TERMS <= u16::MAX as usize);
const _: () = assert!(MAX_PHASE <= u8::MAX as Value);
const _: () = assert!(MAX_SCALE <= u8::MAX as Value);

impl Default for Dataset {
    fn default() -> Dataset {
        let (terms, counts, phases, scale_factors, labels) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Dataset { starts: vec![0], terms, counts, phases, scale_factors, labels }
    }
}

impl Dataset {
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Memory used, in bytes.
    pub fn bytes(&self) -> usize {
        let lists = self.terms.capacity() * (size_of::<u16>() + size_of::<i8>());
        let each = size_of::<usize>() + size_of::<[u8; 3]>() + size_of::<Label>();
        lists + self.labels.capacity() * each
    }

    pub fn push(&mut self, position: &Position, label: Label) {
        let trace = Trace::new(position);
        let [red, black] = [trace.counts[0].groups(), trace.counts[1].groups()];
        let pairs = red.iter().zip(&black).flat_map(|(red, black)| red.1.iter().zip(black.1));
        for (term, (red, black)) in pairs.enumerate() {
            if red != black {
                self.terms.push(term as u16);
                self.counts.push((red - black).clamp(i8::MIN.into(), i8::MAX.into()) as i8);
            }
        }
        self.starts.push(self.terms.len());
        self.phases.push(trace.phase as u8);
        self.scale_factors.push(trace.scale_factors.map(|scale_factor| scale_factor as u8));
        self.labels.push(label);
    }

    /// Appends all positions of another data set.
    pub fn append(&mut self, other: Dataset) {
        let before = self.terms.len();
        self.starts.extend(other.starts[1..].iter().map(|start| before + start));
        self.terms.extend(other.terms);
        self.counts.extend(other.counts);
        self.phases.extend(other.phases);
        self.scale_factors.extend(other.scale_factors);
        self.labels.extend(other.labels);
    }

    pub fn label(&self, at: usize) -> Label {
        self.labels[at]
    }

    pub fn relabel(&mut self, at: usize, label: Label) {
        self.labels[at] = label;
    }

    /// Iterator over the terms of a position with their count for Red minus their count for Black.
    #[inline]
    pub fn terms(&self, at: usize) -> impl Iterator<Item = (usize, i8)> + '_ {
        let range = self.starts[at]..self.starts[at + 1];
        self.terms[range.clone()].iter().map(|&term| usize::from(term)).zip(self.counts[range].iter().copied())
    }

    /// Game phase of a position: 1 in the opening, 0 in the endgame.
    #[inline]
    pub fn phase(&self, at: usize) -> f64 {
        f64::from(self.phases[at]) / f64::from(MAX_PHASE)
    }

    /// Scale factor of an advantage of Red or Black, 0 to 1.
    #[inline]
    pub fn scale_factor(&self, at: usize, is_red: bool) -> f64 {
        f64::from(self.scale_factors[at][usize::from(!is_red)]) / f64::from(MAX_SCALE)
    }

    /// Evaluates a position for Red under these weights, without rounding; see [`flat_weights`].
    #[inline]
    pub fn value(&self, at: usize, weights: &[f64]) -> f64 {
        let weights = weights.as_chunks::<2>().0;
        let (mut opening, mut ending) = (0.0, 0.0);
        for (term, count) in self.terms(at) {
            let count = f64::from(count);
            opening += count * weights[term][0];
            ending += count * weights[term][1];
        }
        let phase = self.phase(at);
        let sum = opening * phase + ending * (1.0 - phase);
        sum * self.scale_factor(at, sum > 0.0)
    }

    /// Returns the number of positions with a nonzero count of each term.
    pub fn occurrences(&self) -> Vec<usize> {
        let mut occurrences = vec![0; TERMS];
        self.terms.iter().for_each(|&term| occurrences[usize::from(term)] += 1);
        occurrences
    }
}

/// Fits the logistic scale, in centipawns, to the evaluations under these weights and the results.
pub fn fit_scale(dataset: &Dataset, weights: &[f64], threads: usize) -> f64 {
    let values: Vec<(f64, f64)> =
        (0..dataset.len()).map(|at| (dataset.value(at, weights), f64::from(dataset.label(at).result))).collect();
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

/// Names of all weights, such as `guard[4].ending`, in the order of [`flat_weights`].
pub fn weight_names() -> Vec<String> {
    let places = Terms::filled(());
    let terms = places.groups().into_iter().flat_map(|(name, group)| (0..group.len()).map(move |at| (name, at)));
    terms.flat_map(|(name, at)| ["opening", "ending"].map(|phase| format!("{name}[{at}].{phase}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::handcrafted::WEIGHTS;

    #[test]
    fn weights_survive_being_flattened() {
        let flat = flat_weights(&WEIGHTS);
        assert_eq!((flat.len(), weight_names().len()), (WEIGHT_COUNT, WEIGHT_COUNT));
        assert_eq!(rounded_weights(&flat), WEIGHTS);
        let place = weight_names().iter().position(|name| name == "tempo[0].ending").unwrap();
        assert_eq!(flat[place], f64::from(WEIGHTS.tempo[0].ending));
    }

    #[test]
    fn rounded_weights_stay_in_range() {
        let mut flat = vec![0.5; WEIGHT_COUNT];
        flat[..4].copy_from_slice(&[1e9, -1e9, f64::NAN, -0.6]);
        let weights = rounded_weights(&flat);
        assert_eq!(weights.material[0], Tapered::new(32767, -32767));
        assert_eq!(weights.material[1], Tapered::new(0, -1));
        assert_eq!(weights.material[2], Tapered::new(1, 1));
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

    #[test]
    fn appended_sets_hold_the_positions_of_both() {
        let positions =
            ["3ak4/9/9/9/9/9/9/9/4A4/3RK4 w", "3ak4/9/9/9/9/9/9/9/4A4/3RK4 b", "3ak4/9/9/9/9/9/4N4/9/9/4K4 w"];
        let positions = positions.map(|fen| Position::from_fen(fen).unwrap());
        let label = |result| Label { result, score: None };
        let (mut whole, mut first, mut second) = (Dataset::default(), Dataset::default(), Dataset::default());
        for (at, position) in positions.iter().enumerate() {
            let part = if at == 0 { &mut first } else { &mut second };
            part.push(position, label(at as f32));
            whole.push(position, label(at as f32));
        }
        first.append(second);
        assert_eq!(first, whole);
        assert_eq!(whole.len(), 3);
        let tempo = |at: usize| whole.terms(at).last().unwrap();
        assert_eq!((tempo(0), tempo(1)), ((TERMS - 1, 1), (TERMS - 1, -1)));
    }
}
