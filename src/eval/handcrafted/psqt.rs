//! Piece values, piece-square tables, material imbalance and game phase, updated move by move.
//!
//! Imbalance counts pairs of own pieces, and own pieces against enemy pieces. It depends only on the number of pieces
//! of each kind, so it changes with captures alone.

use super::Tapered;
use super::terms::{Accumulate, PSQT_SIZE, add_term};
use super::weights::WEIGHTS;
use crate::position::{PieceObserver, Position};
use crate::tables::geometry::relative_rank;
use crate::types::score::MAX_PLY;
use crate::types::{Piece, PieceKind, Side, Square, Value};

/// Number of pieces of each kind, for both sides.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Imbalance {
    counts: [[u8; PieceKind::COUNT]; 2],
}

/// Value of a piece beside each own piece and against each enemy piece, for its own side.
struct PairWeights {
    own: [[Tapered; PieceKind::COUNT]; PieceKind::COUNT],
    enemy: [[Tapered; PieceKind::COUNT]; PieceKind::COUNT],
}

static PAIR_WEIGHTS: PairWeights = {
    let mut pairs = PairWeights {
        own: [[Tapered::ZERO; PieceKind::COUNT]; PieceKind::COUNT],
        enemy: [[Tapered::ZERO; PieceKind::COUNT]; PieceKind::COUNT],
    };
    let mut first = 0;
    while first < PieceKind::COUNT {
        let mut second = first;
        while second < PieceKind::COUNT {
            let own = WEIGHTS.own_pairs[first][second];
            pairs.own[first][second] = own;
            pairs.own[second][first] = own;
            if first < second {
                let enemy = WEIGHTS.enemy_pairs[first][second];
                pairs.enemy[first][second] = enemy;
                pairs.enemy[second][first] = Tapered::new(-enemy.opening, -enemy.ending);
            }
            second += 1;
        }
        first += 1;
    }
    pairs
};

impl Imbalance {
    /// Adds a piece and returns what it adds to the evaluation, for Red.
    #[inline(always)]
    pub fn add(&mut self, piece: Piece) -> Tapered {
        let value = self.value_of_another(piece);
        self.counts[piece.side().index()][piece.kind().index()] += 1;
        value
    }

    /// Removes a piece and returns what the evaluation loses with it, for Red.
    #[inline(always)]
    pub fn remove(&mut self, piece: Piece) -> Tapered {
        self.counts[piece.side().index()][piece.kind().index()] -= 1;
        self.value_of_another(piece)
    }

    /// Returns what one more piece would add to the evaluation, for Red.
    #[inline(always)]
    fn value_of_another(&self, piece: Piece) -> Tapered {
        let (side, kind) = (piece.side(), piece.kind().index());
        let value = |weights: &[Tapered; PieceKind::COUNT], counts: &[u8; PieceKind::COUNT]| {
            let products = weights.iter().zip(counts).map(|(&weight, &count)| weight * Value::from(count));
            products.fold(Tapered::ZERO, |sum, product| sum + product)
        };
        let sum = value(&PAIR_WEIGHTS.own[kind], &self.counts[side.index()])
            + value(&PAIR_WEIGHTS.enemy[kind], &self.counts[(!side).index()]);
        if side == Side::Red { sum } else { -sum }
    }
}

/// Counts the pairs that [`Imbalance`] adds up piece by piece.
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

/// Piece value plus piece-square value of every piece on every square, positive for Red.
static VALUES: [[Tapered; 256]; Piece::TABLE_SIZE] = {
    let mut table = [[Tapered::ZERO; 256]; Piece::TABLE_SIZE];
    let mut i = 0;
    while i < Piece::ALL.len() {
        let piece = Piece::ALL[i];
        let kind = piece.kind().index();
        let mut index = 0;
        while index < Square::COUNT {
            let square = Square::from_index(index);
            let material = WEIGHTS.material[kind];
            let psqt = WEIGHTS.psqt[kind][psqt_index(piece.side(), square)];
            let sign = if piece.side() as u8 == Side::Red as u8 { 1 } else { -1 };
            table[piece.index()][square.raw()] =
                Tapered::new(sign * (material.opening + psqt.opening), sign * (material.ending + psqt.ending));
            index += 1;
        }
        i += 1;
    }
    table
};

const _: () = assert!(PSQT_SIZE == 50);

/// Incremental part of the evaluation, Red's minus Black's, and the game phase.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PsqtScore {
    /// Piece values, piece-square values and imbalance, for Red.
    pub score: Tapered,
    /// 0 (ending) to [`MAX_PHASE`]; more with surplus pieces.
    pub phase: Value,
    /// Piece counts, from which imbalance follows; its value is part of `score`.
    pub imbalance: Imbalance,
}

impl PsqtScore {
    /// Adds up all pieces of `position`.
    pub fn new(position: &Position) -> PsqtScore {
        let mut sum = PsqtScore::default();
        for (piece, square) in position.pieces() {
            sum.score += VALUES[piece.index()][square.raw()] + sum.imbalance.add(piece);
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
        self.current.score -= VALUES[piece.index()][square.raw()] + self.current.imbalance.remove(piece);
        self.current.phase -= phase_weight(piece.kind());
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
