//! Simulated annealing: random steps, of which worse ones are taken with a probability that falls with the temperature.

use rand::RngExt;

use super::objective::{Found, Objective, Quest, Run};

/// Steps that are only looked at, to learn how large changes of the loss are.
const TRIALS: usize = 10;
/// The temperature at the end, as a share of that at the start.
const LAST_TEMPERATURE: f64 = 0.001;
/// News after so many steps.
const TELL_EVERY: u64 = 50;
/// How many parameters a step changes at most.
const MOST_CHANGES: usize = 3;

/// Anneals until the budget is spent, which there must be. The first temperature is the mean change of the loss by a
/// random step, so that nothing depends on its scale; it falls geometrically with the budget. Steps shrink to a tenth.
pub fn anneal(objective: &mut dyn Objective, run: &mut Run) -> Found {
    let mut quest = Quest::new(objective, run);
    let start = quest.best.clone();
    let mut sum = 0.0;
    for _ in 0..TRIALS {
        let candidate = neighbour(&mut quest, &start.vector);
        let Some(loss) = quest.loss(&candidate) else { return quest.best };
        sum += (loss - start.loss).abs();
    }
    let first_temperature = sum / TRIALS as f64;
    let (mut here, mut steps) = (quest.best.clone(), 0);
    loop {
        let candidate = neighbour(&mut quest, &here.vector);
        let temperature = first_temperature * LAST_TEMPERATURE.powf(quest.run.fraction());
        let Some(loss) = quest.loss(&candidate) else { return quest.best };
        if accepts(loss - here.loss, temperature, quest.run.random.random()) {
            here = Found { vector: candidate, loss };
        }
        steps += 1;
        if steps % TELL_EVERY == 0 {
            quest.tell();
        }
    }
}

/// Whether a change of the loss is taken (Metropolis): always when it is none for the worse, otherwise with probability
/// e^(−change / temperature). `luck` is a random number from 0 to 1.
pub fn accepts(change: f64, temperature: f64, luck: f64) -> bool {
    change <= 0.0 || luck < (-change / temperature.max(f64::MIN_POSITIVE)).exp()
}

/// A vector a random step away.
fn neighbour(quest: &mut Quest, vector: &[f64]) -> Vec<f64> {
    let width = 1.0 - 0.9 * quest.run.fraction();
    let mut neighbour = vector.to_vec();
    let random = &mut quest.run.random;
    for _ in 0..random.random_range(1..=MOST_CHANGES.min(vector.len().max(1))) {
        let at = random.random_range(0..vector.len());
        let axis = &quest.objective.axes()[at];
        let change: f64 = random.random_range(-1.0..=1.0);
        neighbour[at] += change.signum() * (change.abs() * 2.0 * axis.step * width).max(axis.grain);
    }
    quest.clamp(&mut neighbour);
    neighbour
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worse_steps_are_taken_with_the_probability_of_metropolis() {
        assert!(accepts(-1.0, 0.0, 0.999) && accepts(0.0, 0.0, 0.999));
        assert!(!accepts(1e-9, 0.0, 0.5));
        let probability = (-0.5f64).exp();
        assert!(accepts(1.0, 2.0, probability - 1e-9) && !accepts(1.0, 2.0, probability + 1e-9));
    }
}
