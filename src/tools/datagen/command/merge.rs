//! Putting together files of games that were made on several machines.

use std::path::PathBuf;

use clap::Args;

use super::{Faults, refuse_same};
use crate::console::error::CommandError;
use crate::console::interrupt;
use crate::console::progress::{Progress, counted};
use crate::tools::datagen::{Finding, Gaps, GatherError, Incomplete, Merging, PartFault, Written};
use crate::util::atomic_file::replace;
use crate::util::cancel::CancelFlag;

/// What stands below the options in the help.
pub const HELP: &str = "\
The files must have been made with the same options but for --shard. The games are written in the order of their
numbers. A game that is there twice is written once; of two different games of one number the one of the file named
first is kept, and games that are the moves of another one are left out. What is damaged, missing or there twice is
told, and the exit status is 1 when games are missing or differ. The result is written all the same, and datagen
goes on with it as with a file of its own, without --shard: the games that are missing are played then.";

/// How many games in conflict are told one by one.
const CONFLICTS_NAMED: u64 = 20;

/// What is to be put together.
#[derive(Args, Debug)]
pub struct Merge {
    /// Files of games.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write the games to this file.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// How many games there should be; by default as many as the highest number or --relabel tells.
    #[arg(long, value_name = "GAMES")]
    games: Option<u64>,
}

/// Puts files together, and tells what is missing.
pub fn merge(wanted: &Merge) -> Result<(), CommandError> {
    for file in &wanted.files {
        refuse_same(file, &wanted.out)?;
    }
    let interrupt = interrupt::cancel_on_ctrl_c();
    let gathering = read(wanted, &interrupt)?;
    let gaps = gathering.gaps(wanted.games);
    tell_of_gaps(&gaps);
    let written = write(wanted, &gathering, &interrupt)?;
    let mut more = String::new();
    for (count, what) in [
        (gathering.twice(), "there twice and written once"),
        (gathering.conflicts(), "left out because another one has the same number"),
        (written.same_moves, "left out because another one has the same moves"),
    ] {
        if count > 0 {
            more.push_str(&format!(", {} {what}", counted(count, "game")));
        }
    }
    let files = counted(wanted.files.len() as u64, "file");
    eprintln!("chuhe: {}: {} of {files}{more}", wanted.out.display(), counted(written.games, "game"));
    if gaps.is_empty() && gathering.conflicts() == 0 {
        return Ok(());
    }
    let mut lacks = Vec::new();
    if !gaps.is_empty() {
        lacks.push(format!("{} of {} missing", gaps.missing, counted(gaps.games, "game")));
    }
    if gathering.conflicts() > 0 {
        lacks.push(format!("{} of one number differing", counted(gathering.conflicts(), "game")));
    }
    Err(CommandError::Incomplete { path: wanted.out.clone(), lacks: lacks.join(", ") })
}

fn read(wanted: &Merge, interrupt: &CancelFlag) -> Result<Merging, CommandError> {
    let mut progress_bar = Progress::bar(wanted.files.len() as u64);
    let mut faults: Option<Faults> = None;
    let (mut conflicts, mut games) = (0, 0_u64);
    let mut listen = |finding: Finding| match finding {
        Finding::Fault(path, error) => {
            let known = wanted.files.iter().find(|file| file.as_path() == path);
            if faults.as_ref().is_none_or(|faults| faults.path != path)
                && let Some(path) = known
            {
                faults.take().into_iter().for_each(Faults::close);
                faults = Some(Faults { path, count: 0 });
            }
            faults.iter_mut().for_each(|faults| faults.tell(&error));
        }
        Finding::Repeated { shard, path, first } => {
            eprintln!("chuhe: {}: shard {shard} is there twice, first in {}", path.display(), first.display());
        }
        Finding::Conflict { number, path, first } => {
            conflicts += 1;
            if conflicts <= CONFLICTS_NAMED {
                let (path, first) = (path.display(), first.display());
                eprintln!("chuhe: {path}: game {number} is another one in {first}, which is kept");
            }
        }
    };
    let mut progress = |files: usize| {
        games += 1;
        progress_bar.update(files as u64, || format!("files read: {}", counted(games, "game")));
    };
    let gathering = Merging::read(&wanted.files, interrupt, &mut listen, &mut progress);
    faults.into_iter().for_each(Faults::close);
    progress_bar.finish();
    if conflicts > CONFLICTS_NAMED {
        eprintln!("chuhe: {conflicts} games of one number differ in all");
    }
    gathering.map_err(CommandError::from)
}

fn write(wanted: &Merge, gathering: &Merging, interrupt: &CancelFlag) -> Result<Written, CommandError> {
    let all = gathering.games();
    let mut progress_bar = Progress::bar(all);
    let in_output = |error| CommandError::File { path: wanted.out.clone(), error };
    let written = replace(
        &wanted.out,
        in_output,
        |out| {
            let mut progress = |games| progress_bar.update(games, || "written".to_owned());
            gathering.write(out, interrupt, &mut progress).map_err(|error| match error {
                GatherError::Output(error) => in_output(error),
                error => error.into(),
            })
        },
        |_| true,
    );
    progress_bar.finish();
    written
}

fn tell_of_gaps(gaps: &Gaps) {
    for shard in &gaps.lost {
        eprintln!("chuhe: shard {shard} is lost: there is no file of it");
    }
    if gaps.lost_count > gaps.lost.len() as u64 {
        eprintln!("chuhe: {} shards are lost in all", gaps.lost_count);
    }
    for Incomplete { shard, games, missing } in &gaps.incomplete {
        eprintln!("chuhe: shard {shard} is incomplete: it lacks {missing} of {}", counted(*games, "game"));
    }
    if !gaps.runs.is_empty() {
        let word = |run: &std::ops::RangeInclusive<u64>| {
            if run.start() == run.end() { run.start().to_string() } else { format!("{}-{}", run.start(), run.end()) }
        };
        let words: Vec<String> = gaps.runs.iter().map(word).collect();
        let named: u64 = gaps.runs.iter().map(|run| (run.end() - run.start()).saturating_add(1)).sum();
        let more = if named < gaps.missing { ", ..." } else { "" };
        eprintln!("chuhe: these games are missing: {}{more}", words.join(", "));
    }
}

impl From<GatherError> for CommandError {
    fn from(error: GatherError) -> CommandError {
        match error {
            GatherError::Part { path, fault: PartFault::System(error) } => CommandError::File { path, error },
            GatherError::Part { path, fault } => CommandError::Unusable { path, fault: fault.to_string() },
            GatherError::Output(error) => CommandError::Output(error),
            GatherError::Interrupted => CommandError::Interrupted,
            error => CommandError::Mismatch(error.to_string()),
        }
    }
}
