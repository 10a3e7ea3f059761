//! Stack of accumulators along a line of the search, updated lazily.
//!
//! A move only records what it changes. The accumulator of a position is computed when its value is needed, from the
//! nearest earlier entry that has it: all pieces that moved since and all threats that differ are added and removed in
//! one pass. Each entry holds the plain and the mirrored accumulator of both sides, computed independently. So when a
//! king's step changes the mirroring, the update starts from the last entry of this line that was evaluated with that
//! mirroring, at worst from the first entry. Only the first entry is ever computed from scratch.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::feature::{Perspective, Perspectives};
use super::kernel::{self, Accumulator};
use super::{MAX_ACTIVE_INPUTS, Network, Threats, output_bucket, threat_input};
use crate::position::{PieceObserver, Position};
use crate::types::{Piece, Side, Square, SquareSet, Value};
use crate::util::simd::{Isa, multiversion};

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
    /// Threats of the position; present wherever an accumulator is computed.
    threats: Option<Threats>,
    moved: Option<(Piece, Square, Square)>,
    removed: Option<(Piece, Square)>,
}

impl Entry {
    const EMPTY: Entry = Entry {
        accumulators: [[Accumulator::ZERO; 2]; 2],
        is_computed: [[false; 2]; 2],
        threats: None,
        moved: None,
        removed: None,
    };

    /// Returns the accumulator of a perspective, which must have been computed.
    #[inline(always)]
    fn accumulator(&self, perspective: Perspective) -> &Accumulator {
        &self.accumulators[perspective.side().index()][usize::from(perspective.is_mirrored())]
    }

    /// Marks the entry as not computed, without a move.
    #[inline(always)]
    fn clear(&mut self) {
        self.is_computed = [[false; 2]; 2];
        self.threats = None;
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
        let mut stack =
            AccumulatorStack { network, isa, root_pieces: Vec::new(), entries: vec![Entry::EMPTY], current: 0 };
        stack.reset(position);
        stack
    }

    /// Sets the stack to another position.
    pub fn reset(&mut self, position: &Position) {
        self.root_pieces.clear();
        self.root_pieces.extend(position.pieces());
        self.current = 0;
        self.entries[0].clear();
        self.entries[0].threats = Some(Threats::new(position));
    }

    /// Returns the network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Returns the value of `position`, the current position of the stack, for its side to move, in centipawns. For
    /// another position the value, and those of later positions, are wrong.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> Value {
        let perspectives = Perspectives::from_position(position);
        self.compute(position, perspectives);
        let entry = &self.entries[self.current];
        let accumulator = |side: Side| entry.accumulator(perspectives.of(side));
        let side = position.side();
        self.network.value(self.isa, accumulator(side), accumulator(!side), output_bucket(position))
    }

    /// Computes both accumulators of the current entry.
    #[inline(always)]
    fn compute(&mut self, position: &Position, perspectives: Perspectives) {
        let earlier = [Side::Red, Side::Black].map(|side| self.last_computed(perspectives.of(side)));
        if earlier == [self.current; 2] {
            return;
        }
        let mut changes = Changes::default();
        if earlier[0] == earlier[1] {
            let entries = &mut self.entries[..=self.current];
            find_changes(self.isa, entries, earlier[0], position, perspectives, &mut changes);
            self.update_both(earlier[0], perspectives, &changes);
            return;
        }
        for (side, earlier) in [Side::Red, Side::Black].into_iter().zip(earlier) {
            if earlier != self.current {
                let entries = &mut self.entries[..=self.current];
                find_changes(self.isa, entries, earlier, position, perspectives, &mut changes);
                self.update_one(earlier, perspectives.of(side), &changes);
            }
        }
    }

    /// Returns the last entry that has the accumulator of this perspective, the first one if none has.
    #[inline(always)]
    fn last_computed(&mut self, perspective: Perspective) -> usize {
        let (side, mirrored) = (perspective.side().index(), usize::from(perspective.is_mirrored()));
        let is_computed = |entry: &Entry| entry.is_computed[side][mirrored];
        self.entries[..=self.current].iter().rposition(is_computed).unwrap_or_else(|| {
            self.refresh(perspective);
            0
        })
    }

    /// Computes an accumulator of the first entry from scratch.
    #[cold]
    fn refresh(&mut self, perspective: Perspective) {
        let (side, mirrored) = (perspective.side().index(), usize::from(perspective.is_mirrored()));
        let entry = &mut self.entries[0];
        let threats = entry.threats.expect("the first entry has its threats");
        let result = &mut entry.accumulators[side][mirrored];
        self.network.accumulate(self.isa, perspective, self.root_pieces.iter().copied(), &threats, result);
        entry.is_computed[side][mirrored] = true;
    }

    /// Computes both accumulators of the current entry from those of an earlier one.
    #[inline(always)]
    fn update_both(&mut self, earlier: usize, perspectives: Perspectives, changes: &Changes) {
        let [red, black] = [Side::Red, Side::Black].map(|side| usize::from(perspectives.of(side).is_mirrored()));
        let (before, now) = self.entries.split_at_mut(self.current);
        let (before, now) = (&before[earlier].accumulators, &mut now[0]);
        let [of_red, of_black] = &mut now.accumulators;
        let from = [&before[0][red], &before[1][black]];
        let to = [&mut of_red[red], &mut of_black[black]];
        kernel::update(self.isa, from, to, &self.network.input_weights, &changes.added, &changes.removed);
        now.is_computed[0][red] = true;
        now.is_computed[1][black] = true;
    }

    /// Computes one accumulator of the current entry from that of an earlier one.
    #[cold]
    fn update_one(&mut self, earlier: usize, perspective: Perspective, changes: &Changes) {
        let (side, mirrored) = (perspective.side().index(), usize::from(perspective.is_mirrored()));
        let (before, now) = self.entries.split_at_mut(self.current);
        let from = &before[earlier].accumulators[side][mirrored];
        let to = &mut now[0].accumulators[side][mirrored];
        kernel::update_one(self.isa, from, to, &self.network.input_weights, &changes.added, &changes.removed, side);
        now[0].is_computed[side][mirrored] = true;
    }
}

