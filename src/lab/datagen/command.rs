//! The `datagen` command: plays, rescores, merges, converts and counts games.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};

use super::stats::Stats;
use super::text::{TextReader, settings_line, write_game};
use super::{
    FileError, FileFault, GameEvent, GameFile, GameReader, GameSource, GameWriter, HeaderError, IncompleteShard, Merge,
    MergeError, MergeStats, MissingGames, NamedNetwork, Openings, Plan, RecordError, RelabelSource, Relabelling,
    Resumed, RunError, SearchCost, SearchSettings, Settings, Warning, check_unlocked, knowledge_name, run,
};
use crate::console::args::{knowledge, rule_set, thread_count};
use crate::console::error::CommandError;
use crate::console::input::{network_in, open_openings};
use crate::console::output::would_replace;
use crate::console::progress::{Progress, cancel_on_request, clock};
use crate::console::{counted, note};
use crate::engine::MAX_HASH_MEGABYTES;
use crate::eval::Knowledge;
use crate::position::Strictness;
use crate::rules::{RuleSet, Rules};
use crate::search::MAX_THREADS;
use crate::types::Value;
use crate::util::atomic_file;
use crate::util::cancel::CancelFlag;
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

/// Maximum number of faults reported one by one; the rest are counted.
const MAX_FAULTS_REPORTED: u64 = 20;
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
    pub out: Option<PathBuf>,
    /// Do not play; rescore the games of this file.
    #[arg(long, value_name = "FILE", requires = "out", conflicts_with = "play")]
    relabel: Option<PathBuf>,
    /// Show statistics of these game files.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["play", "search"])]
    pub stats: Vec<PathBuf>,
    /// Write a game file as text; '-' is standard output.
    #[arg(long, value_names = ["FILE", "TEXT"], num_args = 2, conflicts_with_all = ["play", "search"])]
    pub to_text: Vec<PathBuf>,
    /// Write a text as a game file; '-' is standard input.
    #[arg(long, value_names = ["TEXT", "FILE"], num_args = 2, conflicts_with_all = ["play", "search"])]
    pub from_text: Vec<PathBuf>,
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
    /// Rules of repetition [default: computer; with --relabel those of the games].
    #[arg(long, value_name = "RULES",
        value_parser = PossibleValuesParser::new(RuleSet::NAMED.map(|(name, _)| name)).try_map(rule_set))]
    rules: Option<RuleSet>,
    /// Knowledge level of the evaluation: material only, piece-square tables too, the whole hand-made evaluation, or
    /// the network.
    #[arg(long, value_name = "LEVEL", default_value = Knowledge::default().name(),
        value_parser = PossibleValuesParser::new(Knowledge::NAMED.map(|(name, _)| name)).try_map(knowledge))]
    knowledge: Knowledge,
    /// Network file to evaluate with instead of the embedded network.
    #[arg(long, value_name = "FILE")]
    evalfile: Option<PathBuf>,
}

impl Search {
    /// Returns the settings of the searches; `usual` are the rules unless --rules is given.
    fn search_settings(&self, usual: RuleSet) -> Result<SearchSettings, CommandError> {
        let Search { nodes, rules, knowledge, .. } = *self;
        let hard_nodes = nodes.saturating_mul(Settings::HARD_FACTOR);
        let hash = usize::try_from(self.hash).unwrap_or(usize::MAX);
        let network = self.evalfile.as_deref().map(network_in).transpose()?.and_then(NamedNetwork::unless_embedded);
        Ok(SearchSettings { nodes, hard_nodes, hash, rules: rules.unwrap_or(usual), knowledge, network })
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

/// Opens a game file.
fn open(path: &Path) -> Result<GameReader<File>, CommandError> {
    let file = File::open(path).map_err(|error| CommandError::File { path: path.to_owned(), error })?;
    GameReader::new(file).map_err(|error| unreadable(path, error))
}

/// Converts the error of a file that is no game file.
fn unreadable(path: &Path, error: HeaderError) -> CommandError {
    let path = path.to_owned();
    match error {
        HeaderError::Unreadable(error) => CommandError::File { path, error },
        error => CommandError::Unusable { path, fault: error.to_string() },
    }
}

/// Faults of a file, reported as they are found.
struct Faults<'a> {
    path: &'a Path,
    count: u64,
}

impl Faults<'_> {
    /// Reports a fault.
    fn report(&mut self, fault: &impl std::fmt::Display) {
        self.count += 1;
        if self.count <= MAX_FAULTS_REPORTED {
            note!("{}: {fault}", self.path.display());
        }
    }

