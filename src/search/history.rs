//! History heuristics: butterfly, pawn, low-ply, continuation and capture history, and counter moves.
//!
//! All counters are updated with "gravity": a bonus moves them towards its sign, the less the closer they are to the
//! limit, so that they never overflow and old results fade.

use std::io;

use super::params::{HISTORY_LIMIT, LOW_PLIES, Params};
use crate::position::Position;
use crate::types::{Move, Piece, PieceKind, Side, Square};
use crate::util::huge_pages::ZeroedSlice;

/// Key of continuation history: a piece and the square that it moved to, or [`Continuation::NONE`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Continuation(u16);

impl Continuation {
    const COUNT: usize = Piece::TABLE_SIZE * Square::COUNT;

    /// The key before the first move and after a null move. No piece has index 0, so its counters stay zero.
    pub const NONE: Continuation = Continuation(0);

    /// The key of a move of `piece` to `to`.
    #[inline(always)]
    pub const fn new(piece: Piece, to: Square) -> Continuation {
        Continuation((piece.index() * Square::COUNT + to.index()) as u16)
    }

    /// Its index, below 2^16.
    #[inline(always)]
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Plies back to the moves that continuation history pairs a move with. The later two count half.
pub(super) const CONTINUATION_PLIES: [usize; 4] = [1, 2, 4, 6];
/// Pawn structures with counters of their own; different ones may share one.
const PAWN_ENTRIES: usize = 512;

/// Facts about a node that histories of quiet moves depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HistoryKeys {
    /// The moves 1, 2, 4 and 6 plies before.
    continuation: [Continuation; CONTINUATION_PLIES.len()],
    /// Index of the pawn structure.
    pawns: usize,
    /// Plies from the root.
    ply: usize,
}

impl HistoryKeys {
    /// The keys of a position `ply` plies from the root that was reached by these moves, 1, 2, 4 and 6 plies before.
    #[inline]
    pub fn new(position: &Position, ply: usize, continuation: [Continuation; 4]) -> HistoryKeys {
        HistoryKeys { continuation, pawns: (position.pawn_key() >> 32) as usize % PAWN_ENTRIES, ply }
    }

    /// The key of the previous move.
    pub fn previous(&self) -> Continuation {
        self.continuation[0]
    }
}

type MoveTable = [[i16; Square::COUNT]; Square::COUNT];

/// Counters of moves of a piece to a square, indexed by [`Continuation::index`].
type ContinuationRow = [i16; Continuation::COUNT];

/// Returns the row with this index of a table of rows.
#[inline(always)]
fn row(counters: &[i16], index: usize) -> &ContinuationRow {
    &counters.as_chunks().0[index]
}

/// Returns the row with this index of a table of rows, to update it.
#[inline(always)]
fn row_mut(counters: &mut [i16], index: usize) -> &mut ContinuationRow {
    &mut counters.as_chunks_mut().0[index]
}

/// Histories of the quiet moves of one node.
pub(super) struct NodeHistory<'a> {
    butterfly: &'a MoveTable,
    pawn: &'a ContinuationRow,
    /// Replies to the moves 1, 2, 4 and 6 plies before.
    replies: [&'a ContinuationRow; CONTINUATION_PLIES.len()],
    /// `None` far from the root.
    low_ply: Option<&'a MoveTable>,
    ply: i32,
}

impl NodeHistory<'_> {
    /// Returns the history of a quiet move of `piece`: alone, with the pawn structure, and as a reply to earlier moves.
    /// Within ±5 × 16,384.
    #[inline(always)]
    pub fn quiet(&self, piece: Piece, mv: Move) -> i32 {
        // The bound always holds; stating it once removes a test for each table.
        let now = Continuation::new(piece, mv.to()).index().min(Continuation::COUNT - 1);
        let [previous, second, fourth, sixth] = self.replies.map(|row| i32::from(row[now]));
        i32::from(self.butterfly[mv.from().index()][mv.to().index()])
            + i32::from(self.pawn[now])
            + previous
            + second
            + (fourth + sixth) / 2
    }

    /// Returns the rank of a quiet move of `piece` in move ordering: its history, and near the root the history there.
    /// Within ±7 × 16,384.
    #[inline(always)]
    pub fn order(&self, piece: Piece, mv: Move) -> i32 {
        let near_root =
            self.low_ply.map_or(0, |table| 2 * i32::from(table[mv.from().index()][mv.to().index()]) / (1 + self.ply));
        self.quiet(piece, mv) + near_root
    }
}

