//! What a quiet position is worth.
//!
//! There are two answers. The [`network`] was trained on games and is what the engine plays by; an [`Evaluator`] asks it
//! along the moves of a search. The hand-made one judges for those who shall know less and explains itself to people.
//!
//! The latter is a small, linear, tapered evaluation: every term is a weight times a count, and all weights stand in
//! `weights.rs`.
//! The terms are those of Xu & Wang (2006) and Huang, Lin & Ren (2007), with weights fitted to games. What men are
//! worth by themselves, by their places and beside other men follows the moves through [`PsqtStack`]; the rest is
//! counted anew. The sum is shrunk where the men that are left are known not to win ([`scale_factor`]). It knows
//! neither the search nor the history of the game.

mod config;
mod coordination;
mod ending;
mod evaluator;
mod king;
mod material;
mod mobility;
pub mod network;
mod placement;
mod table;
mod tapered;
mod terms;
mod trace;
mod weights;

pub use config::{ATTACK, EvalConfig, Knowledge};
pub use ending::{MAX_SCALE, scale_factor};
pub use evaluator::Evaluator;
pub use material::Imbalance;
pub use placement::{MAX_PHASE, PsqtScore, PsqtStack};
pub use table::table;
pub use tapered::Tapered;
pub use terms::{PSQT_SIZE, TERMS, Terms};
pub use trace::Trace;
pub use weights::WEIGHTS;

use crate::position::Position;
use crate::types::score::clamp_evaluation;
use crate::types::{Side, Value};
use terms::{Sum, Tally, count};

/// The hand-made value of `position` for the side to move, within ±[`crate::types::score::EVALUATION_LIMIT`].
///
/// `placement` is what [`PsqtStack`] (or [`PsqtScore::new`]) says of the same position.
#[inline]
pub fn evaluate_with(position: &Position, placement: PsqtScore) -> Value {
    let mut sum = Sum::default();
    count_terms(position, &mut sum);
    let score = placement.score + sum.0[0] - sum.0[1];
    let for_red = apply_scale(position, score.blend(bounded(placement.phase), MAX_PHASE), Side::Red);
    if position.side() == Side::Red { for_red } else { -for_red }
}

/// The hand-made value of `position` for the side to move, everything counted anew.
///
/// ```
/// use chuhe::{eval, position::Position};
/// let start = eval::evaluate(&Position::start());
/// assert!((0..100).contains(&start), "the start is even but for the right to move");
/// ```
pub fn evaluate(position: &Position) -> Value {
    evaluate_with(position, PsqtScore::new(position))
}

/// What is left of a value for `side` when the side that is ahead may be unable to win.
#[inline]
fn apply_scale(position: &Position, value: Value, side: Side) -> Value {
    let ahead = if value > 0 { side } else { !side };
    clamp_evaluation(value * scale_factor(position, ahead) / MAX_SCALE)
}

/// The phase, at most [`MAX_PHASE`]: surplus men of composed problems do not lead beyond the opening.
#[inline(always)]
fn bounded(phase: Value) -> Value {
    phase.min(MAX_PHASE)
}

/// Counts every term but those that follow the moves man by man.
#[inline]
fn count_terms<T: Tally>(position: &Position, tally: &mut T) {
    // Written out for each side: with the side known, sums stay in registers. A loop would go through memory.
    count_side(position, Side::Red, tally);
    count_side(position, Side::Black, tally);
    count!(tally, position.side(), tempo[0]);
}

#[inline(always)]
fn count_side<T: Tally>(position: &Position, side: Side, tally: &mut T) {
    mobility::count_mobility(position, side, tally);
    king::count_king_safety(position, side, tally);
    coordination::count_coordination(position, side, tally);
}
