//! Particle swarm optimization (Kennedy & Eberhart 1995) in the forms of Li (2010, section 4.2).
//!
//! | form | velocity | maximum speed |
//! |---|---|---|
//! | plain (4-1) | v + c₁·r₁·(own best − x) + c₂·r₂·(global best − x), c = 2 | 0.15 · half the range |
//! | constricted (4-5) | k·(v + c₁·r₁·(own best − x) + c₂·r₂·(global best − x)), c = 2.05 | 0.15 · half the range |
//! | combined | k·(w·v + c₁·r₁·(own best − x) + c₂·r₂·(global best − x)), c = 2.05 | four steps |
//!
//! k is the constriction factor (Clerc 1999), w the inertia weight, which falls with the budget (Shi & Eberhart 1998).
//! The combined form is the one that Li used to tune an evaluation function. Particles are compared by their losses,
//! or, as Li did, by a tournament among themselves ([`tournament_swarm`]).

use rand::RngExt;
use rand::seq::SliceRandom;

use super::objective::{Objective, OptimizerRun, Parameter, Run, Solution, start_vector};

/// Form of the velocity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SwarmForm {
    /// Without inertia weight and constriction factor.
    Plain,
    /// With the constriction factor.
    Constricted,
    /// With inertia weight and constriction factor.
    Combined,
}

/// Number of particles.
const PARTICLES: usize = 20;
/// Acceleration coefficients c₁ and c₂ of the plain form.
const PLAIN_ACCELERATION: f64 = 2.0;
/// Acceleration coefficients c₁ and c₂ of the other forms.
const ACCELERATION: f64 = 2.05;
/// Inertia weight at the start and at the end.
const INERTIA: [f64; 2] = [0.9, 0.4];
/// Maximum speed of the combined form in steps of each parameter.
const MAX_STEPS: f64 = 4.0;
/// Maximum speed of the other forms relative to half the range of each parameter; Li recommends 0.1 to 0.2.
const SPEED_SHARE: f64 = 0.15;

impl SwarmForm {
    /// Returns the new velocity in one dimension. `fraction` is the used share of the budget, `random` are two numbers
    /// uniform in 0 to 1.
    fn velocity(self, old: f64, fraction: f64, to_own_best: f64, to_best: f64, random: [f64; 2]) -> f64 {
        let attraction = random[0] * to_own_best + random[1] * to_best;
        match self {
            SwarmForm::Plain => old + PLAIN_ACCELERATION * attraction,
            SwarmForm::Constricted => constriction(2.0 * ACCELERATION) * (old + ACCELERATION * attraction),
            SwarmForm::Combined => {
                constriction(2.0 * ACCELERATION) * (inertia(fraction) * old + ACCELERATION * attraction)
            }
        }
    }

    /// Returns the maximum speed in the dimension of a parameter.
    fn max_speed(self, parameter: &Parameter) -> f64 {
        match self {
            SwarmForm::Combined => MAX_STEPS * parameter.step,
            SwarmForm::Plain | SwarmForm::Constricted => SPEED_SHARE * (parameter.max - parameter.min) / 2.0,
        }
    }
}

/// Returns the constriction factor k = 2 / |2 − φ − √(φ² − 4φ)| for φ = c₁ + c₂ above 4, which makes the swarm
/// converge.
fn constriction(phi: f64) -> f64 {
    2.0 / (2.0 - phi - (phi * phi - 4.0 * phi).sqrt()).abs()
}

/// Returns the inertia weight w after this share of the budget, falling linearly.
fn inertia(fraction: f64) -> f64 {
    INERTIA[0] - (INERTIA[0] - INERTIA[1]) * fraction
}

struct Particle {
    position: Vec<f64>,
    speed: Vec<f64>,
    best: Solution,
}

impl Particle {
    /// Creates a particle at the start, or up to two steps around it.
    fn new(optimizer: &mut OptimizerRun, parameters: &[Parameter], is_first: bool) -> Particle {
        let random = &mut optimizer.run.random;
        let mut around = || -> Vec<f64> {
            parameters.iter().map(|parameter| parameter.step * random.random_range(-2.0..=2.0)).collect()
        };
        let (offset, speed) = (around(), around());
        let place = |(parameter, offset): (&Parameter, &f64)| {
            parameter.clamp(if is_first { parameter.start } else { parameter.start + offset })
        };
        let position: Vec<f64> = parameters.iter().zip(&offset).map(place).collect();
        Particle { best: Solution { vector: position.clone(), loss: f64::INFINITY }, position, speed }
    }

    /// Moves towards its own best position and the best of all.
    fn fly(
        &mut self,
        optimizer: &mut OptimizerRun,
        parameters: &[Parameter],
        form: SwarmForm,
        best: &[f64],
        fraction: f64,
    ) {
        for (at, parameter) in parameters.iter().enumerate() {
            let random = [optimizer.run.random.random(), optimizer.run.random.random()];
            let current = self.position[at];
            let to = [self.best.vector[at] - current, best[at] - current];
            let speed = form.velocity(self.speed[at], fraction, to[0], to[1], random);
            let max = form.max_speed(parameter);
            self.speed[at] = speed.clamp(-max, max);
            self.position[at] = parameter.clamp(current + self.speed[at]);
        }
    }
}

