//! History heuristics: butterfly, pawn, low-ply, continuation and capture history. All counters are updated with
//! "gravity": a bonus moves them towards its sign, the less the closer they are to the limit, so that old results fade.
//!
//! And correction history: positions that share a feature (the pawns, the defenders, the pieces of one side, the last
//! moves) tend to be misjudged in the same direction. A counter for each feature follows the difference between search
//! results and static evaluations, and later evaluations are corrected by it. The idea is that of Caissa and Stockfish
//! (2023).

use std::io;
use std::sync::atomic::{AtomicI16, Ordering::Relaxed};

use arrayvec::ArrayVec;

use super::params::*;
use crate::position::{Position, exchange_value};
use crate::tables::piece_squares;
use crate::types::score::clamp_evaluation;
use crate::types::{Move, Piece, PieceKind, Side, Square, Value};
use crate::util::huge_pages::{CacheLine, ZeroedSlice, prefetch};
use crate::util::math::GOLDEN_RATIO;

/// Key of continuation history: a piece and the square that it moved to, with the class of the move, or
/// [`Continuation::NONE`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Continuation {
    /// Index of piece and square.
    index: u16,
    /// Index of the row in continuation history, below [`Continuation::ROWS`].
    row: u16,
}

impl Continuation {
    /// One row for each piece on each square and each class: a move answers a check or not, and captures or not.
    const ROWS: usize = 4 * piece_squares::TABLE_SIZE;

    /// The key before the first move and after a null move. The counters of its row stay zero.
    pub const NONE: Continuation = Continuation { index: 0, row: 0 };

    /// The key of a move of `piece` to `to` that neither answers a check nor captures. Pieces on squares where they can
    /// never stand, which only lax positions have, have the row of [`Continuation::NONE`].
    #[inline(always)]
    pub const fn new(piece: Piece, to: Square) -> Continuation {
        let index = (piece.index() * Square::COUNT + to.index()) as u16;
        Continuation { index, row: piece_squares::index(piece, to) }
    }

    /// The key of the same piece and square for a move of this class. What replies to a capture or to the answer to a
    /// check says little about replies to other moves.
    #[inline(always)]
    pub const fn of_class(self, answers_check: bool, is_capture: bool) -> Continuation {
        let class = answers_check as u16 * 2 + is_capture as u16;
        Continuation { row: self.row + class * piece_squares::TABLE_SIZE as u16, ..self }
    }
}

/// Plies back to the moves that continuation history pairs a move with.
pub(super) const CONTINUATION_PLIES: [usize; 5] = [1, 2, 3, 4, 6];
/// The number of them that a move is paired with while the side to move is in check.
const CONTINUATIONS_IN_CHECK: usize = 2;
/// Pawn structures with counters of their own; different ones may share one.
const PAWN_ENTRIES: usize = 1_024;

/// Facts about a node that histories of quiet moves depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HistoryKeys {
    continuation: [Continuation; CONTINUATION_PLIES.len()],
    pawns: usize,
    ply: usize,
    in_check: bool,
}

impl HistoryKeys {
    /// The keys of a position `ply` plies from the root that was reached by these moves, 1, 2, 3, 4 and 6 plies before.
    /// `in_check` tells whether its side to move is in check.
    #[inline]
    pub fn new(
        position: &Position,
        ply: usize,
        in_check: bool,
        continuation: [Continuation; CONTINUATION_PLIES.len()],
    ) -> HistoryKeys {
        HistoryKeys { continuation, pawns: (position.pawn_key() >> 32) as usize % PAWN_ENTRIES, ply, in_check }
    }
}

/// Counters by the squares of a move.
type MoveTable = [[i16; Square::COUNT]; Square::COUNT];

/// Counters of moves of a piece to a square, by the index of this pair. Rows begin with cache lines.
type PieceSquareRow = [i16; piece_squares::TABLE_SIZE.next_multiple_of(COUNTERS_IN_LINE)];
const COUNTERS_IN_LINE: usize = align_of::<CacheLine<()>>() / size_of::<i16>();
/// Number of counters in a row, with that of [`piece_squares::NONE`] and some that are not used.
const ROW_LENGTH: usize = size_of::<PieceSquareRow>() / size_of::<i16>();

