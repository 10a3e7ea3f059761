//! The numbers of the search, one a line: name, default, and the range in which it makes sense.
//!
//! Values are centipawns, depths plies, history points as in [`super::history`]. Every searching thread owns a copy, so
//! that engines with different numbers can play each other.

use thiserror::Error;

/// What is known of one number of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name, as in the fields of [`Params`].
    pub name: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// Its value unless told otherwise.
    pub default: i32,
    /// Its min value.
    pub min: i32,
    /// Its greatest value.
    pub max: i32,
}

/// Why a number of the search is not set.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ParameterError {
    /// There is no number of that name.
    #[error("there is no search parameter '{0}'")]
    Unknown(String),
    /// The value makes no sense.
    #[error("{name} must lie between {min} and {max}, not be {value}")]
    Range {
        /// Which number.
        name: &'static str,
        /// What it was to be.
        value: i32,
        /// Its min value.
        min: i32,
        /// Its greatest value.
        max: i32,
    },
}

macro_rules! parameters {
    ($($(#[doc = $description:literal])+ $name:ident = $default:literal, $min:literal..=$max:literal;)+) => {
        /// One value for every number of the search.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct Params {
            $($(#[doc = $description])+ pub $name: i32,)+
        }

        impl Params {
            /// What is known of every number, in the order of the fields.
            pub const LIST: &[Parameter] = &[$(Parameter {
                name: stringify!($name),
                description: concat!($($description),+).trim_ascii(),
                default: $default,
                min: $min,
                max: $max,
            }),+];

            /// The fields in the order of the list.
            fn fields(&mut self) -> [&mut i32; Params::LIST.len()] {
                [$(&mut self.$name),+]
            }

            /// The values in the order of [`Params::LIST`].
            pub fn values(&self) -> [i32; Params::LIST.len()] {
                [$(self.$name),+]
            }
        }

        impl Default for Params {
            fn default() -> Params {
                Params { $($name: $default),+ }
            }
        }
    };
}

parameters! {
    /// Half the width of the first aspiration window.
    aspiration_window = 18, 4..=200;
    /// The iteration from which aspiration windows are used.
    aspiration_depth = 4, 1..=12;

    /// Reverse futility: the deepest node.
    reverse_futility_depth = 8, 0..=16;
    /// Reverse futility: what each ply of depth must be ahead.
    reverse_futility_margin = 75, 10..=300;

    /// Null move: the shallowest node.
    null_move_depth = 3, 1..=12;
    /// Null move: how many plies it takes off whatever the depth.
    null_move_reduction = 3, 1..=8;
    /// Null move: one more ply off for each so many plies of depth.
    null_move_depth_divisor = 3, 1..=12;
    /// Null move: one more ply off for each so many centipawns above beta, up to three.
    null_move_margin = 200, 20..=1000;
    /// Null move: the static evaluation must reach beta plus this, less the slope for each ply.
    null_move_static_margin = 120, -200..=500;
    /// Null move: what each ply of depth forgives the static evaluation.
    null_move_static_slope = 20, 0..=100;
    /// Null move: from this depth on its success is verified.
    null_move_verification_depth = 12, 1..=64;

    /// Internal iterative reduction: the shallowest node.
    internal_reduction_depth = 4, 1..=16;

    /// Futility of quiet moves: the deepest reduced depth.
    futility_depth = 7, 0..=16;
    /// Futility of quiet moves: what is added to the evaluation at any depth.
    futility_base = 90, 0..=500;
    /// Futility of quiet moves: what is added for each ply.
    futility_margin = 85, 10..=400;

    /// Late move pruning: the deepest node.
    late_move_depth = 8, 0..=16;
    /// Late move pruning: moves tried whatever the depth.
    late_move_base = 4, 1..=20;

    /// Pruning by history: the deepest reduced depth.
    history_depth = 4, 0..=16;
    /// Pruning by history: the worst history allowed for each ply.
    history_margin = 4_000, 200..=16_000;

    /// Pruning by exchange: the deepest node.
    exchange_depth = 9, 0..=16;
    /// Pruning by exchange: what a capture may lose for each ply.
    exchange_capture_margin = 100, 10..=400;
    /// Pruning by exchange: what a quiet move may lose for each ply of its reduced depth, squared.
    exchange_quiet_margin = 22, 2..=150;

    /// Late move reductions: the shallowest node.
    reduction_depth = 3, 1..=10;
    /// Late move reductions: the first move that is reduced.
    reduction_first_move = 3, 2..=10;
    /// Late move reductions: in 1024ths of a ply, whatever depth and move count.
    reduction_base = 400, -1024..=3072;
    /// Late move reductions: in 1024ths of a ply, for each product of the logarithms (base 2) of depth and move count.
    reduction_factor = 230, 0..=600;
    /// Late move reductions: points of history worth one ply.
    reduction_history = 10_000, 1_000..=60_000;

    /// Correction of the evaluation: what each feature may add, in centipawns.
    correction_weight = 24, 0..=200;
    /// Correction of the evaluation: how fast it learns.
    correction_rate = 8, 1..=64;

    /// Singular extension: the shallowest node.
    singular_depth = 6, 3..=64;
    /// Singular extension: how much worse all other moves must be for each ply, in 16ths of a centipawn.
    singular_margin = 24, 0..=200;
    /// Singular extension: how much worse still for two plies.
    singular_double = 25, 0..=500;

    /// Quiescence: so many plies of it look at quiet checks too.
    quiescence_check_plies = 1, 0..=8;
    /// Quiescence: a capture must bring the evaluation within this of alpha.
    quiescence_margin = 180, 20..=800;
}

impl Params {
    /// What is known of the number of this name.
    ///
    /// # Errors
    /// [`ParameterError::Unknown`].
    ///
    /// ```
    /// use chuhe::search::Params;
    /// assert_eq!(Params::parameter("null_move_depth")?.min, 1);
    /// assert!(Params::parameter("luck").is_err());
    /// # Ok::<(), chuhe::search::ParameterError>(())
    /// ```
    pub fn parameter(name: &str) -> Result<&'static Parameter, ParameterError> {
        Params::LIST.iter().find(|known| known.name == name).ok_or_else(|| ParameterError::Unknown(name.to_owned()))
    }

    /// The value of the number of this name.
    ///
    /// # Errors
    /// [`ParameterError::Unknown`].
    pub fn get(&self, name: &str) -> Result<i32, ParameterError> {
        Ok(self.values()[place(name)?])
    }

    /// Sets the number of this name.
    ///
    /// # Errors
    /// When there is none or the value lies outside its range; nothing changes then.
    ///
    /// ```
    /// use chuhe::search::Params;
    /// let mut params = Params::default();
    /// params.set("futility_base", 120)?;
    /// assert_eq!(params.futility_base, 120);
    /// let error = params.set("futility_base", -1).unwrap_err();
    /// assert_eq!(error.to_string(), "futility_base must lie between 0 and 500, not be -1");
    /// # Ok::<(), chuhe::search::ParameterError>(())
    /// ```
    pub fn set(&mut self, name: &str, value: i32) -> Result<(), ParameterError> {
        let place = place(name)?;
        let Parameter { name, min, max, .. } = Params::LIST[place];
        if !(min..=max).contains(&value) {
            return Err(ParameterError::Range { name, value, min, max });
        }
        *self.fields()[place] = value;
        Ok(())
    }
}

/// Where in the list the name stands.
fn place(name: &str) -> Result<usize, ParameterError> {
    let place = Params::LIST.iter().position(|known| known.name == name);
    place.ok_or_else(|| ParameterError::Unknown(name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_lies_in_its_range_and_every_name_leads_to_its_own_field() {
        let defaults = Params::default();
        for (index, parameter) in Params::LIST.iter().enumerate() {
            assert!((parameter.min..=parameter.max).contains(&parameter.default), "{}", parameter.name);
            assert!(!parameter.description.is_empty() && !parameter.description.starts_with(' '));
            assert_eq!(defaults.get(parameter.name), Ok(parameter.default));
            let mut params = defaults;
            let other = if parameter.default == parameter.max { parameter.min } else { parameter.max };
            params.set(parameter.name, other).unwrap();
            let changed: Vec<usize> =
                (0..Params::LIST.len()).filter(|&at| params.values()[at] != defaults.values()[at]).collect();
            assert_eq!((changed, params.get(parameter.name)), (vec![index], Ok(other)));
        }
    }

    #[test]
    fn what_is_out_of_range_or_unknown_changes_nothing() {
        let mut params = Params::default();
        let error = ParameterError::Range { name: "null_move_margin", value: 0, min: 20, max: 1000 };
        assert_eq!(params.set("null_move_margin", 0), Err(error));
        assert_eq!(params.set("luck", 1), Err(ParameterError::Unknown("luck".to_owned())));
        assert_eq!(params, Params::default());
    }
}
