//! Small commands: `bench`, `perft`, `eval`, `judge` and `notation`; and checks of results against
//! files of expected results.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use serde_json::json;

use crate::commands::games::{verdict_text, write_notations, write_verdict};
use crate::console::{
    CommandError, Games, JsonArg, Result, RulesArg, input_name, network_in, read_game, read_moves, read_position,
    setup, write_json,
};
use crate::engine::bench;
use crate::eval::network::Network;
use crate::eval::{self, TermValues};
use crate::notation::text_encoding::TextLines;
use crate::position::{Position, Strictness, perft, perft_divided};
use crate::rules::{Rules, Verdict};

pub(super) const BENCH_HELP: &str = "\
Examples:
  chuhe bench
  chuhe bench 13 --threads 2     speed of two threads; only the count of one thread is always the same";

#[derive(Args, Debug)]
pub struct BenchArgs {
    /// Search depth of each position.
    #[arg(default_value_t = bench::DEFAULT_DEPTH as u8,
        value_parser = clap::value_parser!(u8).range(1..=bench::MAX_DEPTH as i64))]
    depth: u8,
    /// Number of search threads; 0 means all cores.
    #[arg(long, default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(0..=crate::search::MAX_THREADS as i64))]
    threads: u16,
    #[command(flatten)]
    output: JsonArg,
    /// Print statistics of the search tree (of the main thread). With an INTERVAL other than 0, one in INTERVAL pruned
    /// nodes and moves is searched all the same, which changes the node count a little.
    #[cfg(feature = "lab")]
    #[arg(long, value_name = "INTERVAL", num_args = 0..=1, require_equals = true, default_missing_value = "0",
        conflicts_with = "json")]
    stats: Option<u64>,
}

