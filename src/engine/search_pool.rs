//! Threads of searches with the result of the last search, which holds for a repetition and for positions on its line.

use std::io;
use std::sync::Arc;

use crate::position::Position;
use crate::rules::Rules;
use crate::search::{Bound, Outcome, Params, Reporter, SearchConfig, ThreadPool, value_to_table};

/// Search threads that remember the last result.
pub(super) struct SearchPool {
    pub threads: ThreadPool,
    last: Option<LastSearch>,
}

impl SearchPool {
    pub fn new(threads: usize) -> io::Result<SearchPool> {
        Ok(SearchPool { threads: ThreadPool::new(threads)?, last: None })
    }

    /// Clears the histories of the threads and forgets the last result.
    pub fn clear(&mut self) {
        self.threads.clear();
        self.last = None;
    }

    /// Searches as [`ThreadPool::search`] does.
    ///
    /// A search to a depth that repeats the last search returns its result: another one could choose another of nearly
    /// equal moves, since the table and the histories have changed. A search that ended early since there is only one
    /// move returns the score of the search before if that was deeper here.
    pub fn search(&mut self, config: &Arc<SearchConfig>, reporter: &mut dyn Reporter) -> Outcome {
        let settings = repeatable_settings(config);
        if let Some(last) = self.last.as_ref().filter(|last| settings.is_some() && last.settings == settings) {
            let (elapsed, hashfull) = (config.signals.start().elapsed(), config.table.hashfull());
            let outcome = Outcome { nodes: 0, elapsed, hashfull, tbhits: 0, ..last.outcome.clone() };
            reporter.report(&outcome);
            return outcome;
        }
        let outcome = self.threads.search(config, reporter);
        let limits = &config.limits;
        // Of other moves the result says nothing about the position.
        if !limits.banned_moves.is_empty() || !limits.search_moves.is_empty() {
            return outcome;
        }
        let root = config.position.with_recent_history(0);
        let is_kept = |earlier: &Outcome| {
            settings.is_none() && earlier.finished_depth > outcome.finished_depth && earlier.best() == outcome.best()
        };
        let earlier = self.last.as_ref().and_then(|last| last.result_at(&config.position));
        let Some(earlier) = earlier.filter(is_kept) else {
            if outcome.bound == Bound::Exact && outcome.finished_depth > 0 {
                let settings = settings.filter(|_| limits.depth == Some(outcome.finished_depth));
                self.last = Some(LastSearch { root, settings, outcome: outcome.clone() });
            }
            return outcome;
        };
        self.last = Some(LastSearch { root, settings: None, outcome: earlier.clone() });
        if !limits.may_end_early() || config.position.legal_moves().len() > 1 {
            return outcome;
        }
        let Outcome { nodes, elapsed, hashfull, tbhits, .. } = outcome;
        let outcome = Outcome { nodes, elapsed, hashfull, tbhits, ..earlier };
        reporter.report(&outcome);
        outcome
    }
}

struct LastSearch {
    root: Position,
    /// Those of a search whose result a repetition of it returns.
    settings: Option<RepeatableSettings>,
    outcome: Outcome,
}

/// All that influences a search to a fixed depth of all moves, beside network and thread data: key of the position and
/// the evaluation, depth, rules and parameters.
type RepeatableSettings = (u64, usize, Rules, Params);

/// Returns the settings of a search whose result holds whenever it is repeated: one to a fixed depth alone, of all
/// moves, right after a capture or at the start of a game, so that no earlier position and no count of moves matters.
fn repeatable_settings(config: &SearchConfig) -> Option<RepeatableSettings> {
    let (position, limits) = (&config.position, &config.limits);
    let has_other_limits = limits.nodes.is_some() || limits.soft_nodes.is_some() || limits.mate.is_some();
    let is_whole = limits.banned_moves.is_empty() && limits.search_moves.is_empty() && limits.multi_pv <= 1;
    let is_special = config.noise.amplitude > 0 || config.tablebases.is_some() || config.statistics.is_collecting();
    let is_repeatable = limits.is_to_depth() && !has_other_limits && is_whole && !is_special;
    let depth = limits.depth.filter(|_| is_repeatable && position.plies_since_capture() == 0)?;
    Some((position.key() ^ config.table_salt(), depth, config.rules, config.params))
}

impl LastSearch {
    /// Returns the result for a position on its line, with the rest of depth and line; `None` for any other position.
    fn result_at(&self, position: &Position) -> Option<Outcome> {
        let (mut walked, outcome) = (self.root.clone(), &self.outcome);
        for (ply, &mv) in outcome.line.iter().enumerate().take(outcome.finished_depth) {
            if walked.key() == position.key() {
                let score = if ply.is_multiple_of(2) { outcome.score } else { -outcome.score };
                return Some(Outcome {
                    line: outcome.line[ply..].to_vec(),
                    score: value_to_table(score, ply),
                    finished_depth: outcome.finished_depth - ply,
                    depth: outcome.depth.saturating_sub(ply),
                    selective_depth: outcome.selective_depth.saturating_sub(ply),
                    ..outcome.clone()
                });
            }
            walked.make(mv);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Move;
    use crate::types::score::{mate_in, mated_in};

    #[test]
    fn a_result_holds_for_the_positions_on_its_line() {
        let root = Position::start();
        let line: Vec<Move> = ["h2e2", "h9g7"].map(|text| text.parse().unwrap()).into();
        let on_line = |score, depth, plies: usize| {
            let outcome = Outcome { line: line.clone(), score, finished_depth: depth, depth, ..Outcome::default() };
            let last = LastSearch { root: root.clone(), settings: None, outcome };
            let mut position = root.clone();
            line[..plies].iter().for_each(|&mv| position.make(mv));
            let other = Position::from_fen("3k5/9/9/9/9/9/9/9/9/4K4 w").unwrap();
            assert_eq!(last.result_at(&other), None);
            last.result_at(&position).map(|found| (found.score, found.finished_depth, found.line.len()))
        };
        assert_eq!([on_line(30, 9, 0), on_line(30, 9, 1)], [Some((30, 9, 2)), Some((-30, 8, 1))]);
        assert_eq!(on_line(mate_in(5), 9, 1), Some((mated_in(4), 8, 1)), "the mate is a ply nearer");
        assert_eq!([on_line(30, 9, 2), on_line(30, 1, 1)], [None; 2], "there is no line or no depth left");
    }
}
