//! Test positions: those of the perft file, seeded random walks from them, and crowded boards that no game reaches.

use chuhe::position::{Position, Strictness};
use chuhe::types::Move;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::data::perft_lines;
use crate::common::walks::{put_randomly, random_boards};

/// Maximum plies without a capture in a FEN. A walk ends there, as a game does soon after.
pub const MAX_PLIES_SINCE_CAPTURE: usize = 119;

/// Walks `rounds` times from each position of the perft file through at most `plies` legal moves and shows every
/// position to `visit`. One move in four is a check and one a capture where there are any.
pub fn at_every_node(seed: u64, rounds: usize, plies: usize, mut visit: impl FnMut(&Position, &mut ChaCha8Rng)) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    for line in perft_lines() {
        for _ in 0..rounds {
            let mut position = line.position();
            visit(&position, &mut random);
            for _ in 0..plies {
                let Some(mv) = random_move(&position, &mut random) else { break };
                position.make(mv);
                visit(&position, &mut random);
            }
        }
    }
}

/// A legal move for a walk, or `None` where the walk ends.
pub fn random_move(position: &Position, random: &mut ChaCha8Rng) -> Option<Move> {
    if position.plies_since_capture() >= MAX_PLIES_SINCE_CAPTURE {
        return None;
    }
    let mut moves = position.legal_moves();
    // The walk does not depend on the order of generation.
    moves.sort_unstable_by_key(|mv| mv.bits());
    let is_wanted: fn(&Position, Move) -> bool = match random.random_range(0..4) {
        0 => Position::gives_check,
        1 => |position, mv| position.piece_on(mv.to()).is_some(),
        _ => |_, _| true,
    };
    let wanted: Vec<Move> = moves.iter().copied().filter(|&mv| is_wanted(position, mv)).collect();
    if let Some(&mv) = wanted.choose(random) {
        return Some(mv);
    }
    moves.choose(random).copied()
}

/// Random valid positions with one to thirty pieces a side, most of them rooks and cannons.
pub fn crowded_positions(seed: u64, wanted: usize) -> Vec<Position> {
    random_boards(seed, wanted, Strictness::Lax, |board, side, random| {
        let all: Vec<i8> = (0..9).collect();
        put_randomly(board, side, 'K', &all, random);
        let men = random.random_range(1..=30);
        // A piece whose point is taken is drawn again, but not for ever.
        for _ in 0..2 * men {
            let letter = *b"RRRRCCCCNPAB".choose(random).expect("there are letters");
            if board.men_of(side).count() < men {
                put_randomly(board, side, char::from(letter), &all, random);
            }
        }
    })
}
