//! Traces agree with the evaluation, gradients with differences, and early stopping keeps the best weights.

use chuhe::eval::handcrafted::{self, Tapered, Terms, WEIGHTS};
use chuhe::lab::tuning::{
    AdamSettings, Example, Label, Objective, ProgressReport, Regression, Run, Solution, descend, fit_scale,
    flat_weights, losses_without_groups,
};
use chuhe::types::{Piece, PieceKind, Side};
use chuhe::util::cancel::CancelFlag;
use rand::RngExt;

use crate::common::walks::random_games;

fn random_positions(seed: u64, games: usize) -> Vec<Example> {
    let mut examples = Vec::new();
    random_games(seed, games, 100, |position, random| {
        let score = random.random::<bool>().then(|| random.random_range(-500..=500));
        let result = random.random_range(0..=2) as f32 / 2.0;
        examples.push(Example::new(position, Label { result, score }));
    });
    examples
}

/// Scale and share of the result in the target.
const MODEL: (f64, f64) = (400.0, 0.6);

fn fit(regression: &Regression, adam: AdamSettings, seed: u64) -> Solution {
    descend(regression, &adam, &mut Run::new(None, CancelFlag::default(), seed, &mut |_| {}))
}

#[test]
fn traces_agree_with_the_evaluation() {
    let (weights, mut count) = (flat_weights(&WEIGHTS), 0);
    random_games(21, 50, 150, |position, _| {
        let example = Example::new(position, Label { result: 0.5, score: None });
        let evaluated = handcrafted::evaluate(position);
        let expected = if position.side() == Side::Red { evaluated } else { -evaluated };
        // The evaluation rounds towards zero before it scales an ending, and again after it.
        let value = example.value(&weights);
        let factor = example.scale_factor(value > 0.0);
        let lost = if factor == 1.0 { 1.0 } else { 1.0 + factor };
        assert!((value - f64::from(expected)).abs() < lost, "{position}: {value}, not {expected}");
        count += 1;
    });
    assert!(count > 3_000);
}

#[test]
fn the_gradient_agrees_with_differences() {
    let dataset = random_positions(22, 8);
    let regression = Regression::new(&dataset, &[], flat_weights(&WEIGHTS), MODEL, 2);
    let vector: Vec<f64> = (regression.parameters().iter().enumerate())
        .map(|(at, parameter)| parameter.start + (at % 7) as f64 * 5.0 - 15.0)
        .collect();
    let all: Vec<u32> = (0..dataset.len() as u32).collect();
    let (value, gradient) = regression.gradient(&vector, &all).unwrap();
    assert!((value - regression.training_loss(&vector).unwrap()).abs() < 1e-12);
    assert!(vector.len() > 300);
    for at in 0..vector.len() {
        let shifted = |step: f64| {
            let mut vector = vector.clone();
            vector[at] += step;
            regression.training_loss(&vector).unwrap()
        };
        let difference = (shifted(0.01) - shifted(-0.01)) / 0.02;
        assert!((difference - gradient[at]).abs() < 1e-9 + 1e-5 * gradient[at].abs(), "weight {at}");
    }
}

#[test]
fn the_scale_is_the_one_that_made_the_results() {
    let (mut examples, weights) = (Vec::new(), flat_weights(&WEIGHTS));
    random_games(23, 40, 100, |position, _| {
        let mut example = Example::new(position, Label { result: 0.0, score: None });
        example.label.result = (1.0 / (1.0 + (-example.value(&weights) / 333.0).exp())) as f32;
        examples.push(example);
    });
    let found = fit_scale(&examples, &weights, 2);
    assert!((found / 333.0 - 1.0).abs() < 0.001, "{found}");
}

#[test]
fn the_fit_does_not_depend_on_the_number_of_threads() {
    let (training, validation) = (random_positions(24, 60), random_positions(25, 10));
    let adam = AdamSettings { epochs: 4, batch: 3_000, ..AdamSettings::default() };
    let [first, same, other] = [(1, 1), (3, 1), (1, 2)].map(|(threads, seed)| {
        fit(&Regression::new(&training, &validation, flat_weights(&WEIGHTS), MODEL, threads), adam, seed)
    });
    assert_eq!(same, first);
    assert_ne!(other, first);
}

