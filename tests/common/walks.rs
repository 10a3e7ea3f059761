//! Random games from the start of the game. The same seed gives the same games.

use chuhe::position::{PieceObserver, Position};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Plays `games` random games of at most `plies` plies, one move in three a capture where there is one, and shows every
/// position to `visit`.
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

/// Makes `steps` random moves from the start of the game, one in four of them taken back and some null moves if
/// `with_null`, all seen by `observer`, and shows position and observer to `visit` after each step.
pub fn to_and_fro<O: PieceObserver>(
    random: &mut ChaCha8Rng,
    steps: usize,
    with_null: bool,
    observer: &mut O,
    mut visit: impl FnMut(&Position, &mut O),
) {
    let mut position = Position::start();
    let mut made = 0;
    for _ in 0..steps {
        let moves = position.legal_moves();
        if made > 0 && (moves.is_empty() || random.random_range(0..4) == 0) {
            position.unmake_observed(observer);
            made -= 1;
        } else if let Some(&mv) = moves.choose(random) {
            if with_null && !position.in_check() && random.random_range(0..20) == 0 {
                position.make_null(observer);
            } else {
                position.make_observed(mv, observer);
            }
            made += 1;
        }
        visit(&position, observer);
    }
}
