//! One side's king, advisors and elephants as one man with many places.
//!
//! These men never leave their half of the board, so that their arrangements can be numbered and the moves among them
//! listed once. Attackers that stand in the way are left to those who use the lists.

use std::sync::OnceLock;

use crate::counting::palace_and_home::{HalfArrangement, HalfArrangements};
use crate::tables::geometry;
use crate::types::{PieceKind, Side, Square, SquareSet};

/// A move of a man of the group.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroupMove {
    /// Which kind of man moves.
    pub kind: PieceKind,
    /// From where.
    pub from: Square,
    /// To where.
    pub to: Square,
    /// What must be empty besides: the eye of an elephant, or nothing.
    pub over: SquareSet,
    /// The number of the arrangement after it.
    pub next: u16,
}

/// One arrangement of the group.
#[derive(Debug)]
pub(super) struct Arrangement {
    pub king: Square,
    pub advisors: SquareSet,
    pub elephants: SquareSet,
    /// All points with a man of the group.
    pub occupied: SquareSet,
    /// All points that an advisor or elephant attacks, as far as the group itself does not block it.
    pub attacked: SquareSet,
    /// The number of the arrangement reflected left to right.
    pub mirrored: u16,
    /// The moves to points without a man of the group.
    pub moves: Vec<GroupMove>,
}

/// All arrangements of one side's king and defenders.
pub(super) struct Group {
    side: Side,
    numbers: HalfArrangements,
    arrangements: Vec<Arrangement>,
}

impl Group {
    /// The arrangements of a king of `side` with so many defenders, made once.
    ///
    /// # Panics
    /// When there are more than two of a kind.
    pub fn of(side: Side, advisors: u8, elephants: u8) -> &'static Group {
        static GROUPS: [[[OnceLock<Group>; 3]; 3]; 2] = [const { [const { [const { OnceLock::new() }; 3] }; 3] }; 2];
        GROUPS[side.index()][usize::from(advisors)][usize::from(elephants)]
            .get_or_init(|| Group::new(side, advisors, elephants))
    }

    fn new(side: Side, advisors: u8, elephants: u8) -> Group {
        let mut group =
            Group { side, numbers: HalfArrangements::new(advisors, elephants, 0), arrangements: Vec::new() };
        group.arrangements = (0..group.numbers.len()).map(|number| group.arrangement(number)).collect();
        group
    }

    /// How many arrangements there are.
    pub fn len(&self) -> usize {
        self.arrangements.len()
    }

    /// The arrangement of a number.
    #[inline(always)]
    pub fn get(&self, number: u16) -> &Arrangement {
        &self.arrangements[usize::from(number)]
    }

    /// The number of an arrangement; `None` when it is none of these.
    pub fn number(&self, king: Square, advisors: SquareSet, elephants: SquareSet) -> Option<u16> {
        let half = HalfArrangement {
            king: self.seen(king),
            advisors: self.seen_all(advisors),
            elephants: self.seen_all(elephants),
            pawns: SquareSet::EMPTY,
        };
        self.numbers.find(&half).map(|number| number as u16)
    }

    /// A point as the side sees it, and back.
    fn seen(&self, square: Square) -> Square {
        if self.side == Side::Red { square } else { square.flipped() }
    }

    fn seen_all(&self, set: SquareSet) -> SquareSet {
        if self.side == Side::Red { set } else { set.flipped() }
    }

    fn arrangement(&self, number: usize) -> Arrangement {
        let half = self.numbers.get(number);
        let king = self.seen(half.king);
        let (advisors, elephants) = (self.seen_all(half.advisors), self.seen_all(half.elephants));
        let occupied = SquareSet::from_square(king) | advisors | elephants;
        let mut attacked: SquareSet = advisors.iter().flat_map(|from| geometry::advisor(from).iter()).collect();
        for hop in elephants.iter().flat_map(|from| geometry::elephant(from).iter()) {
            if !occupied.contains(hop.over) {
                attacked.insert(hop.square);
            }
        }
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
            for hop in geometry::elephant(from).iter() {
                let after = (elephants - SquareSet::from_square(from)) | SquareSet::from_square(hop.square);
                let over = SquareSet::from_square(hop.over);
                add(PieceKind::Elephant, from, hop.square, over, number(king, advisors, after));
            }
        }
        let mirrored = self.number(king.mirrored(), advisors.mirrored(), elephants.mirrored()).unwrap_or_default();
        Arrangement { king, advisors, elephants, occupied, attacked, mirrored, moves }
    }
}
