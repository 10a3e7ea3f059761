//! Legality: pins and checks of a position, and the pseudo-legality test of untrusted moves.

use super::Position;
use super::attack::pawn_steps_to_king;
use crate::tables::lines::Line;
use crate::tables::{geometry, lines};
use crate::types::{Move, MoveList, Piece, PieceKind, Side, Square, SquareSet};

/// Checks, pins and screen squares of one position, computed once per node to skip most legality tests: a move can only
/// expose a king that is not in check by moving the king, by leaving a line or leg that the piece blocks (`pinned`), or
/// by becoming the screen of a cannon that faces the king (`screen_squares`).
#[derive(Clone, Copy, Debug)]
pub struct CheckInfo {
    in_check: bool,
    needs_tests: bool,
    king: Square,
    pinned: SquareSet,
    screen_squares: SquareSet,
}

impl CheckInfo {
    /// Examines the lines and legs around the king of the side to move.
    pub fn new(position: &Position) -> CheckInfo {
        let us = position.side;
        let king = position.king(us);
        let mut info = CheckInfo {
            in_check: false,
            needs_tests: false,
            king,
            pinned: SquareSet::EMPTY,
            screen_squares: SquareSet::EMPTY,
        };
        let squares = |kind| position.squares(Piece::new(!us, kind));
        let (rank_occupancy, file_occupancy) = (position.rank_occupancy(king), position.file_occupancy(king));
        for &rook in squares(PieceKind::Rook) {
            if let Some(line) = Line::new(king, rook, rank_occupancy, file_occupancy) {
                match line.screens() {
                    0 => info.in_check = true,
                    1 => info.pin_own(position, us, line),
                    _ => {}
                }
            }
        }
        for &cannon in squares(PieceKind::Cannon) {
            if let Some(line) = Line::new(king, cannon, rank_occupancy, file_occupancy) {
                match line.screens() {
                    0 => line.empty().for_each(|square| info.screen_squares.insert(square)),
                    1 => info.in_check = true,
                    2 => info.pin_own(position, us, line),
                    _ => {}
                }
            }
        }
        for &horse in squares(PieceKind::Horse) {
            if let Some(leg) = geometry::horse_leg(horse, king) {
                match position.board[leg.raw()] {
                    None => info.in_check = true,
                    Some(piece) if piece.side() == us => info.pinned.insert(leg),
                    Some(_) => {}
                }
            }
        }
        if let Some(line) = Line::new(king, position.king(!us), rank_occupancy, file_occupancy)
            && line.screens() == 1
        {
            info.pin_own(position, us, line);
        }
        let pawn = Some(Piece::new(!us, PieceKind::Pawn));
        info.in_check |=
            pawn_steps_to_king(!us).into_iter().any(|step| position.board[king.offset(step).raw()] == pawn);
        info.needs_tests = info.in_check || !info.pinned.is_empty() || !info.screen_squares.is_empty();
        info
    }

    /// Tells whether the side to move is in check; then every move needs a test.
    #[inline(always)]
    pub fn in_check(&self) -> bool {
        self.in_check
    }

    /// Tells whether no move but those of the king needs a test.
    #[inline(always)]
    pub fn only_king_moves(&self) -> bool {
        !self.needs_tests
    }

    /// Tells whether this pseudo-legal move needs a legality test.
    #[inline(always)]
    pub fn needs_test(&self, mv: Move) -> bool {
        self.in_check
            || mv.from() == self.king
            || self.pinned.contains(mv.from())
            || self.screen_squares.contains(mv.to())
    }

    /// Tells whether a pseudo-legal move of `position`, for which this was computed, is legal.
    #[inline(always)]
    pub fn is_legal(&self, position: &Position, mv: Move) -> bool {
        !self.needs_test(mv) || position.is_legal(mv)
    }

    /// Tells whether the side to move of `position`, for which this was computed, has a legal move.
    pub fn has_legal_move(&self, position: &Position) -> bool {
        // A rook or cannon with a free square nearly always decides.
        let can_move = |kind| {
            position.squares(Piece::new(position.side, kind)).iter().any(|&from| {
                let on_rank = lines::along_rank(from.file(), position.rank_occupancy(from)).quiet;
                let on_file = lines::along_file(from.rank(), position.file_occupancy(from)).quiet;
                on_rank | on_file != 0
            })
        };
        if self.only_king_moves() && (can_move(PieceKind::Rook) || can_move(PieceKind::Cannon)) {
            return true;
        }
        let mut list = MoveList::new();
        if self.in_check {
            position.evasions(&mut list);
        } else {
            position.pseudo_legal_moves(&mut list);
        }
        list.iter().any(|&mv| self.is_legal(position, mv))
    }

    #[inline(always)]
    fn pin_own(&mut self, position: &Position, us: Side, line: Line) {
        for square in line.occupied() {
            if position.board[square.raw()].is_some_and(|piece| piece.side() == us) {
                self.pinned.insert(square);
            }
        }
    }
}

impl Position {
    /// Tells whether `mv`, which may be any 16 bits, is a move of the side to move, ignoring the safety of its king.
    pub fn is_pseudo_legal(&self, mv: Move) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let Some(piece) = self.board[from.raw()].filter(|piece| piece.side() == self.side) else { return false };
        to.is_on_board() && self.is_not_own(to) && self.reaches(piece, from, to, self.board[to.raw()].is_some())
    }
}
