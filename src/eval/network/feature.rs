//! Input features of the network, those of Pikafish ("PS_NB"); [`super::Threats`] adds inputs for attacked pieces.
//!
//! Each side sees the board from its own end, mirrored left to right so that its own king is on file d or e; on file e
//! the enemy king decides. That leaves its own king 6 points and every other piece the points that its kind can ever
//! reach: 689 inputs in all.

use std::ops::Range;

use super::{PIECE_INPUTS, threat_input};
use crate::position::Position;
use crate::tables::geometry;
use crate::types::{Piece, PieceKind, Side, Square};

/// View of the board from one side, mirrored or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Perspective {
    /// The side.
    pub side: Side,
    /// Left and right are exchanged.
    pub mirrored: bool,
}

impl Perspective {
    /// Returns the perspective of `side` with the kings on these squares.
    #[inline(always)]
    pub fn from_kings(side: Side, own_king: Square, enemy_king: Square) -> Perspective {
        const MIDDLE: u8 = Square::FILES / 2;
        let decisive = if own_king.file() == MIDDLE { enemy_king.file() } else { own_king.file() };
        Perspective { side, mirrored: decisive > MIDDLE }
    }

    /// Returns the perspective of `side` in this position.
    pub fn from_position(side: Side, position: &Position) -> Perspective {
        Perspective::from_kings(side, position.king(side), position.king(!side))
    }

    /// Returns the same perspective with left and right exchanged.
    pub fn mirrored(self) -> Perspective {
        Perspective { mirrored: !self.mirrored, ..self }
    }

    /// Returns the input of a piece on a square, below [`PIECE_INPUTS`]; an arbitrary one for impossible squares.
    #[inline(always)]
    pub const fn feature(self, piece: Piece, square: Square) -> usize {
        let square = if self.side as u8 == Side::Red as u8 { square } else { square.flipped() };
        let square = if self.mirrored { square.mirrored() } else { square };
        let relative = piece.index() ^ ((self.side as usize) << 3);
        FEATURES[relative][square.raw()] as usize
    }

