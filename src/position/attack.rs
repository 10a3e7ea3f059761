//! Who attacks what: the king, any square, and the king after a move that is not yet made.

use super::Position;
use crate::tables::lines::Line;
use crate::tables::{geometry, lines};
use crate::types::{Move, Piece, PieceKind, Side, Square};

/// The mailbox steps from a king to the squares from which a pawn of `attacker` attacks it. A king never leaves its
/// palace, where every hostile pawn has crossed the river and may step sideways.
#[inline(always)]
pub(super) const fn pawn_steps_to_king(attacker: Side) -> [i8; 3] {
    [1, -1, -geometry::forward(attacker)]
}

impl Position {
    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.is_checked(self.side)
    }

    /// Whether the king of `side` could be captured, facing kings included.
    #[inline]
    pub fn is_checked(&self, side: Side) -> bool {
        self.is_king_attacked(side, None)
    }

    /// Whether a pseudo-legal move of the side to move is legal: its king is not attacked afterwards and the kings do
    /// not face each other.
    ///
    /// The answer looks at the board as it would be, without making the move. In a loop over many moves of one position
    /// [`super::CheckInfo`] is faster.
    #[inline]
    pub fn is_legal(&self, mv: Move) -> bool {
        !self.is_king_attacked(self.side, Some(mv))
    }

    /// Whether the side to move may play any sixteen bits as a move: pseudo-legal and legal.
    pub fn can_play(&self, mv: Move) -> bool {
        self.is_pseudo_legal(mv) && self.is_legal(mv)
    }

    /// Whether a pseudo-legal move of the side to move attacks the other king, directly or by discovery.
    #[inline]
    pub fn gives_check(&self, mv: Move) -> bool {
        let king = self.king(!self.side);
        let is_aligned = |square: Square| square.row() == king.row() || square.column() == king.column();
        // Most moves touch neither a line through the king, nor a leg before it, nor land a leap away.
        let may_check = is_aligned(mv.to())
            || is_aligned(mv.from())
            || geometry::horse_leg(mv.to(), king).is_some()
            || geometry::DIAGONAL.into_iter().any(|step| king.offset(step) == mv.from());
        may_check && self.is_king_attacked(!self.side, Some(mv))
    }

    /// Whether the king of `victim` is attacked, now or after `mv` of the side to move is played.
    #[inline]
    fn is_king_attacked(&self, victim: Side, mv: Option<Move>) -> bool {
        let attacker = !victim;
        let mut king = self.king(victim);
        // Off the board, so that they equal no square when there is no move.
        let (mut from, mut to) = (Square::from_raw(0), Square::from_raw(0));
        let mut rank_occupancy = self.rank_occupancy(king);
        let mut file_occupancy = self.file_occupancy(king);
        if let Some(mv) = mv {
            (from, to) = (mv.from(), mv.to());
            if from == king {
                king = to;
                rank_occupancy = self.rank_occupancy(king);
                file_occupancy = self.file_occupancy(king);
            }
            if from.row() == king.row() {
                rank_occupancy &= !(1 << (from.file() & 15));
            }
            if from.column() == king.column() {
                file_occupancy &= !(1 << (from.rank() & 15));
            }
            if to.row() == king.row() {
                rank_occupancy |= 1 << (to.file() & 15);
            }
            if to.column() == king.column() {
                file_occupancy |= 1 << (to.rank() & 15);
            }
        }
        // Where a man of the attacker stands after the move; a captured one stands nowhere.
        let moves_attacker = attacker == self.side;
        let after = |square: Square| {
            if moves_attacker && square == from {
                Some(to)
            } else if square == to {
                None
            } else {
                Some(square)
            }
        };
        let occupied = |square: Square| square == to || (square != from && self.board[square.raw()].is_some());

        let squares = |kind| self.squares(Piece::new(attacker, kind)).iter().filter_map(|&square| after(square));
        let sees_over = |square: Square, screens: usize| {
            Line::new(king, square, rank_occupancy, file_occupancy).is_some_and(|sight| sight.screens() == screens)
        };

        squares(PieceKind::Rook).any(|square| sees_over(square, 0))
            || squares(PieceKind::Cannon).any(|square| sees_over(square, 1))
            || squares(PieceKind::Horse)
                .any(|square| geometry::horse_leg(square, king).is_some_and(|leg| !occupied(leg)))
            || squares(PieceKind::King).any(|square| sees_over(square, 0))
            || pawn_steps_to_king(attacker).into_iter().any(|step| {
                let square = king.offset(step);
                let pawn = Some(Piece::new(attacker, PieceKind::Pawn));
                if square == to {
                    moves_attacker && self.board[from.raw()] == pawn
                } else {
                    square != from && self.board[square.raw()] == pawn
                }
            })
    }

    /// Every man of `attacker` that could capture on `target` if an enemy stood there, whatever stands there now;
    /// pins and the safety of kings are not looked at.
    ///
    /// ```
    /// use chuhe::position::Position;
    /// use chuhe::types::Side;
    /// let position = Position::start();
    /// let target = "e3".parse().unwrap();
    /// let attackers: Vec<String> = position.attackers(target, Side::Red).map(|square| square.to_string()).collect();
    /// assert!(attackers.is_empty(), "the cannons have no screen there: {attackers:?}");
    /// assert_eq!(position.attackers("b9".parse().unwrap(), Side::Red).count(), 1);
    /// ```
    pub fn attackers(&self, target: Square, attacker: Side) -> impl Iterator<Item = Square> + '_ {
        let rank_targets = lines::along_rank(target.file(), self.rank_occupancy(target));
        let file_targets = lines::along_file(target.rank(), self.file_occupancy(target));
        let stands = move |square: Square, kind| self.board[square.raw()] == Some(Piece::new(attacker, kind));
        let on_lines = move |on_rank: u16, on_file: u16, kind| {
            let by_rank = (0..Square::FILES).filter(move |file| on_rank & (1 << file) != 0);
            let by_file = (0..Square::RANKS).filter(move |rank| on_file & (1 << rank) != 0);
            by_rank
                .map(move |file| target.with_file(file))
                .chain(by_file.map(move |rank| target.with_rank(rank)))
                .filter(move |&square| stands(square, kind))
        };
        let steppers = geometry::king(target)
            .iter()
            .filter(move |&square| stands(square, PieceKind::King))
            .chain(geometry::advisor(target).iter().filter(move |&square| stands(square, PieceKind::Advisor)))
            .chain(
                geometry::pawns_attacking(attacker, target)
                    .iter()
                    .filter(move |&square| stands(square, PieceKind::Pawn)),
            );
        let hoppers = geometry::horses_attacking(target)
            .iter()
            .filter(move |hop| stands(hop.square, PieceKind::Horse))
            .chain(geometry::elephant(target).iter().filter(move |hop| stands(hop.square, PieceKind::Elephant)))
            .filter(|hop| self.board[hop.over.raw()].is_none())
            .map(|hop| hop.square);
        steppers.chain(hoppers).chain(on_lines(rank_targets.rook, file_targets.rook, PieceKind::Rook)).chain(on_lines(
            rank_targets.cannon,
            file_targets.cannon,
            PieceKind::Cannon,
        ))
    }

    /// Whether any man of `attacker` attacks `target`, as [`Position::attackers`] tells.
    pub fn is_attacked(&self, target: Square, attacker: Side) -> bool {
        self.attackers(target, attacker).next().is_some()
    }
}
