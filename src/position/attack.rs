//! Attacks on kings and squares, and on a king after a move that is not yet made.

use super::Position;
use crate::tables::lines::{Line, LineTargets};
use crate::tables::{attack_sets, geometry, lines};
use crate::types::{Move, Piece, PieceKind, Side, Square, SquareSet};

/// Returns the mailbox steps from a king to the squares from which a pawn of `attacker` attacks it. Every enemy pawn
/// near a palace has crossed the river and may step sideways.
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
    /// kings do not face each other.
    ///
    /// The move is not made. In a loop over many moves of one position [`super::CheckInfo`] is faster.
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

    /// Tells whether the king of `victim` is attacked, now or after the move `mv` of the side to move.
    /// `ATTACKER_MOVES` tells whether that side is the attacker, not the victim; without a move it means nothing. It is
    /// known at compile time, because the two change different things.
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

    /// Iterates over the pieces of `attacker` that attack `target`: they could capture an enemy piece there. Pins and
    /// the safety of kings are ignored.
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
        let is_on = move |square: Square, kind| self.board[square.raw()] == Some(Piece::new(attacker, kind));
        let on_lines = move |on_rank: u16, on_file: u16, kind| {
            let by_rank = (0..Square::FILES).filter(move |file| on_rank & (1 << file) != 0);
            let by_file = (0..Square::RANKS).filter(move |rank| on_file & (1 << rank) != 0);
            by_rank
                .map(move |file| target.with_file(file))
                .chain(by_file.map(move |rank| target.with_rank(rank)))
                .filter(move |&square| is_on(square, kind))
        };
        let steps = geometry::king(target)
            .iter()
            .filter(move |&square| is_on(square, PieceKind::King))
            .chain(geometry::advisor(target).iter().filter(move |&square| is_on(square, PieceKind::Advisor)))
            .chain(
                geometry::pawns_attacking(attacker, target)
                    .iter()
                    .filter(move |&square| is_on(square, PieceKind::Pawn)),
            );
        let blockable_steps = geometry::horses_attacking(target)
            .iter()
            .filter(move |step| is_on(step.square, PieceKind::Horse))
            .chain(geometry::elephant(target).iter().filter(move |step| is_on(step.square, PieceKind::Elephant)))
            .filter(|step| self.board[step.over.raw()].is_none())
            .map(|step| step.square);
        steps
            .chain(blockable_steps)
            .chain(on_lines(rank_targets.rook, file_targets.rook, PieceKind::Rook))
            .chain(on_lines(rank_targets.cannon, file_targets.cannon, PieceKind::Cannon))
    }

    /// Returns the squares on which a piece of `kind` of `attacker` could capture an enemy piece, whether there is one
    /// or not. Pins and the safety of kings are ignored.
    ///
    /// ```
    /// use chuhe::position::Position;
    /// use chuhe::types::{PieceKind, Side};
    /// let attacked = Position::start().attacked_by(Side::Red, PieceKind::Cannon);
    /// // Black's cannon on b7 is the screen: b8 and the horse beyond it are attacked, and itself it is not.
    /// assert_eq!(["b7", "b8", "b9"].map(|name| attacked.contains(name.parse().unwrap())), [false, true, true]);
    /// ```
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
                PieceKind::Rook | PieceKind::Cannon => {
                    let (rank, file) = (self.rank_occupancy(from), self.file_occupancy(from));
                    let along_rank = |occupied| lines::along_rank(from.file(), occupied);
                    let along_file = |occupied| lines::along_file(from.rank(), occupied);
                    let (on_rank, on_file) = if kind == PieceKind::Rook {
                        let reached = |targets: LineTargets| targets.rook | targets.quiet;
                        (reached(along_rank(rank)), reached(along_file(file)))
                    } else {
                        // Beyond the screens lies what a rook would reach without them.
                        let reached =
                            |near: LineTargets, far: LineTargets| (far.rook | far.quiet) & !(near.rook | near.quiet);
                        let (near_rank, near_file) = (along_rank(rank), along_file(file));
                        (
                            reached(near_rank, along_rank(rank & !near_rank.rook)),
                            reached(near_file, along_file(file & !near_file.rook)),
                        )
                    };
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
