//! Number of positions: all, compared with the published number, those of a signature, or of all small signatures
//! (`count --table`); and the error in the published number, with the smallest wrong case (`count --explain`).

use std::io::{BufWriter, Write};

use serde::Serialize;

use super::{Digits, approximate, digits};
use crate::console::counted;
use crate::console::error::CommandError;
use crate::console::output::write_json;
use crate::counting::published::{
    LITERATURE, PUBLISHED, PUBLISHED_BOUND_LOG10, PUBLISHED_TERABYTES, PawnFormula, home_pawns, rough_bound,
};
use crate::counting::{Ranking, Signature, U256};
use crate::types::{Square, SquareSet};

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

/// Number of all positions as JSON.
#[derive(Serialize)]
struct Whole {
    #[serde(flatten)]
    size: Size,
    published: Digits,
    by_printed_formula: Digits,
    by_complete_formula: Digits,
    missing: Digits,
    /// Decimal logarithm of the rough upper bound of the paper.
    bound_log10: f64,
    published_bound_log10: f64,
    /// Storage of every position by its logarithm to the base 2 in bits, in units of 2⁴⁰ bytes.
    terabytes: f64,
    published_terabytes: f64,
    /// Earlier numbers of positions.
    literature: [Earlier; 4],
}

/// Number of positions in earlier literature.
#[derive(Serialize)]
struct Earlier {
    author: &'static str,
    year: u16,
    log10: u8,
}

impl Size {
    fn new(signature: Option<Signature>, positions: U256) -> Size {
        let about = approximate(positions);
        Size {
            signature: signature.map(|signature| signature.to_string()),
            positions: digits(positions),
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

/// Bytes of a terabyte in the published storage.
const BYTES_PER_TERABYTE: f64 = (1_u64 << 40) as f64;

/// Returns the number of bits needed to index this many positions.
fn bits(positions: U256) -> usize {
    positions.checked_sub(U256::from(1)).map_or(0, |last| last.bit_len())
}

/// Prints the number of positions of a signature.
pub fn of_signature(signature: Signature, as_json: bool, out: &mut impl Write) -> Result<(), CommandError> {
    let size = Size::new(Some(signature), Ranking::new(signature).size());
    if as_json {
        write_json(out, "size", &size)?;
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
    let bound_log10 = approximate(rough_bound()).log10();
    let terabytes = approximate(positions) * size.log2 / 8.0 / BYTES_PER_TERABYTE;
    if as_json {
        let whole = Whole {
            size,
            published: digits(PUBLISHED),
            by_printed_formula: digits(printed),
            by_complete_formula: digits(complete),
            missing: digits(missing),
            bound_log10,
            published_bound_log10: PUBLISHED_BOUND_LOG10,
            terabytes,
            published_terabytes: PUBLISHED_TERABYTES,
            literature: LITERATURE.map(|(author, year, log10)| Earlier { author, year, log10 }),
        };
        return write_json(out, "size", &whole);
    }
    out.write_all(size.text().as_bytes())?;
    writeln!(out)?;
    writeln!(out, "published (Wei and Li 2019)         {PUBLISHED}")?;
    writeln!(out, "their formulas, recomputed          {printed}, {}", agreement(printed.to_string() == PUBLISHED))?;
    writeln!(out, "with formula (3) completed          {complete}, {}", agreement(complete == positions))?;
    let share = approximate(missing) / approximate(positions) * 100.0;
    writeln!(out, "missing from the published number   {missing:>40}, {share:.3} % of all; --explain shows why")?;
    writeln!(out)?;
    writeln!(out, "upper bound by their rough formula  10^{bound_log10:.3}, published 10^{PUBLISHED_BOUND_LOG10}")?;
    writeln!(
        out,
        "storage, {:.2} bits a position    {terabytes:.3e} TB, published {PUBLISHED_TERABYTES:.2e} TB",
        size.log2
    )?;
    let earlier = LITERATURE.map(|(author, year, log10)| format!("10^{log10} ({author} {year})"));
    writeln!(out, "earlier literature, their table 2   {}", earlier.join(", "))?;
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
    positions: Digits,
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

/// One case of the formula.
#[derive(Serialize)]
struct Term {
    /// Uncrossed pawns of a side.
    pawns: usize,
    /// Number of c4 and g4 occupied by its elephants.
    taken: usize,
    printed: u64,
    complete: u64,
    /// Number of placements found by trying all sets of squares.
    listed: usize,
}

#[derive(Serialize)]
struct Explanation {
    terms: Vec<Term>,
    /// All placements of one pawn with elephants on c4 and g4.
    smallest_case: Vec<String>,
    published: Digits,
    by_printed_formula: Digits,
    by_complete_formula: Digits,
}

fn terms() -> Vec<Term> {
    let term = |taken, pawns| Term {
        pawns,
        taken,
        printed: PawnFormula::Printed.ways(pawns, taken),
        complete: PawnFormula::Complete.ways(pawns, taken),
        listed: home_pawns(pawns, taken).len(),
    };
    (0..=2).flat_map(|taken| (0..=5).map(move |pawns| term(taken, pawns))).collect()
}

fn squares(set: SquareSet) -> String {
    let names: Vec<String> = set.iter().map(|square: Square| square.to_string()).collect();
    names.join(" ")
}

/// Shows the wrong term of the published sum.
pub fn explain(as_json: bool, out: &mut impl Write) -> Result<(), CommandError> {
    let smallest_case: Vec<String> = home_pawns(1, 2).into_iter().map(squares).collect();
    let [printed, complete] = [PawnFormula::Printed, PawnFormula::Complete].map(|formula| formula.total().to_string());
    if as_json {
        let explanation = Explanation {
            terms: terms(),
            smallest_case,
            published: digits(PUBLISHED),
            by_printed_formula: digits(printed),
            by_complete_formula: digits(complete),
        };
        return write_json(out, "explanation", &explanation);
    }
    out.write_all(HEAD.as_bytes())?;
    for Term { pawns, taken, printed, complete, listed } in terms() {
        let mark = if printed == listed as u64 { "" } else { "  printed is wrong" };
        writeln!(out, "{taken:>3}  {pawns:>3}  {printed:>8}  {complete:>8}  {listed:>8}{mark}")?;
    }
    writeln!(out)?;
    writeln!(out, "The smallest wrong case: one pawn, elephants on c4 and g4. The printed formula adds")?;
    writeln!(out, "2·C(3,1) = 6 squares on files a, e and i, and 1·C(3,0) = 1 on files c and g, where there are two:")?;
    writeln!(out, "  {}", smallest_case.join(", "))?;
    writeln!(out)?;
    writeln!(out, "published                    {PUBLISHED}")?;
    writeln!(out, "sum with the printed terms   {printed}")?;
    writeln!(out, "sum with the complete terms  {complete}")?;
    Ok(())
}

const HEAD: &str = "\
Wei and Li (2019) place kings, advisors, elephants, pawns and the other pieces one after another. Their
formula (3) is the number of ways to place P uncrossed pawns, one per file, when elephants of their side
occupy B of the squares c4 and g4. It sums over i, the pawns on these half-occupied files:
  printed   Σ 2^(P−i) · C(5−B, P−i)
  complete  Σ C(B, i) · 2^(P−i) · C(5−B, P−i)
The printed formula omits the choice of i of the B files. 'Listed' tries all sets of the ten squares.

  B    P   printed  complete    listed
";
