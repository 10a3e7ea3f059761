//! Board of one slice: moves for all squares of the free piece at once.
//!
//! A move of another piece may be possible for some squares of the free piece only: the free piece may block it, serve
//! as a screen, or occupy the target. Each move therefore carries the set of squares for which it is possible.

use super::attacks::{self, Direction, between};
use super::layout::{FixedPieces, Layout, has_doubled_pawns};
use crate::counting::Placement;
use crate::tables::geometry;
use crate::types::{Piece, PieceKind, Side, Square, SquareSet};

/// Move of a piece other than the free piece.
pub(super) enum FixedPieceMove<'a> {
    /// Move to an empty square.
    Quiet {
        /// Pieces after the move.
        next: &'a FixedPieces,
        /// Squares of the free piece for which the move is possible.
        allowed: SquareSet,
    },
    /// Capture. If the free piece is captured, its square is the only allowed one.
    Capture {
        /// The moving piece.
        piece: Piece,
        /// From square.
        from: Square,
        /// To square.
        to: Square,
        /// Squares of the free piece for which the move is possible.
        allowed: SquareSet,
    },
}

/// Board with the pieces of a slice.
pub(super) struct SliceBoard<'a> {
    layout: &'a Layout,
    fixed: FixedPieces,
    /// Occupied squares of each side, without the free piece.
    occupied: [SquareSet; 2],
    empty: SquareSet,
    free_squares: SquareSet,
    kings: [Square; 2],
}

