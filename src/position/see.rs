//! Static exchange evaluation (SEE): material balance of the captures on one square.

use super::Position;
use crate::tables::lines::Line;
use crate::tables::{attack_sets, geometry, lines};
use crate::types::{Move, Piece, PieceKind, Side, Square, Value};

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
    /// Occupancies of the ranks without the target and the pieces that have captured.
    ranks: [u16; 16],
    /// Occupancy of the file of the target, without it and the pieces that have captured.
    file: u16,
}

impl Exchange<'_> {
    #[inline(always)]
    fn remove(&mut self, square: Square) {
        let (on_rank, on_file) = lines::occupancy_bits(square);
        self.ranks[square.row()] &= !on_rank;
        if square.column() == self.target.column() {
            self.file &= !on_file;
        }
    }

    #[inline(always)]
    fn is_occupied(&self, square: Square) -> bool {
        (self.ranks[square.row()] >> (square.file() & 15)) & 1 != 0
    }

    /// Returns the lowest of these squares on which such a piece is left.
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
            if is_left && lowest.is_none_or(|lowest| square < lowest) {
                lowest = Some(square);
            }
        }
        lowest.map(|square| (kind, square))
    }

    /// Returns the least valuable piece of `side` that can capture now; of equal ones that with the lowest square.
    /// Every capture changes the lines through the target, so they are examined each time.
    #[inline(always)]
    fn least_valuable_attacker(&self, side: Side) -> Option<(PieceKind, Square)> {
        let target = self.target;
        let listed = |kind| self.position.squares(Piece::new(side, kind)).iter().copied();
        let attacks_over = |square: Square, screens: usize| {
            Line::new(target, square, self.ranks[target.row()], self.file).is_some_and(|line| line.screens() == screens)
        };
        let elephants = || geometry::elephant(target).iter().filter(|step| !self.is_occupied(step.over));
        let has_free_leg =
            |&square: &Square| geometry::horse_leg(square, target).is_some_and(|leg| !self.is_occupied(leg));
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
            .or_else(|| self.lowest(side, PieceKind::Horse, listed(PieceKind::Horse).filter(has_free_leg)))
            .or_else(|| {
                let attackers = listed(PieceKind::Cannon).filter(|&square| attacks_over(square, 1));
                self.lowest(side, PieceKind::Cannon, attackers)
            })
            .or_else(|| {
                let attackers = listed(PieceKind::Rook).filter(|&square| attacks_over(square, 0));
                self.lowest(side, PieceKind::Rook, attackers)
            })
            .or_else(|| is_near.then(|| self.lowest(side, PieceKind::King, geometry::king(target).iter())).flatten())
    }
}

impl Position {
    /// Tells whether the static exchange value of `mv`, a pseudo-legal move of the side to move, is at least
    /// `threshold` centipawns: both sides capture on its target, always with the least valuable piece, as long as it
    /// pays. Pins and checks are ignored. For a quiet move the question is whether the piece is safe there.
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
        let mut exchange =
            Exchange { position: self, target: to, ranks: self.rank_occupancies(), file: self.file_occupancy(to) };
        exchange.remove(from);
        // The victim would attack its own square, over no screen.
        exchange.remove(to);
        let mut side = !self.side;
        while let Some((kind, square)) = exchange.least_valuable_attacker(side) {
            exchange.remove(square);
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
