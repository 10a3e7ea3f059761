//! The openings of matches that name no others.

use crate::notation::openings::{Opening, OpeningReader};
use crate::position::Strictness;

/// Openings built into the program.
const BUILT_IN_OPENINGS: &str = include_str!("../../../books/openings.txt");

/// Returns the openings built into the program.
pub fn built_in_openings() -> Vec<Opening> {
    OpeningReader::new(BUILT_IN_OPENINGS.as_bytes(), Strictness::Strict).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_built_in_openings_are_valid() {
        let openings: Result<Vec<Opening>, _> =
            OpeningReader::new(BUILT_IN_OPENINGS.as_bytes(), Strictness::Strict).collect();
        assert_eq!(openings.unwrap().len(), BUILT_IN_OPENINGS.lines().filter(|line| !line.starts_with('#')).count());
    }
}
