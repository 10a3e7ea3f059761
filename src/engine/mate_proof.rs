//! Proof of a mate before a search: `go mate` asks the mate solver first, and searches unless a mate is proved.

use crate::position::Position;
use crate::rules::Reason;
use crate::search::{Bound, Budget, Limits, Outcome, PvReport, Reporter, SearchConfig};
use crate::solver::{MAX_MATE_MOVES, MateLimits, MateSolver, MateVerdict, ProvedMate};
use crate::types::score::mate_in;

/// Nodes of the solver without a limit of nodes or time.
const DEFAULT_NODES: u64 = 2_000_000;

/// Nodes of the search for some move to play when a mate is refuted and nothing else limits it.
const NODES_AFTER_REFUTATION: u64 = 200_000;

/// Largest table of the solver in megabytes; a smaller transposition table means a smaller one.
const MAX_TABLE_MEGABYTES: usize = 64;

/// Attempt to prove a mate.
pub(super) struct MateProof {
    limits: MateLimits,
    /// A longer mate is wanted than the solver can refute.
    is_shortened: bool,
    table_bytes: usize,
}

/// Result of an attempt.
pub(super) enum ProofResult {
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
    pub(super) fn new(limits: &mut Limits, position: &Position, hash_megabytes: usize) -> Option<MateProof> {
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
    pub(super) fn run(&self, config: &SearchConfig, reporter: &mut dyn Reporter) -> ProofResult {
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
pub(super) struct NodeAdder<'a> {
    pub(super) reporter: &'a mut dyn Reporter,
    pub(super) nodes: u64,
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::search::TranspositionTable;

    #[test]
    fn a_refutation_of_a_shorter_mate_than_wanted_does_not_limit_the_search() {
        let bare_kings = Position::from_fen("4k4/9/9/9/9/9/9/9/9/3K5 w").unwrap();
        for (moves, max_nodes) in
            [(MAX_MATE_MOVES, Some(NODES_AFTER_REFUTATION)), (MAX_MATE_MOVES + 1, None), (usize::MAX, None)]
        {
            let mut limits = Limits { mate: Some(moves), prove_mate: true, ..Limits::default() };
            let proof = MateProof::new(&mut limits, &bare_kings, 1).unwrap();
            let shared = Arc::new(TranspositionTable::new(1).unwrap().into());
            let config = SearchConfig::new(bare_kings.clone(), limits, shared);
            let ProofResult::Search { limits, .. } = proof.run(&config, &mut ()) else { panic!("there is no mate") };
            assert_eq!(limits.nodes, max_nodes, "{moves}");
        }
    }
}
