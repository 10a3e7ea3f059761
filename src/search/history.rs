//! History heuristics: butterfly, pawn, low-ply, continuation and capture history, and counter moves.
//!
//! All counters are updated with "gravity": a bonus moves them towards its sign, the less the closer they are to the
//! limit, so that they never overflow and old results fade.

use std::io;

use super::params::{LOW_PLIES, Params};
use crate::position::{Position, exchange_value};
use crate::tables::piece_squares;
use crate::types::{Move, Piece, PieceKind, Side, Square};
use crate::util::huge_pages::{CacheLine, Pages, ZeroedSlice, prefetch};

/// Key of continuation history: a piece and the square that it moved to, with the class of the move, or
/// [`Continuation::NONE`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Continuation {
    index: u16,
    row: u16,
}

impl Continuation {
    const COUNT: usize = Piece::TABLE_SIZE * Square::COUNT;
    /// A move answers a check or not, and captures or not.
    const CLASSES: u16 = 4;
    /// Number of rows of continuation history: one for each piece on each square and each class.
    const ROWS: usize = Continuation::CLASSES as usize * piece_squares::TABLE_SIZE;

    /// The key before the first move and after a null move. The counters of its row stay zero.
    pub const NONE: Continuation = Continuation { index: 0, row: 0 };

    /// The key of a move of `piece` to `to` that neither answers a check nor captures. Pieces on squares where they can
    /// never stand, which only lax positions have, share their rows.
    #[inline(always)]
    pub const fn new(piece: Piece, to: Square) -> Continuation {
        Continuation {
            index: (piece.index() * Square::COUNT + to.index()) as u16,
            row: piece_squares::index(piece, to),
        }
    }

    /// The key of the same piece and square for a move of this class. What replies to a capture or to the answer to a
    /// check says little about replies to other moves.
    #[inline(always)]
    pub const fn of_class(self, answers_check: bool, is_capture: bool) -> Continuation {
        let class = answers_check as u16 * 2 + is_capture as u16;
        Continuation { row: self.row + class * piece_squares::TABLE_SIZE as u16, ..self }
    }

    /// The index of piece and square, below 2^16.
    #[inline(always)]
    pub(super) const fn index(self) -> usize {
        self.index as usize
    }

    /// The index of its row in continuation history, below [`Continuation::ROWS`].
    #[inline(always)]
    const fn row(self) -> usize {
        self.row as usize
    }

    /// Tells whether the row is that of [`Continuation::NONE`], as it is for pieces where they can never stand.
    #[inline(always)]
    const fn is_without_row(self) -> bool {
        self.row == 0
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
    /// The moves 1, 2, 3, 4 and 6 plies before.
    continuation: [Continuation; CONTINUATION_PLIES.len()],
    /// Index of the pawn structure.
    pawns: usize,
    /// Plies from the root.
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

    /// The key of the previous move.
    pub fn previous(&self) -> Continuation {
        self.continuation[0]
    }
}

type MoveTable = [[i16; Square::COUNT]; Square::COUNT];

/// Counters of moves of a piece to a square, by the index of this pair. Rows begin with cache lines.
type PieceSquareRow = [i16; piece_squares::TABLE_SIZE.next_multiple_of(align_of::<CacheLine<()>>() / size_of::<i16>())];
/// Number of counters in a row, with that of [`piece_squares::NONE`] and some that are not used.
const ROW_LENGTH: usize = size_of::<PieceSquareRow>() / size_of::<i16>();

/// Returns the index of the counter of a move of `piece` to `to` in a table of rows.
#[inline(always)]
const fn counter_index(row: usize, piece: Piece, to: Square) -> usize {
    row * ROW_LENGTH + piece_squares::index(piece, to) as usize
}

/// Returns the row with this index of a table of rows.
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
    /// Points for pruning: of a quiet move as a reply to the last two moves and with the pawn structure; of a capture
    /// its history.
    pub pruning: i32,
    /// Points for the reduced depth that limits pruning: the same with the move alone; 0 for captures.
    pub pruning_depth: i32,
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
    /// Returns the index of a move of `piece` in the rows. The bound always holds; stating it once removes a test for
    /// each table.
    #[inline(always)]
    fn index(piece: Piece, mv: Move) -> usize {
        usize::from(piece_squares::index(piece, mv.to())).min(ROW_LENGTH - 1)
    }

