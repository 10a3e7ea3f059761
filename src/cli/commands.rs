//! What the commands do.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use thiserror::Error;

use super::args::{Arguments, Command};
use super::convert::Conversion;
use super::notation::MoveWords;
use super::{analyze, judge, notation, show, upkeep};
use crate::engine::{Engine, EngineError, bench};
use crate::eval;
use crate::notation::format::Format;
use crate::notation::game::GameError;
use crate::notation::{Dialect, NotationError};
use crate::position::{FenError, PlayError, Position, START_FEN, Strictness, perft, perft_by_making, perft_divided};
use crate::protocol::{self, Output};
use crate::rules::{Rules, Verdict};

/// Why a command failed.
#[derive(Debug, Error)]
pub enum Failure {
    /// A position could not be read.
    #[error("invalid position: {0}")]
    Position(#[from] FenError),
    /// A move could not be played.
    #[error("invalid move: {0}")]
    Move(#[from] PlayError),
    /// A move in any notation could not be read.
    #[error("invalid move: ply {ply}, {error}")]
    Notation {
        /// Which move of the list, 1 for the first.
        ply: usize,
        /// What is wrong with it.
        error: NotationError,
    },
    /// A file could not be opened, read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What happened.
        error: io::Error,
    },
    /// Results do not agree with those expected, or there are none; the details were printed.
    #[error("{wrong} of {all} {things} disagree")]
    Disagreement {
        /// How many.
        wrong: usize,
        /// Of how many.
        all: usize,
        /// Of what.
        things: &'static str,
    },
    /// Nothing tells which format a file of games has.
    #[error("{}: the format of the games is not known; name it with --from", path.display())]
    UnknownFormat {
        /// Which file.
        path: PathBuf,
    },
    /// A format that is only read was to be written.
    #[error("{0} files are only read; choose another format with --to")]
    ReadOnlyFormat(&'static str),
    /// No game of a file could be read; the faults were told.
    #[error("{}: no game could be read", path.display())]
    NoGame {
        /// Which file.
        path: PathBuf,
    },
    /// The program does not work as it should; the details were printed.
    #[error("{failed} of {all} checks failed; please report it with all that stands above")]
    SelfTest {
        /// How many.
        failed: usize,
        /// Of how many.
        all: usize,
    },
    /// A game of a file could not be read.
    #[error("{}: {error}", path.display())]
    Game {
        /// Which file.
        path: PathBuf,
        /// Where and what is wrong.
        error: GameError,
    },
    /// What was asked for does not go with what it was asked of.
    #[error("{0}")]
    Mismatch(String),
    /// What a file holds is of no use.
    #[error("{}: {fault}", path.display())]
    Unusable {
        /// Which file.
        path: PathBuf,
        /// Why.
        fault: String,
    },
    /// The user had enough; what was known has been told.
    #[error("interrupted")]
    Interrupted,
    /// The answer could not be written as JSON.
    #[error("cannot write JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The engine could not do it.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The output could not be written.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    /// The exit status that goes with it.
    pub fn exit_status(&self) -> u8 {
        match self {
            Failure::Position(_) | Failure::Move(_) | Failure::Notation { .. } => 3,
            Failure::Mismatch(_) => 2,
            // What a shell reports of a program that was ended from the keyboard.
            Failure::Interrupted => 130,
            // Whoever read the output has had enough; nothing went wrong.
            Failure::Output(error) if is_closed_pipe(error) => 0,
            _ => 1,
        }
    }
}

/// Whether the reader at the other end of a pipe has gone.
fn is_closed_pipe(error: &io::Error) -> bool {
    /// What Windows says when a pipe is being closed, or was.
    const WINDOWS_CODES: [i32; 2] = [232, 233];
    error.kind() == io::ErrorKind::BrokenPipe
        || (cfg!(windows) && error.raw_os_error().is_some_and(|code| WINDOWS_CODES.contains(&code)))
}

/// Does what the arguments ask for.
///
/// # Errors
/// [`Failure`] says what went wrong and which exit status tells so.
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    start_log(arguments.log.as_deref())?;
    let strictness = if arguments.lax { Strictness::Lax } else { Strictness::Strict };
    let mut out = io::stdout().lock();
    match arguments.command {
        None => {
            drop(out);
            speak(strictness)?;
        }
        Some(Command::Perft { file: Some(path), no_bulk, .. }) => {
            check_perft_file(&path, strictness, no_bulk, &mut out)?
        }
        Some(Command::Perft { depth, fen, divide, no_bulk, file: None }) => {
            let position = read_position(fen.as_deref(), strictness)?;
            count_perft(position, usize::from(depth.unwrap_or(0)), divide, no_bulk, &mut out)?;
        }
        Some(Command::Bench { depth }) => run_bench(usize::from(depth), &mut out)?,
        Some(Command::Eval { fen }) => {
            let position = read_position(fen.as_deref(), strictness)?;
            out.write_all(eval::table(&position).as_bytes())?;
        }
        Some(Command::Judge { fen, moves, rules, natural_limit, json, file }) => {
            let usual = Rules::of(rules);
            let rules = Rules { move_limit: natural_limit.unwrap_or(usual.move_limit), ..usual };
            match file {
                Some(path) => check_judge_file(&path, strictness, rules, &mut out)?,
                None => judge_game(fen.as_deref(), &moves, strictness, rules, json, &mut out)?,
            }
        }
        Some(Command::Convert { input, output, notation, from, to }) => {
            let format = |name: Option<String>| name.and_then(|name| Format::from_name(&name));
            let dialect = notation.and_then(|name| Dialect::from_name(&name));
            let (from, to) = (format(from), format(to));
            Conversion { input, output, from, to, dialect, strictness }.run(&mut out)?;
        }
        Some(Command::Notation { fen, moves, json }) => write_moves(&fen, &moves, strictness, json, &mut out)?,
        Some(Command::Show(wanted)) => {
            let position = read_game(wanted.fen.as_deref(), &wanted.moves, strictness)?;
            show::show(&wanted, &position, out)?;
        }
        Some(Command::Upkeep(command)) => upkeep::run(&command, &mut out)?,
        Some(Command::Analyze(wanted)) => analyze::analyze(&wanted, strictness, out)?,
    }
    Ok(())
}

/// Sets up the log: to standard error, or to a file that is appended to. `RUST_LOG` chooses what is logged.
fn start_log(path: Option<&Path>) -> Result<(), Failure> {
    let environment = env_logger::Env::default().default_filter_or(if path.is_some() { "debug" } else { "warn" });
    let mut builder = env_logger::Builder::from_env(environment);
    if let Some(path) = path {
        let file = File::options()
            .create(true)
            .append(true)
            .open(path)
            .map_err(|error| Failure::File { path: path.to_owned(), error })?;
        builder.target(env_logger::Target::Pipe(Box::new(file)));
    }
    // Fails only when a log was set up before, which then stays.
    let _ = builder.try_init();
    Ok(())
}

fn speak(strictness: Strictness) -> Result<(), Failure> {
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        eprintln!("Chuhe {} speaks UCCI: type 'ucci', or see 'chuhe --help'.", env!("CARGO_PKG_VERSION"));
    }
    let mut engine = Engine::new()?;
    if strictness == Strictness::Lax {
        engine.set_option("laxfen", "true")?;
    }
    let ended = protocol::run(io::stdin(), Output::new(io::stdout()), engine);
    log::info!("the session ended: {ended:?}");
    Ok(())
}