/// Histories of moves of one thread, about 6 MB.
pub struct History {
    quiet: Box<[MoveTable; 2]>,
    /// Quiet moves by pawn structure.
    pawn: Box<[i16]>,
    /// Quiet moves near the root, cleared at the start of every search.
    low_ply: Box<[MoveTable; LOW_PLIES]>,
    capture: Box<[[[i16; PieceKind::COUNT]; Square::COUNT]; Piece::TABLE_SIZE]>,
    continuation: ZeroedSlice<i16>,
    counter_moves: Box<[Move]>,
    /// Updates change the counters.
    is_updated: bool,
    /// Bound of the counters of `quiet`. A lower one forgets sooner.
    quiet_limit: i32,
}

/// Adds a bonus with gravity; the counter stays within ±`limit`.
#[inline(always)]
pub(super) fn adjust(counter: &mut i16, bonus: i32, limit: i32) {
    let value = i32::from(*counter);
    *counter = (value + bonus - value * bonus.abs() / limit) as i16;
}

#[inline(always)]
fn adjust_history(counter: &mut i16, bonus: i32) {
    adjust(counter, bonus.clamp(-HISTORY_LIMIT, HISTORY_LIMIT), HISTORY_LIMIT);
}

impl History {
    /// Empty histories.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub fn new() -> io::Result<History> {
        Ok(History {
            quiet: Box::new([[[0; Square::COUNT]; Square::COUNT]; 2]),
            pawn: vec![0; PAWN_ENTRIES * Continuation::COUNT].into_boxed_slice(),
            low_ply: Box::new([[[0; Square::COUNT]; Square::COUNT]; LOW_PLIES]),
            capture: Box::new([[[0; PieceKind::COUNT]; Square::COUNT]; Piece::TABLE_SIZE]),
            continuation: ZeroedSlice::new(Continuation::COUNT * Continuation::COUNT)?,
            counter_moves: vec![Move::NONE; Continuation::COUNT].into_boxed_slice(),
            is_updated: true,
            quiet_limit: Params::default().history_quiet_limit,
        })
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

    /// Sets what search parameters decide. Without updates (`use_history`) all scores of cleared histories stay 0;
    /// killer and counter moves are kept all the same.
    pub(super) fn configure(&mut self, params: &Params) {
        self.is_updated = params.use_history != 0;
        self.quiet_limit = params.history_quiet_limit;
    }

