//! Names of openings (定石): White's first two stones after a black one on J10 (Li 2010, section 2.2.1).
//!
//! The two stones have eight images under the symmetries of the board, and the name is that of one of them. The first
//! stone lies in the eighth of the board south by south-west of the centre, as near to it as any, by rows and then by
//! columns. Among images that agree so far the second stone lies farthest right and then lowest. `T` is a step down and
//! `X` a step down and left, so TX-K8 has its first stone on I8; farther stones have their coordinates.

use std::cmp::Reverse;
use std::fmt;

use chuhe::util::math::StableRandom;

use crate::board::{Point, SIZE};

/// Opening in the image that gives its name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Opening {
    pub first: Point,
    pub second: Point,
}

/// Returns the image of a point under one of the eight symmetries: mirrored at the middle column or not, then turned.
pub fn image(point: Point, symmetry: usize) -> Point {
    let last = SIZE as i32 - 1;
    let (mut column, mut row) = (point.column(), point.row());
    if symmetry >= 4 {
        column = last - column;
    }
    for _ in 0..symmetry % 4 {
        (column, row) = (last - row, column);
    }
    Point::new(column, row).unwrap_or(point)
}

/// Returns columns and rows from the centre.
fn from_centre(point: Point) -> (i32, i32) {
    (point.column() - Point::CENTRE.column(), point.row() - Point::CENTRE.row())
}

impl Opening {
    /// Returns the opening of two different stones beside one on the centre.
    pub fn of(stones: [Point; 2]) -> Option<Opening> {
        if stones[0] == stones[1] || stones.contains(&Point::CENTRE) {
            return None;
        }
        let [one, other] = stones;
        let images = (0..8).flat_map(|symmetry| {
            let [one, other] = [one, other].map(|point| image(point, symmetry));
            [Opening { first: one, second: other }, Opening { first: other, second: one }]
        });
        let named = images.filter(|opening| {
            let (columns, rows) = from_centre(opening.first);
            rows < 0 && columns <= 0 && columns >= rows
        });
        named.min_by_key(|opening| {
            let ((columns, rows), second) = (from_centre(opening.first), opening.second);
            (-rows, -columns, Reverse(second.column()), second.row())
        })
    }
}

impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (columns, rows) = from_centre(self.first);
        match -rows {
            1 | 2 => write!(f, "{}{}", "T".repeat((columns - rows) as usize), "X".repeat(-columns as usize))?,
            _ => write!(f, "{}", self.first)?,
        }
        write!(f, "-{}", self.second)
    }
}

/// Draws the first five stones of a game: one on the centre and four at most three points away.
pub fn random_stones(random: &mut StableRandom) -> [Point; 5] {
    let mut stones = [Point::CENTRE; 5];
    for index in 1..stones.len() {
        while stones[..index].contains(&stones[index]) {
            let mut shift = || random.below(7) as i32 - 3;
            stones[index] = Point::CENTRE.offset(shift(), shift()).unwrap_or(Point::CENTRE);
        }
    }
    stones
}

/// Returns the opening of a game, if it began on the centre and White has placed two stones.
pub fn opening_of(stones: impl IntoIterator<Item = Point>) -> Option<Opening> {
    let mut stones = stones.into_iter();
    let first = stones.next().filter(|&point| point == Point::CENTRE);
    first.and(stones.next().zip(stones.next())).and_then(|(one, other)| Opening::of([one, other]))
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    /// The names of the figures 2.5 to 2.30; two of the 26 occur twice.
    const NAMED: [&str; 24] = [
        "X-J8", "X-K9", "T-K11", "X-L10", "X-K8", "TT-L10", "TT-K8", "TT-L8", "T-J12", "T-K12", "T-J11", "TT-L12",
        "T-K10", "X-K11", "TX-K8", "TT-J12", "T-K8", "T-L11", "X-L9", "X-L11", "X-I8", "T-L12", "T-L9", "T-J8",
    ];

    /// Pairs of points at most four columns and rows from the centre, without it.
    fn pairs() -> Vec<[Point; 2]> {
        let is_near = |point: &Point| from_centre(*point).0.abs().max(from_centre(*point).1.abs()) <= 4;
        let points: Vec<Point> = Point::all().filter(|point| is_near(point) && *point != Point::CENTRE).collect();
        let with_others = |one: Point| points.iter().filter(move |&&other| one < other).map(move |&other| [one, other]);
        points.iter().flat_map(|&one| with_others(one)).collect()
    }

    #[test]
    fn the_names_of_the_thesis_are_kept_by_all_symmetries() {
        for name in NAMED {
            let (steps, second) = name.split_once('-').unwrap();
            let first = Point::CENTRE.offset(-(steps.matches('X').count() as i32), -(steps.len() as i32)).unwrap();
            for symmetry in 0..8 {
                let [first, second] = [first, second.parse().unwrap()].map(|point| image(point, symmetry));
                for stones in [[first, second], [second, first]] {
                    assert_eq!(Opening::of(stones).unwrap().to_string(), name);
                }
            }
        }
    }

    #[test]
    fn the_images_of_a_pair_and_no_other_pairs_share_a_name() {
        let mut by_name: HashMap<String, HashSet<[Point; 2]>> = HashMap::new();
        let sorted = |[one, other]: [Point; 2]| [one.min(other), one.max(other)];
        for pair in pairs() {
            by_name.entry(Opening::of(pair).unwrap().to_string()).or_default().insert(pair);
        }
        // By Burnside's lemma: a half turn keeps 40 of all 3,160 pairs, and each of the four reflections 28 on its axis and
        // 36 across it.
        assert_eq!((pairs().len(), by_name.len()), (3_160, (3_160 + 40 + 4 * (28 + 36)) / 8));
        for (name, same) in by_name {
            let one = *same.iter().next().unwrap();
            let images: HashSet<_> = (0..8).map(|symmetry| sorted(one.map(|point| image(point, symmetry)))).collect();
            assert_eq!(images, same, "{name}");
        }
    }

    #[test]
    fn the_first_three_stones_have_a_name() {
        let game = |names: &str| opening_of(names.split(' ').map(|name| name.parse().unwrap()));
        let name = |names: &str| game(names).map(|opening| opening.to_string());
        assert_eq!(name("J10 K11 I10").as_deref(), Some("T-K11"));
        assert_eq!(name("J10 S19 A2 B1").as_deref(), Some("B1-S19"));
        assert_eq!(
            [name("J10 K11"), name("J9 K11 J12"), name("J10 J10 K11"), name("J10 A1 A1")],
            [None, None, None, None]
        );
    }
}
