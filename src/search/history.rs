//! What earlier cut-offs say about moves: butterfly, capture and continuation history, killers' companion the counter
//! move table.
//!
//! All counters follow the same law ("gravity"): a bonus moves them toward its sign, the less the closer they are to
//! the limit, so they never overflow and forget by themselves.

use std::io;

use crate::position::Position;
use crate::types::{Move, Piece, PieceKind, Side, Square};
use crate::util::huge_pages::ZeroedSlice;

/// No counter is beyond ±`LIMIT`.
pub const LIMIT: i32 = 16_384;

/// A man and the square it went to, as one number; [`Continuation::NONE`] where no man moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Continuation(u16);

impl Continuation {
    const COUNT: usize = Piece::TABLE_SIZE * Square::COUNT;

    /// Before the first move and after a null move. No piece has index 0, so its counters stay zero.
    pub const NONE: Continuation = Continuation(0);

    /// `piece` arrived on `to`.
    #[inline(always)]
    pub const fn new(piece: Piece, to: Square) -> Continuation {
        Continuation((piece.index() * Square::COUNT + to.index()) as u16)
    }

    /// The number itself.
    #[inline(always)]
    pub(super) const fn bits(self) -> u16 {
        self.0
    }

    #[inline(always)]
    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The history tables of one search thread.
pub struct History {
    quiet: Box<[[[i16; Square::COUNT]; Square::COUNT]; 2]>,
    capture: Box<[[[i16; PieceKind::COUNT]; Square::COUNT]; Piece::TABLE_SIZE]>,
    continuation: ZeroedSlice<i16>,
    counter: Box<[Move]>,
}

#[inline(always)]
fn adjust(counter: &mut i16, bonus: i32) {
    let bonus = bonus.clamp(-LIMIT, LIMIT);
    let value = i32::from(*counter);
    *counter = (value + bonus - value * bonus.abs() / LIMIT) as i16;
}

impl History {
    /// Tables that know nothing.
    ///
    /// # Errors
    /// When there is no memory for them (about five megabytes).
    pub fn new() -> io::Result<History> {
        Ok(History {
            quiet: Box::new([[[0; Square::COUNT]; Square::COUNT]; 2]),
            capture: Box::new([[[0; PieceKind::COUNT]; Square::COUNT]; Piece::TABLE_SIZE]),
            continuation: ZeroedSlice::new(Continuation::COUNT * Continuation::COUNT)?,
            counter: vec![Move::NONE; Continuation::COUNT].into_boxed_slice(),
        })
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self.quiet = [[[0; Square::COUNT]; Square::COUNT]; 2];
        *self.capture = [[[0; PieceKind::COUNT]; Square::COUNT]; Piece::TABLE_SIZE];
        self.continuation.fill(0);
        self.counter.fill(Move::NONE);
    }

    #[inline(always)]
    fn continuation_index(before: Continuation, now: Continuation) -> usize {
        before.index() * Continuation::COUNT + now.index()
    }

    /// How well a quiet move of `piece` did, alone and as a reply to the moves one and two plies before. Within
    /// ±3 × 16,384.
    #[inline]
    pub fn quiet(&self, side: Side, piece: Piece, mv: Move, before: [Continuation; 2]) -> i32 {
        let now = Continuation::new(piece, mv.to());
        let butterfly = self.quiet[side.index()][mv.from().index()][mv.to().index()];
        before.iter().fold(i32::from(butterfly), |sum, &earlier| {
            sum + i32::from(self.continuation[Self::continuation_index(earlier, now)])
        })
    }

    /// How well a capture of a man of `victim`'s kind did. Within ±16,384.
    #[inline]
    pub fn capture(&self, piece: Piece, to: Square, victim: PieceKind) -> i32 {
        i32::from(self.capture[piece.index()][to.index()][victim.index()])
    }

    /// The quiet move that last refuted the move `before`.
    #[inline]
    pub fn counter(&self, before: Continuation) -> Move {
        self.counter[before.index()]
    }

    /// Rewards (or with a negative bonus blames) a quiet move.
    pub fn update_quiet(&mut self, side: Side, piece: Piece, mv: Move, before: [Continuation; 2], bonus: i32) {
        let now = Continuation::new(piece, mv.to());
        adjust(&mut self.quiet[side.index()][mv.from().index()][mv.to().index()], bonus);
        for earlier in before {
            if earlier != Continuation::NONE {
                adjust(&mut self.continuation[Self::continuation_index(earlier, now)], bonus);
            }
        }
    }

    /// Rewards or blames a capture.
    pub fn update_capture(&mut self, piece: Piece, to: Square, victim: PieceKind, bonus: i32) {
        adjust(&mut self.capture[piece.index()][to.index()][victim.index()], bonus);
    }

    /// Remembers the quiet move that refuted the move `before`.
    pub fn set_counter(&mut self, before: Continuation, mv: Move) {
        if before != Continuation::NONE {
            self.counter[before.index()] = mv;
        }
    }

    /// The history of a pseudo-legal move, whether it captures or not.
    #[inline]
    pub fn of(&self, position: &Position, mv: Move, before: [Continuation; 2]) -> i32 {
        let Some(piece) = position.piece_on(mv.from()) else { return 0 };
        match position.piece_on(mv.to()) {
            Some(victim) => self.capture(piece, mv.to(), victim.kind()),
            None => self.quiet(position.side(), piece, mv, before),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_stay_within_their_limit_and_follow_the_bonus() {
        let mut counter = 0;
        for _ in 0..1000 {
            let before = counter;
            adjust(&mut counter, 1500);
            assert!(counter >= before && i32::from(counter) <= LIMIT);
        }
        assert!(i32::from(counter) > LIMIT - 1500);
        adjust(&mut counter, i32::MIN);
        assert!(i32::from(counter) >= -LIMIT);
    }

    #[test]
    fn a_missing_continuation_learns_nothing() {
        let mut history = History::new().unwrap();
        let horse = Piece::new(Side::Red, PieceKind::Horse);
        let mv: Move = "b0c2".parse().unwrap();
        history.update_quiet(Side::Red, horse, mv, [Continuation::NONE; 2], 1000);
        history.set_counter(Continuation::NONE, mv);
        assert_eq!(history.quiet(Side::Red, horse, mv, [Continuation::NONE; 2]), 1000);
        assert_eq!(history.quiet(Side::Black, horse, mv, [Continuation::NONE; 2]), 0);
        assert_eq!(history.counter(Continuation::NONE), Move::NONE);
    }
}
