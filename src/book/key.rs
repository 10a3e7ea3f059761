//! The number by which a book knows a position.
//!
//! It has nothing to do with the keys of the search, which may change: books of today are to be read for ever. Any
//! program can compute it:
//!
//! - A stream of 64-bit words is drawn from SplitMix64 (Steele, Lea & Flood 2014), whose state starts as
//!   `0x4348_5548_455F_424B` ("CHUHE_BK"). Each draw adds `0x9E37_79B9_7F4A_7C15` to the state, and its word is the
//!   state `z` after `z = (z ^ z >> 30) · 0xBF58_476D_1CE4_E5B9`, `z = (z ^ z >> 27) · 0x94D0_49BB_1331_11EB`,
//!   `z ^ z >> 31`, modulo 2⁶⁴.
//! - The first 1,260 words belong to the men on the points: 90 for each of king, advisor, elephant, horse, rook, cannon
//!   and pawn of Red, then the same for Black; the points are counted rank by rank from a0, b0 to i9. The next word
//!   belongs to Black's turn.
//! - The key of a board is the XOR of the words of its men on their points, and of the last one if Black is to move.
//! - The key of a position is the smaller one of the keys of its board and of the board reflected left to right. Its
//!   moves are those of the board that has the smaller key. Where both are equal the board is its own reflection; then
//!   a move and its reflection are one, known by the smaller of the two numbers 256 · from + to.

use crate::position::Position;
use crate::types::{Move, Piece, Square};

/// The state of the generator before the first word.
const SEED: u64 = 0x4348_5548_455F_424B;

struct Words {
    pieces: [[u64; Square::COUNT]; Piece::ALL.len()],
    black_to_move: u64,
}

static WORDS: Words = {
    let mut words = Words { pieces: [[0; Square::COUNT]; Piece::ALL.len()], black_to_move: 0 };
    let mut state = SEED;
    let mut piece = 0;
    while piece < Piece::ALL.len() {
        let mut index = 0;
        while index < Square::COUNT {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            words.pieces[piece][index] = mixed(state);
            index += 1;
        }
        piece += 1;
    }
    words.black_to_move = mixed(state.wrapping_add(0x9E37_79B9_7F4A_7C15));
    words
};

const fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Under which key a position stands in books, and which way round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The key of the position.
    pub key: u64,
    /// How the board of the book lies to the board of the position.
    pub orientation: Orientation,
}

/// How the board of a book lies to the board of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Orientation {
    /// It is the same.
    Same,
    /// It is the reflection.
    Mirrored,
    /// It is both.
    Symmetric,
}

impl Entry {
    /// Where this position stands.
    ///
    /// ```
    /// use chuhe::book::{Entry, Orientation};
    /// use chuhe::position::Position;
    /// let mut position = Position::start();
    /// assert_eq!(Entry::of(&position).orientation, Orientation::Symmetric);
    /// position.play(["h2e2"])?;
    /// assert_eq!(Entry::of(&position).key, Entry::of(&position.mirrored()).key);
    /// assert_ne!(Entry::of(&position).orientation, Entry::of(&position.mirrored()).orientation);
    /// # Ok::<(), chuhe::position::PlayError>(())
    /// ```
    pub fn of(position: &Position) -> Entry {
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
        Entry { key: key.min(mirrored), orientation }
    }

    /// The move of the book that stands for this move of the position.
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

    /// The move of the position that this move of the book stands for. In a position that is its own reflection the
    /// reflected move is as good.
    pub fn from_book(self, mv: Move) -> Move {
        if self.orientation == Orientation::Mirrored { mv.mirrored() } else { mv }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(moves: &str) -> Position {
        let mut position = Position::start();
        position.play(moves.split_whitespace()).unwrap();
        position
    }

    /// Computed by another program from the description above.
    #[test]
    fn keys_are_those_of_the_description() {
        let kings = Position::from_fen("4k4/9/9/9/9/9/9/9/9/3K5 b").unwrap();
        assert_eq!(Entry::of(&Position::start()).key, 0xE5B5_3780_B6BE_8172);
        assert_eq!(Entry::of(&after("h2e2")).key, 0x227F_04D6_2DCF_E191);
        assert_eq!(Entry::of(&kings).key, 0x9795_D23B_C7C9_AC43);
    }

    #[test]
    fn a_move_goes_to_the_book_and_back() {
        for moves in ["h2e2", "b2e2", "h2e2 h9g7", "c3c4 g6g5 h0g2"] {
            let position = after(moves);
            let entry = Entry::of(&position);
            let reflected = Entry::of(&position.mirrored());
            assert_eq!(entry.key, reflected.key);
            for mv in position.legal_moves() {
                assert_eq!(entry.from_book(entry.to_book(mv)), mv);
                assert_eq!(entry.to_book(mv), reflected.to_book(mv.mirrored()), "both boards know it by the same name");
            }
        }
    }

    #[test]
    fn on_a_symmetric_board_a_move_and_its_reflection_are_one() {
        let entry = Entry::of(&Position::start());
        let [left, right] = ["b2e2", "h2e2"].map(|text| text.parse::<Move>().unwrap());
        assert_eq!((entry.to_book(left), entry.to_book(right)), (left, left));
        assert_eq!(entry.from_book(left), left);
    }

    #[test]
    fn the_side_to_move_tells_positions_apart() {
        let fen = "3k5/9/9/9/9/9/9/9/9/4K4";
        let [red, black] = ["w", "b"].map(|side| Position::from_fen(&format!("{fen} {side}")).unwrap());
        assert_ne!(Entry::of(&red).key, Entry::of(&black).key);
    }
}
