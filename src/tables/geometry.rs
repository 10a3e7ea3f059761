//! Regions of the board, and the steps of king, advisor, elephant, horse and pawn.

use crate::types::{Piece, PieceKind, Side, Square};

/// Mailbox steps of one square along a file or a rank: toward rank 9, toward rank 0, toward file i, toward file a.
pub const ORTHOGONAL: [i8; 4] = [16, -16, 1, -1];
pub const DIAGONAL: [i8; 4] = [17, 15, -15, -17];

#[derive(Clone, Copy)]
pub struct Steps<T: Copy, const N: usize> {
    length: u8,
    items: [T; N],
}

impl<T: Copy, const N: usize> Steps<T, N> {
    const fn filled_with(item: T) -> Self {
        Steps { length: 0, items: [item; N] }
    }

    const fn push(&mut self, item: T) {
        self.items[self.length as usize] = item;
        self.length += 1;
    }

    pub(super) const fn len(&self) -> usize {
        self.length as usize
    }

    pub(super) const fn get(&self, index: usize) -> T {
        self.items[index]
    }

    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        // The bound always holds; stating it removes a panic path.
        self.items[..(self.length as usize).min(N)].iter().copied()
    }
}

/// Step that a piece on a square in between blocks: the leg of a horse, the eye of an elephant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockableStep {
    pub square: Square,
    pub over: Square,
}

const NOWHERE: Square = Square::from_raw(0);
const NO_STEP: BlockableStep = BlockableStep { square: NOWHERE, over: NOWHERE };

#[inline(always)]
pub const fn home_side(square: Square) -> Side {
    if square.rank() < 5 { Side::Red } else { Side::Black }
}

#[inline(always)]
pub const fn has_crossed(side: Side, square: Square) -> bool {
    home_side(square) as u8 != side as u8
}

/// Tells whether the square is in a palace; which one follows from [`home_side`].
#[inline(always)]
pub const fn is_in_palace(square: Square) -> bool {
    let file = square.file();
    let rank = square.rank();
    file >= 3 && file <= 5 && (rank <= 2 || rank >= 7)
}

#[inline(always)]
pub const fn forward(side: Side) -> i8 {
    match side {
        Side::Red => 16,
        Side::Black => -16,
    }
}

/// Returns the rank from the perspective of `side`: 0 is its home rank, 9 the enemy's.
#[inline(always)]
pub const fn relative_rank(side: Side, square: Square) -> u8 {
    match side {
        Side::Red => square.rank(),
        Side::Black => Square::RANKS - 1 - square.rank(),
    }
}

pub const fn is_advisor_point(side: Side, square: Square) -> bool {
    is_in_palace(square)
        && !has_crossed(side, square)
        && !(square.file() + relative_rank(side, square)).is_multiple_of(2)
}

pub const fn is_elephant_point(side: Side, square: Square) -> bool {
    let rank = relative_rank(side, square);
    let file = square.file();
    match rank {
        0 | 4 => file == 2 || file == 6,
        2 => file == 0 || file == 4 || file == 8,
        _ => false,
    }
}

/// Tells whether a pawn of `side` may ever be on the square: its own files on ranks 3 and 4, anywhere across the river.
pub const fn is_pawn_point(side: Side, square: Square) -> bool {
    match relative_rank(side, square) {
        0..=2 => false,
        3 | 4 => square.file().is_multiple_of(2),
        _ => true,
    }
}

pub const fn may_stand(piece: Piece, square: Square) -> bool {
    let side = piece.side();
    match piece.kind() {
        PieceKind::King => is_in_palace(square) && !has_crossed(side, square),
        PieceKind::Advisor => is_advisor_point(side, square),
        PieceKind::Elephant => is_elephant_point(side, square),
        PieceKind::Pawn => is_pawn_point(side, square),
        PieceKind::Horse | PieceKind::Rook | PieceKind::Cannon => true,
    }
}

pub(super) const fn palace_steps(from: Square, deltas: [i8; 4]) -> Steps<Square, 4> {
    let mut steps = Steps::filled_with(NOWHERE);
    let mut i = 0;
    while i < 4 {
        let to = from.offset(deltas[i]);
        if from.is_on_board() && is_in_palace(from) && to.is_on_board() && is_in_palace(to) {
            steps.push(to);
        }
        i += 1;
    }
    steps
}

pub(super) const fn elephant_steps(from: Square) -> Steps<BlockableStep, 4> {
    let mut steps = Steps::filled_with(NO_STEP);
    let mut i = 0;
    while i < 4 {
        let over = from.offset(DIAGONAL[i]);
        let to = over.offset(DIAGONAL[i]);
        if from.is_on_board() && to.is_on_board() && home_side(from) as u8 == home_side(to) as u8 {
            steps.push(BlockableStep { square: to, over });
        }
        i += 1;
    }
    steps
}

