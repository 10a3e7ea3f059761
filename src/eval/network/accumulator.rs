//! Stack of accumulators along a line of the search, updated lazily.
//!
//! A move only records what it changes. The accumulator of a position is computed when its value is needed, from the
//! nearest of the last [`MAX_UPDATED_MOVES`] entries that has it: all pieces that moved since and all threats that
//! differ are added and removed in one pass. Where none has, as after a king's step that changes the mirroring, it is
//! computed from scratch. Each entry holds the plain and the mirrored accumulator of both sides.

use std::sync::Arc;

use super::feature::{Perspective, Perspectives};
use super::kernel::{self, Accumulator};
use super::threats::ThreatDifference;
use super::{MAX_ACTIVE_INPUTS, Network, Threats, output_bucket, threat_input};
use crate::position::{PieceObserver, Position};
use crate::types::{Piece, Side, Square, SquareSet, Value};
use crate::util::simd::{Isa, multiversion};

/// Most moves over which an accumulator is updated; bounds the lists of changes. The average is 2.6.
const MAX_UPDATED_MOVES: usize = 16;

/// Incremental network evaluation of one position through make and unmake.
#[derive(Clone, Debug)]
pub struct AccumulatorStack {
    network: Arc<Network>,
    isa: Isa,
    /// One step for each position from the first to the current one, then unused ones.
    steps: Vec<Step>,
    /// What the steps say is computed. Kept apart, so that finding the last evaluated one takes few cache lines.
    entries: Vec<Entry>,
    current: usize,
    changes: Box<Changes>,
}

/// Move that led to a position, and what is computed of the position.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// One bit for each accumulator, [`bit`], and [`THREATS`].
    computed: u8,
    moved: Option<(Piece, Square, Square)>,
    removed: Option<(Piece, Square)>,
}

/// Bit of [`Step::computed`] for the threats: set with that of an accumulator, if threats have weight.
const THREATS: u8 = 1 << 4;

impl Step {
    const EMPTY: Step = Step { computed: 0, moved: None, removed: None };
}

#[derive(Clone, Debug)]
struct Entry {
    /// For each side, without and with mirroring.
    accumulators: [[Accumulator; 2]; 2],
    threats: Threats,
}

impl Entry {
    const EMPTY: Entry = Entry { accumulators: [[Accumulator::ZERO; 2]; 2], threats: Threats::NONE };

    #[inline(always)]
    fn accumulator(&self, perspective: Perspective) -> &Accumulator {
        &self.accumulators[perspective.side.index()][usize::from(perspective.mirrored)]
    }

    /// Returns the threats of `position`, which belongs to this entry and step; finds them unless they are known.
    #[inline(always)]
    fn find_threats(&mut self, step: &mut Step, position: &Position) -> &Threats {
        if step.computed & THREATS == 0 {
            self.threats = Threats::new(position);
            step.computed |= THREATS;
        }
        &self.threats
    }
}

#[inline(always)]
fn bit(perspective: Perspective) -> u8 {
    1 << (2 * perspective.side.index() + usize::from(perspective.mirrored))
}

impl AccumulatorStack {
    /// Returns a stack that begins at any position, with the best instruction set of this machine.
    pub fn new(network: Arc<Network>) -> AccumulatorStack {
        AccumulatorStack::with_isa(network, Isa::best())
    }

    /// Returns a stack that begins at any position, with this instruction set.
    pub fn with_isa(network: Arc<Network>, isa: Isa) -> AccumulatorStack {
        AccumulatorStack {
            network,
            isa,
            steps: vec![Step::EMPTY],
            entries: vec![Entry::EMPTY],
            current: 0,
            changes: Box::new(Changes::EMPTY),
        }
    }

    /// Discards all positions. The next one may be any.
    pub fn reset(&mut self) {
        self.current = 0;
        self.steps[0] = Step::EMPTY;
    }

