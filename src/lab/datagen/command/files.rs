//! Work on files of games: conversion to and from text, statistics, and the `datagen merge` command.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::{Faults, open, refuse_same};
use crate::console::counted;
use crate::console::error::CommandError;
use crate::console::note;
use crate::console::progress::{Progress, cancel_on_request};
use crate::lab::datagen::stats::Stats;
use crate::lab::datagen::text::{TextReader, settings_line, write_game};
use crate::lab::datagen::{
    FileState, GameReader, GameWriter, IncompleteShard, Merge, MergeError, MergeStats, MissingGames, PartFault,
    Warning, check_unchanged, check_unlocked,
};
use crate::position::Strictness;
use crate::util::atomic_file;
use crate::util::cancel::CancelFlag;

/// Name of standard input and output.
const STREAM: &str = "-";

/// Writes a game file as text. Damaged records are reported and left out.
pub fn to_text(input: &Path, output: &Path, out: &mut impl Write) -> Result<(), CommandError> {
    refuse_same(input, output)?;
    let reader = open(input)?;
    let mut faults = Faults { path: input, count: 0 };
    if output.as_os_str() == STREAM {
        let mut out = BufWriter::new(out);
        write_all(reader, &mut faults, &mut out, &CommandError::Output)?;
        out.flush()?;
    } else {
        let in_output = |error| CommandError::File { path: output.to_owned(), error };
        let games =
            atomic_file::replace(output, in_output, |out| write_all(reader, &mut faults, out, &in_output), |_| true)?;
        note!("{} written to {}", counted(games, "game"), output.display());
    }
    faults.finish();
    Ok(())
}

fn write_all(
    reader: GameReader<File>,
    faults: &mut Faults,
    mut out: &mut dyn Write,
    in_output: &dyn Fn(io::Error) -> CommandError,
) -> Result<u64, CommandError> {
    if let Some(header) = reader.header() {
        writeln!(out, "{}", settings_line(&printable(&header.settings))).map_err(in_output)?;
    }
    let mut games = 0;
    for record in reader {
        match record {
            Ok(record) => {
                write_game(&mut out, &record).map_err(in_output)?;
                games += 1;
            }
            Err(error) => faults.damage(&error)?,
        }
    }
    Ok(games)
}

/// Writes a text as a game file. Faulty lines are reported and left out.
pub fn from_text(input: &Path, output: &Path, strictness: Strictness) -> Result<(), CommandError> {
    refuse_same(input, output)?;
    let in_input = |error| CommandError::File { path: input.to_owned(), error };
    let text: Box<dyn BufRead> = if input.as_os_str() == STREAM {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(File::open(input).map_err(in_input)?))
    };
    let state = check_unlocked(output)?;
    let in_output = |error| CommandError::File { path: output.to_owned(), error };
    let unusable = |fault: String| CommandError::Unusable { path: input.to_owned(), fault };
    let games = TextReader::new(text, strictness).map_err(|error| unusable(error.to_string()))?;
    let settings = games.settings().unwrap_or("{}").to_owned();
    let mut faults = Faults { path: input, count: 0 };
    let write = |out: &mut dyn Write| {
        let mut writer = GameWriter::new(out, &settings).map_err(in_output)?;
        let mut written = 0;
        for game in games {
            match game {
                Ok(record) => match writer.write(&record) {
                    Ok(()) => written += 1,
                    Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                        faults.report(&format!("game {}: {error}", record.number));
                    }
                    Err(error) => return Err(in_output(error)),
                },
                Err(error) if error.is_read_error() => return Err(unusable(error.to_string())),
                Err(error) => faults.report(&error),
            }
        }
        Ok(written)
    };
    let is_wanted = |&games: &u64| games > 0;
    let written = replace(output, state, write, is_wanted)?;
    let faulty = faults.count;
    faults.finish();
    if written == 0 {
        return Err(CommandError::NoGame { path: input.to_owned() });
    }
    let left_out = if faulty > 0 { format!(", {} left out", counted(faulty, "line")) } else { String::new() };
    note!("{} written to {}{left_out}", counted(written, "game"), output.display());
    Ok(())
}

