//! Slow model of the rules of repetition: the witness of the engine's verdicts.
//!
//! A plain array of pieces, one predicate per pair of squares, every capture made on a copy of the board, no cached
//! state. Short enough to be checked against the rules:
//!
//! * A side that checks with every one of its moves loses, unless the other side does the same.
//! * Otherwise a single check anywhere makes a draw.
//! * Otherwise a side that newly threatens one and the same piece with every one of its moves loses, unless the other
//!   side does so too.
//! * Everything else is a draw.
//!
//! [`Board::threatens`] defines a threat.

use std::collections::BTreeSet;

use chuhe::types::PieceKind::{self, Advisor, Cannon, Elephant, Horse, King, Pawn, Rook};
use chuhe::types::Side;

use crate::common::board::letters;
pub use crate::common::board::{Point, side_of};

/// Move from the first square to the second.
pub type Step = (Point, Point);

/// Piece with a number that identifies it while it moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Man {
    pub side: Side,
    pub kind: PieceKind,
    pub number: u8,
}

/// Pieces on their squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Board {
    men: [[Option<Man>; 9]; 10],
}

impl Board {
    /// Reads the board of a well-formed FEN and numbers the pieces in the order of reading.
    pub fn read(fen: &str) -> Board {
        let mut board = Board { men: [[None; 9]; 10] };
        for (number, (point, letter)) in (0..).zip(letters(fen)) {
            let kind = match letter.to_ascii_uppercase() {
                'K' => King,
                'A' => Advisor,
                'B' => Elephant,
                'N' => Horse,
                'R' => Rook,
                'C' => Cannon,
                'P' => Pawn,
                _ => panic!("'{letter}' is no man"),
            };
            board.put(point, Some(Man { side: side_of(letter), kind, number }));
        }
        board
    }

    pub fn man_on(&self, point: Point) -> Option<Man> {
        self.men[point.rank as usize][point.file as usize]
    }

