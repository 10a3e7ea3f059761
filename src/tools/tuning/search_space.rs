//! Search parameters as the vector of an objective.

use super::objective::Parameter;
use crate::search::{self, Params};

/// Initial step as a share of the start value of a parameter. Smaller ones are lost in the noise of the games.
const STEP_SHARE: f64 = 0.2;
/// Most initial steps in the range of a parameter, for those that start near 0.
const STEPS_IN_RANGE: f64 = 60.0;

/// Search parameters that are tuned, and those that stay.
pub(super) struct SearchSpace {
    /// Start values of all search parameters.
    pub base: Params,
    tuned: Vec<&'static search::Parameter>,
    /// The dimensions, in the order of the tuned parameters.
    pub dimensions: Vec<Parameter>,
}

impl SearchSpace {
    /// Creates the space of these parameters; all others stay as in `base`.
    pub fn new(base: Params, tuned: Vec<&'static search::Parameter>) -> SearchSpace {
        let dimension = |parameter: &&'static search::Parameter| {
            let start: f64 = base.get(parameter.name).unwrap_or(parameter.default).into();
            let range = f64::from(parameter.max - parameter.min);
            Parameter {
                name: parameter.name.to_owned(),
                start,
                min: parameter.min.into(),
                max: parameter.max.into(),
                step: (start.abs() * STEP_SHARE).max(range / STEPS_IN_RANGE).max(1.0),
                resolution: 1.0,
            }
        };
        let dimensions = tuned.iter().map(dimension).collect();
        SearchSpace { base, tuned, dimensions }
    }

    /// Returns the search parameters of a vector, each rounded.
    pub fn params(&self, vector: &[f64]) -> Params {
        let mut params = self.base;
        for (parameter, value) in self.tuned.iter().zip(vector) {
            let value = (value.round() as i32).clamp(parameter.min, parameter.max);
            // A listed name with a value in range is always accepted.
            let _ = params.set(parameter.name, value);
        }
        params
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_rounded_into_their_ranges() {
        let names = ["null_move_depth", "reduction_base"];
        let tuned = names.map(|name| Params::parameter(name).unwrap()).to_vec();
        let base = Params { null_move_depth: 3, reduction_base: 400, ..Params::default() };
        let space = SearchSpace::new(base, tuned);
        let starts: Vec<f64> = space.dimensions.iter().map(|parameter| parameter.start).collect();
        assert_eq!(starts, [3.0, 400.0]);
        assert_eq!(space.params(&[4.4, 1e9]), Params { null_move_depth: 4, reduction_base: 3072, ..Params::default() });
        assert_eq!(space.params(&[3.4, 399.6]), base);
    }
}
