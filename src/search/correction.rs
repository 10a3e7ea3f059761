//! Correction history: the static evaluation learns from search results where it errs.
//!
//! Positions that share a feature (the pawns, the defenders, the pieces of one side, the last moves) tend to be
//! misjudged in the same direction. A counter for each feature follows the difference between search results and static
//! evaluations, and later evaluations are corrected by it. The idea is that of Caissa and Stockfish (2023).
//!
//! All threads of a pool share the counters, so that each learns from the results of all. The counters are atomic
//! integers without locks: if two threads update one counter at the same time, one of the updates is lost.

use std::io;
use std::sync::atomic::{AtomicI16, Ordering::Relaxed};

use super::history::{Continuation, adjusted};
use super::params::{CORRECTION_LIMIT, CORRECTION_STEP, Params};
use crate::position::Position;
use crate::types::score::clamp_evaluation;
use crate::types::{Side, Value};
use crate::util::huge_pages::{Pages, ZeroedSlice, prefetch};
use crate::util::math::GOLDEN_RATIO;

/// Entries for each feature of correction history with one thread; different positions may share one.
const CORRECTION_ENTRIES: usize = 1 << 16;
/// The most times that many, with as many threads or more.
const MAX_CORRECTION_FACTOR: usize = 64;
/// Pawns, advisors and elephants, Red's pieces, Black's pieces, the last move with the one before it and with the one
/// three plies before it.
const CORRECTION_FEATURES: usize = 6;
/// Plies back to the moves that correction history uses.
pub(super) const CORRECTION_PLIES: [usize; 3] = [1, 2, 4];

/// Correction history of all threads of a pool: the counters of all features for each side to move, 1.5 MiB a thread.
pub(super) struct CorrectionHistory {
    counters: ZeroedSlice<AtomicI16>,
    /// Number of counters of each feature, a power of two.
    entries: usize,
}

/// Indices of a position's counters in the correction history that made it, one of each feature.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct CorrectionKey([u32; CORRECTION_FEATURES]);

