//! How selective the search is: which of its shortcuts are taken.

use crate::search::Params;

/// How much of the tree the search leaves out.
///
/// | level | shortcuts |
/// |---|---|
/// | none | none: every move is searched to the full depth, and after it every capture that loses nothing |
/// | small | null move and reductions: nothing is left out for good |
/// | medium | those, and what the evaluation shows to be far from the bounds (reverse futility, futility, captures) or to lose material |
/// | large | all: late moves and those that have always failed are left out too |
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Pruning {
    /// Full width.
    None,
    /// Looks less deep here and there.
    Small,
    /// Leaves out what looks hopeless.
    Medium,
    /// Leaves out all that it can.
    #[default]
    Large,
}

/// A depth that no search has.
const NEVER: i32 = 1_000;
/// A margin that no evaluation bridges.
const BEYOND_ALL: i32 = 30_000;

impl Pruning {
    /// Names and levels, in rising order.
    pub const NAMED: [(&'static str, Pruning); 4] =
        [("none", Pruning::None), ("small", Pruning::Small), ("medium", Pruning::Medium), ("large", Pruning::Large)];

    /// The numbers of a search that goes by `params` but takes only the shortcuts of this level.
    pub fn applied_to(self, params: Params) -> Params {
        let mut params = params;
        if matches!(self, Pruning::None | Pruning::Small | Pruning::Medium) {
            // Reduced depths begin at 0, depths at 1.
            params.late_move_depth = 0;
            params.history_depth = -1;
        }
        if matches!(self, Pruning::None | Pruning::Small) {
            params.reverse_futility_depth = 0;
            params.futility_depth = -1;
            params.exchange_depth = 0;
            params.quiescence_margin = BEYOND_ALL;
        }
        if self == Pruning::None {
            params.null_move_depth = NEVER;
            params.singular_depth = NEVER;
            params.quiescence_check_plies = 0;
            params.internal_reduction_depth = NEVER;
            params.reduction_depth = NEVER;
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
    fn the_highest_level_changes_no_number_and_every_lower_one_more_of_them() {
        let changed = |level: Pruning| {
            let params = level.applied_to(Params::default()).values();
            params.iter().zip(Params::default().values()).filter(|(new, old)| **new != *old).count()
        };
        let changes = Pruning::NAMED.map(|(_, level)| changed(level));
        assert_eq!(changes[3], 0);
        assert!(changes.is_sorted_by(|more, fewer| more > fewer), "{changes:?}");
    }

    #[test]
    fn what_was_tuned_is_kept() {
        let params = Params { aspiration_window: 33, reduction_factor: 99, ..Params::default() };
        assert_eq!(Pruning::Large.applied_to(params), params);
        assert_eq!(Pruning::None.applied_to(params).aspiration_window, 33);
        assert_eq!(Pruning::Small.applied_to(params).reduction_factor, 99);
    }

    #[test]
    fn the_less_is_left_out_the_more_is_searched() {
        let nodes = Pruning::NAMED.map(|(name, _)| {
            let mut engine = Engine::with_hash(4).unwrap();
            engine.set_option("pruning", name).unwrap();
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