    /// Returns the network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Returns the value of `position`, which is the current one of the stack, for its side to move, in centipawns.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> Value {
        let perspectives = Perspectives::from_position(position);
        self.compute(position, perspectives);
        let entry = &self.entries[self.current];
        let accumulator = |side: Side| entry.accumulator(perspectives.of(side));
        let side = position.side();
        self.network.value(self.isa, accumulator(side), accumulator(!side), output_bucket(position))
    }

    /// Computes both accumulators of the current entry, from one earlier entry that has both or each by itself.
    #[inline(always)]
    fn compute(&mut self, position: &Position, perspectives: Perspectives) {
        let bits = Side::BOTH.map(|side| bit(perspectives.of(side)));
        match self.last_computed(bits[0] | bits[1]) {
            Some(earlier) if earlier == self.current => {}
            Some(earlier) => self.update(earlier, position, perspectives, bits[0] | bits[1]),
            None => self.compute_each(position, perspectives, bits),
        }
    }

    /// Returns the last of the positions up to [`MAX_UPDATED_MOVES`] moves ago that has all accumulators of these bits.
    #[inline(always)]
    fn last_computed(&self, bits: u8) -> Option<usize> {
        let first = self.current.saturating_sub(MAX_UPDATED_MOVES);
        let is_computed = |step: &Step| step.computed & bits == bits;
        self.steps[first..=self.current].iter().rposition(is_computed).map(|index| first + index)
    }

    /// Computes the accumulators of the current entry, no earlier entry of which has both: one of them from an earlier
    /// entry that has it, the others from scratch.
    #[cold]
    fn compute_each(&mut self, position: &Position, perspectives: Perspectives, bits: [u8; 2]) {
        if self.steps[self.current].computed & (bits[0] | bits[1]) == 0
            && let Some((bit, earlier)) = bits.into_iter().find_map(|bit| Some((bit, self.last_computed(bit)?)))
        {
            // What is written to the other one is not used.
            self.update(earlier, position, perspectives, bit);
        }
        Side::BOTH.into_iter().for_each(|side| self.refresh(position, perspectives.of(side)));
    }

    /// Computes an accumulator of the current entry from scratch, unless it is computed.
    fn refresh(&mut self, position: &Position, perspective: Perspective) {
        let (step, entry) = (&mut self.steps[self.current], &mut self.entries[self.current]);
        if step.computed & bit(perspective) != 0 {
            return;
        }
        let threats = self.network.has_threats().then(|| *entry.find_threats(step, position));
        let result = &mut entry.accumulators[perspective.side.index()][usize::from(perspective.mirrored)];
        self.network.accumulate(self.isa, perspective, position, threats.as_ref(), result);
        step.computed |= bit(perspective);
    }

    /// Computes the accumulators of `bits` of the current entry, which belongs to `position`, from an earlier one that
    /// has them. The other one gets a meaningless value.
    #[inline(always)]
    fn update(&mut self, earlier: usize, position: &Position, perspectives: Perspectives, bits: u8) {
        let (steps, entries) = (&mut self.steps[..=self.current], &mut self.entries[..=self.current]);
        let has_threats = self.network.has_threats();
        find_changes(self.isa, steps, entries, earlier, position, perspectives, has_threats, &mut self.changes);
        let [red, black] = [Side::Red, Side::Black].map(|side| usize::from(perspectives.of(side).mirrored));
        let (before, now) = self.entries.split_at_mut(self.current);
        let (before, now) = (&before[earlier].accumulators, &mut now[0]);
        let [of_red, of_black] = &mut now.accumulators;
        let from = [&before[0][red], &before[1][black]];
        let to = [&mut of_red[red], &mut of_black[black]];
        let (added, removed) = (self.changes.added.as_slice(), self.changes.removed.as_slice());
        kernel::update(self.isa, from, to, &self.network.input_weights, added, removed);
        self.steps[self.current].computed |= bits;
    }
}

