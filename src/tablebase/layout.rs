//! How the positions of one ending are numbered.
//!
//! One attacker of Red, the *rover*, is not numbered at all: the men besides it, standing somewhere, are a *slice*, and
//! the places of the rover in it are the ninety bits of a word. Slices count through the arrangements of both
//! [`Group`]s and the points of the other attackers. Of a slice and its mirror image only one is kept, chosen by
//! the larger group; both are where that group is its own image.

use arrayvec::ArrayVec;

use super::check::king_of;
use super::group::Group;
use crate::counting::{Placement, Signature};
use crate::tables::geometry;
use crate::types::{Piece, PieceKind, Side, Square, SquareSet};

/// How many attackers (rooks, cannons, horses and pawns of both sides) an ending of the tables may have.
pub const MAX_ATTACKERS: usize = 6;

/// The kinds that can win a game, in the order in which they are taken for the rover.
pub(super) const ATTACKERS: [PieceKind; 4] = [PieceKind::Rook, PieceKind::Cannon, PieceKind::Horse, PieceKind::Pawn];

/// The points of the attackers besides the rover, in the order of [`Layout::others`].
pub(super) type Points = ArrayVec<Square, { MAX_ATTACKERS - 1 }>;

/// All men but the rover.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct FixedPieces {
    /// The arrangements of Red's and Black's groups.
    pub groups: [u16; 2],
    /// Where the other attackers stand.
    pub others: Points,
}

/// Where a position is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// The slice, below [`Layout::slices`].
    pub slice: usize,
    /// The rover.
    pub rover: Square,
}

/// A slice, or the mirror image of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SliceRef {
    pub slice: usize,
    /// Whether the men stand as in the mirror image of that slice.
    pub is_mirrored: bool,
}

impl SliceRef {
    /// A set told for the slice, as it is here; and the other way round.
    #[inline(always)]
    pub fn seen(self, set: SquareSet) -> SquareSet {
        if self.is_mirrored { set.mirrored() } else { set }
    }
}

/// An attacker besides the rover.
pub(super) struct Other {
    pub piece: Piece,
    /// The points where it may stand.
    points: Vec<Square>,
    numbers: [u8; Square::COUNT],
}

/// The numbering of one ending.
pub(super) struct Layout {
    signature: Signature,
    rover: PieceKind,
    rover_points: SquareSet,
    others: Vec<Other>,
    groups: [&'static Group; 2],
    /// The side whose arrangement decides between a slice and its mirror image.
    folded: Side,
    /// The arrangements of the folded side that are kept.
    kept: Vec<u16>,
    /// For every arrangement of the folded side its place in `kept`, or that of its mirror image.
    kept_numbers: Vec<u16>,
    slices: usize,
}

impl Layout {
    /// The numbering of an ending; `None` when Red has no attacker, when there are more than [`MAX_ATTACKERS`], or
    /// when there are more slices than a word can count.
    pub fn new(signature: Signature) -> Option<Layout> {
        let mut attackers = Vec::new();
        for side in Side::BOTH {
            for kind in ATTACKERS {
                for _ in 0..signature.count(side, kind) {
                    attackers.push(Piece::new(side, kind));
                }
            }
        }
        if attackers.len() > MAX_ATTACKERS || attackers.first()?.side() != Side::Red {
            return None;
        }
        let rover = attackers.remove(0);
        let groups = Side::BOTH.map(|side| {
            Group::of(side, signature.count(side, PieceKind::Advisor), signature.count(side, PieceKind::Elephant))
        });
        let folded = if groups[0].len() > groups[1].len() { Side::Red } else { Side::Black };
        let group = groups[folded.index()];
        let numbers = || 0..group.len() as u16;
        let kept: Vec<u16> = numbers().filter(|&number| number <= group.get(number).mirrored).collect();
        let kept_numbers = numbers()
            .map(|number| number.min(group.get(number).mirrored))
            .map(|number| kept.partition_point(|&other| other < number) as u16)
            .collect();
        let others: Vec<Other> = attackers.into_iter().map(Other::new).collect();
        let slices = others
            .iter()
            .map(|other| other.points.len())
            .try_fold(kept.len() * groups[(!folded).index()].len(), usize::checked_mul)
            .filter(|&slices| u32::try_from(slices).is_ok())?;
        Some(Layout {
            signature,
            rover: rover.kind(),
            rover_points: points_of(rover).collect(),
            others,
            groups,
            folded,
            kept,
            kept_numbers,
            slices,
        })
    }