/// Returns the index of the counter of a move of `piece` to `to` in a table of rows.
#[inline(always)]
const fn counter_index(row: usize, piece: Piece, to: Square) -> usize {
    row * ROW_LENGTH + piece_squares::index(piece, to) as usize
}

#[inline(always)]
fn row(counters: &[i16], index: usize) -> &PieceSquareRow {
    &counters.as_chunks().0[index]
}

/// History of one move, as reductions and pruning see it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct MoveHistory {
    /// Points for reductions: of a quiet move alone and as a reply to the last two moves; of a capture its history and
    /// the worth of the victim.
    pub reduction: i32,
    /// Points for pruning: of a quiet move as a reply to the last two and with the pawn structure; of a capture its
    /// history.
    pub pruning: i32,
    /// Points for the reduced depth that limits pruning: the same with the move alone; 0 for captures.
    pub pruning_depth: i32,
}

/// Moves searched at a node that did not raise alpha, which get a malus if another one did; as many as fit.
#[derive(Default)]
pub(super) struct TriedMoves {
    pub quiets: ArrayVec<Move, 64>,
    pub captures: ArrayVec<Move, 64>,
}

/// Histories of the quiet moves of one node.
pub(super) struct NodeHistory<'a> {
    butterfly: &'a MoveTable,
    pawn: &'a PieceSquareRow,
    /// Replies to the moves 1, 2, 3, 4 and 6 plies before.
    replies: [&'a PieceSquareRow; CONTINUATION_PLIES.len()],
    /// `None` far from the root.
    low_ply: Option<&'a MoveTable>,
    ply: i32,
    params: &'a Params,
}

impl NodeHistory<'_> {
    /// Returns the rank of a quiet move of `piece` in move ordering. Within ±2^20.
    #[inline(always)]
    pub fn order(&self, piece: Piece, mv: Move) -> i32 {
        self.order_at_any_ply(piece, mv) + self.order_near_root(mv)
    }

    /// Returns the part of the rank by all histories but that of the ply. Within ±2^19.
    #[inline(always)]
    pub fn order_at_any_ply(&self, piece: Piece, mv: Move) -> i32 {
        let params = self.params;
        // The bound always holds; stating it once removes a test for each table.
        let now = usize::from(piece_squares::index(piece, mv.to())).min(ROW_LENGTH - 1);
        let replies: i32 = self.replies.iter().map(|row| i32::from(row[now])).sum();
        let butterfly = i32::from(self.butterfly[mv.from().index()][mv.to().index()]);
        let alone = params.order_butterfly * butterfly + params.order_pawn * i32::from(self.pawn[now]);
        replies + alone / 100
    }

    /// Returns the part of the rank by the history of the ply. Within ±2^19, and 0 far from the root.
    #[inline(always)]
    pub fn order_near_root(&self, mv: Move) -> i32 {
        self.low_ply.map_or(0, |table| {
            let counter = i32::from(table[mv.from().index()][mv.to().index()]);
            self.params.order_low_ply * counter / (100 * (1 + self.ply))
        })
    }

    #[inline(always)]
    pub fn is_near_root(&self) -> bool {
        self.low_ply.is_some()
    }

    /// Prefetches the counters of all moves of a side as replies to the last two moves. Those of replies to earlier
    /// moves were mostly read two plies before.
    #[inline(always)]
    pub fn prefetch(&self, side: Side) {
        let (first, last) = piece_squares::of_side(side);
        for row in &self.replies[..2] {
            let lines = row.as_chunks::<COUNTERS_IN_LINE>().0;
            lines[first / COUNTERS_IN_LINE..=last / COUNTERS_IN_LINE].iter().for_each(prefetch);
        }
    }
}

