//! The `count` command: number of positions, by material, and random samples.

mod explain;
mod sample;
mod size;

use std::io::Write;

use clap::Args;

use crate::console::error::CommandError;
use crate::counting::{Ranking, Signature, U256};

/// Text below the options in the help.
pub const HELP: &str = "\
A position here is a placement of pieces: both kings on the board, facing each other or not, no more pieces
of a kind than at the start, each on a square its kind can reach, at most one uncrossed pawn of a side per
file. The side to move does not count.

--sample draws uniform random positions with a random side to move. A position is legal if the kings do not
face each other and the side that has just moved is not in check. Lines that begin with '#' give the share
and number of legal positions with 95 % confidence intervals.

Examples:
  chuhe count
  chuhe count --explain                 why the published number is too small
  chuhe count KRvKAABB                  a rook against all advisors and elephants
  chuhe count --table 1                 all endings with at most one rook, horse, cannon or pawn
  chuhe count --sample 5 --legal
  chuhe count --sample 100000 --estimate --signature KRvKAABB --seed 2";

/// Arguments of `count`.
#[derive(Args, Debug)]
pub struct Count {
    /// Count the positions with these pieces, Red's first, such as KRvKAABB; default is all positions.
    #[arg(value_name = "PIECES")]
    pieces: Option<Signature>,
    /// Same as PIECES.
    #[arg(long, value_name = "PIECES", conflicts_with = "pieces")]
    signature: Option<Signature>,
    /// Show the error in the published number.
    #[arg(long, conflicts_with_all = ["pieces", "signature"])]
    explain: bool,
    /// List all signatures with at most this number of rooks, horses, cannons and pawns, fewest positions first.
    #[arg(long, value_name = "ATTACKERS", conflicts_with_all = ["pieces", "signature", "explain"],
        value_parser = clap::value_parser!(u8).range(0..=6))]
    table: Option<u8>,
    /// Draw this number of random positions.
    #[arg(long, value_name = "POSITIONS", conflicts_with_all = ["explain", "table"],
        value_parser = clap::value_parser!(u64).range(1..))]
    sample: Option<u64>,
    /// Seed of the random positions.
    #[arg(long, value_name = "NUMBER", default_value_t = 1, requires = "sample")]
    seed: u64,
    /// Print only the legal positions.
    #[arg(long, requires = "sample")]
    legal: bool,
    /// Print only the estimate, no positions.
    #[arg(long, requires = "sample", conflicts_with = "legal")]
    estimate: bool,
    /// Print JSON objects, one per line.
    #[arg(long)]
    json: bool,
}

impl Count {
    fn signature(&self) -> Option<Signature> {
        self.pieces.or(self.signature)
    }

    fn ranking(&self) -> Ranking {
        self.signature().map_or_else(Ranking::all_positions, Ranking::new)
    }
}

/// Runs `count`.
pub fn count(args: &Count, out: &mut impl Write) -> Result<(), CommandError> {
    if let Some(positions) = args.sample {
        sample::sample(args, positions, out)
    } else if let Some(attackers) = args.table {
        size::table(usize::from(attackers), args.json, out)
    } else if args.explain {
        explain::explain(args.json, out)
    } else if let Some(signature) = args.signature() {
        size::of_signature(signature, args.json, out)
    } else {
        size::all_positions(args.json, out)
    }
}

/// Converts a number to floating point.
fn approximate(number: U256) -> f64 {
    number.to_string().parse().unwrap_or(f64::INFINITY)
}