pub(super) fn run_bench(args: &BenchArgs, out: &mut impl Write) -> Result {
    let mut engine = bench::engine()?;
    engine.configure(|options| options.threads = usize::from(args.threads))?;
    let (mut written, mut number) = (Ok(()), 0);
    #[cfg(feature = "lab")]
    let mut statistics = crate::lab::tree_statistics::TreeStatistics::new(args.stats, &mut engine);
    #[cfg(not(feature = "lab"))]
    let mut statistics = ();
    let total = bench::bench(&mut engine, usize::from(args.depth), &mut statistics, |position, count| {
        number += 1;
        let (nodes, milliseconds) = (count.nodes, count.elapsed.as_secs_f64() * 1e3);
        written = if args.output.json {
            let fen = position.to_string();
            let object = json!({ "number": number, "fen": fen, "nodes": nodes, "milliseconds": milliseconds });
            write_json(out, "position", &object)
        } else {
            let all = bench::POSITIONS.len();
            writeln!(out, "{number:>3}/{all} {nodes:>10} nodes {milliseconds:>8.1} ms  {position}").map_err(Into::into)
        };
        // The reader of the output may have gone.
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    written?;
    if args.output.json {
        let object = json!({
            "positions": number, "depth": args.depth, "threads": args.threads, "nodes": total.nodes,
            "milliseconds": total.elapsed.as_millis() as u64, "nodes_per_second": total.nodes_per_second(),
        });
        return write_json(out, "bench", &object);
    }
    writeln!(out, "total nodes {}", total.nodes)?;
    writeln!(out, "time {} ms", total.elapsed.as_millis())?;
    writeln!(out, "{} nodes/s", total.nodes_per_second())?;
    #[cfg(feature = "lab")]
    statistics.write(out)?;
    Ok(())
}

pub(super) const PERFT_HELP: &str = "\
Examples:
  chuhe perft 5
  chuhe perft 3 --divide --fen '3ak4/9/9/9/9/9/9/9/4A4/4K3R w'
  chuhe perft --file positions.tsv      lines of FEN, a tab, and the counts at depth 1, 2, ...";

#[derive(Args, Debug)]
pub struct PerftArgs {
    /// Depth in plies.
    #[arg(required_unless_present = "file", value_parser = clap::value_parser!(u8).range(0..=20))]
    depth: Option<u8>,
    /// Start from this position instead of the start position.
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// Print the count below each move.
    #[arg(long)]
    divide: bool,
    /// Check the counts of this file.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["depth", "fen", "divide"])]
    file: Option<PathBuf>,
}

pub(super) fn run_perft(args: PerftArgs, strictness: Strictness, out: &mut impl Write) -> Result {
    if let Some(path) = &args.file {
        return check_file(path, "positions", out, |line| check_perft_line(line, strictness, perft));
    }
    let mut position = read_position(args.fen.as_deref(), strictness)?;
    let depth = usize::from(args.depth.unwrap_or(0));
    let start = Instant::now();
    let total = if args.divide && depth > 0 {
        let parts = perft_divided(&mut position, depth);
        for (mv, nodes) in &parts {
            writeln!(out, "{mv} {nodes}")?;
        }
        parts.iter().map(|(_, nodes)| nodes).sum()
    } else {
        perft(&mut position, depth)
    };
    let elapsed = start.elapsed().as_secs_f64();
    writeln!(out, "perft({depth}) {total}")?;
    writeln!(out, "{elapsed:.3} s, {:.1} million nodes/s", total as f64 / elapsed.max(1e-9) / 1e6)?;
    Ok(())
}

pub(super) const EVAL_HELP: &str = "\
Examples:
  chuhe eval 'rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b'
  chuhe eval --evalfile my.network";

#[derive(Args, Debug)]
pub struct EvalArgs {
    /// Position; the start position if there is none.
    fen: Option<String>,
    /// Use the network in this file instead of the built-in network.
    #[arg(long, value_name = "FILE")]
    evalfile: Option<PathBuf>,
    #[command(flatten)]
    output: JsonArg,
}

pub(super) fn run_eval(args: &EvalArgs, strictness: Strictness, out: &mut impl Write) -> Result {
    let position = read_position(args.fen.as_deref(), strictness)?;
    let network = match &args.evalfile {
        None => Network::embedded(),
        Some(path) => network_in(path)?,
    };
    if args.output.json {
        let side = position.side();
        let TermValues { groups, handcrafted, network } = TermValues::new(&position, &network, side);
        let object = json!({
            "fen": position.to_string(), "side": side, "terms": groups.into_iter().collect::<BTreeMap<_, _>>(),
            "handmade": handcrafted, "network": network,
        });
        return write_json(out, "evaluation", &object);
    }
    Ok(out.write_all(eval::table(&position, &network).as_bytes())?)
}

pub(super) const JUDGE_HELP: &str = "\
The first line is the verdict: red_wins, black_wins, draw or none. The reason follows, and for a
repetition the threats of every move of the cycle.

Examples:
  chuhe judge '3k5/R8/9/9/9/9/9/4K4/9/9 w' a8a9 d9d8 a9a8 d8d9 a8a9 d9d8 a9a8 d8d9
  chuhe judge --json --rules league startpos h2e2 h9g7
  chuhe judge --moves game.txt          moves in any notation, with or without numbers or a FEN
  chuhe judge --file cases.tsv          lines of id, FEN, moves and verdict, separated by tabs";

pub(super) const NOTATION_HELP: &str = "\
The moves are read as those of a list of moves: in every notation that Chuhe writes, with many variants
of characters, and with or without numbers. A move that begins with a dash must come after '--', or in one
argument with other moves before it.

Examples:
  chuhe notation startpos h2e2 h9g7
  chuhe notation startpos '1. 炮二平五 馬8進7 2. R1+1' --json
  chuhe notation '3k5/9/4P4/4P4/4P4/9/9/9/9/4K4 w' 中兵平四";

#[derive(Args, Debug)]
pub struct JudgeArgs {
    /// Position before the first move; 'startpos' is the start position.
    #[arg(required_unless_present_any = ["file", "moves_file"])]
    fen: Option<String>,
    /// Moves of the game, such as h2e2.
    moves: Vec<String>,
    /// Judge the game in this file: a list of moves in any notation, PGN, XQF, CBR, CBL or DhtmlXQ; '-' is standard
    /// input.
    #[arg(long = "moves", value_name = "FILE", conflicts_with_all = ["fen", "moves", "file"])]
    moves_file: Option<PathBuf>,
    /// Number of the game in that file, from 1.
    #[arg(long, value_name = "NUMBER", requires = "moves_file", conflicts_with_all = ["fen", "moves", "file"],
        value_parser = clap::value_parser!(u64).range(1..))]
    game: Option<u64>,
    #[command(flatten)]
    rules: RulesArg,
    /// Natural move limit in counted plies, 1 to 1000; by default that of the rules, 120, or 100 for league and axf.
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u16).range(1..=1000))]
    natural_limit: Option<u16>,
    #[command(flatten)]
    output: JsonArg,
    /// Check the verdicts (red_wins, black_wins, draw or none) of this file; exit status 1 unless all agree.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "moves", "json"])]
    file: Option<PathBuf>,
}

