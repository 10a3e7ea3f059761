//! Population methods: a genetic algorithm, and particle swarm optimization.
//!
//! The genetic algorithm uses tournament selection, uniform crossover and mutation. The particle swarm (Kennedy &
//! Eberhart 1995) has falling inertia (Shi & Eberhart 1998) and a constriction factor (Clerc 1999), in the form that Li
//! (2010) used to tune an evaluation function: v ← k·(w·v + c₁·r₁·(own best − x) + c₂·r₂·(global best − x)), x ← x + v.

use rand::RngExt;

use super::objective::{Objective, OptimizerRun, Run, Solution};

/// Vectors in a generation.
const POPULATION: usize = 30;
/// Vectors that compete to become a parent.
const TOURNAMENT: usize = 3;
/// Number of best vectors kept unchanged.
const ELITE: usize = 2;
/// Mean number of mutated parameters per child.
const MUTATIONS: f64 = 2.0;

/// Evolves until the budget is spent; there must be one. The first generation is the start and random changes of it by
/// up to two steps; mutations shrink to a tenth with the budget.
pub(super) fn evolve(objective: &mut dyn Objective, run: &mut Run) -> Solution {
    let mut optimizer = OptimizerRun::new(objective, run);
    let parameters = optimizer.objective.parameters().to_vec();
    let mut population = vec![optimizer.best.clone()];
    while population.len() < POPULATION {
        let random = &mut optimizer.run.random;
        let mut vector: Vec<f64> = parameters
            .iter()
            .map(|parameter| parameter.start + parameter.step * random.random_range(-2.0..=2.0))
            .collect();
        optimizer.clamp(&mut vector);
        let Some(loss) = optimizer.loss(&vector) else { return optimizer.best };
        population.push(Solution { vector, loss });
    }
    let rate = MUTATIONS / parameters.len().max(1) as f64;
    loop {
        population.sort_by(|one, other| one.loss.total_cmp(&other.loss));
        optimizer.report();
        let mut next: Vec<Solution> = population[..ELITE].to_vec();
        while next.len() < POPULATION {
            let width = 1.0 - 0.9 * optimizer.run.fraction();
            let random = &mut optimizer.run.random;
            // The generation is sorted, so the lowest index wins the tournament.
            let mut parent = || (0..TOURNAMENT).map(|_| random.random_range(0..POPULATION)).min().unwrap_or(0);
            let (mother, father) = (parent(), parent());
            let mut vector: Vec<f64> = (0..parameters.len())
                .map(|at| population[if random.random() { mother } else { father }].vector[at])
                .collect();
            for (value, parameter) in vector.iter_mut().zip(&parameters) {
                if random.random::<f64>() < rate {
                    let change: f64 = random.random_range(-1.0..=1.0);
                    *value += change.signum() * (change.abs() * 2.0 * parameter.step * width).max(parameter.resolution);
                }
            }
            optimizer.clamp(&mut vector);
            let Some(loss) = optimizer.loss(&vector) else { return optimizer.best };
            next.push(Solution { vector, loss });
        }
        population = next;
    }
}

/// Number of particles.
const PARTICLES: usize = 20;
/// Acceleration coefficients c₁ and c₂.
const ACCELERATION: f64 = 2.05;
/// Inertia weight at the start and at the end.
const INERTIA: [f64; 2] = [0.9, 0.4];
/// Maximum speed in steps of each parameter.
const MAX_SPEED: f64 = 4.0;

/// Returns the constriction factor k = 2 / |2 − φ − √(φ² − 4φ)| for φ = c₁ + c₂ above 4, which makes the swarm
/// converge.
fn constriction(phi: f64) -> f64 {
    2.0 / (2.0 - phi - (phi * phi - 4.0 * phi).sqrt()).abs()
}

/// Returns the inertia weight w after this share of the budget, falling linearly.
fn inertia(fraction: f64) -> f64 {
    INERTIA[0] - (INERTIA[0] - INERTIA[1]) * fraction
}

/// Returns the new velocity in one dimension. `random` are two numbers uniform in 0 to 1.
fn velocity(old: f64, inertia: f64, to_own_best: f64, to_best: f64, random: [f64; 2]) -> f64 {
    constriction(2.0 * ACCELERATION)
        * (inertia * old + ACCELERATION * random[0] * to_own_best + ACCELERATION * random[1] * to_best)
}

struct Particle {
    position: Vec<f64>,
    speed: Vec<f64>,
    best: Solution,
}

/// Runs until the budget is spent; there must be one. One particle starts at the start vector, the others up to two
/// steps around it.
pub(super) fn particle_swarm(objective: &mut dyn Objective, run: &mut Run) -> Solution {
    let mut optimizer = OptimizerRun::new(objective, run);
    let parameters = optimizer.objective.parameters().to_vec();
    let mut swarm = Vec::new();
    while swarm.len() < PARTICLES {
        let random = &mut optimizer.run.random;
        let mut around = || -> Vec<f64> {
            parameters.iter().map(|parameter| parameter.step * random.random_range(-2.0..=2.0)).collect()
        };
        let (offset, speed) = (around(), around());
        let start = optimizer.best.clone();
        let (position, loss) = if swarm.is_empty() {
            (start.vector, start.loss)
        } else {
            let mut position: Vec<f64> =
                parameters.iter().zip(&offset).map(|(parameter, offset)| parameter.start + offset).collect();
            optimizer.clamp(&mut position);
            let Some(loss) = optimizer.loss(&position) else { return optimizer.best };
            (position, loss)
        };
        swarm.push(Particle { best: Solution { vector: position.clone(), loss }, position, speed });
    }
    loop {
        optimizer.report();
        let inertia = inertia(optimizer.run.fraction());
        for particle in &mut swarm {
            for (at, parameter) in parameters.iter().enumerate() {
                let random = [optimizer.run.random.random(), optimizer.run.random.random()];
                let current = particle.position[at];
                let to = [particle.best.vector[at] - current, optimizer.best.vector[at] - current];
                let speed = velocity(particle.speed[at], inertia, to[0], to[1], random);
                let max = MAX_SPEED * parameter.step;
                particle.speed[at] = speed.clamp(-max, max);
                particle.position[at] = parameter.clamp(current + particle.speed[at]);
            }
            let Some(loss) = optimizer.loss(&particle.position) else { return optimizer.best };
            if loss < particle.best.loss {
                particle.best = Solution { vector: particle.position.clone(), loss };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_agree_with_the_closed_formulas() {
        // φ = 4.1: √(φ² − 4φ) = √0.41.
        let expected = 2.0 / (2.1 + 0.41f64.sqrt());
        assert!((constriction(2.0 * ACCELERATION) - expected).abs() < 1e-12);
        assert_eq!((inertia(0.0), inertia(1.0)), (0.9, 0.4));
        assert!((inertia(0.3) - 0.75).abs() < 1e-12);
        let found = velocity(2.0, 0.9, -1.0, 3.0, [0.5, 0.25]);
        assert!((found - expected * (0.9 * 2.0 - 2.05 * 0.5 + 2.05 * 0.25 * 3.0)).abs() < 1e-12);
    }
}
