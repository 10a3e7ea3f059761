//! Coordinate notation of moves, as in protocols (`h2e2`) and ICCS (`H2-E2`).

use crate::types::Move;

/// Formats a move in ICCS.
pub(super) fn write_iccs(mv: Move) -> String {
    format!("{}-{}", mv.from(), mv.to()).to_ascii_uppercase()
}

/// Parses two squares with or without a dash, in upper or lower case. Legality is not checked.
pub(super) fn read(text: &str) -> Option<Move> {
    text.parse().ok()
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
    fn descriptions_are_no_coordinates() {
        for text in ["C2.5", "c2-5", "C2=5", "++.4", "33+1", "Pe-4", "E3+5"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
