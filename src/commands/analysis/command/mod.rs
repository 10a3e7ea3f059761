//! The `analyze` command.

mod games;
mod input;
mod position;
mod profile;
mod suite;

use std::io::StdoutLock;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::console::args::{NotationArgs, rule_set};
use crate::console::error::CommandError;
use crate::console::input::Games;
use crate::console::note;
use crate::console::output::refuse_replacing;
use crate::console::progress::cancel_on_request_while;
use crate::engine::{DEFAULT_HASH_MEGABYTES, Engine, MAX_HASH_MEGABYTES, MAX_MULTI_PV};
use crate::notation::Dialect;
use crate::position::Strictness;
use crate::rules::RuleSet;
use crate::search::{Limits, MAX_DEPTH, MAX_THREADS};
use crate::util::atomic_file::{check_writable, write_atomically};
use crate::util::cancel::CancelFlag;
use input::Input;

/// Text after the options in the help.
pub const HELP: &str = "\
Without a limit a position gets 5 seconds, a problem of a suite 1 second, each position of a game
0.5 seconds. Of several limits the first one reached ends the search. With a score of +1.00 every
other game of Chuhe with itself is won; scores are for the side to move, those of a game for Red. Winning
chances count a draw as a half.

A suite is a file of lines 'FEN bm MOVES;', 'FEN am MOVES;' or 'FEN dm N;', optionally with 'id NAME;'.
'dm N' is solved by any mate in at most N moves with a complete line; --solver mate proves it with the mate
solver (see 'chuhe mate'). The last line of output is
'N positions, M solved'; the exit status is 0 whatever was solved.

A list of moves is read in any notation, UTF-8 or GBK, with or without move numbers, on one line or many,
from the start position or after 'startpos moves', 'FEN moves' or a line with a FEN.

Moves of a game that lose 5, 10 or 20 % of the winning chance are marked ?!, ? and ??.
The accuracy of a move is 100 · e^(-5 · loss) %, that of a side the mean of its moves.

Examples:
  chuhe analyze                          the start position
  chuhe analyze '3ak4/9/9/9/9/9/9/9/4A4/4K3R w' --depth 12 --multipv 3 --chinese
  chuhe analyze startpos h2e2 h9g7 --movetime 20000 --threads 0 --hash 256
  echo 炮二平五 马8进7 | chuhe analyze - --depth 12 --chinese
  chuhe analyze - --nodes 100000 --json < positions.txt
  chuhe analyze --suite mates.epd --movetime 2000 --threads 4
  chuhe analyze --suite mates.epd --solver mate --nodes 2000000
  chuhe analyze --suite tests.epd --nodes 100000 --explain             why problems are missed
  chuhe analyze game.xqf --chinese --report game.html
  chuhe analyze games --chinese --movetime 200 --pgn analysed.pgn      all games of a folder
  chuhe analyze --profile 'Hu Ronghua' games --nodes 20000 --report hu.html";

/// Arguments of `analyze`.
#[derive(Args, Debug)]
pub struct Analyze {
    /// A FEN, 'startpos', a file with a game (list of moves, PGN, XQF, CBR, CBL, DhtmlXQ), a suite or FENs, a folder of
    /// games for --pgn or --profile, or '-' for a game or FENs, one per line, on standard input.
    #[arg(conflicts_with = "suite")]
    input: Option<String>,
    /// Moves played after the position, such as h2e2, or more files and folders for --profile.
    moves: Vec<String>,
    /// Solve the problems of this file.
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,
    /// Solver of a suite: the search of the engine, or the mate solver for problems with 'dm', to which --depth does
    /// not apply.
    #[arg(long, value_name = "SOLVER", value_enum, default_value_t = Solver::Search, requires = "suite")]
    solver: Solver,
    /// Explain each missed problem of a suite: the solution and the move chosen with their lines, the evaluation term
    /// by term at both ends, and the depth and nodes at which a search of 16 times the nodes finds the solution.
    #[arg(long, requires = "suite")]
    explain: bool,
    /// Number of the game in the file, from 1.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    game: Option<u64>,
    /// Review all games of the player of this name (tags Red and Black) in files and folders and report on the player:
    /// results, accuracy by phase, openings, missed tactics, attack. Part of a name is enough if it fits one player.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["suite", "game", "pgn"])]
    profile: Option<String>,
    /// Write the analysis of a game, or the profile of a player, to this HTML file.
    #[arg(long, value_name = "FILE", conflicts_with = "suite")]
    report: Option<PathBuf>,
    /// Write the analysed games, with scores and better lines, to this PGN file, or to standard output for '-': all
    /// games of the input, which may also be a folder, or the one of --game.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["suite", "report"])]
    pgn: Option<PathBuf>,
    /// Depth of the search in plies.
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u16).range(1..=MAX_DEPTH as i64))]
    depth: Option<u16>,
    /// Time of the search in milliseconds.
    #[arg(long, value_name = "MILLISECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// Nodes of the search.
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Number of best lines of a position.
    #[arg(long, value_name = "LINES", default_value_t = 1, conflicts_with = "suite",
        value_parser = clap::value_parser!(u16).range(1..=MAX_MULTI_PV as i64))]
    multipv: u16,
    /// Threads that search a position, or problems of a suite searched at once; 0 is all cores.
    #[arg(long, value_name = "THREADS", default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(0..=MAX_THREADS as i64))]
    threads: u16,
    /// Transposition table in megabytes; in a suite for each thread.
    #[arg(long, value_name = "MEGABYTES", default_value_t = DEFAULT_HASH_MEGABYTES as u64,
        value_parser = clap::value_parser!(u64).range(1..=MAX_HASH_MEGABYTES as u64))]
    hash: u64,
    /// Rules of repetition.
    #[arg(long, value_name = "RULES", default_value = RuleSet::default().name(), ignore_case = true,
        value_parser = rule_set())]
    rules: RuleSet,
    /// Print JSON, one object per line.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    notation: NotationArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Solver {
    Search,
    Mate,
}

