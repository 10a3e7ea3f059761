//! The decisions of the search as plain functions of numbers: what to reduce, what to leave out, what to reward.

use super::history;
use super::params::*;
use crate::types::Value;

/// The logarithm to base 2 of `number`, in 1024ths. Integer arithmetic, so that every machine gets the same tree.
const fn log2_1024(number: u32) -> i32 {
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

/// Base reductions in 1024ths of a ply by depth and number of the move.
static REDUCTIONS: [[i16; 64]; 64] = {
    let mut table = [[0; 64]; 64];
    let mut depth = 1;
    while depth < 64 {
        let mut number = 1;
        while number < 64 {
            let product = log2_1024(depth as u32) * log2_1024(number as u32) / 1024;
            table[depth][number] = (REDUCTION_BASE + product * REDUCTION_FACTOR / 1024) as i16;
            number += 1;
        }
        depth += 1;
    }
    table
};

/// How much a late move is reduced before anything else is known of it, in 1024ths of a ply.
#[inline]
pub fn base_reduction(depth: i32, number: i32) -> i32 {
    i32::from(REDUCTIONS[depth.clamp(0, 63) as usize][number.clamp(0, 63) as usize])
}

/// The margin by which an evaluation must beat beta for the node to be given up as won.
#[inline]
pub fn reverse_futility_margin(depth: i32, improving: bool) -> Value {
    REVERSE_FUTILITY_MARGIN * (depth - i32::from(improving))
}

/// How many plies a null move takes off.
#[inline]
pub fn null_move_reduction(depth: i32, ahead: Value) -> i32 {
    NULL_MOVE_REDUCTION + depth / NULL_MOVE_DEPTH_DIVISOR + (ahead / NULL_MOVE_MARGIN).clamp(0, 3)
}

/// How many moves are tried before the remaining quiet ones are left out.
#[inline]
pub fn late_move_count(depth: i32, improving: bool) -> i32 {
    (LATE_MOVE_BASE + depth * depth) / (2 - i32::from(improving))
}

/// What a quiet move could add to the evaluation at this depth.
#[inline]
pub fn futility_margin(depth: i32) -> Value {
    FUTILITY_BASE + FUTILITY_MARGIN * depth
}

/// The reward for the move that caused a cut-off.
#[inline]
pub fn history_bonus(depth: i32) -> i32 {
    (160 * depth - 80).clamp(0, history::LIMIT / 10)
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
        for depth in 1..63 {
            for number in 1..63 {
                assert!(base_reduction(depth, number) <= base_reduction(depth + 1, number));
                assert!(base_reduction(depth, number) <= base_reduction(depth, number + 1));
            }
        }
        assert_eq!(base_reduction(500, 500), base_reduction(63, 63));
    }
}
