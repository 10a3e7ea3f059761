//! Mate solver: proves or refutes that the side to move mates within a number of moves.
//!
//! A depth-first proof-number search (`search.rs`) follows the moves with the fewest open questions. It attacks by
//! checks alone first (连将杀), then also by moves that threaten such a mate, then by all moves. The defender has all
//! legal moves each time, so each attack proves a mate, and only the last one refutes it. A side without a legal move
//! has lost, in check or not: stalemate (困毙) counts as mate.
//!
//! # Repetition
//!
//! A cycle is never a mate: perpetual check loses for the side that checks. A shortest mate repeats no position, since
//! its distance falls with every move. So a mate within *n* plies is a property of the position alone, and the table of
//! the solver stores distances that hold on any path. Positions of the game before the search are an exception: one
//! that would be judged on its next occurrence is excluded from the whole search. The natural move limit and dead
//! material end an attempt too.

mod draws;
mod line;
mod search;
mod table;

pub use table::SolverMemoryError;

use crate::position::Position;
use crate::rules::{Reason, Rules};
use crate::types::Move;
use draws::Draws;
use search::{Attack, Search};
use table::{Bounds, ProofTable};

/// The greatest number of moves of a mate that can be proved or refuted.
pub const MAX_MATE_MOVES: usize = 100;

/// Nodes of an attack in the first round; twice as many in each further round.
const FIRST_ROUND_NODES: u64 = 20_000;

/// Limits of an attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MateLimits {
    /// Longest mate, in moves of the attacker, at most [`MAX_MATE_MOVES`].
    pub moves: usize,
    /// The most nodes (moves made on the board). Completing the line of a mate may take more.
    pub nodes: u64,
    /// Goes on after a mate to find shorter ones and to prove that there is none.
    pub seek_shortest: bool,
    /// First moves to choose from; all if empty.
    pub first_moves: Vec<Move>,
}

impl MateLimits {
    /// A mate within this many moves, by any number of nodes.
    pub fn moves(moves: usize) -> MateLimits {
        MateLimits { moves, nodes: u64::MAX, seek_shortest: true, first_moves: Vec::new() }
    }
}

/// Result of an attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MateVerdict {
    /// The side to move mates.
    Proved(ProvedMate),
    /// There is no mate within the number of moves.
    Refuted,
    /// Not decided within the limits.
    Unknown,
}

impl MateVerdict {
    /// Returns the verdict in one word: proved, refuted, unknown.
    pub fn word(&self) -> &'static str {
        match self {
            MateVerdict::Proved(_) => "proved",
            MateVerdict::Refuted => "refuted",
            MateVerdict::Unknown => "unknown",
        }
    }

    /// Returns the proved mate.
    pub fn mate(&self) -> Option<&ProvedMate> {
        match self {
            MateVerdict::Proved(mate) => Some(mate),
            MateVerdict::Refuted | MateVerdict::Unknown => None,
        }
    }
}

/// Proved mate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProvedMate {
    /// Moves of the attacker within which every defence is mated.
    pub moves: usize,
    /// Moves of both sides up to the mate: the longest defence that was found.
    pub line: Vec<Move>,
    /// There is no mate in fewer moves.
    pub is_shortest: bool,
    /// All moves of the attacker give check, whatever the defence (连将杀).
    pub by_checks: bool,
}

/// Result of an attempt with its effort.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MateResult {
    /// The result.
    pub verdict: MateVerdict,
    /// Moves made on the board.
    pub nodes: u64,
}

/// Result of one attempt below a root.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MateAttempt {
    /// The mate, if one is proved.
    pub mate: Option<FoundMate>,
    /// Attacks that do not mate within the plies: 0 for none, 1 for checks, 2 also for threats, 3 for all moves.
    pub refuted_attacks: usize,
    /// Moves made on the board.
    pub nodes: u64,
}

/// Mate proved by an attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundMate {
    /// Plies within which every defence is mated, an odd number.
    pub plies: usize,
    /// The fastest attack found against the longest defence found, or its first move alone.
    pub line: Vec<Move>,
}

