//! State of the rounds as a file: one line of JSON, and a second one with its CRC-32, so that damage is detected.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::settings::Settings;
use crate::commands::matches::statistics::{Estimate, Pairs, Standing};

/// Version of the format.
const VERSION: u32 = 1;
/// First bytes of the file.
const BEGINNING: &str = "{\"chuhe_selfplay_train\":";

/// Settings, completed rounds, and what is completed of the current one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct State {
    /// Version of the format.
    chuhe_selfplay_train: u32,
    /// Settings of all rounds.
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
    /// Number of games.
    pub games: u64,
    /// Number of positions in them.
    pub positions: u64,
    /// Length of the file and its hash, see [`identify`](crate::lab::training::identify).
    pub identity: (u64, u64),
}

/// Completed round.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Round {
    /// Games of self-play.
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
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
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

    /// Estimates the Elo difference; `None` without pairs.
    pub fn estimate(&self) -> Option<Estimate> {
        Pairs(self.pairs).estimate()
    }
}

/// Fault in the bytes of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum StateFault {
    /// The bytes are no state.
    #[error("not the state of 'selfplay-train'; choose another --out")]
    Foreign,
    /// The state has a newer version.
    #[error("its format version is {0}, but this program supports {VERSION} only")]
    Version(u32),
    /// The bytes are truncated or altered.
    #[error("damaged; restore it from a copy, or begin in another --out with --start best.network")]
    Damaged,
}

#[derive(Serialize, Deserialize)]
struct Checksum {
    crc32: String,
}

#[derive(Deserialize)]
struct Head {
    chuhe_selfplay_train: u32,
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
        let line = |text: serde_json::Result<String>| match text {
            Ok(text) => text + "\n",
            Err(error) => unreachable!("numbers and words can be written as JSON: {error}"),
        };
        let state = line(serde_json::to_string(self));
        let crc32 = format!("{:08x}", crc32fast::hash(state.as_bytes()));
        (state + &line(serde_json::to_string(&Checksum { crc32 }))).into_bytes()
    }

    /// Decodes a state.
    ///
    /// # Errors
    /// [`StateFault`] when the bytes are no valid state.
    pub fn from_bytes(bytes: &[u8]) -> Result<State, StateFault> {
        if !bytes.starts_with(BEGINNING.as_bytes()) {
            return Err(StateFault::Foreign);
        }
        let end = bytes.iter().position(|&byte| byte == b'\n').ok_or(StateFault::Damaged)? + 1;
        let (state, checksum) = bytes.split_at(end);
        let checksum: Checksum = serde_json::from_slice(checksum).map_err(|_| StateFault::Damaged)?;
        if checksum.crc32 != format!("{:08x}", crc32fast::hash(state)) {
            return Err(StateFault::Damaged);
        }
        let head: Head = serde_json::from_slice(state).map_err(|_| StateFault::Damaged)?;
        if head.chuhe_selfplay_train != VERSION {
            return Err(StateFault::Version(head.chuhe_selfplay_train));
        }
        serde_json::from_slice(state).map_err(|_| StateFault::Damaged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> State {
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
        State { rounds, games: Some(games), ..State::new(Settings::default()) }
    }

    #[test]
    fn states_round_trip_and_damage_is_detected() {
        let (state, bytes) = (state(), state().to_bytes());
        assert_eq!(State::from_bytes(&bytes), Ok(state));
        for length in 0..bytes.len() - 1 {
            assert!(State::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
        }
        for at in 0..bytes.len() - 1 {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert!(State::from_bytes(&other).is_err(), "byte {at}");
        }
        let newer = State { chuhe_selfplay_train: 2, ..state_of_version_one() };
        assert_eq!(State::from_bytes(&newer.to_bytes()), Err(StateFault::Version(2)));
        assert_eq!(State::from_bytes(b"{\"settings\":1}\n"), Err(StateFault::Foreign));
    }

    fn state_of_version_one() -> State {
        State::new(Settings::default())
    }

    #[test]
    fn the_last_accepted_round_is_the_best() {
        let state = state();
        assert_eq!((state.round(), state.best_round()), (3, Some(1)));
        assert_eq!(State::new(Settings::default()).best_round(), None);
        assert_eq!(state.rounds[0].result.score(), 0.75);
    }
}
