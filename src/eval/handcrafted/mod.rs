//! Hand-made evaluation: a small linear, tapered evaluation.
//!
//! Every term is a weight times a count, and all weights are in `weights.rs`, fitted to games by `chuhe tune`. The
//! terms are those of Xu & Wang (2006) and Huang, Lin & Ren (2007). Piece values, piece-square tables and material
//! imbalance are updated incrementally by [`PsqtStack`]; the other terms are counted at each evaluation. The sum is
//! multiplied by [`scale_factor`] where the remaining pieces are known not to win.

mod activity;
mod attack;
pub mod classic;
mod psqt;
mod scale_factor;
mod terms;
mod trace;
mod weights;

pub(super) use attack::AttackWeights;
pub use attack::{ATTACK_GROUPS, attack_values};
pub use psqt::{Imbalance, MAX_PHASE, PsqtScore, PsqtStack};
pub use scale_factor::{MAX_SCALE, scale_factor};
pub use terms::{PSQT_SIZE, TERMS, Tapered, Terms};
pub use trace::Trace;
pub use weights::WEIGHTS;

use crate::position::Position;
use crate::types::score::clamp_evaluation;
use crate::types::{Side, Value};
use terms::{Accumulate, add_term};

/// Returns the value of `position` for its side to move, everything counted from scratch, in centipawns within
/// ±[`crate::types::score::EVALUATION_LIMIT`].
///
/// ```
/// use chuhe::{eval::handcrafted, position::Position};
/// let start = handcrafted::evaluate(&Position::start());
/// assert!((0..100).contains(&start), "the start position is even except for the tempo");
/// ```
pub fn evaluate(position: &Position) -> Value {
    evaluate_with(position, PsqtScore::new(position))
}

/// Returns the same value with the incremental part given: `psqt` is that of [`PsqtStack`] or [`PsqtScore::new`] for
/// the same position.
#[inline]
pub fn evaluate_with(position: &Position, psqt: PsqtScore) -> Value {
    let mut sum = WeightedSum::default();
    count_terms(position, &mut sum);
    let score = psqt.score + sum.0[0] - sum.0[1];
    let for_red = apply_scale(position, score.blend(psqt.clamped_phase(), MAX_PHASE), Side::Red);
    if position.side() == Side::Red { for_red } else { -for_red }
}

/// Multiplies a value for `side` by the scale factor of the side that is ahead.
#[inline]
pub(super) fn apply_scale(position: &Position, value: Value, side: Side) -> Value {
    let ahead = if value > 0 { side } else { !side };
    clamp_evaluation(value * scale_factor(position, ahead) / MAX_SCALE)
}

/// Counts every term except those that are updated incrementally.
#[inline]
fn count_terms<A: Accumulate>(position: &Position, sum: &mut A) {
    // Written out for each side: with the side known, sums stay in registers. A loop would go through memory.
    count_side(position, Side::Red, sum);
    count_side(position, Side::Black, sum);
    add_term!(sum, position.side(), tempo[0]);
}

#[inline(always)]
fn count_side<A: Accumulate>(position: &Position, side: Side, sum: &mut A) {
    activity::count_mobility(position, side, sum);
    activity::count_king_danger(position, side, sum);
    activity::count_crossed_pawns(position, side, sum);
}

/// Weighted sum of all terms for Red and for Black, as the search needs it.
#[derive(Default)]
struct WeightedSum([Tapered; 2]);

impl Accumulate for WeightedSum {
    #[inline(always)]
    fn add(
        &mut self,
        side: Side,
        times: Value,
        weight: impl FnOnce(&Terms<Tapered>) -> Tapered,
        _: impl FnOnce(&mut Terms<Value>) -> &mut Value,
    ) {
        self.0[side.index()] += weight(&WEIGHTS) * times;
    }
}
