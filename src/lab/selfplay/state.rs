//! Settings and state of the rounds: one record of [`record_file`](crate::util::record_file).

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::commands::matches::statistics::{Estimate, Pairs, Standing};
use crate::lab::training;
use crate::util::record_file::{decode, encode};

/// Version of the format.
const VERSION: u32 = 1;
/// First bytes of the file.
const BEGINNING: &[u8] = b"{\"chuhe_selfplay_train\":";
/// Value of [`Settings::start`] for training that begins from nothing.
pub const FROM_NOTHING: &str = "nothing";
/// Distance between the seeds of two values of `--seed`, so that their rounds have different seeds.
const SEEDS_APART: u64 = 1_000_000;
/// Learning rates at the start of a training, from random weights and from a network.
const RATES: [f64; 2] = [1e-3, 3e-4];
/// Share of the strongest network in the mean, in runs that begin with a network.
const START_SHARE: f64 = 0.5;

/// Settings that decide the result of every round. Names in files and messages are those of the options; those without
/// an option are kept from folders that were begun with other values.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
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
    /// λ of smoothed results; 1 is the plain result.
    pub td_lambda: f64,
    /// Learning rate at the start of a training; `None` for the default.
    pub rate: Option<f64>,
    /// Learning rate at the end of a training; `None` for the default.
    pub last_rate: Option<f64>,
    /// Share of the strongest network in the mean of weights that a training gives; `None` for the default.
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

/// States of older programs without a share have the trained network alone.
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
            td_lambda: 1.0,
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
        let rate = self.rate.unwrap_or(RATES[usize::from(from_network)]);
        [rate, self.last_rate.unwrap_or(rate / training::Settings::RATE_RATIO)]
    }

    /// Returns the share of the strongest network in the mean of weights that a training gives, 0 to 1. By default a
    /// run takes means if it began with a network: the positions that this network was trained on are not at hand, and
    /// the mean keeps more of what it learned from them.
    pub fn share_of_start(&self, from_network: bool) -> f64 {
        let usual = if self.start == FROM_NOTHING { 0.0 } else { START_SHARE };
        if from_network { self.start_share.unwrap_or(usual) } else { 0.0 }
    }
}

/// Settings, completed rounds, and what is completed of the current one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct State {
    /// Version of the format.
    chuhe_selfplay_train: u32,
    pub settings: Settings,
    /// Completed rounds.
    pub rounds: Vec<Round>,
    /// Games of the current round; `None` until all are played.
    pub games: Option<GamesDone>,
    /// Time spent on the current round so far, in seconds.
    pub seconds: f64,
}

/// Complete game file of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GamesDone {
    pub games: u64,
    /// Number of positions in them.
    pub positions: u64,
    /// Length of the file and its hash, see [`identify`](crate::lab::training::identify).
    pub identity: (u64, u64),
}

/// Completed round.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Round {
    pub games: GamesDone,
    /// Positions that the network was trained on.
    pub trained_on: u64,
    /// Training loss of the last epoch; `None` if it is not finite.
    pub training: Option<f64>,
    /// Validation loss after the last epoch; `None` without validation data.
    pub validation: Option<f64>,
    /// Checksum of the new network.
    pub network: String,
    /// Match of the new network against the strongest one before.
    pub result: MatchResult,
    /// True if the new network became the strongest.
    pub accepted: bool,
    /// Duration in seconds, without that of runs that were killed.
    pub seconds: f64,
}

/// Result of a match from the side of the new network.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct MatchResult {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    /// Numbers of pairs with 0, ½, 1, 1½ and 2 points.
    pub pairs: [u64; 5],
}

impl MatchResult {
    /// Creates the result from the standing of the new network.
    pub fn new(standing: &Standing) -> MatchResult {
        let Standing { wins, draws, losses, pairs, .. } = *standing;
        MatchResult { wins, draws, losses, pairs: pairs.0 }
    }

    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Returns the points as a share of the games; 0 without games.
    pub fn score(&self) -> f64 {
        (self.wins as f64 + self.draws as f64 / 2.0) / self.games().max(1) as f64
    }

    /// Returns the estimated Elo difference with half of its 95 % interval as text.
    pub fn elo(&self) -> String {
        match Pairs(self.pairs).estimate() {
            Some(Estimate { elo, error, .. }) if elo.is_finite() && error.is_finite() => {
                format!("{elo:+.0} ± {error:.0}")
            }
            Some(Estimate { elo, .. }) if elo.is_finite() => format!("{elo:+.0} ± ?"),
            Some(Estimate { elo, .. }) => format!("{}∞", if elo > 0.0 { '+' } else { '-' }),
            None => "?".to_owned(),
        }
    }
}