multiversion! {
    /// Sets `changes` to the inputs that differ between an earlier one of these positions and the last one, which is
    /// `position`, in both perspectives; with `has_threats` finds the threats of that position. The parts of a stack
    /// are passed one by one, so that the compiler keeps apart what it writes and reads.
    fn find_changes(
        steps: &mut [Step],
        entries: &mut [Entry],
        earlier: usize,
        position: &Position,
        perspectives: Perspectives,
        has_threats: bool,
        changes: &mut Changes,
    ) = changes_between;
}

#[inline(always)]
fn changes_between(
    steps: &mut [Step],
    entries: &mut [Entry],
    earlier: usize,
    position: &Position,
    perspectives: Perspectives,
    has_threats: bool,
    changes: &mut Changes,
) {
    let Changes { added, removed, pieces_before } = changes;
    added.clear();
    removed.clear();
    let features = perspectives.features();
    // A piece that moved twice is added and removed on the square between: that takes less time than to notice it.
    let mut touched = SquareSet::EMPTY;
    for step in steps[earlier + 1..].iter().rev() {
        if let Some((piece, from, to)) = step.moved {
            removed.push(features.of(Some(piece), from));
            added.push(features.of(Some(piece), to));
            touched = touched | SquareSet::from_square(from) | SquareSet::from_square(to);
            pieces_before[to.raw()] = None;
            pieces_before[from.raw()] = Some(piece);
        }
        // A victim's square is the one that the other piece moved to.
        if let Some((victim, square)) = step.removed {
            removed.push(features.of(Some(victim), square));
            pieces_before[square.raw()] = Some(victim);
        }
    }
    if !has_threats {
        return;
    }
    debug_assert!(steps[earlier].computed & THREATS != 0, "a position with an accumulator has its threats");
    let (now, before_now) = entries.split_last_mut().expect("the current position has an entry");
    let step = steps.last_mut().expect("the current position has a step");
    now.find_threats(step, position).compare(
        &before_now[earlier].threats,
        touched,
        |ThreatDifference { square, group, was_attacked, is_attacked, is_changed }| {
            let offset = threat_input(0, group) as u16;
            // Inputs of an existing piece stay far below the limit of 16 bits; others are not used.
            let input = |piece| features.of(piece, square).map(|feature| feature.wrapping_add(offset));
            let now = position.piece_on(square);
            let before = if is_changed { pieces_before[square.raw()] } else { now };
            debug_assert!((!was_attacked || before.is_some()) && (!is_attacked || now.is_some()));
            removed.push_if(was_attacked, input(before));
            added.push_if(is_attacked, input(now));
        },
    );
}

#[derive(Clone, Debug)]
struct Changes {
    added: InputList,
    removed: InputList,
    /// Pieces of the earlier position on the squares that a move since began or ended on; others are not used.
    pieces_before: [Option<Piece>; 256],
}

impl Changes {
    const EMPTY: Changes = Changes { added: InputList::EMPTY, removed: InputList::EMPTY, pieces_before: [None; 256] };
}

#[derive(Clone, Debug)]
struct InputList {
    inputs: [[u16; 2]; InputList::CAPACITY],
    len: usize,
}

impl InputList {
    /// More than an update changes, and one for an input without a meaning. A power of two, so masks replace checks.
    const CAPACITY: usize = (MAX_ACTIVE_INPUTS + 2 * MAX_UPDATED_MOVES + 1).next_power_of_two();
    const EMPTY: InputList = InputList { inputs: [[0; 2]; InputList::CAPACITY], len: 0 };

    fn clear(&mut self) {
        self.len = 0;
    }

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
        if self.current == self.steps.len() {
            self.steps.push(Step::EMPTY);
            self.entries.push(Entry::EMPTY);
        }
        self.steps[self.current] = Step::EMPTY;
    }

    #[inline(always)]
    fn removed(&mut self, piece: Piece, square: Square) {
        self.steps[self.current].removed = Some((piece, square));
    }

    #[inline(always)]
    fn moved(&mut self, piece: Piece, from: Square, to: Square) {
        self.steps[self.current].moved = Some((piece, from, to));
    }

    #[inline(always)]
    fn reverted(&mut self) {
        self.current -= 1;
    }
}
