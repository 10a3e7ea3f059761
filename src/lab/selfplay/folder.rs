//! Folder of the rounds: its lock, its state and the names of its files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::state::{FROM_NOTHING, GamesDone, Round, Settings, State};
use crate::console::error::CommandError;
use crate::console::input::network_in;
use crate::eval::network::Network;
use crate::lab::datagen::difference;
use crate::lab::training::{TrainingFiles, in_file};
use crate::util::atomic_file::write_atomically;
use crate::util::folder::create_folder;
use crate::util::folder_lock::{FolderLock, LockError};
use crate::util::read_limit::read_file;

/// Maximum size of a state in bytes, about 100,000 rounds.
const MAX_STATE_BYTES: u64 = 64 << 20;
/// Name of the file of the first network.
const START: &str = "start.network";

/// Beginning of the first round.
#[derive(Clone, Debug)]
pub enum Start {
    /// Games by the hand-made evaluation, and random weights.
    Nothing,
    /// Games by this network, and its weights.
    Network(Arc<Network>),
}

impl Start {
    /// Returns the value of [`Settings::start`].
    fn name(&self) -> String {
        match self {
            Start::Nothing => FROM_NOTHING.to_owned(),
            Start::Network(network) => checksum(network),
        }
    }
}

/// Strongest network so far.
#[derive(Clone, PartialEq, Debug)]
pub struct Best {
    /// Round that trained it; `None` for the first network.
    pub round: Option<u64>,
    /// Path of the file inside the folder.
    pub file: PathBuf,
    pub network: Arc<Network>,
}

/// Names of the files of a round, inside the folder.
pub(super) struct RoundFiles {
    pub folder: PathBuf,
    pub games: PathBuf,
    /// Folder of its training.
    pub trained: PathBuf,
    /// Journal of its match.
    pub journal: PathBuf,
}

/// Folder of the rounds, locked against other programs.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    state: State,
    _lock: FolderLock,
}

/// Returns the checksum that names a network in files and messages.
pub(super) fn checksum(network: &Network) -> String {
    format!("{:08x}", network.checksum())
}

/// Returns the error of a file in the folder that cannot be used; it is left unchanged.
pub(super) fn unusable(path: &Path, fault: impl Into<String>) -> CommandError {
    CommandError::Unusable { path: path.to_owned(), fault: fault.into() }
}

