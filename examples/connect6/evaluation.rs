//! Evaluation of empty points and of shapes (Li 2010, sections 3.2, 3.3 and 5.2).
//!
//! The value of an empty point for a side is a sum over the lines through it that have no stone of the other side: a
//! number for one, two, … five stones on the line. It chooses the candidates of the search. Leaves are evaluated by
//! shapes, stones side by side in a row with room for six, either compared lexicographically as a vector of numbers of
//! shapes, or by the sum of a value for each shape. The situation factor weighs the two sides.
//!
//! The values of points are updated stone by stone, shapes are counted at the leaves.

use std::cmp::Reverse;
use std::fmt;
use std::ops::Neg;
use std::str::FromStr;

use arrayvec::ArrayVec;

use crate::board::{Board, DIRECTIONS, POINTS, Point, ROW, Side, lines_through, points_of};

/// Values of an empty point for one to five stones on a line through it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Values {
    /// Stones of the side that places the next stone.
    pub own: [i32; 5],
    /// Stones of its opponent.
    pub enemy: [i32; 5],
}

/// Values by experience of players (section 3.3.2).
pub const UNTUNED: Values = Values { own: [5, 50, 100, 200, 400], enemy: [5, 50, 100, 600, 800] };
/// Values tuned by particle swarm optimization (section 4.3).
pub const TUNED: Values = Values { own: [7, 65, 122, 298, 525], enemy: [9, 60, 150, 330, 903] };
/// Values tuned by games of this program, with `connect6 tune`.
pub const SWARM: Values = Values { own: [6, 55, 90, 175, 355], enemy: [3, 45, 85, 719, 740] };
/// Largest value, so that no sum overflows.
pub const MAX_VALUE: i32 = 1_000_000;

impl Values {
    /// Returns the ten values, own ones first.
    pub fn all(&self) -> impl Iterator<Item = i32> {
        self.own.into_iter().chain(self.enemy)
    }

    /// Creates values from ten numbers, own ones first; they are rounded and cut to their range.
    pub fn from_numbers(numbers: &[f64]) -> Values {
        let cut = |number: &f64| number.round().clamp(0.0, MAX_VALUE.into()) as i32;
        let at = |index: usize| numbers.get(index).map_or(0, cut);
        Values { own: std::array::from_fn(at), enemy: std::array::from_fn(|index| at(5 + index)) }
    }
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.all().map(|value| value.to_string()).collect::<Vec<_>>().join("/"))
    }
}

/// Parses `untuned`, `tuned`, `swarm`, or ten numbers such as `5/50/100/200/400/5/50/100/600/800`.
impl FromStr for Values {
    type Err = String;

    fn from_str(text: &str) -> Result<Values, String> {
        let parse = |word: &str| word.parse().ok().filter(|value| (0..=MAX_VALUE).contains(value)).map(f64::from);
        let numbers: Option<Vec<f64>> = text.split('/').map(parse).collect();
        match (text, numbers.filter(|numbers| numbers.len() == 10)) {
            ("untuned", _) => Ok(UNTUNED),
            ("tuned", _) => Ok(TUNED),
            ("swarm", _) => Ok(SWARM),
            (_, Some(numbers)) => Ok(Values::from_numbers(&numbers)),
            _ => Err(format!("'{text}' is none of untuned, tuned, swarm and ten numbers with '/' between them")),
        }
    }
}

/// Evaluation of leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaf {
    /// Numbers of shapes, compared lexicographically.
    Vector,
    /// Sum of the values of shapes.
    Sum,
}

/// Values of the shapes (section 3.2.4), which are stones of one side side by side in a row with room for six: live
/// ones to fives with an empty point at both ends, dead fours and fives with an empty point at one end, sixes.
const SHAPE_VALUES: [i32; 8] = [2, 40, 200, 600, 2_000, 350, 1_500, 5_000];

/// Numbers of shapes of a side, in the order of their values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Shapes([i32; SHAPE_VALUES.len()]);

