//! Statistics of the search tree for `chuhe bench --stats`: its growth, cut-offs, pruning, error of the evaluation.

use std::io::{self, Write};

use crate::engine::Engine;
use crate::search::{Bound, Collector, Outcome, Reporter, SearchStatistics};

/// Nodes below which an iteration says nothing about the growth of the tree.
const MIN_GROWTH_NODES: f64 = 1_000.0;

/// Statistics of the searches of an engine, as a [`Reporter`] of these searches.
#[derive(Default)]
pub struct TreeStatistics {
    collector: Option<Collector>,
    /// Depth of every iteration of every search, and logarithm of the nodes from the start of the search to its end.
    searches: Vec<Vec<(f64, f64)>>,
}

impl Reporter for TreeStatistics {
    fn report(&mut self, report: &Outcome) {
        if report.bound != Bound::Exact || report.pv_index != 1 {
            return;
        }
        if report.depth == 1 {
            self.searches.push(Vec::new());
        }
        if let Some(search) = self.searches.last_mut() {
            // A mate that is proved is reported with the depth of the iteration before.
            search.pop_if(|(depth, _)| *depth == report.depth as f64);
            search.push((report.depth as f64, (report.nodes as f64).ln()));
        }
    }

    // Reports take time that is not that of the search.
    fn wants_reports(&self) -> bool {
        self.collector.is_some()
    }
}

impl TreeStatistics {
    /// Statistics of the following searches of `engine`, of which one in `interval` pruned nodes and moves is searched
    /// all the same; 0 for none. None are collected without a number.
    pub fn new(interval: Option<u64>, engine: &mut Engine) -> TreeStatistics {
        let collector = interval.map(Collector::new);
        engine.collect_statistics(collector.clone().unwrap_or_default());
        TreeStatistics { collector, searches: Vec::new() }
    }

    /// Returns the factor by which a further ply multiplies the nodes of a search: the geometric mean over searches
    /// with at least three iterations of 1,000 nodes, each by least squares of the logarithm of the nodes over the
    /// depth. `None` without such a search.
    fn growth(&self) -> Option<f64> {
        let slope = |search: &Vec<(f64, f64)>| {
            let points = || search.iter().filter(|(_, nodes)| *nodes >= MIN_GROWTH_NODES.ln());
            let count = points().count();
            let mean_depth = points().map(|(depth, _)| depth).sum::<f64>() / count as f64;
            let covariance: f64 = points().map(|(depth, nodes)| (depth - mean_depth) * nodes).sum();
            let variance: f64 = points().map(|(depth, _)| (depth - mean_depth).powi(2)).sum();
            (count >= 3).then(|| covariance / variance)
        };
        geometric_mean(self.searches.iter().filter_map(slope))
    }

    /// Returns the geometric mean over all searches of the depth-th root of the nodes. `None` without a search.
    fn branching_factor(&self) -> Option<f64> {
        let last = |search: &Vec<(f64, f64)>| search.last().map(|(depth, nodes)| nodes / depth);
        geometric_mean(self.searches.iter().filter_map(last))
    }

    /// Writes the statistics, if they are collected.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let Some(collector) = &self.collector else { return Ok(()) };
        let statistics = collector.statistics();
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let percent = |part, whole| format!("{:.1} %", share(part, whole));
        let factor = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
        let main = statistics.pv_nodes + statistics.cut_nodes + statistics.all_nodes;
        let visited = main + statistics.quiescence_nodes;
        let cutoffs: u64 = statistics.cutoffs.iter().sum();
        writeln!(
            out,
            "\ngrowth per ply {}, effective branching factor {}\nnodes visited {visited}: main search {}, quiescence {}; of \
             the main search principal variation {}, expected cut-offs {}, expected fail-lows {}\ncut-offs {cutoffs}: by \
             the first move {}, by the second {}; {:.2} moves searched at a cut-off\nlate moves searched reduced {}, again \
             to full depth {}\nsingular searches {}: extensions {}, multicuts {}",
            factor(self.growth()),
            factor(self.branching_factor()),
            percent(main, visited),
            percent(statistics.quiescence_nodes, visited),
            percent(statistics.pv_nodes, main),
            percent(statistics.cut_nodes, main),
            percent(statistics.all_nodes, main),
            percent(statistics.cutoffs[0], cutoffs),
            percent(statistics.cutoffs[1], cutoffs),
            statistics.moves_at_cutoffs as f64 / cutoffs.max(1) as f64,
            statistics.reduced_searches,
            percent(statistics.searches_to_full_depth, statistics.reduced_searches),
            statistics.singular_searches,
            percent(statistics.singular_extensions, statistics.singular_searches),
            percent(statistics.multicuts, statistics.singular_searches),
        )?;
        writeln!(out, "\n{:<18} {:>10} {:>9} {:>8}", "pruning", "pruned", "verified", "wrong %")?;
        for (name, rule) in SearchStatistics::RULE_NAMES.iter().zip(&statistics.rules) {
            let wrong = share(rule.wrong, rule.verified);
            let wrong = if rule.verified == 0 { "-".to_owned() } else { format!("{wrong:.1}") };
            writeln!(out, "{name:<18} {:>10} {:>9} {wrong:>8}", rule.pruned, rule.verified)?;
        }
        writeln!(out, "\n{:<18} {:>10} {:>9} {:>9}", "evaluation error", "nodes", "raw", "corrected")?;
        for (index, error) in statistics.evaluation.iter().enumerate() {
            let range = match SearchStatistics::DEPTH_CLASSES.get(index + 1) {
                Some(next) => format!("depth {}-{}", SearchStatistics::DEPTH_CLASSES[index], next - 1),
                None => format!("depth {}+", SearchStatistics::DEPTH_CLASSES[index]),
            };
            let nodes = error.nodes.max(1) as f64;
            let (raw, corrected) = (error.raw as f64 / nodes, error.corrected as f64 / nodes);
            writeln!(out, "{range:<18} {:>10} {raw:>9.1} {corrected:>9.1}", error.nodes)?;
        }
        Ok(())
    }
}

/// Returns the geometric mean of numbers with these logarithms.
fn geometric_mean(logarithms: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = logarithms.fold((0, 0.0), |(count, sum), logarithm| (count + 1, sum + logarithm));
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_and_branching_factor_are_those_of_a_geometric_tree() {
        let mut statistics = TreeStatistics::default();
        assert_eq!((statistics.growth(), statistics.branching_factor()), (None, None));
        for depth in (1..=8).cycle().take(16) {
            let nodes = 4_u64.pow(depth as u32);
            let report = Outcome { pv_index: 1, depth, nodes, bound: Bound::Exact, ..Outcome::default() };
            if depth > 1 {
                statistics.report(&Outcome { nodes: 1, ..report.clone() });
            }
            statistics.report(&report);
            statistics.report(&Outcome { bound: Bound::Lower, nodes: 1, ..report.clone() });
            statistics.report(&Outcome { pv_index: 2, nodes: 1, ..report });
        }
        let is_four = |factor: Option<f64>| factor.is_some_and(|factor| (factor - 4.0).abs() < 1e-9);
        assert!(is_four(statistics.growth()) && is_four(statistics.branching_factor()), "{:?}", statistics.searches);
    }
}
