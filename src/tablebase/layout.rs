//! Index of the positions of one ending.
//!
//! King, advisors and elephants of a side never leave their half of the board, so their *arrangements* are numbered
//! together. One attacker of Red, the *free piece*, is not part of the index: the other pieces on their squares form a
//! *slice*, and the ninety bits of a word stand for the squares of the free piece. The slice index combines the
//! arrangements of both sides and the squares of the other attackers. Of a slice and its mirror image only one is
//! stored, selected by the side with more arrangements; both are stored if its arrangement is symmetric.
//!
//! The stronger material is always Red's.

use std::sync::OnceLock;

use arrayvec::ArrayVec;

use super::value::{MAX_ATTACKERS, TableError};
use crate::counting::{HomeArrangements, Placement, Signature, half_of};
use crate::tables::geometry;
use crate::types::{Piece, PieceKind, Side, Square, SquareSet};

/// Returns the ending with the stronger material as Red's.
pub fn stronger_first(ending: Signature) -> Signature {
    ending.max(ending.swapped())
}

/// Returns a position with the stronger material as Red's, and its ending; `None` with surplus pieces.
pub(super) fn normalised(placement: &Placement, side: Side) -> Option<(Signature, Placement, Side)> {
    let ending = Signature::new(|side, kind| placement.squares(Piece::new(side, kind)).len() as usize).ok()?;
    let stronger = stronger_first(ending);
    Some(if stronger == ending { (ending, *placement, side) } else { (stronger, placement.swapped(), !side) })
}

/// Squares before and behind uncrossed pawns where a further uncrossed pawn of `side` cannot stand.
pub(super) fn squares_beside_pawns(side: Side, pawns: SquareSet) -> SquareSet {
    let pawns = (pawns & half_of(side)).bits();
    SquareSet::from_bits(pawns << Square::FILES | pawns >> Square::FILES) & half_of(side)
}

pub(super) struct GroupMove {
    pub piece: Piece,
    pub from: Square,
    pub to: Square,
    /// Square that must also be empty: the eye of an elephant, or none.
    pub over: SquareSet,
    pub next: u16,
}

pub(super) struct Arrangement {
    pub king: Square,
    advisors: SquareSet,
    elephants: SquareSet,
    pub occupied: SquareSet,
    /// Moves to squares not occupied by the arrangement; other pieces may block them.
    pub moves: Vec<GroupMove>,
}

pub(super) struct Group {
    side: Side,
    numbers: HomeArrangements,
    arrangements: Vec<Arrangement>,
    mirrored: Vec<u16>,
}

impl Group {
    fn get_or_build(side: Side, advisors: u8, elephants: u8) -> &'static Group {
        static GROUPS: [[[OnceLock<Group>; 3]; 3]; 2] = [const { [const { [const { OnceLock::new() }; 3] }; 3] }; 2];
        GROUPS[side.index()][usize::from(advisors)][usize::from(elephants)].get_or_init(|| {
            let numbers = HomeArrangements::new(advisors.into(), elephants.into(), 0);
            let mut group = Group { side, numbers, arrangements: Vec::new(), mirrored: Vec::new() };
            for number in 0..group.numbers.count() {
                let mut pieces = Placement::default();
                pieces.add_half(side, &group.numbers.get(number), SquareSet::EMPTY);
                group.arrangements.push(group.arrangement(&pieces));
                group.mirrored.push(group.number(&pieces.mirrored()).unwrap_or_default());
            }
            group
        })
    }

    /// Returns the arrangement with this number.
    #[inline(always)]
    pub fn get(&self, number: u16) -> &Arrangement {
        &self.arrangements[usize::from(number)]
    }

    fn number(&self, placement: &Placement) -> Option<u16> {
        let (mut half, _) = placement.half(self.side)?;
        half.pawns = SquareSet::EMPTY;
        self.numbers.find(&half).map(|number| number as u16)
    }

    fn arrangement(&self, pieces: &Placement) -> Arrangement {
        let squares = |kind| pieces.squares(Piece::new(self.side, kind));
        let occupied = pieces.occupied();
        let mut moves = Vec::new();
        for (piece, from) in pieces.pieces() {
            let unblocked = |to| (to, SquareSet::EMPTY);
            let steps: ArrayVec<(Square, SquareSet), 4> = match piece.kind() {
                PieceKind::King => geometry::king(from).iter().map(unblocked).collect(),
                PieceKind::Advisor => geometry::advisor(from).iter().map(unblocked).collect(),
                _ => geometry::elephant(from)
                    .iter()
                    .map(|step| (step.square, SquareSet::from_square(step.over)))
                    .collect(),
            };
            for (to, over) in steps {
                let mut after = *pieces;
                after.put(from, None);
                after.put(to, Some(piece));
                if (occupied & (over | SquareSet::from_square(to))).is_empty()
                    && let Some(next) = self.number(&after)
                {
                    moves.push(GroupMove { piece, from, to, over, next });
                }
            }
        }
        let [advisors, elephants] = [PieceKind::Advisor, PieceKind::Elephant].map(squares);
        Arrangement { king: king_of(pieces, self.side), advisors, elephants, occupied, moves }
    }
}