impl Shapes {
    /// Counts the shapes of a side on the board.
    pub fn of(board: &Board, side: Side) -> Shapes {
        let mut shapes = Shapes::default();
        for first in board.history().filter(|&point| board.stone(point) == Some(side)) {
            for (columns, rows) in DIRECTIONS {
                let at = |step: i32| first.offset(step * columns, step * rows);
                let is_own = |step: i32| at(step).is_some_and(|point| board.stone(point) == Some(side));
                let is_empty = |step: i32| at(step).is_some_and(|point| board.is_empty(point));
                if is_own(-1) {
                    continue;
                }
                let length = (1..ROW as i32).take_while(|&step| is_own(step)).count() as i32 + 1;
                let is_free = |step: &i32| is_own(*step) || is_empty(*step);
                let after = (1..ROW as i32).take_while(is_free).count();
                let before = (1..ROW as i32).map(|step| -step).take_while(is_free).count();
                if before + 1 + after < ROW {
                    continue;
                }
                let index = match (length, is_empty(-1), is_empty(length)) {
                    (6, ..) => 7,
                    (_, true, true) => length as usize - 1,
                    (4 | 5, true, false) | (4 | 5, false, true) => length as usize + 1,
                    _ => continue,
                };
                shapes.0[index] += 1;
            }
        }
        shapes
    }

    /// Shape vector: sixes, then live fives, fours, threes, twos and ones.
    pub fn vector(&self) -> [i32; 6] {
        let [ones, twos, threes, fours, fives, _, _, sixes] = self.0;
        [sixes, fives, fours, threes, twos, ones]
    }

    pub fn sum(&self) -> i32 {
        self.0.iter().zip(SHAPE_VALUES).map(|(count, value)| count * value).sum()
    }
}

/// Score of a position, compared lexicographically: the outcome first, then the shapes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Score {
    /// 0, or positive for a win and negative for a loss, the larger the sooner.
    outcome: i32,
    shapes: [i32; 6],
}

impl Score {
    pub const MIN: Score = Score { outcome: i32::MIN + 1, shapes: [0; 6] };
    pub const MAX: Score = Score { outcome: i32::MAX, shapes: [0; 6] };

    /// Score of a win that is complete after this number of turns.
    pub fn win(turns: usize) -> Score {
        Score { outcome: 1_000 - turns.min(999) as i32, shapes: [0; 6] }
    }
}

impl Neg for Score {
    type Output = Score;

    fn neg(self) -> Score {
        Score { outcome: -self.outcome, shapes: self.shapes.map(|count| -count) }
    }
}

/// Position with its evaluation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    board: Board,
    values: Values,
    /// By side: value of each point for its own stones, where it places the next stone.
    attack: [Box<[i32; POINTS]>; 2],
    /// By side: value of each point for its stones, where its opponent places the next stone.
    defence: [Box<[i32; POINTS]>; 2],
}

impl Position {
    pub fn new(values: Values) -> Position {
        let zeros = || [(); 2].map(|()| Box::new([0; POINTS]));
        Position { board: Board::default(), values, attack: zeros(), defence: zeros() }
    }

    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Places stones of the side to move on empty points.
    pub fn play(&mut self, stones: &[Point]) {
        for &point in stones {
            self.change_values(point, -1);
            self.board.play(&[point]);
            self.change_values(point, 1);
        }
    }

    /// Takes the last stones back.
    pub fn take_back(&mut self, count: usize) {
        for _ in 0..count {
            let Some(point) = self.board.history().next_back() else { return };
            self.change_values(point, -1);
            self.board.take_back(1);
            self.change_values(point, 1);
        }
    }

    /// Adds what the lines through a point are worth to all their points, or subtracts it.
    fn change_values(&mut self, point: Point, sign: i32) {
        for &line in lines_through(point) {
            let (owner, stones) = match self.board.counts(line).map(usize::from) {
                [stones @ 1..ROW, 0] => (Side::Black, stones),
                [0, stones @ 1..ROW] => (Side::White, stones),
                _ => continue,
            };
            let [attack, defence] = [self.values.own, self.values.enemy].map(|values| sign * values[stones - 1]);
            for point in points_of(line) {
                self.attack[owner.index()][point.index()] += attack;
                self.defence[owner.index()][point.index()] += defence;
            }
        }
    }

    /// Values of a point for the side that places the next stone: of its own stones and of those of its opponent.
    pub fn point_values(&self, point: Point) -> [i32; 2] {
        let side = self.board.side();
        [self.attack[side.index()][point.index()], self.defence[side.other().index()][point.index()]]
    }

