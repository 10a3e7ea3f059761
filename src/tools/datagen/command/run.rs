//! Making games into a file, and telling how it goes.

use std::path::Path;

use super::{Faults, unreadable};
use crate::console::error::CommandError;
use crate::console::interrupt;
use crate::console::progress::{Progress, clock, counted};
use crate::tools::datagen::{Done, Effort, FileError, FileFault, GameFile, Resumed, RunError, Work, run};

/// Makes the games that the file lacks.
pub fn make(work: &impl Work, path: &Path) -> Result<(), CommandError> {
    let (mut file, resumed) = GameFile::open(path, &work.settings()).map_err(file_failure)?;
    tell_of_resumption(path, &file, resumed);
    let missing = work.missing(file.numbers());
    if missing == 0 {
        eprintln!("chuhe: {}: nothing to do, all games are there", path.display());
        return Ok(());
    }
    let interrupt = interrupt::cancel_on_ctrl_c();
    let (mut progress_bar, mut done, mut positions, mut nodes, mut told) = (Progress::bar(missing), 0, 0, 0, false);
    let summary = run(work, &mut file, &interrupt, &mut |game| {
        match game {
            Done::Played(record, Effort { nodes: spent, .. }) => {
                positions += record.moves.len() as u64;
                nodes += spent;
            }
            Done::Unplayed(number) => {
                progress_bar.note(&format!("game {number} has no even start and is left out; --balance may be raised"));
            }
        }
        done += 1;
        if interrupt.is_cancelled() && !told {
            told = true;
            progress_bar.note("the games in progress are finished; Ctrl-C again ends at once");
        }
        let seconds = progress_bar.elapsed().as_secs_f64();
        let left = progress_bar.time_left(done);
        progress_bar.update(done, || {
            let rate = |count: u64| (count as f64 / seconds.max(1e-3)).round();
            format!("{} positions/s, {} nodes/s, {} left", rate(positions), rate(nodes), clock(left))
        });
    });
    let elapsed = progress_bar.elapsed();
    progress_bar.finish();
    let summary = summary.map_err(|error| match error {
        RunError::File(error) => file_failure(error),
        RunError::Engine(error) => error.into(),
        RunError::Source { path, error } => unreadable(&path, error),
        error => CommandError::Mismatch(error.to_string()),
    })?;
    let own = summary.effort.nodes as f64 / summary.effort.elapsed.as_secs_f64().max(1e-6);
    eprintln!(
        "chuhe: {}: {} with {} in {}, {:.0} nodes/s (the searches alone: {own:.0} on each thread)",
        path.display(),
        counted(summary.games, "game"),
        counted(summary.positions, "position"),
        clock(elapsed),
        summary.effort.nodes as f64 / elapsed.as_secs_f64().max(1e-6),
    );
    if interrupt.is_cancelled() {
        return Err(CommandError::Interrupted);
    }
    match work.missing(file.numbers()).saturating_sub(summary.unplayed) {
        0 => Ok(()),
        // Whatever the games were to be made of could be read before.
        left => Err(CommandError::Lost(format!("{} could not be read any more", counted(left, "game")))),
    }
}

fn tell_of_resumption(path: &Path, file: &GameFile, resumed: Resumed) {
    let mut faults = Faults { path, count: 0 };
    resumed.faults.iter().for_each(|fault| faults.tell(&format!("{fault}; its game is made anew")));
    faults.close();
    if resumed.bytes_cut > 0 {
        let bytes = counted(resumed.bytes_cut, "byte");
        eprintln!("chuhe: {}: {bytes} of a game that was not written whole cut off at the end", path.display());
    }
    if !resumed.is_new {
        eprintln!("chuhe: {}: goes on after {}", path.display(), counted(file.numbers().len() as u64, "game"));
    }
}

fn file_failure(FileError { path, fault }: FileError) -> CommandError {
    match fault {
        FileFault::System(error) => CommandError::File { path, error },
        fault => CommandError::Unusable { path, fault: fault.to_string() },
    }
}
