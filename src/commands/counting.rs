//! The `count` command: number of positions, by material, and random samples.

use std::io::{BufWriter, Write};

use clap::Args;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::console::counted;
use crate::console::error::CommandError;
use crate::console::output::write_json;
use crate::counting::{Estimate, Interval, Ranking, Sampler, Signature, U256};
use crate::types::Side;

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
  chuhe count KRvKAABB                  a rook against all advisors and elephants
  chuhe count --table 1                 all endings with at most one rook, horse, cannon or pawn
  chuhe count --sample 5 --legal
  chuhe count --sample 100000 --estimate KRvKAABB --seed 2";

/// Arguments of `count`.
#[derive(Args, Debug)]
pub struct Count {
    /// Count the positions with these pieces, Red's first, such as KRvKAABB; default is all positions.
    #[arg(value_name = "PIECES")]
    pieces: Option<Signature>,
    /// List all signatures with at most this number of rooks, horses, cannons and pawns, fewest positions first.
    #[arg(long, value_name = "ATTACKERS", conflicts_with = "pieces",
        value_parser = clap::value_parser!(u8).range(0..=6))]
    table: Option<u8>,
    /// Draw this number of random positions.
    #[arg(long, value_name = "POSITIONS", conflicts_with = "table",
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

/// Runs `count`.
pub fn count(args: &Count, out: &mut impl Write) -> Result<(), CommandError> {
    if let Some(attackers) = args.table {
        return table(usize::from(attackers), args.json, out);
    }
    let ranking = args.pieces.map_or_else(Ranking::all_positions, Ranking::new);
    match args.sample {
        Some(positions) => sample(args, &ranking, positions, out),
        None => size(args, ranking.size(), out),
    }
}

/// Number in JSON with all its digits.
type Digits = Box<RawValue>;

/// Returns a number with all its digits.
fn digits(number: impl ToString) -> Digits {
    RawValue::from_string(number.to_string()).unwrap_or_default()
}

/// Converts a number to floating point.
fn approximate(number: U256) -> f64 {
    number.to_string().parse().unwrap_or(f64::INFINITY)
}

#[derive(Serialize)]
struct Drawn {
    fen: String,
    legal: bool,
}

/// Estimated share and number of legal positions.
#[derive(Serialize)]
struct Legal {
    /// Size of the population.
    of: Digits,
    share: f64,
    least_share: f64,
    greatest_share: f64,
    number: f64,
    least_number: f64,
    greatest_number: f64,
}

#[derive(Serialize)]
struct Summary {
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    seed: u64,
    drawn: u64,
    /// Legal with the drawn side to move, among all placements with either side to move.
    with_a_side: Legal,
    /// Legal with at least one side to move, among all placements.
    with_either_side: Legal,
}

impl Legal {
    fn new(all: U256, estimate: Estimate) -> Legal {
        let Interval { low, high } = estimate.interval();
        let (size, share) = (approximate(all), estimate.share());
        Legal {
            of: digits(all),
            share,
            least_share: low,
            greatest_share: high,
            number: share * size,
            least_number: low * size,
            greatest_number: high * size,
        }
    }

    fn text(&self) -> String {
        let Legal { of, share, least_share, greatest_share, number, least_number, greatest_number } = self;
        let [share, least_share, greatest_share] = [share, least_share, greatest_share].map(|share| share * 100.0);
        format!(
            "{share:.3} % ({least_share:.3} to {greatest_share:.3}) of {of}: {number:.4e} ({least_number:.4e} to \
             {greatest_number:.4e})"
        )
    }
}