impl MateAttempt {
    /// Number of attacks when all moves are refuted.
    pub const ALL_ATTACKS: usize = Attack::EACH.len();
}

/// Mate solver with its table. [`MateSolver::solve`] works on one position. Beside another search, attempts at the
/// positions below one root share the table: an attempt goes on where an earlier one ended.
pub struct MateSolver {
    table: ProofTable,
    draws: Option<Draws>,
}

impl MateSolver {
    /// Longest mate that can be proved, in plies.
    pub const MAX_PLIES: usize = 2 * MAX_MATE_MOVES - 1;

    /// A solver with a table of at most this many bytes. It attempts nothing before [`set_root`](MateSolver::set_root)
    /// or [`solve`](MateSolver::solve).
    pub fn new(bytes: usize) -> Result<MateSolver, SolverMemoryError> {
        Ok(MateSolver { table: ProofTable::new(bytes)?, draws: None })
    }

    /// Proves or refutes a mate by the side to move. `is_stopped` is called now and then; once it returns `true` the
    /// attempt ends with what is proved by then.
    ///
    /// The result depends on nothing but the arguments. A game that a repetition has ended has no mate.
    ///
    /// ```
    /// use chuhe::position::Position;
    /// use chuhe::rules::Rules;
    /// use chuhe::solver::{MateLimits, MateSolver, MateVerdict};
    ///
    /// let position = Position::from_fen("2baka2R/3n1P1r1/4b4/5N3/9/2P3P2/9/3AB4/4A4/4K1B2 w")?;
    /// let mut solver = MateSolver::new(1 << 20)?;
    /// let result = solver.solve(&position, Rules::default(), &MateLimits::moves(5), &|| false);
    /// let MateVerdict::Proved(mate) = result.verdict else { panic!("there is a mate") };
    /// assert_eq!((mate.moves, mate.is_shortest), (2, true));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn solve(
        &mut self,
        position: &Position,
        rules: Rules,
        limits: &MateLimits,
        is_stopped: &dyn Fn() -> bool,
    ) -> MateResult {
        let moves = limits.moves.min(MAX_MATE_MOVES);
        if moves == 0 || matches!(rules.verdict(position).reason(), Some(Reason::Repetition(_))) {
            return MateResult { verdict: MateVerdict::Refuted, nodes: 0 };
        }
        let mut left = 2 * moves as u8 - 1;
        self.table.clear();
        let draws = self.draws.insert(Draws::new(rules, position, usize::from(left)));
        let mut position = position.clone();
        let mut search = Search::new(&mut position, &mut self.table, draws, is_stopped);
        let mut attacks = Attack::EACH.to_vec();
        let mut proved: Option<ProvedMate> = None;
        let mut round = FIRST_ROUND_NODES;
        'rounds: loop {
            let mut index = 0;
            while let Some(&attack) = attacks.get(index) {
                search.max_nodes = limits.nodes.min(search.nodes.saturating_add(round));
                match search.decide(left, attack, &limits.first_moves) {
                    Ok(bounds) if bounds.is_won() => {
                        search.max_nodes = limits.nodes;
                        let Some(line) = search.line(bounds.plies, attack, &limits.first_moves) else { break 'rounds };
                        let plies = search.line_distance(&line, bounds.plies, attack);
                        let moves = usize::from(plies).div_ceil(2);
                        let by_checks = attack == Attack::Checks && search.is_by_checks(&line, bounds.plies);
                        proved = Some(ProvedMate { moves, line, is_shortest: plies == 1, by_checks });
                        if plies == 1 || !limits.seek_shortest {
                            break 'rounds;
                        }
                        left = plies - 2;
                    }
                    // Without a mate by all moves there is none by some.
                    Ok(_) if attack == Attack::All => attacks.clear(),
                    Ok(_) => {
                        attacks.remove(index);
                    }
                    Err(_) if is_stopped() || search.nodes >= limits.nodes => break 'rounds,
                    Err(_) => index += 1,
                }
            }
            if attacks.is_empty() {
                break;
            }
            round = round.saturating_mul(2);
        }
        let is_complete = attacks.is_empty() && !search.draws.was_limit_reached();
        let verdict = match proved {
            Some(mate) => MateVerdict::Proved(ProvedMate { is_shortest: mate.is_shortest || is_complete, ..mate }),
            None if is_complete => MateVerdict::Refuted,
            None => MateVerdict::Unknown,
        };
        MateResult { verdict, nodes: search.nodes }
    }

    /// Forgets all attempts, for positions below `root`. Attempts may follow lines of this many plies from the root, at
    /// most [`MAX_PLIES`](MateSolver::MAX_PLIES); near the natural move limit the table distinguishes more positions.
    pub fn set_root(&mut self, rules: Rules, root: &Position, plies: usize) {
        self.table.clear();
        self.draws = Some(Draws::new(rules, root, plies));
    }

    /// Attempts to prove that the side to move mates within `plies` by checks alone (连将杀), with at most `max_nodes`
    /// moves made. The position must be below the root; it is left as it was. Finds the first move of the mate.
    pub fn prove_by_checks(&mut self, position: &mut Position, plies: usize, max_nodes: u64) -> MateAttempt {
        self.prove(position, Attack::Checks, plies, max_nodes, None)
    }

    /// Attempts to prove a mate within `plies` by checks, then by moves that threaten one, and with `all_moves` by any
    /// moves; each attack has an equal share of `max_nodes`. Finds the line of the mate. Ends once `is_stopped` returns
    /// `true`.
    pub fn prove_by_each_attack(
        &mut self,
        position: &mut Position,
        plies: usize,
        max_nodes: u64,
        all_moves: bool,
        is_stopped: &dyn Fn() -> bool,
    ) -> MateAttempt {
        let attacks = &Attack::EACH[..if all_moves { 3 } else { 2 }];
        let mut all = MateAttempt::default();
        for (tried, &attack) in attacks.iter().enumerate() {
            // What an attack that is refuted leaves goes to the others.
            let share = max_nodes.saturating_sub(all.nodes) / (attacks.len() - tried) as u64;
            let attempt = self.prove(position, attack, plies, share, Some(is_stopped));
            all.nodes += attempt.nodes;
            all.refuted_attacks = all.refuted_attacks.max(attempt.refuted_attacks);
            all.mate = attempt.mate;
            if all.mate.is_some() {
                break;
            }
        }
        all
    }

    /// Makes one attempt by one attack. With a test for a stop the whole line of a mate is found.
    fn prove(
        &mut self,
        position: &mut Position,
        attack: Attack,
        plies: usize,
        max_nodes: u64,
        is_stopped: Option<&dyn Fn() -> bool>,
    ) -> MateAttempt {
        let mut attempt = MateAttempt::default();
        let Some(draws) = &self.draws else { return attempt };
        // The attacker makes the first move and the last, so the plies are an odd number.
        let left = plies.min(MateSolver::MAX_PLIES).checked_sub(1).map_or(0, |plies| plies as u8 | 1);
        let mut search = Search::new(position, &mut self.table, draws, is_stopped.unwrap_or(&|| false));
        // What the table has lost is not proved again, so that the limit holds.
        (search.max_nodes, search.repair_nodes) = (max_nodes, 0);
        let is_known = left == 0 || search.is_refuted(left, attack);
        let bounds = if is_known { Ok(Bounds::safe(left)) } else { search.decide(left, attack, &[]) };
        match bounds {
            Ok(bounds) if bounds.is_won() => {
                let whole = is_stopped.and_then(|_| search.line(bounds.plies, attack, &[]));
                let first = || search.fastest(bounds.plies - 1, &[]).map(|(mv, _)| vec![mv]);
                attempt.mate = whole.or_else(first).map(|line| FoundMate { plies: usize::from(bounds.plies), line });
            }
            Ok(_) if attack != Attack::All || !draws.was_limit_reached() => {
                attempt.refuted_attacks = attack as usize + 1;
            }
            _ => {}
        }
        attempt.nodes = search.nodes;
        attempt
    }
}
