//! Request of one search: its configuration by limits, options and banned moves, and the choice among its results.

use std::sync::Arc;
use std::time::Duration;

use super::mate_proof::{MateProof, NodeAdder, ProofResult};
use super::option_values::Options;
use super::situation::Situations;
use super::skill::{CandidateCollector, FULL_SKILL, SkillLimit};
use super::tablebases::probe_root;
use crate::position::Position;
use crate::search::{Bound, Budget, Limits, Outcome, PvReport, Reporter, SearchConfig, SearchSignals, ThreadPool};
use crate::types::score::{is_mate, mated_in};
use crate::types::{Move, Value};

/// Part of the clock that is reserved at most for overruns: one in this many.
const MAX_OVERRUN_SHARE: u32 = 4;

/// Request of one search.
pub(super) struct SearchRequest {
    config: Arc<SearchConfig>,
    /// Number of principal variations that are reported; a skill limit searches more.
    shown: usize,
    skill: Option<SkillLimit>,
    /// Situations of the game for the style that follows it.
    situations: Option<Situations>,
    mate_proof: Option<MateProof>,
}

/// Returns the first legal move that is allowed.
pub(super) fn any_move(position: &Position, is_allowed: impl Fn(Move) -> bool) -> Option<Move> {
    position.legal_moves().into_iter().find(|&mv| is_allowed(mv))
}

impl SearchRequest {
    /// Completes the limits of a configuration by the options, the banned moves and the tablebases.
    ///
    /// Tablebases clamp the scores of root moves. If one move is to be played at full strength, only moves that keep
    /// the result are allowed.
    ///
    /// `overrun` is the longest time by which a search of this game has exceeded its share of the clock; it is reserved
    /// from now on.
    pub(super) fn new(
        mut config: SearchConfig,
        options: &Options,
        banned_moves: &[Move],
        overrun: Duration,
    ) -> SearchRequest {
        let limits = &mut config.limits;
        limits.move_overhead = options.move_overhead;
        if let Some(clock) = &limits.clock {
            limits.move_overhead += overrun.min(clock.remaining / MAX_OVERRUN_SHARE);
        }
        limits.ponder_enabled = options.ponder;
        limits.multi_pv = limits.multi_pv.max(options.multi_pv);
        limits.banned_moves.extend(banned_moves);
        let shown = limits.multi_pv;
        let mate_proof = MateProof::new(limits, &config.position, options.hash_megabytes);
        // Analysis has full strength.
        let is_analysis = limits.is_analysis();
        if is_analysis || shown > 1 {
            limits.contempt = 0;
            limits.saves_time = false;
        }
        let level = if is_analysis { f64::from(FULL_SKILL) } else { options.level() };
        let skill = SkillLimit::new(level, options.seed_or_random());
        if let Some(skill) = &skill {
            skill.narrow(limits);
        }
        if let Some(tablebases) = &config.tablebases
            && let Some(root_moves) = probe_root(tablebases, &config.position, &config.rules, limits)
        {
            limits.known_values = root_moves.known;
            if skill.is_none() && shown == 1 {
                limits.search_moves = root_moves.best;
            }
        }
        SearchRequest { config: Arc::new(config), shown, skill, situations: None, mate_proof }
    }

    /// Lets the situation factor follow the game, unless the search is an analysis.
    pub(super) fn with_situations(mut self, situations: Situations) -> SearchRequest {
        self.situations = (!self.config.limits.is_analysis()).then_some(situations);
        self
    }

    /// Part of the keys of the transposition table in this search.
    pub(super) fn table_salt(&self) -> u64 {
        self.config.table_salt()
    }

    /// Value of a draw in this search for the side to move at the root, in centipawns.
    pub(super) fn draw_value(&self) -> Value {
        self.config.limits.draw_value()
    }

    /// Time by which the search, which ends now, exceeds the most of the clock that it was given.
    pub(super) fn overrun(&self) -> Duration {
        let signals = self.signals();
        let budget = self.config.limits.clock.and_then(|_| Budget::new(&self.config.limits));
        let used = signals.clock_time(signals.start().elapsed());
        budget.zip(used).map_or(Duration::ZERO, |(budget, used)| used.saturating_sub(budget.maximum))
    }

