//! Static exchange evaluation (SEE): material balance of the captures on one square.

use super::Position;
use crate::tables::lines::Line;
use crate::tables::{geometry, lines};
use crate::types::{Move, Piece, PieceKind, Side, Square, Value};

/// Returns the value of a piece in an exchange, in centipawns. Round numbers: the question is who wins material, not by
/// how much.
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

/// Order in which pieces capture, least valuable first.
const BY_VALUE: [PieceKind; 7] = [
    PieceKind::Pawn,
    PieceKind::Advisor,
    PieceKind::Elephant,
    PieceKind::Horse,
    PieceKind::Cannon,
    PieceKind::Rook,
    PieceKind::King,
];

/// State of an exchange on one square.
struct Exchange<'a> {
    position: &'a Position,
    target: Square,
    /// Board without the pieces that have captured. Copying it costs less than a test of each piece.
    board: [Option<Piece>; 256],
    rank_occupancy: u16,
    file_occupancy: u16,
}

impl Exchange<'_> {
    #[inline(always)]
    fn remove(&mut self, square: Square) {
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
    fn is_on(&self, square: Square, piece: Piece) -> bool {
        self.board[square.raw()] == Some(piece)
    }

    #[inline(always)]
    fn is_empty(&self, square: Square) -> bool {
        self.board[square.raw()].is_none()
    }

    /// Returns the least valuable piece of `side` that can capture now; of equal ones that with the lowest square.
    ///
    /// Every capture changes the lines through the target, so they are examined each time: a rook behind a captured one
    /// is uncovered, a cannon may gain or lose its screen, a horse its leg.
    fn least_valuable_attacker(&self, side: Side) -> Option<(PieceKind, Square)> {
        let target = self.target;
        let attacks_over = |square: Square, screens: usize| {
            Line::new(target, square, self.rank_occupancy, self.file_occupancy)
                .is_some_and(|line| line.screens() == screens)
        };
        for kind in BY_VALUE {
            let piece = Piece::new(side, kind);
            if self.position.count(piece) == 0 {
                continue;
            }
            let listed = || self.position.squares(piece).iter().copied().filter(|&square| self.is_on(square, piece));
            let is_unblocked =
                |step: &geometry::BlockableStep| self.is_on(step.square, piece) && self.is_empty(step.over);
            let found = match kind {
                PieceKind::Pawn => {
                    geometry::pawns_attacking(side, target).iter().filter(|&square| self.is_on(square, piece)).min()
                }
                PieceKind::Advisor => {
                    geometry::advisor(target).iter().filter(|&square| self.is_on(square, piece)).min()
                }
                PieceKind::King => geometry::king(target).iter().find(|&square| self.is_on(square, piece)),
                PieceKind::Elephant => {
                    geometry::elephant(target).iter().filter(is_unblocked).map(|step| step.square).min()
                }
                PieceKind::Horse => listed()
                    .filter(|&square| geometry::horse_leg(square, target).is_some_and(|leg| self.is_empty(leg)))
                    .min(),
                PieceKind::Cannon => listed().filter(|&square| attacks_over(square, 1)).min(),
                PieceKind::Rook => listed().filter(|&square| attacks_over(square, 0)).min(),
            };
            if let Some(square) = found {
                return Some((kind, square));
            }
        }
        None
    }
}

impl Position {
    /// Tells whether the static exchange value of `mv` is at least `threshold` centipawns: both sides capture on its
    /// target, always with the least valuable piece, as long as it pays. Pins and checks are ignored.
    ///
    /// `mv` must be pseudo-legal for the side to move. For a quiet move the question is whether the piece is safe
    /// there.
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
        // Balance over the threshold if nothing is recaptured, then if the moving piece is lost for nothing.
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
        exchange.remove(from);
        // The target itself blocks no attack on it.
        exchange.board[to.raw()] = None;
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
