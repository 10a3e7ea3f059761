//! The `count` command: number of positions, by material.

use std::io::{BufWriter, Write};

use clap::Args;
use serde_json::value::RawValue;

use crate::console::{JsonArg, Object, Result, counted, write_json};
use crate::counting::{Ranking, Signature, U256};

pub const HELP: &str = "\
A position here is a placement of pieces: both kings on the board, facing each other or not, no more pieces
of a kind than at the start, each on a square its kind can reach, at most one uncrossed pawn of a side per
file. The side to move does not count.

Examples:
  chuhe count
  chuhe count KRvKAABB
  chuhe count --table 1                 all endings with at most one rook, horse, cannon or pawn";

#[derive(Args, Debug)]
pub struct Count {
    /// Count the positions with these pieces, Red's first, such as KRvKAABB; default is all positions.
    #[arg(value_name = "PIECES")]
    pieces: Option<Signature>,
    /// List all signatures with at most this number of rooks, horses, cannons and pawns, fewest positions first.
    #[arg(long, value_name = "ATTACKERS", conflicts_with = "pieces",
        value_parser = clap::value_parser!(u8).range(0..=6))]
    table: Option<u8>,
    #[command(flatten)]
    output: JsonArg,
}

pub fn count(args: &Count, out: &mut impl Write) -> Result {
    if let Some(attackers) = args.table {
        return table(usize::from(attackers), args.output.json, out);
    }
    size(args, args.pieces.map_or_else(Ranking::all_positions, Ranking::new).size(), out)
}

fn digits(number: U256) -> Box<RawValue> {
    RawValue::from_string(number.to_string()).unwrap_or_default()
}

fn approximate(number: U256) -> f64 {
    number.to_string().parse().unwrap_or(f64::INFINITY)
}

fn size(args: &Count, positions: U256, out: &mut impl Write) -> Result {
    let about = approximate(positions);
    let (log10, log2) = (about.log10(), about.log2());
    // Bits of the greatest index.
    let bits = positions.checked_sub(U256::from(1)).map_or(0, |last| last.bit_len());
    if args.output.json {
        let signature = args.pieces.map(|signature| Object::default().with("signature", signature.to_string()));
        let size = signature.unwrap_or_default().with("positions", digits(positions)).with("log10", log10);
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
