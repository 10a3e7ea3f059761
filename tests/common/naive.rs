//! Naive implementation of the rules of movement: a plain array of FEN letters, one predicate per pair of squares, no
//! tables and no cached state; short enough to be checked against the rule book.

use std::fmt;

use chuhe::position::{Position, Strictness};
use chuhe::types::{Piece, Side, Square};

use super::board::letters;
pub use super::board::{Point, side_of};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    pub from: Point,
    pub to: Point,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from, self.to)
    }
}

/// The texts of some moves or points in alphabetical order, with repetitions kept.
pub fn texts<T: fmt::Display>(items: impl IntoIterator<Item = T>) -> Vec<String> {
    let mut texts: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    texts.sort_unstable();
    texts
}

/// Letters of the pieces by point; nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Board {
    men: [[Option<char>; 9]; 10],
}

impl Board {
    pub fn empty() -> Board {
        Board { men: [[None; 9]; 10] }
    }

    pub fn of(position: &Position) -> Board {
        let mut board = Board::empty();
        for point in Point::all() {
            let square = Square::new(point.file as u8, point.rank as u8);
            board.put(point, position.piece_on(square).map(Piece::letter));
        }
        board
    }

    /// Reads the board of a well-formed FEN with the usual letters.
    pub fn read(fen: &str) -> Board {
        let mut board = Board::empty();
        letters(fen).into_iter().for_each(|(point, letter)| board.put(point, Some(letter)));
        board
    }

    pub fn text(&self) -> String {
        let rank_text = |rank: &[Option<char>; 9]| {
            let letters: String = rank.iter().map(|man| man.unwrap_or('1')).collect();
            // Runs of ones become their length, longest runs first.
            (2..=9).rev().fold(letters, |text, run| text.replace(&"1".repeat(run), &run.to_string()))
        };
        let ranks: Vec<String> = self.men.iter().rev().map(rank_text).collect();
        ranks.join("/")
    }

    pub fn man_on(&self, point: Point) -> Option<char> {
        self.men[point.rank as usize][point.file as usize]
    }

    pub fn put(&mut self, point: Point, man: Option<char>) {
        self.men[point.rank as usize][point.file as usize] = man;
    }

