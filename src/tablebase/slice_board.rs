//! The men of one slice and what they can do, for all places of the rover together.
//!
//! A move of a man that is not the rover is possible for some places of the rover and not for others: it may stand in
//! the way, serve as a screen, or stand where the man wants to go. The set of places is told with the move.

use super::check::between;
use super::fills::{self, Direction};
use super::layout::{FixedPieces, Layout, has_doubled_pawns};
use crate::counting::Placement;
use crate::tables::geometry;
use crate::types::{Piece, PieceKind, Side, Square, SquareSet};

/// A move of a man that is not the rover.
pub(super) enum StaticMove<'a> {
    /// To an empty point.
    Quiet {
        /// The men afterwards.
        next: &'a FixedPieces,
        /// The places of the rover for which the move can be made.
        allowed: SquareSet,
    },
    /// To a point with a man; when that is the rover, it is the only place that is allowed.
    Capture {
        /// Which man moves.
        piece: Piece,
        /// From where.
        from: Square,
        /// To where.
        to: Square,
        /// The places of the rover for which the move can be made.
        allowed: SquareSet,
    },
}

/// A slice laid out on the board.
pub(super) struct SliceBoard<'a> {
    layout: &'a Layout,
    statics: FixedPieces,
    /// The points with men of each side, the rover left out.
    men: [SquareSet; 2],
    empty: SquareSet,
    places: SquareSet,
    kings: [Square; 2],
}

