//! Stack of accumulators along a line of the search, updated lazily.
//!
//! A move only records what it changes. The accumulator of a position is computed when its value is needed, from the
//! nearest earlier entry that has it: all pieces that moved since and all threats that differ are added and removed in
//! one pass. Each entry holds the plain and the mirrored accumulator of both sides. Where no entry of the last
//! [`MAX_UPDATED_MOVES`] moves has the one that is needed, it is computed from scratch: for the first position, after a
//! king's step that changes the mirroring, and after many moves without a value.

use std::sync::Arc;

use super::feature::{Perspective, Perspectives};
use super::kernel::{self, Accumulator};
use super::threats::ThreatDifference;
use super::{MAX_ACTIVE_INPUTS, Network, Threats, output_bucket, threat_input};
use crate::position::{PieceObserver, Position};
use crate::types::{Piece, Side, Square, SquareSet, Value};
use crate::util::simd::{Isa, multiversion};

/// Most moves over which an accumulator is updated, which bounds the lists of changes. The average in `chuhe bench 7` is
/// 2.6.
const MAX_UPDATED_MOVES: usize = 16;

/// Incremental network evaluation of one position through make and unmake.
#[derive(Clone, Debug)]
pub struct AccumulatorStack {
    network: Arc<Network>,
    isa: Isa,
    /// One entry for each position from the first to the current one, then unused ones.
    entries: Vec<Entry>,
    current: usize,
    /// Space for the changes of one update.
    changes: Box<Changes>,
}

/// Accumulators of one position, and the move that led to it.
#[derive(Clone, Debug)]
struct Entry {
    /// For each side, without and with mirroring.
    accumulators: [[Accumulator; 2]; 2],
    /// One bit for each of them that is computed.
    computed: u8,
    /// Threats of the position; present wherever an accumulator is computed, if the network gives them weight.
    threats: Option<Threats>,
    moved: Option<(Piece, Square, Square)>,
    removed: Option<(Piece, Square)>,
}

impl Entry {
    const EMPTY: Entry =
        Entry { accumulators: [[Accumulator::ZERO; 2]; 2], computed: 0, threats: None, moved: None, removed: None };

    /// Returns the accumulator of a perspective, which must have been computed.
    #[inline(always)]
    fn accumulator(&self, perspective: Perspective) -> &Accumulator {
        &self.accumulators[perspective.side().index()][usize::from(perspective.is_mirrored())]
    }

    /// Returns the threats of `position`, which belongs to this entry; finds them unless they are known.
    #[inline(always)]
    fn find_threats(&mut self, position: &Position) -> &Threats {
        // Not `get_or_insert_with`: its closure would be compiled without the instruction set of the caller.
        if self.threats.is_none() {
            self.threats = Some(Threats::new(position));
        }
        self.threats.as_ref().expect("they were found")
    }

    /// Marks the entry as not computed, without a move.
    #[inline(always)]
    fn clear(&mut self) {
        self.computed = 0;
        self.threats = None;
        (self.moved, self.removed) = (None, None);
    }
}

/// Returns the bit of a perspective in [`Entry::computed`].
#[inline(always)]
fn bit(perspective: Perspective) -> u8 {
    1 << (2 * perspective.side().index() + usize::from(perspective.is_mirrored()))
}

impl AccumulatorStack {
    /// Returns a stack that begins at any position, with the best instruction set of this machine.
    pub fn new(network: Arc<Network>) -> AccumulatorStack {
        AccumulatorStack::with_isa(network, Isa::best())
    }

    /// Returns a stack that begins at any position, with this instruction set.
    pub fn with_isa(network: Arc<Network>, isa: Isa) -> AccumulatorStack {
        AccumulatorStack { network, isa, entries: vec![Entry::EMPTY], current: 0, changes: Box::new(Changes::EMPTY) }
    }