impl<'a> SliceBoard<'a> {
    /// Sets up a slice; `None` if two pieces share a square or two uncrossed pawns of a side share a file.
    pub fn new(layout: &'a Layout, fixed: FixedPieces) -> Option<SliceBoard<'a>> {
        let arrangements = Side::BOTH.map(|side| layout.group(side).get(fixed.groups[side.index()]));
        let mut occupied = arrangements.map(|arrangement| arrangement.occupied);
        for (attacker, &square) in layout.extra_attackers().iter().zip(&fixed.extra_attackers) {
            if occupied[0].contains(square) || occupied[1].contains(square) {
                return None;
            }
            occupied[attacker.piece.side().index()].insert(square);
        }
        let empty = SquareSet::FULL - occupied[0] - occupied[1];
        let extra_attackers = || {
            layout
                .extra_attackers()
                .iter()
                .zip(&fixed.extra_attackers)
                .map(|(attacker, &square)| (attacker.piece, square))
        };
        if has_doubled_pawns(extra_attackers()) {
            return None;
        }
        let free_piece = Piece::new(Side::Red, layout.free_piece());
        let mut free_squares = layout.free_piece_squares() & empty;
        if free_piece.kind() == PieceKind::Pawn {
            free_squares = free_squares
                .iter()
                .filter(|&square| !has_doubled_pawns(extra_attackers().chain([(free_piece, square)])))
                .collect();
        }
        Some(SliceBoard {
            free_squares,
            layout,
            fixed,
            occupied,
            empty,
            kings: arrangements.map(|arrangement| arrangement.king),
        })
    }

    /// Squares available to the free piece.
    pub fn free_squares(&self) -> SquareSet {
        self.free_squares
    }

    /// Returns the placement with the free piece on a square.
    pub fn placement(&self, free_square: Square) -> Placement {
        self.layout.placement(&self.fixed, free_square)
    }

    /// Returns the squares of the free piece for which the king of `side` is in check.
    pub fn checked(&self, side: Side) -> SquareSet {
        let king = self.kings[side.index()];
        let other = self.kings[(!side).index()];
        let mut checked = SquareSet::EMPTY;
        if king.file() == other.file() && (between(king, other) - self.empty).is_empty() {
            checked |= SquareSet::FULL - between(king, other);
        }
        for (attacker, &from) in self.layout.extra_attackers().iter().zip(&self.fixed.extra_attackers) {
            if attacker.piece.side() != side {
                checked |= self.attacked_from(attacker.piece, from, king);
            }
        }
        if side == Side::Black {
            checked |= self.free_piece_capture_sources(king);
        }
        checked & self.free_squares()
    }

    /// Returns the squares of the free piece for which another piece attacks a square.
    fn attacked_from(&self, piece: Piece, from: Square, target: Square) -> SquareSet {
        let line = between(from, target);
        let screens = (line - self.empty).len();
        let is_in_line = super::attacks::are_in_line(from, target);
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

    /// Returns the squares from which the free piece reaches one of `targets` by a quiet move.
    #[inline]
    pub fn free_piece_sources(&self, targets: SquareSet) -> SquareSet {
        if targets.is_empty() {
            return SquareSet::EMPTY;
        }
        let sources = match self.layout.free_piece() {
            PieceKind::Horse => attacks::horse_sources(targets, self.empty),
            PieceKind::Pawn => attacks::pawn_sources(targets, self.empty),
            _ => attacks::rook_sources(targets, self.empty),
        };
        sources & self.free_squares()
    }

    /// Returns the squares from which the free piece attacks the piece on `target`.
    pub fn free_piece_capture_sources(&self, target: Square) -> SquareSet {
        let target = SquareSet::from_square(target);
        let sources = match self.layout.free_piece() {
            PieceKind::Horse => attacks::horse_sources(target, self.empty),
            PieceKind::Pawn => attacks::pawn_sources(target, self.empty),
            PieceKind::Cannon => attacks::cannon_capture_sources(target, self.empty),
            _ => attacks::rook_sources(target, self.empty),
        };
        sources & self.free_squares()
    }

    /// Returns the squares of Black's pieces that the free piece may capture (all but the king).
    pub fn free_piece_targets(&self) -> SquareSet {
        self.occupied[Side::Black.index()] - SquareSet::from_square(self.kings[Side::Black.index()])
    }

    /// Visits the pseudo-legal moves of a side's pieces except the free piece.
    #[inline]
    pub fn visit_moves(&self, side: Side, mut visit: impl FnMut(FixedPieceMove)) {
        let own = self.occupied[side.index()];
        let enemies = self.occupied[(!side).index()] - SquareSet::from_square(self.kings[(!side).index()]);
        let mut next = self.fixed.clone();
        let mut handle = |piece: Piece, from, reach: Reach, next: &FixedPieces| {
            let Reach { to, allowed, .. } = reach;
            if enemies.contains(to) {
                if reach.captures {
                    visit(FixedPieceMove::Capture { piece, from, to, allowed });
                }
            } else if self.empty.contains(to) {
                if reach.moves {
                    visit(FixedPieceMove::Quiet { next, allowed: allowed - SquareSet::from_square(to) });
                }
                if reach.captures && side == Side::Black && allowed.contains(to) {
                    let allowed = SquareSet::from_square(to);
                    visit(FixedPieceMove::Capture { piece, from, to, allowed });
                }
            }
        };
        let index = side.index();
        for step in &self.layout.group(side).get(self.fixed.groups[index]).moves {
            if !own.contains(step.to) && (step.over - self.empty).is_empty() {
                next.groups[index] = step.next;
                let reach = Reach { to: step.to, allowed: SquareSet::FULL - step.over, moves: true, captures: true };
                handle(Piece::new(side, step.kind), step.from, reach, &next);
            }
        }
        next.groups[index] = self.fixed.groups[index];
        for (number, attacker) in self.layout.extra_attackers().iter().enumerate() {
            if attacker.piece.side() == side {
                let from = self.fixed.extra_attackers[number];
                self.visit_reach(attacker.piece, from, |reach| {
                    next.extra_attackers[number] = reach.to;
                    handle(attacker.piece, from, reach, &next);
                });
                next.extra_attackers[number] = from;
            }
        }
    }

    /// Visits the squares that an attacker reaches.
    #[inline]
    fn visit_reach(&self, piece: Piece, from: Square, mut visit: impl FnMut(Reach)) {
        match piece.kind() {
            PieceKind::Rook | PieceKind::Cannon => {
                for delta in geometry::ORTHOGONAL {
                    self.visit_line(piece.kind(), from, delta, &mut visit);
                }
            }
            PieceKind::Horse => {
                for step in geometry::horse(from).iter().filter(|step| self.empty.contains(step.over)) {
                    let allowed = SquareSet::FULL - SquareSet::from_square(step.over);
                    visit(Reach { to: step.square, allowed, moves: true, captures: true });
                }
            }
            _ => {
                for to in geometry::pawn(piece.side(), from).iter() {
                    visit(Reach { to, allowed: SquareSet::FULL, moves: true, captures: true });
                }
            }
        }
    }

    /// Visits the squares that a rook or a cannon reaches in one direction.
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
                visit(Reach { to, allowed: free, moves: true, captures: !is_cannon });
                if is_cannon && !is_empty {
                    visit(Reach { to, allowed: line, moves: false, captures: true });
                }
            } else {
                visit(Reach { to, allowed: SquareSet::FULL - line, moves: false, captures: true });
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

    /// Visits the slices from which a quiet move of a side's pieces, the free piece excepted, may lead here; may
    /// include slices from which none does.
    pub fn visit_predecessors(&self, side: Side, mut visit: impl FnMut(&FixedPieces)) {
        let mut predecessor = self.fixed.clone();
        let index = side.index();
        for step in &self.layout.group(side).get(self.fixed.groups[index]).moves {
            if self.empty.contains(step.to) && (step.over - self.empty).is_empty() {
                predecessor.groups[index] = step.next;
                visit(&predecessor);
            }
        }
        predecessor.groups[index] = self.fixed.groups[index];
        for (number, attacker) in self.layout.extra_attackers().iter().enumerate() {
            if attacker.piece.side() != side {
                continue;
            }
            let to = self.fixed.extra_attackers[number];
            let mut visit = |from: Square| {
                if self.empty.contains(from) && attacker.may_stand_on(from) {
                    predecessor.extra_attackers[number] = from;
                    visit(&predecessor);
                }
            };
            match attacker.piece.kind() {
                PieceKind::Rook | PieceKind::Cannon => {
                    for direction in Direction::ALL {
                        attacks::slide(SquareSet::from_square(to), direction, self.empty).iter().for_each(&mut visit);
                    }
                }
                PieceKind::Horse => geometry::horses_attacking(to).iter().for_each(|step| visit(step.square)),
                _ => geometry::pawns_attacking(side, to).iter().for_each(visit),
            }
            predecessor.extra_attackers[number] = to;
        }
    }
}

/// Square that a piece reaches.
struct Reach {
    to: Square,
    /// Squares of the free piece for which it is reached.
    allowed: SquareSet,
    /// A quiet move to the square is possible.
    moves: bool,
    /// A capture on the square is possible.
    captures: bool,
}
