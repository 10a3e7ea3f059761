//! A design with opposite players: how much each of many parameters is worth, all measured by the same comparisons.
//!
//! In every comparison each parameter is a step above its start for one side and a step below it for the other, by
//! chance. So every comparison says something about every parameter, where a match of its own for each would have to be
//! played once for each. Two-level designs are due to Plackett and Burman (1946); random signs, as in SPSA, need no
//! table and allow any number of comparisons.

use rand::RngExt;

use super::objective::{Objective, OptimizerRun, Parameter, Run, Solution};

/// Distance of the two values from the start, in initial steps. Wider values would let one bad parameter decide the
/// games, and what the others are worth in bad company is not what they are worth at the start.
const STEP_WIDTH: f64 = 0.75;

/// What a parameter is worth: its high value compared with its low one.
#[derive(Clone, PartialEq, Debug)]
pub struct Effect {
    /// Name of the parameter.
    pub name: String,
    /// Value below the start.
    pub low: f64,
    /// Value above the start.
    pub high: f64,
    /// Loss of the low value minus that of the high one: positive if the high value is better.
    pub gain: f64,
    /// Standard error of the gain; infinite for less than two comparisons.
    pub error: f64,
}

impl Effect {
    /// Returns the better value if the gain exceeds its standard error, otherwise `None`.
    ///
    /// Half of all parameters without any worth would move in the wrong direction without that condition, and every
    /// move may cost a little, since the start is often a maximum.
    pub fn better_value(&self) -> Option<f64> {
        (self.gain.abs() > self.error).then_some(if self.gain > 0.0 { self.high } else { self.low })
    }
}

/// Measures all parameters until the budget is spent; there must be one. Returns their effects in the order of the
/// parameters.
pub fn measure_effects(objective: &mut dyn Objective, run: &mut Run) -> Vec<Effect> {
    let start: Vec<f64> = objective.parameters().iter().map(|parameter| parameter.clamp(parameter.start)).collect();
    let parameters = objective.parameters().to_vec();
    let value = |(parameter, start): (&Parameter, &f64), is_high: bool| {
        let step = (STEP_WIDTH * parameter.step).max(parameter.resolution);
        let value = start + if is_high { step } else { -step };
        let is_whole = parameter.resolution > 0.0;
        parameter.clamp(if is_whole { (value / parameter.resolution).round() * parameter.resolution } else { value })
    };
    let mut optimizer = OptimizerRun { objective, run, best: Solution { vector: start.clone(), loss: f64::INFINITY } };
    let (mut count, mut squares, mut sums) = (0.0, 0.0, vec![0.0; parameters.len()]);
    loop {
        let is_high: Vec<bool> = parameters.iter().map(|_| optimizer.run.random.random()).collect();
        let side = |is_turned: bool| -> Vec<f64> {
            let dimensions = parameters.iter().zip(&start).zip(&is_high);
            dimensions.map(|(dimension, is_high)| value(dimension, *is_high != is_turned)).collect()
        };
        let Some(difference) = optimizer.difference(&side(false), &side(true)) else { break };
        count += 1.0;
        squares += difference * difference;
        for (sum, is_high) in sums.iter_mut().zip(&is_high) {
            *sum += if *is_high { -difference } else { difference };
        }
        optimizer.run.report(f64::INFINITY, None);
    }
    let effect = |(dimension, sum): ((&Parameter, &f64), f64)| {
        let gain = if count > 0.0 { sum / count } else { 0.0 };
        // What the parameter does not explain is chance, among it what the other parameters do.
        let error = if count > 1.0 { ((squares / count - gain * gain) / (count - 1.0)).sqrt() } else { f64::INFINITY };
        Effect {
            name: dimension.0.name.clone(),
            low: value(dimension, false),
            high: value(dimension, true),
            gain,
            error,
        }
    };
    parameters.iter().zip(&start).zip(sums).map(effect).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_gain_above_its_error_changes_a_value() {
        let effect = |gain, error| Effect { name: "x".into(), low: 1.0, high: 3.0, gain, error };
        assert_eq!(effect(0.2, 0.1).better_value(), Some(3.0));
        assert_eq!(effect(-0.2, 0.1).better_value(), Some(1.0));
        assert_eq!(effect(0.1, 0.2).better_value(), None);
        assert_eq!(effect(0.0, f64::INFINITY).better_value(), None);
    }
}
