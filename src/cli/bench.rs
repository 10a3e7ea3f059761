//! The `bench` command.

use std::io::Write;
use std::ops::ControlFlow;

use clap::Args;

use crate::console::error::CommandError;
use crate::engine::bench;

/// Examples for `--help`.
pub(super) const HELP: &str = "\
Examples:
  chuhe bench
  chuhe bench 9
  chuhe bench 13 --threads 2     speed of two threads; only the node count of one thread is always the same";

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
}

/// Runs the command.
pub(super) fn run(args: &BenchArgs, out: &mut impl Write) -> Result<(), CommandError> {
    let mut engine = bench::engine()?;
    engine.set_option("threads", &args.threads.to_string())?;
    let mut written = Ok(());
    let mut number = 0;
    let total = bench::bench_with(&mut engine, usize::from(args.depth), |position, count| {
        number += 1;
        let line = writeln!(
            out,
            "{number:>3}/{} {:>10} nodes {:>8.1} ms  {position}",
            bench::POSITIONS.len(),
            count.nodes,
            count.elapsed.as_secs_f64() * 1e3
        );
        // The reader of the output may have gone.
        let is_written = line.is_ok();
        written = line;
        if is_written { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    written?;
    writeln!(out, "total nodes {}", total.nodes)?;
    writeln!(out, "time {} ms", total.elapsed.as_millis())?;
    writeln!(out, "{} nodes/s", total.nodes_per_second())?;
    Ok(())
}
