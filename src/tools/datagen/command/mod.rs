//! The `datagen` command: what is wanted, and who does it.

mod convert;
mod merge;
mod play;
mod relabel;
mod run;
mod stats;

use std::fs::File;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};

use crate::console::args::{knowledge, rule_set};
use crate::console::error::CommandError;
use crate::console::input::network_in;
use crate::engine::MAX_HASH_MEGABYTES;
use crate::eval::Knowledge;
use crate::position::Strictness;
use crate::rules::RuleSet;
use crate::search::MAX_THREADS;
use crate::tools::datagen::NamedNetwork;
use crate::tools::datagen::{GameReader, HeaderError, Searching, Settings};
use crate::util::shard::Shard;

/// What stands below the options in the help.
pub const HELP: &str = "\
Every game begins with random moves, or with a start from a file, and is played to its end by one engine
that forgets everything between games: the same options and number give the same game on every machine,
whatever --threads is. The games are appended to --out one by one. The same command started again goes on
with those that are missing, after Ctrl-C (which waits for the games in progress; a second one does not),
a crash or a power cut; --games may be raised.

Shard i/n plays the games i-1, i-1+n, i-1+2n, ... of --games, so that all shards together play them all; 'merge'
puts their files together and tells what is missing.

With --relabel games that were played before are written to --out with new scores: every position that has one is
searched anew by this program. Moves, results, endings and numbers stay. It can be ended and gone on with, shared
out by --shard and put together like playing.

As text a game is a line: number, result, FEN or nothing, moves with their scores (h2e2/35), ending.

Examples:
  chuhe datagen --games 10000 --out games.bin
  chuhe datagen --games 10000 --nodes 800 --shard 2/3 --out second.bin
  chuhe datagen --games 2000 --openings books/openings.txt --random-plies 0 --out even.bin
  chuhe datagen merge first.bin second.bin third.bin --out games.bin
  chuhe datagen --relabel games.bin --nodes 20000 --out better.bin
  chuhe datagen --stats games.bin second.bin
  chuhe datagen --to-text games.bin games.txt
  chuhe datagen --from-text games.txt games.bin";

/// How many faults are told one by one; the rest are only counted.
const FAULTS_NAMED: u64 = 20;
/// How many random moves a game begins with.
const RANDOM_PLIES: u16 = 8;
/// How many times --nodes a search may take, unless --hard-nodes tells.
const HARD_FACTOR: u64 = 10;

/// What `datagen` is asked for.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(group = clap::ArgGroup::new("task").required(true).args(["out", "stats", "to_text", "from_text"]))]
pub struct Datagen {
    #[command(subcommand)]
    task: Option<Task>,
    /// Play games and append them to this file.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Do not play: score the games of this file anew.
    #[arg(long, value_name = "FILE", requires = "out", conflicts_with = "play")]
    relabel: Option<PathBuf>,
    /// Show what there is in these files of games.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["play", "search"])]
    pub stats: Vec<PathBuf>,
    /// Write a file of games as text; '-' is standard output.
    #[arg(long, value_names = ["FILE", "TEXT"], num_args = 2, conflicts_with_all = ["play", "search"])]
    pub to_text: Vec<PathBuf>,
    /// Turn such a text into a file of games; '-' is standard input.
    #[arg(long, value_names = ["TEXT", "FILE"], num_args = 2, conflicts_with_all = ["play", "search"])]
    pub from_text: Vec<PathBuf>,
    #[command(flatten)]
    play: Play,
    #[command(flatten)]
    search: Search,
}

/// What `datagen` does with a word of its own.
#[derive(Subcommand, Debug)]
enum Task {
    /// Put together what was made of the same games on several machines, and tell what is missing.
    #[command(after_help = merge::HELP)]
    Merge(merge::Merge),
}

/// How games are played.
#[derive(Args, Debug)]
#[group(id = "play", multiple = true)]
struct Play {
    /// How many games there are, those of other shards and those that are there already included.
    #[arg(long, value_name = "GAMES", default_value_t = 1000)]
    games: u64,
    /// All random choices follow from this number.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Begin with the starts of this file in turn (moves, FEN or EPD, one a line).
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// How many random moves a game begins with; 8, but 0 with --openings.
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u16).range(0..=200))]
    random_plies: Option<u16>,
    /// How many centipawns either side may be ahead after the random moves; others are drawn until it is so.
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = 300, value_parser = clap::value_parser!(u16).range(0..=9999))]
    balance: u16,
    /// A game is won by the side that both sides see so many centipawns ahead; 0 for never.
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = 1500, value_parser = clap::value_parser!(u16).range(0..=9999))]
    win_score: u16,
    /// For so many plies in a row.
    #[arg(long, value_name = "PLIES", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..))]
    win_plies: u16,
    /// A game is drawn when both sides see nobody further ahead; never by default.
    #[arg(long, value_name = "CENTIPAWNS", value_parser = clap::value_parser!(u16).range(0..=9999))]
    draw_score: Option<u16>,
    /// For so many plies in a row.
    #[arg(long, value_name = "PLIES", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..))]
    draw_plies: u16,
    /// From this ply of the game on.
    #[arg(long, value_name = "PLY", default_value_t = 80)]
    draw_from: u16,
    /// A game is drawn after so many plies.
    #[arg(long, value_name = "PLIES", default_value_t = 400,
        value_parser = clap::value_parser!(u16).range(1..=Settings::MOST_PLIES as i64))]
    most_plies: u16,
}

