//! Position keys of the book format.
//!
//! They are independent of the Zobrist keys of the search, which may change, because books must stay readable. Any
//! program can compute them:
//!
//! - A stream of 64-bit words comes from SplitMix64 (Steele, Lea & Flood 2014) with the initial state
//!   `0x4348_5548_455F_424B` ("CHUHE_BK"). Each step adds `0x9E37_79B9_7F4A_7C15` to the state; its word is the state
//!   `z` after `z = (z ^ z >> 30) · 0xBF58_476D_1CE4_E5B9`, `z = (z ^ z >> 27) · 0x94D0_49BB_1331_11EB`, `z ^ z >> 31`,
//!   modulo 2⁶⁴.
//! - The first 1,260 words belong to the pieces on the squares: 90 for each of king, advisor, elephant, horse, rook,
//!   cannon and pawn of Red, then the same for Black; squares are counted rank by rank from a0, b0 to i9. The next word
//!   is used when Black is to move.
//! - The key of a board is the XOR of the words of its pieces on their squares, and of the last word if Black is to
//!   move.
//! - The key of a position is the smaller of the keys of its board and of the board mirrored left to right. Its moves
//!   are stored for the board with the smaller key. If both keys are equal the board is symmetric; then a move and its
//!   mirror image are the same move, stored as the one with the smaller value of 256 · from + to.

use crate::position::Position;
use crate::tables::zobrist::split_mix;
use crate::types::{Move, Piece, Square};

const SEED: u64 = 0x4348_5548_455F_424B;

struct Words {
    pieces: [[u64; Square::COUNT]; Piece::ALL.len()],
    black_to_move: u64,
}

static WORDS: Words = {
    let mut words = Words { pieces: [[0; Square::COUNT]; Piece::ALL.len()], black_to_move: 0 };
    let mut state = SEED;
    let mut i = 0;
    while i < Piece::ALL.len() * Square::COUNT {
        (state, words.pieces[i / Square::COUNT][i % Square::COUNT]) = split_mix(state);
        i += 1;
    }
    words.black_to_move = split_mix(state).1;
    words
};

/// Book key of a position, with the orientation of the stored board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookKey {
    /// Key of the position.
    pub key: u64,
    /// Orientation of the stored board relative to the board of the position.
    pub orientation: Orientation,
}

/// Orientation of the board stored in a book relative to a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Orientation {
    /// Both boards are equal.
    Same,
    /// The stored board is the mirror image.
    Mirrored,
    /// The board is its own mirror image.
    Symmetric,
}

impl BookKey {
    /// Computes the book key of a position.
    pub fn new(position: &Position) -> BookKey {
        let turn = WORDS.black_to_move * position.side().index() as u64;
        let (mut key, mut mirrored) = (turn, turn);
        for (words, piece) in WORDS.pieces.iter().zip(Piece::ALL) {
            for square in position.squares(piece) {
                key ^= words[square.index()];
                mirrored ^= words[square.mirrored().index()];
            }
        }
        let orientation = match key.cmp(&mirrored) {
            std::cmp::Ordering::Less => Orientation::Same,
            std::cmp::Ordering::Greater => Orientation::Mirrored,
            std::cmp::Ordering::Equal => Orientation::Symmetric,
        };
        BookKey { key: key.min(mirrored), orientation }
    }

    /// Converts a move of the position to the move stored in the book.
    pub fn to_book(self, mv: Move) -> Move {
        match self.orientation {
            Orientation::Same => mv,
            Orientation::Mirrored => mv.mirrored(),
            Orientation::Symmetric => {
                let order = |mv: Move| (mv.from().index(), mv.to().index());
                if order(mv.mirrored()) < order(mv) { mv.mirrored() } else { mv }
            }
        }
    }

    /// Converts a stored move to a move of the position. In a symmetric position the mirrored move is equivalent.
    pub fn from_book(self, mv: Move) -> Move {
        if self.orientation == Orientation::Mirrored { mv.mirrored() } else { mv }
    }
}
