//! The `datagen` command: plays, rescores, merges, converts and counts games.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};

use super::file::check_unlocked;
use super::stats::Stats;
use super::text::{TextReader, settings_line, write_game};
use super::{
    GameEvent, GameFile, GameSource, GameWriter, IntactGames, Merge, Openings, Plan, Relabelling, SearchSettings,
    Settings, Summary, run, unless_embedded,
};
use crate::console::args::{knowledge, thread_count};
use crate::console::error::CommandError;
use crate::console::input::{Faults, is_stream, network_in, read_openings};
use crate::console::output::would_replace;
use crate::console::progress::{Progress, cancel_on_request, clock};
use crate::console::{counted, note};
use crate::engine::MAX_HASH_MEGABYTES;
use crate::eval::Knowledge;
use crate::lab::{in_file, unusable};
use crate::position::Strictness;
use crate::rules::Rules;
use crate::search::MAX_THREADS;
use crate::types::Value;
use crate::util::atomic_file::replace;
use crate::util::shard::Shard;

/// Text below the options in the help.
pub const HELP: &str = "\
Every game starts with random moves, or with an opening from a file, and one engine plays both sides. The engine is
cleared between games, so the same options and game number give the same game on every machine, whatever --threads
is. Games are appended to --out one by one. The same command resumes with the missing games after Ctrl-C (which
finishes the games in progress; a second Ctrl-C does not) or a crash; --games may be raised.

Shard i/n plays the games i-1, i-1+n, i-1+2n, ... of --games, so that all shards together play all games; 'merge'
merges their files and reports what is missing.

With --relabel existing games are rescored: every position with a score is searched again by this program. Moves,
results, endings and numbers are kept. Rescoring can be resumed, sharded and merged like playing.

As text a game is one line: number, result, FEN or nothing, moves with their scores (h2e2/35), ending.

Examples:
  chuhe datagen --games 10000 --out games.bin
  chuhe datagen --games 10000 --nodes 800 --shard 2/3 --out second.bin
  chuhe datagen --games 2000 --openings books/openings.txt --random-plies 0 --out even.bin
  chuhe datagen merge first.bin second.bin third.bin --out games.bin
  chuhe datagen --relabel games.bin --nodes 20000 --out better.bin
  chuhe datagen --stats games.bin second.bin
  chuhe datagen --to-text games.bin games.txt
  chuhe datagen --from-text games.txt games.bin";

/// Default of --random-plies.
const RANDOM_PLIES: u16 = 8;

/// Arguments of `datagen`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(group = clap::ArgGroup::new("task").required(true).args(["out", "stats", "to_text", "from_text"]))]
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
    /// Write a game file as text; '-' is standard output.
    #[arg(long, value_names = ["FILE", "TEXT"], num_args = 2, conflicts_with_all = ["play", "search"])]
    to_text: Vec<PathBuf>,
    /// Write a text as a game file; '-' is standard input.
    #[arg(long, value_names = ["TEXT", "FILE"], num_args = 2, conflicts_with_all = ["play", "search"])]
    from_text: Vec<PathBuf>,
    #[command(flatten)]
    play: Play,
    #[command(flatten)]
    search: Search,
}

/// Subcommands of `datagen`.
#[derive(Subcommand, Debug)]
enum Task {
    /// Merge game files made on several machines and report missing games.
    #[command(after_help = MERGE_HELP)]
    Merge(MergeArgs),
}

/// Arguments of self-play.
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
        value_parser = knowledge())]
    knowledge: Knowledge,
    /// Network file to evaluate with instead of the embedded network.
    #[arg(long, value_name = "FILE")]
    evalfile: Option<PathBuf>,
}

