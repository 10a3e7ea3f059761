//! The `datagen` command: plays, rescores, merges and counts games.

use std::fs;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, Subcommand};

use super::file::check_unlocked;
use super::stats::Stats;
use super::{
    GameFile, GameReader, GameSource, Merge, Openings, Plan, Relabelling, SearchSettings, Settings, run,
    unless_embedded,
};
use crate::console::{
    CommandError, Result, cancel_on_request, clock, counted, named, network_in, note, read_openings, refuse_replacing,
    thread_count,
};
use crate::engine::MAX_HASH_MEGABYTES;
use crate::eval::Knowledge;
use crate::lab::in_file;
use crate::position::Strictness;
use crate::rules::Rules;
use crate::search::MAX_THREADS;
use crate::types::Value;
use crate::util::atomic_file::replace;
use crate::util::shard::Shard;

pub const HELP: &str = "\
Every game starts with random moves, or with an opening from a file, and one engine plays both sides. The engine is
cleared between games, so the same options and game number give the same game on every machine, whatever --threads
is. Games are appended to --out one by one. The same command resumes with the missing games after Ctrl-C (which
finishes the games in progress; a second Ctrl-C does not) or a crash; --games may be raised.

Shard i/n plays the games i-1, i-1+n, i-1+2n, ... of --games, so that all shards together play all games; 'merge'
merges their files and reports what is missing.

With --relabel existing games are rescored: every position with a score is searched again by this program. Moves,
results, endings and numbers are kept. Rescoring can be resumed, sharded and merged like playing.

The file is text. A game is one line: number, result, FEN or nothing, moves with their scores (h2e2/35), ending, checksum.

Examples:
  chuhe datagen --games 10000 --out games.txt
  chuhe datagen --games 10000 --nodes 800 --shard 2/3 --out second.txt
  chuhe datagen --games 2000 --openings books/openings.txt --random-plies 0 --out even.txt
  chuhe datagen merge first.txt second.txt third.txt --out games.txt
  chuhe datagen --relabel games.txt --nodes 20000 --out better.txt
  chuhe datagen --stats games.txt second.txt";

/// Default of --random-plies.
const RANDOM_PLIES: u16 = 8;

#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(group = clap::ArgGroup::new("task").required(true).args(["out", "stats"]))]
pub struct Datagen {
    #[command(subcommand)]
    task: Option<Task>,
    /// Play games and append them to this file.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Do not play; rescore the games of this file.
    #[arg(long, value_name = "FILE", requires = "out", conflicts_with = "play")]
    relabel: Option<PathBuf>,
    /// Show statistics of these game files.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["play", "search"])]
    stats: Vec<PathBuf>,
    #[command(flatten)]
    play: Play,
    #[command(flatten)]
    search: Search,
}

#[derive(Subcommand, Debug)]
enum Task {
    /// Merge game files made on several machines and report missing games.
    #[command(after_help = MERGE_HELP)]
    Merge(MergeArgs),
}

#[derive(Args, Debug)]
#[group(id = "play", multiple = true)]
struct Play {
    /// Number of games, including those of other shards and those already in the file.
    #[arg(long, value_name = "GAMES", default_value_t = 1000)]
    games: u64,
    /// Seed of all random choices.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Start from the openings of this file in turn (moves, FEN or EPD, one per line).
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Random moves at the start of a game [default: 8, or 0 with --openings].
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u16).range(0..=200))]
    random_plies: Option<u16>,
    /// Maximum advantage of either side after the random moves; other moves are drawn until it holds.
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = 300, value_parser = clap::value_parser!(u16).range(0..=9999))]
    balance: u16,
    /// A game is drawn after this many plies.
    #[arg(long, value_name = "PLIES", default_value_t = 400,
        value_parser = clap::value_parser!(u16).range(1..=Settings::MAX_PLIES as i64))]
    most_plies: u16,
}

/// Arguments of searches and of sharing out the work.
#[derive(Args, Debug)]
#[group(id = "search", multiple = true)]
struct Search {
    /// Play or rescore this part of the games, such as 2/3.
    #[arg(long, value_name = "I/N", default_value_t)]
    shard: Shard,
    /// Number of games played or rescored in parallel; 0 is the number of cores.
    #[arg(long, value_name = "THREADS", default_value_t = 0,
        value_parser = clap::value_parser!(u16).range(0..=MAX_THREADS as i64))]
    threads: u16,
    /// Soft node limit: no new iteration starts beyond it; a search stops at ten times this number.
    #[arg(long, value_name = "NODES", default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Hash size per game, in megabytes.
    #[arg(long, value_name = "MEGABYTES", default_value_t = 16,
        value_parser = clap::value_parser!(u64).range(1..=MAX_HASH_MEGABYTES as u64))]
    hash: u64,
    /// Knowledge level of the evaluation: material only, piece-square tables too, the whole hand-made evaluation, or
    /// the network.
    #[arg(long, value_name = "LEVEL", default_value = Knowledge::default().name(),
        value_parser = named(Knowledge::NAMED))]
    knowledge: Knowledge,
    /// Network file to evaluate with instead of the embedded network.
    #[arg(long, value_name = "FILE")]
    evalfile: Option<PathBuf>,
}

impl Search {
    fn settings(&self) -> Result<SearchSettings> {
        let hash = usize::try_from(self.hash).unwrap_or(usize::MAX);
        let network = self.evalfile.as_deref().map(network_in).transpose()?.and_then(unless_embedded);
        let Search { nodes, knowledge, .. } = *self;
        Ok(SearchSettings { nodes, hash, knowledge, network, ..SearchSettings::default() })
    }

