//! Planted weights are recovered from the results of positions.
//!
//! Not every weight can be: each rook stands somewhere and has some mobility, so the rook's worth could as well be
//! spread over its places. What positions do determine is worked out here from the positions alone, by elimination in
//! the matrix of their terms: terms that are sums of others are expressed by those, and how much is known of each of
//! the rest tells how exactly it must be found.

use chuhe::eval::handcrafted::WEIGHTS;
use chuhe::lab::tuning::{
    AdamSettings, Example, Label, Objective, Regression, Run, WEIGHT_COUNT, descend, flat_weights,
};
use chuhe::util::cancel::CancelFlag;
use chuhe::util::math::logistic;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::walks::random_games;

const SCALE: f64 = 600.0;
/// Weights count as determined when results drawn by chance would tell them within this, in centipawns.
const KNOWN: f64 = 200.0;

fn hidden_weights() -> Vec<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(31);
    flat_weights(&WEIGHTS).into_iter().map(|weight| weight + f64::from(random.random_range(-40..=40))).collect()
}

/// Positions of random play, with what `label` makes of the chance that the hidden weights give Red.
fn positions(hidden: &[f64], games: usize, mut label: impl FnMut(f64) -> f32) -> Vec<Example> {
    let mut examples = Vec::new();
    random_games(32, games, 120, |position, _| {
        let mut example = Example::new(position, Label { result: 0.5, score: None });
        example.label.result = label(logistic(example.value(hidden) / SCALE));
        examples.push(example);
    });
    examples
}

fn information(examples: &[Example], hidden: &[f64]) -> Vec<Vec<f64>> {
    let mut matrix = vec![vec![0.0; WEIGHT_COUNT]; WEIGHT_COUNT];
    for example in examples {
        let chance = logistic(example.value(hidden) / SCALE);
        let share = chance * (1.0 - chance) / (SCALE * SCALE);
        let phase = example.phase();
        let row: Vec<(usize, f64)> = (example.terms.iter())
            .flat_map(|&(term, count)| {
                let (term, count) = (usize::from(term), f64::from(count));
                [(2 * term, count * phase), (2 * term + 1, count * (1.0 - phase))]
            })
            .filter(|(_, value)| *value != 0.0)
            .collect();
        for &(one, first) in &row {
            for &(other, second) in &row {
                matrix[one][other] += share * first * second;
            }
        }
    }
    matrix
}

struct Determined {
    /// The weights that stand for all.
    kept: Vec<usize>,
    /// Share of each other weight that is added to a kept one: (kept, other, share).
    shares: Vec<(usize, usize, f64)>,
    /// The standard error of each kept weight when results are drawn by chance.
    errors: Vec<f64>,
}

impl Determined {
    /// Sweeps one weight after another out of the matrix; those of which nothing is left are sums of earlier ones.
    fn of(examples: &[Example], hidden: &[f64]) -> Determined {
        let mut matrix = information(examples, hidden);
        let before: Vec<f64> = (0..WEIGHT_COUNT).map(|at| matrix[at][at]).collect();
        let mut kept = Vec::new();
        // Rare ones first: what is left to be expressed by others is then what is known best, such as the usual place
        // of a man, and the others are told by their distance from it.
        let mut order: Vec<usize> = (0..WEIGHT_COUNT).collect();
        order.sort_by(|&one, &other| before[one].total_cmp(&before[other]));
        for at in order {
            if matrix[at][at] <= 1e-7 * before[at] || before[at] == 0.0 {
                continue;
            }
            kept.push(at);
            let pivot = matrix[at][at];
            let mut row = std::mem::take(&mut matrix[at]);
            row.iter_mut().for_each(|value| *value /= pivot);
            row[at] = 1.0 / pivot;
            for (_, other) in matrix.iter_mut().enumerate().filter(|(other, _)| *other != at) {
                let factor = other[at];
                if factor != 0.0 {
                    other[at] = 0.0;
                    other.iter_mut().zip(&row).for_each(|(value, part)| *value -= factor * part);
                }
            }
            matrix[at] = row;
        }
        let mut shares = Vec::new();
        for &one in &kept {
            for other in (0..WEIGHT_COUNT).filter(|&other| !kept.contains(&other) && before[other] > 0.0) {
                if matrix[one][other].abs() > 1e-9 {
                    shares.push((one, other, matrix[one][other]));
                }
            }
        }
        let errors = kept.iter().map(|&at| matrix[at][at].sqrt()).collect();
        Determined { kept, shares, errors }
    }

    /// The weights with those that are sums of others put into these.
    fn canonical(&self, weights: &[f64]) -> Vec<f64> {
        let mut canonical = weights.to_vec();
        self.shares.iter().for_each(|&(one, other, share)| canonical[one] += share * weights[other]);
        self.kept.iter().map(|&at| canonical[at]).collect()
    }
}

fn fit(examples: &[Example], epochs: u64) -> Vec<f64> {
    let regression = Regression::new(examples, &[], flat_weights(&WEIGHTS), (SCALE, 1.0), 2);
    let adam = AdamSettings { epochs, batch: 2_048, rate: 4.0, patience: 0, last_share: 0.001 };
    let found = descend(&regression, &adam, &mut Run::new(None, CancelFlag::default(), 1, &mut |_| {}));
    assert_eq!(regression.parameters().len(), found.vector.len());
    regression.weights(&found.vector)
}

#[test]
fn weights_hidden_in_chances_are_found_within_two_percent() {
    let hidden = hidden_weights();
    let dataset = positions(&hidden, 400, |chance| chance as f32);
    let determined = Determined::of(&dataset, &hidden);
    let [found, wanted, before] =
        [&fit(&dataset, 150), &hidden, &flat_weights(&WEIGHTS)].map(|weights| determined.canonical(weights));
    let known: Vec<usize> = (0..wanted.len()).filter(|&at| determined.errors[at] <= KNOWN).collect();
    let allowed = |at: usize| 0.02 * wanted[at].abs().max(25.0); // Rounding loses half a centipawn anyway.
    let worst =
        |weights: &[f64]| known.iter().map(|&at| (weights[at] - wanted[at]).abs() / allowed(at)).fold(0.0, f64::max);
    assert!(known.len() > 300 && worst(&before) > 10.0, "{} weights, {} at the start", known.len(), worst(&before));
    assert!(worst(&found) <= 1.0, "{} times what is allowed", worst(&found));
}

#[test]
fn weights_hidden_in_results_are_found_as_well_as_chance_allows() {
    let hidden = hidden_weights();
    let mean_squares = [33, 34, 35].map(|seed| {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let dataset = positions(&hidden, 400, |chance| f32::from(random.random::<f64>() < chance));
        let determined = Determined::of(&dataset, &hidden);
        let (found, wanted) = (determined.canonical(&fit(&dataset, 150)), determined.canonical(&hidden));
        let known: Vec<usize> = (0..wanted.len()).filter(|&at| determined.errors[at] <= KNOWN).collect();
        assert!(known.len() > 300, "{} weights", known.len());
        let squares = known.iter().map(|&at| ((found[at] - wanted[at]) / determined.errors[at]).powi(2));
        squares.sum::<f64>() / known.len() as f64
    });
    // Each error divided by its standard error has a mean square of 1; that of one set of results varies by 0.1.
    assert!((0.75..=1.25).contains(&(mean_squares.iter().sum::<f64>() / 3.0)), "{mean_squares:?}");
}
