//! Making all games that a file lacks, several at once, whatever it takes to make one.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::reader::HeaderError;
use super::record::GameRecord;
use super::searcher::Effort;
use super::writer::{FileError, GameFile};
use crate::engine::EngineError;
use crate::search::STACK_SIZE;
use crate::util::cancel::CancelFlag;

/// A power cut costs no more games than are made in this time.
const SYNC_PERIOD: Duration = Duration::from_secs(30);

/// The stack that a thread needs to make games, in bytes.
const MAKER_STACK: usize = STACK_SIZE + (1 << 20);

/// A game that cannot be played: no random moves from the start of this number lead to an even game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unplayed(pub u64);

/// Makes the game of a job, and adds what that took to the effort. Each thread has one, with an engine of its own.
pub type Maker<'a, J> = Box<dyn FnMut(J, &mut Effort) -> Result<Result<GameRecord, Unplayed>, EngineError> + Send + 'a>;

/// The jobs of a [`Work`] one after another.
pub type Jobs<'a, J> = Box<dyn Iterator<Item = J> + Send + 'a>;

/// Games to be made by several threads, each by itself and in any order: every game follows from its job alone.
pub trait Work: Sync {
    /// What is known of a game before it is made.
    type Job: Send;

    /// What all games depend on, as it stands in their file.
    fn settings(&self) -> String;

    /// How many games are made at once.
    fn threads(&self) -> NonZeroUsize;

    /// How many of its games are not among those that are there.
    fn missing(&self, there: &HashSet<u64>) -> u64;

    /// The jobs of these games. There may be more of them than memory.
    ///
    /// # Errors
    /// Why the games cannot be made.
    fn jobs<'a>(&'a self, there: &'a HashSet<u64>) -> Result<Jobs<'a, Self::Job>, RunError>;

    /// What makes a game of a job.
    ///
    /// # Errors
    /// When there is no memory for its engine, or no network.
    fn maker(&self) -> Result<Maker<'_, Self::Job>, RunError>;
}

/// Why games are not made.
#[derive(Debug, Error)]
pub enum RunError {
    /// They cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// An engine fails.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The settings name a network that they were not given.
    #[error("network {checksum} is not at hand; --evalfile names its file")]
    Network {
        /// Its checksum.
        checksum: String,
    },
    /// The games to be scored anew cannot be read.
    #[error("{}: {error}", path.display())]
    Source {
        /// Their file.
        path: PathBuf,
        /// Why not.
        error: HeaderError,
    },
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

/// Makes the games of a work that the file lacks, appends them in the order in which they end, and tells `listen` of
/// each. After an interrupt no game is begun, and those in progress are finished and written.
///
/// # Errors
/// [`RunError`]; games that were written before are safe.
pub fn run<W: Work>(
    work: &W,
    file: &mut GameFile,
    interrupt: &CancelFlag,
    listen: &mut dyn FnMut(Done),
) -> Result<Summary, RunError> {
    let there = file.numbers().clone();
    let jobs = Mutex::new(work.jobs(&there)?);
    let missing = work.missing(&there);
    let threads = work.threads().get().min(usize::try_from(missing.max(1)).unwrap_or(usize::MAX));
    // All tables are there before the first game is made, or none is.
    let makers: Vec<Maker<W::Job>> = (0..threads).map(|_| work.maker()).collect::<Result<_, RunError>>()?;
    // Set when something fails; the wish of a person is not touched.
    let stop = CancelFlag::default();
    let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
    let mut summary = Summary::default();
    std::thread::scope(|scope| {
        let (sender, results) = channel();
        let mut failure = None;
        for mut make in makers {
            let (sender, next, stop) = (sender.clone(), &next, &stop);
            let thread = Builder::new().name("player".into()).stack_size(MAKER_STACK);
            let spawned = thread.spawn_scoped(scope, move || {
                while !interrupt.is_cancelled() && !stop.is_cancelled() {
                    let Some(job) = next() else { break };
                    let mut effort = Effort::default();
                    let made = make(job, &mut effort);
                    let failed = made.is_err();
                    if sender.send((made, effort)).is_err() || failed {
                        break;
                    }
                }
            });
            if let Err(error) = spawned {
                stop.cancel();
                failure = Some(EngineError::Thread(error.to_string()));
                break;
            }
        }
        drop(sender);
        let mut synced = Instant::now();
        for (made, effort) in results {
            summary.effort.nodes += effort.nodes;
            summary.effort.elapsed += effort.elapsed;
            match made {
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
                Ok(Err(Unplayed(number))) => {
                    summary.unplayed += 1;
                    listen(Done::Unplayed(number));
                }
                // The other games in progress are finished.
                Err(error) => {
                    stop.cancel();
                    failure = failure.or(Some(error));
                }
            }
        }
        file.sync()?;
        failure.map_or(Ok(summary), |error| Err(error.into()))
    })
}
