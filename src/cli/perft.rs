//! The `perft` command.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use crate::console::check::{check_file, check_perft_line};
use crate::console::error::CommandError;
use crate::console::input::read_position;
use crate::position::{Position, Strictness, perft, perft_by_making, perft_divided};

/// Examples for `--help`.
pub(super) const HELP: &str = "\
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
    #[arg(long, value_name = "FILE", conflicts_with_all = ["depth", "fen", "divide"])]
    file: Option<PathBuf>,
}

/// Runs the command.
pub(super) fn run(args: PerftArgs, strictness: Strictness, out: &mut impl Write) -> Result<(), CommandError> {
    let count = if args.no_bulk { perft_by_making } else { perft };
    match args.file {
        Some(path) => check_file(&path, "positions", out, |line| check_perft_line(line, strictness, count)),
        None => {
            let position = read_position(args.fen.as_deref(), strictness)?;
            count_leaves(position, usize::from(args.depth.unwrap_or(0)), args.divide, count, out)
        }
    }
}

fn count_leaves(
    mut position: Position,
    depth: usize,
    divide: bool,
    count: fn(&mut Position, usize) -> u64,
    out: &mut impl Write,
) -> Result<(), CommandError> {
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
