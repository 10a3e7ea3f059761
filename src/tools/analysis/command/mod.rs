//! The `analyze` command: what is wanted, and who does it.

mod game;
mod input;
mod page;
mod position;
mod score;
mod suite;

use std::io::StdoutLock;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::console::args::rule_set;
use crate::console::error::CommandError;
use crate::console::interrupt;
use crate::engine::{DEFAULT_HASH_MEGABYTES, Engine, EngineError, MAX_HASH_MEGABYTES, MAX_MULTI_PV};
use crate::notation::Dialect;
use crate::position::Strictness;
use crate::rules::RuleSet;
use crate::search::{Limits, MAX_DEPTH, MAX_THREADS};
use crate::util::cancel::Interrupt;
use input::Input;

/// What stands below the options in the help.
pub const HELP: &str = "\
Without a limit a position gets 5 seconds, a problem of a suite 1 second, each position of a game
0.5 seconds. Of several limits the first that is reached counts. Scores are in pawns, for the side to
move; those of a game are for Red. Winning chances count a draw as a half.

A suite is a file of lines 'FEN bm MOVES;', 'FEN am MOVES;' or 'FEN dm N;', with 'id NAME;' if they
are to have names. 'dm N' is solved by any mate in at most N moves that is shown to its end. Its last
line of output is 'N positions, M solved'; it ends with status 0 whatever was solved.

Moves of a game that throw away 5, 10 or 20 % of the winning chance are marked ?!, ? and ??.
The accuracy of a move is 100 · e^(-5 · loss) %, that of a side the mean of its moves.

Examples:
  chuhe analyze                          the start position
  chuhe analyze '3ak4/9/9/9/9/9/9/9/4A4/4K3R w' --depth 12 --multipv 3 --chinese
  chuhe analyze startpos h2e2 h9g7 --movetime 20000 --threads 0 --hash 256
  chuhe analyze - --nodes 100000 --json < positions.txt
  chuhe analyze --suite mates.epd --movetime 2000 --threads 4
  chuhe analyze game.xqf --chinese --report game.html";

/// What `analyze` is asked for.
#[derive(Args, Debug)]
pub struct Analyze {
    /// A FEN, 'startpos', a file with a game (PGN, XQF, DhtmlXQ, list of moves), a suite or FENs, or '-' for FENs on
    /// standard input, one a line.
    #[arg(conflicts_with = "suite")]
    pub input: Option<String>,
    /// The moves played after the position, such as h2e2.
    pub moves: Vec<String>,
    /// Solve the problems of this file.
    #[arg(long, value_name = "FILE")]
    pub suite: Option<PathBuf>,
    /// Which game of the file, 1 for the first.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    pub game: Option<u64>,
    /// Write the analysis of a game as a page to this file.
    #[arg(long, value_name = "FILE", conflicts_with = "suite")]
    pub report: Option<PathBuf>,
    /// Search so many plies deep.
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u16).range(1..=MAX_DEPTH as i64))]
    pub depth: Option<u16>,
    /// Search so many milliseconds.
    #[arg(long, value_name = "MILLISECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub movetime: Option<u64>,
    /// Search so many nodes.
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// How many best lines of a position are wanted.
    #[arg(long, value_name = "LINES", default_value_t = 1, conflicts_with = "suite",
        value_parser = clap::value_parser!(u16).range(1..=MAX_MULTI_PV as i64))]
    pub multipv: u16,
    /// How many threads search a position, or how many problems of a suite are searched at once; 0 is all the machine
    /// has.
    #[arg(long, value_name = "THREADS", default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(0..=MAX_THREADS as i64))]
    pub threads: u16,
    /// Memory for what a search remembers, in megabytes; in a suite for each thread.
    #[arg(long, value_name = "MEGABYTES", default_value_t = DEFAULT_HASH_MEGABYTES as u64,
        value_parser = clap::value_parser!(u64).range(1..=MAX_HASH_MEGABYTES as u64))]
    pub hash: u64,
    /// The law of repetition.
    #[arg(long, value_name = "RULES", default_value = RuleSet::default().name(),
        value_parser = PossibleValuesParser::new(RuleSet::NAMED.map(|(name, _)| name)).try_map(rule_set))]
    pub rules: RuleSet,
    /// Print JSON, one object a line.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    notation: Notation,
}