impl Search {
    fn settings(&self) -> Result<SearchSettings, CommandError> {
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

/// Plays, rescores, merges, converts or counts games.
pub fn datagen(args: &Datagen, strictness: Strictness, out: &mut impl Write) -> Result<(), CommandError> {
    match args {
        Datagen { task: Some(Task::Merge(args)), .. } => merge(args),
        Datagen { relabel: Some(source), out: Some(path), search, .. } => relabel(source, search, path),
        Datagen { out: Some(path), play, search, .. } => make(&plan(play, search, strictness)?, path),
        Datagen { to_text, .. } if !to_text.is_empty() => write_text(&to_text[0], &to_text[1], out),
        Datagen { from_text, .. } if !from_text.is_empty() => read_text(&from_text[0], &from_text[1], strictness),
        Datagen { stats, .. } => show_stats(stats, out),
    }
}

/// A file that replaced itself would lose its damaged records.
fn refuse_same(input: &Path, output: &Path) -> Result<(), CommandError> {
    if would_replace(output, input) {
        return Err(CommandError::Mismatch(format!("{}: input and output must be two files", input.display())));
    }
    Ok(())
}

/// Makes the games that the file lacks.
fn make(work: &impl GameSource, path: &Path) -> Result<(), CommandError> {
    let mut file = GameFile::open(path, &work.settings(), GameFile::OTHER_FILE)?;
    let missing = work.missing(file.numbers());
    if missing == 0 {
        note!("{}: nothing to do, all games are present", path.display());
        return Ok(());
    }
    let cancel = cancel_on_request();
    let mut progress = GameProgress::new(missing);
    let summary = run(work, &mut file, &cancel, &mut |event, summary| progress.on_event(event, summary));
    let elapsed = progress.finish();
    let summary = summary?;
    note!(
        "{}: {} with {} in {}, {:.0} nodes/s",
        path.display(),
        counted(summary.games, "game"),
        counted(summary.positions, "position"),
        clock(elapsed),
        summary.nodes as f64 / elapsed.as_secs_f64().max(1e-6),
    );
    if cancel.is_cancelled() {
        return Err(CommandError::Interrupted);
    }
    match work.missing(file.numbers()).saturating_sub(summary.skipped) {
        0 => Ok(()),
        // All of them were readable when the source was scanned.
        left => {
            Err(CommandError::Failed(format!("not everything was written: {} not read again", counted(left, "game"))))
        }
    }
}

fn plan(args: &Play, search: &Search, strictness: Strictness) -> Result<Plan, CommandError> {
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
fn relabel(path: &Path, search: &Search, out: &Path) -> Result<(), CommandError> {
    refuse_same(path, out)?;
    let work = Relabelling::read(path, search.settings()?, search.shard, search.threads())?;
    if work.origin.games == 0 {
        return Err(CommandError::no_game(path));
    }
    make(&work, out)
}

/// Progress display of a run that makes games.
pub struct GameProgress(Progress);

impl GameProgress {
    /// Creates the display for this number of games.
    pub fn new(games: u64) -> GameProgress {
        GameProgress(Progress::bar(games))
    }

    /// Shows an event.
    pub fn on_event(&mut self, event: &GameEvent, summary: &Summary) {
        match event {
            GameEvent::Finished(..) => {}
            GameEvent::Skipped(number) => {
                self.0.note(&format!("game {number} is skipped: no balanced opening found; raise --balance"));
            }
            GameEvent::Finishing => self.0.note("finishing the games in progress; Ctrl-C now stops at once"),
        }
        let done = summary.games + summary.skipped;
        let (seconds, left) = (self.0.elapsed().as_secs_f64(), self.0.time_left(done));
        self.0.update(done, || {
            let rate = |count: u64| (count as f64 / seconds.max(1e-3)).round();
            format!("{} positions/s, {} nodes/s, {} left", rate(summary.positions), rate(summary.nodes), clock(left))
        });
    }

    /// Removes the display and returns the time since it was created.
    pub fn finish(self) -> Duration {
        let elapsed = self.0.elapsed();
        self.0.finish();
        elapsed
    }
}

/// Writes a game file as text. Damaged records are reported and left out.
fn write_text(input: &Path, output: &Path, out: &mut impl Write) -> Result<(), CommandError> {
    refuse_same(input, output)?;
    let games = IntactGames::open(input)?;
    if is_stream(output) {
        let mut out = BufWriter::new(out);
        write_games(games, &mut out, &CommandError::Output)?;
        return Ok(out.flush()?);
    }
    let written = replace(output, in_file(output), |out| write_games(games, out, &in_file(output)), |_| true)?;
    note!("{} written to {}", counted(written, "game"), output.display());
    Ok(())
}

fn write_games(
    games: IntactGames,
    mut out: &mut dyn Write,
    in_output: &dyn Fn(io::Error) -> CommandError,
) -> Result<u64, CommandError> {
    if let Some(settings) = games.reader.settings() {
        writeln!(out, "{}", settings_line(&printable(settings))).map_err(in_output)?;
    }
    let mut written = 0;
    for game in games {
        write_game(&mut out, &game?).map_err(in_output)?;
        written += 1;
    }
    Ok(written)
}

/// Writes a text as a game file. Faulty lines are reported and left out.
fn read_text(input: &Path, output: &Path, strictness: Strictness) -> Result<(), CommandError> {
    refuse_same(input, output)?;
    let text: Box<dyn BufRead> = if is_stream(input) {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(File::open(input).map_err(in_file(input))?))
    };
    check_unlocked(output)?;
    let games = TextReader::new(text, strictness).map_err(|error| unusable(input, error.to_string()))?;
    let settings = games.settings().unwrap_or("{}").to_owned();
    let mut faults = Faults::new(input);
    let write = |out: &mut dyn Write| {
        let mut writer = GameWriter::new(out, &settings).map_err(in_file(output))?;
        let mut written = 0;
        for game in games {
            match game.map(|game| (game.number, writer.write(&game))) {
                Ok((_, Ok(()))) => written += 1,
                Ok((number, Err(error))) if error.kind() == io::ErrorKind::InvalidData => {
                    faults.add(format_args!("game {number}: {error}"));
                }
                Ok((_, Err(error))) => return Err(in_file(output)(error)),
                Err(error) if error.is_read_error => return Err(unusable(input, error.to_string())),
                Err(error) => faults.add(format_args!("{error}")),
            }
        }
        Ok(written)
    };
    let written = replace(output, in_file(output), write, |&games: &u64| games > 0)?;
    if written == 0 {
        return Err(CommandError::no_game(input));
    }
    if faults.count > 0 {
        faults.report_count("line");
    }
    note!("{} written to {}", counted(written, "game"), output.display());
    Ok(())
}

/// Prints statistics over the games of all files. Damaged records are reported and left out.
fn show_stats(paths: &[PathBuf], out: &mut impl Write) -> Result<(), CommandError> {
    let (mut stats, mut faulty) = (Stats::default(), 0);
    for path in paths {
        let mut games = IntactGames::open(path)?;
        writeln!(out, "{}: {}", path.display(), printable(games.reader.settings().unwrap_or("(damaged)")))?;
        for game in games.by_ref() {
            stats.add(&game?);
        }
        faulty += games.faults.count;
        stats.bytes += fs::metadata(path).map_err(in_file(path))?.len();
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
const MERGE_HELP: &str = "\
The files must have been made with the same options except --shard. Games are written in the order of their
numbers. Duplicates are written once. Of two different games with the same number, the one from the file named
first is kept; games with the same moves as an earlier one are left out. Damaged, missing and duplicated games are
reported, and the exit status is 1 when games are missing or in conflict. The result is written even then, and
'datagen --out' resumes it like any other file, without --shard: it plays the missing games. All games are held in
memory, as many bytes as the files have.";

/// Arguments of `datagen merge`.
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
fn merge(args: &MergeArgs) -> Result<(), CommandError> {
    for file in &args.files {
        refuse_same(file, &args.out)?;
    }
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
