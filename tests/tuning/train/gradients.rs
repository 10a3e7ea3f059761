//! Gradients agree with differences of the loss, computed by the reference evaluation in double precision.

use chuhe::lab::training::{Loss, Model, Quantized, Sample, Target, Worker, quantized_parts};
use chuhe::util::simd::Isa;

use super::samples::samples;

/// Distance by which a number is moved to either side.
const STEP: f32 = 1.0 / 1024.0;

/// A network whose sums are clamped at both ends now and then. Rounding changes nothing of its numbers.
fn model() -> Model {
    let mut model = Model::random(7);
    for part in &mut model.parts {
        part.as_flattened_mut().iter_mut().for_each(|value| *value *= 1.6);
    }
    Model::from_network(&model.quantized("").unwrap())
}

/// Adds the gradient of the losses of samples and returns the sum of the losses.
fn add_gradient(
    model: &Model,
    path: Isa,
    samples: &[Sample],
    target: &Target,
    seed: Option<u64>,
    gradient: &mut Model,
) -> f64 {
    let parts = quantized_parts(model);
    let parts: Vec<&Quantized> = parts.iter().collect();
    Worker::new(path).add_gradient(&parts, samples, target, seed, gradient)
}

fn loss(model: &Model, samples: &[Sample], target: &Target) -> f64 {
    samples.iter().map(|sample| target.loss(model.value(sample), target.chance(sample))).sum()
}

#[test]
fn gradients_agree_with_differences() {
    // More than one block, so that blocks are put together rightly too.
    let samples = samples(300, 1);
    for kind in [Loss::Squared, Loss::CrossEntropy] {
        let (mut model, target) = (model(), Target::new(kind, 0.7, 250.0, 2000));
        let mut gradient = Model::zero();
        let told = add_gradient(&model, Isa::best(), &samples, &target, None, &mut gradient);
        let plain = loss(&model, &samples, &target);
        assert!((told - plain).abs() < 1e-5 * plain, "{told} {plain}");
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
                    let after = loss(&model, &samples, &target);
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
}

#[test]
fn all_instruction_sets_compute_the_same_gradients() {
    let (samples, model, target) = (samples(600, 2), model(), Target::new(Loss::Squared, 0.7, 250.0, 2000));
    let add_gradient = |path, samples: &[Sample], seed, gradient: &mut Model| {
        add_gradient(&model, path, samples, &target, Some(seed), gradient)
    };
    let mut first = Model::zero();
    let loss = add_gradient(Isa::PORTABLE, &samples, 5, &mut first);
    for path in Isa::available() {
        let mut gradient = Model::zero();
        assert_eq!(add_gradient(path, &samples, 5, &mut gradient), loss, "{path:?}");
        assert!(gradient == first, "{path:?}");
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