pub(super) fn king_of(placement: &Placement, side: Side) -> Square {
    match placement.squares(Piece::new(side, PieceKind::King)).iter().next() {
        Some(king) => king,
        None => unreachable!("every ending has both kings"),
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct FixedPieces {
    pub groups: [u16; 2],
    /// Squares of the attackers, in the order of [`Layout::attackers`].
    pub attackers: ArrayVec<Square, MAX_ATTACKERS>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PositionIndex {
    pub slice: usize,
    pub free_square: Square,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SliceRef {
    pub slice: usize,
    /// The pieces form the mirror image of that slice.
    is_mirrored: bool,
}

impl SliceRef {
    /// Converts a set of squares between the slice and the referenced board.
    #[inline(always)]
    pub fn oriented(self, set: SquareSet) -> SquareSet {
        if self.is_mirrored { set.mirrored() } else { set }
    }
}

pub(super) struct Attacker {
    pub piece: Piece,
    squares: Vec<Square>,
    /// Index of each square in `squares`; 0 for others.
    numbers: [u8; Square::COUNT],
}

pub(super) struct Layout {
    pub signature: Signature,
    pub free_piece: Piece,
    /// Squares where the free piece may stand if no piece is in the way.
    pub free_squares: SquareSet,
    pub attackers: Vec<Attacker>,
    groups: [&'static Group; 2],
    /// Side whose arrangement selects between a slice and its mirror image.
    folded: Side,
    kept: Vec<u16>,
    /// For each arrangement of the folded side, the index in `kept` of it or its mirror image.
    kept_numbers: Vec<u16>,
    pub slices: usize,
}

impl Layout {
    /// Creates the index of an ending whose stronger material is Red's.
    /// Fails without an attacker, with more than [`MAX_ATTACKERS`], and with a number of slices that exceeds 32 bits.
    pub fn new(signature: Signature) -> Result<Layout, TableError> {
        // In the order of preference for the free piece.
        const KINDS: [PieceKind; 4] = [PieceKind::Rook, PieceKind::Cannon, PieceKind::Horse, PieceKind::Pawn];
        let pieces = Side::BOTH.into_iter().flat_map(|side| KINDS.map(|kind| Piece::new(side, kind)));
        let count = |piece: Piece| usize::from(signature.count(piece.side(), piece.kind()));
        let mut attackers = pieces.flat_map(|piece| std::iter::repeat_n(piece, count(piece)));
        let free_piece = attackers.next().ok_or(TableError::NoAttacker(signature))?;
        let attackers: Vec<Attacker> = attackers
            .map(|piece| {
                let squares: Vec<Square> = Square::all().filter(|&at| geometry::may_stand(piece, at)).collect();
                let mut numbers = [0; Square::COUNT];
                squares.iter().zip(0..).for_each(|(square, number)| numbers[square.index()] = number);
                Attacker { piece, squares, numbers }
            })
            .collect();
        let groups = Side::BOTH.map(|side| {
            let [advisors, elephants] =
                [PieceKind::Advisor, PieceKind::Elephant].map(|kind| signature.count(side, kind));
            Group::get_or_build(side, advisors, elephants)
        });
        let len = |side: Side| groups[side.index()].arrangements.len();
        let folded = if len(Side::Red) > len(Side::Black) { Side::Red } else { Side::Black };
        let mirrored = &groups[folded.index()].mirrored;
        let kept: Vec<u16> =
            (0..).zip(mirrored).filter(|&(number, &image)| number <= image).map(|pair| pair.0).collect();
        let kept_numbers = (0..)
            .zip(mirrored)
            .map(|(number, &image)| kept.partition_point(|&other| other < number.min(image)) as u16)
            .collect();
        let slices = attackers
            .iter()
            .map(|attacker| attacker.squares.len())
            .try_fold(kept.len() * len(!folded), usize::checked_mul)
            .filter(|&slices| attackers.len() < MAX_ATTACKERS && u32::try_from(slices).is_ok())
            .ok_or(TableError::TooLarge(signature))?;
        let free_squares = Square::all().filter(|&square| geometry::may_stand(free_piece, square)).collect();
        Ok(Layout { signature, free_piece, free_squares, attackers, groups, folded, kept, kept_numbers, slices })
    }

    /// Arrangements of a side's king, advisors and elephants.
    #[inline(always)]
    pub fn group(&self, side: Side) -> &Group {
        self.groups[side.index()]
    }

    /// Pairs the attackers of a slice with their squares.
    pub fn attackers_on<'a>(&'a self, fixed: &'a FixedPieces) -> impl Iterator<Item = (Piece, Square)> {
        self.attackers.iter().zip(&fixed.attackers).map(|(attacker, &square)| (attacker.piece, square))
    }

    /// Decodes the pieces of a slice.
    pub fn fixed_pieces(&self, slice: usize) -> FixedPieces {
        let mut rest = slice;
        let mut attackers = ArrayVec::new();
        for attacker in self.attackers.iter().rev() {
            attackers.push(attacker.squares[rest % attacker.squares.len()]);
            rest /= attacker.squares.len();
        }
        attackers.reverse();
        let unfolded = self.group(!self.folded).arrangements.len();
        let mut groups = [(rest % unfolded) as u16; 2];
        groups[self.folded.index()] = self.kept[rest / unfolded];
        FixedPieces { groups, attackers }
    }

    /// Returns the slice of these pieces.
    #[inline]
    pub fn slice_of(&self, fixed: &FixedPieces) -> SliceRef {
        let folded = fixed.groups[self.folded.index()];
        let is_mirrored = self.is_mirror_image(fixed.groups);
        let group = self.group(!self.folded);
        let unfolded = usize::from(fixed.groups[(!self.folded).index()]);
        let unfolded = if is_mirrored { usize::from(group.mirrored[unfolded]) } else { unfolded };
        let mut slice = usize::from(self.kept_numbers[usize::from(folded)]) * group.arrangements.len() + unfolded;
        for (attacker, &square) in self.attackers.iter().zip(&fixed.attackers) {
            let square = if is_mirrored { square.mirrored() } else { square };
            slice = slice * attacker.squares.len() + usize::from(attacker.numbers[square.index()]);
        }
        SliceRef { slice, is_mirrored }
    }

    #[inline(always)]
    fn is_mirror_image(&self, groups: [u16; 2]) -> bool {
        let folded = groups[self.folded.index()];
        self.group(self.folded).mirrored[usize::from(folded)] < folded
    }

    fn mirrored(&self, groups: [u16; 2]) -> [u16; 2] {
        Side::BOTH.map(|side| self.group(side).mirrored[usize::from(groups[side.index()])])
    }

    /// Returns the slice of the mirror image if it is stored separately: where the folded side is symmetric.
    #[inline]
    pub fn mirror_slice_of(&self, fixed: &FixedPieces) -> Option<usize> {
        let groups = self.mirrored(fixed.groups);
        if groups[self.folded.index()] != fixed.groups[self.folded.index()] {
            return None;
        }
        let attackers = fixed.attackers.iter().map(|square| square.mirrored()).collect();
        Some(self.slice_of(&FixedPieces { groups, attackers }).slice)
    }

    /// Returns the index of a position; `None` if its material differs or a piece is on an impossible square. Pieces of
    /// one kind are taken in the order of their squares, so the index is unique.
    pub fn index_of(&self, placement: &Placement) -> Option<PositionIndex> {
        let mut groups = [self.groups[0].number(placement)?, self.groups[1].number(placement)?];
        let is_mirrored = self.is_mirror_image(groups);
        if is_mirrored {
            groups = self.mirrored(groups);
        }
        let pawns = |side| placement.squares(Piece::new(side, PieceKind::Pawn));
        if Side::BOTH.into_iter().any(|side| !(pawns(side) & squares_beside_pawns(side, pawns(side))).is_empty()) {
            return None;
        }
        let (mut last, mut left) = (None, SquareSet::EMPTY);
        let mut next_square = |piece: Piece| {
            if last.replace(piece) != Some(piece) {
                left = placement.squares(piece);
                left = if is_mirrored { left.mirrored() } else { left };
            }
            let square = left.iter().next().filter(|&square| geometry::may_stand(piece, square))?;
            left -= SquareSet::from_square(square);
            Some(square)
        };
        let free_square = next_square(self.free_piece)?;
        let attackers = self.attackers.iter().map(|attacker| next_square(attacker.piece)).collect::<Option<_>>()?;
        Some(PositionIndex { slice: self.slice_of(&FixedPieces { groups, attackers }).slice, free_square })
    }

    /// Returns the placement of a position.
    pub fn placement(&self, fixed: &FixedPieces, free_square: Square) -> Placement {
        let mut placement = Placement::default();
        for side in Side::BOTH {
            let arrangement = self.group(side).get(fixed.groups[side.index()]);
            placement.add(Piece::new(side, PieceKind::King), SquareSet::from_square(arrangement.king));
            placement.add(Piece::new(side, PieceKind::Advisor), arrangement.advisors);
            placement.add(Piece::new(side, PieceKind::Elephant), arrangement.elephants);
        }
        for (piece, square) in self.attackers_on(fixed).chain([(self.free_piece, free_square)]) {
            placement.put(square, Some(piece));
        }
        placement
    }

    /// Returns the squares of the free piece for which a slice is stored: of several of its kind it is the first.
    pub fn stored_squares(&self, fixed: &FixedPieces) -> SquareSet {
        let mut squares = SquareSet::FULL;
        let mut last = (self.free_piece, None::<Square>);
        for (piece, square) in self.attackers_on(fixed) {
            match last {
                (same, None) if same == piece => squares = SquareSet::from_bits((1 << square.index()) - 1),
                (same, Some(before)) if same == piece && before.index() > square.index() => return SquareSet::EMPTY,
                _ => {}
            }
            last = (piece, Some(square));
        }
        squares
    }
}
