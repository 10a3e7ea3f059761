//! The openings of matches that name no others.

use crate::notation::openings::{Opening, read_openings};
use crate::position::Strictness;

/// Openings built into the program.
const BUILT_IN_OPENINGS: &str = include_str!("../../../books/openings.txt");

/// Returns the openings built into the program.
pub fn built_in_openings() -> Vec<Opening> {
    let openings = read_openings(BUILT_IN_OPENINGS.as_bytes(), Strictness::Strict);
    openings.flatten().map(|(_, opening)| opening).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_built_in_openings_are_valid() {
        let lines = BUILT_IN_OPENINGS.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(built_in_openings().len(), lines.count());
    }
}
