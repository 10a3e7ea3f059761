//! The commands that run one part of the engine: `bench`, `perft` and `eval`.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use serde_json::json;

use crate::console::args::JsonArg;
use crate::console::check::{check_file, check_perft_line};
use crate::console::error::CommandError;
use crate::console::input::{network_in, read_position};
use crate::console::output::{side_name, write_json};
use crate::engine::bench;
use crate::eval::network::Network;
use crate::eval::{self, TermValues};
use crate::position::{Strictness, perft, perft_divided};

pub(super) const BENCH_HELP: &str = "\
Examples:
  chuhe bench
  chuhe bench 9
  chuhe bench 13 --threads 2     speed of two threads; only the node count of one thread is always the same";

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

pub(super) fn run_bench(args: &BenchArgs, out: &mut impl Write) -> Result<(), CommandError> {
    let mut engine = bench::engine()?;
    engine.configure(|options| options.threads = usize::from(args.threads))?;
    let (mut written, mut number) = (Ok(()), 0);
    #[cfg(feature = "lab")]
    let mut statistics = crate::lab::tree_statistics::TreeStatistics::new(args.stats, &mut engine);
    #[cfg(not(feature = "lab"))]
    let mut statistics = ();
    let total = bench::bench_with(&mut engine, usize::from(args.depth), &mut statistics, |position, count| {
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
    #[arg(long, value_name = "FILE", conflicts_with_all = ["depth", "fen", "divide", "json"])]
    file: Option<PathBuf>,
    #[command(flatten)]
    output: JsonArg,
}

pub(super) fn run_perft(args: PerftArgs, strictness: Strictness, out: &mut impl Write) -> Result<(), CommandError> {
    if let Some(path) = &args.file {
        return check_file(path, "positions", out, |line| check_perft_line(line, strictness, perft));
    }
    let mut position = read_position(args.fen.as_deref(), strictness)?;
    let depth = usize::from(args.depth.unwrap_or(0));
    let start = Instant::now();
    let total = if args.divide && depth > 0 {
        let parts = perft_divided(&mut position, depth, perft);
        for (mv, nodes) in &parts {
            if args.output.json {
                write_json(out, "move", &json!({ "move": mv.to_string(), "nodes": nodes }))?;
            } else {
                writeln!(out, "{mv} {nodes}")?;
            }
        }
        parts.iter().map(|(_, nodes)| nodes).sum()
    } else {
        perft(&mut position, depth)
    };
    let elapsed = start.elapsed().as_secs_f64();
    if args.output.json {
        let object = json!({
            "fen": position.to_string(), "depth": depth, "nodes": total, "milliseconds": elapsed * 1e3,
            "nodes_per_second": total as f64 / elapsed.max(1e-9),
        });
        return write_json(out, "perft", &object);
    }
    writeln!(out, "perft({depth}) {total}")?;
    writeln!(out, "{elapsed:.3} s, {:.1} million nodes/s", total as f64 / elapsed.max(1e-9) / 1e6)?;
    Ok(())
}

pub(super) const EVAL_HELP: &str = "\
Examples:
  chuhe eval
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

pub(super) fn run_eval(args: &EvalArgs, strictness: Strictness, out: &mut impl Write) -> Result<(), CommandError> {
    let position = read_position(args.fen.as_deref(), strictness)?;
    let network = match &args.evalfile {
        None => Network::embedded(),
        Some(path) => network_in(path)?,
    };
    if args.output.json {
        let side = position.side();
        let TermValues { groups, handcrafted, network } = TermValues::new(&position, &network, side);
        let object = json!({
            "fen": position.to_string(), "side": side_name(side), "terms": groups.into_iter().collect::<BTreeMap<_, _>>(),
            "handmade": handcrafted, "network": network,
        });
        return write_json(out, "evaluation", &object);
    }
    Ok(out.write_all(eval::table(&position, &network).as_bytes())?)
}
