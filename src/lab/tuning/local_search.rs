//! Methods that follow one point: hill climbing, simulated annealing, and simultaneous perturbation stochastic
//! approximation (SPSA, Spall 1992); and a screening design around a point.

use rand::RngExt;

use super::objective::{Objective, OptimizerRun, Parameter, Run, Solution};

/// Number of times that steps are halved.
const HALVINGS: i32 = 5;

/// Climbs until no step helps or the budget is spent. A parameter that moved tries the same direction first next time;
/// after a sweep without success all steps are halved.
pub(super) fn hill_climb(objective: &mut dyn Objective, run: &mut Run) -> Solution {
    let mut optimizer = OptimizerRun::new(objective, run).evaluated();
    let parameters = optimizer.objective.parameters().to_vec();
    let mut directions = vec![1.0; parameters.len()];
    let mut shrunk = 0;
    while shrunk <= HALVINGS {
        let (before, mut tried) = (optimizer.best.loss, false);
        for (at, parameter) in parameters.iter().enumerate() {
            let step = parameter.step / f64::from(1 << shrunk);
            if step < parameter.resolution {
                continue;
            }
            for direction in [directions[at], -directions[at]] {
                let mut candidate = optimizer.best.vector.clone();
                candidate[at] = parameter.clamp(candidate[at] + direction * step);
                if candidate[at] == optimizer.best.vector[at] {
                    continue;
                }
                tried = true;
                let earlier = optimizer.best.loss;
                let Some(loss) = optimizer.loss(&candidate) else { return optimizer.best };
                if loss < earlier {
                    directions[at] = direction;
                    break;
                }
            }
        }
        optimizer.report();
        if optimizer.best.loss >= before {
            shrunk += 1;
        }
        if !tried {
            break;
        }
    }
    optimizer.best
}

/// Trial steps that measure the typical change of the loss.
const ANNEALING_TRIALS: usize = 10;
/// Temperature at the end, relative to the start.
const LAST_TEMPERATURE: f64 = 0.001;
/// Steps between two progress reports.
const REPORT_INTERVAL: u64 = 50;
/// Maximum number of parameters changed in a step.
const MAX_CHANGES: usize = 3;

/// Anneals until the budget is spent; there must be one. The first temperature is the mean change of the loss by a
/// random step, so that it adapts to the scale of the loss; it falls geometrically with the budget. Steps shrink to a
/// tenth.
pub(super) fn anneal(objective: &mut dyn Objective, run: &mut Run) -> Solution {
    let mut optimizer = OptimizerRun::new(objective, run).evaluated();
    let start = optimizer.best.clone();
    let mut sum = 0.0;
    for _ in 0..ANNEALING_TRIALS {
        let candidate = neighbour(&mut optimizer, &start.vector);
        let Some(loss) = optimizer.loss(&candidate) else { return optimizer.best };
        sum += (loss - start.loss).abs();
    }
    let first_temperature = sum / ANNEALING_TRIALS as f64;
    let (mut current, mut steps) = (optimizer.best.clone(), 0);
    loop {
        let candidate = neighbour(&mut optimizer, &current.vector);
        let temperature = first_temperature * LAST_TEMPERATURE.powf(optimizer.run.fraction());
        let Some(loss) = optimizer.loss(&candidate) else { return optimizer.best };
        if accepts(loss - current.loss, temperature, optimizer.run.random.random()) {
            current = Solution { vector: candidate, loss };
        }
        steps += 1;
        if steps % REPORT_INTERVAL == 0 {
            optimizer.report();
        }
    }
}

/// Metropolis criterion: accepts every change that is not worse, and a worse one with probability e^(−change /
/// temperature). `random` is uniform in 0 to 1.
fn accepts(change: f64, temperature: f64, random: f64) -> bool {
    change <= 0.0 || random < (-change / temperature.max(f64::MIN_POSITIVE)).exp()
}

/// Returns a vector one random step away.
fn neighbour(optimizer: &mut OptimizerRun, vector: &[f64]) -> Vec<f64> {
    let width = 1.0 - 0.9 * optimizer.run.fraction();
    let mut neighbour = vector.to_vec();
    let random = &mut optimizer.run.random;
    for _ in 0..random.random_range(1..=MAX_CHANGES.min(vector.len())) {
        let at = random.random_range(0..vector.len());
        let parameter = &optimizer.objective.parameters()[at];
        let change: f64 = random.random_range(-1.0..=1.0);
        let step = change.signum() * (change.abs() * 2.0 * parameter.step * width).max(parameter.resolution);
        neighbour[at] = parameter.clamp(neighbour[at] + step);
    }
    neighbour
}

