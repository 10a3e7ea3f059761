//! Moves that give check, found without making them.

use super::Position;
use super::attack::pawn_steps_to_king;
use crate::tables::lines::{LineTargets, between, bits};
use crate::tables::{geometry, lines};
use crate::types::{Move, MoveList, Piece, PieceKind, Square, SquareSet};

/// Squares of the rank and the file through one square, in the bit order of their occupancies.
#[derive(Clone, Copy, Debug)]
struct Cross {
    on_rank: u16,
    on_file: u16,
}

impl Cross {
    /// Tells whether `square` is one of the squares; `centre` is the square that the rank and the file pass through.
    #[inline(always)]
    fn contains(self, centre: Square, square: Square) -> bool {
        if square.row() == centre.row() {
            (self.on_rank >> (square.file() & 15)) & 1 != 0
        } else {
            square.column() == centre.column() && (self.on_file >> (square.rank() & 15)) & 1 != 0
        }
    }

    /// Returns the squares on the rank of `square`, in the bit order of its occupancy.
    #[inline(always)]
    fn on_rank_of(self, centre: Square, square: Square) -> u16 {
        if square.row() == centre.row() {
            self.on_rank
        } else {
            ((self.on_file >> (square.rank() & 15)) & 1) << centre.file()
        }
    }

    #[inline(always)]
    fn on_file_of(self, centre: Square, square: Square) -> u16 {
        if square.column() == centre.column() {
            self.on_file
        } else {
            ((self.on_rank >> (square.file() & 15)) & 1) << centre.rank()
        }
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        self.on_rank | self.on_file == 0
    }

    #[inline(always)]
    fn union(self, other: Cross) -> Cross {
        Cross { on_rank: self.on_rank | other.on_rank, on_file: self.on_file | other.on_file }
    }
}

/// Squares from which the side to move would give check, and pieces that may uncover one. Computed once per node; most
/// moves are then decided without examining the lines.
#[derive(Clone, Copy, Debug)]
pub struct CheckSquares {
    king: Square,
    rook: Cross,
    cannon: Cross,
    /// Squares on which any piece becomes the screen of a cannon.
    screens: Cross,
    /// The two nearest pieces in each direction. The line changes when one of them leaves it or captures along it.
    nearest: Cross,
    /// Own pieces on the legs of own horses that would attack the king.
    legs: SquareSet,
}

impl CheckSquares {
    /// Examines the lines and legs around the king of the opponent, which must not be in check.
    #[inline]
    pub fn new(position: &Position) -> CheckSquares {
        let us = position.side;
        let king = position.king(!us);
        let on_rank = |occupied| lines::along_rank(king.file(), occupied);
        let on_file = |occupied| lines::along_file(king.rank(), occupied);
        let cannon = Some(Piece::new(us, PieceKind::Cannon));
        let is_cannon = |square: Square| position.board[square.raw()] == cannon;
        let on_rank =
            line_checks(king.file(), position.rank_occupancy(king), on_rank, |file| is_cannon(king.with_file(file)));
        let on_file =
            line_checks(king.rank(), position.file_occupancy(king), on_file, |rank| is_cannon(king.with_rank(rank)));
        let [rook, cannon, screens, nearest] =
            std::array::from_fn(|index| Cross { on_rank: on_rank[index], on_file: on_file[index] });
        let mut legs = SquareSet::EMPTY;
        for &horse in position.squares(Piece::new(us, PieceKind::Horse)) {
            if let Some(leg) = geometry::horse_leg(horse, king)
                && position.board[leg.raw()].is_some_and(|piece| piece.side() == us)
            {
                legs.insert(leg);
            }
        }
        CheckSquares { king, rook, cannon, screens, nearest, legs }
    }

    /// Tells whether a pseudo-legal move of `position`, for which this was computed, gives check.
    #[inline(always)]
    pub fn gives_check(&self, position: &Position, mv: Move) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let Some(piece) = position.board[from.raw()] else { return false };
        let is_pawn_check = || pawn_steps_to_king(position.side).map(|step| self.king.offset(step)).contains(&to);
        if self.nearest.contains(self.king, from) {
            if self.stays_on_line(from, to) {
                // Without a capture the order of the pieces on the line does not change.
                return match position.board[to.raw()] {
                    Some(_) => position.gives_check(mv),
                    None => piece.kind() == PieceKind::Pawn && is_pawn_check(),
                };
            }
            if self.uncovers(position, from) {
                return true;
            }
        } else if self.opens_leg(from) {
            return true;
        }
        if to.row() == self.king.row() || to.column() == self.king.column() {
            self.screens.contains(self.king, to)
                || match piece.kind() {
                    PieceKind::Rook => self.rook.contains(self.king, to),
                    PieceKind::Cannon => self.cannon.contains(self.king, to),
                    PieceKind::Pawn => is_pawn_check(),
                    // It can only face the other king, which is not legal.
                    PieceKind::King => position.gives_check(mv),
                    _ => false,
                }
        } else {
            geometry::horse_leg(to, self.king)
                .is_some_and(|leg| piece.kind() == PieceKind::Horse && position.board[leg.raw()].is_none())
        }
    }

    #[inline(always)]
    fn stays_on_line(&self, from: Square, to: Square) -> bool {
        (from.row() == self.king.row() && to.row() == self.king.row())
            || (from.column() == self.king.column() && to.column() == self.king.column())
    }

    /// Tells whether one of the nearest own pieces uncovers a check when it leaves its line through the king.
    #[inline]
    fn uncovers(&self, position: &Position, from: Square) -> bool {
        let king = self.king;
        let (on_rank, on_file) = lines::occupancy_bits(from);
        let along_rank = from.row() == king.row();
        let targets = if along_rank {
            lines::along_rank(king.file(), position.rank_occupancy(king) & !on_rank)
        } else {
            lines::along_file(king.rank(), position.file_occupancy(king) & !on_file)
        };
        let is_own = |index: u8, kind| {
            let square = if along_rank { king.with_file(index) } else { king.with_rank(index) };
            position.board[square.raw()] == Some(Piece::new(position.side, kind))
        };
        bits(targets.rook).any(|index| is_own(index, PieceKind::Rook) || is_own(index, PieceKind::King))
            || bits(targets.cannon).any(|index| is_own(index, PieceKind::Cannon))
    }

    /// Tells whether an own piece on `from` stands on the leg of an own horse that attacks the king once it leaves.
    #[inline(always)]
    fn opens_leg(&self, from: Square) -> bool {
        !self.legs.is_empty() && self.legs.contains(from)
    }

    /// Tells whether a move of an own piece on `from` may give check, though the piece itself does not attack the king.
    #[inline(always)]
    fn may_check_indirectly(&self, from: Square) -> bool {
        !self.screens.is_empty() || self.nearest.contains(self.king, from) || self.opens_leg(from)
    }

    #[inline(always)]
    fn is_near(&self, from: Square, distance: usize) -> bool {
        from.row().abs_diff(self.king.row()) <= distance && from.column().abs_diff(self.king.column()) <= distance
    }
}

