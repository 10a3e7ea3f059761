//! The `analyze` command: its arguments, and the analysis of positions.

mod games;
mod input;
mod profile;
mod suite;

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use anstream::AutoStream;
use clap::{Args, ValueEnum};

use super::text::{self, percent, with_line};
use super::{Analysis, analyze_position, winning_chance};
use crate::console::chinese::Terminal;
use crate::console::{
    Board, BoardStyle, CommandError, Games, JsonArg, LimitArgs, NotationArgs, Object, Result, RulesArg,
    cancel_on_request_while, is_stream, note, write_json,
};
use crate::engine::{DEFAULT_HASH_MEGABYTES, Engine, EngineError, MAX_HASH_MEGABYTES, MAX_MULTI_PV};
use crate::eval::WinModel;
use crate::notation::game::GameError;
use crate::notation::{Dialect, write_line};
use crate::position::{Position, Strictness};
use crate::search::{Limits, MAX_DEPTH, MAX_THREADS, Outcome};
use crate::util::cancel::CancelFlag;
use input::Input;

pub const HELP: &str = "\
Without a limit a position gets 5 seconds, a problem of a suite 1 second, each position of a game
0.5 seconds. Of several limits the first one reached ends the search. With a score of +1.00 every
other game of Chuhe with itself is won; scores are for the side to move, those of a game for Red. Winning
chances count a draw as a half.

A suite is a file of lines 'FEN bm MOVES;', 'FEN am MOVES;' or 'FEN dm N;', optionally with 'id NAME;', that
is called *.epd or has such lines near its beginning.
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
  chuhe analyze mates.epd --movetime 2000 --threads 4
  chuhe analyze tests.epd --nodes 100000 --explain           why problems are missed
  chuhe analyze game.xqf --chinese --report game.html
  chuhe analyze games --chinese --movetime 200 --pgn analysed.pgn      all games of a folder
  chuhe analyze --profile 'Hu Ronghua' games --nodes 20000";

#[derive(Args, Debug)]
pub struct Analyze {
    /// A FEN, 'startpos', a file with a game (list of moves, PGN, XQF, CBR, CBL, DhtmlXQ), a suite or FENs, a folder of
    /// games for --pgn or --profile, or '-' for a game or FENs, one per line, on standard input.
    input: Option<String>,
    /// Moves played after the position, such as h2e2, or more files and folders for --profile.
    moves: Vec<String>,
    /// Solver of a suite: the search of the engine, or the mate solver for problems with 'dm', to which --depth does
    /// not apply.
    #[arg(long, value_name = "SOLVER", value_enum, default_value_t = Solver::Search)]
    solver: Solver,
    /// Explain each missed problem of a suite: the solution and the move chosen with their lines, the evaluation term
    /// by term at both ends, and the depth and nodes at which a search of 16 times the nodes finds the solution.
    #[arg(long)]
    explain: bool,
    /// Number of the game in the file, from 1.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    game: Option<u64>,
    /// Review all games of the player of this name (tags Red and Black) in files and folders and report on the player:
    /// results, accuracy by phase, openings, missed tactics, attack. Part of a name is enough if it fits one player.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["game", "pgn", "report", "explain"])]
    profile: Option<String>,
    /// Write the analysis of a game to this HTML file.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Write the analysed games, with scores and better lines, to this PGN file, or to standard output for '-': all
    /// games of the input, which may also be a folder, or the one of --game.
    #[arg(long, value_name = "FILE", conflicts_with = "report")]
    pgn: Option<PathBuf>,
    /// Depth of the search in plies.
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u16).range(1..=MAX_DEPTH as i64))]
    depth: Option<u16>,
    #[command(flatten)]
    limits: LimitArgs,
    /// Number of best lines of a position.
    #[arg(long, value_name = "LINES", default_value_t = 1,
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
    #[command(flatten)]
    rules: RulesArg,
    #[command(flatten)]
    output: JsonArg,
    #[command(flatten)]
    notation: NotationArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Solver {
    Search,
    Mate,
}

struct AnalysisTask<'a> {
    args: &'a Analyze,
    dialect: Dialect,
    strictness: Strictness,
    interrupt: CancelFlag,
    /// True if a result can still be printed after an interrupt.
    is_busy: Arc<AtomicBool>,
}

