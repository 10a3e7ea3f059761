//! History heuristics: butterfly, capture and continuation history, counter moves, and correction history.
//!
//! All counters are updated with "gravity": a bonus moves them towards its sign, the less the closer they are to the
//! limit, so that they never overflow and old results fade.

use std::io;

use super::margins;
use super::params::{CORRECTION_LIMIT, CORRECTION_STEP, HISTORY_LIMIT, Params};
use crate::position::Position;
use crate::types::score::clamp_evaluation;
use crate::types::{Move, Piece, PieceKind, Side, Square, Value};
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

    #[inline(always)]
    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Histories of moves of one thread, about 5 MB.
pub struct History {
    quiet: Box<[[[i16; Square::COUNT]; Square::COUNT]; 2]>,
    capture: Box<[[[i16; PieceKind::COUNT]; Square::COUNT]; Piece::TABLE_SIZE]>,
    continuation: ZeroedSlice<i16>,
    counter_moves: Box<[Move]>,
}

/// Adds a bonus with gravity; the counter stays within ±`limit`.
#[inline(always)]
fn adjust(counter: &mut i16, bonus: i32, limit: i32) {
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
            capture: Box::new([[[0; PieceKind::COUNT]; Square::COUNT]; Piece::TABLE_SIZE]),
            continuation: ZeroedSlice::new(Continuation::COUNT * Continuation::COUNT)?,
            counter_moves: vec![Move::NONE; Continuation::COUNT].into_boxed_slice(),
        })
    }

    /// Clears all histories.
    pub fn clear(&mut self) {
        *self.quiet = [[[0; Square::COUNT]; Square::COUNT]; 2];
        *self.capture = [[[0; PieceKind::COUNT]; Square::COUNT]; Piece::TABLE_SIZE];
        self.continuation.fill(0);
        self.counter_moves.fill(Move::NONE);
    }

    #[inline(always)]
    fn continuation_index(earlier: Continuation, now: Continuation) -> usize {
        earlier.index() * Continuation::COUNT + now.index()
    }

    /// Returns the history of a quiet move of `piece`, alone and as a reply to the moves one and two plies before.
    /// Within ±3 × 16,384.
    #[inline]
    pub fn quiet(&self, side: Side, piece: Piece, mv: Move, continuation_keys: [Continuation; 2]) -> i32 {
        let now = Continuation::new(piece, mv.to());
        let butterfly = self.quiet[side.index()][mv.from().index()][mv.to().index()];
        continuation_keys.iter().fold(i32::from(butterfly), |sum, &earlier| {
            sum + i32::from(self.continuation[Self::continuation_index(earlier, now)])
        })
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

    /// Adds a bonus (or a malus, if negative) to a quiet move.
    pub fn update_quiet(
        &mut self,
        side: Side,
        piece: Piece,
        mv: Move,
        continuation_keys: [Continuation; 2],
        bonus: i32,
    ) {
        let now = Continuation::new(piece, mv.to());
        adjust_history(&mut self.quiet[side.index()][mv.from().index()][mv.to().index()], bonus);
        for earlier in continuation_keys {
            if earlier != Continuation::NONE {
                adjust_history(&mut self.continuation[Self::continuation_index(earlier, now)], bonus);
            }
        }
    }

    /// Adds a bonus (or a malus, if negative) to a capture.
    pub fn update_capture(&mut self, piece: Piece, to: Square, victim: PieceKind, bonus: i32) {
        adjust_history(&mut self.capture[piece.index()][to.index()][victim.index()], bonus);
    }

    /// Stores the quiet move that refuted the previous move.
    pub fn set_counter_move(&mut self, previous: Continuation, mv: Move) {
        if previous != Continuation::NONE {
            self.counter_moves[previous.index()] = mv;
        }
    }

    /// Updates killers, counter move and histories after a cut-off by `mv`: a bonus for it and a malus for the quiet
    /// moves and captures searched before it.
    pub(super) fn update_cutoff(
        &mut self,
        position: &Position,
        mv: Move,
        depth: i32,
        continuation_keys: [Continuation; 2],
        killers: &mut [Move; 2],
        (quiets_tried, captures_tried): (&[Move], &[Move]),
    ) {
        let bonus = margins::history_bonus(depth);
        let side = position.side();
        let Some(piece) = position.piece_on(mv.from()) else { return };
        if let Some(victim) = position.piece_on(mv.to()) {
            self.update_capture(piece, mv.to(), victim.kind(), bonus);
        } else {
            if killers[0] != mv {
                killers[1] = killers[0];
                killers[0] = mv;
            }
            self.set_counter_move(continuation_keys[0], mv);
            self.update_quiet(side, piece, mv, continuation_keys, bonus);
            for &quiet in quiets_tried {
                if let Some(piece) = position.piece_on(quiet.from()) {
                    self.update_quiet(side, piece, quiet, continuation_keys, -bonus);
                }
            }
        }
        for &capture in captures_tried {
            if let (Some(piece), Some(victim)) = (position.piece_on(capture.from()), position.piece_on(capture.to())) {
                self.update_capture(piece, capture.to(), victim.kind(), -bonus);
            }
        }
    }

    /// Returns the history of a pseudo-legal move, quiet or capture.
    #[inline]
    pub fn score(&self, position: &Position, mv: Move, continuation_keys: [Continuation; 2]) -> i32 {
        let Some(piece) = position.piece_on(mv.from()) else { return 0 };
        match position.piece_on(mv.to()) {
            Some(victim) => self.capture(piece, mv.to(), victim.kind()),
            None => self.quiet(position.side(), piece, mv, continuation_keys),
        }
    }
}

