//! Board of one slice: moves for all squares of the free piece at once.
//!
//! The free piece may block a move of another piece, serve as its screen, or occupy its target, so each move carries
//! the set of squares of the free piece for which it is possible. Moves of the free piece are computed by *fills*,
//! which give for a whole set of squares what the geometry tables give for one.

use super::layout::{FixedPieces, Layout, king_of, squares_beside_pawns};
use crate::counting::{Placement, half_of};
use crate::tables::geometry;
use crate::types::{Piece, PieceKind, Side, Square, SquareSet};

/// Distances between the bits of neighbouring squares: north, south, east, west.
const DIRECTIONS: [i8; 4] = [9, -9, 1, -1];

/// Shifts a set by one step; squares that would leave the board are dropped.
#[inline(always)]
fn step(set: SquareSet, direction: i8) -> SquareSet {
    const FILE_A: SquareSet = SquareSet::from_file(0, 0x3ff);
    const FILE_I: SquareSet = SquareSet::from_file(8, 0x3ff);
    SquareSet::from_bits(match direction {
        9 => set.bits() << 9,
        -9 => set.bits() >> 9,
        1 => (set - FILE_I).bits() << 1,
        _ => (set - FILE_A).bits() >> 1,
    })
}

/// Returns the empty squares that a slider on a square of `set` reaches along `direction`, up to the first piece.
#[inline(always)]
fn slide(set: SquareSet, direction: i8, empty: SquareSet) -> SquareSet {
    let mut seen = SquareSet::EMPTY;
    let mut front = step(set, direction) & empty;
    while !front.is_empty() {
        seen |= front;
        front = step(front, direction) & empty;
    }
    seen
}

/// Returns the first pieces along `direction`, each seen from a square of `set`.
#[inline(always)]
fn first_pieces(set: SquareSet, direction: i8, empty: SquareSet) -> SquareSet {
    step(set | slide(set, direction, empty), direction) - empty
}

#[inline(always)]
fn in_all_directions(fill: impl Fn(i8) -> SquareSet) -> SquareSet {
    DIRECTIONS.into_iter().fold(SquareSet::EMPTY, |union, direction| union | fill(direction))
}

/// Returns the empty squares from which a piece reaches one of `targets` by a quiet move or, unless it is a cannon, by
/// a capture.
#[inline(always)]
fn sources(piece: Piece, targets: SquareSet, empty: SquareSet) -> SquareSet {
    match piece.kind() {
        PieceKind::Rook | PieceKind::Cannon => in_all_directions(|direction| slide(targets, direction, empty)),
        PieceKind::Horse => {
            let backwards = in_all_directions(|back| {
                let across = 10 - back.abs();
                let turned = step(targets, across) | step(targets, -across);
                step(step(turned, back), back) & step(empty, back)
            });
            backwards & empty
        }
        _ => {
            let (back, home) = if piece.side() == Side::Red { (-9, Side::Red) } else { (9, Side::Black) };
            let sideways = (step(targets, 1) | step(targets, -1)) - half_of(home);
            (step(targets, back) | sideways) & empty
        }
    }
}

fn capture_sources(piece: Piece, targets: SquareSet, empty: SquareSet) -> SquareSet {
    if piece.kind() != PieceKind::Cannon {
        return sources(piece, targets, empty);
    }
    in_all_directions(|direction| slide(first_pieces(targets, direction, empty), direction, empty))
}

/// Returns whether the king of `side` is attacked by a piece or faces the other king on an open file.
pub(super) fn is_checked(placement: &Placement, side: Side) -> bool {
    let king = king_of(placement, side);
    let empty = SquareSet::FULL - placement.occupied();
    let [rooks, cannons, horses, pawns, other_king] =
        [PieceKind::Rook, PieceKind::Cannon, PieceKind::Horse, PieceKind::Pawn, PieceKind::King]
            .map(|kind| placement.squares(Piece::new(!side, kind)));
    let on_lines = in_all_directions(|direction| {
        let first = first_pieces(SquareSet::from_square(king), direction, empty);
        // Kings are never on one rank.
        (first & (rooks | other_king)) | (first_pieces(first, direction, empty) & cannons)
    });
    !on_lines.is_empty()
        || geometry::horses_attacking(king).iter().any(|step| horses.contains(step.square) && empty.contains(step.over))
        || geometry::pawns_attacking(!side, king).iter().any(|from| pawns.contains(from))
}

