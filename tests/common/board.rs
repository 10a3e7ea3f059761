//! Points and boards as text, independent of the squares and the FEN reader of the library.

use std::fmt;

use chuhe::types::{Side, Square};

/// A point of the board: file 0 to 8 from Red's left, rank 0 to 9 from Red's home.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Point {
    pub file: i8,
    pub rank: i8,
}

impl Point {
    pub fn new(file: i8, rank: i8) -> Point {
        Point { file, rank }
    }

    pub fn of(square: Square) -> Point {
        Point::new(square.file() as i8, square.rank() as i8)
    }

    pub fn all() -> impl Iterator<Item = Point> {
        (0..10).flat_map(|rank| (0..9).map(move |file| Point::new(file, rank)))
    }

    /// Tells whether the point lies on the half of the board where `side` starts.
    pub fn is_home_of(self, side: Side) -> bool {
        (self.rank <= 4) == (side == Side::Red)
    }

    pub fn is_in_palace_of(self, side: Side) -> bool {
        let ranks = if side == Side::Red { 0..=2 } else { 7..=9 };
        (3..=5).contains(&self.file) && ranks.contains(&self.rank)
    }

    pub fn is_in_line_with(self, other: Point) -> bool {
        self.file == other.file || self.rank == other.rank
    }

    pub fn is_a_horse_step_from(self, other: Point) -> bool {
        let (width, height) = ((self.file - other.file).abs(), (self.rank - other.rank).abs());
        (width, height) == (1, 2) || (width, height) == (2, 1)
    }

    /// Returns the leg of a horse that moves from this point to `other`: next to it, along the longer part of the step.
    pub fn leg_towards(self, other: Point) -> Point {
        // The division drops the shorter part, which is one.
        Point::new(self.file + (other.file - self.file) / 2, self.rank + (other.rank - self.rank) / 2)
    }

    /// The points strictly between this one and another of the same file or rank.
    pub fn points_towards(self, other: Point) -> impl Iterator<Item = Point> {
        let (files, ranks) = (other.file - self.file, other.rank - self.rank);
        let distance = files.abs().max(ranks.abs());
        (1..distance).map(move |step| Point::new(self.file + step * files.signum(), self.rank + step * ranks.signum()))
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.file as u8) as char, self.rank)
    }
}

pub fn side_of(letter: char) -> Side {
    if letter.is_ascii_uppercase() { Side::Red } else { Side::Black }
}

/// The piece letters of a well-formed FEN with their points, in the order of the text.
pub fn letters(fen: &str) -> Vec<(Point, char)> {
    let mut found = Vec::new();
    for (row, rank_text) in fen.split(' ').next().unwrap_or_default().split('/').enumerate() {
        let mut file = 0;
        for letter in rank_text.chars() {
            match letter.to_digit(10) {
                Some(empty) => file += empty as i8,
                None => {
                    found.push((Point::new(file, 9 - row as i8), letter));
                    file += 1;
                }
            }
        }
    }
    found
}