impl CorrectionHistory {
    /// An empty history for this many threads: more positions come by between two of a kind, so that with as many
    /// counters more of them would share one.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn new(threads: usize) -> io::Result<CorrectionHistory> {
        let entries = CorrectionHistory::entries(threads);
        Ok(CorrectionHistory { counters: ZeroedSlice::new(2 * CORRECTION_FEATURES * entries)?, entries })
    }

    /// Returns whether it has the size for this many threads.
    pub fn is_for(&self, threads: usize) -> bool {
        self.entries == CorrectionHistory::entries(threads)
    }

    fn entries(threads: usize) -> usize {
        CORRECTION_ENTRIES * threads.next_power_of_two().min(MAX_CORRECTION_FACTOR)
    }

    /// The pages of the counters.
    pub fn pages(&self) -> Pages {
        self.counters.pages()
    }

    /// The key of a position that was reached by these moves, 1, 2 and 4 plies before.
    #[inline]
    pub fn key(&self, position: &Position, [last, second, fourth]: [Continuation; 3]) -> CorrectionKey {
        let pair =
            |earlier: Continuation| ((last.index() as u64) << 16 | earlier.index() as u64).wrapping_mul(GOLDEN_RATIO);
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

    /// Clears all counters.
    pub fn clear(&self) {
        self.counters.iter().for_each(|counter| counter.store(0, Relaxed));
    }

    /// The counters of a position, one of each feature.
    #[inline(always)]
    fn counters(&self, key: &CorrectionKey) -> [&AtomicI16; CORRECTION_FEATURES] {
        // An array, whose elements stay in registers; those of an iterator over two zipped arrays do not.
        key.0.map(|index| &self.counters[index as usize])
    }

    /// The most that each feature adds, in centipawns.
    #[inline(always)]
    fn weights(params: &Params) -> [i32; CORRECTION_FEATURES] {
        [
            params.correction_pawn_weight,
            params.correction_minor_weight,
            params.correction_pieces_weight,
            params.correction_pieces_weight,
            params.correction_last_moves_weight,
            params.correction_earlier_move_weight,
        ]
    }

    /// Prefetches the counters of a position.
    #[inline(always)]
    pub fn prefetch(&self, key: &CorrectionKey) {
        for counter in &self.counters(key) {
            prefetch(*counter);
        }
    }

    /// Returns the corrected evaluation.
    #[inline]
    pub fn correct(&self, key: &CorrectionKey, raw_eval: Value, params: &Params) -> Value {
        clamp_evaluation(raw_eval + self.correction(key, params))
    }

    /// Returns the correction of an evaluation in centipawns.
    #[inline]
    pub fn correction(&self, key: &CorrectionKey, params: &Params) -> Value {
        let weights = Self::weights(params);
        let values = self.counters(key).map(|counter| i32::from(counter.load(Relaxed)));
        let sum: i32 = (0..CORRECTION_FEATURES).map(|feature| values[feature] * weights[feature]).sum();
        sum / CORRECTION_LIMIT
    }

    /// Updates the counters: a search of this depth returned `difference` centipawns more than the corrected
    /// evaluation.
    pub fn update(&self, key: &CorrectionKey, difference: Value, depth: i32, params: &Params) {
        let bonus = (difference * depth * params.correction_rate / 64).clamp(-CORRECTION_STEP, CORRECTION_STEP);
        for counter in self.counters(key) {
            counter.store(adjusted(counter.load(Relaxed), bonus, CORRECTION_LIMIT), Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Piece, PieceKind};

    fn key(correction: &CorrectionHistory, position: &Position) -> CorrectionKey {
        correction.key(position, [Continuation::NONE; 3])
    }

    #[test]
    fn corrections_follow_search_results_within_their_limit() {
        let (correction, params, start) = (CorrectionHistory::new(1).unwrap(), Params::default(), Position::start());
        let key = key(&correction, &start);
        assert_eq!(correction.correct(&key, 30, &params), 30);
        let mut last = 30;
        for _ in 0..1000 {
            correction.update(&key, 50, 8, &params);
            let corrected = correction.correct(&key, 30, &params);
            assert!(corrected >= last);
            last = corrected;
        }
        let max = params.correction_pawn_weight
            + params.correction_minor_weight
            + 2 * params.correction_pieces_weight
            + params.correction_last_moves_weight
            + params.correction_earlier_move_weight;
        assert!(last - 30 > max * 9 / 10 && last - 30 <= max, "{last}");
        for _ in 0..1000 {
            correction.update(&key, -5_000, 60, &params);
        }
        assert!(correction.correct(&key, 30, &params) < 30 - max * 9 / 10);
        correction.clear();
        assert_eq!(correction.correct(&key, 30, &params), 30);
    }

    #[test]
    fn updates_by_several_threads_stay_within_the_limit() {
        let (correction, params, start) = (CorrectionHistory::new(1).unwrap(), Params::default(), Position::start());
        let key = key(&correction, &start);
        std::thread::scope(|scope| {
            for difference in [500, -500, 80] {
                let (correction, params, key) = (&correction, &params, &key);
                scope.spawn(move || (0..20_000).for_each(|_| correction.update(key, difference, 12, params)));
            }
        });
        let is_within_limit = |counter: &AtomicI16| i32::from(counter.load(Relaxed)).abs() <= CORRECTION_LIMIT;
        assert!(correction.counters(&key).into_iter().all(is_within_limit));
        // Whoever was last, what follows counts.
        (0..1_000).for_each(|_| correction.update(&key, 500, 12, &params));
        assert!(correction.correction(&key, &params) > 0);
    }

    #[test]
    fn corrections_apply_to_positions_that_share_a_feature() {
        let (correction, params) = (CorrectionHistory::new(1).unwrap(), Params::default());
        let start = Position::start();
        (0..50).for_each(|_| correction.update(&key(&correction, &start), 100, 8, &params));
        let corrected = |position: &Position| correction.correct(&key(&correction, position), 0, &params);
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
        assert!(correction.correct(&elsewhere, 0, &params) < full);
    }
}
