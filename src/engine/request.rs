//! Request of one search: its limits by options, bans, skill and tablebases, the mate solver, and the choice of a move.

use std::sync::Arc;
use std::time::Duration;

use super::options::Options;
use super::search_pool::SearchPool;
use super::skill::{CandidateCollector, FULL_SKILL, SkillLimit};
use super::style::Situation;
use crate::position::Position;
use crate::rules::{MoveCount, Reason, Rules};
use crate::search::{Bound, Budget, KnownValue, Limits, Outcome, Reporter, SearchConfig};
use crate::solver::{MAX_MATE_MOVES, MateLimits, MateSolver, MateVerdict, ProvedMate};
use crate::tablebase::{TablebaseValue, Tablebases, draws_are_exact};
use crate::types::score::{INFINITE, MAX_PLY, TABLEBASE_WIN, is_mate, mate_in, mated_in};
use crate::types::{Move, Value};

/// Part of the clock that is reserved at most for overruns: one in this many.
const MAX_OVERRUN_SHARE: u32 = 4;

pub(super) struct SearchRequest {
    pub(super) config: Arc<SearchConfig>,
    /// Number of principal variations that are reported; a skill limit searches more.
    shown: usize,
    skill: Option<SkillLimit>,
    /// Situation of the game in the style that follows it, updated by the search; else `None`.
    pub(super) situation: Option<Situation>,
    mate_proof: Option<MateProof>,
}

impl SearchRequest {
    /// Completes the limits of a configuration by the options, the banned moves and the tablebases, which clamp the
    /// scores of root moves; if one move is to be played at full strength, only moves that keep the result are allowed.
    /// `overrun`, the longest time by which a search of this game has exceeded its share of the clock, is reserved.
    pub(super) fn new(
        mut config: SearchConfig,
        options: &Options,
        banned_moves: &[Move],
        overrun: Duration,
        situation: Option<Situation>,
    ) -> SearchRequest {
        let limits = &mut config.limits;
        limits.move_overhead = Duration::from_millis(options.move_overhead_ms);
        if let Some(clock) = &limits.clock {
            limits.move_overhead += overrun.min(clock.remaining / MAX_OVERRUN_SHARE);
        }
        limits.ponder_enabled = options.ponder;
        limits.multi_pv = limits.multi_pv.max(options.multi_pv);
        limits.banned_moves.extend(banned_moves);
        let shown = limits.multi_pv;
        let mate_proof = MateProof::new(limits, &config.position, options.hash_megabytes);
        // Analysis has full strength and no situation.
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
        let situation = situation.filter(|_| !is_analysis);
        SearchRequest { config: Arc::new(config), shown, skill, situation, mate_proof }
    }

    /// Time by which the search, which ends now, exceeds the most of the clock that it was given.
    pub(super) fn overrun(&self) -> Duration {
        let signals = &self.config.signals;
        let budget = self.config.limits.clock.and_then(|_| Budget::new(&self.config.limits));
        let used = signals.clock_time(signals.start().elapsed());
        budget.zip(used).map_or(Duration::ZERO, |(budget, used)| used.saturating_sub(budget.maximum))
    }

    pub(super) fn must_wait_for_stop(&self, outcome: &Outcome) -> bool {
        let limits = &self.config.limits;
        let is_decided = outcome.line.is_empty() || is_mate(outcome.score);
        limits.infinite && (limits.wait_for_stop || !is_decided)
    }

    /// Searches, picks the move to play and reports it with the totals of the search.
    pub(super) fn run(&mut self, pool: &mut SearchPool, reporter: &mut dyn Reporter) -> Outcome {
        let outcome = self.find(pool, reporter);
        if !outcome.line.is_empty() {
            if outcome.bound != Bound::None {
                reporter.finish(&outcome);
            }
        } else if self.config.limits.search_moves.is_empty() && !self.config.position.has_legal_move() {
            let (score, bound) = (mated_in(0), Bound::Exact);
            reporter.finish(&Outcome { score, bound, ..outcome.clone() });
        }
        outcome
    }

    /// Searches and picks the move to play. A mate that the solver proves needs no search.
    fn find(&mut self, pool: &mut SearchPool, reporter: &mut dyn Reporter) -> Outcome {
        match self.mate_proof.as_ref().map(|proof| proof.run(&self.config, reporter)) {
            Some((_, Ok(outcome))) => outcome,
            Some((nodes, Err(limits))) => {
                let config = Arc::new(SearchConfig { limits, ..SearchConfig::clone(&self.config) });
                let outcome = pool.search(&config, &mut NodeAdder { reporter, nodes });
                Outcome { nodes: outcome.nodes + nodes, ..outcome }
            }
            None => {
                let outcome = self.search(pool, reporter);
                self.situation = self.situation.map(|before| before.after(&self.config.position, &outcome));
                outcome
            }
        }
    }

    fn search(&self, pool: &mut SearchPool, reporter: &mut dyn Reporter) -> Outcome {
        let Some(skill) = &self.skill else {
            return pool.search(&self.config, reporter);
        };
        let mut collector = CandidateCollector::new(reporter, self.shown);
        let outcome = pool.search(&self.config, &mut collector);
        skill.pick(collector.into_candidates(), outcome, &self.config.position)
    }
}

/// Nodes of the solver without a limit of nodes or time.
const DEFAULT_NODES: u64 = 2_000_000;

/// Nodes of the search for some move to play when a mate is refuted and nothing else limits it.
const NODES_AFTER_REFUTATION: u64 = 200_000;

/// Largest table of the solver in megabytes; a smaller transposition table means a smaller one.
const MAX_TABLE_MEGABYTES: usize = 64;