impl Position {
    /// Appends the quiet moves that give check, in the order of [`Position::quiets`]. `squares` are of this position.
    pub fn quiet_checks(&self, squares: &CheckSquares, list: &mut MoveList) {
        let king = squares.king;
        for (kind, direct) in [(PieceKind::Rook, squares.rook), (PieceKind::Cannon, squares.cannon)] {
            let targets = direct.union(squares.screens);
            for &from in self.squares(Piece::new(self.side, kind)) {
                let (mut on_rank, mut on_file) = if squares.nearest.contains(king, from) {
                    // Along the line through the king nothing changes, and no other move attacks along a line.
                    let off_line = if squares.uncovers(self, from) { u16::MAX } else { 0 };
                    if from.row() == king.row() { (0, off_line) } else { (off_line, 0) }
                } else if squares.opens_leg(from) {
                    (u16::MAX, u16::MAX)
                } else {
                    (targets.on_rank_of(king, from), targets.on_file_of(king, from))
                };
                on_rank &= lines::along_rank(from.file(), self.rank_occupancy(from)).quiet;
                on_file &= lines::along_file(from.rank(), self.file_occupancy(from)).quiet;
                list.extend(bits(on_rank).map(|file| Move::new(from, from.with_file(file))));
                list.extend(bits(on_file).map(|rank| Move::new(from, from.with_rank(rank))));
            }
        }
        let mut push = |from: Square, to: Square| {
            let mv = Move::new(from, to);
            if self.board[to.raw()].is_none() && squares.gives_check(self, mv) {
                list.push(mv);
            }
        };
        let squares_of = |kind| self.squares(Piece::new(self.side, kind)).iter().copied();
        let may_check = |from: Square, distance: Option<usize>| {
            squares.may_check_indirectly(from) || distance.is_some_and(|distance| squares.is_near(from, distance))
        };
        // A horse that gives check is at most 2 files and ranks away from the king, a pawn 1, and a move adds as many.
        for from in squares_of(PieceKind::Horse).filter(|&from| may_check(from, Some(4))) {
            let steps = geometry::horse(from).iter().filter(|step| self.board[step.over.raw()].is_none());
            steps.for_each(|step| push(from, step.square));
        }
        for from in squares_of(PieceKind::Pawn).filter(|&from| may_check(from, Some(2))) {
            geometry::pawn(self.side, from).iter().for_each(|to| push(from, to));
        }
        for from in squares_of(PieceKind::Elephant).filter(|&from| may_check(from, None)) {
            let steps = geometry::elephant(from).iter().filter(|step| self.board[step.over.raw()].is_none());
            steps.for_each(|step| push(from, step.square));
        }
        for from in squares_of(PieceKind::Advisor).filter(|&from| may_check(from, None)) {
            geometry::advisor(from).iter().for_each(|to| push(from, to));
        }
        let from = self.king(self.side);
        geometry::king(from).iter().for_each(|to| push(from, to));
    }
}

/// Returns the parts of [`CheckSquares`] on the line through the king on `king`, in the bit order of its occupancy:
/// squares from which a rook gives check, and a cannon, squares on which a piece becomes the screen of a cannon, and
/// the two nearest pieces in both directions. `targets` are those from `king` over any occupancy.
#[inline(always)]
fn line_checks(
    king: u8,
    occupied: u16,
    targets: impl Fn(u16) -> LineTargets,
    is_cannon: impl Fn(u8) -> bool,
) -> [u16; 4] {
    let first = targets(occupied);
    let rook = first.quiet | first.rook;
    // Without the nearest pieces the line is free up to the second ones.
    let second = targets(occupied & !first.rook);
    let cannon = (second.quiet & !rook) | first.cannon;
    let facing = bits(first.rook).filter(|&square| is_cannon(square));
    let screens = facing.fold(0, |screens, square| screens | between(king, square));
    [rook, cannon, screens, first.rook | first.cannon]
}
