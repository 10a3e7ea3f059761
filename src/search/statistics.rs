//! Statistics of the search tree: nodes, cut-offs, pruning and the error of the evaluation.
//!
//! Only the laboratory collects them, for the main thread, if the configuration asks for them; without it the compiler
//! drops all that is counted. To learn how often a pruning rule is wrong, a sample of what it prunes is searched all
//! the same; these searches are not counted, but change table, histories and selective depth, so that the tree differs.

use std::sync::{Arc, Mutex, PoisonError};

use crate::types::Value;

/// Rule that prunes a node or a move; [`SearchStatistics::RULE_NAMES`] has the names. Late quiet moves are not counted:
/// the picker leaves them out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PruningRule {
    ReverseFutility,
    NullMove,
    ProbCut,
    Futility,
    CaptureFutility,
    History,
    QuietExchange,
    CaptureExchange,
}

/// Counters of one pruning rule.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuleStatistics {
    pub pruned: u64,
    /// Those of them that were searched all the same.
    pub verified: u64,
    /// Those of the verified ones that should not have been pruned: the node failed low, or the move beat alpha.
    pub wrong: u64,
}

/// Errors of the evaluation at nodes with an exact value, in centipawns of the search, which scales evaluations by the
/// material left: sums of the differences between the value and the static evaluation, without and with correction.
#[derive(Clone, Copy, Debug, Default)]
pub struct EvaluationError {
    pub nodes: u64,
    pub raw: u64,
    pub corrected: u64,
}

/// Counters of one or several searches.
#[derive(Clone, Debug, Default)]
pub struct SearchStatistics {
    /// Number of pruned nodes and moves of which one is searched all the same; 0 to search none.
    sample_interval: u64,
    since_sample: u64,
    pub pv_nodes: u64,
    /// Nodes where a cut-off was expected.
    pub cut_nodes: u64,
    /// Nodes where all moves were expected to fail low.
    pub all_nodes: u64,
    pub quiescence_nodes: u64,
    /// Cut-offs by the first, the second and any later move.
    pub cutoffs: [u64; 3],
    /// Moves searched at nodes with a cut-off.
    pub moves_at_cutoffs: u64,
    pub reduced_searches: u64,
    /// Those that were searched again to full depth.
    pub searches_to_full_depth: u64,
    pub singular_searches: u64,
    /// Those that extended the table move.
    pub singular_extensions: u64,
    /// Those that cut the node off.
    pub multicuts: u64,
    pub rules: [RuleStatistics; SearchStatistics::RULE_NAMES.len()],
    /// By depth, in the order of [`SearchStatistics::DEPTH_CLASSES`].
    pub evaluation: [EvaluationError; SearchStatistics::DEPTH_CLASSES.len()],
}

impl SearchStatistics {
    pub const RULE_NAMES: [&str; PruningRule::CaptureExchange as usize + 1] = [
        "reverse futility",
        "null move",
        "ProbCut",
        "futility, quiet",
        "futility, capture",
        "history",
        "exchange, quiet",
        "exchange, capture",
    ];
    /// The least depth of each class of evaluation errors.
    pub const DEPTH_CLASSES: [i32; 3] = [1, 4, 8];

    pub(super) fn count_node(&mut self, is_pv: bool, cut_node: bool) {
        match (is_pv, cut_node) {
            (true, _) => self.pv_nodes += 1,
            (false, true) => self.cut_nodes += 1,
            (false, false) => self.all_nodes += 1,
        }
    }

    /// Counts a cut-off by the move with this number, 1 for the first.
    pub(super) fn count_cutoff(&mut self, move_count: usize) {
        self.cutoffs[(move_count - 1).min(2)] += 1;
        self.moves_at_cutoffs += move_count as u64;
    }

    pub(super) fn count_exact_value(&mut self, depth: i32, value: Value, raw_eval: Value, static_eval: Value) {
        let class = Self::DEPTH_CLASSES.iter().rposition(|&least| depth >= least).unwrap_or(0);
        let error = &mut self.evaluation[class];
        error.nodes += 1;
        error.raw += u64::from(value.abs_diff(raw_eval));
        error.corrected += u64::from(value.abs_diff(static_eval));
    }
}

/// Where searches count, if statistics are collected.
#[derive(Clone, Default)]
pub struct Collector(Option<Arc<Mutex<SearchStatistics>>>);

impl Collector {
    /// Collects, and searches one of `sample_interval` pruned nodes and moves all the same; 0 for none.
    pub fn new(sample_interval: u64) -> Collector {
        let statistics = SearchStatistics { sample_interval, ..SearchStatistics::default() };
        Collector(Some(Arc::new(Mutex::new(statistics))))
    }

    pub fn statistics(&self) -> SearchStatistics {
        let all = self.0.as_ref().map(|all| all.lock().unwrap_or_else(PoisonError::into_inner).clone());
        all.unwrap_or_default()
    }

    pub(crate) fn is_collecting(&self) -> bool {
        self.0.is_some()
    }

    /// Counts something, if statistics are collected.
    #[inline(always)]
    pub(super) fn update(&self, count: impl FnOnce(&mut SearchStatistics)) {
        if cfg!(feature = "lab")
            && let Some(all) = &self.0
        {
            count(&mut all.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Counts a node or move pruned by `rule`. Returns `true` if it belongs to the sample.
    #[inline(always)]
    pub(super) fn count_pruned(&self, rule: PruningRule) -> bool {
        let mut is_sample = false;
        self.update(|all| {
            all.rules[rule as usize].pruned += 1;
            all.since_sample += 1;
            is_sample = all.sample_interval > 0 && all.since_sample >= all.sample_interval;
            all.since_sample = if is_sample { 0 } else { all.since_sample };
        });
        is_sample
    }

    /// Counts the search of a pruned node or move of the sample.
    pub(super) fn count_verified(&self, rule: PruningRule, is_wrong: bool) {
        self.update(|all| {
            all.rules[rule as usize].verified += 1;
            all.rules[rule as usize].wrong += u64::from(is_wrong);
        });
    }
}

#[cfg(all(test, feature = "lab"))]
mod tests {
    use std::sync::Arc;

    use super::super::state::tests::at_root;
    use super::super::threads::ThreadPool;
    use super::*;
    use crate::position::START_FEN;

    /// Statistics and node count of a search of the start position.
    fn search(statistics: Collector) -> (SearchStatistics, u64) {
        let mut config = at_root(START_FEN, "");
        config.limits.depth = Some(9);
        config.statistics = statistics.clone();
        let outcome = ThreadPool::new(1).unwrap().search(&Arc::new(config), &mut ());
        (statistics.statistics(), outcome.nodes)
    }

    #[test]
    fn collecting_changes_no_tree_and_counts_every_node() {
        let (statistics, nodes) = search(Collector::new(0));
        assert_eq!(search(Collector::default()).1, nodes);
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
    fn one_of_ten_pruned_nodes_and_moves_is_verified() {
        let (statistics, _) = search(Collector::new(10));
        let total = |count: fn(&RuleStatistics) -> u64| statistics.rules.iter().map(count).sum::<u64>();
        let (verified, wrong) = (total(|rule| rule.verified), total(|rule| rule.wrong));
        assert_eq!(verified, total(|rule| rule.pruned) / 10);
        assert!(0 < wrong && wrong < verified / 2, "{wrong} of {verified}");
    }
}
