//! Simultaneous perturbation stochastic approximation (Spall 1992): all parameters change at once, up or down by the
//! toss of a coin, and the difference between the change and its opposite tells the way.

use rand::RngExt;

use super::objective::{Found, Objective, Quest, Run};

/// How the steps shrink: with the round to this power.
const STEP_POWER: f64 = 0.602;
/// How the perturbations shrink.
const PERTURBATION_POWER: f64 = 0.101;
/// Pairs that are only looked at, to learn how large differences are.
const TRIALS: usize = 8;
/// How far the first round should move a parameter, in its steps.
const FIRST_MOVE: f64 = 0.3;
/// News and a look at the loss after so many rounds; where there is no loss to look at, news come after every round.
const LOOK_EVERY: u64 = 25;
/// Rounds that count as gone by before the first one, as a share of those that are expected.
const DELAY: f64 = 0.1;
/// How many are expected when only time is limited.
const USUAL_ROUNDS: u64 = 1_000;

/// Walks until the budget is spent, which there must be. What is found is the best of the places looked at. Where
/// losses are uncertain nothing is spent on them, and the last place is the result.
pub fn walk(objective: &mut dyn Objective, run: &mut Run) -> Found {
    let trusts_losses = objective.is_exact();
    let rounds = run.losses_left().map_or(USUAL_ROUNDS, |losses| losses / objective.difference_cost());
    let start: Vec<f64> = objective.axes().iter().map(|axis| axis.clamp(axis.start)).collect();
    let mut quest = if trusts_losses {
        Quest::new(objective, run)
    } else {
        Quest { objective, run, best: Found { vector: start.clone(), loss: f64::INFINITY } }
    };
    let axes = quest.objective.axes().to_vec();
    let mut here = start;
    let toss = |quest: &mut Quest, here: &[f64], width: f64| -> Option<(Vec<f64>, f64)> {
        let signs: Vec<f64> = axes.iter().map(|_| if quest.run.random.random() { 1.0 } else { -1.0 }).collect();
        let shifted = |direction: f64| -> Vec<f64> {
            let places = axes.iter().zip(here).zip(&signs);
            places
                .map(|((axis, here), sign)| axis.clamp(here + direction * sign * (axis.step * width).max(axis.grain)))
                .collect()
        };
        let difference = quest.difference(&shifted(1.0), &shifted(-1.0))?;
        Some((signs, difference))
    };
    let mut sum = 0.0;
    for _ in 0..TRIALS {
        let Some((_, difference)) = toss(&mut quest, &here, 1.0) else { return quest.best };
        sum += difference.abs();
    }
    let usual = if sum > 0.0 { sum / TRIALS as f64 } else { 1.0 };
    let delay = DELAY * rounds as f64;
    let first_gain = FIRST_MOVE * (delay + 1.0).powf(STEP_POWER) / usual;
    for round in 0.. {
        let gain = first_gain / (delay + 1.0 + round as f64).powf(STEP_POWER);
        let width = 1.0 / (1.0 + round as f64).powf(PERTURBATION_POWER);
        let Some((signs, difference)) = toss(&mut quest, &here, width) else { break };
        for ((value, axis), sign) in here.iter_mut().zip(&axes).zip(&signs) {
            *value = axis.clamp(*value - gain * difference / width * sign * axis.step);
        }
        if !trusts_losses {
            quest.best.vector.clone_from(&here);
            quest.tell();
        } else if (round + 1) % LOOK_EVERY == 0 {
            quest.loss(&here);
            quest.tell();
        }
    }
    if trusts_losses {
        quest.loss(&here);
    }
    quest.best
}
