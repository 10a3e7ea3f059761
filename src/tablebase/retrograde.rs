//! Retrograde analysis of one ending, level by level, ninety positions at a time.
//!
//! Level *n* contains the positions won or lost in *n* plies. A position is won if a move leads to a lost one, and lost
//! if every move leads to a won one. Both are computed for a whole slice, that is, all squares of the free piece, and
//! only for slices with a successor decided at the previous level. Captures lead to endings that are already
//! solved; their values are looked up once, before the first level.
//!
//! Repetition is scored as a draw; see the [module](super) for the endings where this is exact.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::attacks::is_checked;
use super::layout::Layout;
use super::slice_board::{FixedPieceMove, SliceBoard};
use super::table::{WinLossBits, plies_index};
use super::value::{CaptureValues, InitialValues, Metric, TablebaseValue};
use crate::counting::Placement;
use crate::types::{Piece, Side, Square, SquareSet};
use crate::util::parallel::map_unordered;

/// Values of one slice with one side to move.
#[derive(Clone, Copy, Default)]
struct SliceState {
    /// Squares of the free piece for which the side not to move is not in check.
    valid: SquareSet,
    wins: SquareSet,
    losses: SquareSet,
    /// Squares for which a capture still avoids losing.
    held: SquareSet,
}

impl SliceState {
    fn open(&self) -> SquareSet {
        self.valid - self.wins - self.losses
    }
}

/// Set of positions of a slice with one side to move: newly decided ones, or ones affected by captures.
#[derive(Clone, Copy)]
struct Frontier {
    slice: usize,
    side: Side,
    squares: SquareSet,
}

/// Effects of captures, by the level at which they apply.
#[derive(Default)]
struct CaptureEvents {
    /// A capture wins.
    wins: Vec<Vec<Frontier>>,
    /// The last capture that avoided losing turns out to lose.
    losses: Vec<Vec<Frontier>>,
}

/// Progress of an analysis.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Distance in plies of the positions found last.
    pub level: usize,
    /// Number of decided positions.
    pub decided: u64,
}

/// Retrograde analysis of an ending.
pub(super) struct Analysis<'a, F> {
    layout: &'a Layout,
    metric: Metric,
    threads: usize,
    /// Returns the value of a position after a capture.
    capture_value: &'a F,
    states: Vec<[SliceState; 2]>,
    plies: Vec<u8>,
    /// Slices to process at the next level, one bit each, by side to move.
    scheduled: [Vec<AtomicU64>; 2],
}

/// Slices per word of the schedule; threads take this many at a time.
const SLICES_PER_WORD: usize = 64;
/// Number of slices that are processed before their results are applied.
const BATCH: usize = 1 << 14;

impl<'a, F: Fn(&Placement, Side) -> TablebaseValue + Sync> Analysis<'a, F> {
    /// Prepares the analysis; the callback returns the values of positions after captures.
    pub fn new(layout: &'a Layout, metric: Metric, threads: usize, capture_value: &'a F) -> Self {
        Analysis {
            layout,
            metric,
            threads: threads.max(1),
            capture_value,
            states: vec![[SliceState::default(); 2]; layout.slices()],
            plies: vec![0; layout.slices() * 2 * Square::COUNT],
            scheduled: empty_schedule(layout),
        }
    }

    /// Runs the analysis to the end.
    pub fn run(&mut self, mut report: impl FnMut(Progress)) {
        self.find_valid();
        let mut captures = self.initialise();
        let mut decided = self.decided();
        report(Progress { level: 0, decided });
        let mut level = 1;
        loop {
            self.release_held(&captures, level);
            let found = self.process_scheduled();
            let mut new = 0;
            for (entry, is_win) in found {
                new += u64::from(self.decide(entry, is_win, level));
            }
            for entry in captures.wins.get_mut(level).map(std::mem::take).unwrap_or_default() {
                let count = self.decide(entry, true, level);
                if count > 0 {
                    self.schedule_predecessors(entry.slice, entry.side);
                }
                new += u64::from(count);
            }
            decided += new;
            report(Progress { level, decided });
            if new == 0 && captures.wins.len() <= level + 1 && captures.losses.len() <= level + 1 {
                break;
            }
            level += 1;
        }
    }

    /// Returns results and plies in the layout of a table.
    pub fn finish(self) -> (Vec<[WinLossBits; 2]>, Vec<u8>) {
        let decided = |state: &SliceState| WinLossBits { wins: state.wins, losses: state.losses };
        (self.states.iter().map(|states| [decided(&states[0]), decided(&states[1])]).collect(), self.plies)
    }

