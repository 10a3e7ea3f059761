//! Static exchange evaluation (SEE): material balance of the captures on one square.

use super::Position;
use crate::tables::lines::Line;
use crate::tables::{attack_sets, geometry, lines};
use crate::types::{Move, Piece, PieceKind, Side, Square, SquareSet, Value};

/// Returns the value of a piece in an exchange, in round centipawns: the question is who wins material.
#[inline(always)]
pub const fn exchange_value(kind: PieceKind) -> Value {
    match kind {
        PieceKind::Pawn => 100,
        PieceKind::Advisor => 200,
        PieceKind::Elephant => 220,
        PieceKind::Horse => 440,
        PieceKind::Cannon => 460,
        PieceKind::Rook => 950,
        // More than all other pieces together: a king never recaptures into an attack.
        PieceKind::King => 20_000,
    }
}

struct Exchange<'a> {
    position: &'a Position,
    target: Square,
    /// Occupancies of ranks and files, with the target and without the pieces that have captured.
    ranks: [u16; 16],
    files: [u16; 16],
    /// Pieces of the side to capture that would leave their king in check.
    barred: SquareSet,
}

impl Exchange<'_> {
    #[inline(always)]
    fn remove(&mut self, square: Square) {
        let (on_rank, on_file) = lines::occupancy_bits(square);
        self.ranks[square.row()] &= !on_rank;
        self.files[square.column()] &= !on_file;
    }

    #[inline(always)]
    fn is_occupied(&self, square: Square) -> bool {
        (self.ranks[square.row()] >> (square.file() & 15)) & 1 != 0
    }

    /// Returns the lowest of these squares on which such a piece is left. The one on the target is captured.
    #[inline(always)]
    fn lowest(
        &self,
        side: Side,
        kind: PieceKind,
        squares: impl Iterator<Item = Square>,
    ) -> Option<(PieceKind, Square)> {
        let piece = Some(Piece::new(side, kind));
        let mut lowest = None;
        // A loop, since `Iterator::min` is not inlined here.
        for square in squares {
            let is_left = self.position.board[square.raw()] == piece && self.is_occupied(square);
            let may_move = square != self.target && !self.barred.contains(square);
            if is_left && may_move && lowest.is_none_or(|lowest| square < lowest) {
                lowest = Some(square);
            }
        }
        lowest.map(|square| (kind, square))
    }

    #[inline(always)]
    fn attacks_over(&self, target: Square, from: Square, screens: usize) -> bool {
        Line::new(target, from, self.ranks[target.row()], self.files[target.column()])
            .is_some_and(|line| line.screens() == screens)
    }

    /// Captures `victim` with the least valuable piece of `side` that leaves its king safe, and returns its kind. What
    /// takes a king need not leave its own safe.
    #[inline(always)]
    fn capture(&mut self, side: Side, victim: PieceKind) -> Option<PieceKind> {
        self.barred = SquareSet::EMPTY;
        loop {
            let (kind, square) = self.least_valuable_attacker(side)?;
            let (rank, file) = (self.ranks[square.row()], self.files[square.column()]);
            self.remove(square);
            if victim == PieceKind::King || !self.is_king_exposed(side, kind) {
                return Some(kind);
            }
            (self.ranks[square.row()], self.files[square.column()]) = (rank, file);
            self.barred.insert(square);
        }
    }

    /// Tells whether `side` stands in check after a piece of this kind has captured. What attacks without line or leg
    /// was no danger before; a king that captured into an attack is taken next.
    #[inline(always)]
    fn is_king_exposed(&self, side: Side, kind: PieceKind) -> bool {
        let (target, other_king) = (self.target, self.position.king(!side));
        if kind == PieceKind::King {
            return self.attacks_over(target, other_king, 0);
        }
        let king = self.position.king(side);
        let listed = |kind| {
            let squares = self.position.squares(Piece::new(!side, kind)).iter();
            squares.copied().filter(|&square| square != target && self.is_occupied(square))
        };
        self.attacks_over(king, other_king, 0)
            || listed(PieceKind::Rook).any(|rook| self.attacks_over(king, rook, 0))
            || listed(PieceKind::Cannon).any(|cannon| self.attacks_over(king, cannon, 1))
            || listed(PieceKind::Horse).any(|horse| self.has_free_leg(horse, king))
    }

    #[inline(always)]
    fn has_free_leg(&self, horse: Square, target: Square) -> bool {
        geometry::horse_leg(horse, target).is_some_and(|leg| !self.is_occupied(leg))
    }

    /// Returns the least valuable piece of `side` that attacks the target now, of equal ones that on the lowest square.
    #[inline(always)]
    fn least_valuable_attacker(&self, side: Side) -> Option<(PieceKind, Square)> {
        let target = self.target;
        let listed = |kind| self.position.squares(Piece::new(side, kind)).iter().copied();
        let elephants = || geometry::elephant(target).iter().filter(|step| !self.is_occupied(step.over));
        let leg_is_free = |&square: &Square| self.has_free_leg(square, target);
        let over = |screens| move |&square: &Square| self.attacks_over(target, square, screens);
        // Often no piece stands where it could attack by a step.
        let is_near = !(attack_sets::near(side, target) & self.position.occupied_by(side)).is_empty();
        let lesser = if is_near {
            self.lowest(side, PieceKind::Pawn, geometry::pawns_attacking(side, target).iter())
                .or_else(|| self.lowest(side, PieceKind::Advisor, geometry::advisor(target).iter()))
                .or_else(|| self.lowest(side, PieceKind::Elephant, elephants().map(|step| step.square)))
        } else {
            None
        };
        lesser
            .or_else(|| self.lowest(side, PieceKind::Horse, listed(PieceKind::Horse).filter(leg_is_free)))
            .or_else(|| self.lowest(side, PieceKind::Cannon, listed(PieceKind::Cannon).filter(over(1))))
            .or_else(|| self.lowest(side, PieceKind::Rook, listed(PieceKind::Rook).filter(over(0))))
            .or_else(|| is_near.then(|| self.lowest(side, PieceKind::King, geometry::king(target).iter())).flatten())
    }
}

