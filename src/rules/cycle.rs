//! Cycles: violations by the moves between two occurrences of a position.

use std::fmt;

use super::{RuleSet, chase};
use crate::position::Position;
use crate::types::{Move, MoveList, Piece, PieceKind, Side, Square, SquareSet};

/// Violation that a side commits with *every* move of a cycle, in rising order of seriousness.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Violation {
    /// No violation.
    None,
    /// Perpetual chase of one piece (长捉).
    Chase,
    /// Perpetual check (长将).
    Check,
}

/// Violations of Red and of Black.
pub type Violations = [Violation; 2];

/// Returns the side with the more serious violation, which loses; `None` when they are equal.
pub(super) fn loser(violations: Violations) -> Option<Side> {
    let [red, black] = violations;
    (red != black).then_some(if red > black { Side::Red } else { Side::Black })
}

#[cold]
pub(super) fn violations(set: RuleSet, position: &Position, length: usize) -> Violations {
    let (perpetual, any_check) = checks(position, length);
    let by_checks = perpetual.map(|checks| if checks { Violation::Check } else { Violation::None });
    match set {
        RuleSet::Simple => by_checks,
        RuleSet::Computer if any_check => by_checks,
        RuleSet::Computer | RuleSet::League | RuleSet::Axf => {
            // A side that checks with every move does not chase.
            let chased = chased(set, position, length, perpetual.map(|checks| !checks));
            let chases = |side: Side| if chased[side.index()].is_empty() { Violation::None } else { Violation::Chase };
            Side::BOTH.map(|side| by_checks[side.index()].max(chases(side)))
        }
    }
}

/// Returns, for Red and Black, whether the side checked with every move of the cycle, and whether any move gave check.
fn checks(position: &Position, length: usize) -> ([bool; 2], bool) {
    let mut scratch = position.with_recent_history(length);
    let (mut perpetual, mut any) = ([true; 2], false);
    for _ in 0..length {
        let is_check = scratch.in_check();
        any |= is_check;
        perpetual[(!scratch.side()).index()] &= is_check;
        scratch.unmake();
    }
    (perpetual, any)
}

/// Returns the pieces that each side `included` chased with every move of the cycle.
fn chased(set: RuleSet, position: &Position, length: usize, included: [bool; 2]) -> [SquareSet; 2] {
    let mut chased = included.map(|included| if included { SquareSet::FULL } else { SquareSet::EMPTY });
    // Fairy-Stockfish also counts the last move before the cycle, if it is known.
    let before = position.history().iter().rev().nth(length);
    let has_arrival = set == RuleSet::Axf && before.is_some_and(|played| !played.mv.is_none());
    let mut walk = Backward::new(position, length + usize::from(has_arrival));
    while let Some(mover) = walk.mover() {
        let victims = &mut chased[mover.index()];
        if !victims.is_empty() {
            *victims = walk.threats(set, *victims).iter().map(|threat| threat.victim.identity).collect();
        }
        if chased.iter().all(|victims| victims.is_empty()) {
            break;
        }
        walk.step();
    }
    chased
}

/// Piece on a board of the cycle, tracked through its moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TrackedPiece {
    /// The piece.
    pub piece: Piece,
    /// Its square now.
    pub square: Square,
    /// Its square at the end of the cycle, which distinguishes it from others of its kind.
    pub identity: Square,
}

/// Chase of one piece by another, begun by the move just made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chase {
    /// The attacker; not always the piece that moved.
    pub attacker: TrackedPiece,
    /// The victim.
    pub victim: TrackedPiece,
}

/// Move of a cycle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CycleMove {
    /// Ply in the game, 1 for the first move of the history.
    pub ply: usize,
    /// The move.
    pub mv: Move,
    /// The side that moved.
    pub side: Side,
    /// Checking pieces after the move.
    pub checkers: Vec<TrackedPiece>,
    /// Square of the king that may be in check.
    pub king: Square,
    /// Chases that it begins; empty when it gives check, but under [`RuleSet::Axf`].
    pub chases: Vec<Chase>,
}

