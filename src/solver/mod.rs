//! Mate solver: proves or refutes that the side to move mates within a number of moves.
//!
//! The solver is a depth-first proof-number search (`search.rs`), which follows the moves with the fewest open
//! questions. It attacks by checks alone first (连将杀), then also by moves that threaten such a mate, then by all moves.
//! The defender has all legal moves each time, so each attack proves a mate, and only the last one refutes it.
//!
//! As everywhere in Xiangqi, a side without a legal move has lost, in check or not: stalemate (困毙) counts as mate.
//!
//! # Repetition
//!
//! A cycle is never a mate: perpetual check loses for the side that checks, everything else is judged in some other
//! way. A shortest mate repeats no position, since its distance falls with every move. So a mate within *n* plies is
//! a property of the position alone, and the table of the solver stores distances that hold on any path. Positions of
//! the game before the search are an exception: one that has occurred so often that it would be judged on its next
//! occurrence is excluded from the whole search. The natural move limit and dead material end an attempt as well.

mod draws;
mod line;
mod prover;
mod search;
mod table;

pub use prover::{FoundMate, MateAttempt, MateProver};
pub use table::SolverMemoryError;

use crate::position::Position;
use crate::rules::{Reason, Rules};
use crate::types::Move;
use draws::Draws;
use search::{Attack, Search};
use table::ProofTable;

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

/// Mate solver with its table.
pub struct MateSolver {
    table: ProofTable,
}

impl MateSolver {
    /// A solver with a table of at most this many bytes.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn new(bytes: usize) -> Result<MateSolver, SolverMemoryError> {
        Ok(MateSolver { table: ProofTable::new(bytes)? })
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
        self.table.clear();
        let moves = limits.moves.min(MAX_MATE_MOVES);
        if moves == 0 || matches!(rules.verdict(position).reason(), Some(Reason::Repetition(_))) {
            return MateResult { verdict: MateVerdict::Refuted, nodes: 0 };
        }
        let mut left = 2 * moves as u8 - 1;
        let draws = Draws::new(rules, position, usize::from(left));
        let mut position = position.clone();
        let mut search = Search::new(&mut position, &mut self.table, &draws, is_stopped);
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
}