impl Position {
    /// Tells whether the static exchange value of `mv`, a pseudo-legal move of the side to move, is at least
    /// `threshold` centipawns: both sides capture on its target, always with the least valuable piece, as long as it
    /// pays, and none recaptures that would leave its king in check; `mv` itself is not tested. For a quiet move the
    /// question is whether the piece is safe there.
    pub fn see_ge(&self, mv: Move, threshold: Value) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let Some(mover) = self.board[from.raw()] else { return false };
        let gain = self.board[to.raw()].map_or(0, |victim| exchange_value(victim.kind()));
        // Balance over the threshold if nothing is recaptured, then if the moving piece is lost for nothing.
        let mut balance = gain - threshold;
        if balance < 0 {
            return false;
        }
        balance -= exchange_value(mover.kind());
        if balance >= 0 {
            return true;
        }
        let (ranks, files) = (self.rank_occupancies(), self.file_occupancies());
        let mut exchange = Exchange { position: self, target: to, ranks, files, barred: SquareSet::EMPTY };
        exchange.remove(from);
        let (on_rank, on_file) = lines::occupancy_bits(to);
        exchange.ranks[to.row()] |= on_rank;
        exchange.files[to.column()] |= on_file;
        let (mut side, mut victim) = (!self.side, mover.kind());
        while let Some(kind) = exchange.capture(side, victim) {
            victim = kind;
            side = !side;
            // From the side that may recapture now: it fails unless it gets above zero again.
            balance = -balance - 1 - exchange_value(kind);
            if balance >= 0 {
                break;
            }
        }
        // The side that cannot recapture, or need not, has lost the exchange.
        side != self.side
    }
}
