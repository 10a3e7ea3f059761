//! Stack of accumulators along a line of the search, updated lazily.
//!
//! A move only records what it changes. The accumulator of a position is computed when its value is needed, from the
//! nearest earlier entry that has it. Each entry holds the plain and the mirrored accumulator of both sides, computed
//! independently. So when a king's step changes the mirroring, the update starts from the last entry of this line that
//! was evaluated with that mirroring, at worst from the first entry; all entries in between then have that accumulator
//! too, for lines that branch off later. Only the first entry is ever computed from scratch.

use std::sync::Arc;

use super::kernel::{self, Accumulator};
use super::{Network, Perspective, output_bucket};
use crate::position::{PieceObserver, Position};
use crate::types::{Piece, Square, Value};
use crate::util::simd::Isa;

/// Incremental network evaluation of one position through make and unmake.
#[derive(Clone, Debug)]
pub struct AccumulatorStack {
    network: Arc<Network>,
    isa: Isa,
    /// Pieces of the position of the first entry.
    root_pieces: Vec<(Piece, Square)>,
    /// One entry for each position from the first to the current one, then unused ones.
    entries: Vec<Entry>,
    current: usize,
}

/// Accumulators of one position, and the move that led to it.
#[derive(Clone, Debug)]
struct Entry {
    /// For each side, without and with mirroring.
    accumulators: [[Accumulator; 2]; 2],
    is_computed: [[bool; 2]; 2],
    moved: Option<(Piece, Square, Square)>,
    removed: Option<(Piece, Square)>,
}

impl Entry {
    const EMPTY: Entry =
        Entry { accumulators: [[Accumulator::ZERO; 2]; 2], is_computed: [[false; 2]; 2], moved: None, removed: None };

    /// Marks the entry as not computed, without a move.
    #[inline(always)]
    fn clear(&mut self) {
        self.is_computed = [[false; 2]; 2];
        (self.moved, self.removed) = (None, None);
    }
}

impl AccumulatorStack {
    /// Returns a stack set to `position`, with the best instruction set of this machine.
    pub fn new(network: Arc<Network>, position: &Position) -> AccumulatorStack {
        AccumulatorStack::with_isa(network, Isa::best(), position)
    }

    /// Returns a stack set to `position`, with this instruction set.
    pub fn with_isa(network: Arc<Network>, isa: Isa, position: &Position) -> AccumulatorStack {
        let root_pieces = position.pieces().collect();
        AccumulatorStack { network, isa, root_pieces, entries: vec![Entry::EMPTY], current: 0 }
    }

    /// Sets the stack to another position.
    pub fn reset(&mut self, position: &Position) {
        self.root_pieces.clear();
        self.root_pieces.extend(position.pieces());
        self.current = 0;
        self.entries[0].clear();
    }

    /// Returns the network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Returns the value of `position`, the current position of the stack, for its side to move, in centipawns.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> Value {
        let side = position.side();
        let perspectives = [Perspective::from_position(side, position), Perspective::from_position(!side, position)];
        self.compute(perspectives[0]);
        self.compute(perspectives[1]);
        let entry = &self.entries[self.current];
        let [own, other] =
            perspectives.map(|view| &entry.accumulators[view.side().index()][usize::from(view.is_mirrored())]);
        self.network.value(self.isa, own, other, output_bucket(position))
    }

    /// Computes the accumulator of the current entry, and those of all entries that it is updated from.
    #[inline]
    fn compute(&mut self, perspective: Perspective) {
        let (side, mirrored) = (perspective.side().index(), usize::from(perspective.is_mirrored()));
        let mut computed = self.current;
        while !self.entries[computed].is_computed[side][mirrored] {
            if computed == 0 {
                self.refresh(perspective);
                break;
            }
            computed -= 1;
        }
        for index in computed + 1..=self.current {
            self.update(perspective, index);
        }
    }

    /// Computes the accumulator of an entry from the entry before it.
    #[inline]
    fn update(&mut self, perspective: Perspective, index: usize) {
        let (side, mirrored) = (perspective.side().index(), usize::from(perspective.is_mirrored()));
        let (before, after) = self.entries.split_at_mut(index);
        let (before, after) = (&before[index - 1].accumulators[side][mirrored], &mut after[0]);
        let weights = &self.network.input_weights;
        after.is_computed[side][mirrored] = true;
        let to = &mut after.accumulators[side][mirrored];
        let Some((piece, from, target)) = after.moved else {
            *to = *before;
            return;
        };
        let (added, removed) =
            (&weights[perspective.feature(piece, target)], &weights[perspective.feature(piece, from)]);
        match after.removed {
            None => kernel::add_sub(self.isa, before, to, added, removed),
            Some((victim, square)) => {
                let captured = &weights[perspective.feature(victim, square)];
                kernel::add_sub_sub(self.isa, before, to, added, removed, captured);
            }
        }
    }

    /// Computes an accumulator of the first entry from scratch.
    #[cold]
    fn refresh(&mut self, perspective: Perspective) {
        let (side, mirrored) = (perspective.side().index(), usize::from(perspective.is_mirrored()));
        let features = self.root_pieces.iter().map(|&(piece, square)| perspective.feature(piece, square));
        let entry = &mut self.entries[0];
        self.network.accumulate(self.isa, features, &mut entry.accumulators[side][mirrored]);
        entry.is_computed[side][mirrored] = true;
    }
}

impl PieceObserver for AccumulatorStack {
    #[inline(always)]
    fn begin(&mut self) {
        self.current += 1;
        if self.current == self.entries.len() {
            self.entries.push(Entry::EMPTY);
        }
        self.entries[self.current].clear();
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
