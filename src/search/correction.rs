//! What the search has learned of the evaluation's mistakes ("correction history").
//!
//! Positions that have something in common - the pawns, the guards, the men of one side, the last two moves - tend to
//! be misjudged in the same direction. For each such feature a counter follows the difference between what searches
//! found and what the evaluation had said, and later evaluations are corrected by it. The idea is that of Caissa and
//! Stockfish (2023). Which differences are worth learning from is the search's business.

use super::history::Continuation;
use super::params::Params;
use crate::position::Position;
use crate::types::score::clamp_evaluation;
use crate::types::{Side, Value};

/// Counters of one feature; different pawns, say, may share one.
const ENTRIES: usize = 1 << 14;
/// No counter is beyond ±`LIMIT`.
const LIMIT: i32 = 1024;
/// Pawns, guards, Red's men, Black's men, the last two moves.
const FEATURES: usize = 5;

type Counters = [[i16; ENTRIES]; FEATURES];

/// The counters of one search thread: 320 KiB.
pub struct Correction(Box<[Counters; 2]>);

/// Where the counters of a position lie.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    side: Side,
    indices: [usize; FEATURES],
}

impl Place {
    /// The place of a position that these moves led to, the last one first.
    #[inline]
    pub fn of(position: &Position, before: [Continuation; 2]) -> Place {
        let moves = u64::from(before[0].bits()) << 16 | u64::from(before[1].bits());
        let keys = [
            position.pawn_key(),
            position.minor_key(),
            position.non_pawn_key(Side::Red),
            position.non_pawn_key(Side::Black),
            moves.wrapping_mul(0x9E37_79B9_7F4A_7C15),
        ];
        Place { side: position.side(), indices: keys.map(|key| (key >> 40) as usize % ENTRIES) }
    }
}

impl Correction {
    /// Counters that know nothing.
    pub fn new() -> Correction {
        let zeros: Box<[Counters]> = vec![[[0; ENTRIES]; FEATURES]; 2].into_boxed_slice();
        Correction(zeros.try_into().unwrap_or_else(|_| unreachable!("there are two sides")))
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.iter_mut().flatten().for_each(|counters| counters.fill(0));
    }

    /// What the evaluation should have said.
    #[inline]
    pub fn correct(&self, place: &Place, evaluation: Value, params: &Params) -> Value {
        let counters = self.0[place.side.index()].iter().zip(place.indices);
        let sum: i32 = counters.map(|(counters, index)| i32::from(counters[index])).sum();
        clamp_evaluation(evaluation + sum * params.correction_weight / LIMIT)
    }

    /// Learns that the corrected evaluation was too low by so many centipawns, as a search of this depth found.
    pub fn learn(&mut self, place: &Place, difference: Value, depth: i32, params: &Params) {
        // One difference moves a counter by a quarter of its way at the most.
        const MOST: i32 = LIMIT / 4;
        let bonus = (difference * depth * params.correction_rate / 64).clamp(-MOST, MOST);
        for (counters, index) in self.0[place.side.index()].iter_mut().zip(place.indices) {
            let value = i32::from(counters[index]);
            counters[index] = (value + bonus - value * bonus.abs() / LIMIT) as i16;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Piece, PieceKind};

    fn place(position: &Position) -> Place {
        Place::of(position, [Continuation::NONE; 2])
    }

    #[test]
    fn evaluations_follow_what_searches_found_within_bounds() {
        let (mut correction, params, start) = (Correction::new(), Params::default(), Position::start());
        let place = place(&start);
        assert_eq!(correction.correct(&place, 30, &params), 30);
        let mut last = 30;
        for _ in 0..1000 {
            correction.learn(&place, 50, 8, &params);
            let corrected = correction.correct(&place, 30, &params);
            assert!(corrected >= last);
            last = corrected;
        }
        let most = FEATURES as i32 * params.correction_weight;
        assert!(last - 30 > most * 9 / 10 && last - 30 <= most, "{last}");
        for _ in 0..1000 {
            correction.learn(&place, -5_000, 60, &params);
        }
        assert!(correction.correct(&place, 30, &params) < 30 - most * 9 / 10);
        correction.clear();
        assert_eq!(correction.correct(&place, 30, &params), 30);
    }

    #[test]
    fn what_is_learned_reaches_positions_that_have_something_in_common() {
        let (mut correction, params) = (Correction::new(), Params::default());
        let start = Position::start();
        (0..50).for_each(|_| correction.learn(&place(&start), 100, 8, &params));
        let corrected = |position: &Position| correction.correct(&place(position), 0, &params);
        let whole = corrected(&start);
        // After a move of each side the pawns, the guards and no moves before are the same, but not the men.
        let mut other = start.clone();
        other.play(["h2e2", "h9g7"]).unwrap();
        assert!(0 < corrected(&other) && corrected(&other) < whole);
        // The other side has its own counters.
        other.unmake();
        assert_eq!(corrected(&other), 0);
        let horse = Piece::new(Side::Red, PieceKind::Horse);
        let arrived = Continuation::new(horse, "c2".parse().unwrap());
        let elsewhere = Place::of(&start, [arrived, Continuation::NONE]);
        assert!(correction.correct(&elsewhere, 0, &params) < whole);
    }
}
