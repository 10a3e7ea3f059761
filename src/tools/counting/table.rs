//! `count --table`: number of positions of all small signatures.

use std::io::{BufWriter, Write};

use serde::Serialize;

use crate::console::error::CommandError;
use crate::console::progress::counted;
use crate::counting::{Ranking, Signature, U256};

#[derive(Serialize)]
struct Row {
    signature: String,
    #[serde(rename = "men")]
    piece_count: usize,
    attackers: usize,
    positions: String,
}

/// Lists all signatures with at most this number of attackers, fewest positions first. Of two that differ only in
/// colours, the greater one is listed.
pub fn table(attackers: usize, as_json: bool, out: &mut impl Write) -> Result<(), CommandError> {
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
        let positions = positions.to_string();
        if as_json {
            let (piece_count, attackers) = (signature.piece_count(), signature.attackers());
            let row = Row { signature: signature.to_string(), piece_count, attackers, positions };
            writeln!(out, "{}", serde_json::to_string(&row)?)?;
        } else {
            writeln!(out, "{positions:>width$}  {signature}")?;
        }
    }
    if !as_json {
        let all = counted(rows.len() as u64, "line");
        writeln!(out, "{all}, each also for colours exchanged; {sum} positions in all, either way round")?;
    }
    out.flush()?;
    Ok(())
}
