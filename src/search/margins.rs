//! Pruning margins, reductions and bonuses as pure functions.

use super::params::*;
use crate::types::Value;

/// The logarithm to base 2 of `number`, in 1024ths. Integer arithmetic, so that the tree is the same on every machine.
fn log2_1024(number: u32) -> i32 {
    let mut exponent = 31 - number.leading_zeros() as i32;
    // The mantissa in [1, 2) as a fixed-point number with 30 fractional bits; squaring it yields bit after bit.
    let mut mantissa = (number as u64) << (30 - exponent);
    let mut bit = 0;
    while bit < 10 {
        mantissa = (mantissa * mantissa) >> 30;
        exponent *= 2;
        if mantissa >= 2 << 30 {
            mantissa >>= 1;
            exponent += 1;
        }
        bit += 1;
    }
    exponent
}

/// Base of the late move reductions in 1024ths of a ply, by depth and move count. The depth that it leaves also limits
/// futility, history and exchange pruning of quiet moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BaseReductions(Box<[[i16; 64]; 64]>);

impl BaseReductions {
    /// The table that follows from the parameters.
    pub fn new(params: &Params) -> BaseReductions {
        let logarithms: [i32; 64] =
            std::array::from_fn(|number| if number == 0 { 0 } else { log2_1024(number as u32) });
        let mut table = Box::new([[0; 64]; 64]);
        for depth in 1..64 {
            for move_count in 1..64 {
                let product = logarithms[depth] * logarithms[move_count] / 1024;
                table[depth][move_count] = (params.reduction_base + product * params.reduction_factor / 1024) as i16;
            }
        }
        BaseReductions(table)
    }

    /// The base reduction of a move in 1024ths of a ply; `move_count` is 1 for the first move of a node.
    #[inline]
    pub(super) fn base(&self, depth: i32, move_count: i32) -> i32 {
        i32::from(self.0[depth.clamp(0, 63) as usize][move_count.clamp(0, 63) as usize])
    }
}

/// Facts about a late move and its node that change its reduction.
pub(super) struct ReductionContext {
    pub cut_node: bool,
    pub was_pv: bool,
    pub improving: bool,
    /// The move evades or gives check.
    pub in_or_gives_check: bool,
    /// History of the move.
    pub history: i32,
}

/// Returns the reduction of a late move in plies, from its base in 1024ths of a ply.
#[inline(always)]
pub(super) fn late_move_reduction(params: &Params, mut reduction: i32, context: &ReductionContext) -> i32 {
    if context.cut_node {
        reduction += REDUCTION_CUT_NODE;
    }
    if context.was_pv {
        reduction -= REDUCTION_WAS_PV;
    }
    if !context.improving {
        reduction += REDUCTION_NOT_IMPROVING;
    }
    if context.in_or_gives_check {
        reduction -= REDUCTION_CHECK;
    }
    reduction -= context.history * 1024 / params.reduction_history;
    reduction / 1024
}

/// Returns the margin by which an evaluation must exceed beta for reverse futility pruning.
#[inline]
pub(super) fn reverse_futility_margin(params: &Params, depth: i32, improving: bool) -> Value {
    params.reverse_futility_margin * (depth - i32::from(improving))
}

/// Returns the reduction of a null move in plies. `excess` is the evaluation less beta.
#[inline]
pub(super) fn null_move_reduction(params: &Params, depth: i32, excess: Value) -> i32 {
    params.null_move_reduction
        + depth / params.null_move_depth_divisor
        + (excess / params.null_move_margin).clamp(0, NULL_MOVE_EXCESS_PLIES)
}

/// Returns the number of moves that are searched before late move pruning skips the quiet ones.
#[inline]
pub(super) fn late_move_pruning_count(params: &Params, depth: i32, improving: bool) -> i32 {
    (params.late_move_pruning_base + depth * depth) / (2 - i32::from(improving))
}

/// Returns how much a quiet move could add to the evaluation at this depth.
#[inline]
pub(super) fn futility_margin(params: &Params, depth: i32) -> Value {
    params.futility_base + params.futility_margin * depth
}

/// Returns the history bonus of the move that caused a cut-off.
#[inline]
pub(super) fn history_bonus(depth: i32) -> i32 {
    (HISTORY_BONUS_SLOPE * depth - HISTORY_BONUS_OFFSET).clamp(0, HISTORY_BONUS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_agree_with_floating_point() {
        for number in 1..=4096u32 {
            let exact = f64::from(number).log2() * 1024.0;
            assert!((f64::from(log2_1024(number)) - exact).abs() < 1.5, "{number}");
        }
    }

    #[test]
    fn deeper_and_later_moves_are_reduced_more() {
        let reductions = BaseReductions::new(&Params::default());
        for depth in 1..63 {
            for move_count in 1..63 {
                assert!(reductions.base(depth, move_count) <= reductions.base(depth + 1, move_count));
                assert!(reductions.base(depth, move_count) <= reductions.base(depth, move_count + 1));
            }
        }
        assert_eq!(reductions.base(500, 500), reductions.base(63, 63));
        // The reduction of the second move at depth 2 is the base and one factor.
        assert_eq!(reductions.base(2, 2), 400 + 230);
    }

    #[test]
    fn reductions_follow_the_parameters_and_never_overflow() {
        let extremes = Params::LIST.iter().filter(|parameter| parameter.name.starts_with("reduction_"));
        let mut params = Params::default();
        for parameter in extremes {
            params.set(parameter.name, parameter.max).unwrap();
        }
        let reductions = BaseReductions::new(&params);
        // Six and a bit squared plies at 600/1024 each, and three more.
        assert!((23_000..=i32::from(i16::MAX)).contains(&reductions.base(63, 63)), "{}", reductions.base(63, 63));
    }
}