pub(super) fn read_position(fen: Option<&str>, strictness: Strictness) -> Result<Position, Failure> {
    let Some(fen) = fen else { return Ok(Position::start()) };
    let parsed = Position::parse_fen(fen, strictness)?;
    for warning in parsed.warnings {
        eprintln!("chuhe: {warning}");
    }
    Ok(parsed.position)
}

/// The position after these moves. Each argument may hold several words, the word `moves` may stand before the moves,
/// and a FEN may be spread over several arguments: its fields are all that stands before the first move.
pub(super) fn read_game(fen: Option<&str>, moves: &[String], strictness: Strictness) -> Result<Position, Failure> {
    let words: Vec<&str> =
        fen.into_iter().chain(moves.iter().map(String::as_str)).flat_map(str::split_ascii_whitespace).collect();
    let is_field = |word: &&str| {
        let looks_like_move = word.len() > 3 && word.chars().any(|letter| letter.is_ascii_alphabetic());
        !looks_like_move && !word.eq_ignore_ascii_case("moves")
    };
    let has_fields = words.first().is_some_and(|word| word.contains('/'));
    let more_fields = words.iter().skip(1).take_while(|word| has_fields && is_field(word)).count();
    let fields = more_fields + usize::from(!words.is_empty());
    let fen = fen.map(|_| words[..fields].join(" "));
    let mut position = read_position(fen.as_deref().map(setup), strictness)?;
    let skipped = words.get(fields).is_some_and(|word| word.eq_ignore_ascii_case("moves"));
    position.play(words[fields + usize::from(skipped)..].iter().copied())?;
    Ok(position)
}