pub(super) enum FixedPieceMove<'a> {
    /// Move to an empty square, with the pieces after it and the squares of the free piece for which it is possible.
    Quiet { next: &'a FixedPieces, allowed: SquareSet },
    /// Capture. If the free piece is captured, its square is the only allowed one.
    Capture { piece: Piece, from: Square, to: Square, allowed: SquareSet },
}

pub(super) struct SliceBoard<'a> {
    layout: &'a Layout,
    fixed: FixedPieces,
    /// Occupied squares of each side, without the free piece.
    occupied: [SquareSet; 2],
    empty: SquareSet,
    pub free_squares: SquareSet,
    kings: [Square; 2],
}

impl<'a> SliceBoard<'a> {
    /// Sets up a slice; `None` if two pieces share a square or two uncrossed pawns of a side share a file.
    pub fn new(layout: &'a Layout, fixed: FixedPieces) -> Option<SliceBoard<'a>> {
        let arrangements = Side::BOTH.map(|side| layout.group(side).get(fixed.groups[side.index()]));
        let mut occupied = arrangements.map(|arrangement| arrangement.occupied);
        let mut pawns = [SquareSet::EMPTY; 2];
        for (piece, square) in layout.attackers_on(&fixed) {
            let side = piece.side();
            let is_pawn = piece.kind() == PieceKind::Pawn;
            if (occupied[0] | occupied[1]).contains(square)
                || (is_pawn && squares_beside_pawns(side, pawns[side.index()]).contains(square))
            {
                return None;
            }
            occupied[side.index()].insert(square);
            if is_pawn {
                pawns[side.index()].insert(square);
            }
        }
        let empty = SquareSet::FULL - occupied[0] - occupied[1];
        let mut free_squares = layout.free_squares & empty;
        if layout.free_piece.kind() == PieceKind::Pawn {
            free_squares -= squares_beside_pawns(Side::Red, pawns[0]);
        }
        let kings = arrangements.map(|arrangement| arrangement.king);
        Some(SliceBoard { layout, fixed, occupied, empty, free_squares, kings })
    }

    /// Returns the placement with the free piece on a square, in place of the piece there.
    pub fn placement(&self, free_square: Square) -> Placement {
        self.layout.placement(&self.fixed, free_square)
    }

    /// Returns the squares of the free piece for which the king of `side` is in check.
    pub fn checked(&self, side: Side) -> SquareSet {
        let [king, other_king] = [side, !side].map(|side| self.kings[side.index()]);
        // Kings face each other as rooks attack.
        let facing = (Piece::new(!side, PieceKind::Rook), other_king);
        let attackers = self.layout.attackers_on(&self.fixed).filter(|(piece, _)| piece.side() != side);
        let mut checked = SquareSet::EMPTY;
        for (piece, from) in attackers.chain([facing]) {
            self.visit_targets(piece, from, |to, _, captures| {
                if to == king {
                    checked |= captures;
                }
            });
        }
        if side == Side::Black {
            checked |= self.free_piece_capture_sources(king);
        }
        checked & self.free_squares
    }

    /// Returns the squares from which the free piece reaches one of `targets` by a quiet move.
    #[inline]
    pub fn free_piece_sources(&self, targets: SquareSet) -> SquareSet {
        if targets.is_empty() {
            return SquareSet::EMPTY;
        }
        sources(self.layout.free_piece, targets, self.empty) & self.free_squares
    }

    /// Returns the squares from which the free piece attacks the piece on `target`.
    pub fn free_piece_capture_sources(&self, target: Square) -> SquareSet {
        capture_sources(self.layout.free_piece, SquareSet::from_square(target), self.empty) & self.free_squares
    }

    /// Returns the squares of a side's pieces that may be captured: all but the king's and the free piece's.
    pub fn capturable(&self, side: Side) -> SquareSet {
        self.occupied[side.index()] - SquareSet::from_square(self.kings[side.index()])
    }

    /// Visits the pseudo-legal moves of a side's pieces except the free piece.
    #[inline]
    pub fn visit_moves(&self, side: Side, mut visit: impl FnMut(FixedPieceMove)) {
        let own = self.occupied[side.index()];
        let enemies = self.capturable(!side);
        let mut next = self.fixed.clone();
        let mut handle = |piece: Piece, from, to, quiets: SquareSet, captures: SquareSet, next: &FixedPieces| {
            let square = SquareSet::from_square(to);
            if enemies.contains(to) {
                visit(FixedPieceMove::Capture { piece, from, to, allowed: captures });
            } else if self.empty.contains(to) {
                visit(FixedPieceMove::Quiet { next, allowed: quiets - square });
                if side == Side::Black {
                    visit(FixedPieceMove::Capture { piece, from, to, allowed: captures & square });
                }
            }
        };
        let index = side.index();
        for step in &self.layout.group(side).get(self.fixed.groups[index]).moves {
            if !own.contains(step.to) && (step.over - self.empty).is_empty() {
                next.groups[index] = step.next;
                let allowed = SquareSet::FULL - step.over;
                handle(step.piece, step.from, step.to, allowed, allowed, &next);
            }
        }
        next.groups[index] = self.fixed.groups[index];
        for (number, (piece, from)) in self.layout.attackers_on(&self.fixed).enumerate() {
            if piece.side() == side {
                self.visit_targets(piece, from, |to, quiets, captures| {
                    next.attackers[number] = to;
                    handle(piece, from, to, quiets, captures, &next);
                });
                next.attackers[number] = from;
            }
        }
    }

    /// Visits the squares that an attacker reaches, with the squares of the free piece for which a quiet move and a
    /// capture there are possible, as far as the other pieces between allow it.
    #[inline]
    fn visit_targets(&self, piece: Piece, from: Square, mut visit: impl FnMut(Square, SquareSet, SquareSet)) {
        match piece.kind() {
            PieceKind::Rook | PieceKind::Cannon => {
                for delta in geometry::ORTHOGONAL {
                    self.visit_line(piece.kind(), from, delta, &mut visit);
                }
            }
            PieceKind::Horse => {
                for step in geometry::horse(from).iter().filter(|step| self.empty.contains(step.over)) {
                    let allowed = SquareSet::FULL - SquareSet::from_square(step.over);
                    visit(step.square, allowed, allowed);
                }
            }
            _ => geometry::pawn(piece.side(), from).iter().for_each(|to| visit(to, SquareSet::FULL, SquareSet::FULL)),
        }
    }

    #[inline]
    fn visit_line(
        &self,
        kind: PieceKind,
        from: Square,
        delta: i8,
        visit: &mut impl FnMut(Square, SquareSet, SquareSet),
    ) {
        let is_cannon = kind == PieceKind::Cannon;
        let mut line = SquareSet::EMPTY;
        let mut has_screen = false;
        let mut to = from.offset(delta);
        while to.is_on_board() {
            let off_line = SquareSet::FULL - line;
            match (is_cannon, has_screen) {
                (false, _) => visit(to, off_line, off_line),
                // The free piece may be the screen.
                (true, false) => visit(to, off_line, line),
                (true, true) => visit(to, SquareSet::EMPTY, off_line),
            }
            if self.empty.contains(to) {
                line.insert(to);
            } else if is_cannon && !has_screen {
                has_screen = true;
            } else {
                break;
            }
            to = to.offset(delta);
        }
    }

    /// Visits the slices from which a quiet move of a side's fixed pieces may lead here, and perhaps others.
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
        for (number, (piece, to)) in self.layout.attackers_on(&self.fixed).enumerate() {
            if piece.side() == side {
                let sources = sources(piece, SquareSet::from_square(to), self.empty);
                for from in sources.iter().filter(|&from| geometry::may_stand(piece, from)) {
                    predecessor.attackers[number] = from;
                    visit(&predecessor);
                }
                predecessor.attackers[number] = to;
            }
        }
    }
}
