//! Index of the positions of one ending.
//!
//! One attacker of Red, the *free piece*, is not part of the index: the other pieces on their squares form a *slice*,
//! and the ninety bits of a word stand for the squares of the free piece. The slice index combines the arrangements of
//! both [`Group`]s and the squares of the other attackers. Of a slice and its mirror image only one is stored, selected
//! by the larger group; both are stored if that group is symmetric.

use arrayvec::ArrayVec;

use super::attacks::king_of;
use super::group::Group;
use crate::counting::{Placement, Signature};
use crate::tables::geometry;
use crate::types::{Piece, PieceKind, Side, Square, SquareSet};

/// Maximum number of attackers (rooks, cannons, horses and pawns of both sides) of an ending.
pub const MAX_ATTACKERS: usize = 6;

/// Attacking kinds in the order of preference for the free piece.
pub(super) const ATTACKERS: [PieceKind; 4] = [PieceKind::Rook, PieceKind::Cannon, PieceKind::Horse, PieceKind::Pawn];

/// Squares of the extra attackers, in the order of [`Layout::extra_attackers`].
pub(super) type AttackerSquares = ArrayVec<Square, { MAX_ATTACKERS - 1 }>;

/// All pieces except the free piece.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct FixedPieces {
    /// Arrangement indices of Red's and Black's groups.
    pub groups: [u16; 2],
    /// Squares of the extra attackers.
    pub extra_attackers: AttackerSquares,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PositionIndex {
    /// Slice, below [`Layout::slices`].
    pub slice: usize,
    /// Square of the free piece.
    pub free_square: Square,
}

/// Reference to a slice or to its mirror image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SliceRef {
    pub slice: usize,
    /// The pieces form the mirror image of that slice.
    pub is_mirrored: bool,
}

impl SliceRef {
    /// Converts a set of squares between the slice and the referenced board.
    #[inline(always)]
    pub fn oriented(self, set: SquareSet) -> SquareSet {
        if self.is_mirrored { set.mirrored() } else { set }
    }
}

/// Attacker other than the free piece.
pub(super) struct ExtraAttacker {
    pub piece: Piece,
    /// Squares where it may stand.
    squares: Vec<Square>,
    numbers: [u8; Square::COUNT],
}

/// Index of one ending.
pub(super) struct Layout {
    signature: Signature,
    free_piece: PieceKind,
    free_piece_squares: SquareSet,
    extra_attackers: Vec<ExtraAttacker>,
    groups: [&'static Group; 2],
    /// Side whose arrangement selects between a slice and its mirror image.
    folded: Side,
    /// Stored arrangements of the folded side.
    kept: Vec<u16>,
    /// For each arrangement of the folded side, the index in `kept` of it or its mirror image.
    kept_numbers: Vec<u16>,
    slices: usize,
}

impl Layout {
    /// Creates the index of an ending; `None` if Red has no attacker, there are more than [`MAX_ATTACKERS`], or the
    /// number of slices exceeds 32 bits.
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
        let free_piece = attackers.remove(0);
        let groups = Side::BOTH.map(|side| {
            Group::get_or_build(
                side,
                signature.count(side, PieceKind::Advisor),
                signature.count(side, PieceKind::Elephant),
            )
        });
        let folded = if groups[0].len() > groups[1].len() { Side::Red } else { Side::Black };
        let group = groups[folded.index()];
        let numbers = || 0..group.len() as u16;
        let kept: Vec<u16> = numbers().filter(|&number| number <= group.get(number).mirrored).collect();
        let kept_numbers = numbers()
            .map(|number| number.min(group.get(number).mirrored))
            .map(|number| kept.partition_point(|&other| other < number) as u16)
            .collect();
        let extra_attackers: Vec<ExtraAttacker> = attackers.into_iter().map(ExtraAttacker::new).collect();
        let slices = extra_attackers
            .iter()
            .map(|attacker| attacker.squares.len())
            .try_fold(kept.len() * groups[(!folded).index()].len(), usize::checked_mul)
            .filter(|&slices| u32::try_from(slices).is_ok())?;
        Some(Layout {
            signature,
            free_piece: free_piece.kind(),
            free_piece_squares: squares_of(free_piece).collect(),
            extra_attackers,
            groups,
            folded,
            kept,
            kept_numbers,
            slices,
        })
    }

