//! Static exchange evaluation: what a series of captures on one square yields.

use super::Position;
use crate::tables::lines::Line;
use crate::tables::{geometry, lines};
use crate::types::{Move, Piece, PieceKind, Side, Square, Value};

/// What a man counts in an exchange, in centipawns. Rounded on purpose: an exchange asks who wins material, not by how
/// many points of evaluation.
#[inline(always)]
pub const fn exchange_value(kind: PieceKind) -> Value {
    match kind {
        PieceKind::Pawn => 100,
        PieceKind::Advisor => 200,
        PieceKind::Elephant => 220,
        PieceKind::Horse => 440,
        PieceKind::Cannon => 460,
        PieceKind::Rook => 950,
        // More than all else together: a king never recaptures into an attack.
        PieceKind::King => 20_000,
    }
}

/// From cheap to dear: the order in which men join an exchange.
const BY_VALUE: [PieceKind; 7] = [
    PieceKind::Pawn,
    PieceKind::Advisor,
    PieceKind::Elephant,
    PieceKind::Horse,
    PieceKind::Cannon,
    PieceKind::Rook,
    PieceKind::King,
];

/// An exchange under way on one square.
struct Exchange<'a> {
    position: &'a Position,
    target: Square,
    /// The board without the men that have left their squares. Copying it costs less than asking for each man anew
    /// whether it left.
    board: [Option<Piece>; 256],
    rank_occupancy: u16,
    file_occupancy: u16,
}

impl Exchange<'_> {
    #[inline(always)]
    fn leave(&mut self, square: Square) {
        self.board[square.raw()] = None;
        let (on_rank, on_file) = lines::occupancy_bits(square);
        if square.row() == self.target.row() {
            self.rank_occupancy &= !on_rank;
        }
        if square.column() == self.target.column() {
            self.file_occupancy &= !on_file;
        }
    }

    #[inline(always)]
    fn stands(&self, square: Square, piece: Piece) -> bool {
        self.board[square.raw()] == Some(piece)
    }

    #[inline(always)]
    fn is_open(&self, square: Square) -> bool {
        self.board[square.raw()].is_none()
    }

    /// The cheapest man of `side` that can capture now; of equal ones that with the lowest square.
    ///
    /// Every capture changes the lines through the target, so they are read anew each time: a rook behind a captured
    /// one is uncovered, a cannon may gain or lose its screen, a horse its leg.
    fn cheapest_attacker(&self, side: Side) -> Option<(PieceKind, Square)> {
        let target = self.target;
        let sees_over = |square: Square, screens: usize| {
            Line::new(target, square, self.rank_occupancy, self.file_occupancy)
                .is_some_and(|sight| sight.screens() == screens)
        };
        for kind in BY_VALUE {
            let piece = Piece::new(side, kind);
            if self.position.count(piece) == 0 {
                continue;
            }
            let listed = || self.position.squares(piece).iter().copied().filter(|&square| self.stands(square, piece));
            let hop_is_open = |hop: &geometry::BlockableStep| self.stands(hop.square, piece) && self.is_open(hop.over);
            let found = match kind {
                PieceKind::Pawn => {
                    geometry::pawns_attacking(side, target).iter().filter(|&square| self.stands(square, piece)).min()
                }
                PieceKind::Advisor => {
                    geometry::advisor(target).iter().filter(|&square| self.stands(square, piece)).min()
                }
                PieceKind::King => geometry::king(target).iter().find(|&square| self.stands(square, piece)),
                PieceKind::Elephant => {
                    geometry::elephant(target).iter().filter(hop_is_open).map(|hop| hop.square).min()
                }
                PieceKind::Horse => listed()
                    .filter(|&square| geometry::horse_leg(square, target).is_some_and(|leg| self.is_open(leg)))
                    .min(),
                PieceKind::Cannon => listed().filter(|&square| sees_over(square, 1)).min(),
                PieceKind::Rook => listed().filter(|&square| sees_over(square, 0)).min(),
            };
            if let Some(square) = found {
                return Some((kind, square));
            }
        }
        None
    }
}

impl Position {
    /// Whether `mv` wins at least `threshold` centipawns when both sides then capture on its target, always with the
    /// cheapest man, for as long as it pays. Pins and checks are not looked at.
    ///
    /// `mv` is pseudo-legal for the side to move; a quiet move asks what happens to the man on its new square.
    ///
    /// ```
    /// use chuhe::position::Position;
    /// let position = Position::start();
    /// let takes_horse = "b2b9".parse().unwrap();
    /// assert!(!position.see_ge(takes_horse, 0), "the rook takes back");
    /// ```
    pub fn see_ge(&self, mv: Move, threshold: Value) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let Some(mover) = self.board[from.raw()] else { return false };
        let gain = self.board[to.raw()].map_or(0, |victim| exchange_value(victim.kind()));
        // What the mover has over the threshold if nothing more happens, and if the man is lost for nothing.
        let mut balance = gain - threshold;
        if balance < 0 {
            return false;
        }
        balance -= exchange_value(mover.kind());
        if balance >= 0 {
            return true;
        }
        let mut exchange = Exchange {
            position: self,
            target: to,
            board: self.board,
            rank_occupancy: self.rank_occupancy(to),
            file_occupancy: self.file_occupancy(to),
        };
        exchange.leave(from);
        // The victim is gone as well; whoever stands on the target blocks nothing that looks at it.
        exchange.board[to.raw()] = None;
        let mut side = !self.side;
        while let Some((kind, square)) = exchange.cheapest_attacker(side) {
            exchange.leave(square);
            side = !side;
            // Seen from the side that now may recapture: it fails unless it gets above zero again.
            balance = -balance - 1 - exchange_value(kind);
            if balance >= 0 {
                break;
            }
        }
        // The side that is to recapture and cannot, or need not try, has failed.
        side != self.side
    }
}