/// Histories of moves of one thread, about 5 MB.
pub struct History {
    quiet: Box<[MoveTable; 2]>,
    pawn: ZeroedSlice<i16>,
    /// Quiet moves near the root, cleared at the start of every search.
    low_ply: Box<[MoveTable; LOW_PLIES]>,
    capture: Box<[[[i16; PieceKind::COUNT]; Square::COUNT]; Piece::TABLE_SIZE]>,
    continuation: ZeroedSlice<i16>,
    params: Params,
}

/// Returns a counter after a bonus of at most ±`limit`, added with gravity: it stays within ±`limit`.
#[inline(always)]
fn adjusted(counter: i16, bonus: i32, limit: i32) -> i16 {
    let value = i32::from(counter);
    (value + bonus - value * bonus.abs() / limit) as i16
}

impl History {
    /// Empty histories, if there is memory for them.
    pub fn new() -> io::Result<History> {
        Ok(History {
            quiet: Box::new([[[0; Square::COUNT]; Square::COUNT]; 2]),
            pawn: ZeroedSlice::new(PAWN_ENTRIES * ROW_LENGTH)?,
            low_ply: Box::new([[[0; Square::COUNT]; Square::COUNT]; LOW_PLIES]),
            capture: Box::new([[[0; PieceKind::COUNT]; Square::COUNT]; Piece::TABLE_SIZE]),
            continuation: ZeroedSlice::new(Continuation::ROWS * ROW_LENGTH)?,
            params: Params::default(),
        })
    }

    pub fn clear(&mut self) {
        self.quiet.as_flattened_mut().as_flattened_mut().fill(0);
        self.pawn.fill(0);
        self.clear_low_ply();
        self.capture.as_flattened_mut().as_flattened_mut().fill(0);
        self.continuation.fill(0);
    }

    /// Clears the history of moves near the root: another root has other moves there.
    pub(super) fn clear_low_ply(&mut self) {
        self.low_ply.as_flattened_mut().as_flattened_mut().fill(0);
    }

    /// Sets rates and weights.
    pub(super) fn configure(&mut self, params: &Params) {
        self.params = *params;
    }

    #[inline(always)]
    pub(super) fn params(&self) -> &Params {
        &self.params
    }