    /// Material of the ending.
    pub fn signature(&self) -> Signature {
        self.signature
    }

    /// Number of slices.
    pub fn slices(&self) -> usize {
        self.slices
    }

    /// Kind of the free piece, which is Red's.
    pub fn free_piece(&self) -> PieceKind {
        self.free_piece
    }

    /// The extra attackers.
    pub fn extra_attackers(&self) -> &[ExtraAttacker] {
        &self.extra_attackers
    }

    /// Arrangements of a side's king and defenders.
    pub fn group(&self, side: Side) -> &Group {
        self.groups[side.index()]
    }

    /// Decodes the pieces of a slice.
    pub fn fixed_pieces(&self, slice: usize) -> FixedPieces {
        let mut rest = slice;
        let mut extra_attackers = AttackerSquares::new();
        for attacker in self.extra_attackers.iter().rev() {
            extra_attackers.push(attacker.squares[rest % attacker.squares.len()]);
            rest /= attacker.squares.len();
        }
        extra_attackers.reverse();
        let unfolded = self.group(!self.folded).len();
        let mut groups = [0; 2];
        groups[self.folded.index()] = self.kept[rest / unfolded];
        groups[(!self.folded).index()] = (rest % unfolded) as u16;
        FixedPieces { groups, extra_attackers }
    }

    /// Returns the slice of these pieces.
    #[inline]
    pub fn slice_of(&self, fixed: &FixedPieces) -> SliceRef {
        let folded = fixed.groups[self.folded.index()];
        let is_mirrored = self.group(self.folded).get(folded).mirrored < folded;
        let group = self.group(!self.folded);
        let unfolded = fixed.groups[(!self.folded).index()];
        let unfolded = if is_mirrored { group.get(unfolded).mirrored } else { unfolded };
        let mut slice = usize::from(self.kept_numbers[usize::from(folded)]) * group.len() + usize::from(unfolded);
        for (attacker, &square) in self.extra_attackers.iter().zip(&fixed.extra_attackers) {
            let square = if is_mirrored { square.mirrored() } else { square };
            slice = slice * attacker.squares.len() + usize::from(attacker.numbers[square.index()]);
        }
        SliceRef { slice, is_mirrored }
    }

    /// Returns the slice of the mirror image if it is stored separately, that is, if the folded side's arrangement is
    /// symmetric.
    #[inline]
    pub fn mirror_slice_of(&self, fixed: &FixedPieces) -> Option<usize> {
        let folded = fixed.groups[self.folded.index()];
        if self.group(self.folded).get(folded).mirrored != folded {
            return None;
        }
        let groups = Side::BOTH.map(|side| self.group(side).get(fixed.groups[side.index()]).mirrored);
        let extra_attackers = fixed.extra_attackers.iter().map(|square| square.mirrored()).collect();
        Some(self.slice_of(&FixedPieces { groups, extra_attackers }).slice)
    }

    /// Returns the index of a position; `None` if its material differs or a piece is on an impossible square.
    ///
    /// Pieces of one kind are taken in the order of their squares, so the index is unique.
    pub fn index_of(&self, placement: &Placement) -> Option<PositionIndex> {
        let mut groups = [0; 2];
        for side in Side::BOTH {
            let pieces = |kind| placement.squares(Piece::new(side, kind));
            let king = king_of(placement, side);
            groups[side.index()] =
                self.group(side).number(king, pieces(PieceKind::Advisor), pieces(PieceKind::Elephant))?;
        }
        let folded = groups[self.folded.index()];
        let is_mirrored = self.group(self.folded).get(folded).mirrored < folded;
        if is_mirrored {
            groups = Side::BOTH.map(|side| self.group(side).get(groups[side.index()]).mirrored);
        }
        let pieces = |piece| {
            let squares = placement.squares(piece);
            if is_mirrored { squares.mirrored() } else { squares }
        };
        let mut piece = Piece::new(Side::Red, self.free_piece);
        let mut left = pieces(piece);
        let free_square = take_first(&mut left)?;
        let mut extra_attackers = AttackerSquares::new();
        for attacker in &self.extra_attackers {
            if attacker.piece != piece {
                piece = attacker.piece;
                left = pieces(piece);
            }
            let square = take_first(&mut left)?;
            if !attacker.may_stand_on(square) {
                return None;
            }
            extra_attackers.push(square);
        }
        let free = (Piece::new(Side::Red, self.free_piece), free_square);
        let attackers =
            self.extra_attackers.iter().zip(&extra_attackers).map(|(attacker, &square)| (attacker.piece, square));
        if has_doubled_pawns(attackers.chain([free])) {
            return None;
        }
        Some(PositionIndex { slice: self.slice_of(&FixedPieces { groups, extra_attackers }).slice, free_square })
    }