/// Data shared by the parts of the command.
struct AnalysisTask<'a> {
    args: &'a Analyze,
    dialect: Dialect,
    strictness: Strictness,
    interrupt: CancelFlag,
    /// True if a result can still be printed after an interrupt.
    is_busy: Arc<AtomicBool>,
}

impl AnalysisTask<'_> {
    /// Returns the given limits, or the default time without any.
    fn limits(&self, default: Duration) -> Limits {
        let args = self.args;
        Limits {
            depth: args.depth.map(usize::from),
            nodes: args.nodes,
            move_time: args.movetime.map(Duration::from_millis),
            multi_pv: usize::from(args.multipv),
            ..Limits::default()
        }
        .or_time(default)
    }

    fn engine(&self, threads: u16) -> Result<Engine, CommandError> {
        let mut engine = Engine::with_hash(usize::try_from(self.args.hash).unwrap_or(MAX_HASH_MEGABYTES))?;
        engine.configure(|options| {
            options.threads = usize::from(threads);
            options.rule_set = self.args.rules;
            // No clock is running.
            options.move_overhead_ms = 0;
            options.strictness = self.strictness;
        })?;
        Ok(engine)
    }

    /// Returns an error if the user requested the interrupt.
    fn check_interrupt(&self) -> Result<(), CommandError> {
        if self.interrupt.is_cancelled() { Err(CommandError::Interrupted) } else { Ok(()) }
    }

    /// Reports a page that cannot be written, or would replace this input, before the analysis, not after.
    fn check_report(&self, input: &Path) -> Result<(), CommandError> {
        let Some(report) = &self.args.report else { return Ok(()) };
        refuse_replacing("--report", report, [input])?;
        check_writable(report).map_err(CommandError::in_file(report))
    }

    /// Writes the page if one is wanted.
    fn write_report(&self, html: impl FnOnce() -> String) -> Result<(), CommandError> {
        let Some(report) = &self.args.report else { return Ok(()) };
        write_atomically(report, html().as_bytes()).map_err(CommandError::in_file(report))?;
        note!("the report is in {}", report.display());
        Ok(())
    }
}

/// Ends work whose rows cannot be printed any more, and keeps the error.
fn go_on(printed: Result<(), CommandError>, failure: &mut Result<(), CommandError>) -> ControlFlow<()> {
    let is_printed = printed.is_ok();
    *failure = printed;
    if is_printed { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

/// Runs the command. Ctrl-C ends it with the result so far; a second one ends it at once.
pub fn analyze(args: &Analyze, strictness: Strictness, mut out: StdoutLock<'static>) -> Result<(), CommandError> {
    // While waiting for input there is no result to print.
    let is_busy = Arc::new(AtomicBool::new(false));
    let interrupt = cancel_on_request_while(&is_busy);
    let task = AnalysisTask { args, dialect: args.notation.dialect(), strictness, interrupt, is_busy };
    let fault = |text: &str| Err(CommandError::Mismatch(text.to_owned()));
    let (is_suite, is_proof) = (args.suite.is_some(), args.solver == Solver::Mate);
    let faults = [
        // Beside an input the parser does not ask for the suite that it conflicts with.
        (is_proof && !is_suite, "--solver mate needs --suite"),
        (args.explain && !is_suite, "--explain needs --suite FILE"),
        (is_proof && args.depth.is_some(), "--depth does not apply to --solver mate; limit it by --nodes"),
        (is_proof && args.explain, "--explain shows what the search sees; it does not apply to --solver mate"),
    ];
    if let Some((_, text)) = faults.iter().find(|(is_fault, _)| *is_fault) {
        return fault(text);
    }
    if let Some(player) = &args.profile {
        task.is_busy.store(true, Relaxed);
        return profile::analyze(&task, player, &mut out);
    }
    let input = Input::detect(args, strictness)?;
    // A suite is read to its end first.
    task.is_busy.store(!matches!(input, Input::Suite(_)), Relaxed);
    if !matches!(input, Input::Games(..) | Input::Folder(..)) {
        let options =
            [("--report", args.report.is_some()), ("--game", args.game.is_some()), ("--pgn", args.pgn.is_some())];
        if let Some((option, _)) = options.iter().find(|(_, is_given)| *is_given) {
            return fault(&format!("{option} needs a file with a game"));
        }
    }
    match (input, &args.pgn) {
        (Input::Position(position), _) => position::analyze(&task, [Ok(*position)], &mut out),
        (Input::Fens(lines), _) => position::analyze(&task, lines, &mut out),
        (Input::Suite(path), _) => suite::solve(&task, &path, &mut out),
        (Input::Games(games), None) => games::analyze_one_of(&task, games, &mut out),
        (Input::Games(games), Some(output)) => {
            games::analyze_all(&task, &[games.name().to_owned()], [Ok(games)].into_iter(), output, &mut out)
        }
        (Input::Folder(_), Some(_)) if args.game.is_some() => fault("--game needs a file with games, not a folder"),
        (Input::Folder(folder), Some(output)) => {
            let files = games::files_of(&folder)?;
            let games = files.iter().map(|file| Games::open(file, strictness));
            games::analyze_all(&task, &files, games, output, &mut out)
        }
        (Input::Folder(_), None) => fault("the games of a folder are analysed with --pgn FILE or --profile NAME"),
    }
}
