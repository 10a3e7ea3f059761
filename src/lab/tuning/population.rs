//! Genetic algorithm with tournament selection, uniform crossover and mutation, on real numbers or on bits.
//!
//! The form on bits is that of Li (2010, section 4.1.2): each parameter is a number of 16 bits, crossover chooses every
//! bit from one of the parents, and mutation inverts bits. The number counts steps of a 65,535th of the range.

use rand::RngExt;

use super::objective::{Objective, OptimizerRun, Parameter, Run, Solution};

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

/// Individual of the form on bits.
#[derive(Clone)]
struct Coded {
    codes: Vec<u16>,
    loss: f64,
}

/// Evolves numbers of 16 bits until the budget is spent; there must be one. The first generation is that of [`evolve`].
pub(super) fn evolve_bits(objective: &mut dyn Objective, run: &mut Run) -> Solution {
    let mut optimizer = OptimizerRun::new(objective, run);
    let parameters = optimizer.objective.parameters().to_vec();
    let decoded = |codes: &[u16]| -> Vec<f64> {
        parameters.iter().zip(codes).map(|(parameter, &code)| decode(parameter, code)).collect()
    };
    let mut population: Vec<Coded> = Vec::new();
    while population.len() < POPULATION {
        let random = &mut optimizer.run.random;
        let reach = if population.is_empty() { 0.0 } else { 2.0 };
        let code = |parameter: &Parameter| {
            encode(parameter, parameter.start + parameter.step * random.random_range(-reach..=reach))
        };
        let codes: Vec<u16> = parameters.iter().map(code).collect();
        let Some(loss) = optimizer.loss(&decoded(&codes)) else { return optimizer.best };
        population.push(Coded { codes, loss });
    }
    let rate = MUTATIONS / (parameters.len().max(1) as f64 * f64::from(u16::BITS));
    loop {
        population.sort_by(|one, other| one.loss.total_cmp(&other.loss));
        optimizer.report();
        let mut next: Vec<Coded> = population[..ELITE].to_vec();
        while next.len() < POPULATION {
            let random = &mut optimizer.run.random;
            let mut parent = || (0..TOURNAMENT).map(|_| random.random_range(0..POPULATION)).min().unwrap_or(0);
            let (mother, father) = (parent(), parent());
            let codes: Vec<u16> = (0..parameters.len())
                .map(|at| {
                    let from_mother: u16 = random.random();
                    let crossed =
                        (population[mother].codes[at] & from_mother) | (population[father].codes[at] & !from_mother);
                    (0..u16::BITS)
                        .fold(crossed, |code, bit| if random.random::<f64>() < rate { code ^ (1 << bit) } else { code })
                })
                .collect();
            let Some(loss) = optimizer.loss(&decoded(&codes)) else { return optimizer.best };
            next.push(Coded { codes, loss });
        }
        population = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_16_bits_cover_the_range() {
        let parameter = Parameter { name: String::new(), start: 0.0, min: -1.0, max: 2.0, step: 0.1, resolution: 0.0 };
        assert_eq!([-1.0, 2.0, 9.0].map(|value| encode(&parameter, value)), [0, u16::MAX, u16::MAX]);
        assert_eq!([0, u16::MAX].map(|code| decode(&parameter, code)), [-1.0, 2.0]);
        for value in [-0.7, 0.0, 1.234] {
            assert!((decode(&parameter, encode(&parameter, value)) - value).abs() <= 3.0 / MAX_CODE);
        }
    }
}
