//! Which moves of a position are worth a legality test, and whether a foreign move fits the position at all.

use super::Position;
use super::attack::pawn_steps_to_king;
use crate::tables::lines::Line;
use crate::tables::{geometry, lines};
use crate::types::{Move, Piece, PieceKind, Side, Square, SquareSet};

/// The few moves of one position that may leave the own king attacked, found once per node.
///
/// A move can only expose a king that is not in check by moving the king, by leaving a line or leg that the mover
/// blocks (`movers`), or by landing where it becomes the screen of a cannon that faces the king directly (`landings`).
/// Every other pseudo-legal move is legal.
#[derive(Clone, Copy, Debug)]
pub struct CheckInfo {
    in_check: bool,
    /// Whether there are suspects beside the king's moves.
    any: bool,
    king: Square,
    movers: SquareSet,
    landings: SquareSet,
}

impl CheckInfo {
    /// Looks along the lines and legs around the king of the side to move.
    pub fn new(position: &Position) -> CheckInfo {
        let us = position.side;
        let king = position.king(us);
        let mut found =
            CheckInfo { in_check: false, any: false, king, movers: SquareSet::EMPTY, landings: SquareSet::EMPTY };
        let squares = |kind| position.squares(Piece::new(!us, kind));
        let (rank_occupancy, file_occupancy) = (position.rank_occupancy(king), position.file_occupancy(king));
        for &rook in squares(PieceKind::Rook) {
            if let Some(sight) = Line::new(king, rook, rank_occupancy, file_occupancy) {
                match sight.screens() {
                    0 => found.in_check = true,
                    1 => found.suspect_own(position, us, sight),
                    _ => {}
                }
            }
        }
        for &cannon in squares(PieceKind::Cannon) {
            if let Some(sight) = Line::new(king, cannon, rank_occupancy, file_occupancy) {
                match sight.screens() {
                    0 => sight.empty().for_each(|square| found.landings.insert(square)),
                    1 => found.in_check = true,
                    2 => found.suspect_own(position, us, sight),
                    _ => {}
                }
            }
        }
        for &horse in squares(PieceKind::Horse) {
            if let Some(leg) = geometry::horse_leg(horse, king) {
                match position.board[leg.raw()] {
                    None => found.in_check = true,
                    Some(piece) if piece.side() == us => found.movers.insert(leg),
                    Some(_) => {}
                }
            }
        }
        if let Some(sight) = Line::new(king, position.king(!us), rank_occupancy, file_occupancy)
            && sight.screens() == 1
        {
            found.suspect_own(position, us, sight);
        }
        let pawn = Some(Piece::new(!us, PieceKind::Pawn));
        found.in_check |=
            pawn_steps_to_king(!us).into_iter().any(|step| position.board[king.offset(step).raw()] == pawn);
        found.any = found.in_check || !found.movers.is_empty() || !found.landings.is_empty();
        found
    }

    /// Whether the side to move is in check; then every move is suspect.
    #[inline(always)]
    pub fn in_check(&self) -> bool {
        self.in_check
    }

    /// Whether no move but the king's needs a test.
    #[inline(always)]
    pub fn only_king_moves(&self) -> bool {
        !self.any
    }

    /// Whether this pseudo-legal move needs a test.
    #[inline(always)]
    pub fn needs_test(&self, mv: Move) -> bool {
        self.in_check || mv.from() == self.king || self.movers.contains(mv.from()) || self.landings.contains(mv.to())
    }

    /// Whether a pseudo-legal move of `position`, from which these suspects were found, is legal.
    #[inline(always)]
    pub fn is_legal(&self, position: &Position, mv: Move) -> bool {
        !self.needs_test(mv) || position.is_legal(mv)
    }

    /// The own men on the line may expose the king when they leave it.
    #[inline(always)]
    fn suspect_own(&mut self, position: &Position, us: Side, sight: Line) {
        for square in sight.occupied() {
            if position.board[square.raw()].is_some_and(|piece| piece.side() == us) {
                self.movers.insert(square);
            }
        }
    }
}

impl Position {
    /// Whether the side to move has a man that moves or captures like `mv`, its king's safety left aside.
    ///
    /// Made for moves from elsewhere: the transposition table, killers, the user. Any sixteen bits are fine.
    pub fn is_pseudo_legal(&self, mv: Move) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let Some(piece) = self.board[from.raw()].filter(|piece| piece.side() == self.side) else {
            return false;
        };
        let captured = self.board[to.raw()];
        if !to.is_on_board() || captured.is_some_and(|victim| victim.side() == self.side) {
            return false;
        }
        let open = |square: Square| self.board[square.raw()].is_none();
        match piece.kind() {
            PieceKind::King => geometry::king(from).iter().any(|square| square == to),
            PieceKind::Advisor => geometry::advisor(from).iter().any(|square| square == to),
            PieceKind::Pawn => geometry::pawn(self.side, from).iter().any(|square| square == to),
            PieceKind::Elephant => geometry::elephant(from).iter().any(|hop| hop.square == to && open(hop.over)),
            PieceKind::Horse => geometry::horse_leg(from, to).is_some_and(open),
            kind @ (PieceKind::Rook | PieceKind::Cannon) => {
                let (targets, bit) = if from.row() == to.row() {
                    (lines::along_rank(from.file(), self.rank_occupancy(from)), 1u16 << to.file())
                } else if from.column() == to.column() {
                    (lines::along_file(from.rank(), self.file_occupancy(from)), 1u16 << to.rank())
                } else {
                    return false;
                };
                let reach = match (captured, kind) {
                    (None, _) => targets.quiet,
                    (Some(_), PieceKind::Rook) => targets.rook,
                    (Some(_), _) => targets.cannon,
                };
                reach & bit != 0
            }
        }
    }
}