impl<'a> SliceBoard<'a> {
    /// The scene of a slice; `None` when two of its men share a point, or two uncrossed pawns of a side a file.
    pub fn new(layout: &'a Layout, statics: FixedPieces) -> Option<SliceBoard<'a>> {
        let arrangements = Side::BOTH.map(|side| layout.group(side).get(statics.groups[side.index()]));
        let mut men = arrangements.map(|arrangement| arrangement.occupied);
        for (other, &square) in layout.others().iter().zip(&statics.others) {
            if men[0].contains(square) || men[1].contains(square) {
                return None;
            }
            men[other.piece.side().index()].insert(square);
        }
        let empty = SquareSet::FULL - men[0] - men[1];
        let others = || layout.others().iter().zip(&statics.others).map(|(other, &square)| (other.piece, square));
        if has_doubled_pawns(others()) {
            return None;
        }
        let rover = Piece::new(Side::Red, layout.rover());
        let mut places = layout.rover_points() & empty;
        if rover.kind() == PieceKind::Pawn {
            places = places.iter().filter(|&square| !has_doubled_pawns(others().chain([(rover, square)]))).collect();
        }
        Some(SliceBoard {
            places,
            layout,
            statics,
            men,
            empty,
            kings: arrangements.map(|arrangement| arrangement.king),
        })
    }

    /// The places of the rover among these men.
    pub fn rover_places(&self) -> SquareSet {
        self.places
    }

    /// The places of the rover for which a move of Black to `next` does not begin to attack an attacker of Red with an
    /// advisor or an elephant.
    pub fn unchased(&self, next: &FixedPieces) -> SquareSet {
        let group = self.layout.group(Side::Black);
        let attacked = |statics: &FixedPieces| group.get(statics.groups[Side::Black.index()]).attacked;
        let new = attacked(next) - attacked(&self.statics);
        let mut others = self.layout.others().iter().zip(&self.statics.others);
        if others.any(|(other, &square)| other.piece.side() == Side::Red && new.contains(square)) {
            return SquareSet::EMPTY;
        }
        SquareSet::FULL - new
    }

    /// The men, with the rover on a point.
    pub fn placement(&self, rover: Square) -> Placement {
        self.layout.placement(&self.statics, rover)
    }

    /// The places of the rover for which the king of `side` is in check.
    pub fn checked(&self, side: Side) -> SquareSet {
        let king = self.kings[side.index()];
        let other = self.kings[(!side).index()];
        let mut checked = SquareSet::EMPTY;
        if king.file() == other.file() && (between(king, other) - self.empty).is_empty() {
            checked |= SquareSet::FULL - between(king, other);
        }
        for (attacker, &from) in self.layout.others().iter().zip(&self.statics.others) {
            if attacker.piece.side() != side {
                checked |= self.attacked_from(attacker.piece, from, king);
            }
        }
        if side == Side::Black {
            checked |= self.rover_capture_sources(king);
        }
        checked & self.rover_places()
    }

    /// The places of the rover for which a man that is not the rover attacks a point.
    fn attacked_from(&self, piece: Piece, from: Square, target: Square) -> SquareSet {
        let line = between(from, target);
        let screens = (line - self.empty).len();
        let is_in_line = super::check::are_in_line(from, target);
        match piece.kind() {
            PieceKind::Rook if is_in_line && screens == 0 => SquareSet::FULL - line,
            PieceKind::Cannon if is_in_line && screens == 0 => line,
            PieceKind::Cannon if is_in_line && screens == 1 => SquareSet::FULL - line,
            PieceKind::Horse => match geometry::horse_leg(from, target) {
                Some(leg) if self.empty.contains(leg) => SquareSet::FULL - SquareSet::from_square(leg),
                _ => SquareSet::EMPTY,
            },
            PieceKind::Pawn if geometry::pawn(piece.side(), from).iter().any(|to| to == target) => SquareSet::FULL,
            _ => SquareSet::EMPTY,
        }
    }

    /// The places from which the rover reaches a point of `targets` without taking anything.
    #[inline]
    pub fn rover_sources(&self, targets: SquareSet) -> SquareSet {
        if targets.is_empty() {
            return SquareSet::EMPTY;
        }
        let sources = match self.layout.rover() {
            PieceKind::Horse => fills::horse_sources(targets, self.empty),
            PieceKind::Pawn => fills::pawn_sources(targets, self.empty),
            _ => fills::rook_sources(targets, self.empty),
        };
        sources & self.rover_places()
    }

    /// The places from which the rover attacks the man on `target`.
    pub fn rover_capture_sources(&self, target: Square) -> SquareSet {
        let target = SquareSet::from_square(target);
        let sources = match self.layout.rover() {
            PieceKind::Horse => fills::horse_sources(target, self.empty),
            PieceKind::Pawn => fills::pawn_sources(target, self.empty),
            PieceKind::Cannon => fills::cannon_capture_sources(target, self.empty),
            _ => fills::rook_sources(target, self.empty),
        };
        sources & self.rover_places()
    }

    /// The men of Black that the rover may take, kings left out.
    pub fn rover_victims(&self) -> SquareSet {
        self.men[Side::Black.index()] - SquareSet::from_square(self.kings[Side::Black.index()])
    }

    /// Visits the moves of a side's men, those of the rover left out. Whether they leave the king in check is not
    /// asked.
    #[inline]
    pub fn visit_moves(&self, side: Side, mut visit: impl FnMut(StaticMove)) {
        let own = self.men[side.index()];
        let enemies = self.men[(!side).index()] - SquareSet::from_square(self.kings[(!side).index()]);
        let mut next = self.statics.clone();
        let mut meet = |piece: Piece, from, reach: Reach, next: &FixedPieces| {
            let Reach { to, allowed, .. } = reach;
            if enemies.contains(to) {
                if reach.takes {
                    visit(StaticMove::Capture { piece, from, to, allowed });
                }
            } else if self.empty.contains(to) {
                if reach.moves {
                    visit(StaticMove::Quiet { next, allowed: allowed - SquareSet::from_square(to) });
                }
                if reach.takes && side == Side::Black && allowed.contains(to) {
                    let allowed = SquareSet::from_square(to);
                    visit(StaticMove::Capture { piece, from, to, allowed });
                }
            }
        };
        let index = side.index();
        for step in &self.layout.group(side).get(self.statics.groups[index]).moves {
            if !own.contains(step.to) && (step.over - self.empty).is_empty() {
                next.groups[index] = step.next;
                let reach = Reach { to: step.to, allowed: SquareSet::FULL - step.over, moves: true, takes: true };
                meet(Piece::new(side, step.kind), step.from, reach, &next);
            }
        }
        next.groups[index] = self.statics.groups[index];
        for (number, other) in self.layout.others().iter().enumerate() {
            if other.piece.side() == side {
                let from = self.statics.others[number];
                self.visit_reach(other.piece, from, |reach| {
                    next.others[number] = reach.to;
                    meet(other.piece, from, reach, &next);
                });
                next.others[number] = from;
            }
        }
    }

    /// Visits the points that an attacker reaches from where it stands.
    #[inline]
    fn visit_reach(&self, piece: Piece, from: Square, mut visit: impl FnMut(Reach)) {
        match piece.kind() {
            PieceKind::Rook | PieceKind::Cannon => {
                for delta in geometry::ORTHOGONAL {
                    self.visit_line(piece.kind(), from, delta, &mut visit);
                }
            }
            PieceKind::Horse => {
                for hop in geometry::horse(from).iter().filter(|hop| self.empty.contains(hop.over)) {
                    let allowed = SquareSet::FULL - SquareSet::from_square(hop.over);
                    visit(Reach { to: hop.square, allowed, moves: true, takes: true });
                }
            }
            _ => {
                for to in geometry::pawn(piece.side(), from).iter() {
                    visit(Reach { to, allowed: SquareSet::FULL, moves: true, takes: true });
                }
            }
        }
    }

    /// Visits the points that a rook or a cannon reaches along one line.
    #[inline]
    fn visit_line(&self, kind: PieceKind, from: Square, delta: i8, visit: &mut impl FnMut(Reach)) {
        let is_cannon = kind == PieceKind::Cannon;
        let mut line = SquareSet::EMPTY;
        let mut screens = 0;
        let mut to = from.offset(delta);
        while to.is_on_board() {
            let is_empty = self.empty.contains(to);
            if screens == 0 {
                let free = SquareSet::FULL - line;
                visit(Reach { to, allowed: free, moves: true, takes: !is_cannon });
                if is_cannon && !is_empty {
                    visit(Reach { to, allowed: line, moves: false, takes: true });
                }
            } else {
                visit(Reach { to, allowed: SquareSet::FULL - line, moves: false, takes: true });
            }
            if !is_empty {
                screens += 1;
                if !is_cannon || screens == 2 {
                    break;
                }
            } else {
                line.insert(to);
            }
            to = to.offset(delta);
        }
    }

    /// Visits the slices from which a quiet move of a side's men, the rover left out, may lead here; some that cannot
    /// may be among them.
    pub fn visit_origins(&self, side: Side, mut visit: impl FnMut(&FixedPieces)) {
        let mut origin = self.statics.clone();
        let index = side.index();
        for step in &self.layout.group(side).get(self.statics.groups[index]).moves {
            if self.empty.contains(step.to) && (step.over - self.empty).is_empty() {
                origin.groups[index] = step.next;
                visit(&origin);
            }
        }
        origin.groups[index] = self.statics.groups[index];
        for (number, other) in self.layout.others().iter().enumerate() {
            if other.piece.side() != side {
                continue;
            }
            let to = self.statics.others[number];
            let mut visit = |from: Square| {
                if self.empty.contains(from) && other.may_stand_on(from) {
                    origin.others[number] = from;
                    visit(&origin);
                }
            };
            match other.piece.kind() {
                PieceKind::Rook | PieceKind::Cannon => {
                    for direction in Direction::ALL {
                        fills::slide(SquareSet::from_square(to), direction, self.empty).iter().for_each(&mut visit);
                    }
                }
                PieceKind::Horse => geometry::horses_attacking(to).iter().for_each(|hop| visit(hop.square)),
                _ => geometry::pawns_attacking(side, to).iter().for_each(visit),
            }
            origin.others[number] = to;
        }
    }
}

/// A point that a man reaches.
struct Reach {
    to: Square,
    /// The places of the rover for which it does.
    allowed: SquareSet,
    /// Whether it may go there when the point is empty.
    moves: bool,
    /// Whether it may take there.
    takes: bool,
}