    /// Returns the number of games made in parallel.
    fn threads(&self) -> NonZeroUsize {
        thread_count(self.threads)
    }
}

/// Plays, rescores, merges or counts games.
pub fn datagen(args: &Datagen, strictness: Strictness, out: &mut impl Write) -> Result {
    match args {
        Datagen { task: Some(Task::Merge(args)), .. } => merge(args),
        Datagen { relabel: Some(source), out: Some(path), search, .. } => relabel(source, search, path),
        Datagen { out: Some(path), play, search, .. } => make(&plan(play, search, strictness)?, path),
        Datagen { stats, .. } => show_stats(stats, out),
    }
}

/// Makes the games that the file lacks.
fn make(work: &impl GameSource, path: &Path) -> Result {
    let mut file = GameFile::open(path, &work.settings(), GameFile::OTHER_FILE)?;
    if work.missing(file.numbers()) == 0 {
        note!("{}: nothing to do, all games are present", path.display());
        return Ok(());
    }
    let cancel = cancel_on_request();
    let begun = Instant::now();
    let summary = run(work, &mut file, &cancel, &mut || ())?;
    let elapsed = begun.elapsed();
    note!(
        "{}: {} with {} in {}, {:.0} nodes/s",
        path.display(),
        counted(summary.games, "game"),
        counted(summary.positions, "position"),
        clock(elapsed),
        summary.nodes as f64 / elapsed.as_secs_f64().max(1e-6),
    );
    CommandError::if_interrupted(&cancel)?;
    match work.missing(file.numbers()).saturating_sub(summary.skipped) {
        0 => Ok(()),
        // All of them were readable when the source was scanned.
        left => {
            Err(CommandError::Failed(format!("not everything was written: {} not read again", counted(left, "game"))))
        }
    }
}

fn plan(args: &Play, search: &Search, strictness: Strictness) -> Result<Plan> {
    let search_settings = search.settings()?;
    let openings = match &args.openings {
        None => Openings::default(),
        Some(path) => Openings::new(read_openings(path, strictness, Rules::new(search_settings.rules))?),
    };
    let usual_plies = if args.openings.is_some() { 0 } else { RANDOM_PLIES };
    let settings = Settings {
        seed: args.seed,
        shard: search.shard,
        random_plies: usize::from(args.random_plies.unwrap_or(usual_plies)),
        balance: Value::from(args.balance),
        openings: openings.name.clone(),
        most_plies: usize::from(args.most_plies),
        search: search_settings,
    };
    Ok(Plan { settings, openings, games: args.games, threads: search.threads() })
}

/// Rescores the games of a file that are not in `out` yet.
fn relabel(path: &Path, search: &Search, out: &Path) -> Result {
    refuse_replacing("--out", out, [path])?;
    let work = Relabelling::read(path, search.settings()?, search.shard, search.threads())?;
    if work.origin.games == 0 {
        return Err(CommandError::no_game(path));
    }
    make(&work, out)
}

/// Prints statistics over the games of all files.
fn show_stats(paths: &[PathBuf], out: &mut impl Write) -> Result {
    let (mut stats, mut faulty) = (Stats::default(), 0);
    for path in paths {
        let mut games = GameReader::open(path)?;
        writeln!(out, "{}: {}", path.display(), games.settings().unwrap_or("(damaged)"))?;
        for game in games.by_ref() {
            stats.add(&game?);
        }
        faulty += games.damaged_lines();
        stats.bytes += fs::metadata(path).map_err(in_file(path))?.len();
    }
    writeln!(out, "\n{}", stats.to_string().trim_end())?;
    if faulty > 0 {
        writeln!(out, "\n{faulty} damaged lines left out")?;
    }
    Ok(())
}

const MERGE_HELP: &str = "\
The files must have been made with the same options except --shard. Games are written in the order of their
numbers. Duplicates are written once. Of two different games with the same number, the one from the file named
first is kept; games with the same moves as an earlier one are left out. Damaged, missing and duplicated games are
reported, and the exit status is 1 when games are missing or in conflict. The result is written even then, and
'datagen --out' resumes it like any other file, without --shard: it plays the missing games. All games are held in
memory, as many bytes as the files have.";

#[derive(Args, Debug)]
struct MergeArgs {
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
fn merge(args: &MergeArgs) -> Result {
    refuse_replacing("--out", &args.out, args.files.iter().map(PathBuf::as_path))?;
    check_unlocked(&args.out)?;
    let merge = Merge::read(&args.files)?;
    let missing = merge.missing(args.games);
    missing.lines.iter().for_each(|line| note!("{line}"));
    let in_output = in_file(&args.out);
    let [games, same_moves] = replace(&args.out, &in_output, |out| merge.write(out).map_err(&in_output), |_| true)?;
    let mut more = String::new();
    for (count, what) in [
        (merge.duplicates, "duplicated and written once"),
        (merge.conflicts, "left out because another game has the same number"),
        (same_moves, "left out because another game has the same moves"),
    ] {
        if count > 0 {
            more.push_str(&format!(", {} {what}", counted(count, "game")));
        }
    }
    let files = counted(args.files.len() as u64, "file");
    note!("{}: {} of {files}{more}", args.out.display(), counted(games, "game"));
    let mut lacks = Vec::new();
    if !missing.is_empty() {
        lacks.push(format!("{} of {} missing", missing.count, counted(missing.expected, "game")));
    }
    if merge.conflicts > 0 {
        lacks.push(format!("{} in conflict", counted(merge.conflicts, "game")));
    }
    if lacks.is_empty() {
        return Ok(());
    }
    Err(CommandError::unusable(&args.out, format!("it is not complete: {}", lacks.join(", "))))
}