struct MateProof {
    limits: MateLimits,
    /// A longer mate is wanted than the solver can refute.
    is_shortened: bool,
    table_bytes: usize,
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
        let is_first = |mv: &Move| is_restricted && limits.allows(*mv);
        let first_moves: Vec<Move> = position.legal_moves().into_iter().filter(is_first).collect();
        if is_restricted && first_moves.is_empty() {
            return None;
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

    /// Runs the solver until it has a result, the search is stopped, or half of its time is over. Returns its nodes,
    /// which count as those of the search, and the mate, which is reported, or the limits of the search for a move.
    fn run(&self, config: &SearchConfig, reporter: &mut dyn Reporter) -> (u64, Result<Outcome, Limits>) {
        let limits = config.limits.clone();
        let verdict = config.rules.verdict(&config.position);
        if let Some(reason @ Reason::Repetition(_)) = verdict.reason() {
            // The client may play on by other rules.
            reporter.note(&format!("the game is over: {reason}; searching all the same"));
            return (0, Err(limits));
        }
        let mut solver = match MateSolver::new(self.table_bytes) {
            Ok(solver) => solver,
            Err(error) => {
                log::warn!("no mate solver: {error}");
                return (0, Err(limits));
            }
        };
        let signals = &config.signals;
        let start = signals.start();
        let time = Budget::new(&limits).map(|budget| budget.optimum / 2);
        let is_stopped = || signals.is_stopped() || time.is_some_and(|time| start.elapsed() >= time);
        let result = solver.solve(&config.position, config.rules, &self.limits, &is_stopped);
        let (moves, nodes) = (self.limits.moves, result.nodes);
        let mut note = |text: &str| match moves {
            1 => reporter.note(&format!("mate in 1 move {text}")),
            _ => reporter.note(&format!("mate in at most {moves} moves {text}")),
        };
        let found = match result.verdict {
            MateVerdict::Proved(ProvedMate { moves, line, by_checks, .. }) => {
                note(if by_checks { "proved, by checks only" } else { "proved" });
                let plies = 2 * moves - 1;
                let (score, elapsed, bound) = (mate_in(plies), start.elapsed(), Bound::Exact);
                let outcome = Outcome {
                    pv_index: 1,
                    line,
                    score,
                    bound,
                    depth: plies,
                    selective_depth: plies,
                    finished_depth: plies,
                    nodes,
                    elapsed,
                    hashfull: config.table.hashfull(),
                    tbhits: 0,
                };
                reporter.report(&outcome);
                Ok(outcome)
            }
            MateVerdict::Refuted if self.is_shortened => {
                note("refuted; searching for a longer one");
                Err(limits)
            }
            MateVerdict::Refuted => {
                note("refuted");
                let max_nodes = if limits.is_bounded() { limits.nodes } else { Some(NODES_AFTER_REFUTATION) };
                Err(Limits { nodes: max_nodes, ..limits })
            }
            MateVerdict::Unknown => {
                note(&format!("neither proved nor refuted with {nodes} nodes; searching"));
                Err(limits)
            }
        };
        (nodes, found)
    }
}

struct NodeAdder<'a> {
    reporter: &'a mut dyn Reporter,
    nodes: u64,
}

impl Reporter for NodeAdder<'_> {
    fn report(&mut self, report: &Outcome) {
        self.reporter.report(&Outcome { nodes: report.nodes + self.nodes, ..report.clone() });
    }

    fn wants_reports(&self) -> bool {
        self.reporter.wants_reports()
    }
}

/// Looks up the moves of a position, if the tables contain all of them, and bounds their values. `is_for_best` allows
/// only those that keep the value of the position. Moves that `limits` exclude are left out. A win counts if its next
/// capture comes within the natural move limit.
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
    use crate::search::Clock;

    fn completed(limits: Limits, options: Options) -> Limits {
        let config = SearchConfig::new(Position::start(), limits);
        SearchRequest::new(config, &options, &[], Duration::ZERO, None).config.limits.clone()
    }

    #[test]
    fn an_engine_that_ponders_may_take_longer() {
        let clock = Clock { remaining: Duration::from_secs(360), increment: Duration::ZERO, moves_to_go: None };
        let [with, without] = [true, false].map(|ponder| {
            let limits = Limits { clock: Some(clock), ..Limits::default() };
            Budget::new(&completed(limits, Options { ponder, ..Options::default() })).unwrap().optimum
        });
        assert_eq!(with, without + without / 4);
    }

    #[test]
    fn a_draw_is_worth_less_with_contempt_in_games_alone() {
        let timed = Limits { move_time: Some(Duration::from_secs(1)), ..Limits::default() };
        for (limits, contempt) in [
            (timed.clone(), 30),
            (Limits { contempt: 10, ..timed.clone() }, 10),
            (Limits { multi_pv: 2, ..timed.clone() }, 0),
            (Limits { mate: Some(3), ..timed }, 0),
            (Limits::depth(3), 0),
        ] {
            assert_eq!(completed(limits, Options { contempt: 30, ..Options::default() }).contempt, contempt);
        }
    }

    #[test]
    fn a_refutation_of_a_shorter_mate_than_wanted_does_not_limit_the_search() {
        let bare_kings = Position::from_fen("4k4/9/9/9/9/9/9/9/9/3K5 w").unwrap();
        for (moves, max_nodes) in [(MAX_MATE_MOVES, Some(NODES_AFTER_REFUTATION)), (MAX_MATE_MOVES + 1, None)] {
            let mut limits = Limits { mate: Some(moves), prove_mate: true, ..Limits::default() };
            let proof = MateProof::new(&mut limits, &bare_kings, 1).unwrap();
            let (_, result) = proof.run(&SearchConfig::new(bare_kings.clone(), limits), &mut ());
            assert_eq!(result.unwrap_err().nodes, max_nodes, "{moves}");
        }
    }
}
