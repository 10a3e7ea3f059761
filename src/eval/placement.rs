//! Material and piece-square tables, kept up to date move by move.

use super::Tapered;
use super::material::Imbalance;
use super::terms::PSQT_SIZE;
use super::weights::WEIGHTS;
use crate::position::{PieceObserver, Position};
use crate::tables::geometry::relative_rank;
use crate::types::score::MAX_PLY;
use crate::types::{Piece, PieceKind, Side, Square, Value};

/// What all rooks, horses and cannons together count towards the opening.
pub const MAX_PHASE: Value = 16;

/// What a man counts towards the opening.
const fn phase_of(kind: PieceKind) -> Value {
    match kind {
        PieceKind::Rook => 2,
        PieceKind::Horse | PieceKind::Cannon => 1,
        _ => 0,
    }
}

/// The place of a square in a side's place tables.
#[inline(always)]
pub(super) const fn psqt_index(side: Side, square: Square) -> usize {
    let file = square.file();
    let mirrored = if file > 4 { 8 - file } else { file };
    (relative_rank(side, square) * 5 + mirrored) as usize
}

/// Material and piece-square value of every piece on every square, positive for Red.
static VALUES: [[Tapered; 256]; Piece::TABLE_SIZE] = {
    let mut table = [[Tapered::ZERO; 256]; Piece::TABLE_SIZE];
    let mut piece = 0;
    while piece < Piece::ALL.len() {
        let man = Piece::ALL[piece];
        let mut index = 0;
        while index < Square::COUNT {
            let square = Square::from_index(index);
            let material = WEIGHTS.material[man.kind().index()];
            let place = WEIGHTS.psqt[man.kind().index()][psqt_index(man.side(), square)];
            let sign = if man.side() as u8 == Side::Red as u8 { 1 } else { -1 };
            table[man.index()][square.raw()] =
                Tapered::new(sign * (material.opening + place.opening), sign * (material.ending + place.ending));
            index += 1;
        }
        piece += 1;
    }
    table
};

const _: () = assert!(PSQT_SIZE == 50);

/// What all men are worth by themselves, by their places and beside each other, Red's minus Black's, and how far the
/// game is from its ending.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PsqtScore {
    /// Seen from Red.
    pub score: Tapered,
    /// 0 (ending) to [`MAX_PHASE`]; more with surplus men.
    pub phase: Value,
    /// How many men of each kind there are; what they are worth beside each other is part of the score.
    pub material: Imbalance,
}

impl PsqtScore {
    /// Adds everything up anew.
    pub fn new(position: &Position) -> PsqtScore {
        let mut sum = PsqtScore::default();
        for (piece, square) in position.pieces() {
            sum.score += VALUES[piece.index()][square.raw()] + sum.material.add(piece);
            sum.phase += phase_of(piece.kind());
        }
        sum
    }

    /// How far a position is from the ending, as in [`PsqtScore::phase`].
    pub(super) fn phase_of(position: &Position) -> Value {
        Piece::ALL.into_iter().map(|piece| phase_of(piece.kind()) * position.count(piece) as Value).sum()
    }
}

/// Follows a position through making and taking back moves.
#[derive(Clone, Debug)]
pub struct PsqtStack {
    current: PsqtScore,
    earlier: Vec<PsqtScore>,
}

impl PsqtStack {
    /// Starts to follow `position` from where it is now.
    pub fn new(position: &Position) -> PsqtStack {
        PsqtStack { current: PsqtScore::new(position), earlier: Vec::with_capacity(MAX_PLY) }
    }

    /// The sums of the position followed.
    #[inline(always)]
    pub fn current(&self) -> PsqtScore {
        self.current
    }
}

impl PieceObserver for PsqtStack {
    #[inline(always)]
    fn begin(&mut self) {
        self.earlier.push(self.current);
    }

    #[inline(always)]
    fn removed(&mut self, piece: Piece, square: Square) {
        self.current.score -= VALUES[piece.index()][square.raw()] + self.current.material.remove(piece);
        self.current.phase -= phase_of(piece.kind());
    }

    #[inline(always)]
    fn moved(&mut self, piece: Piece, from: Square, to: Square) {
        let values = &VALUES[piece.index()];
        self.current.score += values[to.raw()] - values[from.raw()];
    }

    #[inline(always)]
    fn reverted(&mut self) {
        self.current = self.earlier.pop().expect("a move began before it is reverted");
    }
}
