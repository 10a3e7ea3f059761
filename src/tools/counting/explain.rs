//! `count --explain`: error in the published number of positions, with the smallest wrong case.

use std::io::Write;

use serde::Serialize;

use crate::console::error::CommandError;
use crate::counting::published::{PUBLISHED, PawnFormula, home_pawns};
use crate::types::{Square, SquareSet};

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
    published: &'static str,
    by_printed_formula: String,
    by_complete_formula: String,
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
            published: PUBLISHED,
            by_printed_formula: printed,
            by_complete_formula: complete,
        };
        writeln!(out, "{}", serde_json::to_string(&explanation)?)?;
        return Ok(());
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
