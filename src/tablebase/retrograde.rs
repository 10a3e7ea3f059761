//! Retrograde analysis of one ending, level by level, ninety positions at a time.
//!
//! Level *n* contains the positions won or lost in *n* plies, found from those of the level before for all squares of
//! the free piece at once, and only for slices with a successor decided there. Captures lead to endings that are
//! already solved; their values are looked up once, before the first level.
//!
//! Repetition is scored as a draw, until no more positions can be decided. Then those are lost in which a side must check
//! with every move for ever, and the analysis goes on from them; see the [module](super).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use super::endings::{Endings, Progress};
use super::layout::{Layout, stronger_first};
use super::slice_board::{FixedPieceMove, SliceBoard, is_checked};
use super::table::{Content, SET, Table, plies_index};
use super::value::{FIRST_BY_CHECKS, Metric, TableError, TablebaseValue, is_exact};
use crate::counting::{Placement, Signature};
use crate::types::{Side, Square, SquareSet};
use crate::util::parallel::map_indices;

impl Endings {
    /// Solves an ending and keeps its table. The tables of all endings that captures lead to must be present.
    pub fn solve(
        &mut self,
        ending: Signature,
        metric: Metric,
        threads: usize,
        report: impl FnMut(Progress),
    ) -> Result<&Table, TableError> {
        let layout = Layout::new(stronger_first(ending))?;
        let mut analysis = Analysis {
            endings: self,
            metric,
            threads: threads.max(1),
            states: vec![[SliceState::default(); 2]; layout.slices],
            plies: vec![0; layout.slices * 2 * Square::COUNT],
            capture_wins: BTreeMap::new(),
            capture_losses: BTreeMap::new(),
            scheduled: empty_schedule(&layout),
            layout: &layout,
        };
        analysis.run(report);
        let (results, plies) = analysis.finish();
        Ok(self.insert(Table { layout, metric, results, plies }))
    }
}

#[derive(Clone, Copy, Default)]
struct SliceState {
    /// Squares of the free piece for which the side not to move is not in check.
    valid: SquareSet,
    wins: SquareSet,
    losses: SquareSet,
    /// Squares for which a capture avoids losing, or does so until its successor is known to be won.
    held: SquareSet,
}

impl SliceState {
    fn open(&self) -> SquareSet {
        self.valid - self.wins - self.losses
    }
}

#[derive(Clone, Copy)]
struct Frontier {
    slice: usize,
    side: Side,
    squares: SquareSet,
}

#[derive(Default)]
struct CaptureValues {
    draws: SquareSet,
    wins: BTreeMap<usize, SquareSet>,
    losses: BTreeMap<usize, SquareSet>,
}

struct Analysis<'a> {
    layout: &'a Layout,
    endings: &'a Endings,
    metric: Metric,
    threads: usize,
    states: Vec<[SliceState; 2]>,
    plies: Vec<u8>,
    capture_wins: BTreeMap<usize, Vec<Frontier>>,
    /// Positions whose last capture that avoided losing turns out to lose, by level.
    capture_losses: BTreeMap<usize, Vec<Frontier>>,
    /// Slices to process at the next level, one bit each, by side to move.
    scheduled: [Vec<AtomicU64>; 2],
}

const SLICES_PER_WORD: usize = 64;
/// Number of slices that are processed before their results are applied, which bounds the memory for the results.
const BATCH: usize = 1 << 14;

impl<'a> Analysis<'a> {
    fn run(&mut self, mut report: impl FnMut(Progress)) {
        self.for_slices(
            |analysis, slice, found| {
                if let Some(board) = analysis.board(slice) {
                    for side in Side::BOTH {
                        found.push(Frontier { slice, side, squares: board.free_squares - board.checked(!side) });
                    }
                }
            },
            |analysis, found| analysis.states[found.slice][found.side.index()].valid = found.squares,
        );
        self.for_slices(
            |analysis, slice, found| {
                for side in Side::BOTH {
                    if !analysis.states[slice][side.index()].valid.is_empty()
                        && let Some(board) = analysis.board(slice)
                    {
                        let (moves, captures) = analysis.initial_values(slice, &board, side);
                        found.push((slice, side, moves, captures));
                    }
                }
            },
            |analysis, (slice, side, moves, captures)| analysis.apply_initial_values(slice, side, moves, captures),
        );
        let mut decided = self.states.iter().flatten().map(|state| u64::from(state.losses.len())).sum();
        report(Progress { level: 0, decided });
        let mut level = 1;
        loop {
            for entry in self.capture_losses.remove(&level).unwrap_or_default() {
                self.states[entry.slice][entry.side.index()].held -= entry.squares;
                self.schedule(entry.slice, entry.side);
            }
            let mut new = 0;
            for (entry, is_win) in self.process_scheduled() {
                new += self.decide(entry, is_win, level);
            }
            for entry in self.capture_wins.remove(&level).unwrap_or_default() {
                let count = self.decide(entry, true, level);
                if count > 0
                    && let Some(board) = self.board(entry.slice)
                {
                    self.schedule_predecessors(entry.slice, &board, entry.side);
                }
                new += count;
            }
            decided += new;
            report(Progress { level, decided });
            if new == 0 && self.capture_wins.is_empty() && self.capture_losses.is_empty() {
                let mut lost_by_checks = Side::BOTH.into_iter().map(|checker| self.lost_by_checks(checker));
                let Some(lost) = lost_by_checks.find(|lost| !lost.is_empty()) else { break };
                level = level.max(FIRST_BY_CHECKS.into());
                for (entry, _) in lost {
                    decided += self.decide(entry, false, level);
                    if let Some(board) = self.board(entry.slice) {
                        self.schedule_predecessors(entry.slice, &board, entry.side);
                    }
                }
            }
            level += 1;
        }
    }

