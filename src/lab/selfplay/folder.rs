//! Folder of the rounds: its lock, its settings and state, one record of [`record_file`](crate::util::record_file), and
//! its other files.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::commands::matches::statistics::{Estimate, Pairs};
use crate::console::{CommandError, Result, network_in};
use crate::eval::network::Network;
use crate::lab::datagen::{checksum, difference};
use crate::lab::training::TrainingFiles;
use crate::lab::{in_file, locked_folder, read_if_present, unusable};
use crate::util::atomic_file::write_atomically;
use crate::util::files::LOCK_FILE;
use crate::util::record_file::{decode, encode};

const VERSION: u32 = 2;
/// First bytes of the state.
const BEGINNING: &[u8] = b"{\"chuhe_selfplay_train\":";
/// Maximum size of a state in bytes, about 100,000 rounds.
const MAX_STATE_BYTES: u64 = 64 << 20;
/// Value of [`Settings::start`] for training that begins from nothing.
const FROM_NOTHING: &str = "nothing";
/// Name of the file of the first network.
const START: &str = "start.network";
/// Distance between the seeds of two values of `--seed`, so that their rounds have different seeds.
const SEEDS_APART: u64 = 1_000_000;
/// Learning rates at the start of a training, from random weights and from a network.
const RATES: [f64; 2] = [1e-3, 3e-4];
/// Share of the strongest network in the mean, in runs that begin with a network.
const START_SHARE: f64 = 0.5;

/// Settings that decide the result of every round. Names in files and messages are those of the options; those without
/// an option are kept from folders that were begun with other values.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Settings {
    /// Checksum of the first network, or `nothing`.
    pub start: String,
    pub games: u64,
    /// Soft node limit of a search in self-play.
    pub nodes: u64,
    /// Hash size of a self-play game in megabytes.
    pub hash: usize,
    /// Passes over the positions in a training.
    pub epochs: u64,
    pub batch: usize,
    /// Learning rate at the start of a training; `None` for the default.
    pub rate: Option<f64>,
    /// Games of the match between the new network and the strongest one.
    pub gate_games: u64,
    /// Nodes per move in that match.
    pub gate_nodes: u64,
    /// Share of the points above which the new network is accepted.
    pub accept: f64,
    pub seed: u64,
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
            rate: None,
            gate_games: 400,
            gate_nodes: 4_000,
            accept: 0.52,
            seed: 1,
        }
    }
}

impl Settings {
    /// Returns the seed of the games, the training and the match of a round, counted from 1.
    pub(super) fn seed_of_round(&self, round: u64) -> u64 {
        self.seed.wrapping_mul(SEEDS_APART).wrapping_add(round)
    }

    /// Returns the learning rate at the start of a training.
    pub(super) fn rate(&self, from_network: bool) -> f64 {
        self.rate.unwrap_or(RATES[usize::from(from_network)])
    }

    /// Returns the share of the strongest network in the mean of weights that a training gives, 0 to 1. A run takes
    /// means if it began with a network: the positions that this network was trained on are not at hand, and the mean
    /// keeps more of what it learned from them.
    pub(super) fn share_of_start(&self) -> f64 {
        if self.start == FROM_NOTHING { 0.0 } else { START_SHARE }
    }
}

/// Settings, completed rounds, and what is completed of the current one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct State {
    chuhe_selfplay_train: u32,
    pub settings: Settings,
    pub rounds: Vec<Round>,
    /// Games of the current round; `None` until all are played.
    pub games: Option<GamesDone>,
    /// Time spent on the current round so far, in seconds.
    pub seconds: f64,
}

