//! Board of 19 × 19 points with the 924 lines of six on which a game is won.
//!
//! Lines are overlapping windows: seven stones in a row fill two of them. For each line the board counts the stones of
//! both sides, and for each side it keeps the set of lines with n of its stones and none of the other's. Placing a stone
//! changes the at most 24 lines through its point.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use arrayvec::ArrayVec;
use chuhe::util::math::StableRandom;

pub const SIZE: usize = 19;
pub const POINTS: usize = SIZE * SIZE;
/// Stones in a row that win.
pub const ROW: usize = 6;
/// Along each of two straight directions 14 lines fit into each of 19 rows; along each diagonal direction 14 × 14 fit.
pub const LINES: usize = 2 * SIZE * (SIZE - ROW + 1) + 2 * (SIZE - ROW + 1).pow(2);
/// Steps of column and row along the four directions.
pub const DIRECTIONS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    Black,
    White,
}

impl Side {
    pub const BOTH: [Side; 2] = [Side::Black, Side::White];

    pub const fn index(self) -> usize {
        self as usize
    }

    pub const fn other(self) -> Side {
        match self {
            Side::Black => Side::White,
            Side::White => Side::Black,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Side::Black => "black",
            Side::White => "white",
        }
    }
}

/// Point of the board, written as in Go without leaving out a letter: column A to S, row 1 to 19 from below.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Point(u16);

impl Point {
    /// J10, on which Black begins.
    pub const CENTRE: Point = Point((POINTS / 2) as u16);

    /// Returns the point of a column and a row from 0, if it is on the board.
    pub fn new(column: i32, row: i32) -> Option<Point> {
        let is_inside = |place: i32| (0..SIZE as i32).contains(&place);
        (is_inside(column) && is_inside(row)).then(|| Point((row * SIZE as i32 + column) as u16))
    }

    pub fn all() -> impl Iterator<Item = Point> {
        (0..POINTS as u16).map(Point)
    }

    pub const fn index(self) -> usize {
        self.0 as usize
    }

    pub const fn column(self) -> i32 {
        self.0 as i32 % SIZE as i32
    }

    pub const fn row(self) -> i32 {
        self.0 as i32 / SIZE as i32
    }

    /// Returns the point so many columns and rows away.
    pub fn offset(self, columns: i32, rows: i32) -> Option<Point> {
        Point::new(self.column().checked_add(columns)?, self.row().checked_add(rows)?)
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'A' + self.column() as u8), self.row() + 1)
    }
}

impl FromStr for Point {
    type Err = String;

    fn from_str(text: &str) -> Result<Point, String> {
        let mut chars = text.chars();
        let column = chars.next().map(|letter| letter.to_ascii_uppercase() as i32 - 'A' as i32);
        let digits = chars.as_str();
        let row = digits.parse::<u8>().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let point = column.zip(row).and_then(|(column, row)| Point::new(column, i32::from(row) - 1));
        point.ok_or_else(|| format!("'{text}' is no point from A1 to S19"))
    }
}

/// Stones that a side places in one turn: one or two.
pub type Turn = ArrayVec<Point, 2>;

/// Number of a line, below [`LINES`].
pub type Line = u16;

/// Constant geometry.
struct Geometry {
    lines: Vec<[Point; ROW]>,
    through: Vec<ArrayVec<Line, { DIRECTIONS.len() * ROW }>>,
    /// Zobrist keys of the stones of both sides.
    keys: Vec<[u64; 2]>,
}

static GEOMETRY: LazyLock<Geometry> = LazyLock::new(|| {
    let mut lines = Vec::with_capacity(LINES);
    for (columns, rows) in DIRECTIONS {
        for start in Point::all() {
            let points = (0..ROW as i32).map_while(|step| start.offset(step * columns, step * rows));
            lines.extend(points.collect::<ArrayVec<Point, ROW>>().into_inner().ok());
        }
    }
    let mut through = vec![ArrayVec::new(); POINTS];
    for (line, points) in lines.iter().enumerate() {
        points.iter().for_each(|point| through[point.index()].push(line as Line));
    }
    let mut random = StableRandom::new(6, 0);
    let keys = (0..POINTS).map(|_| [0; 2].map(|_: u64| random.below(usize::MAX) as u64)).collect();
    Geometry { lines, through, keys }
});

