//! The commands that run one part of the engine: `bench`, `perft` and `eval`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use clap::Args;
use serde_json::json;

use crate::console::check::{check_file, check_perft_line};
use crate::console::error::CommandError;
use crate::console::input::{network_in, read_position};
use crate::console::output::{side_name, write_json};
use crate::engine::bench;
use crate::eval::network::Network;
use crate::eval::{self, TermValues};
use crate::position::{Position, Strictness, perft, perft_by_making, perft_divided};
use crate::search::{DEPTH_CLASSES, PruningRule, Reporter, SearchStatistics};

/// Examples for `--help`.
pub(super) const BENCH_HELP: &str = "\
Examples:
  chuhe bench
  chuhe bench 9
  chuhe bench 13 --threads 2     speed of two threads; only the node count of one thread is always the same
  chuhe bench 13 --stats         growth of the tree, cut-offs, pruning, error of the evaluation
  chuhe bench 11 --stats=500     the same; one of 500 pruned nodes and moves is searched to see if the rule was wrong";

/// Arguments of `bench`.
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
    /// Print statistics of the search tree (of the main thread). With an INTERVAL other than 0, one in INTERVAL pruned
    /// nodes and moves is searched all the same, which changes the node count a little.
    #[arg(long, value_name = "INTERVAL", num_args = 0..=1, require_equals = true, default_missing_value = "0")]
    stats: Option<u64>,
    /// Print JSON: an object for each position and one for all.
    #[arg(long, conflicts_with = "stats")]
    json: bool,
}