/// Replaces a game file by what `write` writes, unless another program has written it since it had this state.
fn replace<T>(
    path: &Path,
    state: FileState,
    write: impl FnOnce(&mut dyn Write) -> Result<T, CommandError>,
    is_wanted: impl FnOnce(&T) -> bool,
) -> Result<T, CommandError> {
    let in_file = |error| CommandError::File { path: path.to_owned(), error };
    let mut unchanged = Ok(());
    let written = atomic_file::replace(path, in_file, write, |written| {
        unchanged = check_unchanged(path, state);
        unchanged.is_ok() && is_wanted(written)
    })?;
    unchanged?;
    Ok(written)
}

/// Prints statistics over the games of all files. Damaged records are reported and left out.
pub fn show_stats(paths: &[PathBuf], out: &mut impl Write) -> Result<(), CommandError> {
    let mut stats = Stats::default();
    let mut faulty = 0;
    for path in paths {
        let reader = open(path)?;
        let settings = reader.header().map_or("(damaged)", |header| header.settings.as_str());
        writeln!(out, "{}: {}", path.display(), printable(settings))?;
        let mut faults = Faults { path, count: 0 };
        for record in reader {
            match record {
                Ok(record) => stats.add(&record),
                Err(error) => faults.damage(&error)?,
            }
        }
        faulty += faults.count;
        faults.finish();
        stats.add_bytes(fs::metadata(path).map_err(|error| CommandError::File { path: path.clone(), error })?.len());
    }
    writeln!(out, "\n{}", stats.to_string().trim_end())?;
    if faulty > 0 {
        writeln!(out, "\n{faulty} damaged records left out")?;
    }
    Ok(())
}

/// Returns a text from a file with control characters replaced.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Text below the options in the help.
pub const MERGE_HELP: &str = "\
The files must have been made with the same options except --shard. Games are written in the order of their
numbers. Duplicates are written once. Of two different games with the same number, the one from the file named
first is kept; games with the same moves as an earlier one are left out. Damaged, missing and duplicated games are
reported, and the exit status is 1 when games are missing or in conflict. The result is written even then, and
'datagen --out' resumes it like any other file, without --shard: it plays the missing games.";

/// Maximum number of conflicting games reported one by one.
const MAX_CONFLICTS_REPORTED: u64 = 20;

/// Arguments of `datagen merge`.
#[derive(Args, Debug)]
pub struct MergeArgs {
    /// Game files.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write the games to this file.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Number of games expected; by default the highest number, or the source of --relabel, decides.
    #[arg(long, value_name = "GAMES")]
    games: Option<u64>,
}

/// Merges game files and reports what is missing.
pub fn merge(args: &MergeArgs) -> Result<(), CommandError> {
    for file in &args.files {
        refuse_same(file, &args.out)?;
    }
    let state = check_unlocked(&args.out)?;
    let cancel = cancel_on_request();
    let merge = read(args, &cancel)?;
    let missing = merge.missing(args.games);
    report_missing(&missing);
    let written = write(args, state, &merge, &cancel)?;
    let mut more = String::new();
    for (count, what) in [
        (merge.duplicates(), "duplicated and written once"),
        (merge.conflicts(), "left out because another game has the same number"),
        (written.same_moves, "left out because another game has the same moves"),
    ] {
        if count > 0 {
            more.push_str(&format!(", {} {what}", counted(count, "game")));
        }
    }
    let files = counted(args.files.len() as u64, "file");
    note!("{}: {} of {files}{more}", args.out.display(), counted(written.games, "game"));
    if missing.is_empty() && merge.conflicts() == 0 {
        return Ok(());
    }
    let mut lacks = Vec::new();
    if !missing.is_empty() {
        lacks.push(format!("{} of {} missing", missing.count, counted(missing.expected, "game")));
    }
    if merge.conflicts() > 0 {
        lacks.push(format!("{} in conflict", counted(merge.conflicts(), "game")));
    }
    Err(CommandError::Incomplete { path: args.out.clone(), lacks: lacks.join(", ") })
}

