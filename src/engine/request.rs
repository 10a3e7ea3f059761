//! One search to be made: what is asked of it, with what the options and bans add, and who chooses among its results.

use super::option_values::Options;
use super::skill::{Candidates, FULL_SKILL, SkillLimit};
use super::tablebases::probe_root;
use crate::position::Position;
use crate::rules::Rules;
use crate::search::{Limits, Outcome, Pool, Reporter};
use crate::tablebase::Tablebases;
use crate::types::Move;
use crate::types::score::is_mate;

/// A search to be made.
pub(super) struct Task {
    limits: Limits,
    /// How many lines are told of.
    shown: usize,
    handicap: Option<SkillLimit>,
}

impl Task {
    /// The search within `limits` under these options, without the banned moves.
    pub(super) fn new(limits: &Limits, options: &Options, banned: &[Move]) -> Task {
        let mut limits = limits.clone();
        limits.move_overhead = options.move_overhead;
        limits.ponder_enabled = options.ponder;
        limits.multi_pv = limits.multi_pv.max(options.multi_pv);
        limits.banned_moves.extend(banned);
        let shown = limits.multi_pv;
        // An analysis is not made worse on purpose.
        let is_analysis = limits.infinite || limits.mate.is_some();
        let skill = if is_analysis { FULL_SKILL } else { options.skill };
        let handicap = SkillLimit::of(skill, options.seed_or_random());
        if let Some(handicap) = &handicap {
            handicap.narrow(&mut limits);
        }
        Task { limits, shown, handicap }
    }

    /// Goes by what tables know of a position: values are told as they are, and when one move is to be played, only the
    /// moves that keep the result are left.
    pub(super) fn keep_result(&mut self, shelf: &Tablebases, position: &Position, rules: &Rules) {
        if let Some(root_moves) = probe_root(shelf, position, rules, &self.limits) {
            self.limits.known_values = root_moves.known;
            if self.handicap.is_none() && self.shown == 1 {
                self.limits.search_moves = root_moves.best;
            }
        }
    }

    /// What the search keeps to.
    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether this result may be given out only when the search is told to stop.
    pub(super) fn must_wait_with(&self, outcome: &Outcome) -> bool {
        let is_decided = outcome.line.is_empty() || is_mate(outcome.score);
        self.limits.infinite && (self.limits.wait_for_stop || !is_decided)
    }

    /// Searches `position` and chooses what to play.
    pub(super) fn run(&self, pool: &mut Pool, position: &Position, reporter: &mut dyn Reporter) -> Outcome {
        let Some(handicap) = &self.handicap else {
            return pool.run(position, &self.limits, reporter);
        };
        let mut candidates = Candidates::new(reporter, self.shown);
        let outcome = pool.run(position, &self.limits, &mut candidates);
        handicap.choose(candidates.into_found(), outcome, position.key())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::search::{Budget, Clock};

    #[test]
    fn who_thinks_on_the_opponents_time_may_spend_more_of_the_own() {
        let mut options = Options::default();
        let clock = Clock { remaining: Duration::from_secs(360), increment: Duration::ZERO, moves_to_go: None };
        let limits = Limits { clock: Some(clock), ..Limits::default() };
        let mut optimum = |name: &str, value: &str| {
            options.set(name, value).unwrap();
            Budget::of(Task::new(&limits, &options, &[]).limits()).unwrap().optimum
        };
        // As UCCI and as UCI write it.
        let (without, with) = (optimum("ponder", "false"), optimum("Ponder", "true"));
        assert_eq!(with, without + without / 4);
        assert_eq!(optimum("Ponder", "false"), without);
    }
}
