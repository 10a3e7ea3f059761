//! Rejection of openings that are too similar to others of the suite.

use std::collections::HashMap;

use super::{Criteria, FAMILY_PLIES, Fault, OpeningNumber};
use crate::position::Position;
use crate::types::Move;

/// Returns a key that a position shares with its mirror image only (up to hash collisions).
pub fn symmetric_key(position: &Position) -> u64 {
    position.key().min(position.mirrored().key())
}

/// Keys of the openings of a suite.
#[derive(Clone, Debug, Default)]
pub struct Deduplicator {
    ends: HashMap<u64, OpeningNumber>,
    /// Positions before the end, from the minimum plies on.
    passed: HashMap<u64, OpeningNumber>,
    families: HashMap<u64, usize>,
}

/// Keys of a line.
struct Line {
    family: u64,
    passed: Vec<u64>,
    end: u64,
}

impl Line {
    fn new(moves: &[Move], criteria: &Criteria) -> Line {
        let mut position = Position::start();
        let mut line = Line { family: symmetric_key(&position), passed: Vec::new(), end: symmetric_key(&position) };
        for (index, &mv) in moves.iter().enumerate() {
            position.make(mv);
            let plies = index + 1;
            if plies == FAMILY_PLIES {
                line.family = symmetric_key(&position);
            }
            if plies == moves.len() {
                line.end = symmetric_key(&position);
            } else if plies >= criteria.min_plies {
                line.passed.push(symmetric_key(&position));
            }
        }
        line
    }
}

impl Deduplicator {
    /// Checks that a line of legal moves from the start of the game differs enough from all others.
    ///
    /// # Errors
    /// [`Fault::Duplicate`], [`Fault::SameLine`] or [`Fault::Family`].
    pub fn check(&self, moves: &[Move], criteria: &Criteria) -> Result<(), Fault> {
        let line = Line::new(moves, criteria);
        if let Some(&number) = self.ends.get(&line.end) {
            return Err(Fault::Duplicate(number));
        }
        let relative = self.passed.get(&line.end).or_else(|| line.passed.iter().find_map(|key| self.ends.get(key)));
        if let Some(&number) = relative {
            return Err(Fault::SameLine(number));
        }
        if self.families.get(&line.family).is_some_and(|&count| count >= criteria.max_family) {
            return Err(Fault::Family { max: criteria.max_family });
        }
        Ok(())
    }

    /// Adds a line.
    pub fn add(&mut self, moves: &[Move], criteria: &Criteria, number: OpeningNumber) {
        let line = Line::new(moves, criteria);
        self.ends.entry(line.end).or_insert(number);
        for key in line.passed {
            self.passed.entry(key).or_insert(number);
        }
        *self.families.entry(line.family).or_default() += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Vec<Move> {
        text.split(' ').map(|word| word.parse().unwrap()).collect()
    }

    fn mirrored(moves: &[Move]) -> Vec<Move> {
        moves.iter().map(|mv| mv.mirrored()).collect()
    }

    const CRITERIA: Criteria = Criteria { min_plies: 4, max_plies: 8, balance: 60, nodes: 1, max_family: 2 };

    #[test]
    fn a_line_its_mirror_image_and_another_order_are_the_same() {
        let mut chosen = Deduplicator::default();
        let moves = line("h2e2 h9g7 h0g2 i9h9");
        assert_eq!(chosen.check(&moves, &CRITERIA), Ok(()));
        chosen.add(&moves, &CRITERIA, OpeningNumber(7));
        let duplicate = Err(Fault::Duplicate(OpeningNumber(7)));
        assert_eq!(chosen.check(&moves, &CRITERIA), duplicate);
        assert_eq!(chosen.check(&mirrored(&moves), &CRITERIA), duplicate);
        assert_eq!(chosen.check(&line("h0g2 h9g7 h2e2 i9h9"), &CRITERIA), duplicate);
        assert_eq!(chosen.check(&line("h2e2 h9g7 h0g2 b9c7"), &CRITERIA), Ok(()));
    }

    #[test]
    fn no_line_continues_another() {
        let long = line("h2e2 h9g7 h0g2 i9h9 i0h0 b9c7");
        let short = &long[..4];
        for (first, second) in [(&long[..], short), (short, &long[..])] {
            let mut chosen = Deduplicator::default();
            chosen.add(first, &CRITERIA, OpeningNumber(1));
            assert_eq!(chosen.check(&mirrored(second), &CRITERIA), Err(Fault::SameLine(OpeningNumber(1))));
        }
    }

    #[test]
    fn families_are_limited() {
        let mut chosen = Deduplicator::default();
        let family = "h2e2 h9g7 h0g2 i9h9";
        for (number, rest) in ["i0h0 b9c7", "b0c2 b9c7"].into_iter().enumerate() {
            let moves = line(&format!("{family} {rest}"));
            assert_eq!(chosen.check(&moves, &CRITERIA), Ok(()));
            chosen.add(&moves, &CRITERIA, OpeningNumber(number as u64));
        }
        let third = line(&format!("{family} a3a4 b9c7"));
        assert_eq!(chosen.check(&mirrored(&third), &CRITERIA), Err(Fault::Family { max: 2 }));
    }
}