    #[inline(always)]
    pub(super) fn node(&self, side: Side, keys: &HistoryKeys) -> NodeHistory<'_> {
        NodeHistory {
            butterfly: &self.quiet[side.index()],
            pawn: row(&self.pawn, keys.pawns),
            replies: keys.continuation.map(|earlier| row(&self.continuation, earlier.row.into())),
            low_ply: self.low_ply.get(keys.ply),
            ply: keys.ply as i32,
            params: &self.params,
        }
    }

    /// Returns the rank of a quiet move of `piece` in move ordering. Within ±2^20.
    pub fn order(&self, side: Side, piece: Piece, mv: Move, keys: &HistoryKeys) -> i32 {
        self.node(side, keys).order(piece, mv)
    }

    /// Returns the history of a capture of a piece of kind `victim`. Within ±16,384.
    #[inline]
    pub fn capture(&self, piece: Piece, to: Square, victim: PieceKind) -> i32 {
        i32::from(self.capture[piece.index()][to.index()][victim.index()])
    }

    /// Adds a bonus (or a malus, if negative) of any size with gravity, if histories are in use.
    #[inline(always)]
    fn adjust(params: &Params, counter: &mut i16, bonus: i32, limit: i32) {
        *counter = adjusted(*counter, bonus.clamp(-limit, limit) * params.use_history(), limit);
    }

    /// Adds a bonus to a quiet move in all histories, to each with its share.
    pub fn update_quiet(&mut self, side: Side, piece: Piece, mv: Move, keys: &HistoryKeys, bonus: i32) {
        self.update_butterfly(side, mv, bonus);
        self.update_continuation(piece, mv, keys, bonus);
        let [pawn_bonus, pawn_malus, low_ply] = QUIET_PERCENT;
        self.update_pawn(piece, mv, keys, bonus * if bonus > 0 { pawn_bonus } else { pawn_malus } / 100);
        if let Some(table) = self.low_ply.get_mut(keys.ply) {
            let counter = &mut table[mv.from().index()][mv.to().index()];
            Self::adjust(&self.params, counter, bonus * low_ply / 100, HISTORY_QUIET_LIMIT);
        }
    }

    pub(super) fn update_butterfly(&mut self, side: Side, mv: Move, bonus: i32) {
        let counter = &mut self.quiet[side.index()][mv.from().index()][mv.to().index()];
        Self::adjust(&self.params, counter, bonus, HISTORY_QUIET_LIMIT);
    }

    fn update_pawn(&mut self, piece: Piece, mv: Move, keys: &HistoryKeys, bonus: i32) {
        let counter = &mut self.pawn[counter_index(keys.pawns, piece, mv.to())];
        Self::adjust(&self.params, counter, bonus, HISTORY_PAWN_LIMIT);
    }

    /// Adds a bonus to a quiet move in pawn history, with the keys of the position after it. Not to a pawn move, before
    /// which the structure was another.
    pub(super) fn update_pawn_after(&mut self, piece: Piece, mv: Move, keys: &HistoryKeys, bonus: i32) {
        if piece.kind() != PieceKind::Pawn {
            self.update_pawn(piece, mv, keys, bonus);
        }
    }

    /// Adds a bonus to a move in continuation history alone: its share for each earlier move, in check for the last
    /// two.
    pub(super) fn update_continuation(&mut self, piece: Piece, mv: Move, keys: &HistoryKeys, bonus: i32) {
        let number = if keys.in_check { CONTINUATIONS_IN_CHECK } else { CONTINUATION_PLIES.len() };
        for (earlier, percent) in keys.continuation.into_iter().zip(CONTINUATION_PERCENT).take(number) {
            if earlier.row != Continuation::NONE.row {
                let counter = &mut self.continuation[counter_index(earlier.row.into(), piece, mv.to())];
                Self::adjust(&self.params, counter, bonus * percent / 100, HISTORY_CONTINUATION_LIMIT);
            }
        }
    }

    pub fn update_capture(&mut self, piece: Piece, to: Square, victim: PieceKind, bonus: i32) {
        let counter = &mut self.capture[piece.index()][to.index()][victim.index()];
        Self::adjust(&self.params, counter, bonus, HISTORY_CAPTURE_LIMIT);
    }

    /// Adds `bonus` to the best move `mv` of a node and takes `malus` from the other moves `tried`. Quiet moves are
    /// left alone if the best move captures, and lose the less the later they were searched.
    pub(super) fn update_best_move(
        &mut self,
        position: &Position,
        mv: Move,
        keys: &HistoryKeys,
        bonus: i32,
        mut malus: i32,
        tried: &TriedMoves,
    ) {
        let side = position.side();
        let Some(piece) = position.piece_on(mv.from()) else { return };
        let capture_percent = self.params.history_capture_percent;
        let capture_malus = malus * capture_percent / 100;
        if let Some(victim) = position.piece_on(mv.to()) {
            self.update_capture(piece, mv.to(), victim.kind(), bonus * capture_percent / 100);
        } else {
            self.update_quiet(side, piece, mv, keys, bonus);
            for &quiet in &tried.quiets {
                malus = malus * self.params.history_malus_decay / 1024;
                if let Some(piece) = position.piece_on(quiet.from()) {
                    self.update_quiet(side, piece, quiet, keys, -malus);
                }
            }
        }
        for &capture in &tried.captures {
            if let (Some(piece), Some(victim)) = (position.piece_on(capture.from()), position.piece_on(capture.to())) {
                self.update_capture(piece, capture.to(), victim.kind(), -capture_malus);
            }
        }
    }

    /// Returns the history of a pseudo-legal move, quiet or capture, for reductions and pruning.
    #[inline]
    pub(super) fn of_move(&self, position: &Position, mv: Move, keys: &HistoryKeys) -> MoveHistory {
        let (params, to) = (&self.params, mv.to());
        let Some(piece) = position.piece_on(mv.from()) else { return MoveHistory::default() };
        if let Some(victim) = position.piece_on(to) {
            let worth = params.reduction_victim * exchange_value(victim.kind()) / 100;
            let pruning = self.capture(piece, to, victim.kind());
            return MoveHistory { reduction: worth + pruning, pruning, pruning_depth: 0 };
        }
        let counter = |counters: &[i16], row: usize| i32::from(counters[counter_index(row, piece, to)]);
        let reply = |earlier: Continuation| counter(&self.continuation, earlier.row.into());
        let replies = reply(keys.continuation[0]) + reply(keys.continuation[1]);
        let butterfly = i32::from(self.quiet[position.side().index()][mv.from().index()][to.index()]);
        let pruning = replies + counter(&self.pawn, keys.pawns);
        MoveHistory {
            reduction: (params.reduction_butterfly * butterfly + 100 * replies) / 100,
            pruning,
            pruning_depth: pruning + params.pruning_butterfly * butterfly / 100,
        }
    }
}

