//! Pruning level: selectivity of the search.

use crate::search::{Disable, Params};

/// Selectivity of the search.
///
/// | level | pruning and reductions |
/// |---|---|
/// | none | none: every move is searched to the full depth, then every capture that loses no material |
/// | small | null move, ProbCut, reductions and singular extension: no move is pruned for good |
/// | medium | also by the evaluation (reverse futility, futility, captures in quiescence) and by static exchange |
/// | large | all: also late moves and moves with a poor history |
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
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

impl Pruning {
    /// Names and levels, in rising order.
    pub const NAMED: [(&'static str, Pruning); 4] =
        [("none", Pruning::None), ("small", Pruning::Small), ("medium", Pruning::Medium), ("large", Pruning::Large)];

    /// The techniques and the lowest level that has each of them.
    const TECHNIQUES: [(Disable, Pruning); 11] = [
        (Params::NO_NULL_MOVE, Pruning::Small),
        (Params::NO_PROBCUT, Pruning::Small),
        (Params::NO_SINGULAR, Pruning::Small),
        (Params::NO_REDUCTIONS, Pruning::Small),
        (Params::NO_INTERNAL_REDUCTION, Pruning::Small),
        (Params::NO_QUIESCENCE_CHECKS, Pruning::Small),
        (Params::NO_REVERSE_FUTILITY, Pruning::Medium),
        (Params::NO_FUTILITY, Pruning::Medium),
        (Params::NO_EXCHANGE, Pruning::Medium),
        (Params::NO_LATE_MOVES, Pruning::Large),
        (Params::NO_HISTORY, Pruning::Large),
    ];

    /// Returns `params` without the techniques that this level excludes.
    pub fn apply(self, mut params: Params) -> Params {
        for (disable, lowest) in Pruning::TECHNIQUES {
            if self < lowest {
                disable(&mut params);
            }
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