/// The FEN that a text stands for: `startpos` is the start of the game.
fn setup(fen: &str) -> &str {
    if fen.trim().eq_ignore_ascii_case("startpos") { START_FEN } else { fen }
}

fn counter(no_bulk: bool) -> fn(&mut Position, usize) -> u64 {
    if no_bulk { perft_by_making } else { perft }
}

fn count_perft(
    mut position: Position,
    depth: usize,
    divide: bool,
    no_bulk: bool,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let count = counter(no_bulk);
    let start = Instant::now();
    let total = if divide && depth > 0 {
        let parts = perft_divided(&mut position, depth, count);
        for (mv, nodes) in &parts {
            writeln!(out, "{mv} {nodes}")?;
        }
        parts.iter().map(|(_, nodes)| nodes).sum()
    } else {
        count(&mut position, depth)
    };
    let elapsed = start.elapsed().as_secs_f64();
    writeln!(out, "perft({depth}) {total}")?;
    writeln!(out, "{elapsed:.3} s, {:.1} million nodes/s", total as f64 / elapsed.max(1e-9) / 1e6)?;
    Ok(())
}

fn check_perft_file(path: &Path, strictness: Strictness, no_bulk: bool, out: &mut impl Write) -> Result<(), Failure> {
    let count = counter(no_bulk);
    check_file(path, "positions", out, |line| check_perft_line(line, strictness, count))
}

/// Checks every line of a file but empty ones and remarks, prints what is wrong and how many of what agree.
fn check_file(
    path: &Path,
    things: &'static str,
    out: &mut impl Write,
    check: impl Fn(&str) -> Result<(), String>,
) -> Result<(), Failure> {
    let in_file = |error| Failure::File { path: path.to_owned(), error };
    let (mut all, mut wrong) = (0, 0);
    for (number, line) in BufReader::new(File::open(path).map_err(in_file)?).split(b'\n').enumerate() {
        let line = line.map_err(in_file)?;
        let text = String::from_utf8(line).map_err(|_| "this is no UTF-8 text".to_owned());
        // Some editors put a mark before the first line.
        let text = text.map(|text| text.trim_start_matches('\u{feff}').trim_end_matches('\r').to_owned());
        if text.as_ref().is_ok_and(|text| text.trim().is_empty() || text.starts_with('#')) {
            continue;
        }
        all += 1;
        if let Err(fault) = text.and_then(|text| check(&text)) {
            wrong += 1;
            writeln!(out, "{}, line {}: {fault}", path.display(), number + 1)?;
        }
    }
    writeln!(out, "{all} {things}, {} agree", all - wrong)?;
    if wrong > 0 || all == 0 { Err(Failure::Disagreement { wrong, all, things }) } else { Ok(()) }
}