    /// Discards all entries. The next position may be any.
    pub fn reset(&mut self) {
        self.current = 0;
        self.entries[0].clear();
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
        let [red, black] = [Side::Red, Side::Black].map(|side| bit(perspectives.of(side)));
        // Both from the same entry, even if one of them is computed nearer: changes are then found only once.
        match self.last_computed(red | black) {
            Some(earlier) if earlier == self.current => {}
            Some(earlier) => {
                self.find_changes(earlier, position, perspectives);
                self.update_both(earlier, perspectives);
            }
            None => self.compute_each(position, perspectives),
        }
    }

    /// Computes the accumulators of the current entry from different entries, or from scratch.
    #[cold]
    fn compute_each(&mut self, position: &Position, perspectives: Perspectives) {
        for side in [Side::Red, Side::Black] {
            let perspective = perspectives.of(side);
            match self.last_computed(bit(perspective)) {
                Some(earlier) if earlier == self.current => {}
                Some(earlier) => {
                    self.find_changes(earlier, position, perspectives);
                    self.update_one(earlier, perspective);
                }
                None => self.refresh(position, perspective),
            }
        }
    }

    /// Returns the last of the entries up to [`MAX_UPDATED_MOVES`] moves ago that has all accumulators of these bits.
    #[inline(always)]
    fn last_computed(&self, bits: u8) -> Option<usize> {
        let first = self.current.saturating_sub(MAX_UPDATED_MOVES);
        let is_computed = |entry: &Entry| entry.computed & bits == bits;
        self.entries[first..=self.current].iter().rposition(is_computed).map(|index| first + index)
    }

    /// Computes an accumulator of the current entry from scratch.
    fn refresh(&mut self, position: &Position, perspective: Perspective) {
        let entry = &mut self.entries[self.current];
        if self.network.has_threats() {
            entry.find_threats(position);
        }
        let result = &mut entry.accumulators[perspective.side().index()][usize::from(perspective.is_mirrored())];
        self.network.accumulate(self.isa, perspective, position, entry.threats.as_ref(), result);
        entry.computed |= bit(perspective);
    }

    /// Finds what differs between an earlier entry and the current one, which belongs to `position`.
    #[inline(always)]
    fn find_changes(&mut self, earlier: usize, position: &Position, perspectives: Perspectives) {
        let entries = &mut self.entries[..=self.current];
        let has_threats = self.network.has_threats();
        find_changes(self.isa, entries, earlier, position, perspectives, has_threats, &mut self.changes);
    }

    /// Computes both accumulators of the current entry from those of an earlier one.
    #[inline(always)]
    fn update_both(&mut self, earlier: usize, perspectives: Perspectives) {
        let [red, black] = [Side::Red, Side::Black].map(|side| usize::from(perspectives.of(side).is_mirrored()));
        let (before, now) = self.entries.split_at_mut(self.current);
        let (before, now) = (&before[earlier].accumulators, &mut now[0]);
        let [of_red, of_black] = &mut now.accumulators;
        let from = [&before[0][red], &before[1][black]];
        let to = [&mut of_red[red], &mut of_black[black]];
        let (added, removed) = (self.changes.added.as_slice(), self.changes.removed.as_slice());
        kernel::update(self.isa, from, to, &self.network.input_weights, added, removed);
        now.computed |= bit(perspectives.of(Side::Red)) | bit(perspectives.of(Side::Black));
    }

    /// Computes one accumulator of the current entry from that of an earlier one.
    #[cold]
    fn update_one(&mut self, earlier: usize, perspective: Perspective) {
        let (side, mirrored) = (perspective.side().index(), usize::from(perspective.is_mirrored()));
        let (before, now) = self.entries.split_at_mut(self.current);
        let from = &before[earlier].accumulators[side][mirrored];
        let to = &mut now[0].accumulators[side][mirrored];
        let (added, removed) = (self.changes.added.as_slice(), self.changes.removed.as_slice());
        kernel::update_one(self.isa, from, to, &self.network.input_weights, added, removed, side);
        now[0].computed |= bit(perspective);
    }
}

