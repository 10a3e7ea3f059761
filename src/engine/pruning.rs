//! Pruning level: selectivity of the search.

use crate::search::Params;
use crate::types::MAX_MOVES;

/// Selectivity of the search.
///
/// | level | pruning and reductions |
/// |---|---|
/// | none | none: every move is searched to the full depth, then every capture that loses no material |
/// | small | null move, ProbCut, reductions and singular extension: no move is pruned for good |
/// | medium | also by the evaluation (reverse futility, futility, captures in quiescence) and by static exchange |
/// | large | all: also late moves and moves with a poor history |
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Pruning {
    /// Full width.
    None,
    /// Null move, ProbCut, reductions and singular extensions only.
    Small,
    /// Also pruning by evaluation and static exchange.
    Medium,
    /// All pruning.
    #[default]
    Large,
}

/// A margin larger than any evaluation.
const INFINITE_MARGIN: i32 = 30_000;
/// No fewer moves than any position has.
const ALL_MOVES: i32 = MAX_MOVES as i32;

impl Pruning {
    /// Names and levels, in rising order.
    pub const NAMED: [(&'static str, Pruning); 4] =
        [("none", Pruning::None), ("small", Pruning::Small), ("medium", Pruning::Medium), ("large", Pruning::Large)];

    /// Returns `params` with everything disabled that this level excludes.
    pub fn apply(self, params: Params) -> Params {
        let mut params = params;
        if matches!(self, Pruning::None | Pruning::Small | Pruning::Medium) {
            // Depths start at 1.
            params.late_move_pruning_depth = 0;
            params.history_depth = 0;
            params.futility_capture_history = 0;
            params.exchange_capture_history = 0;
            params.quiescence_captures = ALL_MOVES;
            params.quiescence_evasions = ALL_MOVES;
        }
        if matches!(self, Pruning::None | Pruning::Small) {
            params.reverse_futility_depth = 0;
            params.reverse_futility_no_quiet_depth = 0;
            // This one is a reduced depth, and these start at 0.
            params.futility_depth = -1;
            params.exchange_depth = 0;
            params.quiescence_margin = INFINITE_MARGIN;
        }
        if self == Pruning::None {
            params.null_move_depth = Params::NEVER;
            params.probcut_depth = Params::NEVER;
            params.singular_depth = Params::NEVER;
            params.quiescence_check_plies = 0;
            params.internal_reduction_depth = Params::NEVER;
            params.disable_reductions();
        }
        params
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::engine::bench::POSITIONS;
    use crate::position::Position;
    use crate::search::Limits;

    #[test]
    fn the_highest_level_changes_no_parameter_and_every_lower_one_more_of_them() {
        let changed = |level: Pruning| {
            let params = level.apply(Params::default()).values();
            params.iter().zip(Params::default().values()).filter(|(new, old)| **new != *old).count()
        };
        let changes = Pruning::NAMED.map(|(_, level)| changed(level));
        assert_eq!(changes[3], 0);
        assert!(changes.is_sorted_by(|more, fewer| more > fewer), "{changes:?}");
    }

    #[test]
    fn only_the_highest_level_counts_moves() {
        for (name, level) in Pruning::NAMED {
            let params = level.apply(Params::default());
            let counts = level == Pruning::Large;
            assert_eq!(params.late_move_pruning_depth > 0, counts, "{name}");
            assert_eq!(params.quiescence_captures < ALL_MOVES, counts, "{name}");
            assert_eq!(params.quiescence_evasions < ALL_MOVES, counts, "{name}");
        }
    }

    #[test]
    fn only_the_highest_level_prunes_by_the_history_of_a_move_alone() {
        for (name, level) in Pruning::NAMED {
            let params = level.apply(Params::default());
            let histories = [params.history_depth, params.futility_capture_history, params.exchange_capture_history];
            assert_eq!(histories.map(|value| value > 0), [level == Pruning::Large; 3], "{name}");
        }
    }

    #[test]
    fn other_parameters_are_kept() {
        let params = Params { aspiration_window: 33, reduction_factor: 99, ..Params::default() };
        assert_eq!(Pruning::Large.apply(params), params);
        assert_eq!(Pruning::None.apply(params).aspiration_window, 33);
        assert_eq!(Pruning::Small.apply(params).reduction_factor, 99);
    }

    #[test]
    fn less_pruning_searches_more_nodes() {
        let nodes = Pruning::NAMED.map(|(_, level)| {
            let mut engine = Engine::with_hash(4).unwrap();
            engine.configure(|options| options.pruning = level).unwrap();
            let search = |fen: &&str| {
                engine.new_game();
                engine.set_position(Position::from_fen(fen).unwrap());
                engine.search(&Limits::depth(5), &mut ()).unwrap().nodes
            };
            POSITIONS.iter().step_by(4).map(search).sum::<u64>()
        });
        assert!(nodes.is_sorted_by(|more, fewer| more > fewer), "{nodes:?}");
    }
}
