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

/// Base of the late move reductions in 1024ths of a ply, by depth and move count. The depth that it leaves, changed by
/// the history of the move, also limits futility and exchange pruning of quiet moves, and without history futility of
/// captures and exchange pruning of evasions.
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
    pub is_pv: bool,
    pub improving: bool,
    /// Number of the move among those of its node, 1 for the first.
    pub move_count: i32,
    /// The move evades or gives check.
    pub in_or_gives_check: bool,
    /// The table move captures.
    pub table_capture: bool,
    /// Children of the ply had several cut-offs.
    pub many_cutoffs: bool,
    /// A cut-off is expected, and the table has no move.
    pub no_table_move: bool,
    /// The move captures, and the picker returned it before the quiet moves.
    pub good_capture: bool,
    /// The table value beats alpha.
    pub high_table_value: bool,
    /// The table entry is at least as deep as the node.
    pub deep_entry: bool,
    /// Size of the correction of the evaluation in centipawns.
    pub correction: Value,
    /// History of the move.
    pub history: i32,
}

/// Returns the reduction of a late move in plies, from its base in 1024ths of a ply. It is negative for an extension.
#[inline(always)]
pub(super) fn late_move_reduction(params: &Params, mut reduction: i32, context: &ReductionContext) -> i32 {
    if context.cut_node {
        reduction += params.reduction_cut_node;
    }
    if context.was_pv {
        reduction -= params.reduction_was_pv;
        if context.high_table_value {
            reduction -= params.reduction_was_pv_high;
        }
        if context.deep_entry {
            reduction -= params.reduction_was_pv_deep;
        }
    }
    if context.no_table_move {
        reduction += params.reduction_no_table_move;
    }
    if context.good_capture {
        reduction -= params.reduction_good_capture;
    }
    if context.is_pv {
        reduction -= params.reduction_pv;
    }
    if !context.improving {
        reduction += params.reduction_not_improving;
    }
    if context.in_or_gives_check {
        reduction -= params.reduction_check;
    }
    if context.table_capture {
        reduction += params.reduction_table_capture;
    }
    if context.many_cutoffs {
        reduction += params.reduction_cutoffs;
        if !context.cut_node && !context.is_pv {
            reduction += params.reduction_cutoffs_all_node;
        }
    }
    reduction += params.reduction_offset - params.reduction_move_count * context.move_count;
    reduction -= context.correction * params.reduction_correction;
    reduction -= history_reduction(params, context.history);
    reduction / 1024
}

/// Returns by how much a move is reduced less for its history, in 1024ths of a ply.
#[inline(always)]
pub(super) fn history_reduction(params: &Params, history: i32) -> i32 {
    history * 1024 / params.reduction_history
}

/// Returns the margin by which an evaluation must exceed beta for reverse futility pruning; `None` if the node is too
/// deep for it.
///
/// `no_quiet` tells that the node was on no principal variation and that the transposition table knows no quiet move.
/// `correction` is the size of the correction of the evaluation in centipawns.
#[inline]
pub(super) fn reverse_futility_margin(
    params: &Params,
    depth: i32,
    improving: bool,
    no_quiet: bool,
    correction: Value,
) -> Option<Value> {
    let (max_depth, margin) = if no_quiet {
        (params.reverse_futility_no_quiet_depth, params.reverse_futility_no_quiet_margin)
    } else {
        (params.reverse_futility_depth, params.reverse_futility_margin)
    };
    let margin = margin * (depth - i32::from(improving)) + correction * params.reverse_futility_correction / 100;
    (depth <= max_depth).then_some(margin)
}

