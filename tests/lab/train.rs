//! Gradients agree with differences of the loss, computed by the reference evaluation in double precision, and training
//! reduces the loss.

use chuhe::eval::network::{Network, SCALE};
use chuhe::lab::openings::random_moves;
use chuhe::lab::training::{AdamStep, Model, ParamState, Quantized, Sample, Target, Trainer, Worker, quantized_parts};
use chuhe::position::Position;
use chuhe::types::{Side, Value};
use chuhe::util::math::StableRandom;
use chuhe::util::simd::Isa;

/// Distance by which a number is moved to either side.
const STEP: f32 = 1.0 / 1024.0;

fn material(position: &Position) -> Value {
    const WORTH: [Value; 7] = [0, 20, 20, 90, 200, 100, 30];
    let worth = |side| -> Value {
        let own = position.pieces().filter(|(piece, _)| piece.side() == side);
        own.map(|(piece, _)| WORTH[piece.kind().index()]).sum()
    };
    worth(position.side()) - worth(!position.side())
}

/// `count` positions of random games, each from a different one.
fn positions(count: u64, seed: u64) -> Vec<Position> {
    let game = |number| {
        let (mut position, mut random) = (Position::start(), StableRandom::new(seed, number));
        let plies = 20 + random.below(120);
        random_moves(&mut position, plies, &mut random).map(|_| position.with_recent_history(0))
    };
    (0..).filter_map(game).take(count as usize).collect()
}

/// Samples of such positions, with their material as the score and the result that goes with it.
fn samples(count: u64, seed: u64) -> Vec<Sample> {
    let sample = |position: &Position| {
        let score = material(position);
        let points = f64::from(score.signum() + 1) / 2.0;
        let for_red = if position.side() == Side::Red { points } else { 1.0 - points };
        Sample::new(position, score, for_red).expect("there are at most 32 men")
    };
    positions(count, seed).iter().map(sample).collect()
}

/// A network whose sums are clamped at both ends now and then. Rounding changes nothing of its numbers.
fn model() -> Model {
    let mut model = Model::random(7);
    for part in &mut model.parts {
        part.as_flattened_mut().iter_mut().for_each(|value| *value *= 1.6);
    }
    Model::from_network(&model.quantized("").unwrap())
}

fn add_gradient(model: &Model, isa: Isa, samples: &[Sample], seed: Option<u64>, gradient: &mut Model) -> f64 {
    let parts = quantized_parts(model);
    let parts: Vec<&Quantized> = parts.iter().collect();
    Worker::new(isa).add_gradient(&parts, samples, &Target { lambda: 0.7, scale: 250.0 }, seed, gradient)
}

fn loss_of(target: &Target, value: f64, sample: &Sample) -> f64 {
    Target::LOSS.value(value / target.scale, target.chance(sample))
}

#[test]
fn targets_blend_scores_and_results() {
    let sample = |score, points| Sample::new(&Position::start(), score, points).unwrap();
    let target = Target { lambda: 0.75, scale: 300.0 };
    assert_eq!(target.chance(&sample(0, 1.0)), 0.625);
    let third = 1.0 / (1.0 + (-1f64).exp());
    assert!((target.chance(&sample(300, 0.0)) - 0.75 * third).abs() < 1e-12);
    // An output of 1 is worth SCALE centipawns.
    let (loss, _) = target.loss_and_gradient(1.5, 0.25);
    assert!((loss - Target::LOSS.value(1.5 * f64::from(SCALE) / 300.0, 0.25)).abs() < 1e-12);
}

#[test]
fn gradients_agree_with_differences() {
    // More than one block, so that blocks are put together rightly too.
    let (samples, mut model, target) = (samples(300, 1), model(), Target { lambda: 0.7, scale: 250.0 });
    let loss =
        |model: &Model| -> f64 { samples.iter().map(|sample| loss_of(&target, model.value(sample), sample)).sum() };
    let mut gradient = Model::zero();
    let (found, plain) = (add_gradient(&model, Isa::best(), &samples, None, &mut gradient), loss(&model));
    assert!((found - plain).abs() < 1e-5 * plain, "{found} {plain}");
    // The most important numbers of every part and some others, spread over all.
    let mut checked = 0;
    for part in 0..gradient.parts.len() {
        let flat = gradient.parts[part].as_flattened();
        let mut places: Vec<usize> = (0..flat.len()).collect();
        places.sort_by(|&one, &other| flat[other].abs().total_cmp(&flat[one].abs()));
        let spread = places.len() / 3;
        places.truncate(3);
        places.extend((1..3).map(|number| number * spread + part));
        let most = flat[places[0]].abs();
        assert!(most > 0.0);
        for place in places {
            let mut moved = |step: f32| {
                let value = &mut model.parts[part].as_flattened_mut()[place];
                let before = std::mem::replace(value, *value + step);
                let there = f64::from(*value);
                let after = loss(&model);
                model.parts[part].as_flattened_mut()[place] = before;
                (there, after)
            };
            let ((right, above), (left, below)) = (moved(STEP), moved(-STEP));
            let derivative = f64::from(gradient.parts[part].as_flattened()[place]);
            let difference = (above - below) / (right - left);
            // Where a sum passes the end of its range within the step, differences are a little off.
            let tolerance = 0.01 * derivative.abs() + 0.002 * f64::from(most);
            assert!((difference - derivative).abs() < tolerance, "part {part}, {place}: {difference} {derivative}");
            checked += 1;
        }
    }
    assert_eq!(checked, gradient.parts.len() * 5);
}

