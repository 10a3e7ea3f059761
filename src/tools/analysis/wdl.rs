//! What scores mean for the result of a game, and how grave a mistake is.
//!
//! A winning chance is the share of the point a side can expect, from 0 to 1, where a draw is worth a half. A move is
//! judged by what it throws away of it: half a pawn matters in an even game and is nothing when a rook is won anyway.

use crate::types::Value;
use crate::types::score::is_decisive;

/// The score in centipawns at which the chances are e to 1, about 73 %. Fitted by least cross entropy to the results of
/// 250 master games (Yu-Han Tseng and Bo-Nian Chen, Chinese Chess Practical Dataset, CC BY 4.0, and others) and the
/// scores of searches of 8,000 nodes in all their positions but the first ten.
pub const SCALE: f64 = 250.0;

/// How fast accuracy falls with the loss: to 78 at a loss of 0.05, to 37 at a loss of 0.2.
const STEEPNESS: f64 = 5.0;

/// The winning chance of whom the score is seen from: the logistic function of the centipawns in units of [`SCALE`].
/// Mates and other decided games are certain.
///
/// ```
/// use chuhe::tools::analysis::wdl::winning_chance;
/// use chuhe::types::score::mate_in;
/// assert_eq!(winning_chance(0), 0.5);
/// assert_eq!(winning_chance(mate_in(5)), 1.0);
/// assert!((winning_chance(100) + winning_chance(-100) - 1.0).abs() < 1e-12);
/// ```
pub fn winning_chance(score: Value) -> f64 {
    if is_decisive(score) {
        return if score > 0 { 1.0 } else { 0.0 };
    }
    1.0 / (1.0 + (-f64::from(score) / SCALE).exp())
}

/// The accuracy of a move in percent: 100 · e^(−5 · loss).
///
/// ```
/// use chuhe::tools::analysis::wdl::accuracy;
/// assert_eq!(accuracy(0.0), 100.0);
/// assert!(accuracy(0.3) < accuracy(0.1));
/// ```
pub fn accuracy(loss: f64) -> f64 {
    100.0 * (-STEEPNESS * loss).exp()
}

/// How grave a mistake is.
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
    /// All of them, the most_serious last.
    pub const ALL: [Mark; 3] = [Mark::Inaccuracy, Mark::Mistake, Mark::Blunder];

    /// The least loss of winning chance that earns it.
    pub const fn threshold(self) -> f64 {
        match self {
            Mark::Inaccuracy => 0.05,
            Mark::Mistake => 0.10,
            Mark::Blunder => 0.20,
        }
    }

    /// The mark of a move that loses so much winning chance.
    ///
    /// ```
    /// use chuhe::tools::analysis::wdl::Mark;
    /// assert_eq!(Mark::of(0.04), None);
    /// assert_eq!(Mark::of(0.12), Some(Mark::Mistake));
    /// assert_eq!(Mark::of(1.0), Some(Mark::Blunder));
    /// ```
    pub fn of(loss: f64) -> Option<Mark> {
        Mark::ALL.into_iter().rev().find(|mark| loss >= mark.threshold())
    }

    /// Its name in text and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Mark::Inaccuracy => "inaccuracy",
            Mark::Mistake => "mistake",
            Mark::Blunder => "blunder",
        }
    }

    /// What is written behind a move.
    pub const fn sign(self) -> &'static str {
        match self {
            Mark::Inaccuracy => "?!",
            Mark::Mistake => "?",
            Mark::Blunder => "??",
        }
    }
}
