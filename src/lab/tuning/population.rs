//! Methods that keep many vectors: a genetic algorithm and particle swarm optimization.
//!
//! The genetic algorithm has tournament selection, uniform crossover and mutation. Its [`Coding`] on bits is that of Li
//! (2010, section 4.1.2): each parameter is a number of 16 bits that counts steps of a 65,535th of the range. Both
//! methods end with `None` when the budget is spent; the result is the best vector of the run.
//!
//! The swarm (Kennedy & Eberhart 1995) has the forms of Li (2010, section 4.2), where k is the constriction factor
//! (Clerc 1999) and w the inertia weight, which falls with the budget (Shi & Eberhart 1998):
//!
//! | form | velocity | maximum speed |
//! |---|---|---|
//! | plain (4-1) | v + c₁·r₁·(own best − x) + c₂·r₂·(global best − x), c = 2 | 0.15 · half the range |
//! | constricted (4-5) | k·(v + c₁·r₁·(own best − x) + c₂·r₂·(global best − x)), c = 2.05 | 0.15 · half the range |
//! | combined | k·(w·v + c₁·r₁·(own best − x) + c₂·r₂·(global best − x)), c = 2.05 | four steps |

use rand::RngExt;
use rand::seq::SliceRandom;

use super::objective::{Objective, Parameter, Run, Solution};

/// Coding of the parameters in the genetic algorithm, on which crossover and mutation work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coding {
    Real,
    Bits,
}

/// Vectors in a generation.
const POPULATION: usize = 30;
/// Vectors that compete to become a parent.
const PARENT_CANDIDATES: usize = 3;
/// Number of best vectors kept unchanged.
const ELITE: usize = 2;
/// Mean number of mutations per child: of parameters, or of bits.
const MUTATIONS: f64 = 2.0;

/// Evolves until the budget is spent; there must be one. The first generation is the start and random changes of it by
/// up to two steps; mutations of real numbers shrink to a tenth with the budget.
pub(super) fn evolve(objective: &mut dyn Objective, run: &mut Run, coding: Coding) -> Option<()> {
    run.evaluate_start(objective);
    let parameters = objective.parameters().to_vec();
    let mut population = vec![run.best.clone()];
    while population.len() < POPULATION {
        let vector = around_start(&parameters, run);
        let loss = run.loss(objective, &vector)?;
        population.push(Solution { vector, loss });
    }
    loop {
        population.sort_by(|one, other| one.loss.total_cmp(&other.loss));
        run.report_best(objective);
        let mut next: Vec<Solution> = population[..ELITE].to_vec();
        while next.len() < POPULATION {
            let random = &mut run.random;
            // The generation is sorted, so the lowest index wins the tournament.
            let mut parent =
                || &population[(0..PARENT_CANDIDATES).map(|_| random.random_range(0..POPULATION)).min().unwrap_or(0)];
            let parents = [parent(), parent()].map(|parent| parent.vector.as_slice());
            let vector = match coding {
                Coding::Real => child_of_numbers(&parameters, parents, run),
                Coding::Bits => child_of_bits(&parameters, parents, run),
            };
            let loss = run.loss(objective, &vector)?;
            next.push(Solution { vector, loss });
        }
        population = next;
    }
}

/// Returns a random vector up to two steps around the start.
fn around_start(parameters: &[Parameter], run: &mut Run) -> Vec<f64> {
    let around =
        |parameter: &Parameter| parameter.clamp(parameter.start + parameter.step * run.random.random_range(-2.0..=2.0));
    parameters.iter().map(around).collect()
}

/// Each parameter comes from one of the parents; some are changed by up to two steps.
fn child_of_numbers(parameters: &[Parameter], parents: [&[f64]; 2], run: &mut Run) -> Vec<f64> {
    let width = 1.0 - 0.9 * run.fraction();
    let random = &mut run.random;
    let rate = MUTATIONS / parameters.len() as f64;
    let mut child: Vec<f64> =
        (0..parameters.len()).map(|at| parents[usize::from(random.random::<bool>())][at]).collect();
    for (value, parameter) in child.iter_mut().zip(parameters) {
        if random.random::<f64>() < rate {
            *value += parameter.random_change(width, random);
        }
        *value = parameter.clamp(*value);
    }
    child
}