impl State {
    /// Creates the state before the first round.
    pub fn new(settings: Settings) -> State {
        State { chuhe_selfplay_train: VERSION, settings, rounds: Vec::new(), games: None, seconds: 0.0 }
    }

    /// Number of the current round, from 1.
    pub fn round(&self) -> u64 {
        self.rounds.len() as u64 + 1
    }

    /// Returns the number of the last round whose network was accepted; `None` before the first one.
    pub fn best_round(&self) -> Option<u64> {
        self.rounds.iter().rposition(|round| round.accepted).map(|index| index as u64 + 1)
    }

    /// Returns the encoded state.
    pub fn to_bytes(&self) -> Vec<u8> {
        encode(self)
    }

    /// Decodes a state. Those of older programs have their checksum in a second line, which is ignored.
    pub fn from_bytes(bytes: &[u8]) -> Result<State, &'static str> {
        if !bytes.starts_with(BEGINNING) {
            return Err("not the state of 'selfplay-train'; choose another --out");
        }
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let state = end.and_then(|end| decode::<State>(&bytes[..end]));
        match state {
            Some(state) if state.chuhe_selfplay_train == VERSION => Ok(state),
            Some(_) => Err("of a newer version of this program"),
            None => Err("damaged; restore it from a copy, or begin in another --out with --start best.network"),
        }
    }

    /// Returns a table of the completed rounds, one row a round, for people and scripts; never read back.
    pub fn table(&self) -> String {
        let mut text = String::from(
            "round\tgames\tpositions\ttrained_on\ttraining\tvalidation\twins\tdraws\tlosses\tscore\telo\terror\t\
             accepted\tnetwork\thours\n",
        );
        let loss = |loss: &Option<f64>| loss.map_or("-".to_owned(), |loss| format!("{loss:.8}"));
        let finite = |number: Option<f64>| {
            let number = number.filter(|number| number.is_finite());
            number.map_or("-".to_owned(), |number| format!("{number:.1}"))
        };
        for (number, round) in (1..).zip(&self.rounds) {
            let Round { games, trained_on, training, validation, network, result, accepted, seconds } = round;
            let MatchResult { wins, draws, losses, pairs } = *result;
            let estimate = Pairs(pairs).estimate();
            let _ = writeln!(
                text,
                "{number}\t{}\t{}\t{trained_on}\t{}\t{}\t{wins}\t{draws}\t{losses}\t{:.4}\t{}\t{}\t{}\t{network}\t{:.2}",
                games.games,
                games.positions,
                loss(training),
                loss(validation),
                result.score(),
                finite(estimate.map(|estimate| estimate.elo)),
                finite(estimate.map(|estimate| estimate.error)),
                if *accepted { "yes" } else { "no" },
                seconds / 3600.0
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_round_trip_and_damage_is_detected() {
        let result = MatchResult { wins: 5, draws: 2, losses: 1, pairs: [0, 0, 1, 2, 1] };
        let games = GamesDone { games: 7, positions: 700, identity: (2_100, u64::MAX) };
        let round = Round {
            games,
            trained_on: 600,
            training: Some(0.125),
            validation: None,
            network: "0123abcd".to_owned(),
            result,
            accepted: true,
            seconds: 1.5,
        };
        let rounds = vec![round.clone(), Round { accepted: false, ..round }];
        let state = State { rounds, games: Some(games), ..State::new(Settings::default()) };
        assert_eq!((state.round(), state.best_round(), state.rounds[0].result.score()), (3, Some(1), 0.75));
        assert_eq!(State::new(Settings::default()).best_round(), None);
        let bytes = state.to_bytes();
        assert_eq!(State::from_bytes(&bytes), Ok(state.clone()));
        assert!((0..bytes.len()).all(|length| State::from_bytes(&bytes[..length]).is_err()));
        // A checksum whose key is damaged is ignored as that of an older program.
        for at in 0..bytes.len() - 20 {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert!(State::from_bytes(&other).is_err(), "byte {at}");
        }
        let newer = State { chuhe_selfplay_train: 2, ..state.clone() };
        assert_eq!(State::from_bytes(&newer.to_bytes()), Err("of a newer version of this program"));
        // An older program, before smoothed results and means.
        let text = serde_json::to_string(&state).unwrap();
        let old = text.replace("\"td-lambda\":1.0,", "").replace("\"start-share\":null,", "");
        assert!(old.len() < text.len() - 30);
        let old = State::from_bytes(format!("{old}\n{{\"crc32\":\"00000000\"}}\n").as_bytes()).unwrap();
        assert_eq!(old.settings, Settings { start_share: Some(0.0), ..Settings::default() });
    }
}
