//! Attacks on kings and squares, and on a king after a move that is not yet made.

use super::Position;
use crate::tables::lines::{Line, LineTargets};
use crate::tables::{attack_sets, geometry, lines};
use crate::types::{Move, Piece, PieceKind, Side, Square, SquareSet};

/// Returns the mailbox steps from a king to the squares from which a pawn of `attacker`, across the river, attacks it.
#[inline(always)]
pub(super) const fn pawn_steps_to_king(attacker: Side) -> [i8; 3] {
    [1, -1, -geometry::forward(attacker)]
}

impl Position {
    /// Tells whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.is_checked(self.side)
    }

    /// Tells whether the king of `side` is attacked, by a facing king too.
    #[inline]
    pub fn is_checked(&self, side: Side) -> bool {
        self.is_king_attacked::<false>(side, None)
    }

    /// Tells whether a pseudo-legal move of the side to move is legal: afterwards its king is not attacked and the
    /// kings do not face each other. In a loop over many moves of one position [`super::CheckInfo`] is faster.
    #[inline]
    pub fn is_legal(&self, mv: Move) -> bool {
        !self.is_king_attacked::<false>(self.side, Some(mv))
    }

    /// Tells whether any 16 bits are a legal move of the side to move.
    pub fn can_play(&self, mv: Move) -> bool {
        self.is_pseudo_legal(mv) && self.is_legal(mv)
    }

    /// Tells whether a pseudo-legal move of the side to move gives check, directly or by discovery.
    #[inline]
    pub fn gives_check(&self, mv: Move) -> bool {
        let king = self.king(!self.side);
        let is_aligned = |square: Square| square.row() == king.row() || square.column() == king.column();
        // Most moves touch no line through the king, no leg next to it and no square a horse move away.
        let may_check = is_aligned(mv.to())
            || is_aligned(mv.from())
            || geometry::horse_leg(mv.to(), king).is_some()
            || geometry::DIAGONAL.into_iter().any(|step| king.offset(step) == mv.from());
        may_check && self.is_king_attacked::<true>(!self.side, Some(mv))
    }

    /// Tells whether the king of `victim` is attacked, now or after the move `mv` of the side to move. `ATTACKER_MOVES`
    /// tells whether that side is the attacker: known at compile time, because the two change different things.
    #[inline(always)]
    fn is_king_attacked<const ATTACKER_MOVES: bool>(&self, victim: Side, mv: Option<Move>) -> bool {
        let attacker = !victim;
        debug_assert!(mv.is_none() || ATTACKER_MOVES == (attacker == self.side));
        let mut king = self.king(victim);
        // Off the board, so that they equal no square without a move.
        let (mut from, mut to) = (Square::from_raw(0), Square::from_raw(0));
        let mut rank_occupancy = self.rank_occupancy(king);
        let mut file_occupancy = self.file_occupancy(king);
        if let Some(mv) = mv {
            (from, to) = (mv.from(), mv.to());
            if !ATTACKER_MOVES && from == king {
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
        // The square of an attacking piece after the move; none when it is captured.
        let after = |square: Square| {
            if ATTACKER_MOVES {
                Some(if square == from { to } else { square })
            } else {
                (square != to).then_some(square)
            }
        };
        let occupied = |square: Square| square == to || (square != from && self.board[square.raw()].is_some());

        let squares = |kind| self.squares(Piece::new(attacker, kind)).iter().filter_map(|&square| after(square));
        let attacks_over = |square: Square, screens: usize| {
            Line::new(king, square, rank_occupancy, file_occupancy).is_some_and(|line| line.screens() == screens)
        };

        squares(PieceKind::Rook).any(|square| attacks_over(square, 0))
            || squares(PieceKind::Cannon).any(|square| attacks_over(square, 1))
            || squares(PieceKind::Horse)
                .any(|square| geometry::horse_leg(square, king).is_some_and(|leg| !occupied(leg)))
            || squares(PieceKind::King).any(|square| attacks_over(square, 0))
            || pawn_steps_to_king(attacker).into_iter().any(|step| {
                let square = king.offset(step);
                let pawn = Some(Piece::new(attacker, PieceKind::Pawn));
                if ATTACKER_MOVES && square == to {
                    self.board[from.raw()] == pawn
                } else {
                    square != from && square != to && self.board[square.raw()] == pawn
                }
            })
    }

    /// Iterates over the pieces of `attacker` that could capture an enemy piece on `target`, pinned or not.
    pub fn attackers(&self, target: Square, attacker: Side) -> impl Iterator<Item = Square> + '_ {
        use PieceKind::*;
        [King, Advisor, Pawn, Horse, Elephant, Rook, Cannon].into_iter().flat_map(move |kind| {
            let piece = Piece::new(attacker, kind);
            let attacks = move |&from: &Square| from != target && self.reaches(piece, from, target, true);
            self.squares(piece).iter().copied().filter(attacks)
        })
    }

    /// Tells whether a piece on `from` reaches another square by a capture or by a quiet move, whatever stands there.
    #[inline(always)]
    pub(crate) fn reaches(&self, piece: Piece, from: Square, to: Square, captures: bool) -> bool {
        let is_empty = |square: Square| self.board[square.raw()].is_none();
        match piece.kind() {
            PieceKind::King => attack_sets::king(from).contains(to),
            PieceKind::Advisor => attack_sets::advisor(from).contains(to),
            PieceKind::Pawn => attack_sets::pawn(piece.side(), from).contains(to),
            PieceKind::Elephant => geometry::elephant(from).iter().any(|step| step.square == to && is_empty(step.over)),
            PieceKind::Horse => geometry::horse_leg(from, to).is_some_and(is_empty),
            kind @ (PieceKind::Rook | PieceKind::Cannon) => {
                let screens = usize::from(captures && kind == PieceKind::Cannon);
                let line = Line::new(to, from, self.rank_occupancy(to), self.file_occupancy(to));
                line.is_some_and(|line| line.screens() == screens)
            }
        }
    }

    /// Returns the squares on which a piece of `kind` of `attacker` could capture, if there were an enemy piece.
    #[inline]
    pub fn attacked_by(&self, attacker: Side, kind: PieceKind) -> SquareSet {
        let occupied = self.occupied[0] | self.occupied[1];
        let mut set = SquareSet::EMPTY;
        for &from in self.squares(Piece::new(attacker, kind)) {
            match kind {
                PieceKind::King => set |= attack_sets::king(from),
                PieceKind::Advisor => set |= attack_sets::advisor(from),
                PieceKind::Elephant => set |= attack_sets::elephant(from, occupied),
                PieceKind::Horse => {
                    set |= attack_sets::horse(from, self.rank_occupancy(from), self.file_occupancy(from));
                }
                PieceKind::Pawn => set |= attack_sets::pawn(attacker, from),
                PieceKind::Rook => {
                    let (rank, file) = (self.rank_occupancy(from), self.file_occupancy(from));
                    set |= attack_sets::along_lines(from, rank, file, |targets| targets.rook | targets.quiet);
                }
                PieceKind::Cannon => {
                    // Beyond the screens lies what a rook would reach without them.
                    let reached =
                        |near: LineTargets, far: LineTargets| (far.rook | far.quiet) & !(near.rook | near.quiet);
                    let (rank, file) = (self.rank_occupancy(from), self.file_occupancy(from));
                    let near_rank = lines::along_rank(from.file(), rank);
                    let near_file = lines::along_file(from.rank(), file);
                    let on_rank = reached(near_rank, lines::along_rank(from.file(), rank & !near_rank.rook));
                    let on_file = reached(near_file, lines::along_file(from.rank(), file & !near_file.rook));
                    set |= SquareSet::from_rank(from.rank(), on_rank) | SquareSet::from_file(from.file(), on_file);
                }
            }
        }
        set
    }

    /// Tells whether any piece of `attacker` attacks `target`.
    pub fn is_attacked(&self, target: Square, attacker: Side) -> bool {
        self.attackers(target, attacker).next().is_some()
    }
}