impl AnalysisTask<'_> {
    fn limits(&self, default: Duration) -> Limits {
        let args = self.args;
        Limits {
            depth: args.depth.map(usize::from),
            nodes: args.limits.nodes,
            move_time: args.limits.time(),
            multi_pv: usize::from(args.multipv),
            ..Limits::default()
        }
        .or_time(default)
    }

    fn engine(&self, threads: u16) -> Result<Engine, EngineError> {
        let mut engine = Engine::with_hash(usize::try_from(self.args.hash).unwrap_or(MAX_HASH_MEGABYTES))?;
        engine.configure(|options| {
            options.threads = usize::from(threads);
            options.rule_set = self.args.rules.rules;
            // No clock is running.
            options.move_overhead_ms = 0;
            options.strictness = self.strictness;
        })?;
        Ok(engine)
    }

    fn check_interrupt(&self) -> Result {
        CommandError::if_interrupted(&self.interrupt)
    }
}

/// Ends work whose rows cannot be printed any more, and keeps the error.
fn go_on(printed: Result, failure: &mut Result) -> ControlFlow<()> {
    let is_printed = printed.is_ok();
    *failure = printed;
    if is_printed { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

const SOLVER_NEEDS: &str = "--solver mate needs a suite: a file called *.epd, or one with problems such as FEN dm 2;";
const EXPLAIN_NEEDS: &str = "--explain needs a suite: a file called *.epd, or one with problems such as FEN dm 2;";

impl Analyze {
    /// Returns whether standard output is for games.
    pub fn writes_games(&self) -> bool {
        self.pgn.as_deref().is_some_and(is_stream)
    }
}

/// Runs the command. Ctrl-C ends it with the result so far; a second one ends it at once.
pub fn analyze(args: &Analyze, strictness: Strictness, mut out: Terminal) -> Result {
    // While waiting for input there is no result to print.
    let is_busy = Arc::new(AtomicBool::new(false));
    let interrupt = cancel_on_request_while(&is_busy);
    let task = AnalysisTask { args, dialect: args.notation.or(Dialect::Coordinate), strictness, interrupt, is_busy };
    let is_proof = args.solver == Solver::Mate;
    let refuse = |faults: &[(bool, &str)]| match faults.iter().find(|(is_fault, _)| *is_fault) {
        Some((_, text)) => Err(CommandError::Mismatch((*text).to_owned())),
        None => Ok(()),
    };
    refuse(&[
        (is_proof && args.profile.is_some(), SOLVER_NEEDS),
        (is_proof && args.depth.is_some(), "--depth does not apply to --solver mate; limit it by --nodes"),
        (is_proof && args.explain, "--explain shows what the search sees; it does not apply to --solver mate"),
    ])?;
    if let Some(player) = &args.profile {
        task.is_busy.store(true, Relaxed);
        return profile::analyze(&task, player, &mut out);
    }
    let input = Input::detect(args, strictness)?;
    let is_suite = matches!(input, Input::Suite(..));
    // A suite is read to its end first.
    task.is_busy.store(!is_suite, Relaxed);
    let (is_folder, has_games) = (matches!(input, Input::Folder(_)), matches!(input, Input::Games(_)));
    refuse(&[
        (is_proof && !is_suite, SOLVER_NEEDS),
        (args.explain && !is_suite, EXPLAIN_NEEDS),
        (is_suite && args.multipv > 1, "--multipv does not apply to a suite"),
        (args.report.is_some() && !is_folder && !has_games, "--report needs a file with a game"),
        (args.game.is_some() && !has_games, "--game needs a file with games"),
        (args.pgn.is_some() && !is_folder && !has_games, "--pgn needs a file with a game"),
    ])?;
    match (input, &args.pgn) {
        (Input::Position(position), _) => positions(&task, [Ok(*position)], &mut out),
        (Input::Fens(lines), _) => positions(&task, lines, &mut out),
        (Input::Suite(path, reader), _) => suite::solve(&task, &path, reader, &mut out),
        (Input::Games(games), None) => games::analyze_one_of(&task, games, &mut out),
        (Input::Games(games), Some(output)) => {
            games::analyze_all(&task, &[games.name().to_owned()], [Ok(games)].into_iter(), output, &mut out)
        }
        (Input::Folder(folder), Some(output)) => {
            let files = games::files_of(&folder)?;
            let games = files.iter().map(|file| Games::open(file, strictness));
            games::analyze_all(&task, &files, games, output, &mut out)
        }
        (Input::Folder(_), None) => {
            refuse(&[(true, "use --pgn FILE or --profile NAME to analyse the games of a folder")])
        }
    }
}

const DEFAULT_TIME: Duration = Duration::from_secs(5);
/// Moves in a row on a terminal, so that it stays one line; the complete line follows at the end.
const MOVES_IN_A_ROW: usize = 8;

/// Analyzes positions one after another. Lines that cannot be read are reported and skipped.
fn positions(
    task: &AnalysisTask,
    positions: impl IntoIterator<Item = Result<Position, GameError>>,
    out: &mut Terminal,
) -> Result {
    let mut engine = task.engine(task.args.threads)?;
    let (mut analyzed, mut faults) = (0, 0);
    let mut positions = positions.into_iter();
    loop {
        task.is_busy.store(false, Relaxed);
        let Some(position) = positions.next() else { break };
        task.is_busy.store(true, Relaxed);
        match position {
            Ok(position) => {
                if analyzed > 0 && !task.args.output.json {
                    writeln!(out)?;
                }
                analyzed += 1;
                analyze_one(task, &mut engine, position, out)?;
            }
            Err(error) => {
                faults += 1;
                note!("{error}");
            }
        }
        task.check_interrupt()?;
    }
    let input = task.args.input.as_deref().unwrap_or_default();
    if faults > 0 && analyzed == 0 { Err(CommandError::unusable(input, "no position could be read")) } else { Ok(()) }
}

fn analyze_one(task: &AnalysisTask, engine: &mut Engine, position: Position, out: &mut Terminal) -> Result {
    engine.new_game();
    if !task.args.output.json {
        let last_move = position.history().last().map(|played| played.mv);
        let board = Board { position: &position, last_move, style: BoardStyle::default(), flipped: false };
        // `AutoStream` removes the colours unless the output is a terminal.
        let mut text = AutoStream::new(Vec::new(), AutoStream::choice(&io::stdout()));
        write!(text, "{board}\n{}", board.state())?;
        out.write_all(&text.into_inner())?;
        writeln!(out, "\n depth      score    seconds         nodes  nodes/s  line")?;
        out.flush()?;
    }
    let mut failure = Ok(());
    let analysis = analyze_position(engine, position.clone(), &task.limits(DEFAULT_TIME), &task.interrupt, |line| {
        go_on(row(task, &position, line, out).and_then(|()| Ok(out.flush()?)), &mut failure)
    })?;
    failure?;
    print_result(task, &position, &analysis, out)
}

fn per_second(nodes: u64, elapsed: Duration) -> u64 {
    (nodes as f64 / elapsed.as_secs_f64().max(1e-6)) as u64
}

fn row(task: &AnalysisTask, position: &Position, report: &Outcome, out: &mut impl Write) -> Result {
    let Outcome { pv_index, depth, selective_depth, score, nodes, elapsed, line, .. } = report;
    let speed = per_second(*nodes, *elapsed);
    if task.args.output.json {
        let object = Object::default().with("depth", depth).with("selective_depth", selective_depth);
        let object = with_line(object.with("place", pv_index), position, Some(*score), line, task.dialect)
            .with("nodes", nodes)
            .with("milliseconds", elapsed.as_millis())
            .with("nodes_per_second", speed);
        return write_json(out, "iteration", &object);
    }
    let mut moves = write_line(position, line, task.dialect);
    if io::stdout().is_terminal() && moves.len() > MOVES_IN_A_ROW {
        moves.truncate(MOVES_IN_A_ROW);
        moves.push("…".to_owned());
    }
    let (score, seconds) = (text::score(WinModel::of(position).reported(*score)), elapsed.as_secs_f64());
    let (thousands, moves) = (speed / 1000, moves.join(" "));
    Ok(writeln!(out, "{depth:>6} {score:>10} {seconds:>10.2} {nodes:>13} {thousands:>7}k  {moves}")?)
}

fn print_result(task: &AnalysisTask, position: &Position, analysis: &Analysis, out: &mut impl Write) -> Result {
    let outcome = &analysis.outcome;
    if task.args.output.json {
        let with_line = |object, score, line: &[_]| with_line(object, position, Some(score), line, task.dialect);
        let lines = analysis.lines.iter().map(|line| with_line(Object::default(), line.score, &line.line));
        let object = Object::default()
            .with("fen", position.to_string())
            .with("best", outcome.best())
            .with("depth", outcome.finished_depth);
        let object = with_line(object, outcome.score, &outcome.line)
            .with("lines", lines.collect::<Vec<_>>())
            .with("nodes", outcome.nodes)
            .with("milliseconds", outcome.elapsed.as_millis())
            .with("nodes_per_second", per_second(outcome.nodes, outcome.elapsed))
            .with("interrupted", analysis.was_cut_short);
        return write_json(out, "result", &object);
    }
    let line = write_line(position, &outcome.line, task.dialect);
    let Some(best) = line.first() else {
        return Ok(writeln!(out, "\nno move to play")?);
    };
    let side = position.side();
    let score = text::score(WinModel::of(position).reported(outcome.score));
    let chance = percent(winning_chance(outcome.score));
    writeln!(out, "\nbest move   {best}\nscore       {score}, winning chance {chance} for {side}")?;
    Ok(writeln!(out, "line        {}", line.join(" "))?)
}
