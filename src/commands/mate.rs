//! The `mate` command: proves or refutes a mate in one position.

use std::io::Write;
use std::time::{Duration, Instant};

use clap::Args;

use crate::console::{
    CommandError, JsonArg, LimitArgs, NotationArgs, Object, Result, RulesArg, cancel_on_request, note, read_game,
    write_json,
};
use crate::engine::{EngineError, MAX_HASH_MEGABYTES};
use crate::notation::{Dialect, write_line};
use crate::position::{Position, Strictness};
use crate::rules::Rules;
use crate::solver::{MAX_MATE_MOVES, MateLimits, MateResult, MateSolver, MateVerdict};

pub const HELP: &str = "\
The side to move attacks: with checks alone first, then also with threats of such a mate, then with all
moves. The defender has all legal moves. A side without a legal move has lost, in check or not. A cycle is
never a mate, since perpetual check loses.

The first line is the verdict: a mate is proved, refuted (none within that number of moves) or unknown (not
decided within the limits). A proved mate has the fastest attack found against the longest defence found.
It is the shortest mate if the output says so; Ctrl-C ends the search for a shorter one.

Without a limit a proof gets 10 million nodes, which are moves made on the board.

Examples:
  chuhe mate '2baka2R/3n1P1r1/4b4/5N3/9/2P3P2/9/3AB4/4A4/4K1B2 w' --chinese
  chuhe mate '6P2/9/5k3/4R4/9/5r3/9/9/9/4K4 w' --within 6
  chuhe analyze mates.epd --solver mate --nodes 2000000";

/// Nodes, which are moves made on the board, without another limit.
const DEFAULT_NODES: u64 = 10_000_000;

#[derive(Args, Debug)]
pub struct Mate {
    /// Position; 'startpos' is the start position.
    fen: String,
    /// Moves played after it, such as h2e2.
    moves: Vec<String>,
    /// Longest mate, in moves of the side that mates.
    #[arg(long, value_name = "MOVES", default_value_t = 30,
        value_parser = clap::value_parser!(u8).range(1..=MAX_MATE_MOVES as i64))]
    within: u8,
    #[command(flatten)]
    limits: LimitArgs,
    /// Stop at the first mate instead of seeking shorter ones.
    #[arg(long)]
    first: bool,
    /// Table of proofs in megabytes.
    #[arg(long, value_name = "MEGABYTES", default_value_t = 64,
        value_parser = clap::value_parser!(u64).range(1..=MAX_HASH_MEGABYTES as u64))]
    hash: u64,
    #[command(flatten)]
    rules: RulesArg,
    #[command(flatten)]
    output: JsonArg,
    #[command(flatten)]
    notation: NotationArgs,
}

pub fn mate(args: &Mate, strictness: Strictness, out: &mut impl Write) -> Result {
    let position = read_game(Some(&args.fen), &args.moves, strictness)?;
    let rules = Rules::new(args.rules.rules);
    if let Some(reason) = rules.verdict(&position).reason() {
        note!("this game is over: {reason}");
    }
    let interrupt = cancel_on_request();
    let megabytes = usize::try_from(args.hash).unwrap_or(MAX_HASH_MEGABYTES);
    let mut solver = MateSolver::new(megabytes << 20).map_err(EngineError::from)?;
    let time = args.limits.time();
    let nodes = args.limits.nodes.unwrap_or(if time.is_some() { u64::MAX } else { DEFAULT_NODES });
    let limits = MateLimits { nodes, seek_shortest: !args.first, ..MateLimits::moves(usize::from(args.within)) };
    let start = Instant::now();
    let is_stopped = || interrupt.is_cancelled() || time.is_some_and(|time| start.elapsed() >= time);
    let result = solver.solve(&position, rules, &limits, &is_stopped);
    let elapsed = start.elapsed();
    if args.output.json {
        let mate = result.verdict.mate();
        let line = mate.map(|mate| mate.line.as_slice()).unwrap_or_default();
        // The keys from `mate` to `by_checks` are null unless a mate is proved.
        let object = Object::default()
            .with("fen", position.to_string())
            .with("within", args.within)
            .with("verdict", result.verdict.word())
            .with("mate", mate.map(|mate| mate.moves))
            .with("shortest", mate.map(|mate| mate.is_shortest))
            .with("by_checks", mate.map(|mate| mate.by_checks))
            .with("moves", line)
            .with("notation", write_line(&position, line, args.notation.or(Dialect::Coordinate)))
            .with("nodes", result.nodes)
            .with("milliseconds", elapsed.as_millis())
            .with("interrupted", interrupt.is_cancelled());
        write_json(out, "mate", &object)?;
    } else {
        out.write_all(text(args, &position, &result, elapsed).as_bytes())?;
    }
    out.flush()?;
    CommandError::if_interrupted(&interrupt)
}

fn text(args: &Mate, position: &Position, result: &MateResult, elapsed: Duration) -> String {
    let within = args.within;
    let mut text = match &result.verdict {
        MateVerdict::Proved(mate) => {
            let shortest = if mate.is_shortest { "there is no shorter mate" } else { "a shorter mate is not excluded" };
            let checks = if mate.by_checks { ", by checks only" } else { "" };
            let line = write_line(position, &mate.line, args.notation.or(Dialect::Coordinate)).join(" ");
            format!("mate in {} proved{checks}; {shortest}\nline   {line}\n", mate.moves)
        }
        MateVerdict::Refuted => format!("mate in {within} refuted: there is none within that number of moves\n"),
        MateVerdict::Unknown => format!("mate in {within} unknown: neither proved nor refuted\n"),
    };
    text.push_str(&format!("nodes  {} in {:.2} s\n", result.nodes, elapsed.as_secs_f64()));
    text
}
