//! Methods that follow one point: hill climbing, simulated annealing, and simultaneous perturbation stochastic
//! approximation (SPSA, Spall 1992). Each returns `None` when the budget of the run is spent; its result is the best
//! vector of the run.

use rand::RngExt;

use super::objective::{Objective, Run, Solution, difference_cost};

/// Number of times that steps are halved.
const HALVINGS: i32 = 5;

/// Climbs until no step helps or the budget is spent. A parameter that moved tries the same direction first next time;
/// after a sweep without success all steps are halved.
pub(super) fn hill_climb(objective: &mut dyn Objective, run: &mut Run) -> Option<()> {
    run.evaluate_start(objective);
    let parameters = objective.parameters().to_vec();
    let mut directions = vec![1.0; parameters.len()];
    let mut shrunk = 0;
    while shrunk <= HALVINGS {
        let (before, mut tried) = (run.best.loss, false);
        for (at, parameter) in parameters.iter().enumerate() {
            let step = parameter.step / f64::from(1 << shrunk);
            if step < parameter.resolution {
                continue;
            }
            for direction in [directions[at], -directions[at]] {
                let mut candidate = run.best.vector.clone();
                candidate[at] = parameter.clamp(candidate[at] + direction * step);
                if candidate[at] == run.best.vector[at] {
                    continue;
                }
                tried = true;
                let earlier = run.best.loss;
                if run.loss(objective, &candidate)? < earlier {
                    directions[at] = direction;
                    break;
                }
            }
        }
        run.report_best(objective);
        if run.best.loss >= before {
            shrunk += 1;
        }
        if !tried {
            break;
        }
    }
    Some(())
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
pub(super) fn anneal(objective: &mut dyn Objective, run: &mut Run) -> Option<()> {
    run.evaluate_start(objective);
    let start = run.best.clone();
    let mut sum = 0.0;
    for _ in 0..ANNEALING_TRIALS {
        let candidate = neighbour(objective, run, &start.vector);
        sum += (run.loss(objective, &candidate)? - start.loss).abs();
    }
    let first_temperature = sum / ANNEALING_TRIALS as f64;
    let mut current = run.best.clone();
    for steps in 1.. {
        let vector = neighbour(objective, run, &current.vector);
        let temperature = first_temperature * LAST_TEMPERATURE.powf(run.fraction());
        let loss = run.loss(objective, &vector)?;
        if accepts(loss - current.loss, temperature, run.random.random()) {
            current = Solution { vector, loss };
        }
        if steps % REPORT_INTERVAL == 0 {
            run.report_best(objective);
        }
    }
    Some(())
}

/// Metropolis criterion: accepts every change that is not worse, and a worse one with probability e^(−change /
/// temperature). `random` is uniform in 0 to 1.
fn accepts(change: f64, temperature: f64, random: f64) -> bool {
    change <= 0.0 || random < (-change / temperature.max(f64::MIN_POSITIVE)).exp()
}

/// Returns a vector one random step away.
fn neighbour(objective: &dyn Objective, run: &mut Run, vector: &[f64]) -> Vec<f64> {
    let width = 1.0 - 0.9 * run.fraction();
    let mut neighbour = vector.to_vec();
    for _ in 0..run.random.random_range(1..=MAX_CHANGES.min(vector.len())) {
        let at = run.random.random_range(0..vector.len());
        let parameter = &objective.parameters()[at];
        neighbour[at] = parameter.clamp(neighbour[at] + parameter.random_change(width, &mut run.random));
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
/// Expected rounds without a limit.
const DEFAULT_ROUNDS: u64 = 1_000;

/// Runs until the budget is spent; there must be one. All parameters are perturbed at once in random directions; the
/// difference between two opposite perturbations estimates the gradient. For noisy objectives no losses are evaluated,
/// and the last vector is the result.
pub(super) fn spsa(objective: &mut dyn Objective, run: &mut Run) -> Option<()> {
    let is_exact = objective.is_exact();
    let rounds = run.budget().map_or(DEFAULT_ROUNDS, |losses| losses / difference_cost(objective));
    let mut current = run.best.vector.clone();
    if is_exact {
        run.evaluate_start(objective);
    }
    let mut sum = 0.0;
    for _ in 0..GRADIENT_TRIALS {
        sum += perturb(objective, run, &current, 1.0)?.1.abs();
    }
    let typical = if sum > 0.0 { sum / GRADIENT_TRIALS as f64 } else { 1.0 };
    let delay = DELAY * rounds as f64;
    let first_change = if is_exact { FIRST_CHANGE } else { FIRST_NOISY_CHANGE };
    let first_gain = first_change * (delay + 1.0).powf(STEP_POWER) / typical;
    for round in 0.. {
        let gain = first_gain / (delay + 1.0 + round as f64).powf(STEP_POWER);
        let width = 1.0 / (1.0 + round as f64).powf(PERTURBATION_POWER);
        let Some((signs, difference)) = perturb(objective, run, &current, width) else { break };
        for ((value, parameter), sign) in current.iter_mut().zip(objective.parameters()).zip(&signs) {
            *value = parameter.clamp(*value - gain * difference / width * sign * parameter.step);
        }
        if !is_exact {
            run.best.vector.clone_from(&current);
            run.report_best(objective);
        } else if (round + 1) % EVALUATION_INTERVAL == 0 {
            run.loss(objective, &current);
            run.report_best(objective);
        }
    }
    // What is left of the budget may suffice for one evaluation.
    if is_exact { run.loss(objective, &current).map(drop) } else { None }
}

/// Draws a direction for each parameter, and returns the difference of the losses `width` steps along and against it.
fn perturb(objective: &mut dyn Objective, run: &mut Run, current: &[f64], width: f64) -> Option<(Vec<f64>, f64)> {
    let parameters = objective.parameters();
    let signs: Vec<f64> = parameters.iter().map(|_| if run.random.random() { 1.0 } else { -1.0 }).collect();
    let [one, other] = [1.0, -1.0].map(|direction| -> Vec<f64> {
        let dimensions = parameters.iter().zip(current).zip(&signs);
        let shifted = dimensions.map(|((parameter, current), sign)| {
            parameter.clamp(current + direction * sign * (parameter.step * width).max(parameter.resolution))
        });
        shifted.collect()
    });
    let difference = run.difference(objective, &one, &other)?;
    Some((signs, difference))
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
}
