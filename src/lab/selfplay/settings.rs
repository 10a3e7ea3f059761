//! Settings that decide the networks of all rounds.

use serde::{Deserialize, Serialize};

use crate::lab::datagen::{Difference, difference};
use crate::lab::training;

/// Value of [`Settings::start`] for training that begins from nothing.
pub const FROM_NOTHING: &str = "nothing";
/// Distance between the seeds of two values of `--seed`, so that their rounds have different seeds.
const SEEDS_APART: u64 = 1_000_000;
/// Learning rate at the start of a training from random weights.
const RATE_FROM_NOTHING: f64 = 1e-3;
/// Learning rate at the start of a training that continues from a network.
const RATE_FROM_NETWORK: f64 = 3e-4;
/// Share of the strongest network in the mean, in runs that begin with a network. For 2.4 million positions of 2,000
/// nodes after the fifteenth network, at 4,000 nodes a move against it: +14 ± 22 Elo, without the mean −16 ± 21.
const START_SHARE: f64 = 0.5;
/// Ratio of the learning rates at the start and at the end of a training.
const RATE_RATIO: f64 = 100.0;

/// Settings that decide the result of every round. Names in files and messages are those of the options.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Settings {
    /// Checksum of the first network, or [`FROM_NOTHING`].
    pub start: String,
    /// Self-play games of a round.
    pub games: u64,
    /// Soft node limit of a search in self-play.
    pub nodes: u64,
    /// Hash size of a self-play game in megabytes.
    pub hash: usize,
    /// Passes over the positions in a training.
    pub epochs: u64,
    /// Positions per training step.
    pub batch: usize,
    /// Share of the score in the training target.
    pub lambda: f64,
    /// λ of smoothed results; 1 is the plain result. States without it were made with plain results.
    #[serde(default = "plain_result")]
    pub td_lambda: f64,
    /// Learning rate at the start of a training; `None` for the default.
    pub rate: Option<f64>,
    /// Learning rate at the end of a training; `None` for the default.
    pub last_rate: Option<f64>,
    /// Share of the strongest network in the mean of weights that a training gives; `None` for the default. States
    /// without it have the trained network alone.
    #[serde(default = "no_share")]
    pub start_share: Option<f64>,
    /// Games of the match between the new network and the strongest one.
    pub gate_games: u64,
    /// Nodes per move in that match.
    pub gate_nodes: u64,
    /// Share of the points above which the new network is accepted.
    pub accept: f64,
    /// Seed of all random choices.
    pub seed: u64,
}

/// λ of smoothed results that changes nothing.
fn plain_result() -> f64 {
    1.0
}

/// Share of a network that leaves the trained one as it is.
fn no_share() -> Option<f64> {
    Some(0.0)
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            start: FROM_NOTHING.to_owned(),
            games: 20_000,
            nodes: 400,
            hash: 4,
            epochs: 9,
            batch: 16_384,
            lambda: training::Settings::LAMBDA,
            td_lambda: training::Settings::TD_LAMBDA,
            rate: None,
            last_rate: None,
            start_share: None,
            gate_games: 400,
            gate_nodes: 4_000,
            accept: 0.52,
            seed: 1,
        }
    }
}

impl Settings {
    /// Returns the seed of the games, the training and the match of a round, counted from 1.
    pub fn seed_of_round(&self, round: u64) -> u64 {
        self.seed.wrapping_mul(SEEDS_APART).wrapping_add(round)
    }

    /// Returns the learning rates at the start and at the end of a training.
    pub fn rates(&self, from_network: bool) -> [f64; 2] {
        let rate = self.rate.unwrap_or(if from_network { RATE_FROM_NETWORK } else { RATE_FROM_NOTHING });
        [rate, self.last_rate.unwrap_or(rate / RATE_RATIO)]
    }

    /// Returns the share of the strongest network in the mean of weights that a training gives, 0 to 1. By default a
    /// run takes means if it began with a network: the positions that this network was trained on are not at hand, and
    /// the mean keeps more of what it learned from them.
    pub fn share_of_start(&self, from_network: bool) -> f64 {
        let usual = if self.start == FROM_NOTHING { 0.0 } else { START_SHARE };
        if from_network { self.start_share.unwrap_or(usual) } else { 0.0 }
    }

    /// Returns the first option that differs from `earlier` settings.
    pub fn difference(&self, earlier: &Settings) -> Option<Difference> {
        let json = |settings: &Settings| match serde_json::to_string(settings) {
            Ok(text) => text,
            Err(error) => unreachable!("numbers and words can be written as JSON: {error}"),
        };
        difference(&json(self), &json(earlier))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_name_the_option() {
        let earlier = Settings::default();
        let difference = |now: Settings| now.difference(&earlier).map(|difference| difference.to_string());
        assert_eq!(difference(earlier.clone()), None);
        let cases = [
            (Settings { gate_nodes: 5, ..earlier.clone() }, "--gate-nodes is 4000 there and 5 now"),
            (Settings { rate: Some(0.5), ..earlier.clone() }, "--rate is not given there and 0.5 now"),
            (Settings { start: "0123abcd".into(), ..earlier.clone() }, "--start is nothing there and 0123abcd now"),
        ];
        for (now, expected) in cases {
            assert_eq!(difference(now).as_deref(), Some(expected));
        }
    }

    #[test]
    fn settings_of_older_states_have_plain_results_and_no_means() {
        let smoothed = Settings { td_lambda: 0.9, start_share: Some(0.5), ..Settings::default() };
        let text = serde_json::to_string(&smoothed).unwrap();
        assert_eq!(serde_json::from_str::<Settings>(&text).unwrap(), smoothed);
        let old = text.replace("\"td-lambda\":0.9,", "").replace("\"start-share\":0.5,", "");
        assert!(!old.contains("td-lambda") && !old.contains("start-share"), "{old}");
        let plain = Settings { td_lambda: 1.0, start_share: Some(0.0), ..smoothed };
        assert_eq!(serde_json::from_str::<Settings>(&old).unwrap(), plain);
    }

    #[test]
    fn only_runs_that_begin_with_a_network_take_means_by_default() {
        let from = |start: &str, start_share| Settings { start: start.to_owned(), start_share, ..Settings::default() };
        let shares = |settings: Settings| [false, true].map(|from_network| settings.share_of_start(from_network));
        assert_eq!(shares(from(FROM_NOTHING, None)), [0.0, 0.0]);
        // As the help and docs/training.md say.
        assert_eq!(shares(from("0123abcd", None)), [0.0, 0.5]);
        for start in [FROM_NOTHING, "0123abcd"] {
            assert_eq!(shares(from(start, Some(0.25))), [0.0, 0.25]);
        }
    }

    #[test]
    fn rates_fall_and_are_lower_after_a_network() {
        let settings = Settings::default();
        let [[first, last], [further, further_last]] = [false, true].map(|from| settings.rates(from));
        assert!(last < first && further < first && further_last < further);
        let given = Settings { rate: Some(0.5), last_rate: Some(0.25), ..settings };
        assert_eq!([false, true].map(|from| given.rates(from)), [[0.5, 0.25]; 2]);
    }
}