/// Returns the points of a line in their order.
pub fn points_of(line: Line) -> &'static [Point; ROW] {
    &GEOMETRY.lines[usize::from(line)]
}

pub fn lines_through(point: Point) -> &'static [Line] {
    &GEOMETRY.through[point.index()]
}

/// Set of lines.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LineSet([u64; LINES.div_ceil(64)]);

impl LineSet {
    fn toggle(&mut self, line: Line) {
        self.0[usize::from(line) / 64] ^= 1 << (line % 64);
    }

    /// Iterates in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Line> {
        self.0.iter().enumerate().flat_map(|(index, &word)| {
            let next = |rest: &u64| Some(rest & (rest - 1)).filter(|&rest| rest != 0);
            let words = std::iter::successors(Some(word).filter(|&word| word != 0), next);
            words.map(move |rest| (64 * index) as Line + rest.trailing_zeros() as Line)
        })
    }
}

/// Result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameResult {
    Win(Side),
    /// The board is full.
    Draw,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    stones: [Option<Side>; POINTS],
    /// Stones on each line by side.
    counts: Vec<[u8; 2]>,
    /// By side and number n: lines with n stones of the side, n > 0, and none of the other.
    open: [[LineSet; ROW + 1]; 2],
    side: Side,
    /// Stones that the side may still place in its turn.
    left: u8,
    /// Points in the order of their stones, each with side and rest of the turn before it.
    history: Vec<(Point, Side, u8)>,
    key: u64,
}

impl Default for Board {
    fn default() -> Board {
        Board {
            stones: [None; POINTS],
            counts: vec![[0; 2]; LINES],
            open: Default::default(),
            side: Side::Black,
            left: 1,
            history: Vec::with_capacity(POINTS),
            key: 0,
        }
    }
}

impl Board {
    /// Creates a board with these stones, on different points, and a whole turn for a side.
    #[cfg(test)]
    pub fn with_stones(stones: &[(Point, Side)], side: Side) -> Board {
        let mut board = Board::default();
        for &(point, owner) in stones {
            (board.side, board.left) = (owner, 2);
            board.play(&[point]);
        }
        (board.side, board.left) = (side, 2);
        board
    }

    pub fn stone(&self, point: Point) -> Option<Side> {
        self.stones[point.index()]
    }

    pub fn is_empty(&self, point: Point) -> bool {
        self.stone(point).is_none()
    }

    /// Side that places the next stone.
    pub fn side(&self) -> Side {
        self.side
    }

    /// Number of stones, 1 or 2, that the side may still place in its turn.
    pub fn stones_left(&self) -> usize {
        usize::from(self.left)
    }

    pub fn stone_count(&self) -> usize {
        self.history.len()
    }

    pub fn empty_count(&self) -> usize {
        POINTS - self.stone_count()
    }

    /// Points in the order in which the stones were placed.
    pub fn history(&self) -> impl DoubleEndedIterator<Item = Point> + ExactSizeIterator {
        self.history.iter().map(|&(point, ..)| point)
    }

    /// Zobrist hash of the stones.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Stones on a line by side.
    pub fn counts(&self, line: Line) -> [u8; 2] {
        self.counts[usize::from(line)]
    }

    /// Lines with `count` stones of a side, 1 to 6, and none of the other.
    pub fn open_lines(&self, side: Side, count: usize) -> &LineSet {
        &self.open[side.index()][count]
    }

    /// Iterates over the lines that a side can complete with two more stones.
    pub fn threats(&self, side: Side) -> impl Iterator<Item = Line> {
        self.open_lines(side, ROW - 1).iter().chain(self.open_lines(side, ROW - 2).iter())
    }

    pub fn empty_points_of(&self, line: Line) -> impl Iterator<Item = Point> {
        points_of(line).iter().copied().filter(|&point| self.is_empty(point))
    }

