//! Zobrist keys (Zobrist 1970), the same in every build, so that they may be stored in files.

use crate::types::{Piece, Square};

/// One step of SplitMix64 (Steele, Lea & Flood 2014): returns the next state and the output.
pub const fn split_mix(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (state, z ^ (z >> 31))
}

struct Keys {
    pieces: [[u64; 256]; Piece::TABLE_SIZE],
    black_to_move: u64,
}

static KEYS: Keys = {
    let mut keys = Keys { pieces: [[0; 256]; Piece::TABLE_SIZE], black_to_move: 0 };
    let mut state = 0x4368_7568_6520_3031;
    let mut i = 0;
    while i < Piece::ALL.len() * Square::COUNT {
        let (piece, square) = (Piece::ALL[i / Square::COUNT], Square::from_index(i % Square::COUNT));
        (state, keys.pieces[piece.index()][square.raw()]) = split_mix(state);
        i += 1;
    }
    keys.black_to_move = split_mix(state).1;
    keys
};

#[inline(always)]
pub fn piece(piece: Piece, square: Square) -> u64 {
    KEYS.pieces[piece.index()][square.raw()]
}

#[inline(always)]
pub fn black_to_move() -> u64 {
    KEYS.black_to_move
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn all_keys_differ_and_squares_off_the_board_have_none() {
        let mut seen = HashSet::from([black_to_move()]);
        for any_piece in Piece::ALL {
            for raw in 0..=255 {
                let square = Square::from_raw(raw);
                let word = piece(any_piece, square);
                assert_eq!(word == 0, !square.is_on_board());
                assert!(!square.is_on_board() || seen.insert(word));
            }
        }
    }
}
