//! The sums of a network, kept along the moves of a search.
//!
//! A move only notes what it changes; the sums of a position are made when its value is asked for, from those of the
//! nearest position before it that has them. They are kept for all four views apart, whether or not a king's place calls
//! for that view. So a king that steps to the other side of the board leads back to the last position of this line that was
//! seen from there, at worst to where following began, and all positions in between then have those sums too, for the
//! lines that branch off later. Nothing is summed anew but where following began.

use std::sync::Arc;

use super::kernel::{self, Sums};
use super::{Network, View, bucket_of};
use crate::position::{PieceObserver, Position};
use crate::types::{Piece, Square, Value};
use crate::util::simd::Path;

/// Follows a position through making and taking back moves and tells what a network makes of it.
#[derive(Clone, Debug)]
pub struct AccumulatorStack {
    network: Arc<Network>,
    path: Path,
    /// The men of the first position followed.
    first_men: Vec<(Piece, Square)>,
    /// One for each position from the first one followed to the current one, and some that are not used now.
    frames: Vec<Frame>,
    current: usize,
}

/// What is known of a position.
#[derive(Clone, Debug)]
struct Frame {
    /// For each side, of the view that is not mirrored and of the one that is.
    sums: [[Sums; 2]; 2],
    is_ready: [[bool; 2]; 2],
    moved: Option<(Piece, Square, Square)>,
    removed: Option<(Piece, Square)>,
}

impl Frame {
    const EMPTY: Frame = Frame { sums: [[Sums::ZERO; 2]; 2], is_ready: [[false; 2]; 2], moved: None, removed: None };

    /// Forgets all but what would only be written over.
    #[inline(always)]
    fn forget(&mut self) {
        self.is_ready = [[false; 2]; 2];
        (self.moved, self.removed) = (None, None);
    }
}

impl AccumulatorStack {
    /// Starts to follow `position` from where it is now.
    pub fn new(network: Arc<Network>, position: &Position) -> AccumulatorStack {
        AccumulatorStack::with_path(network, Path::best(), position)
    }

    /// The same with these vector instructions.
    pub fn with_path(network: Arc<Network>, path: Path, position: &Position) -> AccumulatorStack {
        let first_men = position.pieces().collect();
        AccumulatorStack { network, path, first_men, frames: vec![Frame::EMPTY], current: 0 }
    }

    /// Starts to follow another position.
    pub fn follow(&mut self, position: &Position) {
        self.first_men.clear();
        self.first_men.extend(position.pieces());
        self.current = 0;
        self.frames[0].forget();
    }

    /// The network that is asked.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// The value of the position followed, which is `position`, for its side to move, in centipawns.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> Value {
        let side = position.side();
        let views = [View::in_position(side, position), View::in_position(!side, position)];
        self.make_ready(views[0]);
        self.make_ready(views[1]);
        let frame = &self.frames[self.current];
        let [own, other] = views.map(|view| &frame.sums[view.side().index()][usize::from(view.is_mirrored())]);
        self.network.value(self.path, own, other, bucket_of(position))
    }

    /// Makes the sums that the current position has in this view, and those of all positions on the way to them.
    #[inline]
    fn make_ready(&mut self, view: View) {
        let (side, turn) = (view.side().index(), usize::from(view.is_mirrored()));
        let mut ready = self.current;
        while !self.frames[ready].is_ready[side][turn] {
            if ready == 0 {
                self.begin_with(view);
                break;
            }
            ready -= 1;
        }
        for at in ready + 1..=self.current {
            self.advance(view, at);
        }
    }

    /// Makes the sums of a frame from those of the frame before it.
    #[inline]
    fn advance(&mut self, view: View, at: usize) {
        let (side, turn) = (view.side().index(), usize::from(view.is_mirrored()));
        let (before, after) = self.frames.split_at_mut(at);
        let (before, after) = (&before[at - 1].sums[side][turn], &mut after[0]);
        let weights = &self.network.input_weights;
        after.is_ready[side][turn] = true;
        let to = &mut after.sums[side][turn];
        let Some((piece, from, target)) = after.moved else {
            *to = *before;
            return;
        };
        let (added, removed) = (&weights[view.feature(piece, target)], &weights[view.feature(piece, from)]);
        match after.removed {
            None => kernel::shift(self.path, before, to, added, removed),
            Some((victim, square)) => {
                kernel::capture(self.path, before, to, added, removed, &weights[view.feature(victim, square)]);
            }
        }
    }

    /// Makes the sums of the first frame from its men.
    #[cold]
    fn begin_with(&mut self, view: View) {
        let (side, turn) = (view.side().index(), usize::from(view.is_mirrored()));
        let rows = self.first_men.iter().map(|&(piece, square)| view.feature(piece, square));
        let frame = &mut self.frames[0];
        self.network.sum_up(self.path, rows, &mut frame.sums[side][turn]);
        frame.is_ready[side][turn] = true;
    }
}

impl PieceObserver for AccumulatorStack {
    #[inline(always)]
    fn begin(&mut self) {
        self.current += 1;
        if self.current == self.frames.len() {
            self.frames.push(Frame::EMPTY);
        }
        self.frames[self.current].forget();
    }

    #[inline(always)]
    fn removed(&mut self, piece: Piece, square: Square) {
        self.frames[self.current].removed = Some((piece, square));
    }

    #[inline(always)]
    fn moved(&mut self, piece: Piece, from: Square, to: Square) {
        self.frames[self.current].moved = Some((piece, from, to));
    }

    #[inline(always)]
    fn reverted(&mut self) {
        self.current -= 1;
    }
}
