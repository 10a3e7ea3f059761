//! The design finds planted effects within its standard errors.

use chuhe::lab::tuning::{Budget, Effect, Objective, Parameter, ProgressReport, Run, measure_effects};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const PARAMETERS: usize = 40;
/// Most noise of a comparison, either way. The effects of all parameters together have a smaller root mean square.
const NOISE: f64 = 5.0;

/// Linear loss that falls by `slopes` for each unit of a parameter. Comparisons are noisy where `noise` is not 0.
struct LinearObjective {
    parameters: Vec<Parameter>,
    slopes: Vec<f64>,
    noise: f64,
    random: ChaCha8Rng,
}

impl LinearObjective {
    fn new(slopes: Vec<f64>, noise: f64) -> LinearObjective {
        let parameter = |at: usize| Parameter {
            name: format!("p{at}"),
            start: 20.0,
            min: 0.0,
            max: 100.0,
            step: 4.0,
            resolution: 1.0,
        };
        let parameters = (0..slopes.len()).map(parameter).collect();
        LinearObjective { parameters, slopes, noise, random: ChaCha8Rng::seed_from_u64(7) }
    }
}

impl Objective for LinearObjective {
    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn loss(&mut self, vector: &[f64]) -> Option<f64> {
        Some(-self.slopes.iter().zip(vector).map(|(slope, value)| slope * value).sum::<f64>())
    }

    fn difference(&mut self, one: &[f64], other: &[f64]) -> Option<f64> {
        let noise = self.noise * self.random.random_range(-1.0..=1.0);
        Some(self.loss(one)? - self.loss(other)? + noise)
    }

    fn difference_cost(&self) -> u64 {
        if self.noise > 0.0 { 1 } else { 2 }
    }

    fn is_exact(&self) -> bool {
        false
    }
}

fn measure(objective: &mut LinearObjective, comparisons: u64, seed: u64) -> Vec<Effect> {
    let mut rounds = 0;
    let mut count = |_: &ProgressReport| rounds += 1;
    let budget = Budget { losses: Some(comparisons * objective.difference_cost()), ..Budget::default() };
    let mut run = Run::new(budget.clone(), seed, &mut count);
    let effects = measure_effects(objective, &mut run);
    assert_eq!(Some(run.spent()), budget.losses);
    assert_eq!(rounds, comparisons);
    effects
}

fn noisy(slopes: &[f64]) -> LinearObjective {
    LinearObjective::new(slopes.to_vec(), NOISE)
}

#[test]
fn planted_effects_are_found_within_their_errors() {
    // Six units of difference make 0.3 at most.
    let slopes: Vec<f64> = (0..PARAMETERS).map(|at| (at as f64 - 20.0) / 400.0).collect();
    let effects = measure(&mut noisy(&slopes), 4_000, 1);
    assert_eq!(measure(&mut noisy(&slopes), 4_000, 1), effects, "the seed decides which values meet");
    let deviations: Vec<f64> = effects
        .iter()
        .zip(&slopes)
        .map(|(effect, slope)| (effect.gain - slope * (effect.high - effect.low)) / effect.error)
        .collect();
    assert!(deviations.iter().all(|deviation| deviation.abs() < 4.0), "{deviations:.1?}");
    let mean_square = deviations.iter().map(|deviation| deviation * deviation).sum::<f64>() / PARAMETERS as f64;
    assert!((0.5..1.7).contains(&mean_square), "{mean_square}");
    // Uniform noise has a standard deviation of its greatest value over √3.
    let noise = NOISE / 3f64.sqrt() / 4_000f64.sqrt();
    assert!(effects.iter().all(|effect| (noise..1.2 * noise).contains(&effect.error)), "{effects:?}");
    // Effects far above their error move in the right direction.
    for (effect, slope) in effects.iter().zip(&slopes) {
        if slope.abs() * (effect.high - effect.low) > 4.0 * effect.error {
            assert_eq!(effect.better_value(), Some(if *slope > 0.0 { effect.high } else { effect.low }), "{effect:?}");
        }
    }
    assert!(effects.iter().filter(|effect| effect.gain.abs() > 4.0 * effect.error).count() >= 10, "{effects:?}");
}

#[test]
fn errors_follow_from_the_spread_of_the_comparisons() {
    // Two parameters without noise: each comparison is the sum or the difference of both effects, 3 and 1.
    let mut objective = LinearObjective::new(vec![0.5, 1.0 / 6.0], 0.0);
    for seed in 0..20 {
        let effects = measure(&mut objective, 2, seed);
        let (gain, error) = (effects[0].gain, effects[0].error);
        // Signs equal twice, opposite twice, or each once: 4 and 4, 2 and 2, or 4 and 2.
        let expected = [(4.0, 0.0), (2.0, 0.0), (3.0, 1.0)];
        let fits = |&(mean, deviation): &(f64, f64)| (gain - mean).abs() < 1e-9 && (error - deviation).abs() < 1e-6;
        assert!(expected.iter().any(fits), "{gain} {error}");
    }
}

#[test]
fn too_few_comparisons_change_nothing() {
    for comparisons in [0, 1] {
        let effects = measure(&mut noisy(&[3.0, -3.0]), comparisons, 1);
        assert_eq!(effects.len(), 2);
        assert!(effects.iter().all(|effect| effect.error == f64::INFINITY && effect.better_value().is_none()));
    }
}
