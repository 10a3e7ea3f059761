//! The `count` command: number of positions, by material, and random samples.

use std::io::{BufWriter, Write};

use clap::Args;
use serde_json::value::RawValue;

use crate::console::{JsonArg, Object, Result, counted, write_json};
use crate::counting::{Estimate, Ranking, Sampler, Signature, U256};
use crate::types::Side;

pub const HELP: &str = "\
A position here is a placement of pieces: both kings on the board, facing each other or not, no more pieces
of a kind than at the start, each on a square its kind can reach, at most one uncrossed pawn of a side per
file. The side to move does not count.

--sample draws uniform random positions with a random side to move. A position is legal if the kings do not
face each other and the side that has just moved is not in check. Lines that begin with '#' give the share
and number of legal positions with 95 % confidence intervals.

Examples:
  chuhe count
  chuhe count --table 1                 all endings with at most one rook, horse, cannon or pawn
  chuhe count --sample 5 --legal
  chuhe count --sample 100000 --estimate KRvKAABB --seed 2";

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
    #[command(flatten)]
    output: JsonArg,
}

pub fn count(args: &Count, out: &mut impl Write) -> Result {
    if let Some(attackers) = args.table {
        return table(usize::from(attackers), args.output.json, out);
    }
    let ranking = args.pieces.map_or_else(Ranking::all_positions, Ranking::new);
    match args.sample {
        Some(positions) => sample(args, &ranking, positions, out),
        None => size(args, ranking.size(), out),
    }
}

fn digits(number: U256) -> Box<RawValue> {
    RawValue::from_string(number.to_string()).unwrap_or_default()
}

fn approximate(number: U256) -> f64 {
    number.to_string().parse().unwrap_or(f64::INFINITY)
}

/// Begins an object of JSON with the signature, if one was given.
fn object(args: &Count) -> Object {
    let signature = args.pieces.map(|signature| Object::default().with("signature", signature.to_string()));
    signature.unwrap_or_default()
}

/// Returns the estimated share and number of legal positions in a population of this size, as JSON and as text.
fn legal(size: U256, estimate: Estimate) -> (Object, String) {
    let [low, high] = estimate.interval();
    let shares = [estimate.share(), low, high];
    let [number, least, greatest] = shares.map(|share| share * approximate(size));
    let object = Object::default()
        .with("of", digits(size))
        .with("share", shares[0])
        .with("least_share", low)
        .with("greatest_share", high)
        .with("number", number)
        .with("least_number", least)
        .with("greatest_number", greatest);
    let [share, low, high] = shares.map(|share| share * 100.0);
    let percentages = format!("{share:.3} % ({low:.3} to {high:.3})");
    (object, format!("{percentages} of {size}: {number:.4e} ({least:.4e} to {greatest:.4e})"))
}

fn sample(args: &Count, ranking: &Ranking, positions: u64, out: &mut impl Write) -> Result {
    let mut out = BufWriter::new(out);
    let mut sampler = Sampler::new(args.seed);
    let (mut with_a_side, mut with_either_side) = (Estimate::default(), Estimate::default());
    for _ in 0..positions {
        let placement = sampler.placement(ranking);
        let side = sampler.side();
        let is_legal = |side: Side| placement.position(side).is_ok();
        let is_fine = is_legal(side);
        with_a_side.add(is_fine);
        with_either_side.add(is_fine || is_legal(!side));
        if args.estimate || (args.legal && !is_fine) {
            continue;
        }
        let fen = placement.fen(side);
        if args.output.json {
            write_json(&mut out, "position", &Object::default().with("fen", fen).with("legal", is_fine))?;
        } else {
            writeln!(out, "{fen}")?;
        }
    }
    let size = ranking.size();
    // With the drawn side to move, among all placements with either side to move, and with at least one of them.
    let (with_a_side, with_either_side) = (legal(size + size, with_a_side), legal(size, with_either_side));
    if args.output.json {
        let summary = object(args).with("seed", args.seed).with("drawn", positions);
        let summary = summary.with("with_a_side", with_a_side.0).with("with_either_side", with_either_side.0);
        write_json(&mut out, "estimate", &summary)?;
    } else {
        writeln!(out, "# {positions} drawn with seed {}; shares and numbers with 95 % intervals", args.seed)?;
        writeln!(out, "# legal with the random side to move               {}", with_a_side.1)?;
        writeln!(out, "# legal with either side to move                    {}", with_either_side.1)?;
    }
    Ok(out.flush()?)
}

fn size(args: &Count, positions: U256, out: &mut impl Write) -> Result {
    let about = approximate(positions);
    let (log10, log2) = (about.log10(), about.log2());
    // Bits of the greatest index.
    let bits = positions.checked_sub(U256::from(1)).map_or(0, |last| last.bit_len());
    if args.output.json {
        let size = object(args).with("positions", digits(positions)).with("log10", log10);
        return write_json(out, "size", &size.with("log2", log2).with("bits", bits));
    }
    let name = args.pieces.map(|signature| format!("{signature}: ")).unwrap_or_default();
    writeln!(out, "{name}{positions} positions")?;
    writeln!(out, "log10 {log10:.4}, log2 {log2:.4}; {bits} bits index each of them")?;
    Ok(())
}

/// Lists the signatures with at most this number of attackers; of two that differ in colours only, the greater one.
fn table(attackers: usize, as_json: bool, out: &mut impl Write) -> Result {
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
        if as_json {
            let row = Object::default().with("signature", signature.to_string()).with("men", signature.piece_count());
            let row = row.with("attackers", signature.attackers()).with("positions", digits(*positions));
            write_json(&mut out, "ending", &row)?;
        } else {
            writeln!(out, "{:>width$}  {signature}", positions.to_string())?;
        }
    }
    if !as_json {
        let all = counted(rows.len() as u64, "line");
        writeln!(out, "{all}, each also for colours exchanged; {sum} positions in all, either way round")?;
    }
    Ok(out.flush()?)
}