#[test]
fn all_instruction_sets_compute_the_same_gradients() {
    let (samples, model) = (samples(600, 2), model());
    let add_gradient =
        |isa, samples: &[Sample], seed, gradient: &mut Model| add_gradient(&model, isa, samples, Some(seed), gradient);
    let mut first = Model::zero();
    let loss = add_gradient(Isa::PORTABLE, &samples, 5, &mut first);
    for isa in Isa::available() {
        let mut gradient = Model::zero();
        assert_eq!(add_gradient(isa, &samples, 5, &mut gradient), loss, "{isa:?}");
        assert!(gradient == first, "{isa:?}");
    }
    // In two halves the result is the same, except for the order of floating-point additions.
    let mut halves = Model::zero();
    let sum = add_gradient(Isa::best(), &samples[..301], 5, &mut halves)
        + add_gradient(Isa::best(), &samples[301..], 306, &mut halves);
    assert!((sum - loss).abs() < 1e-9 * loss);
    let flat = |model: &Model| -> Vec<f32> { model.parts.iter().flatten().flatten().copied().collect() };
    let far = flat(&halves).iter().zip(flat(&first)).filter(|(one, other)| (*one - other).abs() > 1e-3).count();
    assert_eq!(far, 0);
    // Another seed mirrors other samples and gives another gradient.
    let mut other = Model::zero();
    add_gradient(Isa::best(), &samples, 6, &mut other);
    assert!(flat(&other) != flat(&first));
}

/// Trains on batches of `batch` samples in turn; returns the mean loss at the end and the network.
fn train(samples: &[Sample], batch: usize, target: Target, steps: u64, threads: usize) -> (f64, Model) {
    let batches: Vec<&[Sample]> = samples.chunks(batch).collect();
    let mut trainer = Trainer::new(threads, target, Model::random(1).parts.into_iter().map(ParamState::new).collect());
    for number in 1..=steps {
        let samples = batches[number as usize % batches.len()];
        trainer.step(samples, number, AdamStep::new(number, samples.len(), 3e-3, 0.0));
    }
    (trainer.loss_of(samples) / samples.len() as f64, trainer.model())
}

#[test]
fn a_tiny_set_is_overfitted() {
    // Results that have nothing to do with the positions can only be memorized.
    let sample = |(number, position): (usize, &Position)| {
        Sample::new(position, [400, -400][number * number / 3 % 2], 0.5).unwrap()
    };
    let samples: Vec<Sample> = positions(64, 3).iter().enumerate().map(sample).collect();
    let target = Target { lambda: 1.0, scale: 300.0 };
    let least = samples.iter().map(|sample| loss_of(&target, 0.0, sample)).sum::<f64>() / 64.0;
    let (loss, model) = train(&samples, 64, target, 300, 2);
    assert!(loss < 1e-4 && least > 0.05, "{loss} of {least}");
    let model = Model::from_network(&model.quantized("").unwrap());
    for sample in &samples {
        assert!((model.value(sample) - f64::from(sample.score())).abs() < 30.0);
    }
}

#[test]
fn training_generalizes_to_unseen_positions() {
    let (_, model) = train(&samples(8000, 4), 500, Target { lambda: 1.0, scale: 300.0 }, 300, 2);
    let network = Network::from_bytes(&model.quantized("material").unwrap().to_bytes()).unwrap();
    let unseen = positions(300, 5);
    let error = |value: fn(&Network, &Position) -> i32| -> f64 {
        let errors = unseen.iter().map(|position| (value(&network, position) - material(position)).abs());
        f64::from(errors.sum::<i32>()) / 300.0
    };
    let (before, after) = (error(|_, _| 0), error(Network::evaluate));
    assert!(after < before / 1.4, "{after} of {before} centipawns are left");
    // Seen from the other side, or in a mirror, a position is worth the same.
    for position in &unseen {
        assert_eq!(network.evaluate(&position.colour_flipped()), network.evaluate(position));
    }
}