    fn board(&self, slice: usize) -> Option<SliceBoard<'a>> {
        SliceBoard::new(self.layout, self.layout.fixed_pieces(slice))
    }

    fn find_valid(&mut self) {
        for batch in self.batches() {
            let found = self.map_slices(batch, |analysis, slice, found| {
                if let Some(board) = analysis.board(slice) {
                    for side in Side::BOTH {
                        found.push(Frontier { slice, side, squares: board.free_squares() - board.checked(!side) });
                    }
                }
            });
            for Frontier { slice, side, squares } in found {
                self.states[slice][side.index()].valid = squares;
            }
        }
    }

    /// Finds the positions without a legal move and evaluates the captures.
    fn initialise(&mut self) -> CaptureEvents {
        let mut captures = CaptureEvents::default();
        for batch in self.batches() {
            let results = self.map_slices(batch, |analysis, slice, results| {
                for side in Side::BOTH {
                    if !analysis.states[slice][side.index()].valid.is_empty()
                        && let Some(board) = analysis.board(slice)
                    {
                        results.push((slice, side, analysis.initial_values(slice, &board, side)));
                    }
                }
            });
            for (slice, side, initial_values) in results {
                self.apply_initial_values(slice, side, initial_values, &mut captures);
            }
        }
        captures
    }

    fn apply_initial_values(
        &mut self,
        slice: usize,
        side: Side,
        initial_values: InitialValues,
        captures: &mut CaptureEvents,
    ) {
        let state = &mut self.states[slice][side.index()];
        state.losses = initial_values.stuck;
        state.held = initial_values.held;
        if !initial_values.stuck.is_empty() {
            self.schedule_predecessors(slice, side);
        }
        for (level, squares) in initial_values.wins {
            at_level(&mut captures.wins, level).push(Frontier { slice, side, squares });
        }
        for (level, squares) in initial_values.losses {
            at_level(&mut captures.losses, level).push(Frontier { slice, side, squares });
        }
        if !initial_values.may_lose.is_empty() {
            self.schedule(slice, side);
        }
    }

    fn initial_values(&self, slice: usize, board: &SliceBoard, side: Side) -> InitialValues {
        let valid = self.states[slice][side.index()].valid;
        let mut moves = SquareSet::EMPTY;
        let mut captures = CaptureValues::default();
        if side == Side::Red {
            moves |= board.free_piece_sources(self.states[slice][Side::Black.index()].valid);
            for target in board.free_piece_targets().iter() {
                let sources = board.free_piece_capture_sources(target) & valid;
                if !sources.is_empty() {
                    // All of these captures lead to the same position.
                    let mut after = board.placement(target);
                    after.put(target, Some(Piece::new(Side::Red, self.layout.free_piece())));
                    self.add_capture(&after, side, sources, &mut captures);
                }
            }
        }
        board.visit_moves(side, |step| match step {
            FixedPieceMove::Quiet { next, allowed } => {
                let next = self.layout.slice_of(next);
                moves |= next.oriented(self.states[next.slice][(!side).index()].valid) & allowed;
            }
            FixedPieceMove::Capture { piece, from, to, allowed } => {
                for free_square in (allowed & valid).iter() {
                    let mut after = board.placement(free_square);
                    after.put(from, None);
                    after.put(to, Some(piece));
                    self.add_capture(&after, side, SquareSet::from_square(free_square), &mut captures);
                }
            }
        });
        captures.initial_values(valid, moves)
    }

    /// Adds the value of a capture by `side` that leads to `after`.
    fn add_capture(&self, after: &Placement, side: Side, squares: SquareSet, captures: &mut CaptureValues) {
        if is_checked(after, side) {
            return;
        }
        let level = |plies: u8| match self.metric {
            Metric::Conversion => 1,
            Metric::Mate => usize::from(plies) + 1,
        };
        captures.add(squares, (self.capture_value)(after, !side), level);
    }

    /// Removes the positions that captures no longer hold at this level.
    fn release_held(&mut self, captures: &CaptureEvents, level: usize) {
        for entry in captures.losses.get(level).into_iter().flatten() {
            self.states[entry.slice][entry.side.index()].held -= entry.squares;
            self.schedule(entry.slice, entry.side);
        }
    }

    /// Processes the scheduled slices and schedules the predecessors of new results.
    fn process_scheduled(&mut self) -> Vec<(Frontier, bool)> {
        let scheduled = std::mem::replace(&mut self.scheduled, empty_schedule(self.layout));
        let (analysis, scheduled) = (&*self, &scheduled);
        map_unordered(self.threads, scheduled[0].len(), |word, found| {
            for side in Side::BOTH {
                let mut bits = scheduled[side.index()][word].load(Ordering::Relaxed);
                while bits != 0 {
                    let slice = word * SLICES_PER_WORD + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    analysis.search_slice(slice, side, found);
                }
            }
        })
    }

    fn search_slice(&self, slice: usize, side: Side, found: &mut Vec<(Frontier, bool)>) {
        let state = &self.states[slice][side.index()];
        let open = state.open();
        if open.is_empty() {
            return;
        }
        let Some(board) = self.board(slice) else { return };
        let mut wins = SquareSet::EMPTY;
        let mut escapes = state.held;
        if side == Side::Red {
            let next = &self.states[slice][Side::Black.index()];
            wins |= board.free_piece_sources(next.losses);
            escapes |= board.free_piece_sources(next.valid - next.wins);
        }
        board.visit_moves(side, |step| {
            if let FixedPieceMove::Quiet { next, allowed } = step {
                let next = self.layout.slice_of(next);
                let state = &self.states[next.slice][(!side).index()];
                wins |= next.oriented(state.losses) & allowed;
                escapes |= next.oriented(state.valid - state.wins) & allowed;
            }
        });
        wins &= open;
        let losses = open - wins - escapes;
        if !wins.is_empty() {
            found.push((Frontier { slice, side, squares: wins }, true));
        }
        if !losses.is_empty() {
            found.push((Frontier { slice, side, squares: losses }, false));
        }
        if !(wins | losses).is_empty() {
            self.schedule_predecessors_on(slice, &board, side);
        }
    }

    /// Stores results of a level and returns the number of newly decided positions.
    fn decide(&mut self, entry: Frontier, is_win: bool, level: usize) -> u32 {
        let state = &mut self.states[entry.slice][entry.side.index()];
        let new = entry.squares & state.open();
        if new.is_empty() {
            return 0;
        }
        if is_win {
            state.wins |= new;
        } else {
            state.losses |= new;
        }
        let start = plies_index(entry.slice, entry.side);
        let plies = u8::try_from(level).unwrap_or(TablebaseValue::MAX_PLIES);
        for free_square in new.iter() {
            self.plies[start + free_square.index()] = plies;
        }
        new.len()
    }

    fn schedule(&self, slice: usize, side: Side) {
        self.scheduled[side.index()][slice / SLICES_PER_WORD]
            .fetch_or(1 << (slice % SLICES_PER_WORD), Ordering::Relaxed);
    }

    /// Schedules the slices from which a move leads to this one with `side` to move.
    fn schedule_predecessors(&self, slice: usize, side: Side) {
        if let Some(board) = self.board(slice) {
            self.schedule_predecessors_on(slice, &board, side);
        }
    }

    fn schedule_predecessors_on(&self, slice: usize, board: &SliceBoard, side: Side) {
        let mover = !side;
        if mover == Side::Red {
            self.schedule(slice, mover);
        }
        board.visit_predecessors(mover, |predecessor| {
            self.schedule(self.layout.slice_of(predecessor).slice, mover);
            // A slice also represents its mirror image, whose predecessors are the images of these.
            if let Some(mirror) = self.layout.mirror_slice_of(predecessor) {
                self.schedule(mirror, mover);
            }
        });
    }

    fn decided(&self) -> u64 {
        self.states.iter().flatten().map(|state| u64::from(state.wins.len() + state.losses.len())).sum()
    }

    /// Returns the slices in batches, which bounds the memory for intermediate results.
    fn batches(&self) -> impl Iterator<Item = Range<usize>> + use<F> {
        let slices = self.layout.slices();
        (0..slices.div_ceil(BATCH)).map(move |batch| batch * BATCH..slices.min((batch + 1) * BATCH))
    }

    fn map_slices<R: Send>(&self, slices: Range<usize>, work: impl Fn(&Self, usize, &mut Vec<R>) + Sync) -> Vec<R> {
        map_unordered(self.threads, slices.len().div_ceil(SLICES_PER_WORD), |piece, found| {
            let first = slices.start + piece * SLICES_PER_WORD;
            for slice in first..slices.end.min(first + SLICES_PER_WORD) {
                work(self, slice, found);
            }
        })
    }
}

fn empty_schedule(layout: &Layout) -> [Vec<AtomicU64>; 2] {
    Side::BOTH.map(|_| (0..layout.slices().div_ceil(SLICES_PER_WORD)).map(|_| AtomicU64::new(0)).collect())
}

fn at_level(levels: &mut Vec<Vec<Frontier>>, level: usize) -> &mut Vec<Frontier> {
    if levels.len() <= level {
        levels.resize_with(level + 1, Vec::new);
    }
    &mut levels[level]
}
