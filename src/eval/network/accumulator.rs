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
    #[inline(always)]
    fn compute(&mut self, perspective: Perspective) {
        let (side, mirrored) = (perspective.side().index(), usize::from(perspective.is_mirrored()));
        let is_computed = |entry: &Entry| entry.is_computed[side][mirrored];
        let last = self.entries[..=self.current].iter().rposition(is_computed).unwrap_or_else(|| {
            self.refresh(perspective);
            0
        });
        let mut line = self.entries[last..=self.current].iter_mut();
        let Some(mut before) = line.next() else { unreachable!("the current entry is in the line") };
        for entry in line {
            update(self.isa, &self.network, perspective, before, entry);
            before = entry;
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

/// Computes the accumulator of an entry from that of the entry before it.
#[inline(always)]
fn update(isa: Isa, network: &Network, perspective: Perspective, before: &Entry, entry: &mut Entry) {
    let (side, mirrored) = (perspective.side().index(), usize::from(perspective.is_mirrored()));
    let source = &before.accumulators[side][mirrored];
    let result = &mut entry.accumulators[side][mirrored];
    let row = |piece, square| &network.input_weights[perspective.feature(piece, square)];
    match (entry.moved, entry.removed) {
        (None, _) => *result = *source,
        (Some((piece, from, to)), None) => {
            kernel::add_sub(isa, source, result, row(piece, to), row(piece, from));
        }
        (Some((piece, from, to)), Some((victim, square))) => {
            kernel::add_sub_sub(isa, source, result, row(piece, to), row(piece, from), row(victim, square));
        }
    }
    entry.is_computed[side][mirrored] = true;
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