    /// Reports a damaged record.
    ///
    /// # Errors
    /// When the rest of the file cannot be read.
    fn damage(&mut self, error: &RecordError) -> Result<(), CommandError> {
        match error.read_error() {
            Some(error) => Err(CommandError::File { path: self.path.to_owned(), error }),
            None => {
                self.report(error);
                Ok(())
            }
        }
    }

    /// Reports the number of faults if not all were reported.
    fn finish(self) {
        if self.count > MAX_FAULTS_REPORTED {
            note!("{}: {} faults in all", self.path.display(), self.count);
        }
    }
}

/// Makes the games that the file lacks.
fn make(work: &impl GameSource, path: &Path) -> Result<(), CommandError> {
    let (mut file, resumed) = GameFile::open(path, &work.settings())?;
    report_resumption(path, file.numbers().len(), &resumed);
    let missing = work.missing(file.numbers());
    if missing == 0 {
        note!("{}: nothing to do, all games are present", path.display());
        return Ok(());
    }
    let cancel = cancel_on_request();
    let mut progress = GameProgress::new(missing);
    let summary = run(work, &mut file, &cancel, &mut |event| progress.on_event(&event));
    let elapsed = progress.finish();
    let summary = summary?;
    let own = summary.cost.nodes as f64 / summary.cost.elapsed.as_secs_f64().max(1e-6);
    note!(
        "{}: {} with {} in {}, {:.0} nodes/s (the searches alone: {own:.0} on each thread)",
        path.display(),
        counted(summary.games, "game"),
        counted(summary.positions, "position"),
        clock(elapsed),
        summary.cost.nodes as f64 / elapsed.as_secs_f64().max(1e-6),
    );
    if cancel.is_cancelled() {
        return Err(CommandError::Interrupted);
    }
    match work.missing(file.numbers()).saturating_sub(summary.skipped) {
        0 => Ok(()),
        // All of them were readable when the source was scanned.
        left => Err(CommandError::Lost(format!("{} could not be read again", counted(left, "game")))),
    }
}

fn plan(args: &Play, search: &Search, strictness: Strictness) -> Result<Plan, CommandError> {
    let SearchSettings { nodes, hard_nodes, hash, rules, knowledge, network } =
        search.search_settings(RuleSet::default())?;
    let openings = match &args.openings {
        None => Openings::default(),
        Some(path) => Openings::read(open_openings(path)?, strictness, Rules::new(rules))
            .map_err(|fault| CommandError::Unusable { path: path.clone(), fault })?,
    };
    let usual_plies = if args.openings.is_some() { 0 } else { RANDOM_PLIES };
    let settings = Settings {
        seed: args.seed,
        shard: search.shard,
        nodes,
        hard_nodes,
        hash,
        random_plies: usize::from(args.random_plies.unwrap_or(usual_plies)),
        balance: Value::from(args.balance),
        openings: openings.name().map(str::to_owned),
        most_plies: usize::from(args.most_plies),
        rules: rules.name().to_owned(),
        knowledge: knowledge_name(knowledge),
        evalfile: network,
        ..Settings::default()
    };
    Ok(Plan { settings, openings, games: args.games, threads: search.threads() })
}

/// Rescores the games of a file that are not in `out` yet.
fn relabel(path: &Path, search: &Search, out: &Path) -> Result<(), CommandError> {
    refuse_same(path, out)?;
    // A pipe cannot be read twice.
    if path.exists() && !path.is_file() {
        let error = io::Error::other("not a regular file");
        return Err(CommandError::File { path: path.to_owned(), error });
    }
    // Report unusable search settings before reading the games.
    let usual = search.search_settings(RuleSet::default())?;
    let mut faults = Faults { path, count: 0 };
    let source =
        RelabelSource::read(path, &mut |fault| faults.report(&fault)).map_err(|error| unreadable(path, error))?;
    let faulty = faults.count;
    faults.finish();
    let games = source.origin().games;
    if games == 0 {
        return Err(CommandError::NoGame { path: path.to_owned() });
    }
    if faulty > 0 {
        note!("{}: {} can be rescored", path.display(), counted(games, "game"));
    }
    let search_settings = SearchSettings { rules: search.rules.or(source.rules()).unwrap_or_default(), ..usual };
    make(&Relabelling::new(source, &search_settings, search.shard, search.threads()), out)
}

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

