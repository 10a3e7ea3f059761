//! Reader and writer of `weights.rs`, the source file of the evaluation weights.

use std::fmt::Write as _;

use crate::eval::handcrafted::{PSQT_SIZE, TERMS, Tapered, Terms};
use crate::types::{PieceKind, Value};

const FIRST_LINE: &str = "//! Every number of the evaluation, as (opening, ending) in centipawns.";
/// Files of a piece-square table.
const FILES: usize = 5;

/// Returns the source file of these weights. The lines of `provenance` describe their origin.
pub fn weights_source(weights: &Terms<Tapered>, provenance: &str) -> String {
    let mut text = format!("{FIRST_LINE}\n//!\n");
    for line in provenance.lines() {
        let _ = writeln!(text, "{}", format!("//! {line}").trim_end());
    }
    text.push_str("\nuse super::{Tapered, Terms};\n\n");
    text.push_str("const fn t(opening: i32, ending: i32) -> Tapered {\n    Tapered::new(opening, ending)\n}\n");
    text.push_str(
        "\n/// The weights. Piece-square tables have the files a to e (mirrored onto i to f), own home rank in the first \
         line.\n#[rustfmt::skip]\npub static WEIGHTS: Terms<Tapered> = Terms {\n",
    );
    for (name, group) in weights.groups() {
        let inner = match name {
            "psqt" => {
                let table = |(kind, squares): (PieceKind, &[Tapered])| {
                    format!("        // {}\n{}", kind.name(), rows(squares, FILES))
                };
                PieceKind::ALL.into_iter().zip(group.chunks(PSQT_SIZE)).map(table).collect()
            }
            // A line for each number of pieces, with 0, 1 and 2 enemy advisors on it.
            "guard" | "crossed_pawns" | "king_danger" => rows(group, 3),
            // A line per piece kind, with one weight per piece kind on it.
            "material" | "own_pairs" | "enemy_pairs" | "attacks" | "protects" => rows(group, PieceKind::COUNT),
            _ => rows(group, 6),
        };
        let _ = write!(text, "    {name}: [\n{inner}    ],\n");
    }
    text.push_str("};\n");
    text
}

/// Formats weights, `in_line` per line.
fn rows(weights: &[Tapered], in_line: usize) -> String {
    let word = |weight: &Tapered| format!("t({}, {})", weight.opening, weight.ending);
    let line = |row: &[Tapered]| format!("        {},\n", row.iter().map(word).collect::<Vec<_>>().join(", "));
    weights.chunks(in_line).map(line).collect()
}

/// Returns the origin of the weights as the source file states it; `None` when it is no such file.
pub fn read_provenance(source: &str) -> Option<String> {
    let mut lines = source.lines();
    (lines.next()? == FIRST_LINE && lines.next()? == "//!").then_some(())?;
    let lines: Vec<&str> = lines.map_while(|line| line.strip_prefix("//!")).map(str::trim).collect();
    Some(lines.join("\n"))
}

/// Reads the weights of a source file written by [`weights_source`]; `None` when it is no such file. Only the
/// numbers and their order matter.
pub fn read_weights(source: &str) -> Option<Terms<Tapered>> {
    let body = source.strip_prefix(FIRST_LINE)?.split_once("\nconst fn t(")?.1.split_once('}')?.1;
    let pairs: Option<Vec<Tapered>> = body
        .split("t(")
        .skip(1)
        .map(|rest| {
            let (opening, ending) = rest.split_once(')')?.0.split_once(", ")?;
            let number = |text: &str| text.parse::<i16>().ok().map(Value::from);
            Some(Tapered::new(number(opening)?, number(ending)?))
        })
        .collect();
    // In files of older versions the piece-square tables come first, as constants of their own.
    let pairs = pairs.filter(|pairs| pairs.len() == TERMS && !source.contains("_PSQT"))?;
    let mut weights = Terms::filled(Tapered::ZERO);
    let places = weights.groups_mut().into_iter().flat_map(|(_, group)| group);
    places.zip(pairs).for_each(|(weight, number)| *weight = number);
    Some(weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::handcrafted::WEIGHTS;
    use crate::lab::tuning::{WEIGHT_COUNT, rounded_weights};

    const SOURCE: &str = include_str!("../../eval/handcrafted/weights.rs");

    #[test]
    fn the_current_weights_are_in_canonical_form() {
        let provenance = read_provenance(SOURCE).expect("the file tells where its weights are from");
        for (number, (written, current)) in
            weights_source(&WEIGHTS, &provenance).lines().zip(SOURCE.lines()).enumerate()
        {
            assert_eq!(written, current, "line {}", number + 1);
        }
    }

    #[test]
    fn every_weight_comes_back() {
        // All weights differ, so that a swap shows.
        let flat: Vec<f64> = (0..WEIGHT_COUNT).map(|at| at as f64 * 13.0 - 6000.0).collect();
        let weights = rounded_weights(&flat);
        let source = weights_source(&weights, "One.\n\nTwo.");
        assert_eq!(read_weights(&source), Some(weights));
        assert_eq!(read_provenance(&source).as_deref(), Some("One.\n\nTwo."));
    }

    #[test]
    fn other_texts_are_refused() {
        assert_eq!(read_weights(""), None);
        assert_eq!(read_weights(&SOURCE.replacen("t(0, 0)", "t(0, x)", 1)), None);
        assert_eq!(read_weights(&SOURCE.replacen("t(0, 0), ", "", 1)), None);
        assert_eq!(read_weights(&SOURCE.replacen("// king", "// KING_PSQT", 1)), None);
        assert_eq!(read_provenance("//! Something else.\n"), None);
    }
}