    #[inline(always)]
    fn butterfly(&self, mv: Move) -> i32 {
        i32::from(self.butterfly[mv.from().index()][mv.to().index()])
    }

    /// Returns the rank of a quiet move of `piece` in move ordering by its histories, near the root also that of its
    /// ply. Within ±2^20.
    #[inline(always)]
    pub fn order(&self, piece: Piece, mv: Move) -> i32 {
        self.order_at_any_ply(piece, mv) + self.order_near_root(mv)
    }

    /// Returns the part of the rank by all histories but that of the ply. Within ±2^19.
    #[inline(always)]
    pub fn order_at_any_ply(&self, piece: Piece, mv: Move) -> i32 {
        let params = self.params;
        let now = Self::index(piece, mv);
        let replies: i32 = self.replies.iter().map(|row| i32::from(row[now])).sum();
        let alone = params.order_butterfly * self.butterfly(mv) + params.order_pawn * i32::from(self.pawn[now]);
        replies + alone / 100
    }

    /// Prefetches the counters of all moves of a side as replies to the last two moves. Those of replies to earlier
    /// moves were mostly read two plies before.
    #[inline(always)]
    pub fn prefetch(&self, side: Side) {
        const IN_LINE: usize = align_of::<CacheLine<()>>() / size_of::<i16>();
        let (first, last) = piece_squares::of_side(side);
        for row in &self.replies[..2] {
            row.as_chunks::<IN_LINE>().0[first / IN_LINE..=last / IN_LINE].iter().for_each(prefetch);
        }
    }

    /// Tells whether moves have a history of their ply.
    #[inline(always)]
    pub fn is_near_root(&self) -> bool {
        self.low_ply.is_some()
    }

    /// Returns the part of the rank by the history of the ply. Within ±2^19, and 0 far from the root.
    #[inline(always)]
    pub fn order_near_root(&self, mv: Move) -> i32 {
        self.low_ply.map_or(0, |table| {
            let counter = i32::from(table[mv.from().index()][mv.to().index()]);
            self.params.order_low_ply * counter / (100 * (1 + self.ply))
        })
    }
}

/// Histories of moves of one thread, about 5 MB.
pub struct History {
    quiet: Box<[MoveTable; 2]>,
    /// Quiet moves by pawn structure.
    pawn: ZeroedSlice<i16>,
    /// Quiet moves near the root, cleared at the start of every search.
    low_ply: Box<[MoveTable; LOW_PLIES]>,
    capture: Box<[[[i16; PieceKind::COUNT]; Square::COUNT]; Piece::TABLE_SIZE]>,
    continuation: ZeroedSlice<i16>,
    counter_moves: Box<[Move]>,
    /// Limits, rates and weights.
    params: Params,
}

/// Returns a counter after a bonus of at most ±`limit`, added with gravity: it stays within ±`limit`.
#[inline(always)]
pub(super) fn adjusted(counter: i16, bonus: i32, limit: i32) -> i16 {
    let value = i32::from(counter);
    (value + bonus - value * bonus.abs() / limit) as i16
}

/// Adds a bonus of any size with gravity; the counter stays within ±`limit`.
#[inline(always)]
fn adjust_bounded(counter: &mut i16, bonus: i32, limit: i32) {
    *counter = adjusted(*counter, bonus.clamp(-limit, limit), limit);
}

