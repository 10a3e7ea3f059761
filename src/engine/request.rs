//! Request of one search: completes its limits by options, banned moves, skill and tablebases, looks for a mate with
//! the mate solver before it searches, and chooses among the results.

use std::sync::Arc;
use std::time::Duration;

use super::options::Options;
use super::skill::{CandidateCollector, FULL_SKILL, SkillLimit};
use super::style::Situations;
use crate::position::Position;
use crate::rules::{MoveCount, Reason, Rules};
use crate::search::{
    Bound, Budget, KnownValue, Limits, Outcome, PvReport, Reporter, SearchConfig, SearchSignals, ThreadPool,
};
use crate::solver::{MAX_MATE_MOVES, MateLimits, MateSolver, MateVerdict, ProvedMate};
use crate::tablebase::{TablebaseValue, Tablebases, draws_are_exact};
use crate::types::score::{INFINITE, MAX_PLY, TABLEBASE_WIN, is_mate, mate_in, mated_in};
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
        } else if limits.is_timed() && limits.contempt == 0 {
            // Games are played with a clock or a time; other limits serve analysis too.
            limits.contempt = options.contempt;
        }
        let level = if is_analysis { f64::from(FULL_SKILL) } else { options.level() };
        let skill = SkillLimit::new(level, options.seed_or_random());
        if let Some(skill) = &skill {
            skill.narrow(limits);
        }
        if let Some(tablebases) = &config.tablebases {
            let is_for_best = skill.is_none() && shown == 1;
            probe_root(tablebases, &config.position, &config.rules, limits, is_for_best);
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

/// Nodes of the solver without a limit of nodes or time.
const DEFAULT_NODES: u64 = 2_000_000;

/// Nodes of the search for some move to play when a mate is refuted and nothing else limits it.
const NODES_AFTER_REFUTATION: u64 = 200_000;

/// Largest table of the solver in megabytes; a smaller transposition table means a smaller one.
const MAX_TABLE_MEGABYTES: usize = 64;

/// Attempt to prove a mate.
struct MateProof {
    limits: MateLimits,
    /// A longer mate is wanted than the solver can refute.
    is_shortened: bool,
    table_bytes: usize,
}

/// Result of an attempt.
enum ProofResult {
    /// A mate is proved and reported.
    Mate(Outcome),
    /// The search has to find a move.
    Search {
        /// Limits of the search.
        limits: Limits,
        /// Nodes of the attempt, which count in reports and result of the search.
        nodes: u64,
    },
}

impl MateProof {
    /// Plans an attempt if the limits ask for a mate by one line of play, and not while pondering. Solver and search
    /// get half of the nodes each.
    fn new(limits: &mut Limits, position: &Position, hash_megabytes: usize) -> Option<MateProof> {
        let wanted = limits.mate.filter(|&moves| moves > 0)?;
        let moves = wanted.min(MAX_MATE_MOVES);
        if !limits.prove_mate || limits.ponder || limits.multi_pv > 1 {
            return None;
        }
        let is_restricted = !limits.search_moves.is_empty() || !limits.banned_moves.is_empty();
        let mut first_moves = Vec::new();
        if is_restricted {
            first_moves.extend(position.legal_moves().into_iter().filter(|&mv| limits.allows(mv)));
            if first_moves.is_empty() {
                return None;
            }
        }
        let nodes = match limits.nodes {
            Some(nodes) => nodes / 2,
            None if limits.is_timed() => u64::MAX,
            None => DEFAULT_NODES,
        };
        limits.nodes = limits.nodes.map(|all| all - nodes);
        Some(MateProof {
            limits: MateLimits { nodes, seek_shortest: false, first_moves, ..MateLimits::moves(moves) },
            is_shortened: moves < wanted,
            table_bytes: hash_megabytes.min(MAX_TABLE_MEGABYTES) << 20,
        })
    }

    /// Runs the solver until it has a result, until the search is stopped, or for half of the time of the search.
    fn run(&self, config: &SearchConfig, reporter: &mut dyn Reporter) -> ProofResult {
        let limits = config.limits.clone();
        let verdict = config.rules.verdict(&config.position);
        if let Some(reason @ Reason::Repetition(_)) = verdict.reason() {
            // The client may play on by other rules.
            reporter.note(&format!("the game is over: {reason}; searching all the same"));
            return ProofResult::Search { limits, nodes: 0 };
        }
        let mut solver = match MateSolver::new(self.table_bytes) {
            Ok(solver) => solver,
            Err(error) => {
                log::warn!("no mate solver: {error}");
                return ProofResult::Search { limits, nodes: 0 };
            }
        };
        let signals = &config.shared.signals;
        let start = signals.start();
        let time = Budget::new(&limits).map(|budget| budget.optimum / 2);
        let is_stopped = || signals.is_stopped() || time.is_some_and(|time| start.elapsed() >= time);
        let result = solver.solve(&config.position, config.rules, &self.limits, &is_stopped);
        let (moves, nodes) = (self.limits.moves, result.nodes);
        let within = if moves == 1 { "mate in 1 move".to_owned() } else { format!("mate in at most {moves} moves") };
        match result.verdict {
            MateVerdict::Proved(ProvedMate { moves, line, by_checks, .. }) => {
                let plies = 2 * moves - 1;
                let outcome = Outcome {
                    line,
                    score: mate_in(plies),
                    depth: plies,
                    line_depth: plies,
                    selective_depth: plies,
                    bound: Bound::Exact,
                    nodes,
                    elapsed: start.elapsed(),
                    tbhits: 0,
                };
                reporter.note(&format!("{within} proved{}", if by_checks { ", by checks only" } else { "" }));
                reporter.report(&PvReport::of_outcome(&outcome, config.shared.table.hashfull()));
                ProofResult::Mate(outcome)
            }
            MateVerdict::Refuted if self.is_shortened => {
                reporter.note(&format!("{within} refuted; searching for a longer one"));
                ProofResult::Search { limits, nodes }
            }
            MateVerdict::Refuted => {
                reporter.note(&format!("{within} refuted"));
                let max_nodes = if limits.is_bounded() { limits.nodes } else { Some(NODES_AFTER_REFUTATION) };
                ProofResult::Search { limits: Limits { nodes: max_nodes, ..limits }, nodes }
            }
            MateVerdict::Unknown => {
                reporter.note(&format!("{within} neither proved nor refuted with {nodes} nodes; searching"));
                ProofResult::Search { limits, nodes }
            }
        }
    }
}

/// Adds nodes of an attempt to those of the reports of a search.
struct NodeAdder<'a> {
    reporter: &'a mut dyn Reporter,
    nodes: u64,
}

