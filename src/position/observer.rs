//! Observers of piece changes, such as incremental evaluations.

use crate::types::{Piece, Square};

/// Receiver of every change that a move makes, to update sums incrementally.
///
/// A move is reported as `begin`, then at most one `removed` and one `moved`. Unmaking it is reported by `reverted`
/// alone: an observer stores what it needs to return to the state before `begin`. The unit type observes nothing at no
/// cost.
pub trait PieceObserver {
    /// A move or null move begins.
    fn begin(&mut self);
    /// A piece was captured.
    fn removed(&mut self, piece: Piece, square: Square);
    /// A piece moved from one square to another.
    fn moved(&mut self, piece: Piece, from: Square, to: Square);
    /// The last move was unmade.
    fn reverted(&mut self);
}

impl PieceObserver for () {
    #[inline(always)]
    fn begin(&mut self) {}
    #[inline(always)]
    fn removed(&mut self, _: Piece, _: Square) {}
    #[inline(always)]
    fn moved(&mut self, _: Piece, _: Square, _: Square) {}
    #[inline(always)]
    fn reverted(&mut self) {}
}