    /// Returns the histories of the quiet moves of one node.
    #[inline(always)]
    pub(super) fn node(&self, side: Side, keys: &HistoryKeys) -> NodeHistory<'_> {
        NodeHistory {
            butterfly: &self.quiet[side.index()],
            pawn: row(&self.pawn, keys.pawns),
            replies: keys.continuation.map(|earlier| row(&self.continuation, earlier.index())),
            low_ply: self.low_ply.get(keys.ply),
            ply: keys.ply as i32,
        }
    }

    /// Returns the history of a quiet move of `piece`: alone, with the pawn structure, and as a reply to earlier moves.
    /// Within ±5 × 16,384.
    #[inline]
    pub fn quiet(&self, side: Side, piece: Piece, mv: Move, keys: &HistoryKeys) -> i32 {
        self.node(side, keys).quiet(piece, mv)
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

    /// Adds a bonus (or a malus, if negative) to a quiet move in all histories.
    pub fn update_quiet(&mut self, side: Side, piece: Piece, mv: Move, keys: &HistoryKeys, bonus: i32) {
        self.update_butterfly_and_pawn(side, piece, mv, keys, bonus);
        self.update_continuation(piece, mv, keys, bonus);
        if self.is_updated
            && let Some(table) = self.low_ply.get_mut(keys.ply)
        {
            adjust_history(&mut table[mv.from().index()][mv.to().index()], bonus);
        }
    }

    /// Adds a bonus or malus to a quiet move in butterfly history and, unless a pawn moves, in pawn history alone.
    pub(super) fn update_butterfly_and_pawn(
        &mut self,
        side: Side,
        piece: Piece,
        mv: Move,
        keys: &HistoryKeys,
        bonus: i32,
    ) {
        if !self.is_updated {
            return;
        }
        let now = Continuation::new(piece, mv.to());
        let limit = self.quiet_limit;
        adjust(&mut self.quiet[side.index()][mv.from().index()][mv.to().index()], bonus.clamp(-limit, limit), limit);
        // A pawn move may be updated after it was made, when the structure is another one already.
        if piece.kind() != PieceKind::Pawn {
            adjust_history(&mut row_mut(&mut self.pawn, keys.pawns)[now.index()], bonus);
        }
    }

    /// Adds a bonus or malus to a quiet move in continuation history alone.
    pub(super) fn update_continuation(&mut self, piece: Piece, mv: Move, keys: &HistoryKeys, bonus: i32) {
        if !self.is_updated {
            return;
        }
        let now = Continuation::new(piece, mv.to());
        for (index, earlier) in keys.continuation.into_iter().enumerate() {
            if earlier != Continuation::NONE {
                let bonus = if index < 2 { bonus } else { bonus / 2 };
                adjust_history(&mut row_mut(&mut self.continuation, earlier.index())[now.index()], bonus);
            }
        }
    }

    /// Adds a bonus (or a malus, if negative) to a capture.
    pub fn update_capture(&mut self, piece: Piece, to: Square, victim: PieceKind, bonus: i32) {
        if self.is_updated {
            adjust_history(&mut self.capture[piece.index()][to.index()][victim.index()], bonus);
        }
    }

    /// Stores the quiet move that refuted the previous move.
    pub fn set_counter_move(&mut self, previous: Continuation, mv: Move) {
        if previous != Continuation::NONE {
            self.counter_moves[previous.index()] = mv;
        }
    }

    /// Updates killers, counter move and histories after a cut-off by `mv`: `bonus` for it and `malus` for the quiet
    /// moves and captures searched before it, both positive.
    pub(super) fn update_cutoff(
        &mut self,
        position: &Position,
        mv: Move,
        (bonus, malus): (i32, i32),
        keys: &HistoryKeys,
        killers: &mut [Move; 2],
        (quiets_tried, captures_tried): (&[Move], &[Move]),
    ) {
        let side = position.side();
        let Some(piece) = position.piece_on(mv.from()) else { return };
        if let Some(victim) = position.piece_on(mv.to()) {
            self.update_capture(piece, mv.to(), victim.kind(), bonus);
        } else {
            if killers[0] != mv {
                killers[1] = killers[0];
                killers[0] = mv;
            }
            self.set_counter_move(keys.previous(), mv);
            self.update_quiet(side, piece, mv, keys, bonus);
            for &quiet in quiets_tried {
                if let Some(piece) = position.piece_on(quiet.from()) {
                    self.update_quiet(side, piece, quiet, keys, -malus);
                }
            }
        }
        for &capture in captures_tried {
            if let (Some(piece), Some(victim)) = (position.piece_on(capture.from()), position.piece_on(capture.to())) {
                self.update_capture(piece, capture.to(), victim.kind(), -malus);
            }
        }
    }

    /// Returns the history of a pseudo-legal move, quiet or capture.
    #[inline]
    pub fn score(&self, position: &Position, mv: Move, keys: &HistoryKeys) -> i32 {
        let Some(piece) = position.piece_on(mv.from()) else { return 0 };
        match position.piece_on(mv.to()) {
            Some(victim) => self.capture(piece, mv.to(), victim.kind()),
            None => self.quiet(position.side(), piece, mv, keys),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_stay_within_their_limit_and_follow_the_bonus() {
        let mut counter = 0;
        for _ in 0..1000 {
            let before = counter;
            adjust_history(&mut counter, 1500);
            assert!(counter >= before && i32::from(counter) <= HISTORY_LIMIT);
        }
        assert!(i32::from(counter) > HISTORY_LIMIT - 1500);
        adjust_history(&mut counter, i32::MIN);
        assert!(i32::from(counter) >= -HISTORY_LIMIT);
    }

    #[test]
    fn the_bound_of_quiet_moves_follows_the_parameters() {
        let mut history = History::new().unwrap();
        let horse = Piece::new(Side::Red, PieceKind::Horse);
        let mv: Move = "b0c2".parse().unwrap();
        let keys = HistoryKeys::new(&Position::start(), LOW_PLIES, [Continuation::NONE; 4]);
        let by_squares = |history: &History| i32::from(history.quiet[0][mv.from().index()][mv.to().index()]);
        for (limit, bonus) in [(16_384, 9_000), (2_000, 1_500), (2_000, -20_000)] {
            history.clear();
            history.configure(&Params { history_quiet_limit: limit, ..Params::default() });
            (0..200).for_each(|_| history.update_quiet(Side::Red, horse, mv, &keys, bonus));
            let counter = by_squares(&history);
            assert!(counter.abs() <= limit && counter.abs() > limit * 9 / 10 && counter.signum() == bonus.signum());
        }
        history.configure(&Params { use_history: 0, ..Params::default() });
        let before = by_squares(&history);
        history.update_quiet(Side::Red, horse, mv, &keys, 1_000);
        assert_eq!(by_squares(&history), before);
    }

    #[test]
    fn a_missing_continuation_is_never_updated() {
        let mut history = History::new().unwrap();
        let horse = Piece::new(Side::Red, PieceKind::Horse);
        let mv: Move = "b0c2".parse().unwrap();
        let keys = HistoryKeys::new(&Position::start(), LOW_PLIES, [Continuation::NONE; 4]);
        history.update_quiet(Side::Red, horse, mv, &keys, 1000);
        history.set_counter_move(Continuation::NONE, mv);
        // Butterfly and pawn history; the move of another side shares the latter.
        assert_eq!(history.quiet(Side::Red, horse, mv, &keys), 2000);
        assert_eq!(history.quiet(Side::Black, horse, mv, &keys), 1000);
        assert!(history.continuation.iter().all(|&counter| counter == 0));
        assert_eq!(history.counter_move(Continuation::NONE), Move::NONE);
    }

    #[test]
    fn low_plies_have_a_history_of_their_own_in_each_search() {
        let mut history = History::new().unwrap();
        let horse = Piece::new(Side::Red, PieceKind::Horse);
        let mv: Move = "b0c2".parse().unwrap();
        let keys = |ply| HistoryKeys::new(&Position::start(), ply, [Continuation::NONE; 4]);
        let near_root = |history: &History, ply| {
            let keys = keys(ply);
            let node = history.node(Side::Red, &keys);
            node.order(horse, mv) - node.quiet(horse, mv)
        };
        (0..=LOW_PLIES).for_each(|ply| history.update_quiet(Side::Red, horse, mv, &keys(ply), 1000));
        assert!((1..LOW_PLIES).all(|ply| near_root(&history, ply) < near_root(&history, ply - 1)));
        assert_eq!((near_root(&history, 0), near_root(&history, LOW_PLIES)), (2000, 0));
        let before = history.quiet(Side::Red, horse, mv, &keys(0));
        history.clear_low_ply();
        assert_eq!((near_root(&history, 0), history.quiet(Side::Red, horse, mv, &keys(0))), (0, before));
    }

    #[test]
    fn earlier_moves_count_half() {
        let mut history = History::new().unwrap();
        let horse = Piece::new(Side::Red, PieceKind::Horse);
        let mv: Move = "b0c2".parse().unwrap();
        let start = Position::start();
        let earlier = Continuation::new(horse, "g2".parse().unwrap());
        for index in 0..4 {
            let mut continuation = [Continuation::NONE; 4];
            continuation[index] = earlier;
            let keys = HistoryKeys::new(&start, 0, continuation);
            history.clear();
            history.update_continuation(horse, mv, &keys, 1000);
            let expected = if index < 2 { 1000 } else { 250 };
            assert_eq!(history.quiet(Side::Red, horse, mv, &keys), expected, "{index}");
        }
    }
}
