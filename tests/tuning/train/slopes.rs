//! The slopes of the price agree with differences of the price, which the plain evaluation in double precision tells.

use chuhe::tools::training::{Goal, Model, Rounded, Sample, Worker, rounded_parts};
use chuhe::tools::tuning::Loss;
use chuhe::util::simd::Isa;

use super::samples::samples;

/// How far a number is moved to either side.
const STEP: f32 = 1.0 / 1024.0;

/// A network whose sums are clamped at both ends now and then. Rounding changes nothing of its numbers.
fn model() -> Model {
    let mut model = Model::random(7);
    for part in &mut model.parts {
        part.as_flattened_mut().iter_mut().for_each(|value| *value *= 1.6);
    }
    Model::of_network(&model.quantised("").unwrap())
}

/// The slopes of the prices of samples, and the sum of the prices.
fn learn(model: &Model, path: Isa, samples: &[Sample], goal: &Goal, luck: Option<u64>, gradient: &mut Model) -> f64 {
    let parts = rounded_parts(model);
    let parts: Vec<&Rounded> = parts.iter().collect();
    Worker::new(path).learn(&parts, samples, goal, luck, gradient)
}

fn price(model: &Model, samples: &[Sample], goal: &Goal) -> f64 {
    samples.iter().map(|sample| goal.price_of_value(model.value(sample), goal.target(sample))).sum()
}

#[test]
fn slopes_agree_with_differences() {
    // More than one block, so that blocks are put together rightly too.
    let samples = samples(300, 1);
    for loss in [Loss::Squared, Loss::CrossEntropy] {
        let (mut model, goal) = (model(), Goal::new(loss, 0.7, 250.0, 2000));
        let mut gradient = Model::zero();
        let told = learn(&model, Isa::best(), &samples, &goal, None, &mut gradient);
        let plain = price(&model, &samples, &goal);
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
                    let price = price(&model, &samples, &goal);
                    model.parts[part].as_flattened_mut()[place] = before;
                    (there, price)
                };
                let ((right, above), (left, below)) = (moved(STEP), moved(-STEP));
                let slope = f64::from(gradient.parts[part].as_flattened()[place]);
                let difference = (above - below) / (right - left);
                // Where a sum passes the end of its range within the step, differences are a little off.
                let tolerance = 0.01 * slope.abs() + 0.002 * f64::from(most);
                assert!((difference - slope).abs() < tolerance, "part {part}, {place}: {difference} {slope}");
                checked += 1;
            }
        }
        assert_eq!(checked, gradient.parts.len() * 5);
    }
}

#[test]
fn every_path_finds_the_same_slopes_and_threads_may_share_the_work() {
    let (samples, model, goal) = (samples(600, 2), model(), Goal::new(Loss::Squared, 0.7, 250.0, 2000));
    let learn = |path, samples: &[Sample], luck, gradient: &mut Model| {
        learn(&model, path, samples, &goal, Some(luck), gradient)
    };
    let mut first = Model::zero();
    let price = learn(Isa::PORTABLE, &samples, 5, &mut first);
    for path in Isa::available() {
        let mut gradient = Model::zero();
        assert_eq!(learn(path, &samples, 5, &mut gradient), price, "{path:?}");
        assert!(gradient == first, "{path:?}");
    }
    // Half by half it is the same, but for the order in which floats are added.
    let mut halves = Model::zero();
    let sum =
        learn(Isa::best(), &samples[..301], 5, &mut halves) + learn(Isa::best(), &samples[301..], 306, &mut halves);
    assert!((sum - price).abs() < 1e-9 * price);
    let flat = |model: &Model| -> Vec<f32> { model.parts.iter().flatten().flatten().copied().collect() };
    let far = flat(&halves).iter().zip(flat(&first)).filter(|(one, other)| (*one - other).abs() > 1e-3).count();
    assert_eq!(far, 0);
    // Turned the other way, where that is possible at all, slopes are others.
    let mut other = Model::zero();
    learn(Isa::best(), &samples, 6, &mut other);
    assert!(flat(&other) != flat(&first));
}
