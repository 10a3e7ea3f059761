//! Winning chances of scores, and marks of mistakes.
//!
//! A winning chance is the expected share of the point, from 0 to 1; a draw counts a half. The loss of a move is the
//! winning chance that it gives away: half a pawn matters in an even game and hardly when a rook ahead.

use crate::types::Value;
use crate::types::score::is_decisive;
use crate::util::math::logistic;

/// Score in centipawns at which the odds are e to 1, about 73 %. Fitted by minimal cross-entropy to the results of
/// 250 master games (Yu-Han Tseng and Bo-Nian Chen, Chinese Chess Practical Dataset, CC BY 4.0, and others) and the
/// scores of searches of 8,000 nodes in all their positions except the first ten.
pub const SCALE: f64 = 250.0;

/// Decay of accuracy with the loss: 78 at a loss of 0.05, 37 at a loss of 0.2.
const STEEPNESS: f64 = 5.0;

/// Returns the winning chance for the side of the score: the logistic function of the centipawns in units of [`SCALE`];
/// 0 or 1 for mates and other decided games.
///
/// ```
/// use chuhe::commands::analysis::wdl::winning_chance;
/// use chuhe::types::score::mate_in;
/// assert_eq!(winning_chance(0), 0.5);
/// assert_eq!(winning_chance(mate_in(5)), 1.0);
/// assert!((winning_chance(100) + winning_chance(-100) - 1.0).abs() < 1e-12);
/// ```
pub fn winning_chance(score: Value) -> f64 {
    if is_decisive(score) {
        return if score > 0 { 1.0 } else { 0.0 };
    }
    logistic(f64::from(score) / SCALE)
}

/// Returns the accuracy of a move in percent: 100 · e^(−5 · loss).
///
/// ```
/// use chuhe::commands::analysis::wdl::accuracy;
/// assert_eq!(accuracy(0.0), 100.0);
/// assert!(accuracy(0.3) < accuracy(0.1));
/// ```
pub fn accuracy(loss: f64) -> f64 {
    100.0 * (-STEEPNESS * loss).exp()
}

/// Mark of a mistake.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mark {
    /// A loss of 0.05 or more.
    Inaccuracy,
    /// A loss of 0.10 or more.
    Mistake,
    /// A loss of 0.20 or more.
    Blunder,
}

impl Mark {
    /// All marks, the most serious last.
    pub const ALL: [Mark; 3] = [Mark::Inaccuracy, Mark::Mistake, Mark::Blunder];

    /// Returns the smallest loss of winning chance with this mark.
    pub const fn threshold(self) -> f64 {
        match self {
            Mark::Inaccuracy => 0.05,
            Mark::Mistake => 0.10,
            Mark::Blunder => 0.20,
        }
    }

    /// Returns the mark of a loss of winning chance, if any.
    ///
    /// ```
    /// use chuhe::commands::analysis::wdl::Mark;
    /// assert_eq!(Mark::from_loss(0.04), None);
    /// assert_eq!(Mark::from_loss(0.12), Some(Mark::Mistake));
    /// assert_eq!(Mark::from_loss(1.0), Some(Mark::Blunder));
    /// ```
    pub fn from_loss(loss: f64) -> Option<Mark> {
        Mark::ALL.into_iter().rev().find(|mark| loss >= mark.threshold())
    }

    /// Returns the name in text and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Mark::Inaccuracy => "inaccuracy",
            Mark::Mistake => "mistake",
            Mark::Blunder => "blunder",
        }
    }

    /// Returns the sign after a move.
    pub const fn sign(self) -> &'static str {
        match self {
            Mark::Inaccuracy => "?!",
            Mark::Mistake => "?",
            Mark::Blunder => "??",
        }
    }
}