/// The eight steps of a horse as (leg, second half): one square along a line, then one square diagonally outward.
const HORSE: [(i8, i8); 8] = [(16, 17), (16, 15), (-16, -15), (-16, -17), (1, 17), (1, -15), (-1, 15), (-1, -17)];

/// Returns the steps of a horse from a square, or with `to` those that lead there, each with the other end.
pub(super) const fn horse_steps(square: Square, to: bool) -> Steps<BlockableStep, 8> {
    let mut steps = Steps::filled_with(NO_STEP);
    let mut i = 0;
    while i < 8 {
        let (leg, rest) = HORSE[i];
        let (first, second) = if to { (-rest, -leg) } else { (leg, rest) };
        let over = square.offset(first);
        let other = over.offset(second);
        if square.is_on_board() && other.is_on_board() {
            steps.push(BlockableStep { square: other, over });
        }
        i += 1;
    }
    steps
}

/// Returns the square one step of `along_file` away, and across the river of `side` those beside.
pub(super) const fn pawn_neighbours(side: Side, square: Square, along_file: i8) -> Steps<Square, 3> {
    let deltas = [along_file, -1, 1];
    let mut steps = Steps::filled_with(NOWHERE);
    let mut i = 0;
    while i < 3 {
        let neighbour = square.offset(deltas[i]);
        if square.is_on_board() && neighbour.is_on_board() && (i == 0 || has_crossed(side, square)) {
            steps.push(neighbour);
        }
        i += 1;
    }
    steps
}

/// Builds a table of 256 entries from a `const fn` of the square.
macro_rules! per_square {
    ($square:ident => $entry:expr) => {{
        let mut table = [{
            let $square = NOWHERE;
            $entry
        }; 256];
        let mut raw = 0;
        while raw < 256 {
            let $square = Square::from_raw(raw as u8);
            table[raw] = $entry;
            raw += 1;
        }
        table
    }};
}

static KING: [Steps<Square, 4>; 256] = per_square!(square => palace_steps(square, ORTHOGONAL));
static ADVISOR: [Steps<Square, 4>; 256] = per_square!(square => palace_steps(square, DIAGONAL));
static ELEPHANT: [Steps<BlockableStep, 4>; 256] = per_square!(square => elephant_steps(square));
static HORSE_STEPS: [Steps<BlockableStep, 8>; 256] = per_square!(square => horse_steps(square, false));
static HORSE_SOURCES: [Steps<BlockableStep, 8>; 256] = per_square!(square => horse_steps(square, true));
/// Neighbours of a square to which a pawn of Red and of Black steps.
static PAWN_STEPS: [[Steps<Square, 3>; 256]; 2] = [
    per_square!(square => pawn_neighbours(Side::Red, square, forward(Side::Red))),
    per_square!(square => pawn_neighbours(Side::Black, square, forward(Side::Black))),
];
/// Those from which one does, if it stands there.
static PAWN_SOURCES: [[Steps<Square, 3>; 256]; 2] = [
    per_square!(square => pawn_neighbours(Side::Red, square, -forward(Side::Red))),
    per_square!(square => pawn_neighbours(Side::Black, square, -forward(Side::Black))),
];

/// Mailbox step from a horse to its leg for each difference target − source (plus 256); 0 where there is none.
static HORSE_LEG: [i8; 512] = {
    let mut table = [0; 512];
    let mut i = 0;
    while i < 8 {
        let (leg, rest) = HORSE[i];
        table[(leg as i32 + rest as i32 + 256) as usize] = leg;
        i += 1;
    }
    table
};

#[inline(always)]
pub fn king(from: Square) -> &'static Steps<Square, 4> {
    &KING[from.raw()]
}

#[inline(always)]
pub fn advisor(from: Square) -> &'static Steps<Square, 4> {
    &ADVISOR[from.raw()]
}

/// Returns the steps of an elephant on `from`, each over its eye. The relation is symmetric.
#[inline(always)]
pub fn elephant(from: Square) -> &'static Steps<BlockableStep, 4> {
    &ELEPHANT[from.raw()]
}

#[inline(always)]
pub fn horse(from: Square) -> &'static Steps<BlockableStep, 8> {
    &HORSE_STEPS[from.raw()]
}

/// Returns the squares from which a horse attacks `target`, each with its leg (next to the horse, not to the target).
#[inline(always)]
pub fn horses_attacking(target: Square) -> &'static Steps<BlockableStep, 8> {
    &HORSE_SOURCES[target.raw()]
}

#[inline(always)]
pub fn horse_leg(from: Square, to: Square) -> Option<Square> {
    let leg = HORSE_LEG[to.raw() + 256 - from.raw()];
    (leg != 0).then(|| from.offset(leg))
}

#[inline(always)]
pub fn pawn(side: Side, from: Square) -> &'static Steps<Square, 3> {
    &PAWN_STEPS[side.index()][from.raw()]
}

#[inline(always)]
pub fn pawns_attacking(side: Side, target: Square) -> &'static Steps<Square, 3> {
    &PAWN_SOURCES[side.index()][target.raw()]
}
