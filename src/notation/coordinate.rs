//! Coordinate notation of moves, as in protocols (`h2e2`) and ICCS (`H2-E2`).

use super::move_signs::{Sign, Signs, Stop};
use super::normal_form::after_marks;
use crate::types::Move;

/// Formats a move in ICCS.
pub(super) fn write_iccs(mv: Move) -> String {
    format!("{}-{}", mv.from(), mv.to()).to_ascii_uppercase()
}

/// Parses two squares with or without a dash, in upper or lower case. Legality is not checked.
pub(super) fn read(text: &str) -> Option<Move> {
    text.parse().ok()
}

/// Splits moves in coordinates that follow each other without separators (`h2e2h9g7`, `1.h3e3h10g82.h1g3`), with
/// numbers and names of sides before them; `None` for a text that is anything else, or one move.
pub(super) fn split_coordinates(text: &str) -> Option<Vec<&str>> {
    let (mut moves, mut rest) = (Vec::new(), text);
    loop {
        let mut signs = Signs::new(rest);
        let last = signs.by_ref().last();
        if rest.is_empty() || signs.rest.is_empty() && matches!(last, Some(Sign::Number(..))) {
            break;
        }
        // A number without a dot could be a part of the rank before it.
        let from = if matches!(last, Some(Sign::Number(_, Stop::None))) { rest } else { signs.rest };
        let dash = after_point(from)?;
        let to = dash.strip_prefix('-').unwrap_or(dash);
        let after = after_marks(after_point(to)?);
        moves.push(&rest[..rest.len() - after.len()]);
        rest = after;
    }
    let is_split = moves.len() > 1;
    // The number of a move whose dot was taken for a separator.
    moves.extend(Some(rest).filter(|rest| !rest.is_empty()));
    is_split.then_some(moves)
}

/// Returns the text after a file and a rank, `0` to `10`.
fn after_point(text: &str) -> Option<&str> {
    let after = text.strip_prefix(|c: char| matches!(c.to_ascii_lowercase(), 'a'..='i'))?;
    after.strip_prefix("10").or_else(|| after.strip_prefix(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_points_is_read_back() {
        for from in crate::types::Square::all() {
            for to in crate::types::Square::all() {
                let mv = Move::new(from, to);
                assert_eq!(read(&write_iccs(mv)), Some(mv));
                assert_eq!(read(&mv.to_string()), Some(mv));
            }
        }
        assert_eq!(write_iccs("b9c7".parse().unwrap()), "B9-C7");
    }

    #[test]
    fn moves_without_separators_are_split() {
        for (text, expected) in [
            ("h2e2h9g7h0g2i9h9", &["h2e2", "h9g7", "h0g2", "i9h9"][..]),
            ("h3e3h10g8i10h10h1g1", &["h3e3", "h10g8", "i10h10", "h1g1"]),
            ("H2-E2H9-G7", &["H2-E2", "H9-G7"]),
            ("1.h2e2h9g72.h0g2i9h9", &["1.h2e2", "h9g7", "2.h0g2", "i9h9"]),
            ("1、h2e2!h9g7+2", &["1、h2e2!", "h9g7+", "2"]),
            ("第一回合：h2e2h9g7", &["第一回合：h2e2", "h9g7"]),
            ("①h2e2h9g7②h0g2i9h9", &["①h2e2", "h9g7", "②h0g2", "i9h9"]),
            ("红：h2e2黑：h9g7", &["红：h2e2", "黑：h9g7"]),
            ("9.a1a1010...a10a1", &["9.a1a10", "10...a10a1"]),
        ] {
            assert_eq!(split_coordinates(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "h2e2", "1.h2e2", "h2e2h9", "h2e2x", "h2e2h9g7.", "h2e22", "deadbeef", "h2e2,h9g7", "C2.5H8+7"]
        {
            assert_eq!(split_coordinates(text), None, "{text}");
        }
    }

    #[test]
    fn descriptions_are_no_coordinates() {
        for text in ["C2.5", "c2-5", "C2=5", "++.4", "33+1", "Pe-4", "E3+5"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
