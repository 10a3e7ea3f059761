//! How others follow the men on the board without the board knowing them.

use crate::types::{Piece, Square};

/// Told of every change that a move makes, so that it can keep sums of its own up to date.
///
/// A move is announced as `begin`, then at most one `removed` and one `moved`. Taking the move back is announced by
/// `reverted` alone: an observer keeps what it needs to return to the state before `begin`. The unit type observes
/// nothing at no cost.
pub trait PieceObserver {
    /// A move begins (a null move begins too, and changes nothing).
    fn begin(&mut self);
    /// A man left the board.
    fn removed(&mut self, piece: Piece, square: Square);
    /// A man went from one square to another.
    fn moved(&mut self, piece: Piece, from: Square, to: Square);
    /// The last move that began was taken back.
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
