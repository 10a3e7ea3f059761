//! Fitting numbers: weights of the evaluation to labelled positions, parameters of the search to games.
//!
//! Weights are fitted by logistic regression: the evaluation is linear, so every position is a short list of terms
//! ([`Dataset`]), and Adam follows the exact gradient ([`descend`]). The other methods ([`Method`])
//! know nothing of positions; they make an [`Objective`] small, whether it is a [`Regression`] or a [`Tournament`].
//! Everything is deterministic by its seed as long as only losses, not seconds, are limited.

pub mod anneal;
pub mod climb;
pub mod command;
mod dataset;
mod games;
pub mod genetic;
mod gradient;
mod load;
mod loss;
mod method;
mod objective;
mod quiet;
mod regression;
pub mod spsa;
pub mod swarm;
mod weights;

pub use dataset::{Dataset, Label, WEIGHT_COUNT, flat_weights, rounded_weights, weight_names};
pub use games::{Games, Tournament};
pub use gradient::{Adam, EPOCH_COST, descend};
pub(super) use load::is_put_aside;
pub use load::{LoadError, Loading, Positions, load, load_scored_games};
pub use loss::{Loss, chance, fit_scale, fit_scale_to, target};
pub use method::Method;
pub use objective::{Axis, Budget, Found, Objective, Run, Step};
pub use quiet::{Choice, Quiet, game_key, is_quiet, positions_of, quiet_positions};
pub use regression::{Model, Regression};
pub use weights::{provenance_of, read_weights, source_of_weights};
