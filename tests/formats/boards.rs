//! Boards for the notation tests.

use chuhe::position::{Position, Strictness};
use rand::RngExt;

use crate::common::walks::{put_randomly, random_boards};

#[derive(Clone, Copy)]
pub enum Material {
    /// At most the initial number of each kind.
    OfAGame,
    /// Up to seven rooks, horses, cannons and pawns.
    OfAProblem,
}

/// Boards where most rooks, horses, cannons and pawns of a side are on one to three files.
pub fn crowded(seed: u64, count: usize, material: Material) -> Vec<Position> {
    let (strictness, most) = match material {
        Material::OfAGame => (Strictness::Strict, [1, 5, 2, 2, 2, 2, 2]),
        Material::OfAProblem => (Strictness::Lax, [1, 7, 7, 7, 7, 2, 2]),
    };
    random_boards(seed, count, strictness, |board, side, random| {
        let all: Vec<i8> = (0..9).collect();
        let files: Vec<i8> = (0..random.random_range(1..=3)).map(|_| random.random_range(0..9)).collect();
        for (letter, most) in "KPRNCAB".chars().zip(most) {
            for _ in 0..if letter == 'K' { 1 } else { random.random_range(0..=most) } {
                let is_crowded = !"KAB".contains(letter) && random.random_range(0..4) > 0;
                put_randomly(board, side, letter, if is_crowded { &files } else { &all }, random);
            }
        }
    })
}
