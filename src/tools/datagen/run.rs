//! Playing all games that a file lacks, several at once.

use std::num::NonZeroUsize;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::record::GameRecord;
use super::self_play::{Effort, PLAYER_STACK, Player, Unplayed};
use super::settings::Settings;
use super::starts::Starts;
use super::writer::{FileError, GameFile};
use crate::engine::EngineError;
use crate::tools::Interrupt;

/// A power cut costs no more games than are played in this time.
const SYNC_PERIOD: Duration = Duration::from_secs(30);

/// Which games are to be played, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What they depend on.
    pub settings: Settings,
    /// How they begin.
    pub starts: Starts,
    /// How many there are in all shards together.
    pub games: u64,
    /// How many are played at once.
    pub threads: NonZeroUsize,
}

/// Why games are not played.
#[derive(Debug, Error)]
pub enum RunError {
    /// They cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// An engine fails.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Games would be played twice.
    #[error("{starts} starts without random moves make {starts} different games, not {games}; give --random-plies too")]
    Repetitive {
        /// How many starts there are.
        starts: usize,
        /// How many games are wanted.
        games: u64,
    },
}

/// A game that is over.
#[derive(Debug)]
pub enum Done<'a> {
    /// It was written.
    Played(&'a GameRecord, Effort),
    /// The game of this number has no even start.
    Unplayed(u64),
}

/// What was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Games that were written.
    pub games: u64,
    /// Positions in them that were scored.
    pub positions: u64,
    /// Games that have no even start.
    pub unplayed: u64,
    /// What the searches took; the time is the sum of all threads.
    pub effort: Effort,
}

impl Plan {
    /// How many of its games a file lacks.
    pub fn missing(&self, file: &GameFile) -> u64 {
        let shard = self.settings.shard;
        let is_own = |number: u64| number < self.games && shard.has(number);
        shard.count(self.games) - file.numbers().iter().filter(|&&number| is_own(number)).count() as u64
    }
}

/// Plays the games of a plan that the file lacks, appends them in the order in which they end, and tells `listen` of
/// each. After an interrupt no game is begun, and those in progress are finished and written.
///
/// # Errors
/// [`RunError`]; games that were written before are safe.
pub fn run(
    plan: &Plan,
    file: &mut GameFile,
    interrupt: &Interrupt,
    listen: &mut dyn FnMut(Done),
) -> Result<Summary, RunError> {
    let (settings, starts) = (Arc::new(plan.settings.clone()), Arc::new(plan.starts.clone()));
    if settings.random_plies == 0 && plan.games > starts.count() as u64 {
        return Err(RunError::Repetitive { starts: starts.count(), games: plan.games });
    }
    let missing = plan.missing(file);
    let threads = plan.threads.get().min(usize::try_from(missing.max(1)).unwrap_or(usize::MAX));
    // All tables are there before the first game is played, or none is.
    let players: Vec<Player> =
        (0..threads).map(|_| Player::new(&settings, &starts)).collect::<Result<Vec<Player>, EngineError>>()?;
    // No list of all games: there may be more of them than memory.
    let there = file.numbers().clone();
    let queue = Mutex::new(settings.shard.numbers(plan.games).filter(|number| !there.contains(number)));
    // Set when something fails; the wish of a person is not touched.
    let stop = Interrupt::default();
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let mut summary = Summary::default();
    std::thread::scope(|scope| {
        let (sender, results) = channel();
        let mut failure = None;
        for mut player in players {
            let (sender, next, stop) = (sender.clone(), &next, &stop);
            let thread = Builder::new().name("player".into()).stack_size(PLAYER_STACK);
            let spawned = thread.spawn_scoped(scope, move || {
                while !interrupt.is_requested() && !stop.is_requested() {
                    let Some(number) = next() else { break };
                    let mut effort = Effort::default();
                    let played = player.play(number, &mut effort);
                    let failed = played.is_err();
                    if sender.send((number, played, effort)).is_err() || failed {
                        break;
                    }
                }
            });
            if let Err(error) = spawned {
                stop.request();
                failure = Some(EngineError::Thread(error.to_string()));
                break;
            }
        }
        drop(sender);
        let mut synced = Instant::now();
        for (number, played, effort) in results {
            summary.effort.nodes += effort.nodes;
            summary.effort.elapsed += effort.elapsed;
            match played {
                Ok(Ok(record)) => {
                    // With a failure the receiver goes, and nobody plays on for a file that takes nothing.
                    file.append(&record)?;
                    summary.games += 1;
                    summary.positions += record.moves.len() as u64;
                    listen(Done::Played(&record, effort));
                    if synced.elapsed() >= SYNC_PERIOD {
                        file.sync()?;
                        synced = Instant::now();
                    }
                }
                Ok(Err(Unplayed)) => {
                    summary.unplayed += 1;
                    listen(Done::Unplayed(number));
                }
                // The other games in progress are finished.
                Err(error) => {
                    stop.request();
                    failure = failure.or(Some(error));
                }
            }
        }
        file.sync()?;
        failure.map_or(Ok(summary), |error| Err(error.into()))
    })
}
