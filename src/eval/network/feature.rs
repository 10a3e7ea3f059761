//! What a network sees of a position: which of its inputs are set.
//!
//! Each side looks at the board from its own end and turns it left to right so that its own king stands on file d or e.
//! That leaves the own king 6 points and every other man the points that its kind can ever stand on: 689 in all. With
//! the own king on file e the enemy king decides, which then stands on d or e; with both kings there nothing is turned.
//! The features are those of Pikafish ("PS_NB").

use super::INPUTS;
use crate::position::Position;
use crate::tables::geometry;
use crate::types::{Piece, PieceKind, Side, Square};

/// How one side looks at the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Perspective {
    side: Side,
    mirrored: bool,
}

impl Perspective {
    /// How `side` looks at a board on which the kings stand there.
    #[inline(always)]
    pub fn from_kings(side: Side, own_king: Square, enemy_king: Square) -> Perspective {
        const MIDDLE: u8 = Square::FILES / 2;
        let decisive = if own_king.file() == MIDDLE { enemy_king.file() } else { own_king.file() };
        Perspective { side, mirrored: decisive > MIDDLE }
    }

    /// How `side` looks at this position.
    pub fn from_position(side: Side, position: &Position) -> Perspective {
        Perspective::from_kings(side, position.king(side), position.king(!side))
    }

    /// Whose view it is.
    pub fn side(self) -> Side {
        self.side
    }

    /// Whether left and right are exchanged.
    #[inline(always)]
    pub fn is_mirrored(self) -> bool {
        self.mirrored
    }

    /// The same view with left and right exchanged.
    pub fn mirrored(self) -> Perspective {
        Perspective { mirrored: !self.mirrored, ..self }
    }

    /// The input that stands for this man on this point, below [`INPUTS`]. A point that such a man cannot stand on in
    /// this view has none: any may come out, but always the same.
    #[inline(always)]
    pub fn feature(self, piece: Piece, square: Square) -> usize {
        let square = if self.side as u8 == Side::Red as u8 { square } else { square.flipped() };
        let square = if self.mirrored { square.mirrored() } else { square };
        let relative = piece.index() ^ ((self.side as usize) << 3);
        usize::from(FEATURES[relative][square.raw()])
    }

    /// The inputs that are set in a position.
    pub fn features(self, position: &Position) -> impl Iterator<Item = usize> {
        position.pieces().map(move |(piece, square)| self.feature(piece, square))
    }
}

/// The inputs of every man of Red's view on every point, in the order of kinds and points, the own men first.
static FEATURES: [[u16; 256]; Piece::TABLE_SIZE] = {
    let mut table = [[0; 256]; Piece::TABLE_SIZE];
    let mut next = 0;
    let mut piece = 0;
    while piece < Piece::ALL.len() {
        let man = Piece::ALL[piece];
        let mut index = 0;
        while index < Square::COUNT {
            let square = Square::from_index(index);
            if may_stand(man, square) {
                table[man.index()][square.raw()] = next;
                next += 1;
            }
            index += 1;
        }
        piece += 1;
    }
    assert!(next as usize == INPUTS);
    table
};

/// Whether a man of Red's view can ever stand there.
const fn may_stand(man: Piece, square: Square) -> bool {
    let side = man.side();
    match man.kind() {
        PieceKind::King => {
            let is_own_turned = matches!(side, Side::Red) && square.file() > Square::FILES / 2;
            geometry::is_in_palace(square) && matches_side(geometry::home_side(square), side) && !is_own_turned
        }
        PieceKind::Advisor => geometry::is_advisor_point(side, square),
        PieceKind::Elephant => geometry::is_elephant_point(side, square),
        PieceKind::Pawn => geometry::is_pawn_point(side, square),
        PieceKind::Horse | PieceKind::Rook | PieceKind::Cannon => true,
    }
}

const fn matches_side(one: Side, other: Side) -> bool {
    one as u8 == other as u8
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_man_on_every_point_has_an_input_of_its_own() {
        for side in [Side::Red, Side::Black] {
            let own_king = |file| Square::new(file, if side == Side::Red { 0 } else { 9 });
            for file in 3..=5 {
                let view = Perspective::from_kings(side, own_king(file), own_king(4).flipped());
                assert_eq!(view.is_mirrored(), file == 5);
                let mut seen = HashSet::new();
                for piece in Piece::ALL {
                    for square in (0..Square::COUNT).map(Square::from_index) {
                        let turned = if view.is_mirrored() { square.mirrored() } else { square };
                        let is_king = piece.kind() == PieceKind::King;
                        let may_stand = match piece.kind() {
                            PieceKind::King => {
                                geometry::is_in_palace(square)
                                    && geometry::home_side(square) == piece.side()
                                    && (piece.side() != side || turned.file() <= 4)
                            }
                            PieceKind::Advisor => geometry::is_advisor_point(piece.side(), square),
                            PieceKind::Elephant => geometry::is_elephant_point(piece.side(), square),
                            PieceKind::Pawn => geometry::is_pawn_point(piece.side(), square),
                            _ => true,
                        };
                        if may_stand {
                            assert!(seen.insert(view.feature(piece, square)), "{piece:?} on {square} {is_king}");
                        }
                    }
                }
                assert_eq!(seen.len(), INPUTS);
                assert!(seen.iter().all(|&feature| feature < INPUTS));
            }
        }
    }

    /// Files of networks depend on it.
    #[test]
    fn the_order_of_the_inputs_is_that_of_kinds_and_points() {
        let view = Perspective::from_kings(Side::Red, "e0".parse().unwrap(), "e9".parse().unwrap());
        let input =
            |letter: char, square: &str| view.feature(Piece::from_letter(letter).unwrap(), square.parse().unwrap());
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
        for (letter, square, wanted) in own.into_iter().chain(more).chain(enemy) {
            assert_eq!(input(letter, square), wanted, "{letter} on {square}");
        }
    }

    #[test]
    fn the_kings_say_how_the_board_is_turned() {
        let view =
            |own: &str, enemy: &str| Perspective::from_kings(Side::Red, own.parse().unwrap(), enemy.parse().unwrap());
        for (own, enemy, mirrored) in [
            ("d0", "f9", false),
            ("f0", "d9", true),
            ("e0", "d9", false),
            ("e0", "e9", false),
            ("e0", "f9", true),
            ("e1", "f8", true),
        ] {
            assert_eq!(view(own, enemy).is_mirrored(), mirrored, "{own} {enemy}");
        }
    }
}