    /// Returns the [`threat_input`] of a piece on a square that a group of enemy pieces attacks.
    #[inline(always)]
    pub fn threat(self, piece: Piece, square: Square, group: usize) -> usize {
        threat_input(self.feature(piece, square), group)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Perspectives {
    mirrored: [bool; 2],
}

impl Perspectives {
    /// Returns the perspectives of a position.
    #[inline(always)]
    pub fn from_position(position: &Position) -> Perspectives {
        Perspectives {
            mirrored: [Side::Red, Side::Black].map(|side| Perspective::from_position(side, position).mirrored),
        }
    }

    /// Returns the perspective of a side.
    #[inline(always)]
    pub fn of(self, side: Side) -> Perspective {
        Perspective { side, mirrored: self.mirrored[side.index()] }
    }

    /// Returns the inputs of each piece on each square, as [`Perspective::feature`] does, of Red and Black.
    #[inline(always)]
    pub fn features(self) -> &'static FeaturePairs {
        &FEATURE_PAIRS[usize::from(self.mirrored[0])][usize::from(self.mirrored[1])]
    }
}

/// Inputs in both perspectives by piece and square of the mailbox, so that indices need no check.
#[derive(Debug)]
pub(super) struct FeaturePairs([[[u16; 2]; 256]; Piece::TABLE_SIZE]);

impl FeaturePairs {
    /// Returns the inputs of a piece on a square for Red and Black without a branch; without a piece arbitrary ones.
    #[inline(always)]
    pub fn of(&self, piece: Option<Piece>, square: Square) -> [u16; 2] {
        self.0[piece.map_or(0, Piece::index)][square.raw()]
    }
}

/// Inputs of both perspectives, by whether Red's and Black's are mirrored.
static FEATURE_PAIRS: [[FeaturePairs; 2]; 2] = {
    const NONE: FeaturePairs = FeaturePairs([[[0; 2]; 256]; Piece::TABLE_SIZE]);
    let mut tables = [[NONE, NONE], [NONE, NONE]];
    let mut views = 0;
    while views < 4 {
        let mirrored = [views / 2 == 1, views % 2 == 1];
        let red = Perspective { side: Side::Red, mirrored: mirrored[0] };
        let black = Perspective { side: Side::Black, mirrored: mirrored[1] };
        let mut i = 0;
        while i < Piece::ALL.len() * Square::COUNT {
            let (piece, square) = (Piece::ALL[i / Square::COUNT], Square::from_index(i % Square::COUNT));
            tables[views / 2][views % 2].0[piece.index()][square.raw()] =
                [red.feature(piece, square) as u16, black.feature(piece, square) as u16];
            i += 1;
        }
        views += 1;
    }
    tables
};

/// Input of every piece on every square from Red's perspective, in the order of kinds and squares, own pieces first.
static FEATURES: [[u16; 256]; Piece::TABLE_SIZE] = {
    let mut table = [[0; 256]; Piece::TABLE_SIZE];
    let mut next = 0;
    let mut i = 0;
    while i < Piece::ALL.len() {
        let piece = Piece::ALL[i];
        let mut index = 0;
        while index < Square::COUNT {
            let square = Square::from_index(index);
            if has_input(piece, square) {
                table[piece.index()][square.raw()] = next;
                next += 1;
            }
            index += 1;
        }
        i += 1;
    }
    assert!(next as usize == PIECE_INPUTS);
    table
};

pub(super) fn inputs_by_piece() -> [Range<usize>; Piece::ALL.len()] {
    let mut start = 0;
    Piece::ALL.map(|piece| {
        let inputs = Square::all().filter(|&square| has_input(piece, square)).count();
        start += inputs;
        start - inputs..start
    })
}

/// Tells whether a piece has an input on that square in Red's perspective, in which Red's king is on file d or e.
const fn has_input(piece: Piece, square: Square) -> bool {
    const OWN_KING: usize = Piece::new(Side::Red, PieceKind::King).index();
    let is_mirrored = piece.index() == OWN_KING && square.file() > Square::FILES / 2;
    geometry::may_stand(piece, square) && !is_mirrored
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Network files depend on it.
    #[test]
    fn inputs_are_in_the_order_of_kinds_and_squares() {
        let perspective = Perspective::from_kings(Side::Red, "e0".parse().unwrap(), "e9".parse().unwrap());
        let input = |letter: char, square: &str| {
            perspective.feature(Piece::from_letter(letter).unwrap(), square.parse().unwrap())
        };
        // Own: 6 of the king, 5 of advisors, 7 of elephants, 90 each of horses, rooks and cannons, 55 of pawns.
        let own = [('K', "d0", 0), ('K', "e2", 5), ('A', "d0", 6), ('B', "c0", 11), ('N', "a0", 18), ('N', "i9", 107)];
        let more = [('R', "a0", 108), ('C', "b0", 199), ('P', "a3", 288), ('P', "i9", 342)];
        // The enemy's king has 9.
        let enemy = [
            ('k', "d7", 343),
            ('k', "f9", 351),
            ('a', "d7", 352),
            ('n', "a0", 364),
            ('p', "a0", 634),
            ('p', "i6", 688),
        ];
        for (letter, square, expected) in own.into_iter().chain(more).chain(enemy) {
            assert_eq!(input(letter, square), expected, "{letter} on {square}");
        }
        // Threats by rooks, cannons, horses, pawns, and pieces at home.
        let horse = Piece::from_letter('N').unwrap();
        let threats = [0, 1, 2, 3, 4].map(|group| perspective.threat(horse, "a0".parse().unwrap(), group));
        assert_eq!(threats, [707, 1396, 2085, 2774, 3463]);
    }
}