/// Checks `FEN<TAB>n1 n2 …`; the first fault found otherwise.
pub(super) fn check_perft_line(
    line: &str,
    strictness: Strictness,
    count: fn(&mut Position, usize) -> u64,
) -> Result<(), String> {
    let (fen, expected) = line.split_once('\t').ok_or("a tab is missing after the FEN")?;
    let mut position = Position::parse_fen(fen, strictness).map_err(|error| error.to_string())?.position;
    if expected.trim().is_empty() {
        return Err("no counts stand after the FEN".to_owned());
    }
    for (depth, text) in expected.split_ascii_whitespace().enumerate() {
        let wanted: u64 = text.parse().map_err(|_| format!("'{text}' is no count"))?;
        let found = count(&mut position, depth + 1);
        if found != wanted {
            return Err(format!("depth {}: {found} instead of {wanted} from {fen}", depth + 1));
        }
    }
    Ok(())
}

fn run_bench(depth: usize, out: &mut impl Write) -> Result<(), Failure> {
    let mut written = Ok(());
    let mut number = 0;
    let total = bench::bench(depth, |position, count| {
        number += 1;
        let line = writeln!(
            out,
            "{number:>3}/{} {:>10} nodes {:>8.1} ms  {position}",
            bench::POSITIONS.len(),
            count.nodes,
            count.elapsed.as_secs_f64() * 1e3
        );
        // Nobody may be reading any more.
        let goes_on = line.is_ok();
        written = line;
        if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    written?;
    writeln!(out, "total nodes {}", total.nodes)?;
    writeln!(out, "time {} ms", total.elapsed.as_millis())?;
    writeln!(out, "{} nodes/s", total.nodes_per_second())?;
    Ok(())
}

fn judge_game(
    fen: Option<&str>,
    moves: &[String],
    strictness: Strictness,
    rules: Rules,
    as_json: bool,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let position = read_game(fen, moves, strictness)?;
    if as_json {
        writeln!(out, "{}", judge::json(rules, &position)?)?;
    } else {
        out.write_all(judge::text(rules, &position).as_bytes())?;
    }
    Ok(())
}

fn write_moves(
    fen: &str,
    moves: &[String],
    strictness: Strictness,
    as_json: bool,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let mut position = read_position(Some(setup(fen)), strictness)?;
    let mut played = Vec::new();
    for (index, text) in moves.iter().flat_map(|moves| moves.split_whitespace()).enumerate() {
        let ply = index + 1;
        let mv = crate::notation::read(&position, text).map_err(|error| Failure::Notation { ply, error })?;
        played.push(MoveWords::of(&position, ply, mv));
        position.make(mv);
    }
    let text = if as_json { notation::json(&played)? } else { notation::table(&played) };
    out.write_all(text.as_bytes())?;
    Ok(())
}

fn check_judge_file(path: &Path, strictness: Strictness, rules: Rules, out: &mut impl Write) -> Result<(), Failure> {
    check_file(path, "cases", out, |line| check_judge_line(line, strictness, rules))
}

/// Checks `id<TAB>FEN<TAB>moves<TAB>verdict`; more columns may follow.
pub(super) fn check_judge_line(line: &str, strictness: Strictness, rules: Rules) -> Result<(), String> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [id, fen, moves, expected, ..] = columns[..] else {
        return Err("id, FEN, moves and verdict with tabs between are wanted".to_owned());
    };
    let fault = |what: String| format!("{id}: {what}");
    let expected = expected.trim();
    if !Verdict::WORDS.contains(&expected) {
        return Err(fault(format!("'{expected}' is no verdict")));
    }
    let parsed =
        Position::parse_fen(setup(fen), strictness).map_err(|error| fault(format!("invalid position: {error}")))?;
    let mut position = parsed.position;
    position.play(moves.split_ascii_whitespace()).map_err(|error| fault(error.to_string()))?;
    let verdict = rules.verdict(&position);
    if verdict.word() == expected {
        return Ok(());
    }
    let reason = verdict.reason().map_or(String::new(), |reason| format!(" ({reason})"));
    Err(fault(format!("{}{reason} instead of {expected}", verdict.word())))
}
