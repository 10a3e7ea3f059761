//! Opening suites: balanced, quiet and different openings for games between engines.
//!
//! [`choose`] makes a suite of the lines of [`Sources`] and of random moves, [`check`] tests one. The file format is in
//! [`crate::notation::openings`].

pub mod command;

mod suite;

use crate::position::Position;
use crate::types::Move;
use crate::util::math::StableRandom;

pub use suite::{Choice, ChooseSettings, Criteria, FAMILY_PLIES, MIN_GAMES, Sources, Tester, check, choose};

/// Plays random legal moves and returns them. `None` when the game ends before `plies` moves.
pub fn random_moves(position: &mut Position, plies: usize, random: &mut StableRandom) -> Option<Vec<Move>> {
    let mut played = Vec::with_capacity(plies);
    for _ in 0..plies {
        let mut moves = position.legal_moves();
        if moves.is_empty() {
            return None;
        }
        // The order of move generation may change; the choice must not.
        moves.sort_unstable_by_key(|mv| mv.bits());
        let mv = moves[random.below(moves.len())];
        position.make(mv);
        played.push(mv);
    }
    Some(played)
}