    /// Returns the placement of a position.
    pub fn placement(&self, fixed: &FixedPieces, free_square: Square) -> Placement {
        let mut placement = Placement::default();
        for side in Side::BOTH {
            let arrangement = self.group(side).get(fixed.groups[side.index()]);
            placement.put(arrangement.king, Some(Piece::new(side, PieceKind::King)));
            for (kind, set) in
                [(PieceKind::Advisor, arrangement.advisors), (PieceKind::Elephant, arrangement.elephants)]
            {
                set.iter().for_each(|square| placement.put(square, Some(Piece::new(side, kind))));
            }
        }
        for (attacker, &square) in self.extra_attackers.iter().zip(&fixed.extra_attackers) {
            placement.put(square, Some(attacker.piece));
        }
        placement.put(free_square, Some(Piece::new(Side::Red, self.free_piece)));
        placement
    }

    /// Squares where the free piece may stand if no piece is in the way.
    pub fn free_piece_squares(&self) -> SquareSet {
        self.free_piece_squares
    }

    /// Returns the squares of the free piece for which the positions of a slice are stored: of several pieces of its
    /// kind it is the first, and the others follow in the order of their squares.
    pub fn stored_squares(&self, slice: usize) -> SquareSet {
        let fixed = self.fixed_pieces(slice);
        let free_piece = Piece::new(Side::Red, self.free_piece);
        let mut piece = free_piece;
        let mut before: Option<Square> = None;
        let mut squares = SquareSet::FULL;
        for (attacker, &square) in self.extra_attackers.iter().zip(&fixed.extra_attackers) {
            if attacker.piece != piece {
                piece = attacker.piece;
                before = None;
            } else if piece == free_piece && before.is_none() {
                squares = SquareSet::from_bits((1 << square.index()) - 1);
            }
            if before.is_some_and(|before| before.index() > square.index()) {
                return SquareSet::EMPTY;
            }
            before = Some(square);
        }
        squares
    }
}

/// Marks squares where a piece cannot stand.
const NONE: u8 = u8::MAX;

/// Returns whether two uncrossed pawns of a side share a file, which is unreachable in a game.
pub(super) fn has_doubled_pawns(pieces: impl Iterator<Item = (Piece, Square)>) -> bool {
    // Files with an uncrossed pawn, by side.
    let mut files = [0_u16; 2];
    for (piece, square) in pieces {
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

/// Removes and returns the first square of a set.
fn take_first(set: &mut SquareSet) -> Option<Square> {
    let first = set.iter().next()?;
    *set -= SquareSet::from_square(first);
    Some(first)
}

impl ExtraAttacker {
    fn new(piece: Piece) -> ExtraAttacker {
        let squares: Vec<Square> = squares_of(piece).collect();
        let mut numbers = [NONE; Square::COUNT];
        squares.iter().zip(0..).for_each(|(square, number)| numbers[square.index()] = number);
        ExtraAttacker { piece, squares, numbers }
    }

    /// Returns whether it may stand on this square.
    pub fn may_stand_on(&self, square: Square) -> bool {
        self.numbers[square.index()] != NONE
    }
}

/// Returns the squares where an attacker may stand.
fn squares_of(piece: Piece) -> impl Iterator<Item = Square> {
    Square::all()
        .filter(move |&square| piece.kind() != PieceKind::Pawn || geometry::is_pawn_point(piece.side(), square))
}