/// Entries for each feature of correction history and thread, for at most [`MAX_CORRECTION_FACTOR`] threads; different
/// positions may share one.
const CORRECTION_ENTRIES: usize = 1 << 16;
const MAX_CORRECTION_FACTOR: usize = 64;
const CORRECTION_FEATURES: usize = CORRECTION_WEIGHTS.len();
/// Plies back to the moves that correction history uses.
pub(super) const CORRECTION_PLIES: [usize; 3] = [1, 2, 4];

/// Correction history of all threads of a pool: the counters of all features for each side to move, 1.5 MiB a thread.
/// Each thread learns from the results of all. Of two updates of a counter at the same time one is lost.
pub(super) struct CorrectionHistory {
    counters: ZeroedSlice<AtomicI16>,
    /// Counters of each feature, a power of two.
    entries: usize,
}

/// Indices of a position's counters in the correction history that made it, one of each feature.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct CorrectionKey([u32; CORRECTION_FEATURES]);

impl CorrectionHistory {
    /// An empty history for this many threads, if there is memory for it: with as many counters as for one thread more
    /// positions would share one between two of a kind.
    pub fn new(threads: usize) -> io::Result<CorrectionHistory> {
        let entries = CorrectionHistory::entries(threads);
        Ok(CorrectionHistory { counters: ZeroedSlice::new(2 * CORRECTION_FEATURES * entries)?, entries })
    }

    /// Returns `true` if it has the size for this many threads.
    pub fn is_for(&self, threads: usize) -> bool {
        self.entries == CorrectionHistory::entries(threads)
    }

    fn entries(threads: usize) -> usize {
        CORRECTION_ENTRIES * threads.next_power_of_two().min(MAX_CORRECTION_FACTOR)
    }

    /// The key of a position that was reached by these moves, 1, 2 and 4 plies before.
    #[inline]
    pub fn key(&self, position: &Position, [last, second, fourth]: [Continuation; 3]) -> CorrectionKey {
        let pair =
            |earlier: Continuation| (u64::from(last.index) << 16 | u64::from(earlier.index)).wrapping_mul(GOLDEN_RATIO);
        let keys = [
            position.pawn_key(),
            position.minor_key(),
            position.non_pawn_key(Side::Red),
            position.non_pawn_key(Side::Black),
            pair(second),
            pair(fourth),
        ];
        // All indices are below 2^32: there are at most 12 times 64 times 2^16 counters.
        let (entries, mask) = (self.entries as u32, self.entries as u64 - 1);
        let first = position.side().index() as u32 * CORRECTION_FEATURES as u32 * entries;
        CorrectionKey(std::array::from_fn(|feature| {
            first + feature as u32 * entries + (keys[feature] >> 40 & mask) as u32
        }))
    }

    pub fn clear(&self) {
        self.counters.iter().for_each(|counter| counter.store(0, Relaxed));
    }

    /// The counters of a position, one of each feature.
    #[inline(always)]
    fn counters(&self, key: &CorrectionKey) -> [&AtomicI16; CORRECTION_FEATURES] {
        // The elements of an array stay in registers; those of an iterator over two zipped arrays do not.
        key.0.map(|index| &self.counters[index as usize])
    }

