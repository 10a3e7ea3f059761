//! Progress of the making of games on standard error.

use std::path::Path;
use std::time::Duration;

use super::{Faults, unreadable};
use crate::console::counted;
use crate::console::error::CommandError;
use crate::console::note;
use crate::console::progress::{Progress, clock};
use crate::lab::datagen::{FileError, FileFault, GameEvent, Resumed, RunError, SearchCost};

/// Progress display of a run that makes games.
pub struct GameProgress {
    bar: Progress,
    done: u64,
    positions: u64,
    nodes: u64,
}

impl GameProgress {
    /// Creates the display for this number of games.
    pub fn new(games: u64) -> GameProgress {
        GameProgress { bar: Progress::bar(games), done: 0, positions: 0, nodes: 0 }
    }

    /// Shows an event.
    pub fn on_event(&mut self, event: &GameEvent) {
        match event {
            GameEvent::Finished(record, SearchCost { nodes, .. }) => {
                self.positions += record.moves.len() as u64;
                self.nodes += nodes;
            }
            GameEvent::Skipped(number) => {
                self.bar.note(&format!("game {number} is skipped: no balanced opening found; raise --balance"));
            }
            GameEvent::Finishing => {
                self.bar.note("finishing the games in progress; Ctrl-C now stops at once");
                return;
            }
        }
        self.done += 1;
        let seconds = self.bar.elapsed().as_secs_f64();
        let left = self.bar.time_left(self.done);
        let (positions, nodes) = (self.positions, self.nodes);
        self.bar.update(self.done, || {
            let rate = |count: u64| (count as f64 / seconds.max(1e-3)).round();
            format!("{} positions/s, {} nodes/s, {} left", rate(positions), rate(nodes), clock(left))
        });
    }

    /// Removes the display and returns the time since it was created.
    pub fn finish(self) -> Duration {
        let elapsed = self.bar.elapsed();
        self.bar.finish();
        elapsed
    }
}

/// Reports what was found in a file of `games` readable games that is continued.
pub fn report_resumption(path: &Path, games: usize, resumed: &Resumed) {
    let mut faults = Faults { path, count: 0 };
    resumed.faults.iter().for_each(|fault| faults.report(&format!("{fault}; its game is made again")));
    faults.finish();
    if resumed.bytes_cut > 0 {
        let bytes = counted(resumed.bytes_cut, "byte");
        note!("{}: {bytes} of an incomplete game cut off at the end", path.display());
    }
    if !resumed.is_new {
        note!("{}: resuming after {}", path.display(), counted(games as u64, "game"));
    }
}

impl From<FileError> for CommandError {
    fn from(FileError { path, fault }: FileError) -> CommandError {
        match fault {
            FileFault::System(error) => CommandError::File { path, error },
            fault => CommandError::Unusable { path, fault: fault.to_string() },
        }
    }
}

impl From<RunError> for CommandError {
    fn from(error: RunError) -> CommandError {
        match error {
            RunError::File(error) => error.into(),
            RunError::Engine(error) => error.into(),
            RunError::Source { path, error } => unreadable(&path, error),
            error => CommandError::Mismatch(error.to_string()),
        }
    }
}