    /// Returns the open positions in which `checker` must check with every move for ever: the largest set in which
    /// every move that does not lose otherwise is a check, answered by a move without check into the set.
    fn lost_by_checks(&mut self, checker: Side) -> Vec<(Frontier, bool)> {
        if is_exact(self.layout.signature) {
            return Vec::new();
        }
        // Positions after checks that have such an answer; at first all.
        let mut answered = vec![SquareSet::EMPTY; self.states.len()];
        self.for_slices(
            |analysis, slice, found| {
                analysis.schedule(slice, checker);
                let open = analysis.states[slice][(!checker).index()].open();
                if !open.is_empty()
                    && let Some(board) = analysis.board(slice)
                {
                    found.push((slice, board.checked(!checker) & open));
                }
            },
            |_, (slice, squares)| answered[slice] = squares,
        );
        loop {
            let lost = self.search_with(!checker, true, &answered);
            let mut without_check = vec![SquareSet::EMPTY; self.states.len()];
            for (entry, _) in &lost {
                if let Some(board) = self.board(entry.slice) {
                    without_check[entry.slice] = entry.squares - board.checked(checker);
                }
            }
            let mut remaining = vec![SquareSet::EMPTY; self.states.len()];
            for (entry, _) in self.search_with(checker, false, &without_check) {
                remaining[entry.slice] = entry.squares & answered[entry.slice];
            }
            if remaining == answered {
                self.scheduled = empty_schedule(self.layout);
                return lost;
            }
            answered = remaining;
        }
    }

    /// Processes the scheduled slices as if these open positions, by slice, were decided.
    fn search_with(&mut self, side: Side, is_win: bool, supposed: &[SquareSet]) -> Vec<(Frontier, bool)> {
        let exchange = |analysis: &mut Self| {
            for (states, supposed) in analysis.states.iter_mut().zip(supposed) {
                let state = &mut states[side.index()];
                let set = if is_win { &mut state.wins } else { &mut state.losses };
                *set ^= *supposed;
            }
        };
        exchange(self);
        let found = self.process_scheduled();
        exchange(self);
        found
    }

    /// Returns results and plies as a table holds them: positions that have two indices are draws at the second.
    fn finish(mut self) -> (Vec<u8>, Vec<u8>) {
        let mut results = Vec::with_capacity(self.states.len() * Content::Results.bytes_per_slice());
        let plies = self.plies.as_chunks_mut::<{ 2 * Square::COUNT }>().0;
        for ((slice, states), plies) in self.states.iter().enumerate().zip(plies) {
            let stored = self.layout.stored_squares(&self.layout.fixed_pieces(slice));
            for set in states.iter().flat_map(|state| [state.wins, state.losses]) {
                results.extend(&(set & stored).bits().to_le_bytes()[..SET]);
            }
            for other in (SquareSet::FULL - stored).iter() {
                plies[other.index()] = 0;
                plies[Square::COUNT + other.index()] = 0;
            }
        }
        (results, self.plies)
    }