/// Exponent of the gain sequence.
const STEP_POWER: f64 = 0.602;
/// Exponent of the perturbation sequence.
const PERTURBATION_POWER: f64 = 0.101;
/// Trial perturbations that measure the typical difference.
const GRADIENT_TRIALS: usize = 8;
/// Intended change of a parameter in the first round, in steps.
const FIRST_CHANGE: f64 = 0.3;
/// The same for noisy objectives. The differences of matches are mostly chance: over 400 rounds chance alone moves a
/// parameter by about one step, while one whose step is worth 10 Elo in matches of 16 games moves by two to four.
const FIRST_NOISY_CHANGE: f64 = 0.06;
/// Rounds between two evaluations and reports of the current vector; noisy objectives report after every round.
const EVALUATION_INTERVAL: u64 = 25;
/// Stability constant of the gain sequence, as a share of the expected rounds.
const DELAY: f64 = 0.1;
/// Expected rounds when only time is limited.
const DEFAULT_ROUNDS: u64 = 1_000;

/// Runs until the budget is spent; there must be one. All parameters are perturbed at once in random directions; the
/// difference between two opposite perturbations estimates the gradient. Returns the best evaluated vector. For noisy
/// objectives no losses are evaluated, and the last vector is the result.
pub(super) fn spsa(objective: &mut dyn Objective, run: &mut Run) -> Solution {
    let is_exact = objective.is_exact();
    let rounds = run.losses_left().map_or(DEFAULT_ROUNDS, |losses| losses / objective.difference_cost());
    let mut optimizer = OptimizerRun::new(objective, run);
    let mut current = optimizer.best.vector.clone();
    if is_exact {
        optimizer = optimizer.evaluated();
    }
    let parameters = optimizer.objective.parameters().to_vec();
    let perturb = |optimizer: &mut OptimizerRun, current: &[f64], width: f64| -> Option<(Vec<f64>, f64)> {
        let signs: Vec<f64> =
            parameters.iter().map(|_| if optimizer.run.random.random() { 1.0 } else { -1.0 }).collect();
        let [one, other] = [1.0, -1.0].map(|direction| -> Vec<f64> {
            let dimensions = parameters.iter().zip(current).zip(&signs);
            let shifted = |((parameter, current), sign): ((&Parameter, &f64), &f64)| {
                parameter.clamp(current + direction * sign * (parameter.step * width).max(parameter.resolution))
            };
            dimensions.map(shifted).collect()
        });
        Some((signs, optimizer.difference(&one, &other)?))
    };
    let mut sum = 0.0;
    for _ in 0..GRADIENT_TRIALS {
        let Some((_, difference)) = perturb(&mut optimizer, &current, 1.0) else { return optimizer.best };
        sum += difference.abs();
    }
    let typical = if sum > 0.0 { sum / GRADIENT_TRIALS as f64 } else { 1.0 };
    let delay = DELAY * rounds as f64;
    let first_change = if is_exact { FIRST_CHANGE } else { FIRST_NOISY_CHANGE };
    let first_gain = first_change * (delay + 1.0).powf(STEP_POWER) / typical;
    for round in 0.. {
        let gain = first_gain / (delay + 1.0 + round as f64).powf(STEP_POWER);
        let width = 1.0 / (1.0 + round as f64).powf(PERTURBATION_POWER);
        let Some((signs, difference)) = perturb(&mut optimizer, &current, width) else { break };
        for ((value, parameter), sign) in current.iter_mut().zip(&parameters).zip(&signs) {
            *value = parameter.clamp(*value - gain * difference / width * sign * parameter.step);
        }
        if !is_exact {
            optimizer.best.vector.clone_from(&current);
            optimizer.report();
        } else if (round + 1) % EVALUATION_INTERVAL == 0 {
            optimizer.loss(&current);
            optimizer.report();
        }
    }
    if is_exact {
        optimizer.loss(&current);
    }
    optimizer.best
}

/// Distance of the two values of a parameter from the start in the screening design, in initial steps. With a larger
/// distance one parameter with a large effect would decide most comparisons and hide the others.
const DESIGN_STEPS: f64 = 0.75;

