//! Number of positions: all, compared with the published number, or those of a signature.

use std::io::Write;

use serde::Serialize;

use super::approximate;
use crate::console::error::CommandError;
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