    /// Returns the pieces of one side with their points.
    pub fn men_of(&self, side: Side) -> impl Iterator<Item = (Man, Point)> + '_ {
        let with_rank = self.men.iter().zip(0..);
        let with_point =
            with_rank.flat_map(|(men, rank)| men.iter().zip(0..).map(move |(man, file)| (man, file, rank)));
        let men = with_point.filter_map(|(man, file, rank)| man.map(|man| (man, Point::new(file, rank))));
        men.filter(move |(man, _)| man.side == side)
    }

    /// The board after the step, a capture or not, whether the rules allow it or not.
    pub fn after(&self, (from, to): Step) -> Board {
        let mut board = *self;
        board.put(to, self.man_on(from));
        board.put(from, None);
        board
    }

    /// Returns whether a piece of the other side can take the king of `side`, or the kings face each other along an
    /// open file.
    pub fn is_king_attacked(&self, side: Side) -> bool {
        let (king, other_king) = (self.king_of(side), self.king_of(!side));
        let do_kings_face = king.file == other_king.file && self.men_between(king, other_king).count() == 0;
        do_kings_face || self.men_of(!side).any(|(_, attacker)| self.captures(attacker, king))
    }

    /// All threats of `side`, as if it were to move: where the attacker is and where his victim is.
    pub fn threats(&self, side: Side) -> Vec<Step> {
        let mut aims = self.aims(side);
        aims.retain(|&(attacker, victim)| self.threatens(attacker, victim));
        aims
    }

    /// All captures of `side` as if it were to move, the safety of its king left aside.
    pub fn aims(&self, side: Side) -> Vec<Step> {
        let victims: Vec<Point> = self.men_of(!side).map(|(_, victim)| victim).collect();
        let pairs = self.men_of(side).flat_map(|(_, attacker)| victims.iter().map(move |&victim| (attacker, victim)));
        pairs.filter(|&(attacker, victim)| self.captures(attacker, victim)).collect()
    }

    /// The numbers of the pieces that stand where the steps end.
    pub fn victims(&self, steps: &[Step]) -> BTreeSet<u8> {
        steps.iter().filter_map(|&(_, victim)| self.man_on(victim)).map(|man| man.number).collect()
    }

    /// Tells whether the piece on `attacker` threatens to capture the enemy on `victim` with profit.
    ///
    /// Kings and pawns threaten nothing, a king is no victim, and neither is a pawn that has not crossed the river. The
    /// capture must be legal. Then the victim is threatened for certain if it is of a stronger kind, and otherwise if
    /// it has no protection and the capture is not merely the offer to exchange two pieces of one kind.
    fn threatens(&self, attacker: Point, victim: Point) -> bool {
        let (Some(taker), Some(target)) = (self.man_on(attacker), self.man_on(victim)) else { return false };
        if matches!(taker.kind, King | Pawn) || target.kind == King || !self.captures(attacker, victim) {
            return false;
        }
        if target.kind == Pawn && victim.is_home_of(target.side) {
            return false;
        }
        // A pinned piece threatens nothing but those who pin him.
        let pinners = self.pinners_of(attacker);
        if !pinners.is_empty() && !pinners.contains(&victim) {
            return false;
        }
        if !self.is_legal_capture(attacker, victim) {
            return false;
        }
        let is_stronger = match taker.kind {
            Horse | Cannon => target.kind == Rook,
            Advisor | Elephant => matches!(target.kind, Rook | Horse | Cannon),
            _ => false,
        };
        if is_stronger {
            return true;
        }
        if self.is_protected(attacker, victim) {
            return false;
        }
        // A victim that could itself take the attacker is offered an exchange and not chased.
        taker.kind != target.kind || !self.captures(victim, attacker) || !self.is_legal_capture(victim, attacker)
    }

    /// Returns whether a piece could legally take back if the piece on `attacker` took the enemy on `victim`.
    ///
    /// Asked on the board after the capture. So a protector who is pinned is none, nor is a king who would step into
    /// an attack, nor a cannon whose screen was the attacker; but one who aims through the attacker is.
    fn is_protected(&self, attacker: Point, victim: Point) -> bool {
        let Some(target) = self.man_on(victim) else { return false };
        let board = self.after((attacker, victim));
        board
            .men_of(target.side)
            .any(|(_, protector)| board.captures(protector, victim) && board.is_legal_capture(protector, victim))
    }

    /// Tells whether the king of the piece on `from` is safe after he takes whoever is on `to`.
    fn is_legal_capture(&self, from: Point, to: Point) -> bool {
        self.man_on(from).is_some_and(|man| !self.after((from, to)).is_king_attacked(man.side))
    }

    /// The enemies that would attack the king behind the piece on `point` if that piece were taken off the board.
    ///
    /// A rook, or the king on an open file, pins the only piece between; a horse pins the piece on its leg; a cannon
    /// pins each of exactly two pieces between. To rooks, horses and kings those of their own side that aim at the
    /// king, too, are as good as absent; a cannon counts everybody.
    fn pinners_of(&self, point: Point) -> Vec<Point> {
        let Some(pinned) = self.man_on(point) else { return Vec::new() };
        let king = self.king_of(pinned.side);
        let aims = |enemy: Man, place: Point| match enemy.kind {
            Rook | King => place.is_in_line_with(king),
            Horse => place.is_a_horse_step_from(king),
            _ => false,
        };
        let counts =
            |place: &Point| self.man_on(*place).is_some_and(|man| man.side == pinned.side || !aims(man, *place));
        let pins = |&(enemy, place): &(Man, Point)| match enemy.kind {
            Rook | King if aims(enemy, place) => self.men_between(place, king).filter(counts).eq([point]),
            Horse if aims(enemy, place) => place.leg_towards(king) == point,
            Cannon if place.is_in_line_with(king) => {
                self.men_between(place, king).count() == 2 && self.men_between(place, king).any(|man| man == point)
            }
            _ => false,
        };
        self.men_of(!pinned.side).filter(pins).map(|(_, place)| place).collect()
    }

    /// Tells whether the piece on `from` could take an enemy on `to`, the safety of his king left aside.
    fn captures(&self, from: Point, to: Point) -> bool {
        let Some(man) = self.man_on(from) else { return false };
        let (files, ranks) = (to.file - from.file, to.rank - from.rank);
        let (width, height) = (files.abs(), ranks.abs());
        match man.kind {
            King => to.is_in_palace_of(man.side) && width + height == 1,
            Advisor => to.is_in_palace_of(man.side) && (width, height) == (1, 1),
            Elephant => {
                let eye = || Point::new(from.file + files / 2, from.rank + ranks / 2);
                to.is_home_of(man.side) && (width, height) == (2, 2) && self.man_on(eye()).is_none()
            }
            Horse => from.is_a_horse_step_from(to) && self.man_on(from.leg_towards(to)).is_none(),
            Rook => from.is_in_line_with(to) && self.men_between(from, to).count() == 0,
            Cannon => from.is_in_line_with(to) && self.men_between(from, to).count() == 1,
            Pawn => {
                let forward = if man.side == Side::Red { 1 } else { -1 };
                let has_crossed = !from.is_home_of(man.side);
                (files, ranks) == (0, forward) || (has_crossed && (width, height) == (1, 0))
            }
        }
    }

    /// Returns the points of the pieces strictly between two points of one file or rank.
    fn men_between(&self, one: Point, other: Point) -> impl Iterator<Item = Point> + '_ {
        one.points_towards(other).filter(|&point| self.man_on(point).is_some())
    }

    fn king_of(&self, side: Side) -> Point {
        let king = self.men_of(side).find(|(man, _)| man.kind == King);
        king.map(|(_, point)| point).expect("each side has a king")
    }

    fn put(&mut self, point: Point, man: Option<Man>) {
        self.men[point.rank as usize][point.file as usize] = man;
    }
}