#[test]
fn early_stopping_keeps_the_best_validation_loss() {
    // Few positions with results by chance: they are soon overfitted.
    let (training, validation) = (random_positions(26, 3), random_positions(27, 10));
    let regression = Regression::new(&training, &validation, flat_weights(&WEIGHTS), MODEL, 1);
    let start: Vec<f64> = regression.parameters().iter().map(|parameter| parameter.start).collect();
    let mut min = regression.validation_loss(&start).unwrap();
    let mut told = Vec::new();
    let mut on_progress = |step: &ProgressReport| told.push((step.loss, step.validation.unwrap()));
    let adam = AdamSettings { epochs: 500, batch: 100, patience: 5, rate: 10.0, ..AdamSettings::default() };
    let found = descend(&regression, &adam, &mut Run::new(None, CancelFlag::default(), 3, &mut on_progress));
    assert!(told.len() > 5 && told.len() < 500, "{} epochs", told.len());
    min = told.iter().fold(min, |min, (_, validation)| min.min(*validation));
    assert_eq!(regression.validation_loss(&found.vector), Some(min));
    let (last_loss, last) = told[told.len() - 1];
    assert!(last > min && last_loss < told[0].0, "it went on to overfit");
}

#[test]
fn budgets_and_cancellation_end_the_fit_with_the_best_vector() {
    let training = random_positions(28, 10);
    let regression = Regression::new(&training, &[], flat_weights(&WEIGHTS), MODEL, 1);
    let fit = |budget, cancel| {
        let mut silent = |_: &ProgressReport| {};
        let mut run = Run::new(budget, cancel, 1, &mut silent);
        let found = descend(&regression, &AdamSettings::default(), &mut run);
        (found, run.spent())
    };
    // An epoch costs two passes.
    assert_eq!(fit(Some(7), CancelFlag::default()).1, 6);
    let cancel = CancelFlag::default();
    cancel.cancel();
    let (found, spent) = fit(None, cancel);
    let start: Vec<f64> = regression.parameters().iter().map(|parameter| parameter.start).collect();
    assert_eq!((found.vector, spent), (start, 0));
}

#[test]
fn a_group_is_missed_as_much_as_it_tells() {
    // The side with more rooks wins.
    let mut dataset = Vec::new();
    random_games(29, 20, 100, |position, _| {
        let [red, black] = Side::BOTH.map(|side| position.count(Piece::new(side, PieceKind::Rook)));
        let result = f32::from(red.cmp(&black) as i8 + 1) / 2.0;
        dataset.push(Example::new(position, Label { result, score: None }));
    });
    let guess = std::f64::consts::LN_2;
    let of = |weights: &Terms<Tapered>| losses_without_groups(&dataset, weights, 2);
    // All that this evaluation knows is the material, and the side to move.
    let mut weights = Terms { material: WEIGHTS.material, ..Terms::filled(Tapered::ZERO) };
    let (whole, rows) = of(&weights);
    assert!(whole < guess, "{whole}");
    assert_eq!(rows.len(), 1 + weights.groups().len());
    for (groups, [without, alone]) in &rows {
        let expected = if groups.contains(&"material") { [guess, whole] } else { [whole, guess] };
        assert!((without - expected[0]).abs() < 1e-9 && (alone - expected[1]).abs() < 1e-9, "{groups:?}");
    }
    // A second group that tells something of the opposite is better left out.
    weights.psqt = WEIGHTS.psqt.map(|weight| weight * -3);
    let (mixed, rows) = of(&weights);
    let row = |wanted: &[&str]| rows.iter().find(|(groups, _)| groups == wanted).unwrap().1;
    assert!((row(&["psqt"])[0] - whole).abs() < 1e-9 && (row(&["material"])[1] - whole).abs() < 1e-9);
    assert!(row(&["material", "psqt"])[1] == mixed && (row(&["material", "psqt"])[0] - guess).abs() < 1e-9);
}