/// Cycle with the details that explain its verdict. [`fmt::Display`] writes one English sentence without a full stop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cycle {
    /// Rule set of the verdict.
    pub set: RuleSet,
    /// Occurrences of its last position.
    pub occurrences: usize,
    /// Its moves, oldest first.
    pub moves: Vec<CycleMove>,
    /// The violations of Red and of Black.
    pub violations: Violations,
    /// Pieces that Red and Black chased with every move, by identity.
    chased: [SquareSet; 2],
}

impl Cycle {
    pub(super) fn new(set: RuleSet, position: &Position, length: usize, occurrences: usize) -> Cycle {
        let last_ply = position.history().len();
        let mut moves = Vec::with_capacity(length);
        let mut walk = Backward::new(position, length);
        while let Some(side) = walk.mover() {
            let checkers = walk.checkers();
            let may_chase = checkers.is_empty() || set == RuleSet::Axf;
            moves.push(CycleMove {
                ply: last_ply - moves.len(),
                mv: walk.last_move(),
                side,
                checkers,
                king: walk.scratch.king(!side),
                chases: if may_chase { walk.threats(set, SquareSet::FULL) } else { Vec::new() },
            });
            walk.step();
        }
        moves.reverse();
        let violations = violations(set, position, length);
        let chased = chased(set, position, length, violations.map(|violation| violation == Violation::Chase));
        Cycle { set, occurrences, moves, violations, chased }
    }

    /// Returns the losing side; `None` for a draw.
    pub fn loser(&self) -> Option<Side> {
        loser(self.violations)
    }

    /// Returns the more serious violation of the two sides.
    pub fn most_serious(&self) -> Violation {
        self.violations[0].max(self.violations[1])
    }

    /// Returns the plies of its first and last move in the game.
    pub fn plies(&self) -> (usize, usize) {
        (self.moves.first().map_or(0, |mv| mv.ply), self.moves.last().map_or(0, |mv| mv.ply))
    }

    /// Describes the violation of `side`, as in "Black's rook chases the cannon on c4"; `None` without one.
    fn description(&self, side: Side) -> Option<String> {
        let moves = || self.moves.iter().filter(|mv| mv.side == side);
        let (attackers, verb, victims): (Vec<TrackedPiece>, &str, Vec<String>) = match self.violations[side.index()] {
            Violation::None => return None,
            Violation::Check => {
                let kings = distinct(moves().map(|mv| mv.king));
                let attackers = moves().flat_map(|mv| mv.checkers.iter().copied()).collect();
                (attackers, "check", vec![format!("the king on {}", listed(&kings))])
            }
            Violation::Chase => {
                let victims = self.chased[side.index()];
                let chases = moves().flat_map(|mv| mv.chases.iter().copied());
                let chases: Vec<Chase> = chases.filter(|chase| victims.contains(chase.victim.identity)).collect();
                let describe = |identity: Square| {
                    let of_it = || chases.iter().filter(|chase| chase.victim.identity == identity);
                    let kind = of_it().next().map_or("piece", |chase| chase.victim.piece.kind().name());
                    let squares = distinct(of_it().map(|chase| chase.victim.square));
                    format!("the {kind} on {}", listed(&squares))
                };
                (chases.iter().map(|chase| chase.attacker).collect(), "chase", victims.iter().map(describe).collect())
            }
        };
        let attackers = distinct(attackers.iter().map(|piece| (piece.identity, piece.piece.kind())));
        let ending = if attackers.len() == 1 { "s" } else { "" };
        let kinds = distinct(attackers.iter().map(|(_, kind)| *kind));
        let counted =
            kinds.iter().map(|&kind| count_of(attackers.iter().filter(|(_, other)| *other == kind).count(), kind));
        Some(format!("{side}'s {} {verb}{ending} {}", listed(&counted.collect::<Vec<_>>()), listed(&victims)))
    }
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = self.plies();
        let cycle = format!("with every move of the cycle (plies {first}-{last})");
        let [red, black] = Side::BOTH.map(|side| self.description(side));
        match (self.loser(), red, black) {
            (Some(Side::Red), Some(description), _) | (Some(Side::Black), _, Some(description)) => {
                write!(f, "{description} {cycle}")
            }
            (_, Some(red), Some(black)) => write!(f, "{red} and {black} {cycle}"),
            _ => {
                let no_violation = match self.set {
                    RuleSet::Simple => "neither side checks",
                    RuleSet::Computer if self.moves.iter().any(|mv| !mv.checkers.is_empty()) => {
                        "because of the checks in it no chase counts, and neither side checks"
                    }
                    RuleSet::Axf => "counting the move before it, neither side checks or chases one piece",
                    _ => "neither side checks or chases one piece",
                };
                write!(f, "the position has occurred {} times; {no_violation} {cycle}", self.occurrences)
            }
        }
    }
}

fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut kept = Vec::new();
    for item in items {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}

fn listed<T: fmt::Display>(items: &[T]) -> String {
    let words: Vec<String> = items.iter().map(T::to_string).collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

fn count_of(count: usize, kind: PieceKind) -> String {
    let name = kind.name();
    match count {
        1 => name.to_owned(),
        2 => format!("two {name}s"),
        3 => format!("three {name}s"),
        _ => format!("{count} {name}s"),
    }
}

/// Unmakes the moves of a cycle on a copy of the position and tracks the pieces.
struct Backward {
    scratch: Position,
    /// For the piece on a square now, its square at the end of the cycle.
    identities: [Square; 256],
    remaining: usize,
}

impl Backward {
    fn new(position: &Position, length: usize) -> Backward {
        Backward {
            scratch: position.with_recent_history(length),
            identities: std::array::from_fn(|raw| Square::from_raw(raw as u8)),
            remaining: length,
        }
    }

    fn mover(&self) -> Option<Side> {
        (self.remaining > 0).then(|| !self.scratch.side())
    }

    fn last_move(&self) -> Move {
        self.scratch.history().last().map_or(Move::NONE, |played| played.mv)
    }

    /// Returns the chases that the last move begins, against victims with these identities.
    fn threats(&mut self, set: RuleSet, among: SquareSet) -> Vec<Chase> {
        let identities = &self.identities;
        let is_relevant = |square: Square| among.contains(identities[square.raw()]);
        let threats: MoveList = match set {
            RuleSet::Computer => chase::new_threats(&mut self.scratch, is_relevant),
            RuleSet::Axf => chase::asian_threats(&mut self.scratch, is_relevant),
            RuleSet::League if !self.scratch.in_check() => chase::threat_of_last_move(&self.scratch)
                .filter(|threat| is_relevant(threat.to()))
                .into_iter()
                .collect(),
            RuleSet::League | RuleSet::Simple => MoveList::new(),
        };
        let chase =
            |threat: Move| Some(Chase { attacker: self.tracked(threat.from())?, victim: self.tracked(threat.to())? });
        threats.into_iter().filter_map(chase).collect()
    }

    fn tracked(&self, square: Square) -> Option<TrackedPiece> {
        let piece = self.scratch.piece_on(square)?;
        Some(TrackedPiece { piece, square, identity: self.identities[square.raw()] })
    }

    fn checkers(&self) -> Vec<TrackedPiece> {
        let king = self.scratch.king(self.scratch.side());
        let attackers = self.scratch.attackers(king, !self.scratch.side());
        attackers.filter_map(|square| self.tracked(square)).collect()
    }

    fn step(&mut self) {
        let mv = self.last_move();
        self.identities[mv.from().raw()] = self.identities[mv.to().raw()];
        self.scratch.unmake();
        self.remaining -= 1;
    }
}