/// Violation of a side with every move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Violation {
    Check,
    Chase,
}

/// Verdict on the repetition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Draw,
    Loses(Side, Violation),
}

/// A move of the window and the boards around it.
struct Ply {
    mover: Side,
    before: Board,
    after: Board,
}

impl Ply {
    fn is_check(&self) -> bool {
        self.after.is_king_attacked(!self.mover)
    }

    /// The numbers of the pieces that are threatened after the move and were not before it.
    fn new_victims(&self) -> BTreeSet<u8> {
        let victims = |board: &Board| board.victims(&board.threats(self.mover));
        &victims(&self.after) - &victims(&self.before)
    }
}

/// Judges the moves, which lead from the position of the FEN back to it.
pub fn judge_window(fen: &str, moves: &[Step]) -> Outcome {
    let plies = plies(fen, moves);
    assert!(plies.len() >= 4, "a repetition takes four plies");
    let always_checks = Side::BOTH.map(|side| plies.iter().filter(|ply| ply.mover == side).all(Ply::is_check));
    match always_checks {
        [true, true] => return Outcome::Draw,
        [true, false] => return Outcome::Loses(Side::Red, Violation::Check),
        [false, true] => return Outcome::Loses(Side::Black, Violation::Check),
        [false, false] => {}
    }
    if plies.iter().any(Ply::is_check) {
        return Outcome::Draw;
    }
    let always_chases = Side::BOTH.map(|side| {
        let of_each_move = plies.iter().filter(|ply| ply.mover == side).map(Ply::new_victims);
        of_each_move.reduce(|some, others| &some & &others).is_some_and(|victims| !victims.is_empty())
    });
    match always_chases {
        [true, false] => Outcome::Loses(Side::Red, Violation::Chase),
        [false, true] => Outcome::Loses(Side::Black, Violation::Chase),
        _ => Outcome::Draw,
    }
}

/// Plays the moves from the position of the FEN.
fn plies(fen: &str, moves: &[Step]) -> Vec<Ply> {
    let mut mover = if fen.split(' ').nth(1) == Some("b") { Side::Black } else { Side::Red };
    let mut board = Board::read(fen);
    let mut plies = Vec::new();
    for &step in moves {
        let before = board;
        board = before.after(step);
        plies.push(Ply { mover, before, after: board });
        mover = !mover;
    }
    plies
}