/// How positions are searched, and by how many machines.
#[derive(Args, Debug)]
#[group(id = "search", multiple = true)]
struct Search {
    /// Play or score this part of the games, such as 2/3.
    #[arg(long, value_name = "I/N", default_value_t)]
    shard: Shard,
    /// How many games are played or scored at once; 0 is as many as the machine has cores.
    #[arg(long, value_name = "THREADS", default_value_t = 0,
        value_parser = clap::value_parser!(u16).range(0..=MAX_THREADS as i64))]
    threads: u16,
    /// No iteration of a search is begun after so many nodes.
    #[arg(long, value_name = "NODES", default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// A search ends within an iteration after so many nodes; by default ten times --nodes.
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..))]
    hard_nodes: Option<u64>,
    /// Memory for each of these games, in megabytes.
    #[arg(long, value_name = "MEGABYTES", default_value_t = 16,
        value_parser = clap::value_parser!(u64).range(1..=MAX_HASH_MEGABYTES as u64))]
    hash: u64,
    /// The law of repetition; by default computer, and with --relabel that of the games.
    #[arg(long, value_name = "RULES",
        value_parser = PossibleValuesParser::new(RuleSet::NAMED.map(|(name, _)| name)).try_map(rule_set))]
    rules: Option<RuleSet>,
    /// How much the engine knows: men only, places too, all that is counted by hand, or what the network learned.
    #[arg(long, value_name = "LEVEL", default_value = Knowledge::default().name(),
        value_parser = PossibleValuesParser::new(Knowledge::NAMED.map(|(name, _)| name)).try_map(knowledge))]
    knowledge: Knowledge,
    /// The network that says what positions are worth, instead of the one that the program brings along.
    #[arg(long, value_name = "FILE")]
    evalfile: Option<PathBuf>,
}

impl Search {
    /// What searches depend on, by the law given or else the usual one.
    fn searching(&self, usual: RuleSet) -> Result<Searching, CommandError> {
        let Search { nodes, rules, knowledge, .. } = *self;
        let hard_nodes = self.hard_nodes.unwrap_or(nodes.saturating_mul(HARD_FACTOR));
        if hard_nodes < nodes {
            return Err(CommandError::Mismatch(format!("--hard-nodes {hard_nodes} is less than --nodes {nodes}")));
        }
        let hash = usize::try_from(self.hash).unwrap_or(usize::MAX);
        let network = self.evalfile.as_deref().map(network_in).transpose()?.and_then(NamedNetwork::unless_embedded);
        Ok(Searching { nodes, hard_nodes, hash, rules: rules.unwrap_or(usual), knowledge, network })
    }

    /// How many games are in the making at once.
    fn threads(&self) -> NonZeroUsize {
        let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        NonZeroUsize::new(usize::from(self.threads)).unwrap_or_else(cores)
    }
}

/// Plays games, or does something with those of files.
pub fn datagen(wanted: &Datagen, strictness: Strictness, out: &mut impl Write) -> Result<(), CommandError> {
    match wanted {
        Datagen { task: Some(Task::Merge(wanted)), .. } => merge::merge(wanted),
        Datagen { relabel: Some(source), out: Some(path), search, .. } => relabel::relabel(source, search, path),
        Datagen { out: Some(path), play, search, .. } => play::play(play, search, path, strictness),
        Datagen { to_text, .. } if !to_text.is_empty() => convert::to_text(&to_text[0], &to_text[1], out),
        Datagen { from_text, .. } if !from_text.is_empty() => {
            convert::from_text(&from_text[0], &from_text[1], strictness)
        }
        Datagen { stats, .. } => stats::show(stats, out),
    }
}

/// A file that took its own place would lose what could not be read of it.
fn refuse_same(input: &Path, output: &Path) -> Result<(), CommandError> {
    let place = |path: &Path| path.canonicalize().ok().filter(|path| path.is_file());
    if place(input).is_some() && place(input) == place(output) {
        return Err(CommandError::Mismatch(format!("{}: input and output must be two files", input.display())));
    }
    Ok(())
}

/// The games of a file.
fn open(path: &Path) -> Result<GameReader<File>, CommandError> {
    let file = File::open(path).map_err(|error| CommandError::File { path: path.to_owned(), error })?;
    GameReader::new(file).map_err(|error| unreadable(path, error))
}

/// Why a file is no file of games.
fn unreadable(path: &Path, error: HeaderError) -> CommandError {
    let path = path.to_owned();
    match error {
        HeaderError::Unreadable(error) => CommandError::File { path, error },
        error => CommandError::Unusable { path, fault: error.to_string() },
    }
}

/// Faults of a file as they are found.
struct Faults<'a> {
    path: &'a Path,
    count: u64,
}

impl Faults<'_> {
    fn tell(&mut self, fault: &impl std::fmt::Display) {
        self.count += 1;
        if self.count <= FAULTS_NAMED {
            eprintln!("chuhe: {}: {fault}", self.path.display());
        }
    }

    /// Tells how many there were if they were not all named.
    fn close(self) {
        if self.count > FAULTS_NAMED {
            eprintln!("chuhe: {}: {} faults in all", self.path.display(), self.count);
        }
    }
}
