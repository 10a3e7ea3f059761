//! Positions to ask the witnesses about: random games from the start, and the starts themselves.

use chuhe::position::Position;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Plays `games` random games of at most `plies` plies, one move in three a capture where there is one, and shows every
/// position to `visit`. The same seed gives the same games.
pub fn random_games(seed: u64, games: usize, plies: usize, mut visit: impl FnMut(&Position, &mut ChaCha8Rng)) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    for _ in 0..games {
        let mut position = Position::start();
        for _ in 0..plies {
            visit(&position, &mut random);
            let moves = position.legal_moves();
            let captures: Vec<_> = moves.iter().filter(|mv| position.piece_on(mv.to()).is_some()).collect();
            let wants_capture = random.random_range(0..3) == 0;
            let chosen = match captures.choose(&mut random) {
                Some(&&capture) if wants_capture => Some(capture),
                _ => moves.choose(&mut random).copied(),
            };
            let Some(mv) = chosen else { break };
            position.make(mv);
        }
    }
}