/// Returns the plies by which a node is searched deeper than planned, seen from its evaluation: less deep if the last
/// move was reduced although the evaluation rose, deeper if it was reduced much and the evaluation did not rise.
///
/// `rise` is the change of the evaluation by the last move, for the side to move now.
#[inline]
pub(super) fn hindsight(params: &Params, depth: i32, reduction: i32, rise: Value) -> i32 {
    if reduction >= params.hindsight_extension_plies && rise <= 0 {
        1
    } else if reduction >= params.hindsight_reduction_plies && depth >= 2 && rise > params.hindsight_margin {
        -1
    } else {
        0
    }
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

/// Returns how much a quiet move could add to the evaluation at this depth. `has_best_move` tells that a move of the
/// node raised alpha, `is_above_alpha` that the static evaluation is above it.
#[inline]
pub(super) fn futility_margin(params: &Params, depth: i32, has_best_move: bool, is_above_alpha: bool) -> Value {
    let first = if has_best_move { 0 } else { params.futility_no_best_move };
    let above = if is_above_alpha { params.futility_above_alpha } else { 0 };
    params.futility_base + params.futility_margin * depth + first + above
}

/// Returns how much a capture with this history could add to the evaluation at this reduced depth besides the victim;
/// negative for a very poor history.
#[inline]
pub(super) fn capture_futility_margin(params: &Params, depth: i32, history: i32) -> Value {
    params.futility_capture_base
        + params.futility_capture_margin * depth
        + history * params.futility_capture_history / 1024
}

/// Returns how much a capture with this history may lose at this depth before it is pruned.
#[inline]
pub(super) fn capture_exchange_margin(params: &Params, depth: i32, history: i32) -> Value {
    (params.exchange_capture_margin * depth + history * params.exchange_capture_history / 1024).max(0)
}

/// Returns how far above beta a capture must stay for ProbCut, and the depth of the search that shows it, 0 and less if
/// quiescence is enough.
#[inline]
pub(super) fn probcut(params: &Params, depth: i32, improving: bool) -> (Value, i32) {
    if improving {
        (params.probcut_margin - params.probcut_improving, depth - PROBCUT_IMPROVING_REDUCTION)
    } else {
        (params.probcut_margin, depth - PROBCUT_REDUCTION)
    }
}

/// Returns the reduction of the first move of a node without a table move, in plies.
#[inline]
pub(super) fn first_move_reduction(params: &Params, depth: i32, cut_node: bool) -> i32 {
    if depth < FIRST_MOVE_DEPTH {
        return 0;
    }
    params.first_move_reduction + if cut_node { params.first_move_cut_node_reduction } else { 0 }
}

/// Returns the plies by which a move is searched deeper than usual after a reduced search that beat alpha. `gain` is
/// its value there less the best value so far.
#[inline]
pub(super) fn research_extension(params: &Params, gain: Value) -> i32 {
    i32::from(gain > params.research_deeper_margin) - i32::from(gain < params.research_shallower_margin)
}

/// Returns the history bonus of a quiet move after which the evaluation of the opponent rose by `rise` centipawns.
#[inline]
pub(super) fn evaluation_bonus(params: &Params, rise: Value) -> i32 {
    let change = (-rise).clamp(-params.history_evaluation_fall, params.history_evaluation_rise);
    (change + params.history_evaluation_offset) * params.history_evaluation_slope
}

/// Returns the history bonus of the best move of a node.
#[inline]
pub(super) fn history_bonus(params: &Params, depth: i32) -> i32 {
    history_points(depth, params.history_bonus_slope, params.history_bonus_max)
}

/// Returns the history malus of the moves searched besides the best move of a node.
#[inline]
pub(super) fn history_malus(params: &Params, depth: i32) -> i32 {
    history_points(depth, params.history_malus_slope, params.history_malus_max)
}

/// Returns the points of a bonus or malus at this depth, from 0 to `max`.
#[inline]
fn history_points(depth: i32, slope: i32, max: i32) -> i32 {
    (slope * depth - HISTORY_OFFSET).clamp(0, max)
}

/// Returns the history bonus of a quiet table move that cuts off.
#[inline]
pub(super) fn table_move_bonus(params: &Params, depth: i32) -> i32 {
    (params.history_table_slope * depth).min(params.history_table_max)
}

/// Facts about a quiet move and the node without a good reply that it led to.
pub(super) struct UnrefutedMove {
    /// Depth of the node.
    pub depth: i32,
    /// Points of the move for reductions.
    pub history: i32,
    /// Number of the move among those of its node.
    pub move_count: i32,
    /// Evaluation of the node less its value; `None` in check.
    pub fall: Option<Value>,
    /// Value of the move less the evaluation before it; `None` if that node was in check.
    pub gain: Option<Value>,
}

/// Returns the history bonus of a quiet move that led to a node without a good reply, before the percentages of the
/// histories: the larger the deeper the node, the later the move was tried, the less its history said so, and the more
/// the evaluation was wrong before it and after it.
#[inline]
pub(super) fn unrefuted_bonus(params: &Params, context: &UnrefutedMove) -> i32 {
    let &UnrefutedMove { depth, history, move_count, fall, gain } = context;
    let mut weight = (params.history_fail_low_slope * depth).min(FAIL_LOW_MAX_WEIGHT)
        - params.history_fail_low_base
        - history / FAIL_LOW_HISTORY_DIVISOR;
    if move_count > FAIL_LOW_LATE_MOVE {
        weight += params.history_fail_low_late;
    }
    if fall.is_some_and(|fall| fall >= FAIL_LOW_FALL) {
        weight += params.history_fail_low_fall;
    }
    if gain.is_some_and(|gain| gain >= FAIL_LOW_GAIN) {
        weight += params.history_fail_low_gain;
    }
    history_points(depth, FAIL_LOW_SLOPE, FAIL_LOW_MAX) * weight.max(0) / 100
}

/// Returns the least static exchange value of a capture that comes before the quiet moves, from its rank among the
/// captures.
#[inline]
pub(super) fn good_capture_threshold(params: &Params, rank: i32) -> Value {
    -rank / params.order_exchange_divisor
}

/// Returns how far below the singular bound all other moves must fail for an extension by two and by three plies. A
/// negative margin lies above that bound.
#[inline]
pub(super) fn singular_margins(params: &Params, is_pv: bool, was_pv: bool, is_capture: bool) -> (Value, Value) {
    let (mut double, mut triple) = (params.singular_double, params.singular_triple);
    if is_pv {
        double += params.singular_double_pv;
        triple += params.singular_triple_pv;
    }
    if was_pv {
        triple += params.singular_triple_was_pv;
    }
    if !is_capture {
        double -= params.singular_double_quiet;
        triple -= params.singular_triple_quiet;
    }
    (double, triple)
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
        let params = Params { reduction_base: 400, reduction_factor: 230, ..Params::default() };
        let reductions = BaseReductions::new(&params);
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

    fn context() -> ReductionContext {
        ReductionContext {
            cut_node: false,
            was_pv: false,
            is_pv: false,
            improving: true,
            move_count: 0,
            in_or_gives_check: false,
            table_capture: false,
            many_cutoffs: false,
            no_table_move: false,
            good_capture: false,
            high_table_value: false,
            deep_entry: false,
            correction: 0,
            history: 0,
        }
    }

    #[test]
    fn every_fact_changes_the_reduction_in_its_direction() {
        let params = Params {
            reduction_cut_node: 1024,
            reduction_was_pv: 1024,
            reduction_pv: 1024,
            reduction_not_improving: 1024,
            reduction_check: 1024,
            reduction_table_capture: 1024,
            reduction_cutoffs: 1024,
            reduction_cutoffs_all_node: 1024,
            reduction_no_table_move: 1024,
            reduction_good_capture: 1024,
            reduction_was_pv_high: 1024,
            reduction_was_pv_deep: 1024,
            reduction_correction: 64,
            reduction_offset: 0,
            reduction_move_count: 256,
            ..Params::default()
        };
        let reduction = |context: ReductionContext| late_move_reduction(&params, 4 * 1024, &context);
        assert_eq!(reduction(context()), 4);
        assert_eq!(reduction(ReductionContext { cut_node: true, ..context() }), 5);
        assert_eq!(reduction(ReductionContext { was_pv: true, ..context() }), 3);
        assert_eq!(reduction(ReductionContext { is_pv: true, ..context() }), 3);
        assert_eq!(reduction(ReductionContext { improving: false, ..context() }), 5);
        assert_eq!(reduction(ReductionContext { in_or_gives_check: true, ..context() }), 3);
        assert_eq!(reduction(ReductionContext { table_capture: true, ..context() }), 5);
        // Two plies where all moves are expected to fail low; one elsewhere, beside the ply for the kind of node.
        assert_eq!(reduction(ReductionContext { many_cutoffs: true, ..context() }), 4 + 2);
        assert_eq!(reduction(ReductionContext { many_cutoffs: true, cut_node: true, ..context() }), 4 + 1 + 1);
        assert_eq!(reduction(ReductionContext { many_cutoffs: true, is_pv: true, ..context() }), 4 + 1 - 1);
        assert_eq!(reduction(ReductionContext { no_table_move: true, ..context() }), 5);
        assert_eq!(reduction(ReductionContext { good_capture: true, ..context() }), 3);
        // What the table knows counts at nodes of former principal variations alone.
        let known = ReductionContext { high_table_value: true, deep_entry: true, ..context() };
        assert_eq!(reduction(known), 4);
        assert_eq!(reduction(ReductionContext { was_pv: true, high_table_value: true, ..context() }), 2);
        assert_eq!(reduction(ReductionContext { was_pv: true, deep_entry: true, ..context() }), 2);
        assert_eq!(reduction(ReductionContext { correction: 32, ..context() }), 2);
        assert_eq!(reduction(ReductionContext { move_count: 8, ..context() }), 2);
        let with_offset = Params { reduction_offset: 1024, ..params };
        assert_eq!(late_move_reduction(&with_offset, 4 * 1024, &context()), 5);
        let history = 2 * params.reduction_history;
        assert_eq!(reduction(ReductionContext { history, ..context() }), 2);
        assert_eq!(reduction(ReductionContext { history: -history, ..context() }), 6);
    }

    #[test]
    fn reverse_futility_has_a_margin_down_to_its_depth() {
        let params = Params {
            reverse_futility_depth: 8,
            reverse_futility_margin: 70,
            reverse_futility_no_quiet_depth: 12,
            reverse_futility_no_quiet_margin: 40,
            reverse_futility_correction: 50,
            ..Params::default()
        };
        let margin = |depth, improving, no_quiet, correction| {
            reverse_futility_margin(&params, depth, improving, no_quiet, correction)
        };
        assert_eq!(margin(8, false, false, 0), Some(560));
        assert_eq!(margin(8, true, false, 30), Some(505));
        assert_eq!(margin(9, false, false, 0), None);
        assert_eq!((margin(12, false, true, 0), margin(13, false, true, 0)), (Some(480), None));
    }

    #[test]
    fn hindsight_takes_a_reduction_back_or_goes_on_with_it() {
        let params = Params {
            hindsight_extension_plies: 3,
            hindsight_reduction_plies: 2,
            hindsight_margin: 150,
            ..Params::default()
        };
        assert_eq!([-50, 0, 1, 150, 151].map(|rise| hindsight(&params, 5, 3, rise)), [1, 1, 0, 0, -1]);
        assert_eq!([-50, 0, 1, 150, 151].map(|rise| hindsight(&params, 5, 2, rise)), [0, 0, 0, 0, -1]);
        assert_eq!([hindsight(&params, 5, 1, 500), hindsight(&params, 1, 2, 500)], [0, 0]);
    }

    #[test]
    fn the_first_move_and_a_surprising_one_change_their_depth() {
        let params = Params {
            first_move_reduction: 1,
            first_move_cut_node_reduction: 2,
            research_deeper_margin: 50,
            research_shallower_margin: 10,
            ..Params::default()
        };
        assert_eq!([2, 3].map(|depth| first_move_reduction(&params, depth, false)), [0, 1]);
        assert_eq!(first_move_reduction(&params, 9, true), 3);
        assert_eq!([9, 10, 50, 51].map(|gain| research_extension(&params, gain)), [-1, 0, 0, 1]);
    }

    #[test]
    fn probcut_needs_less_where_the_evaluation_improves() {
        let params = Params { probcut_margin: 200, probcut_improving: 60, ..Params::default() };
        let reductions = [PROBCUT_REDUCTION, PROBCUT_IMPROVING_REDUCTION].map(|plies| 8 - plies);
        assert_eq!(probcut(&params, 8, false), (200, reductions[0]));
        assert_eq!(probcut(&params, 8, true), (140, reductions[1]));
    }

    #[test]
    fn the_margin_of_quiet_moves_is_wider_without_a_best_move_and_above_alpha() {
        let params = Params {
            futility_base: 100,
            futility_margin: 90,
            futility_no_best_move: 50,
            futility_above_alpha: 70,
            ..Params::default()
        };
        let margin = |has_best_move, is_above_alpha| futility_margin(&params, 2, has_best_move, is_above_alpha);
        assert_eq!([margin(true, false), margin(false, false)], [280, 330]);
        assert_eq!([margin(true, true), margin(false, true)], [350, 400]);
    }

    #[test]
    fn the_margins_of_captures_grow_with_depth_and_history() {
        let params = Params {
            futility_capture_base: 300,
            futility_capture_margin: 100,
            futility_capture_history: 50,
            exchange_capture_margin: 200,
            exchange_capture_history: 30,
            ..Params::default()
        };
        assert_eq!([0, 3].map(|depth| capture_futility_margin(&params, depth, 0)), [300, 600]);
        assert_eq!(
            [-8_192, -2_048, 1_024].map(|history| capture_futility_margin(&params, 0, history)),
            [-100, 200, 350]
        );
        assert_eq!([1, 3].map(|depth| capture_exchange_margin(&params, depth, 0)), [200, 600]);
        // Never below zero: a capture that loses nothing is not pruned by exchange.
        assert_eq!([-8_192, -2_048, 1_024].map(|history| capture_exchange_margin(&params, 1, history)), [0, 140, 230]);
    }

    #[test]
    fn bonus_and_malus_grow_with_depth_up_to_limits_of_their_own() {
        let params = Params {
            history_bonus_slope: 200,
            history_bonus_max: 1000,
            history_malus_slope: 900,
            history_malus_max: 2000,
            ..Params::default()
        };
        let offset = HISTORY_OFFSET;
        assert_eq!([0, 1, 5, 6].map(|depth| history_bonus(&params, depth)), [0, 200 - offset, 1000 - offset, 1000]);
        assert_eq!([0, 1, 2, 3].map(|depth| history_malus(&params, depth)), [0, 900 - offset, 1800 - offset, 2000]);
    }

    #[test]
    fn the_bonus_of_the_last_move_follows_the_evaluation_within_its_bounds() {
        let params = Params {
            history_evaluation_slope: 10,
            history_evaluation_offset: 5,
            history_evaluation_fall: 100,
            history_evaluation_rise: 200,
            ..Params::default()
        };
        let bonuses = [500, 100, 5, 0, -200, -500].map(|rise| evaluation_bonus(&params, rise));
        assert_eq!(bonuses, [-950, -950, 0, 50, 2050, 2050]);
    }

    #[test]
    fn a_move_without_good_reply_gains_more_the_less_it_was_expected() {
        let params = Params::default();
        let usual = || UnrefutedMove { depth: 6, history: 0, move_count: 1, fall: None, gain: None };
        let bonus = |context: UnrefutedMove| unrefuted_bonus(&params, &context);
        let least = bonus(usual());
        assert!(least > 0);
        assert!(bonus(UnrefutedMove { depth: 7, ..usual() }) > least);
        assert!(bonus(UnrefutedMove { history: -2_000, ..usual() }) > least);
        assert!(bonus(UnrefutedMove { move_count: FAIL_LOW_LATE_MOVE + 1, ..usual() }) > least);
        assert!(bonus(UnrefutedMove { fall: Some(FAIL_LOW_FALL), ..usual() }) > least);
        assert!(bonus(UnrefutedMove { gain: Some(FAIL_LOW_GAIN), ..usual() }) > least);
        let ordinary = UnrefutedMove { fall: Some(FAIL_LOW_FALL - 1), gain: Some(FAIL_LOW_GAIN - 1), ..usual() };
        assert_eq!(bonus(ordinary), least);
        assert_eq!(bonus(UnrefutedMove { history: 1_000_000, ..usual() }), 0);
    }

    #[test]
    fn quiet_table_moves_are_extended_further_and_those_of_principal_variations_less() {
        let params = Params {
            singular_double: 10,
            singular_double_pv: 100,
            singular_double_quiet: 50,
            singular_triple: 30,
            singular_triple_pv: 200,
            singular_triple_was_pv: 60,
            singular_triple_quiet: 90,
            ..Params::default()
        };
        assert_eq!(singular_margins(&params, false, false, true), (10, 30));
        assert_eq!(singular_margins(&params, false, false, false), (-40, -60));
        assert_eq!(singular_margins(&params, false, true, true), (10, 90));
        assert_eq!(singular_margins(&params, true, true, true), (110, 290));
    }
}