    /// The signals of the search.
    pub(super) fn signals(&self) -> &SearchSignals {
        &self.config.shared.signals
    }

    /// Returns `true` if the result must be held back until the search is stopped.
    pub(super) fn must_wait_for_stop(&self, outcome: &Outcome) -> bool {
        let limits = &self.config.limits;
        let is_decided = outcome.line.is_empty() || is_mate(outcome.score);
        limits.infinite && (limits.wait_for_stop || !is_decided)
    }

    /// A result without a search: the first legal move that is allowed.
    pub(super) fn any_move(&self) -> Outcome {
        let allowed = any_move(&self.config.position, |mv| self.config.limits.allows(mv));
        Outcome { line: allowed.into_iter().collect(), ..Outcome::default() }
    }

    /// Searches, picks the move to play and reports it with the totals of the search.
    pub(super) fn run(&self, pool: &mut ThreadPool, reporter: &mut dyn Reporter) -> Outcome {
        let outcome = self.find(pool, reporter);
        if reporter.wants_reports() {
            let hashfull = self.config.shared.table.hashfull();
            let report = PvReport::of_outcome(&outcome, hashfull);
            let limits = &self.config.limits;
            if !outcome.line.is_empty() {
                if outcome.bound != Bound::None {
                    reporter.finish(&report);
                }
            } else if limits.search_moves.is_empty() && !self.config.position.has_legal_move() {
                reporter.finish(&PvReport { score: mated_in(0), bound: Bound::Exact, ..report });
            }
        }
        outcome
    }

    /// Searches and picks the move to play. A mate that the solver proves needs no search.
    fn find(&self, pool: &mut ThreadPool, reporter: &mut dyn Reporter) -> Outcome {
        match self.mate_proof.as_ref().map(|proof| proof.run(&self.config, reporter)) {
            None => {
                self.mark_if_endless(&self.config.limits);
                self.search(pool, reporter)
            }
            Some(ProofResult::Mate(outcome)) => outcome,
            Some(ProofResult::Search { limits, nodes }) => {
                self.mark_if_endless(&limits);
                let config = Arc::new(SearchConfig { limits, ..SearchConfig::clone(&self.config) });
                // Analysis has full strength and no situations.
                let outcome = pool.search(&config, &mut NodeAdder { reporter, nodes });
                Outcome { nodes: outcome.nodes + nodes, ..outcome }
            }
        }
    }

    fn mark_if_endless(&self, limits: &Limits) {
        if !limits.is_bounded() {
            self.signals().set_endless();
        }
    }

    fn search(&self, pool: &mut ThreadPool, reporter: &mut dyn Reporter) -> Outcome {
        match &self.situations {
            None => self.search_once(&self.config, pool, reporter),
            Some(situations) => {
                situations.search(&self.config, pool, |config, pool| self.search_once(&config, pool, reporter))
            }
        }
    }

    fn search_once(&self, config: &Arc<SearchConfig>, pool: &mut ThreadPool, reporter: &mut dyn Reporter) -> Outcome {
        let Some(skill) = &self.skill else {
            return pool.search(config, reporter);
        };
        let mut collector = CandidateCollector::new(reporter, self.shown);
        let outcome = pool.search(config, &mut collector);
        skill.pick(collector.into_candidates(), outcome, self.config.position.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::search::{Clock, TranspositionTable};

    #[test]
    fn an_engine_that_ponders_may_take_longer() {
        let mut options = Options::default();
        let clock = Clock { remaining: Duration::from_secs(360), increment: Duration::ZERO, moves_to_go: None };
        let limits = Limits { clock: Some(clock), ..Limits::default() };
        let mut optimum = |name: &str, value: &str| {
            options.set(name, value).unwrap();
            let shared = Arc::new(TranspositionTable::new(1).unwrap().into());
            let config = SearchConfig::new(Position::start(), limits.clone(), shared);
            let request = SearchRequest::new(config, &options, &[], Duration::ZERO);
            Budget::new(&request.config.limits).unwrap().optimum
        };
        // As UCCI and as UCI write it.
        let (without, with) = (optimum("ponder", "false"), optimum("Ponder", "true"));
        assert_eq!(with, without + without / 4);
        assert_eq!(optimum("Ponder", "false"), without);
    }
}
