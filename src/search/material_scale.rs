//! Scale of evaluations by the material on the board.
//!
//! A lead that wins with all pieces on the board is often a draw in an ending. The search therefore scales evaluations
//! by the rooks, cannons and horses of both sides: whoever is ahead avoids exchanges, and margins in centipawns mean
//! about the same in all phases of a game. Scores leave the search in the unit of the evaluation. The idea is that of
//! Stockfish. Knows nothing of the tree.

use super::params::Params;
use crate::position::{Position, exchange_value};
use crate::types::score::{clamp_evaluation, is_decisive};
use crate::types::{Piece, PieceKind, Side, Value};

/// Kinds of pieces that count.
const KINDS: [PieceKind; 3] = [PieceKind::Rook, PieceKind::Cannon, PieceKind::Horse];
/// Pieces of each kind at the start, of both sides together.
const PIECES_OF_A_KIND: i32 = 4;
/// Value of all of them at the start, in centipawns.
const FULL: i32 = PIECES_OF_A_KIND * (exchange_value(KINDS[0]) + exchange_value(KINDS[1]) + exchange_value(KINDS[2]));
/// Scale that changes nothing.
const UNIT: i32 = 1024;

/// Factor of evaluations in one position, in 1024ths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MaterialScale(i32);

impl MaterialScale {
    /// The scale in `position`.
    #[inline(always)]
    pub fn new(position: &Position, params: &Params) -> MaterialScale {
        let of_kind = |kind| {
            let count = |side| position.count(Piece::new(side, kind)) as i32;
            (count(Side::Red) + count(Side::Black)) * exchange_value(kind)
        };
        // Composed positions may have more pieces than the start.
        let material = KINDS.map(of_kind).into_iter().sum::<i32>().min(2 * FULL);
        let percent = i64::from(params.material_scale_base) * i64::from(FULL)
            + i64::from(params.material_scale_range) * i64::from(material);
        MaterialScale((percent * i64::from(UNIT) / (100 * i64::from(FULL))) as i32)
    }

    /// Returns an evaluation in the unit of the search.
    #[inline(always)]
    pub fn apply(self, evaluation: Value) -> Value {
        clamp_evaluation(evaluation * self.0 / UNIT)
    }

    /// Returns the same, rounded away from 0 instead of towards it, so that a small value does not become 0.
    pub fn apply_rounded_up(self, evaluation: Value) -> Value {
        let scaled = (evaluation.abs() * self.0 + UNIT - 1) / UNIT;
        clamp_evaluation(evaluation.signum() * scaled)
    }

    /// Returns a score of the search in the unit of the evaluation. Decisive scores keep their value.
    pub fn remove(self, score: Value) -> Value {
        if is_decisive(score) { score } else { clamp_evaluation(score * UNIT / self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::START_FEN;
    use crate::types::score::{EVALUATION_LIMIT, mate_in};

    fn scale(fen: &str, base: i32, range: i32) -> MaterialScale {
        let params = Params { material_scale_base: base, material_scale_range: range, ..Params::default() };
        MaterialScale::new(&Position::from_fen(fen).unwrap(), &params)
    }

    #[test]
    fn the_scale_falls_with_the_rooks_cannons_and_horses_left() {
        const BARE: &str = "2bakab2/9/9/p1p1p1p1p/9/9/P1P1P1P1P/9/9/2BAKAB2 w - - 0 1";
        const ROOK: &str = "2bakab2/9/9/p1p1p1p1p/9/9/P1P1P1P1P/9/9/R1BAKAB2 w - - 0 1";
        assert_eq!([scale(START_FEN, 70, 50).apply(1000), scale(BARE, 70, 50).apply(1000)], [1199, 699]);
        let rook = scale(ROOK, 70, 50).apply(1000);
        // A rook is 950 of 7,400 centipawns, of which the whole is 50 percent.
        assert!((763..=764).contains(&rook), "{rook}");
        assert_eq!(scale(START_FEN, 100, 0).apply(-377), -377);
    }

    #[test]
    fn a_value_that_is_rounded_up_returns_as_large_or_larger_by_one() {
        for fen in ["3k5/9/9/9/9/9/9/9/9/2C1K4 w - - 0 1", "3k5/9/9/9/9/9/9/9/9/R3K4 w - - 0 1", START_FEN] {
            let scale = scale(fen, 70, 50);
            for evaluation in 0..=100 {
                let scaled = scale.apply_rounded_up(evaluation);
                let back = scale.remove(scaled);
                assert!((evaluation..=evaluation + 1).contains(&back), "{fen} {evaluation} {scaled} {back}");
                assert_eq!(scale.apply_rounded_up(-evaluation), -scaled);
            }
        }
    }

    #[test]
    fn removing_the_scale_returns_the_evaluation_and_leaves_decisive_scores_alone() {
        for (base, range) in [(70, 50), (100, 0), (40, 160)] {
            for fen in ["3k5/9/9/9/9/9/9/9/9/R3K4 w - - 0 1", START_FEN] {
                let scale = scale(fen, base, range);
                for evaluation in [-3_000, -250, -1, 0, 1, 37, 4_000] {
                    let back = scale.remove(scale.apply(evaluation));
                    assert!((back - evaluation).abs() <= 2, "{evaluation} {back}");
                }
                for score in [mate_in(7), -mate_in(7)] {
                    assert_eq!(scale.remove(score), score);
                }
                for huge in [EVALUATION_LIMIT, -EVALUATION_LIMIT] {
                    assert!(
                        scale.apply(huge).abs() <= EVALUATION_LIMIT && scale.remove(huge).abs() <= EVALUATION_LIMIT
                    );
                }
            }
        }
    }
}
