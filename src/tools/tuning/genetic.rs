//! A genetic algorithm: selection by tournament, uniform crossover, mutation.

use rand::RngExt;

use super::objective::{Found, Objective, Quest, Run};

/// Vectors in a generation.
pub const POPULATION: usize = 30;
/// Vectors that compete for being a parent.
const TOURNAMENT: usize = 3;
/// The best so many live on unchanged.
const ELITE: usize = 2;
/// How many parameters of a child change by themselves, on average.
const MUTATIONS: f64 = 2.0;

/// Breeds until the budget is spent, which there must be. The first generation is the start and random changes of it by
/// up to two steps; mutations shrink to a tenth with the budget.
pub fn breed(objective: &mut dyn Objective, run: &mut Run) -> Found {
    let mut quest = Quest::new(objective, run);
    let axes = quest.objective.axes().to_vec();
    let mut population = vec![quest.best.clone()];
    while population.len() < POPULATION {
        let random = &mut quest.run.random;
        let mut vector: Vec<f64> =
            axes.iter().map(|axis| axis.start + axis.step * random.random_range(-2.0..=2.0)).collect();
        quest.clamp(&mut vector);
        let Some(loss) = quest.loss(&vector) else { return quest.best };
        population.push(Found { vector, loss });
    }
    let rate = MUTATIONS / axes.len().max(1) as f64;
    loop {
        population.sort_by(|one, other| one.loss.total_cmp(&other.loss));
        quest.tell();
        let mut next: Vec<Found> = population[..ELITE].to_vec();
        while next.len() < POPULATION {
            let width = 1.0 - 0.9 * quest.run.fraction();
            let random = &mut quest.run.random;
            // The generation is sorted: of several the first one wins.
            let mut parent = || (0..TOURNAMENT).map(|_| random.random_range(0..POPULATION)).min().unwrap_or(0);
            let (mother, father) = (parent(), parent());
            let mut vector: Vec<f64> = (0..axes.len())
                .map(|at| population[if random.random() { mother } else { father }].vector[at])
                .collect();
            for (value, axis) in vector.iter_mut().zip(&axes) {
                if random.random::<f64>() < rate {
                    let change: f64 = random.random_range(-1.0..=1.0);
                    *value += change.signum() * (change.abs() * 2.0 * axis.step * width).max(axis.grain);
                }
            }
            quest.clamp(&mut vector);
            let Some(loss) = quest.loss(&vector) else { return quest.best };
            next.push(Found { vector, loss });
        }
        population = next;
    }
}