/// Runs until the budget is spent; there must be one. One particle starts at the start vector, the others up to two
/// steps around it.
pub(super) fn particle_swarm(objective: &mut dyn Objective, run: &mut Run, form: SwarmForm) -> Solution {
    let mut optimizer = OptimizerRun::new(objective, run);
    let parameters = optimizer.objective.parameters().to_vec();
    let mut swarm = Vec::new();
    while swarm.len() < PARTICLES {
        let mut particle = Particle::new(&mut optimizer, &parameters, swarm.is_empty());
        if swarm.is_empty() {
            particle.best.loss = optimizer.best.loss;
        } else {
            let Some(loss) = optimizer.loss(&particle.position) else { return optimizer.best };
            particle.best.loss = loss;
        }
        swarm.push(particle);
    }
    loop {
        optimizer.report();
        let fraction = optimizer.run.fraction();
        for particle in &mut swarm {
            let best = optimizer.best.vector.clone();
            particle.fly(&mut optimizer, &parameters, form, &best, fraction);
            let Some(loss) = optimizer.loss(&particle.position) else { return optimizer.best };
            if loss < particle.best.loss {
                particle.best = Solution { vector: particle.position.clone(), loss };
            }
        }
    }
}

/// Opponents of each particle in a tournament; it meets as many more who drew it.
const OPPONENTS: usize = 1;

/// Runs a swarm of the combined form whose particles compete: in each round every particle meets others, a win counting
/// 1 and a loss −1, and its own best position. The best own position of the winner then meets the best of all. There
/// must be a budget. The result is the last best of all, without a loss if comparisons are games.
pub(super) fn tournament_swarm(objective: &mut dyn Objective, run: &mut Run) -> Solution {
    let is_exact = objective.is_exact();
    let start = start_vector(objective);
    let mut optimizer = if is_exact {
        OptimizerRun::new(objective, run)
    } else {
        OptimizerRun { objective, run, best: Solution { vector: start.clone(), loss: f64::INFINITY } }
    };
    let parameters = optimizer.objective.parameters().to_vec();
    let mut swarm: Vec<Particle> = Vec::new();
    while swarm.len() < PARTICLES {
        let particle = Particle::new(&mut optimizer, &parameters, swarm.is_empty());
        swarm.push(particle);
    }
    let mut best = start;
    while play_round(&mut optimizer, &mut swarm, &mut best).is_some() {
        if is_exact {
            if optimizer.loss(&best).is_none() {
                break;
            }
        } else {
            optimizer.best.vector.clone_from(&best);
        }
        optimizer.report();
        let fraction = optimizer.run.fraction();
        for particle in &mut swarm {
            particle.fly(&mut optimizer, &parameters, SwarmForm::Combined, &best, fraction);
        }
    }
    optimizer.best
}

/// Plays the tournament of a round. `None` when the budget is spent.
fn play_round(optimizer: &mut OptimizerRun, swarm: &mut [Particle], best: &mut Vec<f64>) -> Option<()> {
    let mut order: Vec<usize> = (0..swarm.len()).collect();
    order.shuffle(&mut optimizer.run.random);
    let mut points = vec![0; swarm.len()];
    for distance in 1..=OPPONENTS {
        for index in 0..order.len() {
            let (one, other) = (order[index], order[(index + distance) % order.len()]);
            let difference = optimizer.difference(&swarm[one].position, &swarm[other].position)?;
            let result = if difference < 0.0 { 1 } else { -i32::from(difference > 0.0) };
            points[one] += result;
            points[other] -= result;
        }
    }
    for particle in swarm.iter_mut() {
        if optimizer.difference(&particle.position, &particle.best.vector)? < 0.0 {
            particle.best.vector.clone_from(&particle.position);
        }
    }
    let winner = order.into_iter().max_by_key(|&particle| points[particle])?;
    if optimizer.difference(&swarm[winner].best.vector, best)? < 0.0 {
        best.clone_from(&swarm[winner].best.vector);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn velocities_agree_with_the_closed_formulas() {
        // φ = 4.1: √(φ² − 4φ) = √0.41.
        let expected = 2.0 / (2.1 + 0.41f64.sqrt());
        assert!((constriction(2.0 * ACCELERATION) - expected).abs() < 1e-12);
        assert_eq!((inertia(0.0), inertia(1.0)), (0.9, 0.4));
        assert!((inertia(0.3) - 0.75).abs() < 1e-12);
        let found = |form: SwarmForm| form.velocity(2.0, 0.0, -1.0, 3.0, [0.5, 0.25]);
        assert!((found(SwarmForm::Plain) - (2.0 - 2.0 * 0.5 + 2.0 * 0.25 * 3.0)).abs() < 1e-12);
        let attracted = 2.05 * (0.25 * 3.0 - 0.5);
        assert!((found(SwarmForm::Constricted) - expected * (2.0 + attracted)).abs() < 1e-12);
        assert!((found(SwarmForm::Combined) - expected * (0.9 * 2.0 + attracted)).abs() < 1e-12);
    }

    #[test]
    fn speeds_are_limited_by_the_range_or_the_step() {
        let parameter =
            Parameter { name: String::new(), start: 0.0, min: -100.0, max: 100.0, step: 2.0, resolution: 0.0 };
        assert_eq!(SwarmForm::Plain.max_speed(&parameter), 15.0);
        assert_eq!(SwarmForm::Constricted.max_speed(&parameter), 15.0);
        assert_eq!(SwarmForm::Combined.max_speed(&parameter), 8.0);
    }
}
