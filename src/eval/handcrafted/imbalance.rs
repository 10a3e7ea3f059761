//! Material imbalance: pairs of own pieces, and own pieces against enemy pieces.
//!
//! Both depend only on the number of pieces of each kind, so they change with captures alone.

use super::Tapered;
use super::terms::{Accumulate, add_term};
use super::weights::WEIGHTS;
use crate::position::Position;
use crate::types::{Piece, PieceKind, Side, Value};

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