    fn board(&self, slice: usize) -> Option<SliceBoard<'a>> {
        SliceBoard::new(self.layout, self.layout.fixed_pieces(slice))
    }

    fn for_slices<R: Send>(
        &mut self,
        work: impl Fn(&Self, usize, &mut Vec<R>) + Sync,
        mut apply: impl FnMut(&mut Self, R),
    ) {
        for start in (0..self.states.len()).step_by(BATCH) {
            let count = BATCH.min(self.states.len() - start);
            let this = &*self;
            let found = map_indices(self.threads, count, |index, found| work(this, start + index, found));
            found.into_iter().for_each(|result| apply(self, result));
        }
    }

    /// Returns the squares of the free piece for which `side` has a legal quiet move, and the values of its captures.
    fn initial_values(&self, slice: usize, board: &SliceBoard, side: Side) -> (SquareSet, CaptureValues) {
        let valid = self.states[slice][side.index()].valid;
        let mut moves = SquareSet::EMPTY;
        let mut captures = CaptureValues::default();
        if side == Side::Red {
            moves |= board.free_piece_sources(self.states[slice][Side::Black.index()].valid);
            for target in board.capturable(Side::Black).iter() {
                // All of these captures lead to the same position.
                let sources = board.free_piece_capture_sources(target) & valid;
                self.add_capture(|| board.placement(target), side, sources, &mut captures);
            }
        }
        board.visit_moves(side, |step| match step {
            FixedPieceMove::Quiet { next, allowed } => {
                let next = self.layout.slice_of(next);
                moves |= next.oriented(self.states[next.slice][(!side).index()].valid) & allowed;
            }
            FixedPieceMove::Capture { piece, from, to, allowed } => {
                for free_square in (allowed & valid).iter() {
                    let after = || {
                        let mut after = board.placement(free_square);
                        after.put(from, None);
                        after.put(to, Some(piece));
                        after
                    };
                    self.add_capture(after, side, SquareSet::from_square(free_square), &mut captures);
                }
            }
        });
        (moves, captures)
    }

    /// Adds a capture by `side`, possible with the free piece on `squares`, that leads to `after`, if it is legal.
    fn add_capture(&self, after: impl Fn() -> Placement, side: Side, squares: SquareSet, captures: &mut CaptureValues) {
        if squares.is_empty() {
            return;
        }
        let after = after();
        if is_checked(&after, side) {
            return;
        }
        let level = |plies: u8| match self.metric {
            Metric::Conversion => 1,
            Metric::Mate => usize::from(plies) + 1,
        };
        match self.endings.value(&after, !side) {
            Some(TablebaseValue::Draw) => captures.draws |= squares,
            Some(TablebaseValue::Loss(plies)) => *captures.wins.entry(level(plies)).or_default() |= squares,
            Some(TablebaseValue::Win(plies)) => *captures.losses.entry(level(plies)).or_default() |= squares,
            None => panic!("the table of an ending after a capture is missing"),
        }
    }

    /// Decides the positions without a legal move, and records at which levels captures take effect.
    fn apply_initial_values(&mut self, slice: usize, side: Side, moves: SquareSet, captures: CaptureValues) {
        let union = |levels: &BTreeMap<usize, SquareSet>| levels.values().fold(SquareSet::EMPTY, |all, &set| all | set);
        // A winning capture also avoids losing.
        let never_lost = captures.draws | union(&captures.wins);
        let held = never_lost | union(&captures.losses);
        let state = &mut self.states[slice][side.index()];
        state.held = held;
        state.losses = state.valid - moves - held;
        if !state.losses.is_empty()
            && let Some(board) = self.board(slice)
        {
            self.schedule_predecessors(slice, &board, side);
        }
        for (level, squares) in captures.wins {
            self.capture_wins.entry(level).or_default().push(Frontier { slice, side, squares });
        }
        // Of losing captures, the longest counts.
        let mut assigned = never_lost;
        for (level, squares) in captures.losses.into_iter().rev() {
            let squares = squares - assigned;
            assigned |= squares;
            if !squares.is_empty() {
                self.capture_losses.entry(level).or_default().push(Frontier { slice, side, squares });
            }
        }
    }

    /// Processes the scheduled slices and schedules the predecessors of new results.
    fn process_scheduled(&mut self) -> Vec<(Frontier, bool)> {
        let scheduled = std::mem::replace(&mut self.scheduled, empty_schedule(self.layout));
        let (analysis, scheduled) = (&*self, &scheduled);
        map_indices(self.threads, scheduled[0].len(), |word, found| {
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
        wins = wins & open;
        let losses = open - wins - escapes;
        for (squares, is_win) in [(wins, true), (losses, false)] {
            if !squares.is_empty() {
                found.push((Frontier { slice, side, squares }, is_win));
            }
        }
        if !(wins | losses).is_empty() {
            self.schedule_predecessors(slice, &board, side);
        }
    }

    fn decide(&mut self, entry: Frontier, is_win: bool, level: usize) -> u64 {
        let state = &mut self.states[entry.slice][entry.side.index()];
        let new = entry.squares & state.open();
        let set = if is_win { &mut state.wins } else { &mut state.losses };
        *set |= new;
        let start = plies_index(entry.slice, entry.side);
        let plies = u8::try_from(level).unwrap_or(u8::MAX);
        new.iter().for_each(|free_square| self.plies[start + free_square.index()] = plies);
        u64::from(new.len())
    }

    fn schedule(&self, slice: usize, side: Side) {
        self.scheduled[side.index()][slice / SLICES_PER_WORD]
            .fetch_or(1 << (slice % SLICES_PER_WORD), Ordering::Relaxed);
    }

    /// Schedules the slices from which a move leads to this one with `side` to move.
    fn schedule_predecessors(&self, slice: usize, board: &SliceBoard, side: Side) {
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
}

fn empty_schedule(layout: &Layout) -> [Vec<AtomicU64>; 2] {
    Side::BOTH.map(|_| (0..layout.slices.div_ceil(SLICES_PER_WORD)).map(|_| AtomicU64::new(0)).collect())
}
