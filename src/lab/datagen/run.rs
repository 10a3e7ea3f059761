//! Generates the missing games of a file on several threads.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;
use std::time::Duration;

use super::file::GameFile;
use super::record::GameRecord;
use crate::console::{Progress, Result, clock};
use crate::engine::EngineError;
use crate::search::STACK_SIZE;
use crate::util::cancel::CancelFlag;

/// Time between two looks at the cancellation, while no game ends.
const POLL_PERIOD: Duration = Duration::from_millis(200);

/// Stack size of a worker thread in bytes.
const WORKER_STACK: usize = STACK_SIZE + (1 << 20);

/// Function that makes one game. Each thread has its own, with its own engine.
pub type Worker<'a, J> = Box<dyn FnMut(J) -> Result<Made, EngineError> + Send + 'a>;

/// Tasks of a [`GameSource`], made lazily.
pub type Tasks<'a, J> = Box<dyn Iterator<Item = J> + Send + 'a>;

/// Source of independent games, each decided by its task alone. They may be made in any order and on any thread.
pub trait GameSource: Sync {
    /// Data that a game is made from.
    type Task: Send;

    /// Settings of all games as stored in the file header.
    fn settings(&self) -> String;

    fn threads(&self) -> NonZeroUsize;

    /// Returns how many games of the source are not in `present`.
    fn missing(&self, present: &HashSet<u64>) -> u64;

    /// Returns the tasks of the games that are not in `present`.
    fn tasks<'a>(&'a self, present: &'a HashSet<u64>) -> Result<Tasks<'a, Self::Task>>;

    /// Creates the function that makes a game from a task.
    fn worker(&self) -> Result<Worker<'_, Self::Task>, EngineError>;
}

/// What became of a task.
#[derive(Debug)]
pub enum Made {
    /// A game was made by searches of this number of nodes.
    Game(Box<GameRecord>, u64),
    /// The game with this number was skipped: it has no balanced opening.
    Skipped(u64),
}

/// Totals of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    pub games: u64,
    /// Scored positions in them.
    pub positions: u64,
    /// Games without a balanced opening.
    pub skipped: u64,
    pub nodes: u64,
}

/// Makes the games that the file lacks, appends them in the order in which they end, shows the progress on standard
/// error, and calls `on_game` after each. After a cancellation no game is started, and those in progress are finished
/// and written.
///
/// # Errors
/// Errors of the file, the engines or the source; games written before are intact.
pub fn run<W: GameSource>(
    work: &W,
    file: &mut GameFile,
    cancel: &CancelFlag,
    on_game: &mut dyn FnMut(),
) -> Result<Summary> {
    let present = file.numbers().clone();
    let tasks = Mutex::new(work.tasks(&present)?);
    let missing = work.missing(&present);
    let threads = work.threads().get().min(usize::try_from(missing.max(1)).unwrap_or(usize::MAX));
    // Allocate all engines before the first game, so that lack of memory shows at once.
    let workers: Vec<Worker<W::Task>> = (0..threads).map(|_| work.worker()).collect::<Result<_, EngineError>>()?;
    // Set when a worker fails; the flag of the caller is left alone.
    let stop = CancelFlag::default();
    let next = || tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
    let (mut summary, mut progress) = (Summary::default(), Progress::bar(missing));
    std::thread::scope(|scope| {
        let (sender, results) = channel();
        let mut failure = None;
        for mut make in workers {
            let (sender, next, stop) = (sender.clone(), &next, &stop);
            let thread = Builder::new().name("player".into()).stack_size(WORKER_STACK);
            let spawned = thread.spawn_scoped(scope, move || {
                while !cancel.is_cancelled() && !stop.is_cancelled() {
                    let Some(task) = next() else { break };
                    let made = make(task);
                    let failed = made.is_err();
                    if sender.send(made).is_err() || failed {
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
        let mut is_finishing = false;
        loop {
            let result = results.recv_timeout(POLL_PERIOD);
            if cancel.is_cancelled() && !is_finishing && !matches!(result, Err(RecvTimeoutError::Disconnected)) {
                is_finishing = true;
                progress.note("finishing the games in progress; Ctrl-C now stops at once");
            }
            match result {
                Ok(Ok(Made::Game(record, nodes))) => {
                    // An error drops the receiver, which makes the workers stop. The games before it are kept.
                    file.append(&record).inspect_err(|_| drop(file.sync()))?;
                    summary.games += 1;
                    summary.positions += record.moves.len() as u64;
                    summary.nodes += nodes;
                }
                Ok(Ok(Made::Skipped(number))) => {
                    summary.skipped += 1;
                    progress.note(&format!("game {number} is skipped: no balanced opening found; raise --balance"));
                }
                // The other games in progress are finished.
                Ok(Err(error)) => {
                    stop.cancel();
                    failure = failure.or(Some(error));
                }
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            }
            on_game();
            let done = summary.games + summary.skipped;
            let (seconds, left) = (progress.elapsed().as_secs_f64(), clock(progress.time_left(done)));
            progress.update(done, || {
                let rate = |count: u64| (count as f64 / seconds.max(1e-3)).round();
                format!("{} positions/s, {} nodes/s, {left} left", rate(summary.positions), rate(summary.nodes))
            });
        }
        progress.finish();
        file.sync()?;
        failure.map_or(Ok(summary), |error| Err(error.into()))
    })
}
