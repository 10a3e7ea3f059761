//! Boards for the notation tests.

use chuhe::position::{Position, Strictness};
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Positions of random games, each of at max `plies` moves.
pub fn of_games(seed: u64, count: usize, plies: usize) -> Vec<Position> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut position = Position::start();
        for _ in 0..plies {
            positions.push(position.with_recent_history(0));
            let mut moves = position.legal_moves();
            // The game does not depend on the order of generation.
            moves.sort_unstable_by_key(|mv| mv.bits());
            let Some(&mv) = moves.choose(&mut random).filter(|_| position.plies_since_capture() < 119) else { break };
            position.make(mv);
        }
    }
    positions.truncate(count);
    positions
}

/// Material of a generated board.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Material {
    /// At most the initial number of each kind.
    OfAGame,
    /// Up to sixteen rooks, horses, cannons and pawns.
    OfAProblem,
}

/// Boards where most rooks, horses, cannons and pawns of a side are on two or three files.
pub fn crowded(seed: u64, count: usize, material: Material) -> Vec<Position> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut board = [[None; 9]; 10];
        for is_red in [true, false] {
            let home = if is_red { 0 } else { 7 };
            put(&mut board, random.random_range(3..=5), home + random.random_range(0..=2), 'k', is_red);
            let files: Vec<usize> = (0..random.random_range(1..=3)).map(|_| random.random_range(0..9)).collect();
            for (letter, of_a_game) in [('p', 5), ('r', 2), ('n', 2), ('c', 2), ('a', 2), ('b', 2)] {
                let is_guard = "ab".contains(letter);
                let max = if material == Material::OfAProblem && !is_guard { 7 } else { of_a_game };
                for _ in 0..random.random_range(0..=max) {
                    // Some drawn squares are impossible for their piece; a few draws find valid positions.
                    let (file, rank) = if is_guard {
                        *guard_points(letter).choose(&mut random).expect("there are points")
                    } else if random.random_range(0..4) > 0 {
                        (*files.choose(&mut random).expect("there are files"), rank(&mut random, letter))
                    } else {
                        (random.random_range(0..9), rank(&mut random, letter))
                    };
                    put(&mut board, file, if is_red { rank } else { 9 - rank }, letter, is_red);
                }
            }
        }
        let side = if random.random() { 'w' } else { 'b' };
        let strictness = if material == Material::OfAProblem { Strictness::Lax } else { Strictness::Strict };
        if let Ok(parsed) = Position::parse_fen(&format!("{} {side}", text(&board)), strictness) {
            positions.push(parsed.position);
        }
    }
    positions
}

/// Squares of Red's advisors or elephants, file and rank.
fn guard_points(letter: char) -> &'static [(usize, usize)] {
    match letter {
        'a' => &[(3, 0), (5, 0), (4, 1), (3, 2), (5, 2)],
        _ => &[(2, 0), (6, 0), (0, 2), (4, 2), (8, 2), (2, 4), (6, 4)],
    }
}

/// A rank for a red piece; pawns have crossed the river.
fn rank(random: &mut impl Rng, letter: char) -> usize {
    if letter == 'p' { random.random_range(5..10) } else { random.random_range(0..10) }
}

fn put(board: &mut [[Option<char>; 9]; 10], file: usize, rank: usize, letter: char, is_red: bool) {
    if board[rank][file].is_none() {
        board[rank][file] = Some(if is_red { letter.to_ascii_uppercase() } else { letter });
    }
}

fn text(board: &[[Option<char>; 9]; 10]) -> String {
    let rank = |rank: &[Option<char>; 9]| rank.iter().map(|letter| letter.unwrap_or('1')).collect::<String>();
    board.iter().rev().map(rank).collect::<Vec<_>>().join("/")
}