/// Complete game file of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct GamesDone {
    pub games: u64,
    /// Number of positions in them.
    pub positions: u64,
    /// Length of the file and its hash, see [`identify`](crate::lab::training::identify).
    pub identity: (u64, u64),
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Round {
    pub games: GamesDone,
    /// Positions that the network was trained on.
    pub trained_on: u64,
    /// Training loss of the last epoch; `None` if it is not finite.
    pub training: Option<f64>,
    /// Validation loss after the last epoch; `None` without validation data.
    pub validation: Option<f64>,
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
pub(super) struct MatchResult {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    /// Numbers of pairs with 0, ½, 1, 1½ and 2 points.
    pub pairs: [u64; 5],
}

impl MatchResult {
    /// Counts the points of games, of which two follow each opening.
    pub fn new(points: &[f64]) -> MatchResult {
        let count = |wanted: f64| points.iter().filter(|&&points| points == wanted).count() as u64;
        let mut pairs = [0; 5];
        points.as_chunks::<2>().0.iter().for_each(|[one, other]| pairs[(2.0 * (one + other)) as usize] += 1);
        MatchResult { wins: count(1.0), draws: count(0.5), losses: count(0.0), pairs }
    }

    /// Returns the points as a share of the games; 0 without games.
    pub fn score(&self) -> f64 {
        let games = self.wins + self.draws + self.losses;
        (self.wins as f64 + self.draws as f64 / 2.0) / games.max(1) as f64
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
    fn new(settings: Settings) -> State {
        State { chuhe_selfplay_train: VERSION, settings, rounds: Vec::new(), games: None, seconds: 0.0 }
    }

    /// Number of the current round, from 1.
    pub fn round(&self) -> u64 {
        self.rounds.len() as u64 + 1
    }

    /// Returns the number of the last round whose network was accepted; `None` before the first one.
    fn best_round(&self) -> Option<u64> {
        self.rounds.iter().rposition(|round| round.accepted).map(|index| index as u64 + 1)
    }

    /// Decodes a state, or returns the fault of the file.
    fn from_bytes(bytes: &[u8]) -> Result<State, &'static str> {
        if !bytes.starts_with(BEGINNING) {
            return Err("not the state of 'selfplay-train'; choose another --out");
        }
        match bytes.strip_suffix(b"\n").and_then(decode::<State>) {
            Some(state) if state.chuhe_selfplay_train == VERSION => Ok(state),
            None if bytes.starts_with(&[BEGINNING, VERSION.to_string().as_bytes(), b","].concat()) => {
                Err("damaged; restore it from a copy, or begin in another --out with --start best.network")
            }
            _ => Err("of another version of this program; begin in another --out with --start best.network"),
        }
    }

    /// Returns a table of the completed rounds, one row a round, for people and scripts; never read back.
    fn table(&self) -> String {
        let mut text = String::from(
            "round\tgames\tpositions\ttrained_on\ttraining\tvalidation\twins\tdraws\tlosses\tscore\telo\terror\t\
             accepted\tnetwork\thours\n",
        );
        let number = |number: Option<f64>, digits: usize| {
            let number = number.filter(|number| number.is_finite());
            number.map_or("-".to_owned(), |number| format!("{number:.digits$}"))
        };
        for (index, round) in (1..).zip(&self.rounds) {
            let Round { games, trained_on, training, validation, network, result, accepted, seconds } = round;
            let MatchResult { wins, draws, losses, pairs } = *result;
            let estimate = Pairs(pairs).estimate();
            let _ = writeln!(
                text,
                "{index}\t{}\t{}\t{trained_on}\t{}\t{}\t{wins}\t{draws}\t{losses}\t{:.4}\t{}\t{}\t{}\t{network}\t{:.2}",
                games.games,
                games.positions,
                number(*training, 8),
                number(*validation, 8),
                result.score(),
                number(estimate.map(|estimate| estimate.elo), 1),
                number(estimate.map(|estimate| estimate.error), 1),
                if *accepted { "yes" } else { "no" },
                seconds / 3600.0
            );
        }
        text
    }
}

/// Beginning of the first round.
#[derive(Clone, Debug)]
pub enum Start {
    /// Games by the hand-made evaluation, and random weights.
    Nothing,
    /// Games by this network, and its weights.
    Network(Arc<Network>),
}

/// Strongest network so far.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Best {
    /// Round that trained it; `None` for the first network.
    pub round: Option<u64>,
    pub network: Arc<Network>,
}

/// Returns the name of a player in messages.
pub(super) fn player(network: Option<&Best>) -> String {
    network.map_or("the hand-made evaluation".to_owned(), |best| format!("network {}", checksum(&best.network)))
}

/// Folder of the rounds, locked against other programs.
#[derive(Debug)]
pub struct Folder {
    pub(super) path: PathBuf,
    pub(super) state: State,
    _lock: File,
}

impl Folder {
    /// Opens a folder, or creates it. `choose` replaces the given options in the settings of the folder, or in the
    /// defaults. Without a `start` a new folder begins with the built-in network.
    pub fn open(path: &Path, start: Option<Start>, choose: impl FnOnce(Settings) -> Settings) -> Result<Folder> {
        let lock = locked_folder(path)?;
        let name = |start: &Start| match start {
            Start::Nothing => FROM_NOTHING.to_owned(),
            Start::Network(network) => checksum(network),
        };
        let state_path = state_path(path);
        let state = match read_if_present(&state_path, MAX_STATE_BYTES)? {
            Some(bytes) => {
                let state = State::from_bytes(&bytes).map_err(|fault| unusable(&state_path, fault))?;
                let start = start.map_or_else(|| state.settings.start.clone(), |start| name(&start));
                let now = Settings { start, ..choose(state.settings.clone()) };
                let [now, there] = [&now, &state.settings].map(|settings| serde_json::json!(settings).to_string());
                if let Some(difference) = difference(&now, &there) {
                    let remedy = "leave the option out to continue, or choose another --out";
                    return Err(CommandError::Mismatch(format!("{}: {difference}; {remedy}", path.display())));
                }
                state
            }
            None => {
                refuse_other_files(path)?;
                let start = start.unwrap_or_else(|| Start::Network(Network::embedded()));
                if let Start::Network(network) = &start {
                    write_network(&path.join(START), network, &|_| false)?;
                }
                State::new(Settings { start: name(&start), ..choose(Settings::default()) })
            }
        };
        let folder = Folder { path: path.to_owned(), state, _lock: lock };
        folder.save()?;
        folder.write_results()?;
        Ok(folder)
    }