fn read(args: &MergeArgs, cancel: &CancelFlag) -> Result<Merge, CommandError> {
    let mut progress_bar = Progress::bar(args.files.len() as u64);
    let mut faults: Option<Faults> = None;
    let (mut conflicts, mut games) = (0, 0_u64);
    let mut on_warning = |finding: Warning| match finding {
        Warning::Fault(path, error) => {
            let known = args.files.iter().find(|file| file.as_path() == path);
            if faults.as_ref().is_none_or(|faults| faults.path != path)
                && let Some(path) = known
            {
                faults.take().into_iter().for_each(Faults::finish);
                faults = Some(Faults { path, count: 0 });
            }
            faults.iter_mut().for_each(|faults| faults.report(&error));
        }
        Warning::Repeated { shard, path, first } => {
            note!("{}: repeats shard {shard} of {}", path.display(), first.display());
        }
        Warning::Conflict { number, path, first } => {
            conflicts += 1;
            if conflicts <= MAX_CONFLICTS_REPORTED {
                let (path, first) = (path.display(), first.display());
                note!("{path}: game {number} differs from that in {first}, which is kept");
            }
        }
    };
    let mut progress = |files: usize| {
        games += 1;
        progress_bar.update(files as u64, || format!("files read: {}", counted(games, "game")));
    };
    let merge = Merge::read(&args.files, cancel, &mut on_warning, &mut progress);
    faults.into_iter().for_each(Faults::finish);
    progress_bar.finish();
    if conflicts > MAX_CONFLICTS_REPORTED {
        note!("{conflicts} conflicting games in all");
    }
    merge.map_err(CommandError::from)
}

fn write(args: &MergeArgs, state: FileState, merge: &Merge, cancel: &CancelFlag) -> Result<MergeStats, CommandError> {
    let all = merge.games();
    let mut progress_bar = Progress::bar(all);
    let in_output = |error| CommandError::File { path: args.out.clone(), error };
    let written = replace(
        &args.out,
        state,
        |out| {
            let mut progress = |games| progress_bar.update(games, || "written".to_owned());
            merge.write(out, cancel, &mut progress).map_err(|error| match error {
                MergeError::Output(error) => in_output(error),
                error => error.into(),
            })
        },
        |_| true,
    );
    progress_bar.finish();
    written
}

fn report_missing(missing: &MissingGames) {
    for shard in &missing.lost {
        note!("shard {shard} is missing: no file of it");
    }
    if missing.lost_count > missing.lost.len() as u64 {
        note!("{} shards are missing in all", missing.lost_count);
    }
    for IncompleteShard { shard, games, missing } in &missing.incomplete {
        note!("shard {shard} is incomplete: {missing} of {} missing", counted(*games, "game"));
    }
    if !missing.runs.is_empty() {
        let word = |run: &std::ops::RangeInclusive<u64>| {
            if run.start() == run.end() { run.start().to_string() } else { format!("{}-{}", run.start(), run.end()) }
        };
        let words: Vec<String> = missing.runs.iter().map(word).collect();
        let named: u64 = missing.runs.iter().map(|run| (run.end() - run.start()).saturating_add(1)).sum();
        let more = if named < missing.count { ", ..." } else { "" };
        note!("missing games: {}{more}", words.join(", "));
    }
}

impl From<MergeError> for CommandError {
    fn from(error: MergeError) -> CommandError {
        match error {
            MergeError::Part { path, fault: PartFault::System(error) } => CommandError::File { path, error },
            MergeError::Part { path, fault } => CommandError::Unusable { path, fault: fault.to_string() },
            MergeError::Output(error) => CommandError::Output(error),
            MergeError::Interrupted => CommandError::Interrupted,
            error => CommandError::Mismatch(error.to_string()),
        }
    }
}
