//! The `datagen` command: arguments and dispatch.

mod files;
mod progress;
mod run;

use std::fs::File;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};

use crate::console::args::{knowledge, rule_set, thread_count};
use crate::console::error::CommandError;
use crate::console::input::network_in;
use crate::console::note;
use crate::console::output::would_replace;
use crate::engine::MAX_HASH_MEGABYTES;
use crate::eval::Knowledge;
use crate::lab::datagen::{GameReader, HeaderError, NamedNetwork, RecordError, SearchSettings, Settings};
use crate::position::Strictness;
use crate::rules::RuleSet;
use crate::search::MAX_THREADS;
use crate::util::shard::Shard;

pub use progress::{GameProgress, report_resumption};

/// Text below the options in the help.
pub const HELP: &str = "\
Every game starts with random moves, or with an opening from a file, and one engine plays both sides. The engine is
cleared between games, so the same options and game number give the same game on every machine, whatever --threads
is. Games are appended to --out one by one. The same command resumes with the missing games after Ctrl-C (which
finishes the games in progress; a second Ctrl-C does not), a crash or a power failure; --games may be raised.

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
    #[command(after_help = files::MERGE_HELP)]
    Merge(files::MergeArgs),
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
    /// A side wins when both sides score its advantage at this or more; 0 turns this off.
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = 1500, value_parser = clap::value_parser!(u16).range(0..=9999))]
    win_score: u16,
    /// Number of consecutive plies for --win-score.
    #[arg(long, value_name = "PLIES", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..))]
    win_plies: u16,
    /// A game is drawn when both sides score it within this [default: off].
    #[arg(long, value_name = "CENTIPAWNS", value_parser = clap::value_parser!(u16).range(0..=9999))]
    draw_score: Option<u16>,
    /// Number of consecutive plies for --draw-score.
    #[arg(long, value_name = "PLIES", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..))]
    draw_plies: u16,
    /// First ply of the game for --draw-score.
    #[arg(long, value_name = "PLY", default_value_t = 80)]
    draw_from: u16,
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
    /// Soft node limit: no new iteration starts beyond it.
    #[arg(long, value_name = "NODES", default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Hard node limit: a search stops within an iteration [default: ten times --nodes].
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..))]
    hard_nodes: Option<u64>,
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
        let hard_nodes = self.hard_nodes.unwrap_or(nodes.saturating_mul(Settings::HARD_FACTOR));
        if hard_nodes < nodes {
            return Err(CommandError::Mismatch(format!("--hard-nodes {hard_nodes} is less than --nodes {nodes}")));
        }
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
        Datagen { task: Some(Task::Merge(args)), .. } => files::merge(args),
        Datagen { relabel: Some(source), out: Some(path), search, .. } => run::relabel(source, search, path),
        Datagen { out: Some(path), play, search, .. } => run::play(play, search, path, strictness),
        Datagen { to_text, .. } if !to_text.is_empty() => files::to_text(&to_text[0], &to_text[1], out),
        Datagen { from_text, .. } if !from_text.is_empty() => {
            files::from_text(&from_text[0], &from_text[1], strictness)
        }
        Datagen { stats, .. } => files::show_stats(stats, out),
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
