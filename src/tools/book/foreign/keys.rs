//! The keys by which other programs know positions: the XOR of one word for each man on its point, and of another one
//! for one of the sides to move.

use super::number_of;
use crate::position::Position;
use crate::types::{Piece, Side};

/// The places that a man has a word for.
const PLACES: usize = 256;

/// The words of which the keys of a format are made.
#[derive(Clone, Debug)]
pub struct KeyTable {
    /// Those of each man on each of the 256 places of a board of sixteen rows, men in the order of [`Piece::ALL`].
    men: Vec<[u64; PLACES]>,
    /// What belongs to the turn of a side, and that side.
    turn: (Side, u64),
}

impl KeyTable {
    /// A table that is filled with what `draw` gives, first the word of the turn, then those of each man (king,
    /// advisor, elephant, horse, rook, cannon and pawn of Red, then of Black), place by place.
    pub fn new(side: Side, mut draw: impl FnMut() -> u64) -> KeyTable {
        let turn = (side, draw());
        let men = Piece::ALL.iter().map(|_| std::array::from_fn(|_| draw())).collect();
        KeyTable { men, turn }
    }

    /// The key of a position and that of its reflection.
    pub fn keys(&self, position: &Position) -> [u64; 2] {
        let turn = if position.side() == self.turn.0 { self.turn.1 } else { 0 };
        let (mut own, mut reflected) = (turn, turn);
        for (words, piece) in self.men.iter().zip(Piece::ALL) {
            for square in position.squares(piece) {
                own ^= words[usize::from(number_of(*square))];
                reflected ^= words[usize::from(number_of(square.mirrored()))];
            }
        }
        [own, reflected]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reflected_position_has_the_reflected_key() {
        let mut word = 0_u64;
        let table = KeyTable::new(Side::Red, || {
            word = (word + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            word ^ word >> 29
        });
        let mut position = Position::start();
        let [own, reflected] = table.keys(&position);
        assert_eq!(own, reflected);
        position.play(["h2e2", "h9g7", "h0g2"]).unwrap();
        let [own, reflected] = table.keys(&position);
        assert_eq!(table.keys(&position.mirrored()), [reflected, own]);
        assert_ne!(own, reflected);
    }
}