impl Folder {
    /// Opens a folder, or creates it. `choose` replaces the given options in the settings of the folder, or in the
    /// defaults. Without a `start` a new folder begins with the built-in network.
    ///
    /// # Errors
    /// When the folder is in use, a file is damaged, or an option contradicts its settings.
    pub fn open(
        path: &Path,
        start: Option<Start>,
        choose: impl FnOnce(Settings) -> Settings,
    ) -> Result<Folder, CommandError> {
        create_folder(path).map_err(in_file(path))?;
        let lock = FolderLock::acquire(path).map_err(|error| match error {
            LockError::File { path, error } => in_file(&path)(error),
            error => CommandError::Mismatch(error.to_string()),
        })?;
        let state = match read_state(path)? {
            Some(state) => {
                let start = start.map_or_else(|| state.settings.start.clone(), |start| start.name());
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
                State::new(Settings { start: start.name(), ..choose(Settings::default()) })
            }
        };
        let folder = Folder { path: path.to_owned(), state, _lock: lock };
        folder.save()?;
        folder.write_results()?;
        Ok(folder)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Settings, completed rounds, and what is completed of the current one.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the path of the file that holds the strongest network.
    pub fn best_path(&self) -> PathBuf {
        self.path.join("best.network")
    }

    /// Returns the path of the table of the rounds.
    pub fn log_path(&self) -> PathBuf {
        self.path.join("log.tsv")
    }

    /// Returns the names of the files of a round.
    pub(super) fn round_files(&self, round: u64) -> RoundFiles {
        let folder = PathBuf::from(format!("round-{round}"));
        let [games, trained, journal] = ["games.bin", "trained", "match.jsonl"].map(|name| folder.join(name));
        RoundFiles { folder, games, trained, journal }
    }

    /// Reads the strongest network; `None` while there is none yet.
    pub fn best(&self) -> Result<Option<Best>, CommandError> {
        let round = self.state.best_round();
        let (file, expected) = match round {
            Some(round) => {
                let files = TrainingFiles::new(&self.round_files(round).trained);
                (files.network, &self.state.rounds[round as usize - 1].network)
            }
            None if self.state.settings.start == FROM_NOTHING => return Ok(None),
            None => (PathBuf::from(START), &self.state.settings.start),
        };
        let path = self.path.join(&file);
        let network = network_in(&path)?;
        let found = checksum(&network);
        if found != *expected {
            let remedy = "which was written there; restore it from a copy";
            return Err(unusable(&path, format!("it holds network {found}, not {expected}, {remedy}")));
        }
        Ok(Some(Best { round, file, network }))
    }

    /// Records that the games of the current round are complete.
    pub(super) fn set_games(&mut self, games: GamesDone) -> Result<(), CommandError> {
        self.state.games = Some(games);
        self.save()
    }

    /// Adds time spent on the current round.
    pub(super) fn add_seconds(&mut self, seconds: f64) -> Result<(), CommandError> {
        self.state.seconds += seconds;
        self.save()
    }

    /// Adds the current round to the completed ones.
    pub(super) fn complete_round(&mut self, round: Round) -> Result<(), CommandError> {
        self.state.rounds.push(round);
        (self.state.games, self.state.seconds) = (None, 0.0);
        // The state first: it decides which network is the strongest, and the other files follow from it.
        self.save()?;
        self.write_results()
    }

    fn save(&self) -> Result<(), CommandError> {
        let path = state_path(&self.path);
        write_atomically(&path, &self.state.to_bytes()).map_err(in_file(&path))
    }

    /// Writes the strongest network and the table of the rounds, which follow from the state. Removes the samples of
    /// completed rounds, which take ten times the space of the games and can be made from them again.
    fn write_results(&self) -> Result<(), CommandError> {
        if let Some(best) = self.best()? {
            let is_known = |found: &str| {
                self.state.settings.start == found || self.state.rounds.iter().any(|round| round.network == found)
            };
            write_network(&self.best_path(), &best.network, &is_known)?;
        }
        let path = self.log_path();
        write_atomically(&path, self.state.table().as_bytes()).map_err(in_file(&path))?;
        for round in 1..self.state.round() {
            let trained = self.path.join(self.round_files(round).trained);
            // Usually there are none.
            let _ = fs::remove_file(TrainingFiles::new(&trained).samples);
        }
        Ok(())
    }
}

fn state_path(folder: &Path) -> PathBuf {
    folder.join("state.jsonl")
}

/// Reads the state of a folder; `None` when there is none.
fn read_state(folder: &Path) -> Result<Option<State>, CommandError> {
    let path = state_path(folder);
    let bytes = match read_file(&path, MAX_STATE_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        bytes => bytes.map_err(in_file(&path))?,
    };
    State::from_bytes(&bytes).map(Some).map_err(|fault| unusable(&path, fault))
}

/// Refuses a folder without a state that holds anything but the lock, the first network and leftovers of a crash.
fn refuse_other_files(folder: &Path) -> Result<(), CommandError> {
    for entry in fs::read_dir(folder).map_err(in_file(folder))? {
        let entry = entry.map_err(in_file(folder))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name != FolderLock::FILE && name != START && !name.starts_with('.') {
            let fault = "not a file of 'selfplay-train', which would write beside it; choose another --out";
            return Err(unusable(&entry.path(), fault));
        }
    }
    Ok(())
}

/// Writes a network. A file that is damaged, or holds a network whose checksum `may_replace` does not accept, is left
/// alone and refused.
fn write_network(path: &Path, network: &Network, may_replace: &dyn Fn(&str) -> bool) -> Result<(), CommandError> {
    match network_in(path) {
        Err(CommandError::File { error, .. }) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
        Ok(present) => {
            let found = checksum(&present);
            if found == checksum(network) {
                return Ok(());
            }
            if !may_replace(&found) {
                let fault = format!("it holds network {found}, which comes from elsewhere; move it away");
                return Err(unusable(path, fault));
            }
        }
    }
    write_atomically(path, &network.to_bytes()).map_err(in_file(path))
}

/// Returns the name of a player in messages.
pub(super) fn player(network: Option<&Best>) -> String {
    network.map_or("the hand-made evaluation".to_owned(), |best| format!("network {}", checksum(&best.network)))
}