    pub fn men_of(&self, side: Side) -> impl Iterator<Item = (char, Point)> + '_ {
        Point::all()
            .filter_map(|point| self.man_on(point).map(|man| (man, point)))
            .filter(move |(man, _)| side_of(*man) == side)
    }

    pub fn count(&self, man: char) -> usize {
        self.men.iter().flatten().filter(|&&other| other == Some(man)).count()
    }

    pub fn after(&self, step: Step) -> Board {
        let mut board = *self;
        board.put(step.to, self.man_on(step.from));
        board.put(step.from, None);
        board
    }

    fn men_between(&self, one: Point, other: Point) -> usize {
        one.points_towards(other).filter(|&point| self.man_on(point).is_some()).count()
    }

    /// Tells whether the piece on `from` moves or captures to `to`, the safety of its king left aside.
    pub fn reaches(&self, from: Point, to: Point) -> bool {
        let Some(man) = self.man_on(from) else { return false };
        let side = side_of(man);
        let victim = self.man_on(to);
        if from == to || victim.is_some_and(|victim| side_of(victim) == side) {
            return false;
        }
        let (files, ranks) = (to.file - from.file, to.rank - from.rank);
        let (width, height) = (files.abs(), ranks.abs());
        let is_straight = width == 0 || height == 0;
        match man.to_ascii_uppercase() {
            'K' => to.is_in_palace_of(side) && width + height == 1,
            'A' => to.is_in_palace_of(side) && (width, height) == (1, 1),
            'B' => {
                let eye = Point::new(from.file + files / 2, from.rank + ranks / 2);
                to.is_home_of(side) && (width, height) == (2, 2) && self.man_on(eye).is_none()
            }
            'N' => to.is_a_horse_step_from(from) && self.man_on(from.leg_towards(to)).is_none(),
            'R' => is_straight && self.men_between(from, to) == 0,
            'C' => is_straight && self.men_between(from, to) == usize::from(victim.is_some()),
            'P' => {
                let forward = if side == Side::Red { 1 } else { -1 };
                let has_crossed = !from.is_home_of(side);
                (files, ranks) == (0, forward) || (has_crossed && (width, height) == (1, 0))
            }
            letter => panic!("'{letter}' is no man"),
        }
    }

    /// All moves of `side`, the safety of its king left aside.
    pub fn pseudo_legal_moves(&self, side: Side) -> Vec<Step> {
        self.men_of(side)
            .flat_map(|(_, from)| Point::all().map(move |to| Step { from, to }))
            .filter(|step| self.reaches(step.from, step.to))
            .collect()
    }

    /// All moves of `side` after which its king cannot be captured and the kings do not face each other.
    pub fn legal_moves(&self, side: Side) -> Vec<Step> {
        let mut steps = self.pseudo_legal_moves(side);
        steps.retain(|&step| !self.after(step).is_king_attacked(side));
        steps
    }

    /// The pieces of `attacker` that could capture an enemy on `target`, whatever is there now.
    pub fn attackers(&self, target: Point, attacker: Side) -> Vec<Point> {
        let mut board = *self;
        board.put(target, Some(if attacker == Side::Red { 'p' } else { 'P' }));
        board.men_of(attacker).map(|(_, from)| from).filter(|&from| board.reaches(from, target)).collect()
    }

    pub fn king_of(&self, side: Side) -> Option<Point> {
        let king = if side == Side::Red { 'K' } else { 'k' };
        Point::all().find(|&point| self.man_on(point) == Some(king))
    }

    pub fn kings_face(&self) -> bool {
        match (self.king_of(Side::Red), self.king_of(Side::Black)) {
            (Some(red), Some(black)) => red.file == black.file && self.men_between(red, black) == 0,
            _ => false,
        }
    }

    /// Counts the pieces that attack the king of `side`, the other king along an open file not counted.
    pub fn checkers(&self, side: Side) -> usize {
        self.king_of(side).map_or(0, |king| self.attackers(king, !side).len())
    }

    /// Tells whether the king of `side` is lost if it stays: a piece can capture it, or the kings face each other.
    pub fn is_king_attacked(&self, side: Side) -> bool {
        self.kings_face() || self.checkers(side) > 0
    }

    pub fn is_position(&self, side: Side, strictness: Strictness) -> bool {
        let is_strict = strictness == Strictness::Strict;
        let men = || Side::BOTH.into_iter().flat_map(|side| self.men_of(side));
        let counts_fit = "KABNRCPkabnrcp".chars().all(|man| {
            let (least, most) = match man.to_ascii_uppercase() {
                'K' => (1, 1),
                _ if !is_strict => (0, 16),
                'P' => (0, 5),
                _ => (0, 2),
            };
            (least..=most).contains(&self.count(man))
        });
        let sides_fit = Side::BOTH.into_iter().all(|side| self.men_of(side).count() <= 30);
        let is_uncrossed_pawn = |man: char, point: Point| "Pp".contains(man) && point.is_home_of(side_of(man));
        let has_doubled_pawns = men().filter(|&(man, point)| is_uncrossed_pawn(man, point)).any(|(man, point)| {
            men().any(|(other, place)| {
                other == man && place != point && place.file == point.file && is_uncrossed_pawn(other, place)
            })
        });
        counts_fit
            && sides_fit
            && men().all(|(man, point)| can_stand(man, point))
            && !(is_strict && has_doubled_pawns)
            && !self.is_king_attacked(!side)
    }

    pub fn perft(&self, side: Side, depth: usize) -> u64 {
        let moves = self.legal_moves(side);
        match depth {
            0 => 1,
            1 => moves.len() as u64,
            _ => moves.into_iter().map(|step| self.after(step).perft(!side, depth - 1)).sum(),
        }
    }
}

/// Tells whether the piece may ever stand on the point, by the rule book's lists of points.
pub fn can_stand(man: char, point: Point) -> bool {
    let side = side_of(man);
    let rank = if side == Side::Red { point.rank } else { 9 - point.rank };
    match man.to_ascii_uppercase() {
        'K' => point.is_in_palace_of(side),
        'A' => [(3, 0), (5, 0), (4, 1), (3, 2), (5, 2)].contains(&(point.file, rank)),
        'B' => [(2, 0), (6, 0), (0, 2), (4, 2), (8, 2), (2, 4), (6, 4)].contains(&(point.file, rank)),
        'P' => rank >= 5 || (rank >= 3 && point.file % 2 == 0),
        _ => true,
    }
}
