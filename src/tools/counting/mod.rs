//! The `count` command: how many positions there are, by what men, and some of them drawn at random.

mod explain;
mod sample;
mod size;
mod table;

use std::io::Write;

use clap::Args;

use crate::console::error::CommandError;
use crate::counting::{Ranking, Signature, U256};

/// What stands below the options in the help.
pub const HELP: &str = "\
A position here is men on points: both kings on the board, whether they face each other or not, no more men
of a kind than at the start, everyone where its kind may stand, uncrossed pawns of a side one to a file.
Whose move it is does not count.

--sample draws positions, each as likely as any other, and tosses a coin for the side to move. One is
legal when the kings do not face each other and the side that has just moved is not in check. Lines that
begin with '#' tell how many are legal, and between which bounds their number lies with 95 % confidence.

Examples:
  chuhe count
  chuhe count --explain                 why the number that was published is too small
  chuhe count KRvKAABB                  a rook against all advisors and elephants
  chuhe count --table 1                 all endings with one rook, horse, cannon or pawn at most
  chuhe count --sample 5 --legal
  chuhe count --sample 100000 --estimate --signature KRvKAABB --seed 2";

/// What `count` is asked for.
#[derive(Args, Debug)]
pub struct Count {
    /// Count the positions with these men, Red's first, such as KRvKAABB; all there are without it.
    #[arg(value_name = "MEN")]
    men: Option<Signature>,
    /// The same as MEN.
    #[arg(long, value_name = "MEN", conflicts_with = "men")]
    signature: Option<Signature>,
    /// Show where the published number goes wrong.
    #[arg(long, conflicts_with_all = ["men", "signature"])]
    explain: bool,
    /// List what men there can be with at most so many rooks, horses, cannons and pawns, the fewest positions first.
    #[arg(long, value_name = "ATTACKERS", conflicts_with_all = ["men", "signature", "explain"],
        value_parser = clap::value_parser!(u8).range(0..=6))]
    table: Option<u8>,
    /// Draw so many positions at random.
    #[arg(long, value_name = "POSITIONS", conflicts_with_all = ["explain", "table"],
        value_parser = clap::value_parser!(u64).range(1..))]
    sample: Option<u64>,
    /// The same seed draws the same positions.
    #[arg(long, value_name = "NUMBER", default_value_t = 1, requires = "sample")]
    seed: u64,
    /// Show only the legal ones of those that are drawn.
    #[arg(long, requires = "sample")]
    legal: bool,
    /// Show none of them, only how many are legal.
    #[arg(long, requires = "sample", conflicts_with = "legal")]
    estimate: bool,
    /// Print JSON objects, one a line.
    #[arg(long)]
    json: bool,
}

impl Count {
    fn signature(&self) -> Option<Signature> {
        self.men.or(self.signature)
    }

    fn ranking(&self) -> Ranking {
        self.signature().map_or_else(Ranking::of_everything, Ranking::new)
    }
}

/// Counts positions, lists counts, or draws positions.
pub fn count(wanted: &Count, out: &mut impl Write) -> Result<(), CommandError> {
    if let Some(positions) = wanted.sample {
        sample::sample(wanted, positions, out)
    } else if let Some(attackers) = wanted.table {
        table::table(usize::from(attackers), wanted.json, out)
    } else if wanted.explain {
        explain::explain(wanted.json, out)
    } else if let Some(signature) = wanted.signature() {
        size::of_signature(signature, wanted.json, out)
    } else {
        size::of_everything(wanted.json, out)
    }
}

/// A number with as many digits as floating point has.
fn approximate(number: U256) -> f64 {
    number.to_string().parse().unwrap_or(f64::INFINITY)
}