/// Draws positions, prints the selected ones, and estimates how many are legal.
fn sample(args: &Count, ranking: &Ranking, positions: u64, out: &mut impl Write) -> Result<(), CommandError> {
    let mut out = BufWriter::new(out);
    let mut sampler = Sampler::new(args.seed);
    let (mut with_a_side, mut with_either_side) = (Estimate::default(), Estimate::default());
    for _ in 0..positions {
        let placement = sampler.placement(ranking);
        let side = sampler.side();
        let is_legal = |side: Side| placement.position(side).is_ok();
        let legal = is_legal(side);
        with_a_side.add(legal);
        with_either_side.add(legal || is_legal(!side));
        if args.estimate || (args.legal && !legal) {
            continue;
        }
        let fen = placement.fen(side);
        if args.json {
            write_json(&mut out, "position", &Drawn { fen, legal })?;
        } else {
            writeln!(out, "{fen}")?;
        }
    }
    let size = ranking.size();
    let summary = Summary {
        signature: args.pieces.map(|signature| signature.to_string()),
        seed: args.seed,
        drawn: positions,
        with_a_side: Legal::new(size + size, with_a_side),
        with_either_side: Legal::new(size, with_either_side),
    };
    if args.json {
        write_json(&mut out, "estimate", &summary)?;
    } else {
        writeln!(out, "# {positions} drawn with seed {}; shares and numbers with 95 % intervals", args.seed)?;
        writeln!(out, "# legal with the random side to move               {}", summary.with_a_side.text())?;
        writeln!(out, "# legal with either side to move                    {}", summary.with_either_side.text())?;
    }
    out.flush()?;
    Ok(())
}

/// Number of positions as JSON.
#[derive(Serialize)]
struct Size {
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    positions: Digits,
    log10: f64,
    log2: f64,
    bits: usize,
}

/// Prints the number of positions.
fn size(args: &Count, positions: U256, out: &mut impl Write) -> Result<(), CommandError> {
    let about = approximate(positions);
    let (log10, log2) = (about.log10(), about.log2());
    // Bits of the greatest index.
    let bits = positions.checked_sub(U256::from(1)).map_or(0, |last| last.bit_len());
    let signature = args.pieces.map(|signature| signature.to_string());
    if args.json {
        return write_json(out, "size", &Size { signature, positions: digits(positions), log10, log2, bits });
    }
    let name = signature.map(|signature| format!("{signature}: ")).unwrap_or_default();
    writeln!(out, "{name}{positions} positions")?;
    writeln!(out, "log10 {log10:.4}, log2 {log2:.4}; {bits} bits index each of them")?;
    Ok(())
}

#[derive(Serialize)]
struct Row {
    signature: String,
    #[serde(rename = "men")]
    piece_count: usize,
    attackers: usize,
    positions: Digits,
}

/// Lists all signatures with at most this number of attackers, fewest positions first. Of two that differ only in
/// colours, the greater one is listed.
fn table(attackers: usize, as_json: bool, out: &mut impl Write) -> Result<(), CommandError> {
    let mut out = BufWriter::new(out);
    let mut rows: Vec<(U256, Signature)> = Signature::with_attackers(attackers)
        .into_iter()
        .filter(|signature| *signature >= signature.swapped())
        .map(|signature| (Ranking::new(signature).size(), signature))
        .collect();
    rows.sort_unstable();
    let width = rows.last().map_or(0, |(positions, _)| positions.to_string().len()).max("positions".len());
    if !as_json {
        writeln!(out, "{:>width$}  pieces", "positions")?;
    }
    let mut sum = U256::ZERO;
    for (positions, signature) in &rows {
        sum += if *signature == signature.swapped() { *positions } else { *positions + *positions };
        let positions = digits(positions);
        if as_json {
            let (piece_count, attackers) = (signature.piece_count(), signature.attackers());
            let row = Row { signature: signature.to_string(), piece_count, attackers, positions };
            write_json(&mut out, "ending", &row)?;
        } else {
            writeln!(out, "{:>width$}  {signature}", positions.get())?;
        }
    }
    if !as_json {
        let all = counted(rows.len() as u64, "line");
        writeln!(out, "{all}, each also for colours exchanged; {sum} positions in all, either way round")?;
    }
    out.flush()?;
    Ok(())
}
