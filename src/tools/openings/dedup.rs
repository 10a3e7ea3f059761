//! Which starts are too much alike to stand in one suite.

use std::collections::HashMap;

use super::{Criteria, FAMILY_PLIES, Fault, Place};
use crate::position::Position;
use crate::types::Move;

/// A number that a position shares with its mirror image and with nothing else (but by a chance of one in 2⁶⁴).
pub fn identity(position: &Position) -> u64 {
    position.key().min(position.mirrored().key())
}

/// The starts that a suite has so far, as far as another one may be like them.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    ends: HashMap<u64, Place>,
    /// What lies on the way to an end, from the fewest plies of a start on.
    ways: HashMap<u64, Place>,
    families: HashMap<u64, usize>,
}

/// What of a line others are compared with.
struct Line {
    family: u64,
    way: Vec<u64>,
    end: u64,
}

impl Line {
    fn of(moves: &[Move], criteria: &Criteria) -> Line {
        let mut position = Position::start();
        let mut line = Line { family: identity(&position), way: Vec::new(), end: identity(&position) };
        for (index, &mv) in moves.iter().enumerate() {
            position.make(mv);
            let plies = index + 1;
            if plies == FAMILY_PLIES {
                line.family = identity(&position);
            }
            if plies == moves.len() {
                line.end = identity(&position);
            } else if plies >= criteria.least_plies {
                line.way.push(identity(&position));
            }
        }
        line
    }
}

impl Chosen {
    /// Whether a line of legal moves from the start of the game is different enough from all others.
    ///
    /// # Errors
    /// [`Fault::Duplicate`], [`Fault::SameLine`] or [`Fault::Family`].
    pub fn admits(&self, moves: &[Move], criteria: &Criteria) -> Result<(), Fault> {
        let line = Line::of(moves, criteria);
        if let Some(&place) = self.ends.get(&line.end) {
            return Err(Fault::Duplicate(place));
        }
        let relative = self.ways.get(&line.end).or_else(|| line.way.iter().find_map(|key| self.ends.get(key)));
        if let Some(&place) = relative {
            return Err(Fault::SameLine(place));
        }
        if self.families.get(&line.family).is_some_and(|&count| count >= criteria.most_of_family) {
            return Err(Fault::Family { most: criteria.most_of_family });
        }
        Ok(())
    }

    /// Adds a line.
    pub fn add(&mut self, moves: &[Move], criteria: &Criteria, place: Place) {
        let line = Line::of(moves, criteria);
        self.ends.entry(line.end).or_insert(place);
        for key in line.way {
            self.ways.entry(key).or_insert(place);
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

    const CRITERIA: Criteria = Criteria { least_plies: 4, most_plies: 8, balance: 60, nodes: 1, most_of_family: 2 };

    #[test]
    fn a_line_its_mirror_image_and_another_order_are_the_same() {
        let mut chosen = Chosen::default();
        let moves = line("h2e2 h9g7 h0g2 i9h9");
        assert_eq!(chosen.admits(&moves, &CRITERIA), Ok(()));
        chosen.add(&moves, &CRITERIA, Place(7));
        let duplicate = Err(Fault::Duplicate(Place(7)));
        assert_eq!(chosen.admits(&moves, &CRITERIA), duplicate);
        assert_eq!(chosen.admits(&mirrored(&moves), &CRITERIA), duplicate);
        assert_eq!(chosen.admits(&line("h0g2 h9g7 h2e2 i9h9"), &CRITERIA), duplicate);
        assert_eq!(chosen.admits(&line("h2e2 h9g7 h0g2 b9c7"), &CRITERIA), Ok(()));
    }

    #[test]
    fn no_line_goes_on_where_another_ends() {
        let long = line("h2e2 h9g7 h0g2 i9h9 i0h0 b9c7");
        let short = &long[..4];
        for (first, second) in [(&long[..], short), (short, &long[..])] {
            let mut chosen = Chosen::default();
            chosen.add(first, &CRITERIA, Place(1));
            assert_eq!(chosen.admits(&mirrored(second), &CRITERIA), Err(Fault::SameLine(Place(1))));
        }
    }

    #[test]
    fn families_do_not_grow_too_large() {
        let mut chosen = Chosen::default();
        let family = "h2e2 h9g7 h0g2 i9h9";
        for (number, rest) in ["i0h0 b9c7", "b0c2 b9c7"].into_iter().enumerate() {
            let moves = line(&format!("{family} {rest}"));
            assert_eq!(chosen.admits(&moves, &CRITERIA), Ok(()));
            chosen.add(&moves, &CRITERIA, Place(number as u64));
        }
        let third = line(&format!("{family} a3a4 b9c7"));
        assert_eq!(chosen.admits(&mirrored(&third), &CRITERIA), Err(Fault::Family { most: 2 }));
    }
}
