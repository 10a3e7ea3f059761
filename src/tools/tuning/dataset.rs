//! Positions with their results, kept as what the evaluation counts in them.
//!
//! A position is a short list of terms with the difference of their counts, so that its evaluation under any weights is
//! a sum over that list, shrunk where the men left can hardly win. A position takes some hundred bytes; where positions
//! come from is not known here.

use crate::eval::handcrafted::{MAX_PHASE, MAX_SCALE, TERMS, Tapered, Terms, Trace};
use crate::position::Position;
use crate::types::Value;

/// How many weights the evaluation has: one for the opening and one for the ending of each term.
pub const WEIGHT_COUNT: usize = 2 * TERMS;

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Label {
    /// What the game was worth for Red: 1 for a win, ½ for a draw, 0 for a loss, or anything between.
    pub result: f32,
    /// What a search said, in centipawns for Red.
    pub score: Option<Value>,
}

/// Positions with their labels.
#[derive(Clone, PartialEq, Debug)]
pub struct Dataset {
    /// Where the list of each position begins, and where the last one ends.
    starts: Vec<usize>,
    /// The terms of all lists, one after another.
    terms: Vec<u16>,
    /// How much oftener each of them is counted for Red than for Black.
    counts: Vec<i8>,
    /// Parts of [`MAX_PHASE`] that each position is away from the ending.
    phases: Vec<u8>,
    /// Parts of [`MAX_SCALE`] that are left of an advantage of Red and of Black.
    chances: Vec<[u8; 2]>,
    labels: Vec<Label>,
}

const _: () = assert!(TERMS <= u16::MAX as usize);
const _: () = assert!(MAX_PHASE <= u8::MAX as Value);
const _: () = assert!(MAX_SCALE <= u8::MAX as Value);

impl Default for Dataset {
    fn default() -> Dataset {
        let (terms, counts, phases, chances, labels) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Dataset { starts: vec![0], terms, counts, phases, chances, labels }
    }
}

impl Dataset {
    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// How many bytes the positions take.
    pub fn bytes(&self) -> usize {
        let lists = self.terms.capacity() * (size_of::<u16>() + size_of::<i8>());
        let each = size_of::<usize>() + size_of::<[u8; 3]>() + size_of::<Label>();
        lists + self.labels.capacity() * each
    }

    /// Adds a position.
    ///
    /// ```
    /// use chuhe::position::Position;
    /// use chuhe::tools::tuning::{Dataset, Label, flat_weights};
    /// let mut dataset = Dataset::default();
    /// let mut position = Position::start();
    /// position.play(["h2e2"])?;
    /// dataset.push(&position, Label { result: 1.0, score: None });
    /// let for_red = dataset.value(0, &flat_weights(&chuhe::eval::handcrafted::WEIGHTS));
    /// assert!((for_red + f64::from(chuhe::eval::handcrafted::evaluate(&position))).abs() < 1.0);
    /// # Ok::<(), chuhe::position::PlayError>(())
    /// ```
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
        self.chances.push(trace.scale_factors.map(|chance| chance as u8));
        self.labels.push(label);
    }

    /// Adds all positions of another set.
    pub fn append(&mut self, other: &Dataset) {
        let before = self.terms.len();
        self.starts.extend(other.starts[1..].iter().map(|start| before + start));
        self.terms.extend_from_slice(&other.terms);
        self.counts.extend_from_slice(&other.counts);
        self.phases.extend_from_slice(&other.phases);
        self.chances.extend_from_slice(&other.chances);
        self.labels.extend_from_slice(&other.labels);
    }

    /// What is known of a position.
    pub fn label(&self, at: usize) -> Label {
        self.labels[at]
    }

    /// Says something else of a position.
    pub fn relabel(&mut self, at: usize, label: Label) {
        self.labels[at] = label;
    }

    /// The terms of a position, and how much oftener each is counted for Red than for Black.
    #[inline]
    pub fn terms(&self, at: usize) -> impl Iterator<Item = (usize, i8)> + '_ {
        let range = self.starts[at]..self.starts[at + 1];
        self.terms[range.clone()].iter().map(|&term| usize::from(term)).zip(self.counts[range].iter().copied())
    }

    /// How far a position is from an ending, 0 to 1.
    #[inline]
    pub fn phase(&self, at: usize) -> f64 {
        f64::from(self.phases[at]) / f64::from(MAX_PHASE)
    }

    /// What is left of an advantage of Red, or of Black, 0 to 1.
    #[inline]
    pub fn chance(&self, at: usize, is_red: bool) -> f64 {
        f64::from(self.chances[at][usize::from(!is_red)]) / f64::from(MAX_SCALE)
    }

    /// The evaluation of a position for Red under these weights, not rounded; see [`flat_weights`].
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
        sum * self.chance(at, sum > 0.0)
    }

    /// How many positions count each term.
    pub fn occurrences(&self) -> Vec<usize> {
        let mut occurrences = vec![0; TERMS];
        self.terms.iter().for_each(|&term| occurrences[usize::from(term)] += 1);
        occurrences
    }
}

/// All weights one after another, the opening before the ending.
pub fn flat_weights(weights: &Terms<Tapered>) -> Vec<f64> {
    let all = weights.groups().into_iter().flat_map(|(_, group)| group);
    all.flat_map(|weight| [f64::from(weight.opening), f64::from(weight.ending)]).collect()
}

/// The weights that stand one after another in `flat`, rounded and within ±32767.
pub fn rounded_weights(flat: &[f64]) -> Terms<Tapered> {
    const MOST: f64 = i16::MAX as f64;
    let rounded = |value: f64| value.round().clamp(-MOST, MOST) as Value;
    let mut weights = Terms::filled(Tapered::ZERO);
    let all = weights.groups_mut().into_iter().flat_map(|(_, group)| group);
    for (weight, pair) in all.zip(flat.as_chunks::<2>().0) {
        *weight = Tapered::new(rounded(pair[0]), rounded(pair[1]));
    }
    weights
}

/// The names of all weights, such as `guard[4].ending`, in the order of [`flat_weights`].
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
    fn what_is_too_large_or_no_number_is_kept_in_range() {
        let mut flat = vec![0.5; WEIGHT_COUNT];
        flat[..4].copy_from_slice(&[1e9, -1e9, f64::NAN, -0.6]);
        let weights = rounded_weights(&flat);
        assert_eq!(weights.material[0], Tapered::new(32767, -32767));
        assert_eq!(weights.material[1], Tapered::new(0, -1));
        assert_eq!(weights.material[2], Tapered::new(1, 1));
    }

    #[test]
    fn sets_put_together_hold_the_positions_of_both() {
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
        first.append(&second);
        assert_eq!(first, whole);
        assert_eq!(whole.len(), 3);
        let tempo = |at: usize| whole.terms(at).last().unwrap();
        assert_eq!((tempo(0), tempo(1)), ((TERMS - 1, 1), (TERMS - 1, -1)));
    }
}
