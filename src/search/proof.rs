//! Mates proved by the mate solver beside the search: at the root, and where its checks go on for long, below it too.
//!
//! A long series of checks costs the search many plies and the solver few nodes. In most positions of games the solver
//! refutes all checks at once, and all threats soon, so the attempts cost next to nothing there. Where the side to move
//! is ahead, a part of the nodes looks for the shortest mate by any moves.

use super::report::Reporter;
use super::searcher::Searcher;
use super::state::{Line, PROOF_PLIES, RootProof, ThreadRole};
use super::transposition::Bound;
use crate::solver::{FoundMate, MateAttempt};
use crate::types::score::{MATE, is_mate, mate_in};
use crate::types::{Move, Value};

/// The fewest nodes of an attempt at the root.
const MIN_ATTEMPT_NODES: u64 = 64;
/// The fewest nodes of attempts at the root before checks count as going on. In 95 % of the positions of games the
/// checks are refuted by 30 nodes.
const MIN_CHECK_NODES: u64 = 200;

/// Plies of the longest mate that is better than `value` or reaches it, from `ply` on.
fn plies_to_reach(value: Value, ply: usize) -> usize {
    let from_root = if is_mate(value) && value > 0 { (MATE - value) as usize } else { PROOF_PLIES };
    from_root.min(PROOF_PLIES).saturating_sub(ply)
}

impl Searcher<'_> {
    /// Attempts to prove that the side to move, that of the root, mates by checks. Returns the first move and the value
    /// of the mate, which is at least `beta` if that is the value of a mate.
    #[inline]
    pub fn prove_mate(&mut self, ply: usize, beta: Value, depth: i32) -> Option<(Move, Value)> {
        let params = &self.config.params;
        let is_attempted = self.state.proofs.checks_go_on && depth >= params.mate_proof_depth && ply.is_multiple_of(2);
        if !is_attempted {
            return None;
        }
        let nodes = params.mate_proof_nodes * (depth - params.mate_proof_depth + 1);
        let nodes = self.nodes_left().min(nodes as u64);
        let prover = self.thread.prover.as_mut()?;
        let attempt = prover.prove_by_checks(&mut self.position, plies_to_reach(beta, ply), nodes);
        self.state.proofs.nodes += attempt.nodes;
        attempt.mate.map(|FoundMate { plies, line }| (line[0], mate_in(ply + plies)))
    }

    /// Attempts to prove a mate at the root, or one shorter than that proved before. The nodes of all attempts are a
    /// share of those of this thread so far, a larger one where the side to move is ahead; once a mate is known, half
    /// of them. A proved mate becomes the result so far and is reported. Returns `true` if one is found.
    pub fn prove_root_mate(&mut self, reporter: &mut dyn Reporter) -> bool {
        let is_plain = !self.state.is_restricted && self.config.noise.amplitude == 0;
        let params = &self.config.params;
        if self.role != ThreadRole::Main
            || !is_plain
            || self.config.limits.multi_pv > 1
            || params.mate_proof_root_share == 0
        {
            return false;
        }
        let known = self.state.proofs.root_value().unwrap_or(self.state.root_moves[0].score);
        let is_known = is_mate(known) && known > 0;
        let is_ahead = known >= params.mate_proof_ahead_score;
        let root_share = if is_ahead { params.mate_proof_ahead_share } else { params.mate_proof_root_share } as u64;
        // Nodes of the other threads take no time of this one.
        let own = self.state.nodes + self.state.proofs.nodes;
        let share = if is_known { own / 2 } else { own * root_share / 1000 };
        let budget = share.saturating_sub(self.state.proofs.root_nodes).min(self.nodes_left());
        if budget < MIN_ATTEMPT_NODES || self.state.proofs.is_shortest {
            return false;
        }
        // A mate as long as the known one is no gain.
        let plies = if is_known { plies_to_reach(known, 0).saturating_sub(2) } else { PROOF_PLIES };
        let (signals, start, budget_of_time) = (self.signals, self.start, self.state.budget);
        let is_late = || {
            let time = budget_of_time.zip(signals.clock_time(start.elapsed()));
            time.is_some_and(|(budget, on_clock)| budget.time_spent(on_clock, start.elapsed()) >= budget.optimum)
        };
        let is_stopped = || signals.is_stopped() || is_late();
        let mut attempt = MateAttempt::default();
        if is_ahead && !is_known {
            let nodes = budget * params.mate_proof_short_share as u64 / 1000;
            attempt = self.prove_short_mate(nodes, &is_stopped);
        }
        if attempt.mate.is_none() {
            let nodes = budget.saturating_sub(attempt.nodes);
            let Some(prover) = &mut self.thread.prover else { return false };
            let long = prover.prove_by_each_attack(&mut self.position, plies, nodes, is_known, &is_stopped);
            attempt = MateAttempt { nodes: attempt.nodes + long.nodes, ..long };
            let root_nodes = self.state.proofs.root_nodes + attempt.nodes;
            self.state.proofs.checks_go_on = attempt.refuted_attacks == 0 && root_nodes >= MIN_CHECK_NODES;
        }
        let proofs = &mut self.state.proofs;
        proofs.nodes += attempt.nodes;
        proofs.root_nodes += attempt.nodes;
        if let Some(FoundMate { plies, line }) = attempt.mate {
            proofs.root = Some(RootProof { value: mate_in(plies), line: Line::from_moves(&line) });
            proofs.is_shortest = plies <= 2 * proofs.refuted_moves + 1;
            self.restore_root_proof();
            self.set_outcome();
            self.report(reporter, 0, self.state.outcome.score, Bound::Exact);
            return true;
        }
        proofs.is_shortest = is_known && attempt.refuted_attacks == MateAttempt::ALL_ATTACKS;
        false
    }

    /// Attempts to prove the shortest mate at the root by any moves: one a move longer than those refuted, then one of
    /// two moves more, and so on. Attempts at mates of any length miss some of them. Counts the refuted moves; returns
    /// the mate and the nodes.
    fn prove_short_mate(&mut self, max_nodes: u64, is_stopped: &dyn Fn() -> bool) -> MateAttempt {
        let mut all = MateAttempt::default();
        let Some(prover) = &mut self.thread.prover else { return all };
        let proofs = &mut self.state.proofs;
        while all.mate.is_none() && all.nodes < max_nodes && proofs.refuted_moves < PROOF_PLIES / 2 {
            let (plies, nodes) = (2 * proofs.refuted_moves + 1, max_nodes - all.nodes);
            let attempt = prover.prove_by_each_attack(&mut self.position, plies, nodes, true, is_stopped);
            all.nodes += attempt.nodes;
            all.mate = attempt.mate;
            if attempt.refuted_attacks < MateAttempt::ALL_ATTACKS {
                break;
            }
            proofs.refuted_moves += 1;
        }
        all
    }

    /// Nodes that the limit leaves, but for the one at which the search notices that it is reached.
    fn nodes_left(&self) -> u64 {
        self.config.limits.nodes.map_or(u64::MAX, |limit| limit.saturating_sub(self.all_nodes() + 1))
    }

    /// Makes the first move of the mate proved at the root the best root move.
    pub fn restore_root_proof(&mut self) {
        let Some(RootProof { value, line, .. }) = &self.state.proofs.root else { return };
        let first = |mv| line.moves().first() == Some(&mv);
        let Some(index) = self.state.root_moves.iter().position(|root| first(root.mv)) else { return };
        let root = &mut self.state.root_moves[index];
        (root.score, root.line) = (*value, line.clone());
        self.state.root_moves[..=index].rotate_right(1);
    }
}