pub(super) fn judge(args: &JudgeArgs, strictness: Strictness, out: &mut impl Write) -> Result {
    let rules = Rules::new(args.rules.rules);
    let rules = Rules { move_limit: args.natural_limit.unwrap_or(rules.move_limit), ..rules };
    if let Some(path) = &args.file {
        return check_file(path, "cases", out, |line| check_judge_line(line, strictness, rules));
    }
    let game = match &args.moves_file {
        Some(path) => Some(Games::open(path, strictness)?.only(args.game).first()?),
        None => None,
    };
    let position = match &game {
        Some(game) => game.end(),
        None => read_game(args.fen.as_deref(), &args.moves, strictness)?,
    };
    let cut = game.as_ref().and_then(|game| game.warnings.cut());
    if args.output.json {
        write_verdict(rules, &position, cut, out)?;
    } else {
        out.write_all(verdict_text(rules, &position, cut).as_bytes())?;
    }
    match (&args.moves_file, &game) {
        (Some(path), Some(game)) => CommandError::if_partly_read(input_name(path), game.warnings.has_losses().into()),
        _ => Ok(()),
    }
}

#[derive(Args, Debug)]
pub struct NotationArgs {
    /// Position before the first move; 'startpos' is the start position.
    fen: String,
    /// Moves of the game, such as h2e2, 炮二平五 or C2.5.
    #[arg(required = true)]
    moves: Vec<String>,
    #[command(flatten)]
    output: JsonArg,
}

pub(super) fn notation(args: &NotationArgs, strictness: Strictness, out: &mut impl Write) -> Result {
    let start = read_position(Some(&args.fen), strictness)?;
    let game = read_moves(&start, Some(&args.fen), &args.moves.join(" "), strictness)?;
    write_notations(&game, args.output.json, out)
}

/// Checks every line of a file, in UTF-8 or GBK, except empty lines and comments. Prints the lines that disagree, and
/// the number of `things` that agree.
fn check_file(
    path: &Path,
    things: &'static str,
    out: &mut impl Write,
    check: impl Fn(&str) -> Result<(), String>,
) -> Result {
    let (mut all, mut wrong) = (0, 0);
    for line in TextLines::new(BufReader::new(File::open(path).map_err(CommandError::in_file(path))?)) {
        let (number, text) = line.map_err(|error| CommandError::unusable(path, error))?;
        all += 1;
        if let Err(fault) = check(&text) {
            wrong += 1;
            writeln!(out, "{}, line {number}: {fault}", path.display())?;
        }
    }
    writeln!(out, "{all} {things}, {} agree", all - wrong)?;
    if all == 0 {
        return Err(CommandError::unusable(path, format!("it contains no {things}")));
    }
    match wrong {
        0 => Ok(()),
        _ => Err(CommandError::Failed(format!("{wrong} of {all} {things} disagree"))),
    }
}

/// Checks a line `FEN<TAB>n1 n2 …` of perft counts. Returns the first disagreement.
pub(super) fn check_perft_line(
    line: &str,
    strictness: Strictness,
    count: fn(&mut Position, usize) -> u64,
) -> Result<(), String> {
    let (fen, expected) = line.split_once('\t').ok_or("a tab is missing after the FEN")?;
    let mut position = Position::parse_fen(fen, strictness).map_err(|error| error.to_string())?.position;
    if expected.trim().is_empty() {
        return Err("there are no counts after the FEN".to_owned());
    }
    for (depth, text) in expected.split_ascii_whitespace().enumerate() {
        let expected: u64 = text.parse().map_err(|_| format!("'{text}' is not a count"))?;
        let found = count(&mut position, depth + 1);
        if found != expected {
            return Err(format!("depth {}: {found} instead of {expected} from {fen}", depth + 1));
        }
    }
    Ok(())
}

/// Checks a line `id<TAB>FEN<TAB>moves<TAB>verdict`; more columns may follow. Returns the disagreement.
pub(super) fn check_judge_line(line: &str, strictness: Strictness, rules: Rules) -> Result<(), String> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [id, fen, moves, expected, ..] = columns[..] else {
        return Err("expected id, FEN, moves and verdict, separated by tabs".to_owned());
    };
    let fault = |what: String| format!("{id}: {what}");
    let expected = expected.trim();
    if !Verdict::WORDS.contains(&expected) {
        return Err(fault(format!("'{expected}' is not a verdict")));
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
