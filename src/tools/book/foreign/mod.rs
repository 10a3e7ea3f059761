//! Books of other programs: what they hold, and how it is found.
//!
//! Such a book knows a position by a key of its own that cannot be turned back into a board. So its moves are found by
//! playing: [`walk`] goes from the start of the game along the moves that the book has. Each format has a file of its
//! own that reads it into a [`ForeignBook`].

#[cfg(feature = "obk")]
mod binghe;
mod eleeye;
mod keys;
mod walk;

use thiserror::Error;

#[cfg(feature = "obk")]
pub use binghe::{KEY_COUNT, read_binghe, read_keys};
pub use eleeye::{eleeye_key, read_eleeye};
pub use keys::KeyTable;
pub use walk::{Bounds, Walked, walk};

use crate::book::Statistics;
use crate::position::Position;
use crate::types::{Move, Square};

/// Why a file is no book of another program.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ForeignError {
    /// There is nothing in it.
    #[error("the file is empty")]
    Empty,
    /// It does not consist of records of this size.
    #[error("this is no book of {format}: it has {found} bytes, which is no multiple of {record}")]
    Length {
        /// The program whose book it should be.
        format: &'static str,
        /// The bytes of the file.
        found: usize,
        /// The bytes of a record.
        record: usize,
    },
    /// A record that the format does not allow.
    #[error("this is no book of {format}: record {number} {fault}")]
    Record {
        /// The program whose book it should be.
        format: &'static str,
        /// Which one, 1 for the first.
        number: usize,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// It is no database with moves in it.
    #[cfg(feature = "obk")]
    #[error("this is no book of Binghe: {0}")]
    Database(#[from] rusqlite::Error),
    /// It has more moves than are read.
    #[cfg(feature = "obk")]
    #[error("{0} moves are more than are read")]
    TooMany(usize),
    /// A file that should have the words of keys has something else.
    #[cfg(feature = "obk")]
    #[error("these are not the words of the keys: {0}")]
    Keys(String),
}

/// A move of a book of another program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ForeignMove {
    /// The key of its position.
    pub key: u64,
    /// The move on the board that has this key.
    pub mv: Move,
    /// How much it is to be preferred to others of the position.
    pub weight: u16,
    /// How its games ended for the side to move.
    pub statistics: Statistics,
}

/// A book of another program.
#[derive(Clone, Debug)]
pub struct ForeignBook {
    table: KeyTable,
    /// Sorted by key.
    moves: Vec<ForeignMove>,
}

impl ForeignBook {
    /// A book of these moves, whose positions have the keys of this table.
    pub fn new(table: KeyTable, mut moves: Vec<ForeignMove>) -> ForeignBook {
        moves.sort_by_key(|known| known.key);
        ForeignBook { table, moves }
    }

    /// How many moves it has.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Whether it has moves under the key of the position or of its reflection.
    fn has_key_of(&self, position: &Position) -> bool {
        self.table.keys(position).into_iter().any(|key| !self.range(key).is_empty())
    }

    /// The legal moves of a position, each with the number of its record. Those that stand under the reflected position
    /// are reflected. Legality is no proof that the book means this position: other ones may have its key.
    fn moves_of(&self, position: &Position) -> Vec<(usize, ForeignMove)> {
        let [own, reflected] = self.table.keys(position).map(|key| self.range(key));
        let own = own.map(|number| (number, self.moves[number]));
        let reflected = reflected.map(|number| {
            let known = self.moves[number];
            (number, ForeignMove { mv: known.mv.mirrored(), ..known })
        });
        own.chain(reflected).filter(|(_, known)| position.can_play(known.mv)).collect()
    }

    /// The numbers of the moves under this key.
    fn range(&self, key: u64) -> std::ops::Range<usize> {
        let first = self.moves.partition_point(|known| known.key < key);
        let length = self.moves[first..].iter().take_while(|known| known.key == key).count();
        first..first + length
    }
}

/// The square that these books know by this number: they count rows of sixteen from Black's side, with a9 at 0x33 and
/// i0 at 0xCB.
fn square_of(number: u8) -> Option<Square> {
    Some(Square::from_raw(number ^ 0xF0)).filter(|square| square.is_on_board())
}

/// The number by which these books know a square.
fn number_of(square: Square) -> u8 {
    square.raw() as u8 ^ 0xF0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_numbered_from_the_corner_of_black() {
        for (number, name) in [(0x33, "a9"), (0x3B, "i9"), (0xC3, "a0"), (0xCB, "i0"), (0xA4, "b2"), (0x77, "e5")] {
            assert_eq!(square_of(number).map(|square| square.to_string()).as_deref(), Some(name));
        }
        let known: Vec<Square> = (0..=255).filter_map(square_of).collect();
        assert_eq!(known.len(), Square::COUNT);
        assert!(known.iter().all(|&square| square_of(number_of(square)) == Some(square)));
    }
}
