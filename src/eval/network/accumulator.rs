//! The sums of a network, kept along the moves of a search.
//!
//! A move only notes what it changes; the sums of a position are made when its value is asked for, from those of the
//! nearest position before it that has them. They are kept for all four views apart, whether or not a king's place calls
//! for that view. So a king that steps to the other side of the board leads back to the last position of this line that was
//! seen from there, at worst to where following began, and all positions in between then have those sums too, for the
//! lines that branch off later. Nothing is summed anew but where following began.

use std::sync::Arc;

use super::kernel::{self, Accumulator};
use super::{Network, Perspective, output_bucket};
use crate::position::{PieceObserver, Position};
use crate::types::{Piece, Square, Value};
use crate::util::simd::Isa;

/// Follows a position through making and taking back moves and tells what a network makes of it.
#[derive(Clone, Debug)]
pub struct AccumulatorStack {
    network: Arc<Network>,
    path: Isa,
    /// The men of the first position followed.
    first_men: Vec<(Piece, Square)>,
    /// One for each position from the first one followed to the current one, and some that are not used now.
    entries: Vec<Entry>,
    current: usize,
}

/// What is known of a position.
#[derive(Clone, Debug)]
struct Entry {
    /// For each side, of the view that is not mirrored and of the one that is.
    sums: [[Accumulator; 2]; 2],
    is_ready: [[bool; 2]; 2],
    moved: Option<(Piece, Square, Square)>,
    removed: Option<(Piece, Square)>,
}

impl Entry {
    const EMPTY: Entry =
        Entry { sums: [[Accumulator::ZERO; 2]; 2], is_ready: [[false; 2]; 2], moved: None, removed: None };

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
        AccumulatorStack::with_isa(network, Isa::best(), position)
    }

    /// The same with these vector instructions.
    pub fn with_isa(network: Arc<Network>, path: Isa, position: &Position) -> AccumulatorStack {
        let first_men = position.pieces().collect();
        AccumulatorStack { network, path, first_men, entries: vec![Entry::EMPTY], current: 0 }
    }

    /// Starts to follow another position.
    pub fn reset(&mut self, position: &Position) {
        self.first_men.clear();
        self.first_men.extend(position.pieces());
        self.current = 0;
        self.entries[0].forget();
    }

    /// The network that is asked.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// The value of the position followed, which is `position`, for its side to move, in centipawns.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> Value {
        let side = position.side();
        let views = [Perspective::from_position(side, position), Perspective::from_position(!side, position)];
        self.make_ready(views[0]);
        self.make_ready(views[1]);
        let frame = &self.entries[self.current];
        let [own, other] = views.map(|view| &frame.sums[view.side().index()][usize::from(view.is_mirrored())]);
        self.network.value(self.path, own, other, output_bucket(position))
    }

    /// Makes the sums that the current position has in this view, and those of all positions on the way to them.
    #[inline]
    fn make_ready(&mut self, view: Perspective) {
        let (side, turn) = (view.side().index(), usize::from(view.is_mirrored()));
        let mut ready = self.current;
        while !self.entries[ready].is_ready[side][turn] {
            if ready == 0 {
                self.refresh(view);
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
    fn advance(&mut self, view: Perspective, at: usize) {
        let (side, turn) = (view.side().index(), usize::from(view.is_mirrored()));
        let (before, after) = self.entries.split_at_mut(at);
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
            None => kernel::add_sub(self.path, before, to, added, removed),
            Some((victim, square)) => {
                kernel::add_sub_sub(self.path, before, to, added, removed, &weights[view.feature(victim, square)]);
            }
        }
    }

    /// Makes the sums of the first frame from its men.
    #[cold]
    fn refresh(&mut self, view: Perspective) {
        let (side, turn) = (view.side().index(), usize::from(view.is_mirrored()));
        let rows = self.first_men.iter().map(|&(piece, square)| view.feature(piece, square));
        let frame = &mut self.entries[0];
        self.network.sum_up(self.path, rows, &mut frame.sums[side][turn]);
        frame.is_ready[side][turn] = true;
    }
}

impl PieceObserver for AccumulatorStack {
    #[inline(always)]
    fn begin(&mut self) {
        self.current += 1;
        if self.current == self.entries.len() {
            self.entries.push(Entry::EMPTY);
        }
        self.entries[self.current].forget();
    }

    #[inline(always)]
    fn removed(&mut self, piece: Piece, square: Square) {
        self.entries[self.current].removed = Some((piece, square));
    }

    #[inline(always)]
    fn moved(&mut self, piece: Piece, from: Square, to: Square) {
        self.entries[self.current].moved = Some((piece, from, to));
    }

    #[inline(always)]
    fn reverted(&mut self) {
        self.current -= 1;
    }
}
