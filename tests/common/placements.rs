//! Independent lists of the allowed placements.

use chuhe::counting::{Placement, Ranking, U256};
use chuhe::types::{Piece, Side, Square};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::naive::{Board, Point, can_stand};

pub fn points(letter: char) -> Vec<Square> {
    Square::all().filter(|&square| can_stand(letter, Point::of(square))).collect()
}

/// Returns whether two pieces of this letter cannot occupy these squares together although each can.
pub fn are_doubled(letter: char, one: Square, other: Square) -> bool {
    let is_home = |square: Square| match letter {
        'P' => square.rank() <= 4,
        'p' => square.rank() >= 5,
        _ => false,
    };
    one.file() == other.file() && is_home(one) && is_home(other)
}

/// Lists every placement of pieces with these letters, equal ones adjacent, by trying all squares for each.
pub fn placements(letters: &str) -> Vec<Vec<(char, Square)>> {
    let mut found: Vec<Vec<(char, Square)>> = vec![Vec::new()];
    for letter in letters.chars() {
        let points = points(letter);
        let longer = |pieces: Vec<(char, Square)>| {
            let is_free = |&square: &Square| {
                pieces.iter().all(|&(other, taken)| {
                    // Equal pieces are indistinguishable: only one order of them counts.
                    taken != square && (other != letter || (taken < square && !are_doubled(letter, taken, square)))
                })
            };
            let free: Vec<Square> = points.iter().copied().filter(is_free).collect();
            free.into_iter()
                .map(move |square| pieces.iter().copied().chain([(letter, square)]).collect::<Vec<_>>())
                .collect::<Vec<_>>()
        };
        found = found.into_iter().flat_map(longer).collect();
    }
    found
}

pub fn placement(pieces: &[(char, Square)]) -> Placement {
    let mut placement = Placement::default();
    for &(letter, square) in pieces {
        placement.put(square, Piece::from_letter(letter));
    }
    placement
}

pub fn letters(signature: &str) -> String {
    let (red, black) = signature.split_once('v').unwrap();
    format!("{red}{}", black.to_lowercase())
}

/// Returns whether a king could be captured or the kings face each other.
pub fn can_capture_king(pieces: &[(char, Square)], attacker: Side) -> bool {
    let mut board = Board::empty();
    pieces.iter().for_each(|&(letter, square)| board.put(Point::of(square), Some(letter)));
    board.is_king_attacked(!attacker)
}

/// Draws a placement, of which there are far fewer than random numbers, and a side to move.
pub fn random_placement(ranking: &Ranking, random: &mut ChaCha8Rng) -> (Placement, Side) {
    let number = U256::from_limbs(random.random()) % ranking.size();
    (ranking.unrank(number).unwrap(), Side::BOTH[usize::from(random.random::<bool>())])
}
