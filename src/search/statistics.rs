//! Statistics of the search tree: nodes, cut-offs, pruning and the error of the evaluation.
//!
//! They are collected by the main thread if the configuration asks for them, and cost one test of an `Option` at each
//! event otherwise. To learn how often a pruning rule is wrong, a sample of the nodes and moves that it prunes is
//! searched all the same; these searches are not counted, but they change transposition table, histories and selective
//! depth, so that the tree differs a little from that of a search without samples.

use crate::types::Value;

/// Rule that prunes a node or a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PruningRule {
    /// Reverse futility pruning of a node.
    ReverseFutility,
    /// Null move pruning of a node.
    NullMove,
    /// ProbCut of a node.
    ProbCut,
    /// Late move pruning.
    LateMove,
    /// Futility pruning of a quiet move.
    Futility,
    /// Futility pruning of a capture.
    CaptureFutility,
    /// Pruning of a quiet move by its history.
    History,
    /// Pruning of a quiet move by static exchange.
    QuietExchange,
    /// Pruning of a capture by static exchange.
    CaptureExchange,
}

impl PruningRule {
    /// All rules with their names.
    pub const ALL: [(PruningRule, &'static str); 9] = [
        (PruningRule::ReverseFutility, "reverse futility"),
        (PruningRule::NullMove, "null move"),
        (PruningRule::ProbCut, "ProbCut"),
        (PruningRule::LateMove, "late move"),
        (PruningRule::Futility, "futility, quiet"),
        (PruningRule::CaptureFutility, "futility, capture"),
        (PruningRule::History, "history"),
        (PruningRule::QuietExchange, "exchange, quiet"),
        (PruningRule::CaptureExchange, "exchange, capture"),
    ];
}

/// Counters of one pruning rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RuleStatistics {
    /// Nodes or moves that it pruned. Late quiet moves are left out by the picker and not counted, but
    /// for killer and counter moves.
    pub pruned: u64,
    /// Those of them that were searched all the same.
    pub verified: u64,
    /// Those of the verified ones that should not have been pruned: the node failed low, or the move beat alpha.
    pub wrong: u64,
}

/// Errors of the evaluation at nodes with an exact value, in centipawns of the search, which scales evaluations by the
/// material left.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EvaluationError {
    /// Number of nodes.
    pub nodes: u64,
    /// Sum of the differences between the value and the static evaluation.
    pub raw: u64,
    /// Sum of the differences between the value and the static evaluation with correction history.
    pub corrected: u64,
}

/// The least depth of each class of [`SearchStatistics::evaluation`].
pub const DEPTH_CLASSES: [i32; 3] = [1, 4, 8];

/// Counters of one or several searches.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SearchStatistics {
    /// Number of pruned nodes and moves of which one is searched all the same; 0 to search none.
    pub sample_interval: u64,
    /// Nodes of the principal variation.
    pub pv_nodes: u64,
    /// Nodes where a cut-off was expected.
    pub cut_nodes: u64,
    /// Nodes where all moves were expected to fail low.
    pub all_nodes: u64,
    /// Nodes of quiescence.
    pub quiescence_nodes: u64,
    /// Cut-offs by the first, the second and any later move.
    pub cutoffs: [u64; 3],
    /// Moves searched at nodes with a cut-off.
    pub moves_at_cutoffs: u64,
    /// Late moves that were searched reduced.
    pub reduced_searches: u64,
    /// Those that were searched again to full depth.
    pub searches_to_full_depth: u64,
    /// Singular searches.
    pub singular_searches: u64,
    /// Those that extended the table move.
    pub singular_extensions: u64,
    /// Those that cut the node off (multicut).
    pub multicuts: u64,
    /// Counters of every rule, in the order of [`PruningRule::ALL`].
    pub rules: [RuleStatistics; PruningRule::ALL.len()],
    /// Errors of the evaluation by depth, in the order of [`DEPTH_CLASSES`].
    pub evaluation: [EvaluationError; DEPTH_CLASSES.len()],
    /// Pruned nodes and moves since the last sample.
    since_sample: u64,
}

impl SearchStatistics {
    /// Empty counters that search one of `sample_interval` pruned nodes and moves all the same; 0 for none.
    pub fn new(sample_interval: u64) -> SearchStatistics {
        SearchStatistics { sample_interval, ..SearchStatistics::default() }
    }

    /// Counts a node or move pruned by `rule`. Returns `true` if it belongs to the sample.
    pub(super) fn count_pruned(&mut self, rule: PruningRule) -> bool {
        self.rules[rule as usize].pruned += 1;
        self.since_sample += 1;
        let is_sample = self.sample_interval > 0 && self.since_sample >= self.sample_interval;
        if is_sample {
            self.since_sample = 0;
        }
        is_sample
    }