    pub fn result(&self) -> Option<GameResult> {
        let winner = Side::BOTH.into_iter().find(|&side| self.open_lines(side, ROW).iter().next().is_some());
        winner.map(GameResult::Win).or((self.empty_count() == 0).then_some(GameResult::Draw))
    }

    /// Places stones of the side to move on empty points, one after the other.
    pub fn play(&mut self, stones: &[Point]) {
        for &point in stones {
            assert!(self.is_empty(point), "{point} is occupied");
            self.history.push((point, self.side, self.left));
            self.stones[point.index()] = Some(self.side);
            self.change_lines(point, self.side, 1);
            self.left -= 1;
            if self.left == 0 {
                (self.side, self.left) = (self.side.other(), 2);
            }
        }
    }

    /// Takes the last stones back.
    pub fn take_back(&mut self, count: usize) {
        for _ in 0..count {
            let Some((point, side, left)) = self.history.pop() else { return };
            (self.side, self.left) = (side, left);
            self.stones[point.index()] = None;
            self.change_lines(point, side, -1);
        }
    }

    /// Adds 1 or −1 to the stones of a side on the lines through a point.
    fn change_lines(&mut self, point: Point, side: Side, change: i8) {
        self.key ^= GEOMETRY.keys[point.index()][side.index()];
        for &line in lines_through(point) {
            let before = self.counts(line);
            let counts = &mut self.counts[usize::from(line)];
            counts[side.index()] = counts[side.index()].wrapping_add_signed(change);
            for counts in [before, *counts] {
                match counts {
                    [black, 0] if black > 0 => self.open[0][usize::from(black)].toggle(line),
                    [0, white] if white > 0 => self.open[1][usize::from(white)].toggle(line),
                    _ => {}
                }
            }
        }
    }

