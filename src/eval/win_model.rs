//! Chances of a win, a draw and a loss that a score means in games of the engine with itself, and the unit of reported
//! scores.
//!
//! The side to move wins with probability 1 / (1 + e^((half − score) / spread)) and loses with the probability of a win
//! from the opposite score; the rest is a draw. `half`, the score at which half of the games are won, and `spread`
//! depend on the number of pieces. The model is that of Stockfish (2020). `scripts/win-model.py` fitted `half` to 278
//! games with 27,000 nodes a move; `spread` is set by hand to 778 games of 1 and 2 s.

use crate::position::Position;
use crate::types::Value;
use crate::types::score::is_decisive;
use crate::util::math::logistic;

const REPORTED_HALF: f64 = 100.0;
const ALL_PIECES: f64 = 32.0;
/// `half` in centipawns as a function of the share of pieces on the board: constant, linear and quadratic coefficient.
const HALF: [f64; 3] = [648.0, -608.0, 138.0];
/// `spread` in centipawns: constant and linear coefficient.
const SPREAD: [f64; 2] = [146.0, -34.0];

/// Score in the unit that the engine reports: with +100 the side to move wins half of the games of the engine with
/// itself, however many pieces are left. Decisive scores are those of the search.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ReportedScore(Value);

impl ReportedScore {
    /// Returns hundredths of the lead that wins half of the games, or a decisive score as in [`crate::types::score`].
    pub fn get(self) -> Value {
        self.0
    }
}

/// Model for positions with a certain number of pieces.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WinModel {
    half: f64,
    spread: f64,
}

impl WinModel {
    /// The model for a position with this many pieces, kings included; 2 to 32.
    pub fn new(pieces: u32) -> WinModel {
        let share = f64::from(pieces.clamp(2, 32)) / ALL_PIECES;
        WinModel { half: HALF[0] + HALF[1] * share + HALF[2] * share * share, spread: SPREAD[0] + SPREAD[1] * share }
    }

    /// The model for a position.
    pub fn of(position: &Position) -> WinModel {
        WinModel::new(position.pieces().count() as u32)
    }

    /// Returns a score in centipawns in the reported unit. Decisive scores keep their value.
    pub fn reported(&self, score: Value) -> ReportedScore {
        let normalized = || (REPORTED_HALF * f64::from(score) / self.half).round() as Value;
        ReportedScore(if is_decisive(score) { score } else { normalized() })
    }

    /// Chances in thousandths that the side to move wins, draws and loses with this score in centipawns. They add up to
    /// 1000, and those of the opposite score are the same in reverse. A decisive score is a certain win or loss.
    pub fn chances(&self, score: Value) -> [u16; 3] {
        if is_decisive(score) {
            return if score > 0 { [1000, 0, 0] } else { [0, 0, 1000] };
        }
        let win = |score: Value| (1000.0 * logistic((f64::from(score) - self.half) / self.spread)).round() as u16;
        let (wins, losses) = (win(score), win(-score));
        [wins, 1000 - wins - losses, losses]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::score::{EVALUATION_LIMIT, mate_in, rule_loss_in};

    #[test]
    fn half_of_the_games_are_won_at_a_reported_hundred_and_all_is_symmetric_and_rises_with_the_score() {
        let mut last_half = 0.0;
        for pieces in (2..=32).rev() {
            let model = WinModel::new(pieces);
            assert!(model.half > last_half, "{pieces}");
            last_half = model.half;
            let half = model.half.round() as Value;
            let [win, ..] = model.chances(half);
            assert!((498..=502).contains(&win), "{pieces} {win}");
            // Without a lead an ending is a draw more often than a full board.
            assert!(model.chances(0)[1] >= WinModel::new(pieces + 1).chances(0)[1], "{pieces}");
            assert_eq!(model.reported(half).get(), 100, "{pieces}");
            let (mut last, mut last_chances) = (model.reported(-EVALUATION_LIMIT), [0, 0, 1000]);
            for score in -EVALUATION_LIMIT..=EVALUATION_LIMIT {
                let reported = model.reported(score);
                assert!(reported >= last && !is_decisive(reported.get()), "{pieces} {score}");
                assert_eq!(model.reported(-score).get(), -reported.get(), "{pieces} {score}");
                let [win, draw, loss] = model.chances(score);
                assert_eq!((win + draw + loss, model.chances(-score)), (1000, [loss, draw, win]), "{pieces} {score}");
                assert!(win >= last_chances[0] && loss <= last_chances[2], "{pieces} {score}");
                (last, last_chances) = (reported, [win, draw, loss]);
            }
            for (score, chances) in [(mate_in(5), [1000, 0, 0]), (rule_loss_in(5), [0, 0, 1000])] {
                assert_eq!((model.reported(score).get(), model.chances(score)), (score, chances));
            }
        }
        assert_eq!(WinModel::of(&Position::start()), WinModel::new(32));
    }
}
