//! Why the number of positions that was published is too small, with a case small enough to be checked by eye.

use std::io::Write;

use serde::Serialize;

use crate::console::error::CommandError;
use crate::counting::published::{PUBLISHED, PawnFormula, home_pawns};
use crate::types::{Square, SquareSet};

/// One case of the formula in question.
#[derive(Serialize)]
struct Term {
    /// Uncrossed pawns of a side.
    pawns: usize,
    /// How many of c4 and g4 its elephants take.
    taken: usize,
    printed: u64,
    complete: u64,
    /// How many ways there are when all sets of points are tried.
    listed: usize,
}

#[derive(Serialize)]
struct Explanation {
    terms: Vec<Term>,
    /// All ways for one pawn with elephants on c4 and g4.
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

/// Shows which term of the published sum is wrong.
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
    writeln!(out, "The smallest case that is wrong: one pawn, elephants on c4 and g4. The formula as printed adds")?;
    writeln!(out, "2·C(3,1) = 6 places on files a, e and i, and 1·C(3,0) = 1 on file c or g. But they are two:")?;
    writeln!(out, "  {}", smallest_case.join(", "))?;
    writeln!(out)?;
    writeln!(out, "published                    {PUBLISHED}")?;
    writeln!(out, "sum with the printed terms   {printed}")?;
    writeln!(out, "sum with the complete terms  {complete}")?;
    Ok(())
}

const HEAD: &str = "\
Wei and Li (2019) count position by position of kings, advisors, elephants, pawns and the rest. Their
formula (3) is the number of ways to place P uncrossed pawns, one to a file, when elephants of their side
take B of the points c4 and g4. It adds up over i, the pawns on files that are half taken:
  printed   Σ 2^(P−i) · C(5−B, P−i)
  complete  Σ C(B, i) · 2^(P−i) · C(5−B, P−i)
Which i of the B files the pawns stand on is missing in print. 'Listed' tries all sets of the ten points.

  B    P   printed  complete    listed
";