impl History {
    /// Empty histories.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub fn new() -> io::Result<History> {
        Ok(History {
            quiet: Box::new([[[0; Square::COUNT]; Square::COUNT]; 2]),
            pawn: ZeroedSlice::new(PAWN_ENTRIES * ROW_LENGTH)?,
            low_ply: Box::new([[[0; Square::COUNT]; Square::COUNT]; LOW_PLIES]),
            capture: Box::new([[[0; PieceKind::COUNT]; Square::COUNT]; Piece::TABLE_SIZE]),
            continuation: ZeroedSlice::new(Continuation::ROWS * ROW_LENGTH)?,
            counter_moves: vec![Move::NONE; Continuation::COUNT].into_boxed_slice(),
            params: Params::default(),
        })
    }

    /// The pages of the largest of them.
    pub fn pages(&self) -> [Pages; 2] {
        [self.pawn.pages(), self.continuation.pages()]
    }

    /// Clears all histories.
    pub fn clear(&mut self) {
        *self.quiet = [[[0; Square::COUNT]; Square::COUNT]; 2];
        self.pawn.fill(0);
        self.clear_low_ply();
        *self.capture = [[[0; PieceKind::COUNT]; Square::COUNT]; Piece::TABLE_SIZE];
        self.continuation.fill(0);
        self.counter_moves.fill(Move::NONE);
    }

    /// Clears the history of moves near the root: another root has other moves there.
    pub(super) fn clear_low_ply(&mut self) {
        self.low_ply.iter_mut().flatten().for_each(|row| row.fill(0));
    }

    /// Sets limits, rates and weights. Without updates (`use_history`) all counters of cleared histories stay 0; killer
    /// and counter moves are kept all the same.
    pub(super) fn configure(&mut self, params: &Params) {
        self.params = *params;
    }

    /// Limits, rates and weights.
    #[inline(always)]
    pub(super) fn params(&self) -> &Params {
        &self.params
    }

    #[inline(always)]
    fn is_updated(&self) -> bool {
        self.params.use_history != 0
    }

    /// Returns the histories of the quiet moves of one node.
    #[inline(always)]
    pub(super) fn node(&self, side: Side, keys: &HistoryKeys) -> NodeHistory<'_> {
        NodeHistory {
            butterfly: &self.quiet[side.index()],
            pawn: row(&self.pawn, keys.pawns),
            replies: keys.continuation.map(|earlier| row(&self.continuation, earlier.row())),
            low_ply: self.low_ply.get(keys.ply),
            ply: keys.ply as i32,
            params: &self.params,
        }
    }

    /// Returns the rank of a quiet move of `piece` in move ordering by its histories, near the root also that of its
    /// ply. Within ±2^20.
    #[inline]
    pub fn order(&self, side: Side, piece: Piece, mv: Move, keys: &HistoryKeys) -> i32 {
        self.node(side, keys).order(piece, mv)
    }

    /// Returns the history of a capture of a piece of kind `victim`. Within ±16,384.
    #[inline]
    pub fn capture(&self, piece: Piece, to: Square, victim: PieceKind) -> i32 {
        i32::from(self.capture[piece.index()][to.index()][victim.index()])
    }

    /// The quiet move that last refuted the previous move.
    #[inline]
    pub fn counter_move(&self, previous: Continuation) -> Move {
        self.counter_moves[previous.index()]
    }

    /// Adds a bonus (or a malus, if negative) to a quiet move in all histories, to each with its share.
    pub fn update_quiet(&mut self, side: Side, piece: Piece, mv: Move, keys: &HistoryKeys, bonus: i32) {
        self.update_butterfly(side, mv, bonus);
        self.update_continuation(piece, mv, keys, bonus);
        let percent =
            if bonus > 0 { self.params.history_pawn_bonus_percent } else { self.params.history_pawn_malus_percent };
        self.update_pawn(piece, mv, keys, bonus * percent / 100);
        if self.is_updated()
            && let Some(table) = self.low_ply.get_mut(keys.ply)
        {
            let bonus = bonus * self.params.history_low_ply_percent / 100;
            adjust_bounded(&mut table[mv.from().index()][mv.to().index()], bonus, self.params.history_quiet_limit);
        }
    }

    /// Adds a bonus or malus to a quiet move in butterfly history alone.
    pub(super) fn update_butterfly(&mut self, side: Side, mv: Move, bonus: i32) {
        if self.is_updated() {
            let counter = &mut self.quiet[side.index()][mv.from().index()][mv.to().index()];
            adjust_bounded(counter, bonus, self.params.history_quiet_limit);
        }
    }

    /// Adds a bonus or malus to a quiet move in pawn history alone.
    pub(super) fn update_pawn(&mut self, piece: Piece, mv: Move, keys: &HistoryKeys, bonus: i32) {
        if self.is_updated() {
            let counter = &mut self.pawn[counter_index(keys.pawns, piece, mv.to())];
            adjust_bounded(counter, bonus, self.params.history_pawn_limit);
        }
    }

    /// Adds a bonus or malus to a quiet move in pawn history, with the keys of the position after it. Not to a pawn
    /// move, before which the structure was another one.
    pub(super) fn update_pawn_after(&mut self, piece: Piece, mv: Move, keys: &HistoryKeys, bonus: i32) {
        if piece.kind() != PieceKind::Pawn {
            self.update_pawn(piece, mv, keys, bonus);
        }
    }

    /// Adds a bonus or malus to a move in continuation history alone: its share for each earlier move, in check for the
    /// last two alone.
    pub(super) fn update_continuation(&mut self, piece: Piece, mv: Move, keys: &HistoryKeys, bonus: i32) {
        if !self.is_updated() {
            return;
        }
        let params = &self.params;
        let percents = [
            params.history_continuation_1,
            params.history_continuation_2,
            params.history_continuation_3,
            params.history_continuation_4,
            params.history_continuation_6,
        ];
        let number = if keys.in_check { CONTINUATIONS_IN_CHECK } else { percents.len() };
        for (earlier, percent) in keys.continuation.into_iter().zip(percents).take(number) {
            if !earlier.is_without_row() {
                let counter = &mut self.continuation[counter_index(earlier.row(), piece, mv.to())];
                adjust_bounded(counter, bonus * percent / 100, params.history_continuation_limit);
            }
        }
    }

    /// Adds a bonus (or a malus, if negative) to a capture.
    pub fn update_capture(&mut self, piece: Piece, to: Square, victim: PieceKind, bonus: i32) {
        if self.is_updated() {
            let counter = &mut self.capture[piece.index()][to.index()][victim.index()];
            adjust_bounded(counter, bonus, self.params.history_capture_limit);
        }
    }

    /// Stores the quiet move that refuted the previous move.
    pub fn set_counter_move(&mut self, previous: Continuation, mv: Move) {
        if previous != Continuation::NONE {
            self.counter_moves[previous.index()] = mv;
        }
    }

    /// Updates the histories of the moves of a node with a best move `mv`: `bonus` for it and `malus` for the quiet
    /// moves and captures searched besides, both positive. Quiet moves are left alone if the best move captures, and
    /// lose the less the later they were searched.
    pub(super) fn update_best_move(
        &mut self,
        position: &Position,
        mv: Move,
        (bonus, mut malus): (i32, i32),
        keys: &HistoryKeys,
        (quiets_tried, captures_tried): (&[Move], &[Move]),
    ) {
        let side = position.side();
        let Some(piece) = position.piece_on(mv.from()) else { return };
        let capture_percent = self.params.history_capture_percent;
        let capture_malus = malus * capture_percent / 100;
        if let Some(victim) = position.piece_on(mv.to()) {
            self.update_capture(piece, mv.to(), victim.kind(), bonus * capture_percent / 100);
        } else {
            self.update_quiet(side, piece, mv, keys, bonus);
            for &quiet in quiets_tried {
                malus = malus * self.params.history_malus_decay / 1024;
                if let Some(piece) = position.piece_on(quiet.from()) {
                    self.update_quiet(side, piece, quiet, keys, -malus);
                }
            }
        }
        for &capture in captures_tried {
            if let (Some(piece), Some(victim)) = (position.piece_on(capture.from()), position.piece_on(capture.to())) {
                self.update_capture(piece, capture.to(), victim.kind(), -capture_malus);
            }
        }
    }

    /// Returns the history of a pseudo-legal move, quiet or capture, for reductions and pruning.
    #[inline]
    pub(super) fn of_move(&self, position: &Position, mv: Move, keys: &HistoryKeys) -> MoveHistory {
        let Some(piece) = position.piece_on(mv.from()) else { return MoveHistory::default() };
        match position.piece_on(mv.to()) {
            Some(victim) => {
                let worth = self.params.reduction_victim * exchange_value(victim.kind()) / 100;
                let pruning = self.capture(piece, mv.to(), victim.kind());
                MoveHistory { reduction: worth + pruning, pruning, ..MoveHistory::default() }
            }
            None => self.of_quiet(position.side(), piece, mv, keys),
        }
    }

    /// Returns the history of a quiet move of `piece` for reductions and pruning.
    #[inline(always)]
    fn of_quiet(&self, side: Side, piece: Piece, mv: Move, keys: &HistoryKeys) -> MoveHistory {
        let params = &self.params;
        let reply = |earlier: Continuation| i32::from(self.continuation[counter_index(earlier.row(), piece, mv.to())]);
        let (previous, second) = (reply(keys.continuation[0]), reply(keys.continuation[1]));
        let butterfly = i32::from(self.quiet[side.index()][mv.from().index()][mv.to().index()]);
        let weighted = params.reduction_butterfly * butterfly
            + params.reduction_previous * previous
            + params.reduction_second * second;
        let pruning = previous + second + i32::from(self.pawn[counter_index(keys.pawns, piece, mv.to())]);
        MoveHistory {
            reduction: weighted / 100,
            pruning,
            pruning_depth: pruning + params.pruning_butterfly * butterfly / 100,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_MOVES: [Continuation; CONTINUATION_PLIES.len()] = [Continuation::NONE; CONTINUATION_PLIES.len()];

    /// Parameters by which every history takes a bonus in full.
    fn in_full() -> Params {
        Params {
            history_low_ply_percent: 100,
            history_pawn_bonus_percent: 100,
            history_pawn_malus_percent: 100,
            history_continuation_1: 100,
            history_continuation_2: 100,
            history_continuation_3: 100,
            history_continuation_4: 100,
            history_continuation_6: 100,
            ..Params::default()
        }
    }

    fn horse_move() -> (Piece, Move) {
        (Piece::new(Side::Red, PieceKind::Horse), "b0c2".parse().unwrap())
    }

    fn keys(ply: usize, continuation: [Continuation; CONTINUATION_PLIES.len()]) -> HistoryKeys {
        HistoryKeys::new(&Position::start(), ply, false, continuation)
    }

    #[test]
    fn counters_stay_within_their_limit_and_follow_the_bonus() {
        const LIMIT: i32 = 16_384;
        let mut counter = 0;
        for _ in 0..1000 {
            let before = counter;
            adjust_bounded(&mut counter, 1500, LIMIT);
            assert!(counter >= before && i32::from(counter) <= LIMIT);
        }
        assert!(i32::from(counter) > LIMIT - 1500);
        adjust_bounded(&mut counter, i32::MIN, LIMIT);
        assert!(i32::from(counter) >= -LIMIT);
    }

    #[test]
    fn every_history_keeps_the_bound_of_its_parameter() {
        let (horse, mv) = horse_move();
        let rook = PieceKind::Rook;
        let keys = keys(LOW_PLIES, [Continuation::new(horse, "g2".parse().unwrap()); CONTINUATION_PLIES.len()]);
        for (limit, bonus) in [(16_384, 9_000), (2_000, 1_500), (2_000, -20_000)] {
            let mut history = History::new().unwrap();
            history.configure(&Params {
                history_quiet_limit: limit,
                history_pawn_limit: limit - 1,
                history_continuation_limit: limit - 2,
                history_capture_limit: limit - 3,
                ..in_full()
            });
            for _ in 0..200 {
                history.update_quiet(Side::Red, horse, mv, &keys, bonus);
                history.update_capture(horse, mv.to(), rook, bonus);
            }
            let node = history.node(Side::Red, &keys);
            let now = usize::from(piece_squares::index(horse, mv.to()));
            let counters = [
                node.butterfly(mv),
                i32::from(node.pawn[now]),
                i32::from(node.replies[0][now]),
                history.capture(horse, mv.to(), rook),
            ];
            for (counter, limit) in counters.into_iter().zip([limit, limit - 1, limit - 2, limit - 3]) {
                assert!(counter.abs() <= limit && counter.abs() > limit * 9 / 10, "{counter} {limit}");
                assert_eq!(counter.signum(), bonus.signum());
            }
        }
    }

    #[test]
    fn without_history_nothing_is_updated() {
        let (horse, mv) = horse_move();
        let keys = keys(0, [Continuation::new(horse, "g2".parse().unwrap()); CONTINUATION_PLIES.len()]);
        let mut history = History::new().unwrap();
        history.configure(&Params { use_history: 0, ..in_full() });
        history.update_quiet(Side::Red, horse, mv, &keys, 1_000);
        history.update_capture(horse, mv.to(), PieceKind::Rook, 1_000);
        assert_eq!(history.order(Side::Red, horse, mv, &keys), 0);
        assert_eq!(history.of_quiet(Side::Red, horse, mv, &keys), MoveHistory::default());
        assert_eq!(history.capture(horse, mv.to(), PieceKind::Rook), 0);
    }

    #[test]
    fn a_missing_continuation_is_never_updated() {
        let mut history = History::new().unwrap();
        history.configure(&Params { order_butterfly: 100, order_pawn: 100, ..in_full() });
        let (horse, mv) = horse_move();
        let keys = keys(LOW_PLIES, NO_MOVES);
        history.update_quiet(Side::Red, horse, mv, &keys, 1000);
        history.set_counter_move(Continuation::NONE, mv);
        // Butterfly and pawn history; the move of another side shares the latter.
        assert_eq!(history.order(Side::Red, horse, mv, &keys), 2000);
        assert_eq!(history.order(Side::Black, horse, mv, &keys), 1000);
        assert!(history.continuation.iter().all(|&counter| counter == 0));
        assert_eq!(history.counter_move(Continuation::NONE), Move::NONE);
    }

    #[test]
    fn low_plies_have_a_history_of_their_own_in_each_search() {
        let mut history = History::new().unwrap();
        history.configure(&Params { order_low_ply: 200, ..in_full() });
        let (horse, mv) = horse_move();
        let order = |history: &History, ply| history.order(Side::Red, horse, mv, &keys(ply, NO_MOVES));
        (0..=LOW_PLIES).for_each(|ply| history.update_quiet(Side::Red, horse, mv, &keys(ply, NO_MOVES), 1000));
        let elsewhere = order(&history, LOW_PLIES);
        assert!((1..=LOW_PLIES).all(|ply| order(&history, ply) < order(&history, ply - 1)));
        assert_eq!(order(&history, 0), elsewhere + 2000);
        history.clear_low_ply();
        assert_eq!((order(&history, 0), order(&history, LOW_PLIES)), (elsewhere, elsewhere));
    }

    #[test]
    fn each_earlier_move_takes_its_share_and_in_check_only_the_last_two_do() {
        let (horse, mv) = horse_move();
        let start = Position::start();
        let earlier = Continuation::new(horse, "g2".parse().unwrap());
        let params = Params {
            history_continuation_1: 50,
            history_continuation_2: 40,
            history_continuation_3: 30,
            history_continuation_4: 20,
            history_continuation_6: 10,
            ..Params::default()
        };
        for (index, share) in [500, 400, 300, 200, 100].into_iter().enumerate() {
            let mut continuation = NO_MOVES;
            continuation[index] = earlier;
            for in_check in [false, true] {
                let mut history = History::new().unwrap();
                history.configure(&params);
                let keys = HistoryKeys::new(&start, LOW_PLIES, in_check, continuation);
                history.update_continuation(horse, mv, &keys, 1000);
                let expected = if in_check && index >= CONTINUATIONS_IN_CHECK { 0 } else { share };
                assert_eq!(history.order(Side::Red, horse, mv, &keys), expected, "{index} {in_check}");
            }
        }
    }

    #[test]
    fn replies_to_moves_of_another_class_are_kept_apart() {
        let (horse, mv) = horse_move();
        let earlier = Continuation::new(horse, "g2".parse().unwrap());
        let classes = [false, true].map(|check| [false, true].map(|capture| earlier.of_class(check, capture)));
        let classes = classes.concat();
        let at = |class: Continuation| keys(LOW_PLIES, [class; CONTINUATION_PLIES.len()]);
        for &updated in &classes {
            let mut history = History::new().unwrap();
            history.update_continuation(horse, mv, &at(updated), 1000);
            for &class in &classes {
                let is_known = history.order(Side::Red, horse, mv, &at(class)) != 0;
                assert_eq!(is_known, class == updated, "{updated:?} {class:?}");
            }
        }
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
        history.update_best_move(&position, moves[0], (800, 900), &keys, (&moves[1..], &captures[1..]));
        let orders = moves.map(|mv| order(&history, mv));
        assert!(orders[0] > 0 && orders[1] < orders[2] && orders[2] < orders[3] && orders[3] < 0, "{orders:?}");
        assert_eq!(capture(&history, captures[0]), neutral[0]);
        assert!(capture(&history, captures[1]) < neutral[1]);
        // For pruning the victim adds nothing.
        let pruning = captures.map(|mv| history.of_move(&position, mv, &keys).pruning);
        assert!(pruning[0] == 0 && pruning[1] == capture(&history, captures[1]) - neutral[1], "{pruning:?}");
        // A capture that was best says nothing about quiet moves.
        let mut history = History::new().unwrap();
        history.update_best_move(&position, captures[0], (800, 900), &keys, (&moves, &captures[1..]));
        assert!(moves.iter().all(|&mv| order(&history, mv) == 0));
        assert!(capture(&history, captures[0]) > neutral[0] && capture(&history, captures[1]) < neutral[1]);
    }
}