/// Main effect of a parameter: its high value compared with its low one.
#[derive(Clone, PartialEq, Debug)]
pub struct Effect {
    /// Name of the parameter.
    pub name: String,
    pub low: f64,
    pub high: f64,
    /// Loss of the low value minus that of the high one: positive if the high value is better.
    pub gain: f64,
    /// Standard error of the gain; infinite for fewer than two comparisons.
    pub error: f64,
}

impl Effect {
    /// Returns the better of the two values if the gain exceeds its standard error, otherwise `None`.
    ///
    /// To go there from the start is worth half of the gain at most. Where the start is a maximum both values are
    /// worse, which the comparison does not show; therefore small gains change nothing.
    pub fn better_value(&self) -> Option<f64> {
        (self.gain.abs() > self.error).then_some(if self.gain > 0.0 { self.high } else { self.low })
    }
}

/// Returns the value of a parameter below and above its start, within its range.
pub(super) fn low_and_high(parameter: &Parameter) -> [f64; 2] {
    let distance = (DESIGN_STEPS * parameter.step).max(parameter.resolution);
    let is_whole = parameter.resolution > 0.0;
    let distance = if is_whole { (distance / parameter.resolution).round() * parameter.resolution } else { distance };
    [-distance, distance].map(|distance| parameter.clamp(parameter.start + distance))
}

/// Measures the effects of all parameters until the budget is spent; there must be one. Returns them in the order of
/// the parameters.
///
/// In every comparison each parameter has, by chance, its high value on one side and its low value on the other: a
/// random balance design (Satterthwaite 1959), in which every comparison informs about all parameters. Each vector
/// meets its mirror image, so that interactions of two parameters cancel.
pub fn measure_effects(objective: &mut dyn Objective, run: &mut Run) -> Vec<Effect> {
    let parameters = objective.parameters().to_vec();
    let values: Vec<[f64; 2]> = parameters.iter().map(low_and_high).collect();
    let mut optimizer = OptimizerRun::new(objective, run);
    let (mut count, mut squares, mut sums) = (0.0, 0.0, vec![0.0; parameters.len()]);
    loop {
        let is_high: Vec<bool> = parameters.iter().map(|_| optimizer.run.random.random()).collect();
        let [one, other] = [false, true].map(|is_mirrored| -> Vec<f64> {
            values.iter().zip(&is_high).map(|(values, high)| values[usize::from(*high != is_mirrored)]).collect()
        });
        let Some(difference) = optimizer.difference(&one, &other) else { break };
        count += 1.0;
        squares += difference * difference;
        for (sum, is_high) in sums.iter_mut().zip(&is_high) {
            *sum += if *is_high { -difference } else { difference };
        }
        optimizer.report();
    }
    let effect = |((parameter, [low, high]), sum): ((&Parameter, [f64; 2]), f64)| {
        let gain = if count > 0.0 { sum / count } else { 0.0 };
        // The effects of the other parameters count as noise. Rounding may make a variance of 0 negative.
        let variance = if count > 1.0 { (squares / count - gain * gain).max(0.0) } else { f64::INFINITY };
        Effect { name: parameter.name.clone(), low, high, gain, error: (variance / (count - 1.0).max(1.0)).sqrt() }
    };
    parameters.iter().zip(values).zip(sums).map(effect).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worse_steps_are_accepted_by_the_metropolis_criterion() {
        assert!(accepts(-1.0, 0.0, 0.999) && accepts(0.0, 0.0, 0.999));
        assert!(!accepts(1e-9, 0.0, 0.5));
        let probability = (-0.5f64).exp();
        assert!(accepts(1.0, 2.0, probability - 1e-9) && !accepts(1.0, 2.0, probability + 1e-9));
    }

    #[test]
    fn values_of_the_design_lie_three_quarters_of_a_step_on_either_side_within_the_range() {
        for (start, step, resolution, expected) in [
            (50.0, 4.0, 0.0, [47.0, 53.0]),
            // Whole numbers: 7.5 is rounded once, so that both lie equally far away, and at least 1 is taken.
            (50.0, 10.0, 1.0, [42.0, 58.0]),
            (50.0, 0.2, 1.0, [49.0, 51.0]),
            (1.0, 4.0, 1.0, [0.0, 4.0]),
        ] {
            let parameter = Parameter { name: "x".into(), start, min: 0.0, max: 100.0, step, resolution };
            assert_eq!(low_and_high(&parameter), expected);
        }
    }
}
