//! Simultaneous perturbation stochastic approximation (Spall 1992): all parameters are perturbed at once in random
//! directions, and the difference between two opposite perturbations estimates the gradient.

use rand::RngExt;

use super::objective::{Objective, OptimizerRun, Run, Solution};

/// Exponent of the gain sequence.
const STEP_POWER: f64 = 0.602;
/// Exponent of the perturbation sequence.
const PERTURBATION_POWER: f64 = 0.101;
/// Trial perturbations that measure the typical difference.
const TRIALS: usize = 8;
/// Intended change of a parameter in the first round, in steps.
const FIRST_CHANGE: f64 = 0.3;
/// Rounds between two evaluations and reports of the current vector; noisy objectives report after every round.
const EVALUATION_INTERVAL: u64 = 25;
/// Stability constant of the gain sequence, as a share of the expected rounds.
const DELAY: f64 = 0.1;
/// Expected rounds when only time is limited.
const DEFAULT_ROUNDS: u64 = 1_000;

/// Runs until the budget is spent; there must be one. Returns the best evaluated vector. For noisy objectives no losses
/// are evaluated, and the last vector is the result.
pub(super) fn spsa(objective: &mut dyn Objective, run: &mut Run) -> Solution {
    let is_exact = objective.is_exact();
    let rounds = run.losses_left().map_or(DEFAULT_ROUNDS, |losses| losses / objective.difference_cost());
    let start: Vec<f64> = objective.parameters().iter().map(|parameter| parameter.clamp(parameter.start)).collect();
    let mut optimizer = if is_exact {
        OptimizerRun::new(objective, run)
    } else {
        OptimizerRun { objective, run, best: Solution { vector: start.clone(), loss: f64::INFINITY } }
    };
    let parameters = optimizer.objective.parameters().to_vec();
    let mut current = start;
    let perturb = |optimizer: &mut OptimizerRun, current: &[f64], width: f64| -> Option<(Vec<f64>, f64)> {
        let signs: Vec<f64> =
            parameters.iter().map(|_| if optimizer.run.random.random() { 1.0 } else { -1.0 }).collect();
        let shifted = |direction: f64| -> Vec<f64> {
            let dimensions = parameters.iter().zip(current).zip(&signs);
            dimensions
                .map(|((parameter, current), sign)| {
                    parameter.clamp(current + direction * sign * (parameter.step * width).max(parameter.resolution))
                })
                .collect()
        };
        let difference = optimizer.difference(&shifted(1.0), &shifted(-1.0))?;
        Some((signs, difference))
    };
    let mut sum = 0.0;
    for _ in 0..TRIALS {
        let Some((_, difference)) = perturb(&mut optimizer, &current, 1.0) else { return optimizer.best };
        sum += difference.abs();
    }
    let typical = if sum > 0.0 { sum / TRIALS as f64 } else { 1.0 };
    let delay = DELAY * rounds as f64;
    let first_gain = FIRST_CHANGE * (delay + 1.0).powf(STEP_POWER) / typical;
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
