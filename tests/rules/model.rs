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

use chuhe::types::Side;

use crate::common::board::{letters, side_of};
use crate::common::naive;
pub use crate::common::naive::{Point, Step};

/// Pieces on their squares, each with a number that identifies it while it moves.
#[derive(Clone, Copy)]
pub struct Board {
    men: naive::Board,
    numbers: [[u8; 9]; 10],
}

impl Board {
    pub fn read(fen: &str) -> Board {
        let mut board = Board { men: naive::Board::read(fen), numbers: [[0; 9]; 10] };
        for (number, (point, _)) in (0..).zip(letters(fen)) {
            board.numbers[point.rank as usize][point.file as usize] = number;
        }
        board
    }

    pub fn number_on(&self, point: Point) -> u8 {
        self.numbers[point.rank as usize][point.file as usize]
    }

    pub fn after(&self, step: Step) -> Board {
        let mut numbers = self.numbers;
        numbers[step.to.rank as usize][step.to.file as usize] = self.number_on(step.from);
        Board { men: self.men.after(step), numbers }
    }

    /// Returns whether the king of `side` can be taken, or the kings face each other along an open file.
    pub fn is_king_attacked(&self, side: Side) -> bool {
        let king = self.king_of(side);
        self.men.kings_face() || self.men.men_of(!side).any(|(_, attacker)| self.men.reaches(attacker, king))
    }

    /// All threats of `side`, as if it were to move: from where the attacker is to where its victim is.
    pub fn threats(&self, side: Side) -> Vec<Step> {
        let mut aims = self.aims(side);
        aims.retain(|&step| self.threatens(step));
        aims
    }

    /// All captures of `side` as if it were to move, the safety of its king left aside.
    pub fn aims(&self, side: Side) -> Vec<Step> {
        let victims: Vec<Point> = self.men.men_of(!side).map(|(_, victim)| victim).collect();
        let attackers = self.men.men_of(side);
        let pairs = attackers.flat_map(|(_, from)| victims.iter().map(move |&to| Step { from, to }));
        pairs.filter(|step| self.men.reaches(step.from, step.to)).collect()
    }

    pub fn victims(&self, steps: &[Step]) -> BTreeSet<u8> {
        steps.iter().map(|step| self.number_on(step.to)).collect()
    }

    /// Tells whether this capture is a threat: it wins something.
    ///
    /// Kings and pawns threaten nothing, a king is no victim, and neither is a pawn that has not crossed the river. The
    /// capture must be legal. Then the victim is threatened for certain if it is of a stronger kind, and otherwise if
    /// it has no protection and the capture is not merely the offer to exchange two pieces of one kind.
    fn threatens(&self, capture: Step) -> bool {
        let Step { from: attacker, to: victim } = capture;
        let (taker, target) = (self.kind_on(attacker), self.kind_on(victim));
        let is_pawn_at_home =
            target == 'P' && self.men.man_on(victim).is_some_and(|man| victim.is_home_of(side_of(man)));
        if "KP".contains(taker) || target == 'K' || is_pawn_at_home {
            return false;
        }
        // A pinned piece threatens nothing but those who pin it.
        let pinners = self.pinners_of(attacker);
        if (!pinners.is_empty() && !pinners.contains(&victim)) || !self.is_legal(capture) {
            return false;
        }
        let is_stronger = match taker {
            'N' | 'C' => target == 'R',
            'A' | 'B' => "RNC".contains(target),
            _ => false,
        };
        // A victim that could itself take the attacker is offered an exchange and not chased.
        let back = Step { from: victim, to: attacker };
        let is_exchange = taker == target && self.men.reaches(victim, attacker) && self.is_legal(back);
        is_stronger || (!self.is_protected(capture) && !is_exchange)
    }

    /// Returns whether a piece could legally take back after this capture: not one that is pinned, nor a king that
    /// would step into an attack, nor a cannon whose screen was the attacker; but one that aims through the attacker.
    fn is_protected(&self, capture: Step) -> bool {
        let Some(target) = self.men.man_on(capture.to) else { return false };
        let board = self.after(capture);
        let mut recaptures = board.men.men_of(side_of(target)).map(|(_, from)| Step { from, to: capture.to });
        recaptures.any(|back| board.men.reaches(back.from, back.to) && board.is_legal(back))
    }

    /// Tells whether the king of the side that makes this capture is safe afterwards.
    fn is_legal(&self, capture: Step) -> bool {
        self.men.man_on(capture.from).is_some_and(|man| !self.after(capture).is_king_attacked(side_of(man)))
    }

    /// The enemies that would attack the king behind the piece on `point` if that piece were taken off the board.
    ///
    /// A rook, or the king on an open file, pins the only piece between; a horse pins the piece on its leg; a cannon
    /// pins each of exactly two pieces between. To rooks, horses and kings those of their own side that aim at the
    /// king, too, are as good as absent; a cannon counts everybody.
    fn pinners_of(&self, point: Point) -> Vec<Point> {
        let Some(pinned) = self.men.man_on(point) else { return Vec::new() };
        let side = side_of(pinned);
        let king = self.king_of(side);
        let aims = |place: Point| match self.kind_on(place) {
            'R' | 'K' => place.is_in_line_with(king),
            'N' => place.is_a_horse_step_from(king),
            _ => false,
        };
        let is_own = |place: Point| self.men.man_on(place).is_some_and(|man| side_of(man) == side);
        let between = |place: Point| place.points_towards(king).filter(move |&other| self.men.man_on(other).is_some());
        let pins = |&place: &Point| match self.kind_on(place) {
            'R' | 'K' if aims(place) => between(place).filter(|&other| is_own(other) || !aims(other)).eq([point]),
            'N' if aims(place) => place.leg_towards(king) == point,
            'C' if place.is_in_line_with(king) => {
                between(place).count() == 2 && between(place).any(|other| other == point)
            }
            _ => false,
        };
        self.men.men_of(!side).map(|(_, place)| place).filter(pins).collect()
    }

    /// The letter of the piece on a point in upper case, a blank without one.
    fn kind_on(&self, point: Point) -> char {
        self.men.man_on(point).map_or(' ', |man| man.to_ascii_uppercase())
    }

    fn king_of(&self, side: Side) -> Point {
        self.men.king_of(side).expect("each side has a king")
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Violation {
    Check,
    Chase,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Draw,
    Loses(Side, Violation),
}

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
