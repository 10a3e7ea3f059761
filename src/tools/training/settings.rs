//! What decides the result of training.

use serde::{Deserialize, Serialize};

use super::dataset::Source;
use crate::eval::network::{BUCKETS, HIDDEN, INPUTS};
use crate::tools::datagen::NamedNetwork;

/// Everything that the result depends on. The names in files and messages are those of the options.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Settings {
    /// The shape of the network.
    pub shape: String,
    /// Where the samples are from.
    pub games: Source,
    /// How often all samples are gone through.
    pub epochs: u64,
    /// How many samples make a step.
    pub batch: usize,
    /// The share of the score in what should be told.
    pub lambda: f64,
    /// How many centipawns are a chance of 73 %.
    pub scale: f64,
    /// The price of being wrong; see [`crate::tools::tuning::Loss::NAMED`].
    pub loss: String,
    /// The rate at first.
    pub rate: f64,
    /// The rate at the end.
    pub last_rate: f64,
    /// The share of weights that is taken away, in proportion to the rate.
    pub decay: f64,
    /// What all random choices follow from.
    pub seed: u64,
    /// How many threads work: the last bits of sums depend on it.
    pub threads: usize,
    /// The network that training begins with; `None` for small random weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<NamedNetwork>,
}

impl Settings {
    /// The shape of the network that this program trains.
    pub fn this_shape() -> String {
        format!("({INPUTS}->{HIDDEN})x2->1x{BUCKETS}")
    }

    /// The settings as they stand in a file: one JSON object.
    pub fn to_json(&self) -> String {
        match serde_json::to_string(self) {
            Ok(text) => text,
            Err(error) => unreachable!("numbers and words can be written as JSON: {error}"),
        }
    }
}
