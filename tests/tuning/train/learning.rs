//! Training reduces the loss.

use std::sync::Arc;

use chuhe::eval::network::Network;
use chuhe::lab::training::{AdamStep, Loss, Model, ParamState, Sample, Target, WorkerPool, compare};
use chuhe::util::simd::Isa;

use super::samples::{material, positions, samples};

/// Trains on one batch repeatedly; returns the mean loss at the end and the network.
fn train(samples: Vec<Sample>, target: &Target, steps: u64, threads: usize) -> (f64, Model) {
    let batch = samples.len();
    train_in(samples, batch, target, steps, threads)
}

/// Trains on batches of `batch` samples in turn.
fn train_in(samples: Vec<Sample>, batch: usize, target: &Target, steps: u64, threads: usize) -> (f64, Model) {
    let batches: Vec<Arc<Vec<Sample>>> = samples.chunks(batch).map(|batch| Arc::new(batch.to_vec())).collect();
    let samples = Arc::new(samples);
    let parts = Model::random(1).parts.into_iter().map(ParamState::new).collect();
    std::thread::scope(|scope| {
        let pool = WorkerPool::new(scope, threads, Isa::best(), target.clone(), parts);
        for number in 1..=steps {
            let samples = &batches[number as usize % batches.len()];
            pool.begin_batch(samples, number);
            pool.end_batch(AdamStep::new(number, samples.len(), 3e-3, 0.0));
        }
        (pool.loss_of(&samples) / samples.len() as f64, pool.model())
    })
}

#[test]
fn a_tiny_set_is_overfitted() {
    let mut samples = samples(64, 3);
    // Results that have nothing to do with the positions can only be memorized.
    let random = positions(64, 3);
    for (number, (sample, position)) in samples.iter_mut().zip(&random).enumerate() {
        *sample = Sample::new(position, [400, -400][number * number / 3 % 2], 0.5).unwrap();
    }
    let target = Target::new(Loss::Squared, 1.0, 300.0, 2000);
    let least = samples.iter().map(|sample| target.loss(0.0, target.chance(sample))).sum::<f64>() / 64.0;
    let (loss, model) = train(samples.clone(), &target, 300, 2);
    assert!(loss < 1e-4 && least > 0.05, "{loss} of {least}");
    let model = Model::from_network(&model.quantized("").unwrap());
    for sample in &samples {
        assert!((model.value(sample) - f64::from(sample.score())).abs() < 30.0);
    }
}

#[test]
fn training_generalizes_to_unseen_positions_and_the_quantized_network() {
    let target = Target::new(Loss::Squared, 1.0, 300.0, 2000);
    let (_, model) = train_in(samples(8000, 4), 500, &target, 300, 2);
    let network = Network::from_bytes(&model.quantized("material").unwrap().to_bytes()).unwrap();
    let unseen = positions(300, 5);
    let error = |value: fn(&Network, &chuhe::position::Position) -> i32| -> f64 {
        unseen.iter().map(|position| f64::from((value(&network, position) - material(position)).abs())).sum::<f64>()
            / 300.0
    };
    let (before, after) = (error(|_, _| 0), error(Network::evaluate));
    assert!(after < before / 1.4, "{after} of {before} centipawns are left");
    let differences = compare(&Model::from_network(&network), &network, &samples(300, 5));
    assert_eq!(differences.positions, 300);
    assert!(differences.largest < 3.0 && differences.mean <= differences.largest, "{differences:?}");
    // Seen from the other side, or in a mirror, a position is worth the same.
    for position in &unseen {
        assert_eq!(network.evaluate(&position.colour_flipped()), network.evaluate(position));
    }
}

#[test]
fn training_is_deterministic_for_a_number_of_threads() {
    let target = Target::new(Loss::CrossEntropy, 0.7, 300.0, 2000);
    let one = train(samples(700, 6), &target, 5, 3);
    assert!(train(samples(700, 6), &target, 5, 3) == one);
    let other = train(samples(700, 6), &target, 5, 1);
    assert!((other.0 - one.0).abs() < 1e-4, "{} {}", other.0, one.0);
}
