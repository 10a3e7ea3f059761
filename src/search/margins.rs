//! Scale of evaluations, pruning margins, reductions and bonuses as pure functions.

use super::params::*;
use crate::position::{Position, exchange_value};
use crate::types::score::{clamp_evaluation, is_decisive};
use crate::types::{Piece, PieceKind, Side, Value};

const KINDS: [PieceKind; 3] = [PieceKind::Rook, PieceKind::Cannon, PieceKind::Horse];
/// Pieces of each kind at the start, of both sides together.
const PIECES_OF_A_KIND: i32 = 4;
/// Value of all of them at the start, in centipawns.
const FULL: i32 = PIECES_OF_A_KIND * (exchange_value(KINDS[0]) + exchange_value(KINDS[1]) + exchange_value(KINDS[2]));
/// Scale that changes nothing.
const UNIT: i32 = 1024;

/// Factor of evaluations in one position by the material on the board, in 1024ths.
///
/// A lead that wins with all pieces on the board is often a draw in an ending. Scaled by the rooks, cannons and horses
/// of both sides, whoever is ahead avoids exchanges, and margins mean about the same in all phases of a game. Scores
/// leave the search in the unit of the evaluation. The idea is that of Stockfish.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MaterialScale(i32);

impl MaterialScale {
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

/// The logarithm to base 2 of `number`, in 1024ths. Integer arithmetic, so that the tree is the same on every machine.
fn log2_1024(number: u32) -> i32 {
    let mut exponent = 31 - number.leading_zeros() as i32;
    // The mantissa in [1, 2) as a fixed-point number with 30 fractional bits; squaring it yields bit after bit.
    let mut mantissa = (number as u64) << (30 - exponent);
    for _ in 0..10 {
        mantissa = (mantissa * mantissa) >> 30;
        exponent *= 2;
        if mantissa >= 2 << 30 {
            mantissa >>= 1;
            exponent += 1;
        }
    }
    exponent
}

/// Base of the late move reductions in 1024ths of a ply, by depth and move count. The depth that it leaves also limits
/// futility and exchange pruning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BaseReductions(Box<[[i16; 64]; 64]>);

impl BaseReductions {
    pub fn new(params: &Params) -> BaseReductions {
        let logarithms: [i32; 64] = std::array::from_fn(|number| log2_1024(number.max(1) as u32));
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
    pub(super) fn base(&self, depth: i32, move_count: i32) -> i32 {
        i32::from(self.0[depth.clamp(0, 63) as usize][move_count.clamp(0, 63) as usize])
    }
}

/// Returns the margin by which an evaluation must exceed beta for reverse futility pruning (RFP).
pub(super) fn reverse_futility(params: &Params, depth: i32, improving: bool, correction: Value) -> Value {
    params.reverse_futility_margin * (depth - i32::from(improving))
        + correction * params.reverse_futility_correction / 100
}

/// Returns the plies by which a node is searched deeper than planned: less deep if the last move was reduced although
/// it let the evaluation of the side to move now `rise`, deeper if it was reduced much and did not.
pub(super) fn hindsight(params: &Params, depth: i32, reduction: i32, rise: Value) -> i32 {
    if reduction >= 4 && rise <= 0 {
        1
    } else if reduction >= 3 && depth >= 2 && rise > params.hindsight_margin {
        -1
    } else {
        0
    }
}

/// Returns the reduction of a null move in plies. `excess` is the evaluation less beta.
pub(super) fn null_move_reduction(params: &Params, depth: i32, excess: Value) -> i32 {
    params.null_move_reduction + depth / params.null_move_depth_divisor + (excess / params.null_move_margin).clamp(0, 3)
}

/// Returns the plies by which the first move of a node off the PV is reduced if the table has no move.
pub(super) fn first_move_reduction(params: &Params, depth: i32, cut_node: bool) -> i32 {
    let more = if cut_node { params.first_move_cut_node_reduction } else { 0 };
    if depth >= 3 { params.first_move_reduction + more } else { 0 }
}

/// Returns the number of moves from which on quiet ones are pruned as late (LMP).
pub(super) fn late_move_count(params: &Params, depth: i32, improving: bool) -> i32 {
    (params.late_move_pruning_base + depth * depth) / (2 - i32::from(improving))
}

/// Returns how much a quiet move could add to the evaluation at this depth, by whether a move of the node raised alpha
/// and whether the static evaluation is above it.
pub(super) fn futility_margin(params: &Params, depth: i32, has_best_move: bool, is_above_alpha: bool) -> Value {
    let extra = i32::from(!has_best_move) + i32::from(is_above_alpha);
    params.futility_base + params.futility_margin * depth + params.futility_extra * extra
}

/// Returns how much a capture with this history could add to the evaluation at this depth besides the victim.
pub(super) fn capture_futility_margin(params: &Params, depth: i32, history: i32) -> Value {
    params.futility_capture_base
        + params.futility_capture_margin * depth
        + history * params.futility_capture_history / 1024
}

/// Returns how much a capture with this history may lose at this depth before it is pruned.
pub(super) fn capture_exchange_margin(params: &Params, depth: i32, history: i32) -> Value {
    (params.exchange_capture_margin * depth + history * params.exchange_capture_history / 1024).max(0)
}

/// Returns how far above beta a capture must stay for ProbCut, and the depth of the search that shows it, 0 and less if
/// quiescence is enough.
pub(super) fn probcut(params: &Params, depth: i32, improving: bool) -> (Value, i32) {
    if improving {
        (params.probcut_margin - params.probcut_improving, depth - 5)
    } else {
        (params.probcut_margin, depth - 3)
    }
}

/// Returns the points of a history bonus or malus at this depth, from 0 to `max`.
pub(super) fn history_points(depth: i32, slope: i32, max: i32) -> i32 {
    (slope * depth - 80).clamp(0, max)
}

/// Returns the history bonus of a quiet table move that cuts off at this depth.
pub(super) fn table_cutoff_bonus(depth: i32) -> i32 {
    (97 * depth).min(1_700)
}

/// Returns the history bonus of a quiet move after which the evaluation of the other side has risen so much.
pub(super) fn evaluation_bonus(params: &Params, rise: Value) -> i32 {
    ((-rise).clamp(-110, 190) + 15) * params.history_evaluation_slope
}

/// Returns the history bonus of a quiet move that led to a node without a good reply: the larger the deeper the node,
/// the later the move was tried, the less its history said so, and the more the evaluation was wrong. `fall` is the
/// evaluation of the node less its value, `gain` the value of the move less the evaluation before it; `None` in check.
pub(super) fn unrefuted_bonus(depth: i32, history: i32, count: i32, fall: Option<Value>, gain: Option<Value>) -> i32 {
    let when = |applies: bool, percent: i32| if applies { percent } else { 0 };
    let percent = (80 * depth).min(500) - 233 - history / 73
        + when(count > 13, 150)
        + when(fall.is_some_and(|fall| fall >= 120), 75)
        + when(gain.is_some_and(|gain| gain >= 80), 160);
    history_points(depth, 150, 2_200) * percent.max(0) / 100
}

/// Returns how far below the singular bound all other moves must fail for an extension by two and by three plies; a
/// negative margin lies above it.
pub(super) fn singular_margins(params: &Params, is_pv: bool, was_pv: bool, is_capture: bool) -> (Value, Value) {
    let when = |applies: bool, amount: Value| if applies { amount } else { 0 };
    let double = when(is_pv, params.singular_double_pv) - when(!is_capture, params.singular_double_quiet);
    let triple =
        params.singular_triple + when(is_pv, params.singular_triple_pv) + when(was_pv, params.singular_triple_was_pv)
            - when(!is_capture, params.singular_triple_quiet);
    (double, triple)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::START_FEN;
    use crate::types::score::{EVALUATION_LIMIT, mate_in};

    #[test]
    fn logarithms_agree_with_floating_point() {
        for number in 1..=4096u32 {
            let exact = f64::from(number).log2() * 1024.0;
            assert!((f64::from(log2_1024(number)) - exact).abs() < 1.5, "{number}");
        }
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

    #[test]
    fn a_move_without_good_reply_gains_more_the_less_it_was_expected() {
        let least = unrefuted_bonus(6, 0, 1, None, None);
        assert!(least > 0 && unrefuted_bonus(6, 1_000_000, 1, None, None) == 0);
        for surprising in [
            unrefuted_bonus(7, 0, 1, None, None),
            unrefuted_bonus(6, -2_000, 1, None, None),
            unrefuted_bonus(6, 0, 14, None, None),
            unrefuted_bonus(6, 0, 1, Some(120), None),
            unrefuted_bonus(6, 0, 1, None, Some(80)),
        ] {
            assert!(surprising > least);
        }
    }

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
                    let values = [scale.apply(huge), scale.remove(huge)];
                    assert!(values.iter().all(|value| value.abs() <= EVALUATION_LIMIT), "{values:?}");
                }
            }
        }
    }
}