/// Runs the command.
pub(super) fn run_bench(args: &BenchArgs, out: &mut impl Write) -> Result<(), CommandError> {
    let mut engine = bench::engine()?;
    engine.configure(|options| options.threads = usize::from(args.threads))?;
    let mut written = Ok(());
    let mut number = 0;
    let statistics = args.stats.map(|interval| Arc::new(Mutex::new(SearchStatistics::new(interval))));
    engine.collect_statistics(statistics.clone());
    let mut iterations = bench::IterationNodes::default();
    // Reports take time that is not that of the search.
    let reporter: &mut dyn Reporter = if statistics.is_some() { &mut iterations } else { &mut () };
    let total = bench::bench_with(&mut engine, usize::from(args.depth), reporter, |position, count| {
        number += 1;
        let milliseconds = count.elapsed.as_secs_f64() * 1e3;
        let line = if args.json {
            let object = json!({
                "number": number, "fen": position.to_string(), "nodes": count.nodes, "milliseconds": milliseconds,
            });
            write_json(out, "position", &object)
        } else {
            let all = bench::POSITIONS.len();
            let line = writeln!(out, "{number:>3}/{all} {:>10} nodes {milliseconds:>8.1} ms  {position}", count.nodes);
            line.map_err(CommandError::from)
        };
        // The reader of the output may have gone.
        let is_written = line.is_ok();
        written = line;
        if is_written { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    written?;
    if args.json {
        let object = json!({
            "positions": number, "depth": args.depth, "threads": args.threads, "nodes": total.nodes,
            "milliseconds": total.elapsed.as_millis() as u64, "nodes_per_second": total.nodes_per_second(),
        });
        return write_json(out, "bench", &object);
    }
    writeln!(out, "total nodes {}", total.nodes)?;
    writeln!(out, "time {} ms", total.elapsed.as_millis())?;
    writeln!(out, "{} nodes/s", total.nodes_per_second())?;
    if let Some(statistics) = statistics {
        let statistics = statistics.lock().unwrap_or_else(PoisonError::into_inner);
        write_statistics(&statistics, &iterations, out)?;
    }
    Ok(())
}

/// Writes the statistics of the search tree.
fn write_statistics(
    statistics: &SearchStatistics,
    iterations: &bench::IterationNodes,
    out: &mut impl Write,
) -> io::Result<()> {
    let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    let factor = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
    let (growth, branching) = (factor(iterations.growth()), factor(iterations.branching_factor()));
    writeln!(out, "\ngrowth per ply {growth}, effective branching factor {branching}")?;
    let main = statistics.pv_nodes + statistics.cut_nodes + statistics.all_nodes;
    let visited = main + statistics.quiescence_nodes;
    writeln!(
        out,
        "nodes visited {visited}: main search {:.1} %, quiescence {:.1} %; of the main search principal variation \
         {:.1} %, expected cut-offs {:.1} %, expected fail-lows {:.1} %",
        percent(main, visited),
        percent(statistics.quiescence_nodes, visited),
        percent(statistics.pv_nodes, main),
        percent(statistics.cut_nodes, main),
        percent(statistics.all_nodes, main)
    )?;
    let cutoffs: u64 = statistics.cutoffs.iter().sum();
    writeln!(
        out,
        "cut-offs {cutoffs}: by the first move {:.1} %, by the second {:.1} %; {:.2} moves searched at a cut-off",
        percent(statistics.cutoffs[0], cutoffs),
        percent(statistics.cutoffs[1], cutoffs),
        statistics.moves_at_cutoffs as f64 / cutoffs.max(1) as f64
    )?;
    writeln!(
        out,
        "late moves searched reduced {}, again to full depth {:.1} %",
        statistics.reduced_searches,
        percent(statistics.searches_to_full_depth, statistics.reduced_searches)
    )?;
    writeln!(
        out,
        "singular searches {}: extensions {:.1} %, multicuts {:.1} %",
        statistics.singular_searches,
        percent(statistics.singular_extensions, statistics.singular_searches),
        percent(statistics.multicuts, statistics.singular_searches)
    )?;
    writeln!(out, "\n{:<18} {:>10} {:>9} {:>8}", "pruning", "pruned", "verified", "wrong %")?;
    for ((_, name), rule) in PruningRule::ALL.iter().zip(&statistics.rules) {
        let wrong =
            if rule.verified == 0 { "-".to_owned() } else { format!("{:.1}", percent(rule.wrong, rule.verified)) };
        writeln!(out, "{name:<18} {:>10} {:>9} {wrong:>8}", rule.pruned, rule.verified)?;
    }
    writeln!(out, "\n{:<18} {:>10} {:>9} {:>9}", "evaluation error", "nodes", "raw", "corrected")?;
    for (index, error) in statistics.evaluation.iter().enumerate() {
        let range = match DEPTH_CLASSES.get(index + 1) {
            Some(next) => format!("depth {}-{}", DEPTH_CLASSES[index], next - 1),
            None => format!("depth {}+", DEPTH_CLASSES[index]),
        };
        let nodes = error.nodes.max(1) as f64;
        let (raw, corrected) = (error.raw as f64 / nodes, error.corrected as f64 / nodes);
        writeln!(out, "{range:<18} {:>10} {raw:>9.1} {corrected:>9.1}", error.nodes)?;
    }
    Ok(())
}

/// Examples for `--help`.
pub(super) const PERFT_HELP: &str = "\
Examples:
  chuhe perft 5
  chuhe perft 3 --divide --fen '3ak4/9/9/9/9/9/9/9/4A4/4K3R w'
  chuhe perft --file positions.tsv      lines of FEN, a tab, and the counts at depth 1, 2, ...";

/// Arguments of `perft`.
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
    /// Make the moves of the last ply too instead of only counting them.
    #[arg(long)]
    no_bulk: bool,
    /// Check the counts of this file.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["depth", "fen", "divide", "json"])]
    file: Option<PathBuf>,
    /// Print JSON: an object for the count, after one for each move with --divide.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(super) fn run_perft(args: PerftArgs, strictness: Strictness, out: &mut impl Write) -> Result<(), CommandError> {
    let count = if args.no_bulk { perft_by_making } else { perft };
    match &args.file {
        Some(path) => check_file(path, "positions", out, |line| check_perft_line(line, strictness, count)),
        None => {
            let position = read_position(args.fen.as_deref(), strictness)?;
            count_leaves(position, &args, count, out)
        }
    }
}

fn count_leaves(
    mut position: Position,
    args: &PerftArgs,
    count: fn(&mut Position, usize) -> u64,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let depth = usize::from(args.depth.unwrap_or(0));
    let start = Instant::now();
    let total = if args.divide && depth > 0 {
        let parts = perft_divided(&mut position, depth, count);
        for (mv, nodes) in &parts {
            if args.json {
                write_json(out, "move", &json!({ "move": mv.to_string(), "nodes": nodes }))?;
            } else {
                writeln!(out, "{mv} {nodes}")?;
            }
        }
        parts.iter().map(|(_, nodes)| nodes).sum()
    } else {
        count(&mut position, depth)
    };
    let elapsed = start.elapsed().as_secs_f64();
    if args.json {
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

/// Examples for `--help`.
pub(super) const EVAL_HELP: &str = "\
Examples:
  chuhe eval
  chuhe eval 'rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b'
  chuhe eval --evalfile my.network";

/// Arguments of `eval`.
#[derive(Args, Debug)]
pub struct EvalArgs {
    /// Position; the start position if there is none.
    fen: Option<String>,
    /// Use the network in this file instead of the built-in network.
    #[arg(long, value_name = "FILE")]
    evalfile: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(super) fn run_eval(args: &EvalArgs, strictness: Strictness, out: &mut impl Write) -> Result<(), CommandError> {
    let position = read_position(args.fen.as_deref(), strictness)?;
    let network = match &args.evalfile {
        None => Network::embedded(),
        Some(path) => network_in(path)?,
    };
    if args.json {
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