    /// Counts a cut-off by the move with this number, 1 for the first.
    pub(super) fn count_cutoff(&mut self, move_count: usize) {
        self.cutoffs[(move_count - 1).min(2)] += 1;
        self.moves_at_cutoffs += move_count as u64;
    }

    /// Counts the error of the evaluation at a node with an exact value.
    pub(super) fn count_evaluation(&mut self, depth: i32, value: Value, raw_eval: Value, static_eval: Value) {
        let class = DEPTH_CLASSES.iter().rposition(|&least| depth >= least).unwrap_or(0);
        let error = &mut self.evaluation[class];
        error.nodes += 1;
        error.raw += u64::from(value.abs_diff(raw_eval));
        error.corrected += u64::from(value.abs_diff(static_eval));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::super::params::Params;
    use super::super::searcher::tests::at_root;
    use super::super::threads::ThreadPool;
    use super::*;
    use crate::position::START_FEN;

    /// Statistics and node count of a search of the start position.
    fn search(statistics: Option<SearchStatistics>) -> (SearchStatistics, u64) {
        search_with(statistics, Params::default())
    }

    /// The same with these search parameters.
    fn search_with(statistics: Option<SearchStatistics>, params: Params) -> (SearchStatistics, u64) {
        let mut config = at_root(START_FEN, "");
        config.params = params;
        config.limits.depth = Some(9);
        let statistics = statistics.map(|statistics| Arc::new(Mutex::new(statistics)));
        config.statistics = statistics.clone();
        let outcome = ThreadPool::new(1).unwrap().search(&Arc::new(config), &mut ());
        (statistics.map_or_else(SearchStatistics::default, |all| all.lock().unwrap().clone()), outcome.nodes)
    }

    #[test]
    fn collecting_changes_no_tree_and_counts_every_node() {
        let (statistics, nodes) = search(Some(SearchStatistics::new(0)));
        assert_eq!(search(None).1, nodes);
        let main = statistics.pv_nodes + statistics.cut_nodes + statistics.all_nodes;
        // Nodes are counted when a move is made; roots and searches of the same node without a move come on top.
        assert!(main + statistics.quiescence_nodes >= nodes, "{statistics:?}");
        assert!(statistics.pv_nodes > 0 && statistics.cut_nodes > statistics.pv_nodes && statistics.all_nodes > 0);
        let cutoffs: u64 = statistics.cutoffs.iter().sum();
        assert!(statistics.cutoffs[0] > cutoffs / 2 && statistics.moves_at_cutoffs >= cutoffs);
        assert!(statistics.searches_to_full_depth < statistics.reduced_searches);
        assert!(statistics.rules.iter().all(|rule| rule.verified == 0 && rule.wrong == 0));
        assert!(statistics.evaluation.iter().any(|error| error.nodes > 0 && error.raw > 0));
    }

    #[test]
    fn one_of_so_many_pruned_nodes_and_moves_is_verified() {
        let (statistics, _) = search(Some(SearchStatistics::new(10)));
        let total = |count: fn(&RuleStatistics) -> u64| statistics.rules.iter().map(count).sum::<u64>();
        let (pruned, verified, wrong) =
            (total(|rule| rule.pruned), total(|rule| rule.verified), total(|rule| rule.wrong));
        assert_eq!(verified, pruned / 10);
        assert!(0 < wrong && wrong < verified / 2, "{wrong} of {verified}");
        let reverse_futility = statistics.rules[PruningRule::ReverseFutility as usize];
        assert!(reverse_futility.wrong < reverse_futility.verified, "{reverse_futility:?}");
    }

    #[test]
    fn cutoffs_by_null_moves_that_were_verified_are_counted() {
        let pruned = |params: Params| {
            let (statistics, _) = search_with(Some(SearchStatistics::new(0)), params);
            statistics.rules[PruningRule::NullMove as usize].pruned
        };
        // From this depth on all are verified.
        assert!(pruned(Params { null_move_verification_depth: 1, ..Params::default() }) > 0);
        assert_eq!(pruned(Params { null_move_depth: Params::NEVER, ..Params::default() }), 0);
    }

    #[test]
    fn every_rule_stands_at_its_index() {
        assert!(PruningRule::ALL.iter().enumerate().all(|(index, (rule, _))| *rule as usize == index));
    }

    #[test]
    fn errors_are_counted_by_depth() {
        let mut statistics = SearchStatistics::default();
        for (depth, value) in [(1, 10), (3, -30), (4, 5), (7, 5), (8, 100), (30, -100)] {
            statistics.count_evaluation(depth, value, 0, 10);
        }
        let expected = [(2, 40, 40), (2, 10, 10), (2, 200, 200)];
        assert_eq!(statistics.evaluation.map(|error| (error.nodes, error.raw, error.corrected)), expected);
    }
}
