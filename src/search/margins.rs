//! The decisions of the search as plain functions of numbers: what to reduce, what to leave out, what to reward.

use super::history;
use super::params::Params;
use crate::types::Value;

/// The logarithm to base 2 of `number`, in 1024ths. Integer arithmetic, so that every machine gets the same tree.
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

/// Base reductions in 1024ths of a ply by depth and number of the move.
pub struct Reductions(Box<[[i16; 64]; 64]>);

impl Reductions {
    /// Those that follow from the parameters.
    pub fn of(params: &Params) -> Reductions {
        let logarithms: [i32; 64] =
            std::array::from_fn(|number| if number == 0 { 0 } else { log2_1024(number as u32) });
        let mut table = Box::new([[0; 64]; 64]);
        for depth in 1..64 {
            for number in 1..64 {
                let product = logarithms[depth] * logarithms[number] / 1024;
                table[depth][number] = (params.reduction_base + product * params.reduction_factor / 1024) as i16;
            }
        }
        Reductions(table)
    }

    /// How much a late move is reduced before anything else is known of it, in 1024ths of a ply.
    #[inline]
    pub fn base(&self, depth: i32, number: i32) -> i32 {
        i32::from(self.0[depth.clamp(0, 63) as usize][number.clamp(0, 63) as usize])
    }
}

/// The margin by which an evaluation must beat beta for the node to be given up as won.
#[inline]
pub fn reverse_futility_margin(params: &Params, depth: i32, improving: bool) -> Value {
    params.reverse_futility_margin * (depth - i32::from(improving))
}

/// How many plies a null move takes off.
#[inline]
pub fn null_move_reduction(params: &Params, depth: i32, ahead: Value) -> i32 {
    params.null_move_reduction + depth / params.null_move_depth_divisor + (ahead / params.null_move_margin).clamp(0, 3)
}

/// How many moves are tried before the remaining quiet ones are left out.
#[inline]
pub fn late_move_count(params: &Params, depth: i32, improving: bool) -> i32 {
    (params.late_move_base + depth * depth) / (2 - i32::from(improving))
}

/// What a quiet move could add to the evaluation at this depth.
#[inline]
pub fn futility_margin(params: &Params, depth: i32) -> Value {
    params.futility_base + params.futility_margin * depth
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
        let reductions = Reductions::of(&Params::default());
        for depth in 1..63 {
            for number in 1..63 {
                assert!(reductions.base(depth, number) <= reductions.base(depth + 1, number));
                assert!(reductions.base(depth, number) <= reductions.base(depth, number + 1));
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
        let reductions = Reductions::of(&params);
        // Six and a bit squared plies at 600/1024 each, and three more.
        assert!((23_000..=i32::from(i16::MAX)).contains(&reductions.base(63, 63)), "{}", reductions.base(63, 63));
    }
}