multiversion! {
    /// Sets `changes` to the inputs that differ between an earlier one of these entries and the last one, which belongs
    /// to `position`, in both perspectives; with `has_threats` finds the threats of that position.
    fn find_changes(
        entries: &mut [Entry],
        earlier: usize,
        position: &Position,
        perspectives: Perspectives,
        has_threats: bool,
        changes: &mut Changes,
    ) = find_changes_between;
}

#[inline(always)]
fn find_changes_between(
    entries: &mut [Entry],
    earlier: usize,
    position: &Position,
    perspectives: Perspectives,
    has_threats: bool,
    changes: &mut Changes,
) {
    let Changes { added, removed } = changes;
    added.clear();
    removed.clear();
    let features = perspectives.features();
    // A piece that moved twice is added and removed on the square between: that takes less time than to notice it.
    let mut touched = SquareSet::EMPTY;
    let mut board_before = *position.board();
    for entry in entries[earlier + 1..].iter().rev() {
        if let Some((piece, from, to)) = entry.moved {
            removed.push(features.of(piece, from));
            added.push(features.of(piece, to));
            touched = touched | SquareSet::from_square(from) | SquareSet::from_square(to);
            board_before[to.raw()] = None;
            board_before[from.raw()] = Some(piece);
        }
        // A victim's square is the one that the other piece moved to.
        if let Some((victim, square)) = entry.removed {
            removed.push(features.of(victim, square));
            board_before[square.raw()] = Some(victim);
        }
    }
    if !has_threats {
        return;
    }
    let (now, before_now) = entries.split_last_mut().expect("the current position has an entry");
    let earlier_threats = before_now[earlier].threats.as_ref().expect("an entry with an accumulator has its threats");
    now.find_threats(position).compare(
        earlier_threats,
        touched,
        |ThreatDifference { square, group, was_attacked, is_attacked }| {
            let offset = threat_input(0, group) as u16;
            // Inputs of an existing piece stay far below the limit of 16 bits; others are not used.
            let input = |piece| features.of_any(piece, square).map(|feature| feature.wrapping_add(offset));
            let (before, now) = (board_before[square.raw()], position.piece_on(square));
            debug_assert!((!was_attacked || before.is_some()) && (!is_attacked || now.is_some()));
            removed.push_if(was_attacked, input(before));
            added.push_if(is_attacked, input(now));
        },
    );
}

/// Inputs to add and to remove.
#[derive(Clone, Debug)]
struct Changes {
    added: InputList,
    removed: InputList,
}

impl Changes {
    const EMPTY: Changes = Changes { added: InputList::EMPTY, removed: InputList::EMPTY };
}

/// List of inputs, in the perspectives of Red and Black.
#[derive(Clone, Debug)]
struct InputList {
    inputs: [[u16; 2]; InputList::CAPACITY],
    len: usize,
}

impl InputList {
    /// More than an update changes, and one for an input that does not count. A power of two, so that masked indices need
    /// no check.
    const CAPACITY: usize = (MAX_ACTIVE_INPUTS + 2 * MAX_UPDATED_MOVES + 1).next_power_of_two();
    const EMPTY: InputList = InputList { inputs: [[0; 2]; InputList::CAPACITY], len: 0 };

    fn clear(&mut self) {
        self.len = 0;
    }

    /// Appends an input.
    #[inline(always)]
    fn push(&mut self, input: [u16; 2]) {
        self.push_if(true, input);
    }

    /// Appends an input if the condition holds, without a branch, which would often be mispredicted.
    #[inline(always)]
    fn push_if(&mut self, condition: bool, input: [u16; 2]) {
        debug_assert!(self.len < InputList::CAPACITY);
        self.inputs[self.len & (InputList::CAPACITY - 1)] = input;
        self.len += usize::from(condition);
    }

    #[inline(always)]
    fn as_slice(&self) -> &[[u16; 2]] {
        &self.inputs[..self.len]
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