    pub(super) fn best_path(&self) -> PathBuf {
        self.path.join("best.network")
    }

    /// Path of the table of the rounds.
    pub(super) fn log_path(&self) -> PathBuf {
        self.path.join("log.tsv")
    }

    pub(super) fn games_path(&self, round: u64) -> PathBuf {
        self.path.join(format!("round-{round}/games.txt"))
    }

    /// Folder of the training of a round.
    pub(super) fn training_path(&self, round: u64) -> PathBuf {
        self.path.join(format!("round-{round}/trained"))
    }

    /// Path of the network that a round trained.
    pub(super) fn network_path(&self, round: u64) -> PathBuf {
        TrainingFiles::new(&self.training_path(round)).network
    }

    /// Reads the strongest network; `None` while there is none yet.
    pub(super) fn best(&self) -> Result<Option<Best>> {
        let round = self.state.best_round();
        let (path, expected) = match round {
            Some(round) => (self.network_path(round), &self.state.rounds[round as usize - 1].network),
            None if self.state.settings.start == FROM_NOTHING => return Ok(None),
            None => (self.path.join(START), &self.state.settings.start),
        };
        let network = network_in(&path)?;
        let found = checksum(&network);
        if found != *expected {
            let remedy = "which was written there; restore it from a copy";
            return Err(unusable(&path, format!("it holds network {found}, not {expected}, {remedy}")));
        }
        Ok(Some(Best { round, network }))
    }

    /// Adds the current round to the completed ones.
    pub(super) fn complete_round(&mut self, round: Round) -> Result {
        self.state.rounds.push(round);
        (self.state.games, self.state.seconds) = (None, 0.0);
        // The state first: it decides which network is the strongest, and the other files follow from it.
        self.save()?;
        self.write_results()
    }

    pub(super) fn save(&self) -> Result {
        let path = state_path(&self.path);
        write_atomically(&path, &encode(&self.state)).map_err(in_file(&path))
    }

    /// Writes the strongest network and the table of the rounds, which follow from the state.
    fn write_results(&self) -> Result {
        if let Some(best) = self.best()? {
            let is_known = |found: &str| {
                self.state.settings.start == found || self.state.rounds.iter().any(|round| round.network == found)
            };
            write_network(&self.best_path(), &best.network, &is_known)?;
        }
        let path = self.log_path();
        write_atomically(&path, self.state.table().as_bytes()).map_err(in_file(&path))
    }
}

fn state_path(folder: &Path) -> PathBuf {
    folder.join("state.jsonl")
}

/// Refuses a folder without a state that holds anything but the lock, the first network and leftovers of a crash.
fn refuse_other_files(folder: &Path) -> Result {
    for entry in fs::read_dir(folder).map_err(in_file(folder))? {
        let entry = entry.map_err(in_file(folder))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name != LOCK_FILE && name != START && !name.starts_with('.') {
            let fault = "not a file of 'selfplay-train', which would write beside it; choose another --out";
            return Err(unusable(&entry.path(), fault));
        }
    }
    Ok(())
}

/// Writes a network. A damaged file, or one whose checksum `may_replace` does not accept, is left alone and refused.
fn write_network(path: &Path, network: &Network, may_replace: &dyn Fn(&str) -> bool) -> Result {
    match network_in(path).map(|present| checksum(&present)) {
        Err(CommandError::File { error, .. }) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
        Ok(found) if found == checksum(network) => return Ok(()),
        Ok(found) if may_replace(&found) => {}
        Ok(found) => {
            let fault = format!("it holds network {found}, which comes from elsewhere; move it away");
            return Err(unusable(path, fault));
        }
    }
    write_atomically(path, &network.to_bytes()).map_err(in_file(path))
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
        let bytes = encode(&state);
        assert_eq!(State::from_bytes(&bytes), Ok(state.clone()));
        assert!((0..bytes.len()).all(|length| State::from_bytes(&bytes[..length]).is_err()));
        // Lines whose key of the checksum is damaged are read as those without one.
        for at in 0..bytes.len() - 20 {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert!(State::from_bytes(&other).is_err(), "byte {at}");
        }
        for other in [encode(&State { chuhe_selfplay_train: 3, ..state }), b"{\"chuhe_selfplay_train\":1,\n".to_vec()] {
            assert!(State::from_bytes(&other).unwrap_err().starts_with("of another version"));
        }
    }
}
