//! The design finds planted effects, with errors that say how far it is from them.

use chuhe::tools::tuning::{Budget, Effect, Objective, Parameter, ProgressReport, Run, measure_effects};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const PARAMETERS: usize = 40;
/// Half the width of the chance in a comparison; what all parameters do together is smaller.
const CHANCE: f64 = 5.0;

/// The loss falls by `slopes` for each unit of a parameter; a comparison is mostly chance.
struct Slope {
    parameters: Vec<Parameter>,
    slopes: Vec<f64>,
    random: ChaCha8Rng,
}

impl Slope {
    fn new(slopes: Vec<f64>) -> Slope {
        let parameter = |at: usize| Parameter {
            name: format!("p{at}"),
            start: 20.0,
            min: 0.0,
            max: if at == 0 { 20.0 } else { 100.0 },
            step: 4.0,
            resolution: 1.0,
        };
        let parameters = (0..slopes.len()).map(parameter).collect();
        Slope { parameters, slopes, random: ChaCha8Rng::seed_from_u64(7) }
    }
}

impl Objective for Slope {
    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn loss(&mut self, vector: &[f64]) -> Option<f64> {
        Some(-self.slopes.iter().zip(vector).map(|(slope, value)| slope * value).sum::<f64>())
    }

    fn difference(&mut self, one: &[f64], other: &[f64]) -> Option<f64> {
        let chance: f64 = self.random.random_range(-CHANCE..=CHANCE);
        Some(self.loss(one)? - self.loss(other)? + chance)
    }

    fn difference_cost(&self) -> u64 {
        1
    }

    fn is_exact(&self) -> bool {
        false
    }
}

fn measure(slopes: &[f64], comparisons: u64, seed: u64) -> Vec<Effect> {
    let mut rounds = 0;
    let mut count = |_: &ProgressReport| rounds += 1;
    let mut run = Run::new(Budget { losses: Some(comparisons), ..Budget::default() }, seed, &mut count);
    let effects = measure_effects(&mut Slope::new(slopes.to_vec()), &mut run);
    assert_eq!(run.spent(), comparisons);
    assert_eq!(rounds, comparisons);
    effects
}

#[test]
fn planted_effects_are_found_within_their_errors() {
    // A tenth of the width of the chance at most, most of them less.
    let slopes: Vec<f64> = (0..PARAMETERS).map(|at| (at as f64 - 20.0) / 400.0).collect();
    let effects = measure(&slopes, 4_000, 1);
    let deviations: Vec<f64> = effects
        .iter()
        .zip(&slopes)
        .map(|(effect, slope)| (effect.gain - slope * (effect.high - effect.low)) / effect.error)
        .collect();
    assert!(deviations.iter().all(|deviation| deviation.abs() < 4.0), "{deviations:.1?}");
    let mean_square = deviations.iter().map(|deviation| deviation * deviation).sum::<f64>() / PARAMETERS as f64;
    assert!((0.5..1.7).contains(&mean_square), "{mean_square}");
    // The chance alone has a standard deviation of its half width over √3.
    let chance = CHANCE / 3f64.sqrt() / 4_000f64.sqrt();
    assert!(effects.iter().all(|effect| (chance..1.2 * chance).contains(&effect.error)), "{effects:?}");
    // Effects far above their error move in the right direction.
    for (effect, slope) in effects.iter().zip(&slopes) {
        if slope.abs() * (effect.high - effect.low) > 4.0 * effect.error {
            assert_eq!(effect.better_value(), Some(if *slope > 0.0 { effect.high } else { effect.low }), "{effect:?}");
        }
    }
    assert!(effects.iter().filter(|effect| effect.gain.abs() > 4.0 * effect.error).count() >= 10, "{effects:?}");
}

#[test]
fn values_are_three_quarters_of_a_step_away_within_the_range() {
    let effects = measure(&[0.1, 0.1], 3, 1);
    let ends: Vec<_> = effects.iter().map(|effect| (effect.name.as_str(), effect.low, effect.high)).collect();
    assert_eq!(ends, [("p0", 17.0, 20.0), ("p1", 17.0, 23.0)]);
}

#[test]
fn the_seed_decides_which_values_meet() {
    let slopes = [0.3, -0.2, 0.0];
    assert_eq!(measure(&slopes, 50, 3), measure(&slopes, 50, 3));
    assert_ne!(measure(&slopes, 50, 3), measure(&slopes, 50, 4));
}

#[test]
fn too_few_comparisons_change_nothing() {
    for comparisons in [0, 1] {
        let effects = measure(&[3.0, -3.0], comparisons, 1);
        assert_eq!(effects.len(), 2);
        assert!(effects.iter().all(|effect| effect.error == f64::INFINITY && effect.better_value().is_none()));
    }
}
