//! Every number of the search that can be tuned or chosen, one per line.
//!
//! First the search parameters with name, default and range: they can be tuned, and engines with different parameters
//! can play each other. Then the constants, and how techniques are disabled, as option `pruning` and the toggles
//! `use_…` of the laboratory do. Values are in centipawns, scaled as in [`super::margins::MaterialScale`], depths in
//! plies, histories in points as in [`super::history`], reductions in 1024ths of a ply; PV is the principal variation.

use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use crate::types::MAX_MOVES;

/// Name, default value and range of a search parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameter {
    pub name: &'static str,
    pub default: i32,
    pub min: i32,
    pub max: i32,
}

impl Parameter {
    /// Returns `true` if the parameter only turns something on or off, which tuning all parameters leaves alone.
    pub fn is_toggle(&self) -> bool {
        (self.min, self.max) == (0, 1)
    }
}

/// Reason why a search parameter is not set.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct ParameterError(String);

macro_rules! parameters {
    (
        $($name:ident = $default:literal, $min:literal..=$max:literal, $description:literal;)+
        [laboratory] $($lab:ident = $lab_default:literal, $lab_max:literal, $lab_description:literal;)+
    ) => {
        /// Search parameters.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct Params {
            $(#[doc = $description] pub $name: i32,)+
            $(#[doc = $lab_description] #[cfg(feature = "lab")] pub $lab: i32,)+
        }

        impl Params {
            /// All parameters, in the order of the fields.
            pub const LIST: &[Parameter] = &[
                $(Parameter { name: stringify!($name), default: $default, min: $min, max: $max },)+
                $(
                    #[cfg(feature = "lab")]
                    Parameter { name: stringify!($lab), default: $lab_default, min: 0, max: $lab_max },
                )+
            ];

            fn fields(&mut self) -> [&mut i32; Params::LIST.len()] {
                [$(&mut self.$name,)+ $(#[cfg(feature = "lab")] &mut self.$lab,)+]
            }

            /// The values in the order of [`Params::LIST`].
            pub fn values(mut self) -> [i32; Params::LIST.len()] {
                self.fields().map(|field| *field)
            }

            $(
                /// Value of the laboratory's parameter; a constant without the laboratory.
                #[inline(always)]
                pub(super) const fn $lab(&self) -> i32 {
                    #[cfg(feature = "lab")]
                    return self.$lab;
                    #[cfg(not(feature = "lab"))]
                    return $lab_default;
                }
            )+
        }

        impl Default for Params {
            fn default() -> Params {
                Params { $($name: $default,)+ $(#[cfg(feature = "lab")] $lab: $lab_default,)+ }
            }
        }
    };
}

parameters! {
    aspiration_window = 15, 4..=200, "Aspiration: half the width of the first window";
    aspiration_depth = 4, 1..=12, "Aspiration: the iteration from which windows are used";
    aspiration_reduction = 3, 0..=8, "Aspiration: the most plies of reduction of the root after repeated fails high";

    material_scale_base = 70, 40..=160, "Scale by material: percent without rooks, cannons and horses";
    material_scale_range = 50, 0..=160, "Scale by material: percent more with all of them";

    reverse_futility_depth = 11, 0..=20, "Reverse futility (RFP), without a quiet table move: the deepest node";
    reverse_futility_margin = 69, 10..=300, "RFP: how far above beta for each ply";
    reverse_futility_correction = 39, 0..=400, "RFP: percent of the size of the correction added to the margin";

    hindsight_margin = 185, 0..=2_000, "Hindsight: rise of the evaluation that makes up for a reduced move: a ply less";

    null_move_depth = 3, 1..=12, "Null move pruning (NMP): the shallowest node";
    null_move_reduction = 5, 1..=8, "NMP: reduction at any depth";
    null_move_depth_divisor = 2, 1..=12, "NMP: plies of depth for each further ply of reduction";
    null_move_margin = 23, 20..=1000, "NMP: centipawns above beta for each further ply of reduction, up to three";
    null_move_static_margin = 113, -200..=500, "NMP: least static evaluation above beta, before the slope";
    null_move_static_slope = 19, 0..=100, "NMP: how much less it may be for each ply of depth";
    null_move_verification_depth = 12, 1..=64, "NMP: the shallowest node at which a cut-off is verified";

    mate_proof_root_share = 200, 0..=500, "Proof of mates at the root: thousandths of all nodes; 0 for none";

    internal_reduction_depth = 4, 1..=16, "Internal iterative reduction (IIR), off the last PV: the shallowest node";

    probcut_depth = 3, 1..=64, "ProbCut: the shallowest node";
    probcut_margin = 230, 20..=1_000, "ProbCut: how far above beta a capture must stay";
    probcut_improving = 57, 0..=500, "ProbCut: less of that margin if the evaluation improves";

    futility_depth = 8, 0..=17, "Futility pruning (FP): the least reduced depth at which no move is futile";
    futility_base = 89, 0..=500, "FP of quiet moves: margin at any depth";
    futility_margin = 96, 10..=400, "FP of quiet moves: margin for each ply";
    futility_extra = 60, 0..=400, "FP of quiet moves: more while no move raised alpha, again if evaluated above it";
    futility_capture_base = 350, 0..=1_500, "FP of captures: margin beside the victim at any depth";
    futility_capture_margin = 250, 10..=1_500, "FP of captures: margin for each ply";
    futility_capture_history = 100, 0..=1_000, "FP of captures: more for 1,024 points of the capture's history";

    late_move_pruning_depth = 9, 0..=16, "Late move pruning (LMP): the deepest node";
    late_move_pruning_base = 6, 1..=20, "LMP: moves searched at any depth";

    history_margin = 2_830, 200..=16_000, "History pruning: the lowest history allowed for each ply, negated";
    history_evasion_margin = 5_000, 200..=32_000, "History pruning: the same for quiet evasions";

    pruning_history = 3_675, 500..=60_000, "Reduced depth that limits FP and SEE pruning: points of history a ply";
    pruning_butterfly = 228, 0..=600, "The same: percent of butterfly history beside pawn and continuation history";

    exchange_depth = 16, 0..=16, "Pruning by static exchange evaluation (SEE): the deepest node";
    exchange_capture_margin = 250, 10..=400, "SEE pruning: what a capture may lose for each ply";
    exchange_capture_history = 25, 0..=400, "SEE pruning: more that it may lose for 1,024 points of history";
    exchange_check_margin = 238, 10..=600, "SEE pruning: what a quiet check may lose for each ply";
    exchange_quiet_margin = 22, 2..=150, "SEE pruning: what a quiet move may lose a reduced ply, squared";
    exchange_evasion_margin = 80, 5..=400, "SEE pruning: what a quiet evasion may lose at depth 0, and for each ply";

    reduction_depth = 3, 1..=10, "Late move reductions (LMR): the shallowest node";
    reduction_first_move = 3, 2..=10, "LMR: the first move that is reduced";
    reduction_base = 739, -1024..=3072, "LMR: at any depth and move count";
    reduction_factor = 280, 0..=600, "LMR: for each product of the base-2 logarithms of depth and move count";
    reduction_offset = 512, -1024..=3072, "LMR: more at any depth, but not where the reduction limits pruning";
    reduction_move_count = 64, 0..=300, "LMR: less by this times the number of the move";
    reduction_history = 6_300, 1_000..=60_000, "LMR: points of history worth one ply";
    reduction_butterfly = 218, 0..=600, "LMR: percent of butterfly in these points, beside continuation history";
    reduction_victim = 657, 0..=3_000, "LMR: points of a capture for each centipawn of the victim, in percent";
    reduction_cut_node = 2_285, 0..=6_144, "LMR: more at a node where a cut-off is expected (cut node)";
    reduction_was_pv = 1_663, 0..=6_144, "LMR: less at a node that was on a PV";
    reduction_pv = 700, 0..=4_096, "LMR: less again at a node of the PV";
    reduction_not_improving = 704, 0..=4_096, "LMR: more if the evaluation does not improve";
    reduction_check = 1_139, 0..=4_096, "LMR: less for evasions and checks";
    reduction_table_capture = 594, 0..=4_096, "LMR: more if the table move captures";
    reduction_cutoffs = 685, 0..=4_096, "LMR: more if children of this ply had more than two cut-offs";
    reduction_cutoffs_all_node = 900, 0..=4_096, "LMR: more again where all moves are expected to fail low (all node)";
    reduction_no_table_move = 360, 0..=4_096, "LMR: more at a cut node without a move of the table (TT)";
    reduction_good_capture = 1_475, 0..=6_144, "LMR: less for captures that come before the quiet moves";
    reduction_was_pv_high = 650, 0..=4_096, "LMR: less again if the table value beats alpha";
    reduction_was_pv_deep = 740, 0..=4_096, "LMR: less again if the table entry is as deep as the node";
    reduction_correction = 11, 0..=100, "LMR: less for each centipawn by which the evaluation was corrected";

    first_move_reduction = 1, 0..=4, "First move off the PV, without a table move: plies of reduction";
    first_move_cut_node_reduction = 2, 0..=4, "First move of a cut node without a table move: further plies";
    alpha_raise_reduction = 2, 0..=3, "Moves after one that raised alpha: plies of reduction";
    research_deeper_margin = 71, 0..=400, "Full search after LMR: a ply deeper if so far above the best value";
    research_shallower_margin = 15, 0..=200, "Full search after LMR: a ply less deep if less far above it";

    history_bonus_slope = 135, 20..=600, "Histories: bonus of the best move of a node, for each ply of depth";
    history_bonus_max = 1_273, 200..=6_000, "Histories: the largest bonus";
    history_malus_slope = 816, 20..=3_000, "Histories: malus of the other moves searched, for each ply of depth";
    history_malus_max = 1_927, 200..=6_000, "Histories: the largest malus of these moves";
    history_malus_decay = 950, 400..=1_024, "Histories: 1024ths of the malus that each quiet move leaves to the next";
    history_capture_percent = 165, 0..=400, "Histories: percent of bonus and malus for captures";
    history_evaluation_slope = 13, 0..=60, "Histories: points for each centipawn that the last move changed";
    history_refuted_percent = 53, 0..=400, "Histories: percent of the malus for the early quiet move that was refuted";
    history_research_bonus = 1_625, 0..=6_000, "Histories: bonus of a late move whose first search beat alpha";

    order_butterfly = 193, 0..=600, "Move ordering: percent of butterfly history beside continuation history";
    order_pawn = 220, 0..=600, "Move ordering: percent of pawn history";
    order_low_ply = 800, 0..=2_000, "Move ordering: percent of the history near the root, at the root";
    order_bad_quiet = 13_832, 0..=60_000, "Move ordering: rank, negated, below which quiet moves follow all captures";
    order_check = 16_737, 0..=60_000, "Move ordering: points of a quiet check that loses little";
    order_threat = 27, 0..=100, "Move ordering: points a centipawn of a piece that leaves attack by a lesser one";
    order_exchange_divisor = 22, 4..=100, "Move ordering: points of a good capture for each centipawn lost by SEE";

    correction_rate = 13, 1..=64, "Correction history: learning rate, in 64ths";

    singular_depth = 6, 3..=64, "Singular extension (SE): the shallowest node";
    singular_margin = 17, 0..=200, "SE: how much worse all other moves must be for each ply, in 16ths";
    singular_was_pv = 18, 0..=200, "SE: how much worse besides at a node that was on a PV and no longer is, in 16ths";
    singular_double_pv = 176, 0..=600, "SE by two plies: how much worse again on the PV";
    singular_double_quiet = 124, 0..=600, "SE by two plies: how much less is enough if the table move is quiet";
    singular_triple = 95, -100..=1_000, "SE by three plies: how much worse again, if the table move captures";
    singular_triple_pv = 210, 0..=1_000, "SE by three plies: more on the PV";
    singular_triple_was_pv = 65, 0..=600, "SE by three plies: more at a node that was on a PV";
    singular_triple_quiet = 189, 0..=1_000, "SE by three plies: less if the table move is quiet";

    quiescence_check_plies = 1, 0..=8, "Quiescence: the first plies that search quiet checks too";
    quiescence_margin = 250, 20..=800, "Quiescence: margin for FP of captures";
    quiescence_captures = 3, 1..=16, "Quiescence: moves after which only checks and recaptures are searched";
    quiescence_evasions = 1, 0..=16, "Quiescence: further quiet evasions searched at most once an evasion holds";

    [laboratory]
        check_extension = 0, 1, "Moves that give check: plies of extension";
        single_reply_extension = 0, 1, "Only legal evasion of a check: plies of extension";
        recapture_extension = 0, 1, "Captures on the square of the last move, itself a capture: plies of extension";
        use_transposition_table = 1, 1, "The transposition table gives values and moves";
        use_aspiration = 1, 1, "Aspiration windows";
        use_null_windows = 1, 1, "Null windows for all but the first move of a node of the PV";
        use_null_move = 1, 1, "NMP";
        use_history = 1, 1, "Histories of quiet moves and captures";
        use_correction = 1, 1, "Correction history";
        use_exchange_order = 1, 1, "Captures with a bad exchange come after the quiet moves";
        use_quiescence = 1, 1, "Quiescence search at the horizon";
        use_reductions = 1, 1, "LMR, reductions of first moves and of the root, and after alpha was raised";
}

/// After a move raised alpha: nodes of these depths search the following moves less deep.
pub(super) const ALPHA_RAISE_DEPTHS: std::ops::Range<i32> = 3..14;

/// SE: how much shallower than the node a table entry may be.
pub(super) const SINGULAR_ENTRY_DEPTH: i32 = 3;
/// SE: plies beyond this multiple of the iteration's depth are not extended.
pub(super) const SINGULAR_MAX_PLY_FACTOR: usize = 2;
/// SE: reductions if the table move is not singular but holds beta, and if it does not but a cut-off is expected.
pub(super) const SINGULAR_REDUCTION: [i32; 2] = [3, 2];
/// SE: the longest extension of a move, off the PV, whose cut-off counts for the reductions of moves before it.
pub(super) const SINGULAR_EXPECTED_PLIES: i32 = 1;

/// Proof of mates by checks: the shallowest node, where checks at the root go on for long.
pub(super) const MATE_PROOF_DEPTH: i32 = 6;
/// Proof of mates by checks: nodes of an attempt at the shallowest node, and for each ply more.
pub(super) const MATE_PROOF_NODES: i32 = 50;
/// Proof of mates by checks: plies of depth added in the table, since no depth could change the result.
pub(super) const MATE_PROOF_ENTRY_DEPTH: i32 = 5;

/// Histories: bound of the counters of quiet moves by their squares alone.
pub(super) const HISTORY_QUIET_LIMIT: i32 = 7_000;
/// Histories: bound of the counters of quiet moves with the pawn structure.
pub(super) const HISTORY_PAWN_LIMIT: i32 = 10_000;
/// Histories: bound of the counters of quiet moves with an earlier move.
pub(super) const HISTORY_CONTINUATION_LIMIT: i32 = 30_000;
/// Histories: bound of the counters of captures.
pub(super) const HISTORY_CAPTURE_LIMIT: i32 = 10_700;
/// Histories: percent of a bonus and of a malus in pawn history, and of both in the history of the ply.
pub(super) const QUIET_PERCENT: [i32; 3] = [130, 75, 70];
/// Histories: percent of bonus and malus with the moves 1, 2, 3, 4 and 6 plies before.
pub(super) const CONTINUATION_PERCENT: [i32; 5] = [88, 70, 25, 52, 32];
/// Histories: malus of the first quiet moves before a cut-off from the TT.
pub(super) const TABLE_CUTOFF_MALUS: i32 = 2_500;
/// Histories: percent of the bonus of a move before a node that fails low in continuation, butterfly and pawn history.
pub(super) const FAIL_LOW_PERCENT: [i32; 3] = [110, 63, 261];
/// Histories: bonus of a capture before a node that fails low.
pub(super) const FAIL_LOW_CAPTURE_BONUS: i32 = 1_047;
/// Histories: plies from the root with a history of their own.
pub(super) const LOW_PLIES: usize = 4;

/// Correction history: bound of every counter.
pub(super) const CORRECTION_LIMIT: i32 = 1024;
/// Correction history: the most that each feature adds, in centipawns, in the order of `CorrectionHistory::key`.
pub(super) const CORRECTION_WEIGHTS: [i32; 6] = [19, 23, 93, 93, 89, 60];

/// Move ordering: points by which captures precede quiet moves.
pub(super) const ORDER_CAPTURE: i32 = 1 << 20;
/// Move ordering: points for each centipawn of the captured piece.
pub(super) const ORDER_VICTIM: i32 = 10;
/// Move ordering: what a quiet check may lose and still have its bonus, in centipawns.
pub(super) const ORDER_CHECK_MARGIN: i32 = 60;

/// Aspiration: centre of the first window, percent of the way from the previous score of the move to its average.
pub(super) const ASPIRATION_AVERAGE_PERCENT: i32 = 60;
/// Aspiration: half the width beyond which the failing side is opened.
pub(super) const ASPIRATION_MAX_WIDTH: i32 = 1_000;

/// Natural move limit: plies before it from which table values are not used.
pub(super) const NEAR_MOVE_LIMIT: usize = 8;

/// TT: plies of depth that an entry counts less for each search since it was stored.
pub(super) const TABLE_AGE_PLIES: i32 = 8;
/// TT: plies by which an entry of this search must be deeper to withstand a bound.
pub(super) const TABLE_KEEP_PLIES: i32 = 3;

/// Stop test: nodes between two readings of the clock, well under a millisecond.
pub(super) const NODES_PER_CHECK: u64 = 512;
/// Time between two readings of the clock after which it is read more often.
pub(super) const SLOW_CHECK: Duration = Duration::from_millis(2);
/// Stop test: nodes that the first iteration may take at any limit, some milliseconds.
pub(super) const FIRST_ITERATION_NODES: u64 = 5_000;

/// Only move: plies that it is searched deep when time matters, enough to judge an offer of a draw and to ponder.
pub(super) const ONLY_MOVE_DEPTH: usize = 8;

/// Choice of the best thread: weight of every finished search, in centipawns.
pub(super) const VOTE_BASE: i64 = 15;
/// Aspiration: helpers with first windows of different widths, each a centipawn wider than the one before.
pub(super) const HELPER_WINDOWS: usize = 8;

/// Time: moves that a clock without further time control must last for.
pub(super) const MOVES_PLANNED: u32 = 28;
/// Time: the most that the overhead takes of a time for one move, in percent.
pub(super) const MAX_OVERHEAD_PERCENT: u32 = 60;
/// Time: percent of the increment in the optimum, and the same while less than twice the reserve is left.
pub(super) const INCREMENT_PERCENT: [u32; 2] = [95, 50];
/// Time: the most that one move takes of a clock without further time control, in percent.
pub(super) const MAX_CLOCK_PERCENT: u32 = 30;
/// Time: kept back on a clock without further time control, in milliseconds: longer than most pauses in which a busy
/// or virtual machine withholds the processor.
pub(super) const RESERVE_MILLISECONDS: u64 = 150;
/// Time: percent of the clock for the last move before a time control, and the most of it that this move may take.
pub(super) const LAST_MOVE_PERCENT: [u32; 2] = [60, 85];
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

/// Disables a technique.
pub(crate) type Disable = fn(&mut Params);

/// Techniques that prune, reduce or extend are disabled by a depth beyond any search or a margin beyond any evaluation
/// and history.
impl Params {
    const NEVER: i32 = 1_000;
    const NO_LIMIT: i32 = 100_000;

    pub(crate) const NO_ASPIRATION: Disable = |params| params.aspiration_depth = Self::NEVER;
    pub(crate) const NO_NULL_MOVE: Disable = |params| params.null_move_depth = Self::NEVER;
    pub(crate) const NO_PROBCUT: Disable = |params| params.probcut_depth = Self::NEVER;
    pub(crate) const NO_SINGULAR: Disable = |params| params.singular_depth = Self::NEVER;
    /// Of late moves, of first moves without a table move, of the root, and after alpha was raised.
    pub(crate) const NO_REDUCTIONS: Disable = |params| {
        params.reduction_depth = Self::NEVER;
        params.first_move_reduction = 0;
        params.first_move_cut_node_reduction = 0;
        params.alpha_raise_reduction = 0;
        params.aspiration_reduction = 0;
    };
    pub(crate) const NO_INTERNAL_REDUCTION: Disable = |params| params.internal_reduction_depth = Self::NEVER;
    pub(crate) const NO_QUIESCENCE_CHECKS: Disable = |params| params.quiescence_check_plies = 0;
    pub(crate) const NO_REVERSE_FUTILITY: Disable = |params| params.reverse_futility_depth = 0;
    pub(crate) const NO_FUTILITY: Disable = |params| {
        params.futility_depth = 0;
        params.quiescence_margin = Self::NO_LIMIT;
    };
    pub(crate) const NO_EXCHANGE: Disable = |params| params.exchange_depth = 0;
    pub(crate) const NO_LATE_MOVES: Disable = |params| {
        params.late_move_pruning_depth = 0;
        params.quiescence_captures = MAX_MOVES as i32;
        params.quiescence_evasions = MAX_MOVES as i32;
    };
    pub(crate) const NO_HISTORY: Disable = |params| {
        params.history_margin = Self::NO_LIMIT;
        params.history_evasion_margin = Self::NO_LIMIT;
        params.futility_capture_history = 0;
        params.exchange_capture_history = 0;
    };

    /// Returns the parameters without the techniques that toggles of the laboratory turn off.
    pub(crate) fn with_toggles(mut self) -> Params {
        for (toggle, disable) in [
            (self.use_aspiration(), Self::NO_ASPIRATION),
            (self.use_null_move(), Self::NO_NULL_MOVE),
            (self.use_reductions(), Self::NO_REDUCTIONS),
        ] {
            if toggle == 0 {
                disable(&mut self);
            }
        }
        self
    }
}

impl Params {
    /// Returns the description of the parameter of this name, if there is one.
    pub fn parameter(name: &str) -> Result<&'static Parameter, ParameterError> {
        Params::default().field(name).map(|(parameter, _)| parameter)
    }

    /// Returns the value of the parameter of this name, if there is one.
    pub fn get(mut self, name: &str) -> Result<i32, ParameterError> {
        self.field(name).map(|(_, value)| *value)
    }

    /// The parameter of this name and its field.
    fn field(&mut self, name: &str) -> Result<(&'static Parameter, &mut i32), ParameterError> {
        let unknown = || ParameterError(format!("there is no search parameter '{name}'"));
        let field = Params::LIST.iter().zip(self.fields()).find(|(known, _)| known.name == name);
        field.ok_or_else(unknown)
    }

    /// Sets the parameter of this name. Nothing changes if there is none or the value is out of range.
    pub fn set(&mut self, name: &str, value: i32) -> Result<(), ParameterError> {
        let (&Parameter { name, min, max, .. }, field) = self.field(name)?;
        if !(min..=max).contains(&value) {
            return Err(ParameterError(format!("{name} must lie between {min} and {max}, not be {value}")));
        }
        *field = value;
        Ok(())
    }
}

impl FromStr for Params {
    type Err = ParameterError;

    /// Reads parameters that differ from their defaults: words `name=number`, separated by spaces or semicolons.
    fn from_str(text: &str) -> Result<Params, ParameterError> {
        let mut params = Params::default();
        let mut named = Vec::new();
        for word in text.split(|letter: char| letter.is_whitespace() || letter == ';').filter(|word| !word.is_empty()) {
            let form = || ParameterError(format!("'{word}' is not of the form name=number"));
            let (name, value) = word.split_once('=').ok_or_else(form)?;
            if named.contains(&name) {
                return Err(ParameterError(format!("'{name}' was given before")));
            }
            named.push(name);
            params.set(name, value.parse().map_err(|_| form())?)?;
        }
        Ok(params)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_lies_in_its_range_and_every_name_leads_to_its_own_field() {
        let defaults = Params::default();
        for (index, parameter) in Params::LIST.iter().enumerate() {
            assert!((parameter.min..=parameter.max).contains(&parameter.default), "{}", parameter.name);
            assert_eq!(defaults.get(parameter.name), Ok(parameter.default));
            let mut params = defaults;
            let other = if parameter.default == parameter.max { parameter.min } else { parameter.max };
            params.set(parameter.name, other).unwrap();
            let changed: Vec<usize> =
                (0..Params::LIST.len()).filter(|&at| params.values()[at] != defaults.values()[at]).collect();
            assert_eq!((changed, params.get(parameter.name)), (vec![index], Ok(other)));
        }
    }
}
