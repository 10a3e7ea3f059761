//! Plain searches for a mate, without proof numbers: the witnesses of the solver.

use std::collections::HashMap;

use chuhe::position::Position;
use chuhe::types::Move;

/// Plain minimax with a table of exact results.
#[derive(Default)]
pub struct Witness {
    /// The attacker gives check with every move.
    pub checks_only: bool,
    known: HashMap<(u64, usize), bool>,
}

impl Witness {
    pub fn of_checks() -> Witness {
        Witness { checks_only: true, ..Witness::default() }
    }

    pub fn mates_within(&mut self, position: &mut Position, moves: usize) -> bool {
        if moves == 0 {
            return false;
        }
        if let Some(&known) = self.known.get(&(position.key(), moves)) {
            return known;
        }
        let mut candidates: Vec<(bool, Move)> =
            position.legal_moves().into_iter().map(|mv| (!position.gives_check(mv), mv)).collect();
        candidates.retain(|(is_quiet, _)| !(self.checks_only && *is_quiet));
        candidates.sort_by_key(|(is_quiet, _)| *is_quiet);
        let mates = candidates.into_iter().any(|(_, mv)| self.mates_by(position, mv, moves));
        self.known.insert((position.key(), moves), mates);
        mates
    }

    pub fn mates_by(&mut self, position: &mut Position, mv: Move, moves: usize) -> bool {
        position.make(mv);
        let replies = position.legal_moves();
        let mates = (replies.is_empty() || moves > 1)
            && replies.into_iter().all(|reply| {
                position.make(reply);
                let mates = self.mates_within(position, moves - 1);
                position.unmake();
                mates
            });
        position.unmake();
        mates
    }
}
