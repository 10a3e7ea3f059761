//! The sums of a network, kept along the moves of a search.
//!
//! A move only notes what it changes; the sums of a position are made when its value is asked for, from those of the
//! nearest position before it that has them. Where a king has turned a side's view in between, that side's sums are made
//! from the last ones of the same view, wherever they were: the difference is seldom more than a few men.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::kernel::{self, Sums};
use super::{INPUTS, Network, View, bucket_of};
use crate::position::{PieceObserver, Position};
use crate::types::score::MAX_PLY;
use crate::types::{Piece, PieceKind, Side, Square, Value};
use crate::vector::Path;

/// The most men on a board.
const MOST: usize = Square::COUNT;

/// Follows a position through making and taking back moves and tells what a network makes of it.
#[derive(Clone, Debug)]
pub struct Accumulators {
    network: Arc<Network>,
    path: Path,
    /// One for each position from the first one followed to the current one, and some that are not used now.
    frames: Vec<Frame>,
    current: usize,
    /// For each side, for a view that is not mirrored and one that is, the last sums that were made afresh.
    fresh: [[Fresh; 2]; 2],
}

/// What is known of a position.
#[derive(Clone, Debug)]
struct Frame {
    sums: [Sums; 2],
    is_ready: [bool; 2],
    views: [View; 2],
    kings: [Square; 2],
    moved: Option<(Piece, Square, Square)>,
    removed: Option<(Piece, Square)>,
}

/// Sums with the inputs that they are made of.
#[derive(Clone, Debug)]
struct Fresh {
    sums: Sums,
    inputs: InputSet,
}

/// A set of inputs, a bit for each.
type InputSet = [u64; INPUTS.div_ceil(64)];

impl Accumulators {
    /// Starts to follow `position` from where it is now.
    pub fn new(network: Arc<Network>, position: &Position) -> Accumulators {
        Accumulators::with_path(network, Path::best(), position)
    }

    /// The same with these vector instructions.
    pub fn with_path(network: Arc<Network>, path: Path, position: &Position) -> Accumulators {
        let bare = Fresh { sums: network.input_biases, inputs: [0; INPUTS.div_ceil(64)] };
        let fresh = [[bare.clone(), bare.clone()], [bare.clone(), bare]];
        let first = Frame {
            sums: [network.input_biases; 2],
            is_ready: [false; 2],
            views: [View::in_position(Side::Red, position), View::in_position(Side::Black, position)],
            kings: [position.king(Side::Red), position.king(Side::Black)],
            moved: None,
            removed: None,
        };
        Accumulators { network, path, frames: vec![first; MAX_PLY + 1], current: 0, fresh }
    }

    /// Starts to follow another position.
    pub fn follow(&mut self, position: &Position) {
        self.current = 0;
        let first = &mut self.frames[0];
        first.is_ready = [false; 2];
        first.kings = [position.king(Side::Red), position.king(Side::Black)];
        first.views = [View::in_position(Side::Red, position), View::in_position(Side::Black, position)];
        (first.moved, first.removed) = (None, None);
    }

    /// The network that is asked.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// The value of the position followed, which is `position`, for its side to move, in centipawns.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> Value {
        self.make_ready(Side::Red, position);
        self.make_ready(Side::Black, position);
        let sums = &self.frames[self.current].sums;
        let side = position.side();
        self.network.value(self.path, &sums[side.index()], &sums[(!side).index()], bucket_of(position))
    }

    #[inline]
    fn make_ready(&mut self, side: Side, position: &Position) {
        let index = side.index();
        let mut ready = self.current;
        while !self.frames[ready].is_ready[index] {
            if ready == 0 || self.frames[ready - 1].views[index] != self.frames[ready].views[index] {
                return self.refresh(side, position);
            }
            ready -= 1;
        }
        for at in ready + 1..=self.current {
            self.advance(side, at);
        }
    }

    /// Makes the sums of a frame from those of the frame before it, which has the same view.
    #[inline]
    fn advance(&mut self, side: Side, at: usize) {
        let index = side.index();
        let (before, after) = self.frames.split_at_mut(at);
        let (before, after) = (&before[at - 1].sums[index], &mut after[0]);
        let weights = &self.network.input_weights;
        let view = after.views[index];
        after.is_ready[index] = true;
        let to = &mut after.sums[index];
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

    /// Makes the sums of the current position from the last ones that were made in this way.
    #[cold]
    fn refresh(&mut self, side: Side, position: &Position) {
        let frame = &mut self.frames[self.current];
        let view = frame.views[side.index()];
        let fresh = &mut self.fresh[side.index()][usize::from(view.is_mirrored())];
        let mut inputs = InputSet::default();
        for feature in view.features(position) {
            inputs[feature / 64] |= 1 << (feature % 64);
        }
        let mut added = ArrayVec::<u16, MOST>::new();
        let mut removed = ArrayVec::<u16, MOST>::new();
        for (word, (&new, old)) in inputs.iter().zip(fresh.inputs).enumerate() {
            let collect = |mut bits: u64, list: &mut ArrayVec<u16, MOST>| {
                while bits != 0 {
                    list.push((word * 64) as u16 + bits.trailing_zeros() as u16);
                    bits &= bits - 1;
                }
            };
            collect(new & !old, &mut added);
            collect(old & !new, &mut removed);
        }
        let sums = &mut frame.sums[side.index()];
        kernel::change(self.path, &fresh.sums, sums, &self.network.input_weights, &added, &removed);
        frame.is_ready[side.index()] = true;
        *fresh = Fresh { sums: *sums, inputs };
    }
}

impl PieceObserver for Accumulators {
    #[inline(always)]
    fn begin(&mut self) {
        let Frame { views, kings, .. } = self.frames[self.current];
        self.current += 1;
        if self.current == self.frames.len() {
            self.frames.push(self.frames[0].clone());
        }
        let frame = &mut self.frames[self.current];
        (frame.views, frame.kings) = (views, kings);
        frame.is_ready = [false; 2];
        (frame.moved, frame.removed) = (None, None);
    }

    #[inline(always)]
    fn removed(&mut self, piece: Piece, square: Square) {
        self.frames[self.current].removed = Some((piece, square));
    }

    #[inline(always)]
    fn moved(&mut self, piece: Piece, from: Square, to: Square) {
        let frame = &mut self.frames[self.current];
        frame.moved = Some((piece, from, to));
        if piece.kind() == PieceKind::King {
            frame.kings[piece.side().index()] = to;
            let [red, black] = frame.kings;
            frame.views = [View::of(Side::Red, red, black), View::of(Side::Black, black, red)];
        }
    }

    #[inline(always)]
    fn reverted(&mut self) {
        self.current -= 1;
    }
}
