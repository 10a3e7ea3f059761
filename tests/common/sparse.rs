//! Random boards with few pieces.

use chuhe::counting::Placement;
use chuhe::position::Position;
use chuhe::tables::geometry::may_stand;
use chuhe::types::PieceKind::{self, Advisor, Cannon, Elephant, Horse, King, Pawn, Rook};
use chuhe::types::{Piece, Side, Square};
use rand::RngExt;
use rand::seq::{IndexedRandom, IteratorRandom};
use rand_chacha::ChaCha8Rng;

pub const MAJORS: [PieceKind; 6] = [Rook, Rook, Horse, Horse, Cannon, Cannon];
pub const OTHERS: [PieceKind; 9] = [Advisor, Advisor, Elephant, Elephant, Pawn, Pawn, Pawn, Pawn, Pawn];

/// A random valid position with up to eight pieces a side, most of them rooks, horses and cannons.
pub fn random_position(random: &mut ChaCha8Rng) -> Position {
    loop {
        let mut placement = Placement::default();
        for side in Side::BOTH {
            let major_count = random.random_range(1..=4);
            let other_count = random.random_range(0..=3);
            add(&mut placement, side, King, random);
            for &kind in MAJORS.sample(random, major_count).chain(OTHERS.sample(random, other_count)) {
                add(&mut placement, side, kind, random);
            }
        }
        // A board without a king, or with a king that can be taken, is no position; the next one is drawn.
        if let Ok(position) = placement.position(random_side(random)) {
            return position;
        }
    }
}

pub fn random_side(random: &mut ChaCha8Rng) -> Side {
    if random.random() { Side::Red } else { Side::Black }
}

/// Puts a piece on a random square where it may stand. If another one is there already, it is left out.
pub fn add(placement: &mut Placement, side: Side, kind: PieceKind, random: &mut ChaCha8Rng) {
    let piece = Piece::new(side, kind);
    // On the files of the kings pieces pin and screen each other.
    let files = if random.random_range(0..3) == 0 { 3..=5 } else { 0..=8 };
    let squares = Square::all().filter(|&square| files.contains(&square.file()) && may_stand(piece, square));
    if let Some(square) = squares.choose(random).filter(|&square| !placement.occupied().contains(square)) {
        placement.put(square, Some(piece));
    }
}
