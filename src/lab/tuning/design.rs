//! A screening design: the effect of each of many parameters, all measured by the same comparisons.
//!
//! In every comparison each parameter has, by chance, its high value on one side and its low value on the other. Every
//! comparison therefore informs about all parameters, where separate matches would have to be played for each of them.
//! Values drawn by chance instead of from a table are a random balance design (Satterthwaite 1959). Each vector meets
//! its mirror image, so that interactions of two parameters cancel.

use rand::RngExt;

use super::objective::{Objective, OptimizerRun, Parameter, Run, Solution, start_vector};

/// Distance of the two values from the start, in initial steps. With a larger distance one parameter with a large
/// effect would decide most comparisons and hide the others.
const STEP_WIDTH: f64 = 0.75;

/// Main effect of a parameter: its high value compared with its low one.
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
    /// Standard error of the gain; infinite for fewer than two comparisons.
    pub error: f64,
}

impl Effect {
    /// Returns the better of the two values if the gain exceeds its standard error, otherwise `None`.
    ///
    /// To go there from the start is worth half of the gain at most. Where the start is a maximum both values are
    /// worse, which the comparison does not show; therefore small gains change nothing.
    pub fn better_value(&self) -> Option<f64> {
        (self.gain.abs() > self.error).then_some(if self.gain > 0.0 { self.high } else { self.low })
    }
}

/// Returns the value of a parameter above or below its start, within its range.
pub(super) fn value(parameter: &Parameter, is_high: bool) -> f64 {
    let distance = (STEP_WIDTH * parameter.step).max(parameter.resolution);
    let is_whole = parameter.resolution > 0.0;
    let distance = if is_whole { (distance / parameter.resolution).round() * parameter.resolution } else { distance };
    parameter.clamp(parameter.start + if is_high { distance } else { -distance })
}

/// Measures the effects of all parameters until the budget is spent; there must be one. Returns them in the order of
/// the parameters.
pub fn measure_effects(objective: &mut dyn Objective, run: &mut Run) -> Vec<Effect> {
    let parameters = objective.parameters().to_vec();
    let start = Solution { vector: start_vector(objective), loss: f64::INFINITY };
    let mut optimizer = OptimizerRun { objective, run, best: start };
    let (mut count, mut squares, mut sums) = (0.0, 0.0, vec![0.0; parameters.len()]);
    loop {
        let is_high: Vec<bool> = parameters.iter().map(|_| optimizer.run.random.random()).collect();
        let side = |is_mirrored: bool| -> Vec<f64> {
            parameters.iter().zip(&is_high).map(|(parameter, high)| value(parameter, *high != is_mirrored)).collect()
        };
        let Some(difference) = optimizer.difference(&side(false), &side(true)) else { break };
        count += 1.0;
        squares += difference * difference;
        for (sum, is_high) in sums.iter_mut().zip(&is_high) {
            *sum += if *is_high { -difference } else { difference };
        }
        optimizer.run.report(f64::INFINITY, None);
    }
    let effect = |(parameter, sum): (&Parameter, f64)| {
        let gain = if count > 0.0 { sum / count } else { 0.0 };
        // The effects of the other parameters count as noise. Rounding may make a variance of 0 negative.
        let variance = if count > 1.0 { (squares / count - gain * gain).max(0.0) } else { f64::INFINITY };
        let error = (variance / (count - 1.0).max(1.0)).sqrt();
        Effect { name: parameter.name.clone(), low: value(parameter, false), high: value(parameter, true), gain, error }
    };
    parameters.iter().zip(sums).map(effect).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(start: f64, step: f64, resolution: f64) -> Parameter {
        Parameter { name: "x".into(), start, min: 0.0, max: 100.0, step, resolution }
    }

    #[test]
    fn only_a_gain_above_its_error_changes_a_value() {
        let effect = |gain, error| Effect { name: "x".into(), low: 1.0, high: 3.0, gain, error };
        assert_eq!(effect(0.2, 0.1).better_value(), Some(3.0));
        assert_eq!(effect(-0.2, 0.1).better_value(), Some(1.0));
        for (gain, error) in [(0.1, 0.2), (-0.1, 0.2), (0.1, 0.1), (0.0, f64::INFINITY)] {
            assert_eq!(effect(gain, error).better_value(), None);
        }
    }

    #[test]
    fn values_lie_three_quarters_of_a_step_on_either_side_within_the_range() {
        let values = |parameter: &Parameter| [false, true].map(|is_high| value(parameter, is_high));
        assert_eq!(values(&parameter(50.0, 4.0, 0.0)), [47.0, 53.0]);
        // Whole numbers: 7.5 is rounded once, so that both lie equally far away, and at least 1 is taken.
        assert_eq!(values(&parameter(50.0, 10.0, 1.0)), [42.0, 58.0]);
        assert_eq!(values(&parameter(50.0, 0.2, 1.0)), [49.0, 51.0]);
        assert_eq!(values(&parameter(1.0, 4.0, 1.0)), [0.0, 4.0]);
        assert_eq!(values(&parameter(100.0, 4.0, 1.0)), [97.0, 100.0]);
    }
}