multiversion! {
    /// Sets `changes` to the inputs that differ between an earlier one of these entries and the last one, which belongs
    /// to `position`, in both perspectives, and finds the threats of that position.
    fn find_changes(
        entries: &mut [Entry],
        earlier: usize,
        position: &Position,
        perspectives: Perspectives,
        changes: &mut Changes,
    ) = find_changes_between;
}

#[inline(always)]
fn find_changes_between(
    entries: &mut [Entry],
    earlier: usize,
    position: &Position,
    perspectives: Perspectives,
    changes: &mut Changes,
) {
    let Changes { added, removed } = changes;
    added.clear();
    removed.clear();
    // Pieces before the moves, on the squares that they touched.
    let mut before = ArrayVec::<(Square, Option<Piece>), { Square::COUNT }>::new();
    let mut touched = SquareSet::EMPTY;
    let mut touch = |square: Square, piece: Option<Piece>| {
        if !touched.contains(square) {
            touched.insert(square);
            before.push((square, piece));
        }
    };
    for entry in &entries[earlier + 1..] {
        if let Some((victim, square)) = entry.removed {
            touch(square, Some(victim));
        }
        if let Some((piece, from, to)) = entry.moved {
            touch(from, Some(piece));
            touch(to, None);
        }
    }
    let features = perspectives.features();
    for &(square, piece) in &before {
        let after = position.piece_on(square);
        if piece != after {
            removed.extend(piece.map(|piece| features.of(piece, square)));
            added.extend(after.map(|piece| features.of(piece, square)));
        }
    }
    let (now, before_now) = entries.split_last_mut().expect("the current position has an entry");
    let earlier_threats = before_now[earlier].threats.as_ref().expect("an entry with an accumulator has its threats");
    let threats = now.threats.get_or_insert_with(|| Threats::new(position));
    let piece_before = |square: Square| {
        if touched.contains(square) {
            before.iter().find(|(touched, _)| *touched == square).and_then(|&(_, piece)| piece)
        } else {
            position.piece_on(square)
        }
    };
    let input = |piece, square, group| {
        features.of(piece, square).map(|feature| threat_input(usize::from(feature), group) as u16)
    };
    threats.compare(
        earlier_threats,
        touched,
        |square, group| removed.extend(piece_before(square).map(|piece| input(piece, square, group))),
        |square, group| added.extend(position.piece_on(square).map(|piece| input(piece, square, group))),
    );
}

/// Inputs to add and to remove, in the perspectives of Red and Black.
#[derive(Default, Debug)]
struct Changes {
    added: ArrayVec<[u16; 2], MAX_ACTIVE_INPUTS>,
    removed: ArrayVec<[u16; 2], MAX_ACTIVE_INPUTS>,
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
