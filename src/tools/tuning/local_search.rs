//! Local search: hill climbing and simulated annealing.

use rand::RngExt;

use super::objective::{Objective, OptimizerRun, Run, Solution};

/// Number of times that steps are halved.
const HALVINGS: i32 = 5;

/// Climbs until no step helps or the budget is spent. A parameter that moved tries the same direction first next time;
/// after a sweep without success all steps are halved.
pub(super) fn hill_climb(objective: &mut dyn Objective, run: &mut Run) -> Solution {
    let mut optimizer = OptimizerRun::new(objective, run);
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
const TRIALS: usize = 10;
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
    let mut optimizer = OptimizerRun::new(objective, run);
    let start = optimizer.best.clone();
    let mut sum = 0.0;
    for _ in 0..TRIALS {
        let candidate = neighbour(&mut optimizer, &start.vector);
        let Some(loss) = optimizer.loss(&candidate) else { return optimizer.best };
        sum += (loss - start.loss).abs();
    }
    let first_temperature = sum / TRIALS as f64;
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
    for _ in 0..random.random_range(1..=MAX_CHANGES.min(vector.len().max(1))) {
        let at = random.random_range(0..vector.len());
        let parameter = &optimizer.objective.parameters()[at];
        let change: f64 = random.random_range(-1.0..=1.0);
        neighbour[at] += change.signum() * (change.abs() * 2.0 * parameter.step * width).max(parameter.resolution);
    }
    optimizer.clamp(&mut neighbour);
    neighbour
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