    /// The ending.
    pub fn signature(&self) -> Signature {
        self.signature
    }

    /// How many slices there are.
    pub fn slices(&self) -> usize {
        self.slices
    }

    /// The kind of the rover, a man of Red.
    pub fn rover(&self) -> PieceKind {
        self.rover
    }

    /// The attackers besides the rover.
    pub fn others(&self) -> &[Other] {
        &self.others
    }

    /// The arrangements of a side's king and defenders.
    pub fn group(&self, side: Side) -> &Group {
        self.groups[side.index()]
    }

    /// The men of a slice.
    pub fn statics(&self, slice: usize) -> FixedPieces {
        let mut rest = slice;
        let mut others = Points::new();
        for other in self.others.iter().rev() {
            others.push(other.points[rest % other.points.len()]);
            rest /= other.points.len();
        }
        others.reverse();
        let unfolded = self.group(!self.folded).len();
        let mut groups = [0; 2];
        groups[self.folded.index()] = self.kept[rest / unfolded];
        groups[(!self.folded).index()] = (rest % unfolded) as u16;
        FixedPieces { groups, others }
    }

    /// The slice of these men.
    #[inline]
    pub fn slice_of(&self, statics: &FixedPieces) -> SliceRef {
        let folded = statics.groups[self.folded.index()];
        let is_mirrored = self.group(self.folded).get(folded).mirrored < folded;
        let group = self.group(!self.folded);
        let unfolded = statics.groups[(!self.folded).index()];
        let unfolded = if is_mirrored { group.get(unfolded).mirrored } else { unfolded };
        let mut slice = usize::from(self.kept_numbers[usize::from(folded)]) * group.len() + usize::from(unfolded);
        for (other, &square) in self.others.iter().zip(&statics.others) {
            let square = if is_mirrored { square.mirrored() } else { square };
            slice = slice * other.points.len() + usize::from(other.numbers[square.index()]);
        }
        SliceRef { slice, is_mirrored }
    }

    /// The slice of the mirror image of these men, when it is kept as well: the folded side's men are their own image.
    #[inline]
    pub fn twin_of(&self, statics: &FixedPieces) -> Option<usize> {
        let folded = statics.groups[self.folded.index()];
        if self.group(self.folded).get(folded).mirrored != folded {
            return None;
        }
        let groups = Side::BOTH.map(|side| self.group(side).get(statics.groups[side.index()]).mirrored);
        let others = statics.others.iter().map(|square| square.mirrored()).collect();
        Some(self.slice_of(&FixedPieces { groups, others }).slice)
    }

    /// Where a position is found; `None` when its men are others than those of this ending or stand where they cannot.
    ///
    /// Men of one kind are taken in the order of their points, so that a position has one place only.
    pub fn place_of(&self, placement: &Placement) -> Option<Place> {
        let mut groups = [0; 2];
        for side in Side::BOTH {
            let men = |kind| placement.squares(Piece::new(side, kind));
            let king = king_of(placement, side);
            groups[side.index()] = self.group(side).number(king, men(PieceKind::Advisor), men(PieceKind::Elephant))?;
        }
        let folded = groups[self.folded.index()];
        let is_mirrored = self.group(self.folded).get(folded).mirrored < folded;
        if is_mirrored {
            groups = Side::BOTH.map(|side| self.group(side).get(groups[side.index()]).mirrored);
        }
        let men = |piece| {
            let squares = placement.squares(piece);
            if is_mirrored { squares.mirrored() } else { squares }
        };
        let mut piece = Piece::new(Side::Red, self.rover);
        let mut left = men(piece);
        let rover = take_first(&mut left)?;
        let mut others = Points::new();
        for other in &self.others {
            if other.piece != piece {
                piece = other.piece;
                left = men(piece);
            }
            let square = take_first(&mut left)?;
            if !other.may_stand_on(square) {
                return None;
            }
            others.push(square);
        }
        let rover_man = (Piece::new(Side::Red, self.rover), rover);
        let men = self.others.iter().zip(&others).map(|(other, &square)| (other.piece, square));
        if has_doubled_pawns(men.chain([rover_man])) {
            return None;
        }
        Some(Place { slice: self.slice_of(&FixedPieces { groups, others }).slice, rover })
    }

