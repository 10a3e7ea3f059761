//! Search parameters as the vector of an objective: a dimension is one parameter or a group that changes in proportion.

use super::design;
use super::objective::Parameter;
use crate::search::{self, Params};

/// Initial step as a share of the start value of a parameter. Smaller ones are lost in the noise of the games.
const STEP_SHARE: f64 = 0.2;
/// Initial step of a group of parameters in percent of their start values. Groups are few, so that none hides the
/// others.
const GROUP_STEP: f64 = 30.0;
/// Least and greatest percentage of the start values of a group.
const GROUP_RANGE: [f64; 2] = [10.0, 1_000.0];
/// Most initial steps in the range of a parameter, for those that start near 0.
const STEPS_IN_RANGE: f64 = 60.0;

/// What one dimension changes: a search parameter, or a group of them that keep their ratios.
///
/// A single parameter is a dimension in its own units, a group one in percent of the start values. A parameter that
/// starts at 0 stays there in a group. Groups of parameters that mean the same, like all margins of pruning, need fewer
/// games than each of them alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tuned(Vec<&'static search::Parameter>);

impl Tuned {
    /// Creates the dimension of these parameters.
    pub fn new(parameters: Vec<&'static search::Parameter>) -> Tuned {
        Tuned(parameters)
    }

    /// Returns its parameters.
    pub fn parameters(&self) -> &[&'static search::Parameter] {
        &self.0
    }

    /// Returns the names of its parameters, joined by `+`.
    pub fn name(&self) -> String {
        self.0.iter().map(|parameter| parameter.name).collect::<Vec<_>>().join("+")
    }

    /// Returns the dimension around the values of `base`.
    fn dimension(&self, base: &Params) -> Parameter {
        let name = self.name();
        let [parameter] = self.0[..] else {
            let [min, max] = GROUP_RANGE;
            return Parameter { name, start: 100.0, min, max, step: GROUP_STEP, resolution: 1.0 };
        };
        let start = f64::from(value(base, parameter));
        let range = f64::from(parameter.max - parameter.min);
        Parameter {
            name,
            start,
            min: parameter.min.into(),
            max: parameter.max.into(),
            step: (start.abs() * STEP_SHARE).max(range / STEPS_IN_RANGE).max(1.0),
            resolution: 1.0,
        }
    }

    /// Returns whether a step from the values of `base`, as [`super::measure_effects`] makes it, changes a parameter.
    /// That of a single one always does; the members of a group may be 0 or so small that they are rounded back.
    pub fn has_effect(&self, base: &Params) -> bool {
        let is_changed = |percent: f64| {
            let mut params = *base;
            self.apply(percent, base, &mut params);
            params != *base
        };
        let dimension = self.dimension(base);
        self.0.len() == 1 || [false, true].map(|is_high| design::value(&dimension, is_high)).into_iter().any(is_changed)
    }

    /// Sets the parameters to the value of the dimension, each rounded and within its range.
    fn apply(&self, dimension: f64, base: &Params, params: &mut Params) {
        for parameter in &self.0 {
            let exact = match self.0.len() {
                1 => dimension,
                _ => f64::from(value(base, parameter)) * dimension / 100.0,
            };
            // A listed name with a value in range is always accepted.
            let _ = params.set(parameter.name, (exact.round() as i32).clamp(parameter.min, parameter.max));
        }
    }
}

impl From<&'static search::Parameter> for Tuned {
    fn from(parameter: &'static search::Parameter) -> Tuned {
        Tuned(vec![parameter])
    }
}

/// Returns the value of a parameter.
fn value(params: &Params, parameter: &search::Parameter) -> i32 {
    params.get(parameter.name).unwrap_or(parameter.default)
}

/// Search parameters that are tuned, and those that stay.
#[derive(Clone)]
pub(super) struct SearchSpace {
    /// Start values of all search parameters.
    pub base: Params,
    tuned: Vec<Tuned>,
    /// The dimensions, in the order of `tuned`.
    pub dimensions: Vec<Parameter>,
}

impl SearchSpace {
    /// Creates the space of these dimensions; all other parameters stay as in `base`.
    pub fn new(base: Params, tuned: impl IntoIterator<Item: Into<Tuned>>) -> SearchSpace {
        let tuned: Vec<Tuned> = tuned.into_iter().map(Into::into).collect();
        let dimensions = tuned.iter().map(|tuned| tuned.dimension(&base)).collect();
        SearchSpace { base, tuned, dimensions }
    }

    /// What the dimensions change.
    pub fn tuned(&self) -> &[Tuned] {
        &self.tuned
    }

    /// Returns the search parameters of a vector, each rounded.
    pub fn params(&self, vector: &[f64]) -> Params {
        let mut params = self.base;
        for (tuned, value) in self.tuned.iter().zip(vector) {
            tuned.apply(*value, &self.base, &mut params);
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
        let tuned = names.map(|name| Params::parameter(name).unwrap());
        let base = Params { null_move_depth: 3, reduction_base: 400, ..Params::default() };
        let space = SearchSpace::new(base, tuned);
        let starts: Vec<f64> = space.dimensions.iter().map(|parameter| parameter.start).collect();
        assert_eq!(starts, [3.0, 400.0]);
        assert_eq!(space.params(&[4.4, 1e9]), Params { null_move_depth: 4, reduction_base: 3072, ..Params::default() });
        assert_eq!(space.params(&[3.4, 399.6]), base);
    }

    #[test]
    fn a_group_keeps_its_ratios_within_the_ranges() {
        let group = |names: &[&str]| Tuned::new(names.iter().map(|name| Params::parameter(name).unwrap()).collect());
        let base = Params { futility_base: 80, futility_margin: 390, check_extension: 0, ..Params::default() };
        let tuned = [group(&["futility_base", "futility_margin", "check_extension"]), group(&["null_move_depth"])];
        let space = SearchSpace::new(base, tuned);
        let names: Vec<&str> = space.dimensions.iter().map(|dimension| dimension.name.as_str()).collect();
        assert_eq!(names, ["futility_base+futility_margin+check_extension", "null_move_depth"]);
        assert_eq!(space.dimensions[0].start, 100.0);
        assert_eq!(space.params(&[100.0, 3.0]), base);
        let quarter = Params { futility_base: 20, futility_margin: 98, ..base };
        assert_eq!(space.params(&[25.0, 3.0]), quarter, "97.5 is rounded, 0 stays");
        // 780 exceeds the range of the second, whose greatest value is 400.
        assert_eq!(space.params(&[200.0, 3.0]), Params { futility_base: 160, futility_margin: 400, ..base });
    }
}