/// Each bit comes from one of the parents; some are inverted.
fn child_of_bits(parameters: &[Parameter], parents: [&[f64]; 2], run: &mut Run) -> Vec<f64> {
    let random = &mut run.random;
    let rate = MUTATIONS / (parameters.len() as f64 * f64::from(u16::BITS));
    let child = parameters.iter().enumerate().map(|(at, parameter)| {
        let [mother, father] = parents.map(|parent| encode(parameter, parent[at]));
        let from_mother: u16 = random.random();
        let crossed = (mother & from_mother) | (father & !from_mother);
        let mut invert = |code: u16, bit: u32| if random.random::<f64>() < rate { code ^ (1 << bit) } else { code };
        decode(parameter, (0..u16::BITS).fold(crossed, &mut invert))
    });
    child.collect()
}

/// Largest number of a parameter in the coding on bits.
const MAX_CODE: f64 = u16::MAX as f64;

/// Returns the number of 16 bits that stands for the value.
fn encode(parameter: &Parameter, value: f64) -> u16 {
    let width = parameter.max - parameter.min;
    if width > 0.0 { ((parameter.clamp(value) - parameter.min) / width * MAX_CODE).round() as u16 } else { 0 }
}

/// Returns the value that a number of 16 bits stands for.
fn decode(parameter: &Parameter, code: u16) -> f64 {
    parameter.clamp(parameter.min + f64::from(code) / MAX_CODE * (parameter.max - parameter.min))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SwarmForm {
    /// Without inertia weight and constriction factor.
    Plain,
    /// With the constriction factor.
    Constricted,
    /// With inertia weight and constriction factor; Li tuned an evaluation function with it.
    Combined,
    /// The combined form, but particles are compared by a tournament among themselves, as Li did.
    Tournament,
}

const PARTICLES: usize = 20;
/// Acceleration coefficients c₁ and c₂ of the plain form, and of the others.
const ACCELERATION: [f64; 2] = [2.0, 2.05];
/// Inertia weight at the start and at the end.
const INERTIA: [f64; 2] = [0.9, 0.4];
/// Maximum speed of the combined form in steps of each parameter.
const MAX_STEPS: f64 = 4.0;
/// Maximum speed of the other forms relative to half the range of each parameter; Li recommends 0.1 to 0.2.
const SPEED_SHARE: f64 = 0.15;

impl SwarmForm {
    /// Returns the new velocity in one dimension. `fraction` is the used share of the budget; `to_bests` are the
    /// distances to the own and to the global best, `random` two numbers uniform in 0 to 1.
    fn velocity(self, old: f64, fraction: f64, to_bests: [f64; 2], random: [f64; 2]) -> f64 {
        let attraction = random[0] * to_bests[0] + random[1] * to_bests[1];
        let [plain, usual] = ACCELERATION;
        match self {
            SwarmForm::Plain => old + plain * attraction,
            SwarmForm::Constricted => constriction(2.0 * usual) * (old + usual * attraction),
            SwarmForm::Combined | SwarmForm::Tournament => {
                let inertia = INERTIA[0] - (INERTIA[0] - INERTIA[1]) * fraction;
                constriction(2.0 * usual) * (inertia * old + usual * attraction)
            }
        }
    }

    /// Returns the maximum speed in the dimension of a parameter.
    fn max_speed(self, parameter: &Parameter) -> f64 {
        match self {
            SwarmForm::Combined | SwarmForm::Tournament => MAX_STEPS * parameter.step,
            SwarmForm::Plain | SwarmForm::Constricted => SPEED_SHARE * (parameter.max - parameter.min) / 2.0,
        }
    }
}

/// Returns the constriction factor k = 2 / |2 − φ − √(φ² − 4φ)|, φ = c₁ + c₂ > 4, with which the swarm converges.
fn constriction(phi: f64) -> f64 {
    2.0 / (2.0 - phi - (phi * phi - 4.0 * phi).sqrt()).abs()
}

struct Particle {
    position: Vec<f64>,
    speed: Vec<f64>,
    best: Solution,
}

impl Particle {
    /// Moves towards its own best position and the best of all.
    fn fly(&mut self, parameters: &[Parameter], run: &mut Run, form: SwarmForm, best: &[f64], fraction: f64) {
        for (at, parameter) in parameters.iter().enumerate() {
            let random = [run.random.random(), run.random.random()];
            let to_bests = [self.best.vector[at], best[at]].map(|best| best - self.position[at]);
            let max = form.max_speed(parameter);
            self.speed[at] = form.velocity(self.speed[at], fraction, to_bests, random).clamp(-max, max);
            self.position[at] = parameter.clamp(self.position[at] + self.speed[at]);
        }
    }
}

/// Runs until the budget is spent; there must be one. One particle starts at the start vector, the others up to two
/// steps around it. Of a tournament that cannot be evaluated exactly the last best of all is the result, without a
/// loss.
pub(super) fn particle_swarm(objective: &mut dyn Objective, run: &mut Run, form: SwarmForm) -> Option<()> {
    let (is_tournament, is_exact) = (form == SwarmForm::Tournament, objective.is_exact());
    let parameters = objective.parameters().to_vec();
    let mut best = run.best.vector.clone();
    if is_tournament && is_exact {
        run.evaluate_start(objective);
    }
    let mut swarm = Vec::new();
    while swarm.len() < PARTICLES {
        let mut position = around_start(&parameters, run);
        let random = &mut run.random;
        let speed = parameters.iter().map(|parameter| parameter.step * random.random_range(-2.0..=2.0)).collect();
        if swarm.is_empty() {
            position.clone_from(&best);
        }
        let own = Solution { vector: position.clone(), loss: f64::INFINITY };
        swarm.push(Particle { position, speed, best: own });
    }
    for round in 0.. {
        let fraction = run.fraction();
        for particle in &mut swarm {
            if round > 0 {
                particle.fly(&parameters, run, form, &best, fraction);
            }
            if !is_tournament {
                let loss = run.loss(objective, &particle.position)?;
                if loss < particle.best.loss {
                    particle.best = Solution { vector: particle.position.clone(), loss };
                }
                best.clone_from(&run.best.vector);
            }
        }
        if is_tournament {
            compete(objective, run, &mut swarm, &mut best)?;
            if is_exact {
                run.loss(objective, &best)?;
            } else {
                run.best.vector.clone_from(&best);
            }
        }
        run.report_best(objective);
    }
    Some(())
}

/// Plays a round of the tournament: every particle meets two others, a win counting 1 and a loss −1, and its own best
/// position. The best own position of the winner then meets the best of all.
fn compete(objective: &mut dyn Objective, run: &mut Run, swarm: &mut [Particle], best: &mut Vec<f64>) -> Option<()> {
    let mut order: Vec<usize> = (0..swarm.len()).collect();
    order.shuffle(&mut run.random);
    let mut points = vec![0; swarm.len()];
    for (index, &one) in order.iter().enumerate() {
        let other = order[(index + 1) % order.len()];
        let difference = run.difference(objective, &swarm[one].position, &swarm[other].position)?;
        let result = if difference < 0.0 { 1 } else { -i32::from(difference > 0.0) };
        points[one] += result;
        points[other] -= result;
    }
    for particle in swarm.iter_mut() {
        if run.difference(objective, &particle.position, &particle.best.vector)? < 0.0 {
            particle.best.vector.clone_from(&particle.position);
        }
    }
    let winner = order.into_iter().max_by_key(|&particle| points[particle])?;
    if run.difference(objective, &swarm[winner].best.vector, best)? < 0.0 {
        best.clone_from(&swarm[winner].best.vector);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(min: f64, max: f64, step: f64) -> Parameter {
        Parameter { start: 0.0, min, max, step, resolution: 0.0 }
    }

    #[test]
    fn codes_of_16_bits_cover_the_range() {
        let parameter = parameter(-1.0, 2.0, 0.1);
        assert_eq!([-1.0, 2.0, 9.0].map(|value| encode(&parameter, value)), [0, u16::MAX, u16::MAX]);
        assert!((0..=u16::MAX).all(|code| encode(&parameter, decode(&parameter, code)) == code));
        assert!((decode(&parameter, encode(&parameter, 1.234)) - 1.234).abs() <= 3.0 / MAX_CODE);
    }

    #[test]
    fn velocities_agree_with_the_closed_formulas() {
        // φ = 4.1: √(φ² − 4φ) = √0.41.
        let factor = 2.0 / (2.1 + 0.41f64.sqrt());
        let found = |form: SwarmForm, fraction| form.velocity(2.0, fraction, [-1.0, 3.0], [0.5, 0.25]);
        assert!((found(SwarmForm::Plain, 0.0) - (2.0 - 2.0 * 0.5 + 2.0 * 0.25 * 3.0)).abs() < 1e-12);
        let attracted = 2.05 * (0.25 * 3.0 - 0.5);
        assert!((found(SwarmForm::Constricted, 0.0) - factor * (2.0 + attracted)).abs() < 1e-12);
        for (fraction, inertia) in [(0.0, 0.9), (0.3, 0.75), (1.0, 0.4)] {
            assert!((found(SwarmForm::Combined, fraction) - factor * (inertia * 2.0 + attracted)).abs() < 1e-12);
        }
        let parameter = parameter(-100.0, 100.0, 2.0);
        let speeds = [SwarmForm::Plain, SwarmForm::Constricted, SwarmForm::Combined].map(|it| it.max_speed(&parameter));
        assert_eq!(speeds, [15.0, 15.0, 8.0]);
    }
}
