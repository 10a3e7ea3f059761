//! Statistics of the search tree for `chuhe bench --stats`: its growth, cut-offs, pruning, error of the evaluation.

use std::io::{self, Write};

use crate::engine::Engine;
use crate::engine::bench::IterationNodes;
use crate::search::{Collector, PvReport, Reporter, SearchStatistics};

/// Statistics of the searches of an engine, as a [`Reporter`] of these searches.
pub struct TreeStatistics {
    collector: Option<Collector>,
    iterations: IterationNodes,
}

impl Reporter for TreeStatistics {
    fn report(&mut self, report: &PvReport) {
        self.iterations.report(report);
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
        TreeStatistics { collector, iterations: IterationNodes::default() }
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
            factor(self.iterations.growth()),
            factor(self.iterations.branching_factor()),
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