    #[inline(always)]
    pub fn prefetch(&self, key: &CorrectionKey) {
        for counter in &self.counters(key) {
            prefetch(*counter);
        }
    }

    pub fn correct(&self, key: &CorrectionKey, raw_eval: Value) -> Value {
        clamp_evaluation(raw_eval + self.correction(key))
    }

    /// Returns the correction of an evaluation in centipawns.
    #[inline]
    pub fn correction(&self, key: &CorrectionKey) -> Value {
        let values = self.counters(key).map(|counter| i32::from(counter.load(Relaxed)));
        let sum: i32 = (0..CORRECTION_FEATURES).map(|feature| values[feature] * CORRECTION_WEIGHTS[feature]).sum();
        sum / CORRECTION_LIMIT
    }

    /// Updates the counters: a search of this depth returned `difference` centipawns more than the corrected
    /// evaluation. One update changes a counter by a quarter of its bound at most.
    pub fn update(&self, key: &CorrectionKey, difference: Value, depth: i32, params: &Params) {
        const STEP: i32 = CORRECTION_LIMIT / 4;
        let rate = params.correction_rate * params.use_correction();
        let bonus = (difference * depth * rate / 64).clamp(-STEP, STEP);
        for counter in self.counters(key) {
            counter.store(adjusted(counter.load(Relaxed), bonus, CORRECTION_LIMIT), Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_MOVES: [Continuation; CONTINUATION_PLIES.len()] = [Continuation::NONE; CONTINUATION_PLIES.len()];

    fn horse_move() -> (Piece, Move) {
        (Piece::new(Side::Red, PieceKind::Horse), "b0c2".parse().unwrap())
    }

    fn keys(ply: usize, continuation: [Continuation; CONTINUATION_PLIES.len()]) -> HistoryKeys {
        HistoryKeys::new(&Position::start(), ply, false, continuation)
    }

    #[test]
    fn a_missing_continuation_is_never_updated() {
        let mut history = History::new().unwrap();
        history.configure(&Params { order_butterfly: 100, order_pawn: 100, ..Params::default() });
        let (horse, mv) = horse_move();
        let keys = keys(LOW_PLIES, NO_MOVES);
        history.update_quiet(Side::Red, horse, mv, &keys, 1000);
        // Butterfly and pawn history, which the other side shares.
        assert_eq!(history.order(Side::Red, horse, mv, &keys), 2300);
        assert_eq!(history.order(Side::Black, horse, mv, &keys), 1300);
        assert!(history.continuation.iter().all(|&counter| counter == 0));
        // Counters follow the bonus, however large, and stay within their limit.
        let capture = |history: &History| history.capture(horse, mv.to(), PieceKind::Rook);
        for bonus in [1_500; 100].into_iter().chain([i32::MIN, i32::MAX]) {
            let before = capture(&history);
            history.update_capture(horse, mv.to(), PieceKind::Rook, bonus);
            let after = capture(&history);
            assert!(after.abs() <= HISTORY_CAPTURE_LIMIT && (after - before).signum() * bonus.signum() >= 0);
        }
    }

    #[test]
    fn low_plies_have_a_history_of_their_own_in_each_search() {
        let mut history = History::new().unwrap();
        history.configure(&Params { order_low_ply: 200, ..Params::default() });
        let (horse, mv) = horse_move();
        let order = |history: &History, ply| history.order(Side::Red, horse, mv, &keys(ply, NO_MOVES));
        (0..=LOW_PLIES).for_each(|ply| history.update_quiet(Side::Red, horse, mv, &keys(ply, NO_MOVES), 1000));
        let elsewhere = order(&history, LOW_PLIES);
        assert!((1..=LOW_PLIES).all(|ply| order(&history, ply) < order(&history, ply - 1)));
        assert_eq!(order(&history, 0), elsewhere + 1400);
        history.clear_low_ply();
        assert_eq!((order(&history, 0), order(&history, LOW_PLIES)), (elsewhere, elsewhere));
    }

    #[test]
    fn the_best_move_gains_and_the_others_lose_the_less_the_later_they_were_tried() {
        let position = Position::start();
        let moves = ["h2e2", "b0c2", "c3c4", "g3g4"].map(|text| text.parse::<Move>().unwrap());
        let captures = ["h2h9", "b2b9"].map(|text| text.parse::<Move>().unwrap());
        let keys = keys(LOW_PLIES, NO_MOVES);
        let order =
            |history: &History, mv: Move| history.order(Side::Red, position.piece_on(mv.from()).unwrap(), mv, &keys);
        let capture = |history: &History, mv: Move| history.of_move(&position, mv, &keys).reduction;
        let mut history = History::new().unwrap();
        let neutral = captures.map(|mv| capture(&history, mv));
        let tried = |quiets: &[Move], captures: &[Move]| TriedMoves {
            quiets: quiets.iter().copied().collect(),
            captures: captures.iter().copied().collect(),
        };
        history.update_best_move(&position, moves[0], &keys, 800, 900, &tried(&moves[1..], &captures[1..]));
        let orders = moves.map(|mv| order(&history, mv));
        assert!(orders[0] > 0 && orders[1] < orders[2] && orders[2] < orders[3] && orders[3] < 0, "{orders:?}");
        assert_eq!(capture(&history, captures[0]), neutral[0]);
        assert!(capture(&history, captures[1]) < neutral[1]);
        // For pruning the victim adds nothing.
        let pruning = captures.map(|mv| history.of_move(&position, mv, &keys).pruning);
        assert!(pruning[0] == 0 && pruning[1] == capture(&history, captures[1]) - neutral[1], "{pruning:?}");
        // A capture that was best says nothing about quiet moves.
        let mut history = History::new().unwrap();
        history.update_best_move(&position, captures[0], &keys, 800, 900, &tried(&moves, &captures[1..]));
        assert!(moves.iter().all(|&mv| order(&history, mv) == 0));
        assert!(capture(&history, captures[0]) > neutral[0] && capture(&history, captures[1]) < neutral[1]);
    }

    fn correction_key(correction: &CorrectionHistory, position: &Position) -> CorrectionKey {
        correction.key(position, [Continuation::NONE; 3])
    }

    #[test]
    fn corrections_follow_search_results_within_their_limit() {
        let (correction, params, start) = (CorrectionHistory::new(1).unwrap(), Params::default(), Position::start());
        let key = correction_key(&correction, &start);
        assert_eq!(correction.correct(&key, 30), 30);
        let mut last = 30;
        for _ in 0..1000 {
            correction.update(&key, 50, 8, &params);
            let corrected = correction.correct(&key, 30);
            assert!(corrected >= last);
            last = corrected;
        }
        let max = CORRECTION_WEIGHTS.iter().sum::<i32>();
        assert!(last - 30 > max * 9 / 10 && last - 30 <= max, "{last}");
        for _ in 0..1000 {
            correction.update(&key, -5_000, 60, &params);
        }
        assert!(correction.correct(&key, 30) < 30 - max * 9 / 10);
        correction.clear();
        assert_eq!(correction.correct(&key, 30), 30);
    }

    #[test]
    fn corrections_apply_to_positions_that_share_a_feature() {
        let (correction, params) = (CorrectionHistory::new(1).unwrap(), Params::default());
        let start = Position::start();
        (0..50).for_each(|_| correction.update(&correction_key(&correction, &start), 100, 8, &params));
        let corrected = |position: &Position| correction.correct(&correction_key(&correction, position), 0);
        let full = corrected(&start);
        // After a move of each side, pawns, defenders and previous moves (none) are the same, but not the pieces.
        let mut other = start.clone();
        other.play(["h2e2", "h9g7"]).unwrap();
        assert!(0 < corrected(&other) && corrected(&other) < full);
        // The other side has counters of its own.
        other.unmake();
        assert_eq!(corrected(&other), 0);
        let horse = Piece::new(Side::Red, PieceKind::Horse);
        let arrived = Continuation::new(horse, "c2".parse().unwrap());
        let elsewhere = correction.key(&start, [arrived, Continuation::NONE, Continuation::NONE]);
        assert!(correction.correct(&elsewhere, 0) < full);
    }
}