/// Entries for each feature of correction history; different positions may share one.
const CORRECTION_ENTRIES: usize = 1 << 14;
/// Pawns, advisors and elephants, Red's pieces, Black's pieces, the last two moves.
const CORRECTION_FEATURES: usize = 5;

/// Correction history of one thread, 320 KiB.
///
/// Positions that share a feature (the pawns, the defenders, the pieces of one side, the last two moves) tend to be
/// misjudged in the same direction. A counter for each feature follows the difference between search results and static
/// evaluations, and later evaluations are corrected by it. The idea is that of Caissa and Stockfish (2023).
pub(super) struct CorrectionHistory(Box<[[[i16; CORRECTION_ENTRIES]; CORRECTION_FEATURES]; 2]>);

/// Indices of a position in correction history.
#[derive(Clone, Copy, Debug)]
pub(super) struct CorrectionKey {
    side: Side,
    indices: [usize; CORRECTION_FEATURES],
}

impl CorrectionKey {
    /// The key of a position that was reached by these moves, the last one first.
    #[inline]
    pub fn new(position: &Position, continuation_keys: [Continuation; 2]) -> CorrectionKey {
        let moves = u64::from(continuation_keys[0].0) << 16 | u64::from(continuation_keys[1].0);
        let keys = [
            position.pawn_key(),
            position.minor_key(),
            position.non_pawn_key(Side::Red),
            position.non_pawn_key(Side::Black),
            moves.wrapping_mul(0x9E37_79B9_7F4A_7C15),
        ];
        CorrectionKey { side: position.side(), indices: keys.map(|key| (key >> 40) as usize % CORRECTION_ENTRIES) }
    }
}

impl CorrectionHistory {
    /// An empty history.
    pub fn new() -> CorrectionHistory {
        let zeros: Box<[_]> = vec![[[0; CORRECTION_ENTRIES]; CORRECTION_FEATURES]; 2].into_boxed_slice();
        CorrectionHistory(zeros.try_into().unwrap_or_else(|_| unreachable!("there are two sides")))
    }

    /// Clears all counters.
    pub fn clear(&mut self) {
        self.0.iter_mut().flatten().for_each(|counters| counters.fill(0));
    }

    /// Returns the corrected evaluation.
    #[inline]
    pub fn correct(&self, key: &CorrectionKey, raw_eval: Value, params: &Params) -> Value {
        let counters = self.0[key.side.index()].iter().zip(key.indices);
        let sum: i32 = counters.map(|(counters, index)| i32::from(counters[index])).sum();
        clamp_evaluation(raw_eval + sum * params.correction_weight / CORRECTION_LIMIT)
    }

    /// Updates the counters: a search of this depth returned `difference` centipawns more than the corrected
    /// evaluation.
    pub fn update(&mut self, key: &CorrectionKey, difference: Value, depth: i32, params: &Params) {
        let bonus = (difference * depth * params.correction_rate / 64).clamp(-CORRECTION_STEP, CORRECTION_STEP);
        for (counters, index) in self.0[key.side.index()].iter_mut().zip(key.indices) {
            adjust(&mut counters[index], bonus, CORRECTION_LIMIT);
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
    fn a_missing_continuation_is_never_updated() {
        let mut history = History::new().unwrap();
        let horse = Piece::new(Side::Red, PieceKind::Horse);
        let mv: Move = "b0c2".parse().unwrap();
        history.update_quiet(Side::Red, horse, mv, [Continuation::NONE; 2], 1000);
        history.set_counter_move(Continuation::NONE, mv);
        assert_eq!(history.quiet(Side::Red, horse, mv, [Continuation::NONE; 2]), 1000);
        assert_eq!(history.quiet(Side::Black, horse, mv, [Continuation::NONE; 2]), 0);
        assert_eq!(history.counter_move(Continuation::NONE), Move::NONE);
    }

    fn key(position: &Position) -> CorrectionKey {
        CorrectionKey::new(position, [Continuation::NONE; 2])
    }

    #[test]
    fn corrections_follow_search_results_within_their_limit() {
        let (mut correction, params, start) = (CorrectionHistory::new(), Params::default(), Position::start());
        let key = key(&start);
        assert_eq!(correction.correct(&key, 30, &params), 30);
        let mut last = 30;
        for _ in 0..1000 {
            correction.update(&key, 50, 8, &params);
            let corrected = correction.correct(&key, 30, &params);
            assert!(corrected >= last);
            last = corrected;
        }
        let max = CORRECTION_FEATURES as i32 * params.correction_weight;
        assert!(last - 30 > max * 9 / 10 && last - 30 <= max, "{last}");
        for _ in 0..1000 {
            correction.update(&key, -5_000, 60, &params);
        }
        assert!(correction.correct(&key, 30, &params) < 30 - max * 9 / 10);
        correction.clear();
        assert_eq!(correction.correct(&key, 30, &params), 30);
    }

    #[test]
    fn corrections_apply_to_positions_that_share_a_feature() {
        let (mut correction, params) = (CorrectionHistory::new(), Params::default());
        let start = Position::start();
        (0..50).for_each(|_| correction.update(&key(&start), 100, 8, &params));
        let corrected = |position: &Position| correction.correct(&key(position), 0, &params);
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
        let elsewhere = CorrectionKey::new(&start, [arrived, Continuation::NONE]);
        assert!(correction.correct(&elsewhere, 0, &params) < full);
    }
}
