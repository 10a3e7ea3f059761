//! King, advisors and elephants of one side as a single indexed unit.
//!
//! These pieces never leave their half of the board, so their arrangements are indexed and the moves between them
//! listed once. Blocking attackers are handled by the users of the lists.

use std::sync::OnceLock;

use crate::counting::palace_and_home::{HomeArrangement, HomeArrangements};
use crate::tables::geometry;
use crate::types::{PieceKind, Side, Square, SquareSet};

/// Move of a piece of the group.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroupMove {
    /// Kind of the moving piece.
    pub kind: PieceKind,
    /// From square.
    pub from: Square,
    /// To square.
    pub to: Square,
    /// Square that must also be empty: the eye of an elephant, or none.
    pub over: SquareSet,
    /// Index of the resulting arrangement.
    pub next: u16,
}

#[derive(Debug)]
pub(super) struct Arrangement {
    pub king: Square,
    pub advisors: SquareSet,
    pub elephants: SquareSet,
    /// Squares occupied by the group.
    pub occupied: SquareSet,
    /// Index of the mirrored arrangement.
    pub mirrored: u16,
    /// Moves to squares not occupied by the group.
    pub moves: Vec<GroupMove>,
}

/// All arrangements of one side's king and defenders.
pub(super) struct Group {
    side: Side,
    numbers: HomeArrangements,
    arrangements: Vec<Arrangement>,
}

impl Group {
    /// Returns the arrangements of a king of `side` with these numbers of defenders, computed once.
    ///
    /// # Panics
    /// If a number is more than two.
    pub fn get_or_build(side: Side, advisors: u8, elephants: u8) -> &'static Group {
        static GROUPS: [[[OnceLock<Group>; 3]; 3]; 2] = [const { [const { [const { OnceLock::new() }; 3] }; 3] }; 2];
        GROUPS[side.index()][usize::from(advisors)][usize::from(elephants)]
            .get_or_init(|| Group::new(side, advisors, elephants))
    }

    fn new(side: Side, advisors: u8, elephants: u8) -> Group {
        let mut group =
            Group { side, numbers: HomeArrangements::new(advisors, elephants, 0), arrangements: Vec::new() };
        group.arrangements = (0..group.numbers.len()).map(|number| group.arrangement(number)).collect();
        group
    }

    /// Number of arrangements.
    pub fn len(&self) -> usize {
        self.arrangements.len()
    }

    /// Returns the arrangement with this index.
    #[inline(always)]
    pub fn get(&self, number: u16) -> &Arrangement {
        &self.arrangements[usize::from(number)]
    }

    /// Returns the index of an arrangement; `None` if it is invalid.
    pub fn number(&self, king: Square, advisors: SquareSet, elephants: SquareSet) -> Option<u16> {
        let half = HomeArrangement {
            king: self.oriented(king),
            advisors: self.oriented_set(advisors),
            elephants: self.oriented_set(elephants),
            pawns: SquareSet::EMPTY,
        };
        self.numbers.find(&half).map(|number| number as u16)
    }

    /// Converts a square to the side's perspective and back.
    fn oriented(&self, square: Square) -> Square {
        if self.side == Side::Red { square } else { square.flipped() }
    }

    fn oriented_set(&self, set: SquareSet) -> SquareSet {
        if self.side == Side::Red { set } else { set.flipped() }
    }

    fn arrangement(&self, number: usize) -> Arrangement {
        let half = self.numbers.get(number);
        let king = self.oriented(half.king);
        let (advisors, elephants) = (self.oriented_set(half.advisors), self.oriented_set(half.elephants));
        let occupied = SquareSet::from_square(king) | advisors | elephants;
        let number = |king: Square, advisors, elephants| self.number(king, advisors, elephants);
        let mut moves = Vec::new();
        let mut add = |kind, from, to, over: SquareSet, next: Option<u16>| {
            if let Some(next) = next
                && (over & occupied).is_empty()
                && !occupied.contains(to)
            {
                moves.push(GroupMove { kind, from, to, over, next });
            }
        };
        for to in geometry::king(king).iter() {
            add(PieceKind::King, king, to, SquareSet::EMPTY, number(to, advisors, elephants));
        }
        for from in advisors.iter() {
            for to in geometry::advisor(from).iter() {
                let after = (advisors - SquareSet::from_square(from)) | SquareSet::from_square(to);
                add(PieceKind::Advisor, from, to, SquareSet::EMPTY, number(king, after, elephants));
            }
        }
        for from in elephants.iter() {
            for step in geometry::elephant(from).iter() {
                let after = (elephants - SquareSet::from_square(from)) | SquareSet::from_square(step.square);
                let over = SquareSet::from_square(step.over);
                add(PieceKind::Elephant, from, step.square, over, number(king, advisors, after));
            }
        }
        let mirrored = self.number(king.mirrored(), advisors.mirrored(), elephants.mirrored()).unwrap_or_default();
        Arrangement { king, advisors, elephants, occupied, mirrored, moves }
    }
}
