//! Number of positions: all, compared with the published number, those of a signature, or of all small signatures
//! (`count --table`).

use std::io::{BufWriter, Write};

use serde::Serialize;

use super::approximate;
use crate::console::error::CommandError;
use crate::console::progress::counted;
use crate::counting::published::{PUBLISHED, PawnFormula};
use crate::counting::{Ranking, Signature, U256};

/// Number of positions as JSON. Large numbers are strings, so that no reader rounds them.
#[derive(Serialize)]
struct Size {
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    positions: String,
    log10: f64,
    log2: f64,
    bits: usize,
}

/// Number of all positions as JSON.
#[derive(Serialize)]
struct Whole {
    #[serde(flatten)]
    size: Size,
    published: &'static str,
    by_printed_formula: String,
    by_complete_formula: String,
    missing: String,
}

impl Size {
    fn new(signature: Option<Signature>, positions: U256) -> Size {
        let about = approximate(positions);
        Size {
            signature: signature.map(|signature| signature.to_string()),
            positions: positions.to_string(),
            log10: about.log10(),
            log2: about.log2(),
            bits: bits(positions),
        }
    }

    fn text(&self) -> String {
        let Size { positions, log10, log2, bits, .. } = self;
        format!("{positions} positions\nlog10 {log10:.4}, log2 {log2:.4}; {bits} bits index each of them\n")
    }
}

/// Returns the number of bits needed to index this many positions.
fn bits(positions: U256) -> usize {
    positions.checked_sub(U256::from(1)).map_or(0, |last| last.bit_len())
}

/// Prints the number of positions of a signature.
pub fn of_signature(signature: Signature, as_json: bool, out: &mut impl Write) -> Result<(), CommandError> {
    let size = Size::new(Some(signature), Ranking::new(signature).size());
    if as_json {
        writeln!(out, "{}", serde_json::to_string(&size)?)?;
    } else {
        write!(out, "{signature}: {}", size.text())?;
    }
    Ok(())
}

/// Prints the number of all positions and the published one.
pub fn all_positions(as_json: bool, out: &mut impl Write) -> Result<(), CommandError> {
    let positions = Ranking::all_positions().size();
    let size = Size::new(None, positions);
    let [printed, complete] = [PawnFormula::Printed, PawnFormula::Complete].map(PawnFormula::total);
    let missing = positions.saturating_sub(printed);
    if as_json {
        let whole = Whole {
            size,
            published: PUBLISHED,
            by_printed_formula: printed.to_string(),
            by_complete_formula: complete.to_string(),
            missing: missing.to_string(),
        };
        writeln!(out, "{}", serde_json::to_string(&whole)?)?;
        return Ok(());
    }
    out.write_all(size.text().as_bytes())?;
    writeln!(out)?;
    writeln!(out, "published (Wei and Li 2019)         {PUBLISHED}")?;
    writeln!(out, "their formulas, recomputed          {printed}, {}", agreement(printed.to_string() == PUBLISHED))?;
    writeln!(out, "with formula (3) completed          {complete}, {}", agreement(complete == positions))?;
    let share = approximate(missing) / approximate(positions) * 100.0;
    writeln!(out, "missing from the published number   {missing:>40}, {share:.3} % of all; --explain shows why")?;
    Ok(())
}

fn agreement(is_same: bool) -> &'static str {
    if is_same { "equal" } else { "different" }
}

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
