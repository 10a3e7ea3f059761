//! Short attempts to prove mates at the positions of another search.

use super::MAX_MATE_MOVES;
use super::draws::Draws;
use super::search::{Attack, Search};
use super::table::{Bounds, ProofTable, SolverMemoryError};
use crate::position::Position;
use crate::rules::Rules;
use crate::types::Move;

/// Prover of mates at the positions below one root.
///
/// Its table holds what earlier attempts below the same root found, so an attempt goes on where an earlier one ended,
/// and a position without a mate by checks costs one look into the table.
pub struct MateProver {
    table: ProofTable,
    draws: Option<Draws>,
}

/// Result of one attempt.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MateAttempt {
    /// The mate, if one is proved.
    pub mate: Option<FoundMate>,
    /// Attacks that do not mate within the plies: 0 for none, 1 for checks, 2 for checks and threats, 3 for all moves,
    /// so there is no mate.
    pub refuted_attacks: usize,
    /// Moves made on the board.
    pub nodes: u64,
}

/// Mate proved by an attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundMate {
    /// Plies within which every defence is mated, an odd number.
    pub plies: usize,
    /// The fastest attack found against the longest defence found; the first move alone where no more was asked for or
    /// known.
    pub line: Vec<Move>,
}

impl MateAttempt {
    /// Number of attacks when all moves are refuted.
    pub const ALL_ATTACKS: usize = Attack::EACH.len();
}

impl MateProver {
    /// Longest mate that can be proved, in plies.
    pub const MAX_PLIES: usize = 2 * MAX_MATE_MOVES - 1;

    /// Returns a prover with a table of at most this many bytes. It proves nothing before
    /// [`set_root`](MateProver::set_root).
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn new(bytes: usize) -> Result<MateProver, SolverMemoryError> {
        Ok(MateProver { table: ProofTable::new(bytes)?, draws: None })
    }

    /// Forgets all attempts, for positions below `root`. Attempts may follow lines of this many plies from the root, at
    /// most [`MAX_PLIES`](MateProver::MAX_PLIES); near the natural move limit the table distinguishes more positions.
    pub fn set_root(&mut self, rules: Rules, root: &Position, plies: usize) {
        self.table.clear();
        self.draws = Some(Draws::new(rules, root, plies));
    }

    /// Attempts to prove that the side to move mates within `plies` by checks alone (连将杀), with at most `max_nodes`
    /// moves made. The position must be below the root; it is left as it was. Finds the first move of the mate.
    ///
    /// ```
    /// use chuhe::position::Position;
    /// use chuhe::rules::Rules;
    /// use chuhe::solver::MateProver;
    ///
    /// let mut position = Position::from_fen("2baka2R/3n1P1r1/4b4/5N3/9/2P3P2/9/3AB4/4A4/4K1B2 w")?;
    /// let mut prover = MateProver::new(1 << 20)?;
    /// prover.set_root(Rules::default(), &position, 9);
    /// let mate = prover.prove_by_checks(&mut position, 9, 1_000).mate.expect("there is a mate");
    /// assert_eq!((mate.plies, mate.line[0].to_string().as_str()), (3, "i9f9"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn prove_by_checks(&mut self, position: &mut Position, plies: usize, max_nodes: u64) -> MateAttempt {
        self.prove(position, Attack::Checks, plies, max_nodes, None)
    }

    /// Attempts to prove a mate within `plies` by checks, then by moves that threaten one, and with `all_moves` by any
    /// moves; each attack has an equal share of `max_nodes`. Finds the line of the mate. `is_stopped` is called now and
    /// then; once it returns `true` the attempt ends.
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
        let left = plies.min(MateProver::MAX_PLIES).checked_sub(1).map_or(0, |plies| plies as u8 | 1);
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