    /// Returns the best empty points for the next stone, best first: by the greater of its two values, as section 3.3.2
    /// attacks or defends, then by their sum.
    pub fn best_points<const COUNT: usize>(&self) -> ArrayVec<Point, COUNT> {
        let mut best: ArrayVec<(i32, i32, Reverse<Point>), COUNT> = ArrayVec::new();
        for point in Point::all().filter(|&point| self.board.is_empty(point)) {
            let [attack, defence] = self.point_values(point);
            let rank = (attack.max(defence), attack + defence, Reverse(point));
            let place = best.partition_point(|other| *other > rank);
            if place < COUNT {
                best.truncate(COUNT - 1);
                best.insert(place, rank);
            }
        }
        best.into_iter().map(|(.., Reverse(point))| point).collect()
    }

    /// Share of a side in the strength of both, Σ own / (Σ own + Σ other) over the values of shapes, in thousandths.
    pub fn share(&self, side: Side) -> i32 {
        let [own, other] = [side, side.other()].map(|side| Shapes::of(&self.board, side).sum());
        if own + other > 0 { 1_000 * own / (own + other) } else { 500 }
    }

    /// Evaluates the shapes for a side. `factors` are the situation factors of Black and White in percent.
    pub fn evaluate(&self, leaf: Leaf, factors: [i32; 2], side: Side) -> Score {
        let [own, other] = [side, side.other()].map(|side| {
            let shapes = Shapes::of(&self.board, side);
            let vector = if leaf == Leaf::Vector { shapes.vector() } else { [shapes.sum(), 0, 0, 0, 0, 0] };
            vector.map(|number| number * factors[side.index()])
        });
        Score { outcome: 0, shapes: std::array::from_fn(|index| own[index] - other[index]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Line;
    use crate::board::tests::random_game;

    fn point(name: &str) -> Point {
        name.parse().unwrap()
    }

    /// Value of a point by its definition: all lines through it in all directions, point by point.
    fn value_by_definition(board: &Board, point: Point, side: Side, values: [i32; 5]) -> i32 {
        let mut sum = 0;
        for (columns, rows) in DIRECTIONS {
            for start in -5..=0 {
                let line = (start..start + 6).map(|step| point.offset(step * columns, step * rows));
                let Some(line) = line.collect::<Option<Vec<Point>>>() else { continue };
                let count = |side| line.iter().filter(|&&point| board.stone(point) == Some(side)).count();
                if let (stones @ 1..=5, 0) = (count(side), count(side.other())) {
                    sum += values[stones - 1];
                }
            }
        }
        sum
    }

    /// Shapes from the board as text: rows, columns and diagonals, cut at the other stones and at the empty points.
    fn shapes_of_text(board: &Board, side: Side) -> Shapes {
        let mut shapes = Shapes::default();
        for (columns, rows) in DIRECTIONS {
            for start in Point::all().filter(|point| point.offset(-columns, -rows).is_none()) {
                let line = (0..).map_while(|step| start.offset(step * columns, step * rows));
                let text = line.map(|point| match board.stone(point) {
                    None => '.',
                    Some(owner) if owner == side => 'x',
                    Some(_) => '|',
                });
                let text: String = text.collect();
                for room in text.split('|').filter(|room| room.len() >= 6) {
                    let runs: Vec<&str> = room.split('.').collect();
                    for (index, run) in runs.iter().enumerate().filter(|(_, run)| !run.is_empty()) {
                        let open_ends = usize::from(index > 0) + usize::from(index + 1 < runs.len());
                        let names = ["x2", "xx2", "xxx2", "xxxx2", "xxxxx2", "xxxx1", "xxxxx1"];
                        let name = format!("{run}{open_ends}");
                        let place = names.iter().position(|&other| other == name);
                        place.or((run.len() > 5).then_some(7)).into_iter().for_each(|place| shapes.0[place] += 1);
                    }
                }
            }
        }
        shapes
    }

    /// The example of section 3.3.2: of the 24 lines through I10 seven have one stone, four have two, the others none.
    #[test]
    fn the_example_of_the_thesis_has_235_points() {
        // Black's stones and White's in the order of a game.
        let mut position = Position::new(UNTUNED);
        position.play(&["J10", "A1", "S1", "K10", "I13", "A19", "S19", "L13", "J3"].map(point));
        let board = position.board();
        let stones = |line: &Line| board.counts(*line)[Side::Black.index()];
        let lines_with = |count: u8| lines_through(point("I10")).iter().filter(|line| stones(line) == count).count();
        assert_eq!([0, 1, 2, 3].map(lines_with), [13, 7, 4, 0]);
        assert_eq!(position.attack[Side::Black.index()][point("I10").index()], 235);
        assert_eq!(value_by_definition(board, point("I10"), Side::Black, UNTUNED.own), 7 * 5 + 4 * 50);
    }

    #[test]
    fn values_points_and_shapes_agree_with_recomputation() {
        let mut seen = [0; 8];
        for seed in 0..8 {
            let mut position = Position::new(TUNED);
            let mut before = vec![position.clone()];
            random_game(seed, |board| {
                position.play(&[board.history().next_back().unwrap()]);
                before.push(position.clone());
                let mut points: Vec<Point> = Point::all().filter(|&point| board.is_empty(point)).collect();
                points.sort_by_key(|&point| {
                    let [attack, defence] = position.point_values(point);
                    (Reverse(attack.max(defence)), Reverse(attack + defence), point)
                });
                points.truncate(3);
                assert_eq!(position.best_points::<3>()[..], points);
                for side in Side::BOTH.into_iter().filter(|_| board.stone_count() % 5 == 0) {
                    let shapes = Shapes::of(board, side);
                    assert_eq!(shapes, shapes_of_text(board, side));
                    seen.iter_mut().zip(shapes.0).for_each(|(seen, count)| *seen += count);
                    for point in Point::all() {
                        let found = [&position.attack, &position.defence].map(|of| of[side.index()][point.index()]);
                        let by_definition = |values| value_by_definition(board, point, side, values);
                        assert_eq!(found, [TUNED.own, TUNED.enemy].map(by_definition), "{point}");
                    }
                }
            });
            while let Some(expected) = before.pop() {
                assert_eq!(position, expected);
                position.take_back(1);
            }
        }
        assert!(seen.iter().take(7).all(|&count| count > 0), "{seen:?}");
    }

    #[test]
    fn vectors_are_compared_lexicographically_and_sums_by_their_sum() {
        // A live three of Black against two live twos of White.
        let mut position = Position::new(UNTUNED);
        position.play(&["C3", "O16", "P16", "D3", "E3", "O4", "P4", "S1", "A19"].map(point));
        let [black, white] = Side::BOTH.map(|side| Shapes::of(position.board(), side));
        assert_eq!([black.vector(), white.vector()].map(|vector| (vector[3], vector[4])), [(1, 0), (0, 2)]);
        let evaluate = |leaf, factors, side| position.evaluate(leaf, factors, side);
        let vectors = evaluate(Leaf::Vector, [50, 50], Side::Black);
        assert!(vectors > Score::default() && vectors == -evaluate(Leaf::Vector, [50, 50], Side::White));
        assert_eq!(evaluate(Leaf::Sum, [50, 50], Side::Black).shapes[0], 50 * (black.sum() - white.sum()));
        assert_eq!(position.share(Side::Black), 1_000 * black.sum() / (black.sum() + white.sum()));
        // A factor that only counts White turns both around.
        assert!([Leaf::Vector, Leaf::Sum].iter().all(|&leaf| evaluate(leaf, [0, 100], Side::Black) < Score::default()));
        assert!(Score::win(1) > Score::win(2) && Score::win(usize::MAX) > vectors && -Score::win(1) < -vectors);
    }

    #[test]
    fn values_are_parsed() {
        assert_eq!(UNTUNED.to_string().parse(), Ok(UNTUNED));
        assert_eq!("tuned".parse(), Ok(TUNED));
        for bad in ["", "1", "1/2/3/4/5/6/7/8/9", "1/2/3/4/5/6/7/8/9/10/11", "1/2/3/4/5/6/7/8/9/-1", "a"] {
            assert!(bad.parse::<Values>().is_err(), "{bad}");
        }
        let cut = Values::from_numbers(&[f64::NAN, -3.0, 1e300, 1.6, 2.4, 5.0]);
        assert_eq!((cut.own, cut.enemy), ([0, 0, MAX_VALUE, 2, 2], [5, 0, 0, 0, 0]));
    }
}