impl Reporter for NodeAdder<'_> {
    fn report(&mut self, report: &PvReport) {
        self.reporter.report(&PvReport { nodes: report.nodes + self.nodes, ..report.clone() });
    }

    fn note(&mut self, text: &str) {
        self.reporter.note(text);
    }

    fn wants_reports(&self) -> bool {
        self.reporter.wants_reports()
    }
}

/// Looks up the moves of a position, if the tables contain all of them, and bounds their values. `is_for_best` allows
/// only those that keep the value of the position: the fastest wins, or the draws, or the slowest losses. Moves that
/// `limits` exclude are left out. A win counts if its next capture comes within the natural move limit.
fn probe_root(tables: &Tablebases, position: &Position, rules: &Rules, limits: &mut Limits, is_for_best: bool) {
    if !tables.may_contain(position) {
        return;
    }
    let Ok(mut moves) = tables.moves(position) else { return };
    moves.retain(|(mv, _)| limits.allows(*mv));
    let plies_left = usize::from(rules.move_limit).saturating_sub(MoveCount::new(rules.set, position).plies());
    let is_in_time = |plies: u8| usize::from(plies) <= plies_left;
    let draws_are_exact = draws_are_exact(position);
    let draw = limits.draw_value();
    // Draws, and wins and losses that the natural move limit may turn into draws, are one class.
    let class = |value: TablebaseValue| match value {
        TablebaseValue::Win(plies) | TablebaseValue::Loss(plies) if is_in_time(plies) => value,
        _ => TablebaseValue::Draw,
    };
    let known = |&(mv, value): &(Move, TablebaseValue)| {
        let in_band = |plies: u8| TABLEBASE_WIN - Value::from(plies).min(MAX_PLY as Value);
        let (min, max) = match value {
            TablebaseValue::Win(plies) if is_in_time(plies) => (in_band(plies), INFINITE),
            TablebaseValue::Loss(plies) if is_in_time(plies) => (-INFINITE, -in_band(plies)),
            TablebaseValue::Draw if draws_are_exact => (draw, draw),
            _ => return None,
        };
        Some(KnownValue { mv, min, max })
    };
    let Some(&(_, best)) = moves.first() else { return };
    limits.known_values = moves.iter().filter_map(known).collect();
    if is_for_best {
        let keeps_value = |&&(_, value): &&(Move, TablebaseValue)| class(value) == class(best);
        limits.search_moves = moves.iter().filter(keeps_value).map(|&(mv, _)| mv).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Clock, TranspositionTable};

    fn config(position: Position, limits: Limits) -> SearchConfig {
        SearchConfig::new(position, limits, Arc::new(TranspositionTable::new(1).unwrap().into()))
    }

    #[test]
    fn an_engine_that_ponders_may_take_longer() {
        let clock = Clock { remaining: Duration::from_secs(360), increment: Duration::ZERO, moves_to_go: None };
        let limits = Limits { clock: Some(clock), ..Limits::default() };
        let optimum = |ponder| {
            let options = Options { ponder, ..Options::default() };
            let request = SearchRequest::new(config(Position::start(), limits.clone()), &options, &[], Duration::ZERO);
            Budget::new(&request.config.limits).unwrap().optimum
        };
        assert_eq!(optimum(true), optimum(false) + optimum(false) / 4);
    }

    #[test]
    fn a_draw_is_worth_less_with_contempt_in_games_alone() {
        let options = Options { contempt: 30, ..Options::default() };
        let timed = Limits { move_time: Some(Duration::from_secs(1)), ..Limits::default() };
        for (limits, contempt) in [
            (timed.clone(), 30),
            (Limits { contempt: 10, ..timed.clone() }, 10),
            (Limits { multi_pv: 2, ..timed.clone() }, 0),
            (Limits { mate: Some(3), ..timed }, 0),
            (Limits::depth(3), 0),
        ] {
            let request = SearchRequest::new(config(Position::start(), limits), &options, &[], Duration::ZERO);
            assert_eq!(request.config.limits.contempt, contempt);
        }
    }

    #[test]
    fn a_refutation_of_a_shorter_mate_than_wanted_does_not_limit_the_search() {
        let bare_kings = Position::from_fen("4k4/9/9/9/9/9/9/9/9/3K5 w").unwrap();
        for (moves, max_nodes) in [(MAX_MATE_MOVES, Some(NODES_AFTER_REFUTATION)), (MAX_MATE_MOVES + 1, None)] {
            let mut limits = Limits { mate: Some(moves), prove_mate: true, ..Limits::default() };
            let proof = MateProof::new(&mut limits, &bare_kings, 1).unwrap();
            let result = proof.run(&config(bare_kings.clone(), limits), &mut ());
            let ProofResult::Search { limits, .. } = result else { panic!("there is no mate") };
            assert_eq!(limits.nodes, max_nodes, "{moves}");
        }
    }
}