    /// The men of a position.
    pub fn placement(&self, statics: &FixedPieces, rover: Square) -> Placement {
        let mut placement = Placement::default();
        for side in Side::BOTH {
            let arrangement = self.group(side).get(statics.groups[side.index()]);
            placement.put(arrangement.king, Some(Piece::new(side, PieceKind::King)));
            for (kind, set) in
                [(PieceKind::Advisor, arrangement.advisors), (PieceKind::Elephant, arrangement.elephants)]
            {
                set.iter().for_each(|square| placement.put(square, Some(Piece::new(side, kind))));
            }
        }
        for (other, &square) in self.others.iter().zip(&statics.others) {
            placement.put(square, Some(other.piece));
        }
        placement.put(rover, Some(Piece::new(Side::Red, self.rover)));
        placement
    }

    /// The points where the rover may stand when no man is in the way.
    pub fn rover_points(&self) -> SquareSet {
        self.rover_points
    }

    /// The places of the rover by which the positions of a slice are kept: of men of its kind it is the first, and
    /// those that follow are in the order of their points.
    pub fn first_places(&self, slice: usize) -> SquareSet {
        let statics = self.statics(slice);
        let rover = Piece::new(Side::Red, self.rover);
        let mut piece = rover;
        let mut before: Option<Square> = None;
        let mut places = SquareSet::FULL;
        for (other, &square) in self.others.iter().zip(&statics.others) {
            if other.piece != piece {
                piece = other.piece;
                before = None;
            } else if piece == rover && before.is_none() {
                places = SquareSet::from_bits((1 << square.index()) - 1);
            }
            if before.is_some_and(|before| before.index() > square.index()) {
                return SquareSet::EMPTY;
            }
            before = Some(square);
        }
        places
    }
}

/// Marks points where a man cannot stand.
const NONE: u8 = u8::MAX;

/// Whether two uncrossed pawns of a side share a file, as no game can show.
pub(super) fn has_doubled_pawns(men: impl Iterator<Item = (Piece, Square)>) -> bool {
    // By side, the files with an uncrossed pawn.
    let mut files = [0_u16; 2];
    for (piece, square) in men {
        if piece.kind() == PieceKind::Pawn && !geometry::has_crossed(piece.side(), square) {
            let (taken, file) = (&mut files[piece.side().index()], 1 << square.file());
            if *taken & file != 0 {
                return true;
            }
            *taken |= file;
        }
    }
    false
}

/// Takes the first point out of a set.
fn take_first(set: &mut SquareSet) -> Option<Square> {
    let first = set.iter().next()?;
    *set -= SquareSet::from_square(first);
    Some(first)
}

impl Other {
    fn new(piece: Piece) -> Other {
        let points: Vec<Square> = points_of(piece).collect();
        let mut numbers = [NONE; Square::COUNT];
        points.iter().zip(0..).for_each(|(square, number)| numbers[square.index()] = number);
        Other { piece, points, numbers }
    }

    /// Whether it may stand on this point.
    pub fn may_stand_on(&self, square: Square) -> bool {
        self.numbers[square.index()] != NONE
    }
}

/// The points where an attacker may stand.
fn points_of(piece: Piece) -> impl Iterator<Item = Square> {
    Square::all()
        .filter(move |&square| piece.kind() != PieceKind::Pawn || geometry::is_pawn_point(piece.side(), square))
}
