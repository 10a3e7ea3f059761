//! How many positions there are: all of them beside the number that was published, or those with certain men.

use std::io::Write;

use serde::Serialize;

use super::approximate;
use crate::console::error::CommandError;
use crate::counting::published::{PUBLISHED, PawnFormula};
use crate::counting::{Ranking, Signature, U256};

/// A number of positions as JSON. Large numbers are texts, so that no reader rounds them.
#[derive(Serialize)]
struct Size {
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    positions: String,
    log10: f64,
    log2: f64,
    bits: usize,
}

/// The same for all positions.
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
    fn of(signature: Option<Signature>, positions: U256) -> Size {
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
        format!("{positions} positions\nlog10 {log10:.4}, log2 {log2:.4}; a number of {bits} bits names each of them\n")
    }
}

/// How many bits a number needs that tells so many positions apart.
fn bits(positions: U256) -> usize {
    positions.checked_sub(U256::from(1)).map_or(0, |last| last.bit_len())
}

/// Tells how many positions have these men.
pub fn of_signature(signature: Signature, as_json: bool, out: &mut impl Write) -> Result<(), CommandError> {
    let size = Size::of(Some(signature), Ranking::new(signature).size());
    if as_json {
        writeln!(out, "{}", serde_json::to_string(&size)?)?;
    } else {
        write!(out, "{signature}: {}", size.text())?;
    }
    Ok(())
}

/// Tells how many positions there are, and how many were published.
pub fn of_everything(as_json: bool, out: &mut impl Write) -> Result<(), CommandError> {
    let positions = Ranking::of_everything().size();
    let size = Size::of(None, positions);
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
    writeln!(out, "their formulas reckoned again       {printed}, {}", agreement(printed.to_string() == PUBLISHED))?;
    writeln!(out, "the same with formula (3) complete  {complete}, {}", agreement(complete == positions))?;
    let share = approximate(missing) / approximate(positions) * 100.0;
    writeln!(out, "missing from the published number   {missing:>40}, {share:.3} % of all; --explain shows why")?;
    Ok(())
}

fn agreement(is_same: bool) -> &'static str {
    if is_same { "the same" } else { "another number" }
}