/// How moves are written.
#[derive(Args, Debug)]
#[group(multiple = false)]
struct Notation {
    /// Write moves in Chinese, 炮二平五.
    #[arg(long)]
    chinese: bool,
    /// Write moves as the World Xiangqi Federation does, C2.5.
    #[arg(long)]
    wxf: bool,
    /// Write moves as H2-E2.
    #[arg(long)]
    iccs: bool,
}

impl Analyze {
    fn dialect(&self) -> Dialect {
        match &self.notation {
            Notation { chinese: true, .. } => Dialect::Chinese,
            Notation { wxf: true, .. } => Dialect::Wxf,
            Notation { iccs: true, .. } => Dialect::Iccs,
            _ => Dialect::Coordinate,
        }
    }

    /// The limits that were given, or this time when there are none.
    fn limits(&self, usual: Duration) -> Limits {
        let limits = Limits {
            depth: self.depth.map(usize::from),
            nodes: self.nodes,
            move_time: self.movetime.map(Duration::from_millis),
            multi_pv: usize::from(self.multipv),
            ..Limits::default()
        };
        let has_limit = limits.depth.is_some() || limits.nodes.is_some() || limits.move_time.is_some();
        Limits { move_time: if has_limit { limits.move_time } else { Some(usual) }, ..limits }
    }

    fn engine(&self, threads: u16, strictness: Strictness) -> Result<Engine, EngineError> {
        let mut engine = Engine::with_hash(usize::try_from(self.hash).unwrap_or(MAX_HASH_MEGABYTES))?;
        engine.set_option("threads", &threads.to_string())?;
        engine.set_option("rules", self.rules.name())?;
        // Nothing waits for the answer by a clock.
        engine.set_option("moveoverhead", "0")?;
        if strictness == Strictness::Lax {
            engine.set_option("laxfen", "true")?;
        }
        Ok(engine)
    }
}

/// Everything the parts of the command need to know.
struct Task<'a> {
    wanted: &'a Analyze,
    strictness: Strictness,
    interrupt: Interrupt,
    /// Whether there is something that could still be told after an interrupt.
    is_busy: Arc<AtomicBool>,
}

impl Task<'_> {
    fn engine(&self) -> Result<Engine, CommandError> {
        Ok(self.wanted.engine(self.wanted.threads, self.strictness)?)
    }

    /// Fails if the user had enough.
    fn check_interrupt(&self) -> Result<(), CommandError> {
        if self.interrupt.is_requested() { Err(CommandError::Interrupted) } else { Ok(()) }
    }
}

/// Analyzes what is wanted. Ctrl-C ends it after what is known has been told; a second one at once.
pub fn analyze(wanted: &Analyze, strictness: Strictness, mut out: StdoutLock<'static>) -> Result<(), CommandError> {
    let is_busy = Arc::new(AtomicBool::new(true));
    let interrupt = interrupt::from_keyboard(&is_busy);
    let task = Task { wanted, strictness, interrupt, is_busy };
    let input = Input::of(wanted, strictness)?;
    if !matches!(input, Input::Games(..)) {
        let option = [("--report", wanted.report.is_some()), ("--game", wanted.game.is_some())];
        if let Some((option, _)) = option.iter().find(|(_, is_given)| *is_given) {
            return Err(CommandError::Mismatch(format!("{option} needs a file with a game")));
        }
    }
    match input {
        Input::Position(position) => position::analyze(&task, [Ok(*position)], &mut out),
        Input::Fens(lines) => position::analyze(&task, lines, &mut out),
        Input::Suite(path) => suite::solve(&task, &path, &mut out),
        Input::Games(path, format) => game::analyze(&task, &path, format, &mut out),
    }
}