/// Name of standard input and output.
const STREAM: &str = "-";

/// Writes a game file as text. Damaged records are reported and left out.
fn write_text(input: &Path, output: &Path, out: &mut impl Write) -> Result<(), CommandError> {
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
fn read_text(input: &Path, output: &Path, strictness: Strictness) -> Result<(), CommandError> {
    refuse_same(input, output)?;
    let in_input = |error| CommandError::File { path: input.to_owned(), error };
    let text: Box<dyn BufRead> = if input.as_os_str() == STREAM {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(File::open(input).map_err(in_input)?))
    };
    check_unlocked(output)?;
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
                Err(error) if error.is_read_error => return Err(unusable(error.to_string())),
                Err(error) => faults.report(&error),
            }
        }
        Ok(written)
    };
    let is_wanted = |&games: &u64| games > 0;
    let written = replace(output, write, is_wanted)?;
    let faulty = faults.count;
    faults.finish();
    if written == 0 {
        return Err(CommandError::NoGame { path: input.to_owned() });
    }
    let left_out = if faulty > 0 { format!(", {} left out", counted(faulty, "line")) } else { String::new() };
    note!("{} written to {}{left_out}", counted(written, "game"), output.display());
    Ok(())
}

/// Replaces a game file by what `write` writes, unless another program writes games to it.
fn replace<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, CommandError>,
    is_wanted: impl FnOnce(&T) -> bool,
) -> Result<T, CommandError> {
    let in_file = |error| CommandError::File { path: path.to_owned(), error };
    let mut unlocked = Ok(());
    let written = atomic_file::replace(path, in_file, write, |written| {
        unlocked = check_unlocked(path);
        unlocked.is_ok() && is_wanted(written)
    })?;
    unlocked?;
    Ok(written)
}

/// Prints statistics over the games of all files. Damaged records are reported and left out.
fn show_stats(paths: &[PathBuf], out: &mut impl Write) -> Result<(), CommandError> {
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
const MERGE_HELP: &str = "\
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
fn merge(args: &MergeArgs) -> Result<(), CommandError> {
    for file in &args.files {
        refuse_same(file, &args.out)?;
    }
    check_unlocked(&args.out)?;
    let cancel = cancel_on_request();
    let merge = read_parts(args, &cancel)?;
    let missing = merge.missing(args.games);
    report_missing(&missing);
    let written = write_merge(args, &merge, &cancel)?;
    let mut more = String::new();
    for (count, what) in [
        (merge.duplicates, "duplicated and written once"),
        (merge.conflicts, "left out because another game has the same number"),
        (written.same_moves, "left out because another game has the same moves"),
    ] {
        if count > 0 {
            more.push_str(&format!(", {} {what}", counted(count, "game")));
        }
    }
    let files = counted(args.files.len() as u64, "file");
    note!("{}: {} of {files}{more}", args.out.display(), counted(written.games, "game"));
    if missing.is_empty() && merge.conflicts == 0 {
        return Ok(());
    }
    let mut lacks = Vec::new();
    if !missing.is_empty() {
        lacks.push(format!("{} of {} missing", missing.count, counted(missing.expected, "game")));
    }
    if merge.conflicts > 0 {
        lacks.push(format!("{} in conflict", counted(merge.conflicts, "game")));
    }
    Err(CommandError::Incomplete { path: args.out.clone(), lacks: lacks.join(", ") })
}

fn read_parts(args: &MergeArgs, cancel: &CancelFlag) -> Result<Merge, CommandError> {
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

fn write_merge(args: &MergeArgs, merge: &Merge, cancel: &CancelFlag) -> Result<MergeStats, CommandError> {
    let all = merge.games();
    let mut progress_bar = Progress::bar(all);
    let in_output = |error| CommandError::File { path: args.out.clone(), error };
    let written = replace(
        &args.out,
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
        let word = |run: &RangeInclusive<u64>| {
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
            MergeError::File { path, error } => CommandError::File { path, error },
            MergeError::Unusable { path, fault } => CommandError::Unusable { path, fault },
            MergeError::Output(error) => CommandError::Output(error),
            MergeError::Interrupted => CommandError::Interrupted,
        }
    }
}
