//! Every constant of the search, one per line.
//!
//! First the search parameters with name, default and range: they can be tuned, and engines with different parameters
//! can play each other. Then the constants. Values are in centipawns, scaled as in [`super::material_scale`], depths in
//! plies, histories in points as in [`super::history`], reductions in 1024ths of a ply.

use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

/// Description of a search parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name, as in the fields of [`Params`].
    pub name: &'static str,
    /// Its purpose.
    pub description: &'static str,
    /// Its default value.
    pub default: i32,
    /// Its least value.
    pub min: i32,
    /// Its greatest value.
    pub max: i32,
}

impl Parameter {
    /// Returns `true` if the parameter only switches something on or off, which tuning all parameters leaves alone.
    pub fn is_switch(&self) -> bool {
        (self.min, self.max) == (0, 1)
    }
}

/// Reason why a search parameter is not set.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ParameterError {
    /// There is no parameter of that name.
    #[error("there is no search parameter '{0}'")]
    Unknown(String),
    /// The value is out of range.
    #[error("{name} must lie between {min} and {max}, not be {value}")]
    Range {
        /// The parameter.
        name: &'static str,
        /// The value refused.
        value: i32,
        /// Its least value.
        min: i32,
        /// The greatest value.
        max: i32,
    },
    /// A word of a list is not a name and a number.
    #[error("'{0}' is not of the form name=number")]
    Form(String),
    /// A list names a parameter twice.
    #[error("'{0}' was given before")]
    Repeated(String),
}

