//! Piece values, piece-square tables and game phase, updated move by move, and material imbalance: pairs of own pieces,
//! and own pieces against enemy pieces.

use super::Tapered;
use super::terms::{Accumulate, add_term};
use super::weights::WEIGHTS;
use crate::position::{PieceObserver, Position};
use crate::tables::geometry::relative_rank;
use crate::types::score::MAX_PLY;
use crate::types::{Piece, PieceKind, Side, Square, Value};

/// Counts the pairs of own pieces, and of an own and an enemy piece.
#[inline(always)]
pub(super) fn count_pairs<A: Accumulate>(position: &Position, side: Side, sum: &mut A) {
    let count = |side, kind| position.count(Piece::new(side, kind)) as Value;
    for (first, &kind) in PieceKind::ALL.iter().enumerate().skip(1) {
        let own = count(side, kind);
        add_term!(sum, side, own * (own - 1) / 2 => own_pairs[first][first]);
        for (second, &other) in PieceKind::ALL.iter().enumerate().skip(first + 1) {
            add_term!(sum, side, own * count(side, other) => own_pairs[first][second]);
            add_term!(sum, side, own * count(!side, other) => enemy_pairs[first][second]);
        }
    }
}

/// Phase of a position with all rooks, horses and cannons.
pub const MAX_PHASE: Value = 16;

/// Returns the share of one piece in the phase.
const fn phase_weight(kind: PieceKind) -> Value {
    match kind {
        PieceKind::Rook => 2,
        PieceKind::Horse | PieceKind::Cannon => 1,
        _ => 0,
    }
}

/// Returns the index of a square in a piece-square table of `side`.
#[inline(always)]
pub(super) const fn psqt_index(side: Side, square: Square) -> usize {
    let file = square.file();
    let mirrored = if file > 4 { 8 - file } else { file };
    (relative_rank(side, square) * 5 + mirrored) as usize
}

/// Returns the value of a piece plus that of its square, for Red.
#[inline(always)]
fn value(piece: Piece, square: Square) -> Tapered {
    let (side, kind) = (piece.side(), piece.kind().index());
    let value = WEIGHTS.material[kind] + WEIGHTS.psqt[kind][psqt_index(side, square)];
    if side == Side::Red { value } else { -value }
}

/// Incremental part of the evaluation, Red's minus Black's, and the game phase.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PsqtScore {
    /// Piece values and piece-square values, for Red.
    pub score: Tapered,
    /// 0 (ending) to [`MAX_PHASE`]; more with surplus pieces.
    pub phase: Value,
}

impl PsqtScore {
    /// Adds up all pieces of `position`.
    pub fn new(position: &Position) -> PsqtScore {
        let mut sum = PsqtScore::default();
        for (piece, square) in position.pieces() {
            sum.score += value(piece, square);
            sum.phase += phase_weight(piece.kind());
        }
        sum
    }

    /// Returns the phase, 0 to [`MAX_PHASE`]: surplus pieces of composed problems do not lead beyond the opening.
    #[inline(always)]
    pub(in crate::eval) fn clamped_phase(&self) -> Value {
        self.phase.min(MAX_PHASE)
    }

    /// Returns [`PsqtScore::clamped_phase`] of a position.
    pub(in crate::eval) fn phase_of(position: &Position) -> Value {
        let phase: Value =
            Piece::ALL.into_iter().map(|piece| phase_weight(piece.kind()) * position.count(piece) as Value).sum();
        phase.min(MAX_PHASE)
    }
}

/// [`PsqtScore`] of the current position and of those before it.
#[derive(Clone, Debug)]
pub struct PsqtStack {
    current: PsqtScore,
    earlier: Vec<PsqtScore>,
}

impl PsqtStack {
    /// Returns a stack set to `position`.
    pub fn new(position: &Position) -> PsqtStack {
        PsqtStack { current: PsqtScore::new(position), earlier: Vec::with_capacity(MAX_PLY) }
    }

    /// Returns the sums of the current position.
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
        self.current.score -= value(piece, square);
        self.current.phase -= phase_weight(piece.kind());
    }

    #[inline(always)]
    fn moved(&mut self, piece: Piece, from: Square, to: Square) {
        self.current.score += value(piece, to) - value(piece, from);
    }

    #[inline(always)]
    fn reverted(&mut self) {
        self.current = self.earlier.pop().expect("a move began before it is reverted");
    }
}