    /// Checks that a turn may be played: as many stones as the side has left, on different empty points.
    pub fn check(&self, turn: &[Point]) -> Result<(), String> {
        let count = self.stones_left().min(self.empty_count());
        if self.result().is_some() {
            return Err("the game is over".to_owned());
        }
        if turn.len() != count {
            return Err(format!("{} places {count} of {} stones", self.side.name(), turn.len()));
        }
        let is_free = |index: usize| self.is_empty(turn[index]) && !turn[..index].contains(&turn[index]);
        if let Some(index) = (0..count).find(|&index| !is_free(index)) {
            return Err(format!("{} is occupied", turn[index]));
        }
        Ok(())
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Plays random stones, mostly near others, until a game ends, and calls a function after each.
    pub fn random_game(seed: u64, mut visit: impl FnMut(&Board)) -> Board {
        let mut random = StableRandom::new(seed, 0);
        let (mut board, reach) = (Board::default(), 2 + random.below(5) as i32);
        while board.result().is_none() {
            let near = board.history().nth(random.below(board.stone_count().max(1))).unwrap_or(Point::CENTRE);
            let mut shift = || random.below(2 * reach as usize + 1) as i32 - reach;
            let point = near.offset(shift(), shift()).filter(|&point| board.is_empty(point));
            if let Some(point) = point.or_else(|| Point::all().find(|&point| board.is_empty(point))) {
                board.play(&[point]);
                visit(&board);
            }
        }
        board
    }

    /// Length of the row of one side's stones through a point in a direction, counted step by step.
    fn row_length(board: &Board, point: Point, (columns, rows): (i32, i32)) -> usize {
        let owner = board.stone(point);
        let length = |sign: i32| {
            let steps = (1..).map_while(|step| point.offset(sign * step * columns, sign * step * rows));
            steps.take_while(|&next| board.stone(next) == owner).count()
        };
        1 + length(1) + length(-1)
    }

    #[test]
    fn there_are_924_lines() {
        // Every pair of ends five steps apart, whatever the direction.
        let is_end = |one: Point, other: Point| {
            let distance = [other.column() - one.column(), other.row() - one.row()];
            distance.iter().all(|step| [-5, 0, 5].contains(step)) && one < other
        };
        let pairs = Point::all().map(|one| Point::all().filter(|&other| is_end(one, other)).count());
        assert_eq!(pairs.sum::<usize>(), 924);
        assert_eq!((LINES, GEOMETRY.lines.len()), (924, 924));
        for line in 0..LINES as Line {
            assert!(points_of(line).iter().all(|&point| lines_through(point).contains(&line)));
        }
        assert_eq!(Point::all().map(|point| lines_through(point).len()).sum::<usize>(), 6 * 924);
        assert_eq!((lines_through(Point::CENTRE).len(), lines_through(Point(0)).len()), (24, 3));
    }

    #[test]
    fn points_have_names() {
        assert_eq!(Point::CENTRE.to_string(), "J10");
        assert!(Point::all().all(|point| point.to_string().parse() == Ok(point)));
        assert_eq!("s19".parse(), Ok(Point(360)));
        for bad in ["", "J", "J0", "J20", "T1", "@1", "10J", "J+1", "J-1", "J 1", "J1 ", "J999", "河1", "J١"] {
            assert!(bad.parse::<Point>().is_err(), "{bad}");
        }
    }

    #[test]
    fn counts_agree_with_recomputation_and_undo_restores_everything() {
        for seed in 0..20 {
            let mut before = vec![Board::default()];
            let mut board = random_game(seed, |board| {
                for line in 0..LINES as Line {
                    let on_line = |side| points_of(line).iter().filter(|&&p| board.stone(p) == Some(side)).count();
                    let counts = Side::BOTH.map(on_line);
                    assert_eq!(board.counts(line).map(usize::from), counts);
                    for (side, other) in [(Side::Black, Side::White), (Side::White, Side::Black)] {
                        for count in 1..=ROW {
                            let is_open = counts[side.index()] == count && counts[other.index()] == 0;
                            let set = board.open_lines(side, count);
                            assert_eq!(set.0[usize::from(line) / 64] >> (line % 64) & 1 == 1, is_open);
                        }
                    }
                }
                before.push(board.clone());
            });
            while let Some(expected) = before.pop() {
                assert_eq!(board, expected);
                board.take_back(1);
            }
        }
    }

    #[test]
    fn wins_agree_with_counting_stones_in_a_row() {
        let (mut wins, mut long_rows) = (0, 0);
        for seed in 0..300 {
            let end = random_game(seed, |board| {
                let last = board.history().next_back().unwrap();
                let longest = DIRECTIONS.map(|direction| row_length(board, last, direction)).into_iter().max().unwrap();
                let winner = (longest >= ROW).then(|| GameResult::Win(board.stone(last).unwrap()));
                let full = (board.stone_count() == POINTS).then_some(GameResult::Draw);
                assert_eq!(board.result(), winner.or(full));
                long_rows += usize::from(longest > ROW);
            });
            wins += usize::from(end.result() != Some(GameResult::Draw));
        }
        assert!(wins > 250 && long_rows > 5, "{wins} {long_rows}");
        let is_black = |point: Point| (point.column() + 2 * point.row()) / 2 % 2 == 0;
        let owner = |point| if is_black(point) { Side::Black } else { Side::White };
        let full: Vec<_> = Point::all().map(|point| (point, owner(point))).collect();
        assert_eq!(Board::with_stones(&full, Side::Black).result(), Some(GameResult::Draw));
    }

    #[test]
    fn the_first_turn_has_one_stone_and_the_others_two() {
        let mut board = Board::default();
        let points = |text: &str| text.split(' ').map(|word| word.parse().unwrap()).collect::<Vec<Point>>();
        assert!(board.check(&points("A1 A2")).is_err() && board.check(&points("A1")).is_ok());
        board.play(&[Point::CENTRE]);
        for (turn, is_right) in [("A1 A2", true), ("A1 A1", false), ("J10 A1", false), ("A1", false)] {
            assert_eq!(board.check(&points(turn)).is_ok(), is_right, "{turn}");
        }
        for (side, left) in [(Side::White, 2), (Side::White, 1), (Side::Black, 2), (Side::Black, 1), (Side::White, 2)] {
            assert_eq!((board.side(), board.stones_left()), (side, left));
            board.play(&[Point::all().find(|&point| board.is_empty(point)).unwrap()]);
        }
    }
}