macro_rules! parameters {
    ($($(#[doc = $description:literal])+ $name:ident = $default:literal, $min:literal..=$max:literal;)+) => {
        /// Search parameters.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct Params {
            $($(#[doc = $description])+ pub $name: i32,)+
        }

        impl Params {
            /// All parameters, in the order of the fields.
            pub const LIST: &[Parameter] = &[$(Parameter {
                name: stringify!($name),
                description: concat!($($description),+).trim_ascii(),
                default: $default,
                min: $min,
                max: $max,
            }),+];

            /// The fields in the order of the list.
            fn fields(&mut self) -> [&mut i32; Params::LIST.len()] {
                [$(&mut self.$name),+]
            }

            /// The values in the order of [`Params::LIST`].
            pub fn values(&self) -> [i32; Params::LIST.len()] {
                [$(self.$name),+]
            }
        }

        impl Default for Params {
            fn default() -> Params {
                Params { $($name: $default),+ }
            }
        }
    };
}

parameters! {
    /// Half the width of the first aspiration window.
    aspiration_window = 15, 4..=200;
    /// The iteration from which aspiration windows are used.
    aspiration_depth = 4, 1..=12;
    /// Centre of the first aspiration window: percent of the way from the previous score of the root move to the
    /// running average of its scores.
    aspiration_average = 60, 0..=100;

    /// Scale of evaluations in the search: percent without rooks, cannons and horses.
    material_scale_base = 70, 40..=160;
    /// Scale of evaluations in the search: percent more with all of them on the board.
    material_scale_range = 50, 0..=160;

    /// Reverse futility on former principal variations or with a quiet table move: the deepest node, 0 for none.
    reverse_futility_depth = 0, 0..=16;
    /// Reverse futility on former principal variations or with a quiet table move: how far above beta for each ply.
    reverse_futility_margin = 36, 10..=300;
    /// Reverse futility off former principal variations, without a quiet table move: the deepest node.
    reverse_futility_no_quiet_depth = 11, 0..=20;
    /// Reverse futility off former principal variations, without a quiet table move: how far above beta for each ply.
    reverse_futility_no_quiet_margin = 69, 10..=300;
    /// Reverse futility: percent of the size of the correction added to the margin.
    reverse_futility_correction = 39, 0..=400;

    /// Hindsight: reduction of the last move from which a node is searched a ply deeper if its evaluation did not rise.
    hindsight_extension_plies = 4, 1..=20;
    /// Hindsight: reduction of the last move from which a node is searched a ply less deep if its evaluation rose.
    hindsight_reduction_plies = 3, 1..=20;
    /// Hindsight: rise of the evaluation by the last move beyond which the node is searched a ply less deep.
    hindsight_margin = 185, 0..=2_000;

    /// Null move: the shallowest node.
    null_move_depth = 3, 1..=12;
    /// Null move: reduction at any depth.
    null_move_reduction = 5, 1..=8;
    /// Null move: plies of depth for each further ply of reduction.
    null_move_depth_divisor = 2, 1..=12;
    /// Null move: centipawns above beta for each further ply of reduction, up to three.
    null_move_margin = 23, 20..=1000;
    /// Null move: the static evaluation must reach beta plus this, less the slope for each ply.
    null_move_static_margin = 113, -200..=500;
    /// Null move: how much less the static evaluation may be for each ply of depth.
    null_move_static_slope = 19, 0..=100;
    /// Null move: the shallowest node at which a cut-off is verified.
    null_move_verification_depth = 12, 1..=64;

    /// Proof of mates by checks: the shallowest node, where checks at the root go on for long.
    mate_proof_depth = 6, 1..=100;
    /// Proof of mates by checks: nodes of an attempt at the shallowest node, and for each ply more.
    mate_proof_nodes = 50, 1..=10_000;
    /// Proof of mates at the root: nodes in thousandths of all nodes; 0 switches it off.
    mate_proof_root_share = 350, 0..=500;
    /// Proof of mates at the root: the same where the side to move is ahead.
    mate_proof_ahead_share = 600, 0..=900;
    /// Proof of mates at the root: score from which the side to move is ahead, in centipawns.
    mate_proof_ahead_score = 250, 0..=30_000;
    /// Proof of mates at the root, where the side to move is ahead: nodes that look for the shortest mate by any moves,
    /// in thousandths of those of an attempt.
    mate_proof_short_share = 125, 0..=1000;

    /// Internal iterative reduction, not along the principal variation of the last iteration: the shallowest node.
    internal_reduction_depth = 4, 1..=16;

    /// ProbCut: the shallowest node.
    probcut_depth = 3, 1..=64;
    /// ProbCut: how far above beta a capture must stay.
    probcut_margin = 230, 20..=1_000;
    /// ProbCut: less of that margin if the evaluation improves.
    probcut_improving = 57, 0..=500;

    /// Futility of quiet moves and captures: the deepest reduced depth.
    futility_depth = 7, 0..=16;
    /// Futility of quiet moves: margin at any depth.
    futility_base = 89, 0..=500;
    /// Futility of quiet moves: margin for each ply.
    futility_margin = 96, 10..=400;

    /// Futility of quiet moves: further margin as long as no move raised alpha.
    futility_no_best_move = 60, 0..=400;
    /// Futility of quiet moves: further margin where the static evaluation is above alpha.
    futility_above_alpha = 60, 0..=400;
    /// Futility of captures: margin beside the victim at any depth.
    futility_capture_base = 350, 0..=1_500;
    /// Futility of captures: margin for each ply.
    futility_capture_margin = 250, 10..=1_500;
    /// Futility of captures: centipawns more for 1,024 points of history of the capture.
    futility_capture_history = 100, 0..=1_000;

    /// Late move pruning: the deepest node.
    late_move_pruning_depth = 9, 0..=16;
    /// Late move pruning: moves searched at any depth.
    late_move_pruning_base = 6, 1..=20;

    /// Pruning by history: the deepest node.
    history_depth = 64, 0..=64;
    /// Pruning by history: the lowest history allowed for each ply, negated.
    history_margin = 2_830, 200..=16_000;
    /// Pruning by history: the lowest history allowed of a quiet evasion for each ply, negated.
    history_evasion_margin = 5_000, 200..=32_000;
    /// Reduced depth that limits pruning: points of history worth one ply.
    pruning_history = 3_675, 500..=60_000;
    /// Reduced depth that limits pruning: percent of butterfly history beside pawn history and continuation history of
    /// the last two moves.
    pruning_butterfly = 228, 0..=600;

    /// Pruning by static exchange: the deepest node.
    exchange_depth = 16, 0..=16;
    /// Pruning by static exchange: what a capture may lose for each ply.
    exchange_capture_margin = 250, 10..=400;
    /// Pruning by static exchange: centipawns more that a capture may lose for 1,024 points of its history.
    exchange_capture_history = 25, 0..=400;
    /// Pruning by static exchange: what a quiet check may lose for each ply.
    exchange_check_margin = 238, 10..=600;
    /// Pruning by static exchange: what a quiet move may lose for each ply of its reduced depth, squared.
    exchange_quiet_margin = 22, 2..=150;
    /// Pruning by static exchange: what a quiet evasion may lose at no reduced depth, and more for each ply of it.
    exchange_evasion_margin = 80, 5..=400;

    /// Late move reductions: the shallowest node.
    reduction_depth = 3, 1..=10;
    /// Late move reductions: the first move that is reduced.
    reduction_first_move = 3, 2..=10;
    /// Late move reductions: in 1024ths of a ply, at any depth and move count.
    reduction_base = 739, -1024..=3072;
    /// Late move reductions: in 1024ths of a ply, for each product of the logarithms (base 2) of depth and move count.
    reduction_factor = 280, 0..=600;
    /// Late move reductions: in 1024ths of a ply, more at any depth, but not where the reduction limits pruning.
    reduction_offset = 512, -1024..=3072;
    /// Late move reductions: in 1024ths of a ply, less by this times the number of the move.
    reduction_move_count = 64, 0..=300;
    /// Late move reductions: points of history worth one ply.
    reduction_history = 6_300, 1_000..=60_000;
    /// Late move reductions: percent of butterfly history in these points.
    reduction_butterfly = 218, 0..=600;
    /// Late move reductions: percent of continuation history of the last move.
    reduction_previous = 100, 0..=600;
    /// Late move reductions: percent of continuation history of the move two plies before.
    reduction_second = 100, 0..=600;
    /// Late move reductions: points of a capture for each centipawn of the victim, in percent.
    reduction_victim = 657, 0..=3_000;
    /// Late move reductions: more at a node where a cut-off is expected.
    reduction_cut_node = 2_285, 0..=6_144;
    /// Late move reductions: less at a node that was on a principal variation.
    reduction_was_pv = 1_663, 0..=6_144;
    /// Late move reductions: less again at a node of the principal variation.
    reduction_pv = 700, 0..=4_096;
    /// Late move reductions: the most plies by which a late move of the principal variation is searched deeper instead.
    reduction_pv_extension = 1, 0..=2;
    /// Late move reductions: more if the evaluation does not improve.
    reduction_not_improving = 704, 0..=4_096;
    /// Late move reductions: less for evasions and checks.
    reduction_check = 1_139, 0..=4_096;
    /// Late move reductions: more if the table move captures.
    reduction_table_capture = 594, 0..=4_096;
    /// Late move reductions: more if children of this ply had several cut-offs.
    reduction_cutoffs = 685, 0..=4_096;
    /// Late move reductions: further increase after such cut-offs at a node where all moves are expected to fail low.
    reduction_cutoffs_all_node = 900, 0..=4_096;
    /// Late move reductions: more at a node where a cut-off is expected and the table has no move.
    reduction_no_table_move = 360, 0..=4_096;
    /// Late move reductions: less for captures that come before the quiet moves.
    reduction_good_capture = 1_475, 0..=6_144;
    /// Late move reductions: less at a node that was on a principal variation and whose table value beats alpha.
    reduction_was_pv_high = 650, 0..=4_096;
    /// Late move reductions: less at a node that was on a principal variation, with a table entry of its depth.
    reduction_was_pv_deep = 740, 0..=4_096;
    /// Late move reductions: less for each centipawn by which the evaluation was corrected.
    reduction_correction = 11, 0..=100;

    /// First move of a node outside the principal variation without a table move: plies of reduction.
    first_move_reduction = 1, 0..=4;
    /// First move of a node where a cut-off is expected, without a table move: further plies of reduction.
    first_move_cut_node_reduction = 2, 0..=4;
    /// Each time a move raises alpha: plies by which the following moves are searched less deep.
    alpha_raise_reduction = 2, 0..=3;
    /// Search to full depth after a reduced one: a ply deeper if its value is so far above the best one.
    research_deeper_margin = 71, 0..=400;
    /// Search to full depth after a reduced one: a ply less deep if its value is less far above the best one.
    research_shallower_margin = 15, 0..=200;

    /// Histories: bonus of the best move of a node, for each ply of depth.
    history_bonus_slope = 135, 20..=600;
    /// Histories: the largest bonus.
    history_bonus_max = 1_273, 200..=6_000;
    /// Histories: malus of the moves searched besides the best one, for each ply of depth.
    history_malus_slope = 816, 20..=3_000;
    /// Histories: the largest malus of these moves.
    history_malus_max = 1_927, 200..=6_000;
    /// Histories: what is left of the malus with each quiet move, from the first on, in 1024ths.
    history_malus_decay = 950, 400..=1_024;
    /// Histories: percent of bonus and malus for captures.
    history_capture_percent = 165, 0..=400;
    /// Histories: percent of bonus and malus near the root.
    history_low_ply_percent = 70, 0..=400;
    /// Histories: percent of the bonus with the pawn structure.
    history_pawn_bonus_percent = 130, 0..=400;
    /// Histories: percent of the malus with the pawn structure.
    history_pawn_malus_percent = 75, 0..=400;
    /// Histories: percent of bonus and malus as a reply to the last move.
    history_continuation_1 = 88, 0..=400;
    /// Histories: percent of bonus and malus after the move two plies before.
    history_continuation_2 = 70, 0..=400;
    /// Histories: percent of bonus and malus as a reply to the move three plies before.
    history_continuation_3 = 25, 0..=400;
    /// Histories: percent of bonus and malus after the move four plies before.
    history_continuation_4 = 52, 0..=400;
    /// Histories: percent of bonus and malus after the move six plies before.
    history_continuation_6 = 32, 0..=400;
    /// Histories: bound of the counters of quiet moves by their squares alone.
    history_quiet_limit = 7_000, 2_000..=16_384;
    /// Histories: bound of the counters of quiet moves with the pawn structure.
    history_pawn_limit = 10_000, 2_000..=16_384;
    /// Histories: bound of the counters of quiet moves with an earlier move.
    history_continuation_limit = 30_000, 2_000..=32_000;
    /// Histories: bound of the counters of captures.
    history_capture_limit = 10_700, 2_000..=16_384;
    /// Histories: points for each centipawn by which the last move changed the evaluation.
    history_evaluation_slope = 13, 0..=60;
    /// Histories: centipawns added to that change.
    history_evaluation_offset = 15, -200..=200;
    /// Histories: the largest change against the last move, in centipawns.
    history_evaluation_fall = 110, 0..=400;
    /// Histories: the largest change in favour of the last move, in centipawns.
    history_evaluation_rise = 190, 0..=400;
    /// Histories: percent of the malus for the move before a node with a best move, if it was quiet and the first of a
    /// node outside the table, or the second of one in it.
    history_refuted_percent = 53, 0..=400;
    /// Histories: bonus of a quiet table move at a cut-off from the table, for each ply of depth.
    history_table_slope = 97, 0..=600;
    /// Histories: the largest bonus of such a move.
    history_table_max = 1_700, 0..=6_000;
    /// Histories: malus of the first quiet moves before a cut-off from the table.
    history_table_refuted = 2_500, 0..=6_000;
    /// Histories: bonus of a late move whose first search beat alpha.
    history_research_bonus = 1_625, 0..=6_000;
    /// Histories, move before a node that fails low: weight of its bonus for each ply of depth, in percent.
    history_fail_low_slope = 80, 0..=300;
    /// Histories, move before a node that fails low: taken off that weight.
    history_fail_low_base = 233, 0..=1_000;
    /// Histories, move before a node that fails low: more weight for a late move.
    history_fail_low_late = 150, 0..=1_000;
    /// Histories, move before a node that fails low: more weight if the node is worth less than its evaluation.
    history_fail_low_fall = 75, 0..=1_000;
    /// Histories, move before a node that fails low: more weight if it is worth more than the evaluation before it.
    history_fail_low_gain = 160, 0..=1_000;
    /// Histories, move before a node that fails low: percent of the bonus in continuation history.
    history_fail_low_continuation = 110, 0..=600;
    /// Histories, move before a node that fails low: percent of the bonus in butterfly history.
    history_fail_low_butterfly = 63, 0..=600;
    /// Histories, move before a node that fails low: percent of the bonus in pawn history.
    history_fail_low_pawn = 261, 0..=1_500;
    /// Histories: bonus of a capture before a node that fails low.
    history_fail_low_capture = 1_047, 0..=4_000;

    /// Move ordering: percent of butterfly history beside the sum of the continuation histories.
    order_butterfly = 193, 0..=600;
    /// Move ordering: percent of pawn history.
    order_pawn = 220, 0..=600;
    /// Move ordering: percent of the history near the root, at the root.
    order_low_ply = 800, 0..=2_000;
    /// Move ordering: rank, negated, below which quiet moves come after all captures.
    order_bad_quiet = 13_832, 0..=60_000;
    /// Move ordering: points of a quiet check that loses little.
    order_check = 16_737, 0..=60_000;
    /// Move ordering: points for each centipawn of a piece that leaves the attack of a lesser one, or enters it.
    order_threat = 27, 0..=100;
    /// Move ordering: points of a capture for each centipawn that it may lose and come before the quiet moves.
    order_exchange_divisor = 22, 4..=100;

    /// Correction history: the most that pawns add, in centipawns.
    correction_pawn_weight = 19, 0..=400;
    /// Correction history: the most that advisors and elephants add.
    correction_minor_weight = 23, 0..=400;
    /// Correction history: the most that the pieces of each side add.
    correction_pieces_weight = 93, 0..=400;
    /// Correction history: the most that the last two moves add.
    correction_last_moves_weight = 89, 0..=400;
    /// Correction history: the most that the last move adds together with the one three plies before it.
    correction_earlier_move_weight = 60, 0..=400;
    /// Correction history: learning rate, in 64ths.
    correction_rate = 13, 1..=64;

    /// Singular extension: the shallowest node.
    singular_depth = 6, 3..=64;
    /// Singular extension: how much worse all other moves must be for each ply, in 16ths of a centipawn.
    singular_margin = 17, 0..=200;
    /// Singular extension: how much worse besides for each ply, in 16ths of a centipawn, at a node that was on a
    /// principal variation and no longer is.
    singular_was_pv = 18, 0..=200;
    /// Singular extension: how much worse again for two plies, if the table move captures.
    singular_double = 0, -100..=500;
    /// Singular extension: more for two plies on the principal variation.
    singular_double_pv = 176, 0..=600;
    /// Singular extension: less for two plies if the table move is quiet.
    singular_double_quiet = 124, 0..=600;
    /// Singular extension: how much worse again than for one ply for three, if the table move captures.
    singular_triple = 95, -100..=1_000;
    /// Singular extension: more for three plies on the principal variation.
    singular_triple_pv = 210, 0..=1_000;
    /// Singular extension: more for three plies at a node that was on a principal variation.
    singular_triple_was_pv = 65, 0..=600;
    /// Singular extension: less for three plies if the table move is quiet.
    singular_triple_quiet = 189, 0..=1_000;

    /// Quiescence: the first plies that search quiet checks too.
    quiescence_check_plies = 1, 0..=8;
    /// Quiescence: margin for futility of captures.
    quiescence_margin = 250, 20..=800;
    /// Quiescence: moves after which only checks and captures on the square of the last move are searched.
    quiescence_captures = 3, 1..=16;
    /// Quiescence: further quiet evasions searched at most once an evasion holds.
    quiescence_evasions = 1, 0..=16;

    /// Moves that give check: plies of extension.
    check_extension = 0, 0..=1;
    /// Only legal evasion of a check: plies of extension.
    single_reply_extension = 0, 0..=1;
    /// Captures on the square of the last move, itself a capture: plies of extension.
    recapture_extension = 0, 0..=1;

    /// Switch: the transposition table gives values and moves.
    use_transposition_table = 1, 0..=1;
    /// Switch: aspiration windows.
    use_aspiration = 1, 0..=1;
    /// Switch: null windows for all but the first move of a node of the principal variation.
    use_null_windows = 1, 0..=1;
    /// Switch: null move pruning.
    use_null_move = 1, 0..=1;
    /// Switch: killer and counter moves.
    use_killers = 1, 0..=1;
    /// Switch: histories of quiet moves and captures.
    use_history = 1, 0..=1;
    /// Switch: captures with a bad exchange come after the quiet moves.
    use_exchange_order = 1, 0..=1;
    /// Switch: quiescence search at the horizon.
    use_quiescence = 1, 0..=1;
    /// Switch: reductions of late moves, of first moves without a table move, and after alpha was raised.
    use_reductions = 1, 0..=1;
}

/// Late move reductions: cut-offs of children beyond which a move is reduced more.
pub(super) const REDUCTION_CUTOFF_COUNT: i32 = 2;
/// First move without a table move: the shallowest node that reduces it.
pub(super) const FIRST_MOVE_DEPTH: i32 = 3;
/// After a move raised alpha: nodes of these depths search the following moves less deep.
pub(super) const ALPHA_RAISE_DEPTHS: std::ops::Range<i32> = 3..14;

/// ProbCut: plies by which a capture is searched less deep than its node.
pub(super) const PROBCUT_REDUCTION: i32 = 3;
/// ProbCut: the same if the evaluation improves.
pub(super) const PROBCUT_IMPROVING_REDUCTION: i32 = 5;

/// Null move: the most further plies of reduction for an evaluation above beta.
pub(super) const NULL_MOVE_EXCESS_PLIES: i32 = 3;
/// Null move: quarters of the reduced depth within which a verification search makes no null move.
pub(super) const NULL_MOVE_VERIFICATION_QUARTERS: i32 = 3;

/// Singular extension: how much shallower than the node a table entry may be.
pub(super) const SINGULAR_ENTRY_DEPTH: i32 = 3;
/// Proof of mates by checks: plies of depth added in the table, since no depth could change the result.
pub(super) const MATE_PROOF_ENTRY_DEPTH: i32 = 5;
/// Singular extension: plies beyond this multiple of the iteration's depth are not extended.
pub(super) const SINGULAR_MAX_PLY_FACTOR: usize = 2;
/// Singular extension: reduction if the table move is not singular but holds beta.
pub(super) const SINGULAR_REDUCTION: i32 = 3;
/// Singular extension: reduction if the table move is not singular and does not hold beta, but a cut-off is expected.
pub(super) const SINGULAR_CUT_NODE_REDUCTION: i32 = 2;
/// Singular extension: the longest extension of a move, off the principal variation, whose cut-off counts for the
/// reductions of moves before it.
pub(super) const SINGULAR_EXPECTED_PLIES: i32 = 1;

/// Histories: plies from the root with a history of their own.
pub(super) const LOW_PLIES: usize = 4;
/// Histories: number of moves that count as the first ones of their node.
pub(super) const REFUTED_MOVE_COUNT: i32 = 2;
/// Histories, move before a node that fails low: points for each ply before the weight.
pub(super) const FAIL_LOW_SLOPE: i32 = 150;
/// Histories, move before a node that fails low: the most points before the weight.
pub(super) const FAIL_LOW_MAX: i32 = 2_200;
/// Histories, move before a node that fails low: the largest weight by depth, in percent.
pub(super) const FAIL_LOW_MAX_WEIGHT: i32 = 500;
/// Histories, move before a node that fails low: points of its history for one percent less weight.
pub(super) const FAIL_LOW_HISTORY_DIVISOR: i32 = 73;
/// Histories, move before a node that fails low: number of moves after which it is late.
pub(super) const FAIL_LOW_LATE_MOVE: i32 = 13;
/// Histories, move before a node that fails low: centipawns by which the node is worth less than its evaluation.
pub(super) const FAIL_LOW_FALL: i32 = 120;
/// Histories, move before a node that fails low: centipawns by which it is worth more than the evaluation before it.
pub(super) const FAIL_LOW_GAIN: i32 = 80;
/// Histories: points taken off bonus and malus by depth, which are never below 0.
pub(super) const HISTORY_OFFSET: i32 = 80;
/// Correction history: bound of every counter.
pub(super) const CORRECTION_LIMIT: i32 = 1024;
/// Correction history: the largest step of one update.
pub(super) const CORRECTION_STEP: i32 = CORRECTION_LIMIT / 4;

/// Move ordering: points by which captures precede quiet moves.
pub(super) const ORDER_CAPTURE: i32 = 1 << 20;
/// Move ordering: points for each centipawn of the captured piece.
pub(super) const ORDER_VICTIM: i32 = 10;
/// Move ordering: what a quiet check may lose and still have its bonus, in centipawns.
pub(super) const ORDER_CHECK_MARGIN: i32 = 60;

/// Aspiration: half the width of a window beyond which the failing side is opened.
pub(super) const ASPIRATION_MAX_WIDTH: i32 = 1_000;
/// Aspiration: the most plies of reduction after repeated fails high.
pub(super) const ASPIRATION_MAX_REDUCTION: i32 = 3;

/// Natural move limit: plies before it from which table values are not used.
pub(super) const NEAR_MOVE_LIMIT: usize = 8;

/// Transposition table: plies of depth that an entry counts less for each search since it was stored.
pub(super) const TABLE_AGE_PLIES: i32 = 8;
/// Transposition table: plies by which an entry of this search must be deeper to withstand a bound.
pub(super) const TABLE_KEEP_PLIES: i32 = 3;

/// Stop test: nodes between two readings of the clock, well under a millisecond.
pub(super) const NODES_PER_CHECK: u64 = 512;
/// Time between two readings of the clock after which it is read more often.
pub(super) const SLOW_CHECK: Duration = Duration::from_millis(2);
/// Stop test: nodes that the first iteration may take at any limit, some milliseconds.
pub(super) const FIRST_ITERATION_NODES: u64 = 5_000;

/// Only move: plies that it is searched deep when time matters, some milliseconds, so that its score can decide on an
/// offer of a draw and its line has a move to ponder on.
pub(super) const ONLY_MOVE_DEPTH: usize = 8;

/// Choice of the best thread: weight of every finished search, in centipawns.
pub(super) const VOTE_BASE: i64 = 15;
/// Number of helpers with first aspiration windows of different widths, each a centipawn wider than the one before.
pub(super) const HELPER_WINDOWS: usize = 8;

/// Time: moves that a clock without further time control must last for.
pub(super) const MOVES_PLANNED: u32 = 28;
/// Time: the most that the overhead takes of a time for one move, in percent.
pub(super) const MAX_OVERHEAD_PERCENT: u32 = 60;
/// Time: percent of the increment that the optimum contains besides.
pub(super) const INCREMENT_PERCENT: u32 = 95;
/// Time: the same as long as less than twice the reserve is left.
pub(super) const LOW_CLOCK_INCREMENT_PERCENT: u32 = 50;
/// Time: the most that one move takes of a clock without further time control, in percent.
pub(super) const MAX_CLOCK_PERCENT: u32 = 30;
/// Time: kept back on a clock without further time control, in milliseconds, since a busy or virtual machine withholds
/// the processor at times (up to a quarter of a second was seen; most pauses are shorter than this reserve).
pub(super) const RESERVE_MILLISECONDS: u64 = 150;
/// Time: percent of the clock for the last move before a time control, and the most of it that this move may take.
pub(super) const LAST_MOVE_PERCENT: u32 = 60;
pub(super) const LAST_MOVE_MAX_PERCENT: u32 = 85;
/// Time: maximum as a multiple of the optimum.
pub(super) const MAX_OPTIMUM_FACTOR: u32 = 4;
/// Time: percent of the optimum by the number of iterations in a row with the same best move.
pub(super) const STABILITY_PERCENT: [u32; 8] = [160, 120, 95, 85, 75, 70, 65, 60];
/// Time: least and greatest percent of the optimum for a score that rises or falls.
pub(super) const SCORE_DROP_PERCENT: (i32, i32) = (85, 160);
/// Time: percent of the optimum for a best move that took no nodes, less one for each percent of the nodes.
pub(super) const EFFORT_PERCENT: u32 = 160;
/// Time: least and greatest percent of the optimum by the nodes of the best move.
pub(super) const EFFORT_RANGE: (u32, u32) = (65, 140);

impl Params {
    /// Returns the description of the parameter of this name.
    ///
    /// # Errors
    /// [`ParameterError::Unknown`].
    ///
    /// ```
    /// use chuhe::search::Params;
    /// assert_eq!(Params::parameter("null_move_depth")?.min, 1);
    /// assert!(Params::parameter("nonsense").is_err());
    /// # Ok::<(), chuhe::search::ParameterError>(())
    /// ```
    pub fn parameter(name: &str) -> Result<&'static Parameter, ParameterError> {
        Params::LIST.iter().find(|known| known.name == name).ok_or_else(|| ParameterError::Unknown(name.to_owned()))
    }

    /// Returns the value of the parameter of this name.
    ///
    /// # Errors
    /// [`ParameterError::Unknown`].
    pub fn get(&self, name: &str) -> Result<i32, ParameterError> {
        Ok(self.values()[index_of(name)?])
    }

    /// Sets the parameter of this name.
    ///
    /// # Errors
    /// If there is none or the value is out of range; nothing changes then.
    ///
    /// ```
    /// use chuhe::search::Params;
    /// let mut params = Params::default();
    /// params.set("futility_base", 120)?;
    /// assert_eq!(params.futility_base, 120);
    /// let error = params.set("futility_base", -1).unwrap_err();
    /// assert_eq!(error.to_string(), "futility_base must lie between 0 and 500, not be -1");
    /// # Ok::<(), chuhe::search::ParameterError>(())
    /// ```
    pub fn set(&mut self, name: &str, value: i32) -> Result<(), ParameterError> {
        let index = index_of(name)?;
        let Parameter { name, min, max, .. } = Params::LIST[index];
        if !(min..=max).contains(&value) {
            return Err(ParameterError::Range { name, value, min, max });
        }
        *self.fields()[index] = value;
        Ok(())
    }

    /// Depth beyond any search.
    pub(crate) const NEVER: i32 = 1_000;

    /// Returns the parameters with the depths of all that is switched off beyond any search.
    pub(crate) fn with_switches(mut self) -> Params {
        if self.use_aspiration == 0 {
            self.aspiration_depth = Params::NEVER;
        }
        if self.use_null_move == 0 {
            self.null_move_depth = Params::NEVER;
        }
        if self.use_reductions == 0 {
            self.disable_reductions();
        }
        self
    }

    /// Disables reductions of late moves, of first moves without a table move, after alpha was raised, and of the root
    /// after it failed high.
    pub(crate) fn disable_reductions(&mut self) {
        self.use_reductions = 0;
        self.reduction_depth = Params::NEVER;
        self.first_move_reduction = 0;
        self.first_move_cut_node_reduction = 0;
        self.alpha_raise_reduction = 0;
    }
}

impl FromStr for Params {
    type Err = ParameterError;

    /// Reads parameters that differ from their defaults: words `name=number`, separated by spaces or semicolons.
    ///
    /// ```
    /// use chuhe::search::Params;
    /// let params: Params = "use_null_move=0; futility_base=120".parse()?;
    /// assert_eq!((params.use_null_move, params.futility_base), (0, 120));
    /// assert!("futility_base".parse::<Params>().is_err());
    /// assert!("futility_base=1 futility_base=2".parse::<Params>().is_err());
    /// # Ok::<(), chuhe::search::ParameterError>(())
    /// ```
    fn from_str(text: &str) -> Result<Params, ParameterError> {
        let mut params = Params::default();
        let mut named = Vec::new();
        for word in text.split(|letter: char| letter.is_whitespace() || letter == ';').filter(|word| !word.is_empty()) {
            let form = || ParameterError::Form(word.to_owned());
            let (name, value) = word.split_once('=').ok_or_else(form)?;
            if named.contains(&name) {
                return Err(ParameterError::Repeated(name.to_owned()));
            }
            named.push(name);
            params.set(name, value.parse().map_err(|_| form())?)?;
        }
        Ok(params)
    }
}

/// Returns the index of a name in the list.
fn index_of(name: &str) -> Result<usize, ParameterError> {
    let index = Params::LIST.iter().position(|known| known.name == name);
    index.ok_or_else(|| ParameterError::Unknown(name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_lies_in_its_range_and_every_name_leads_to_its_own_field() {
        let defaults = Params::default();
        for (index, parameter) in Params::LIST.iter().enumerate() {
            assert!((parameter.min..=parameter.max).contains(&parameter.default), "{}", parameter.name);
            assert!(!parameter.description.is_empty() && !parameter.description.starts_with(' '));
            assert_eq!(defaults.get(parameter.name), Ok(parameter.default));
            let mut params = defaults;
            let other = if parameter.default == parameter.max { parameter.min } else { parameter.max };
            params.set(parameter.name, other).unwrap();
            let changed: Vec<usize> =
                (0..Params::LIST.len()).filter(|&at| params.values()[at] != defaults.values()[at]).collect();
            assert_eq!((changed, params.get(parameter.name)), (vec![index], Ok(other)));
        }
    }

    #[test]
    fn what_is_out_of_range_or_unknown_changes_nothing() {
        let mut params = Params::default();
        let error = ParameterError::Range { name: "null_move_margin", value: 0, min: 20, max: 1000 };
        assert_eq!(params.set("null_move_margin", 0), Err(error));
        assert_eq!(params.set("nonsense", 1), Err(ParameterError::Unknown("nonsense".to_owned())));
        assert_eq!(params, Params::default());
    }
}
