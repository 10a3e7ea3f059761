//! What a quiet position is worth.
//!
//! There are two answers. The [`network`] was trained on games and is what the engine plays by; an [`Evaluator`] asks it
//! along the moves of a search. The hand-made one judges for those who shall know less and explains itself to people.
//!
//! The latter is a small, linear, tapered evaluation: every term is a weight times a count, and all weights stand in
//! `weights.rs`.
//! The terms are those of Xu & Wang (2006) and Huang, Lin & Ren (2007), with weights fitted to games. What men are
//! worth by themselves, by their places and beside other men follows the moves through [`PlacementStack`]; the rest is
//! counted anew. The sum is shrunk where the men that are left are known not to win ([`winning_chance`]). It knows
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
pub use ending::{WHOLE_CHANCE, winning_chance};
pub use evaluator::Evaluator;
pub use material::Material;
pub use placement::{Placement, PlacementStack, WHOLE_PHASE};
pub use table::table;
pub use tapered::Tapered;
pub use terms::{PLACES, TERMS, Terms};
pub use trace::Trace;
pub use weights::WEIGHTS;

use crate::position::Position;
use crate::types::score::clamp_evaluation;
use crate::types::{Side, Value};
use terms::{Sum, Tally, count};

/// The hand-made value of `position` for the side to move, within ±[`crate::types::score::EVALUATION_LIMIT`].
///
/// `placement` is what [`PlacementStack`] (or [`Placement::of`]) says of the same position.
#[inline]
pub fn evaluate_with(position: &Position, placement: Placement) -> Value {
    let mut sum = Sum::default();
    count_terms(position, &mut sum);
    let score = placement.score + sum.0[0] - sum.0[1];
    let for_red = realistic(position, score.blend(bounded(placement.phase), WHOLE_PHASE), Side::Red);
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
    evaluate_with(position, Placement::of(position))
}

/// What is left of a value for `side` when the side that is ahead may be unable to win.
#[inline]
fn realistic(position: &Position, value: Value, side: Side) -> Value {
    let ahead = if value > 0 { side } else { !side };
    clamp_evaluation(value * winning_chance(position, ahead) / WHOLE_CHANCE)
}

/// The phase, at most [`WHOLE_PHASE`]: surplus men of composed problems do not lead beyond the opening.
#[inline(always)]
fn bounded(phase: Value) -> Value {
    phase.min(WHOLE_PHASE)
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
