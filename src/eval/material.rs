//! What men are worth beside others: pairs of own men, and own men against enemy men.
//!
//! Both depend on how many men of each kind there are and on nothing else, so that they change with captures alone.

use super::Tapered;
use super::terms::{Tally, count};
use super::weights::WEIGHTS;
use crate::position::Position;
use crate::types::{Piece, PieceKind, Side, Value};

/// How many men of each kind both sides have.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Imbalance {
    counts: [[u8; PieceKind::COUNT]; 2],
}

/// What a man is worth with each man of its own side, and what against each man of the other, from its own view.
struct Company {
    own: [[Tapered; PieceKind::COUNT]; PieceKind::COUNT],
    enemy: [[Tapered; PieceKind::COUNT]; PieceKind::COUNT],
}

static COMPANY: Company = {
    let mut own_pairs = Company {
        own: [[Tapered::ZERO; PieceKind::COUNT]; PieceKind::COUNT],
        enemy: [[Tapered::ZERO; PieceKind::COUNT]; PieceKind::COUNT],
    };
    let mut first = 0;
    while first < PieceKind::COUNT {
        let mut second = first;
        while second < PieceKind::COUNT {
            let pair = WEIGHTS.own_pairs[first][second];
            own_pairs.own[first][second] = pair;
            own_pairs.own[second][first] = pair;
            if first < second {
                let against = WEIGHTS.enemy_pairs[first][second];
                own_pairs.enemy[first][second] = against;
                own_pairs.enemy[second][first] = Tapered::new(-against.opening, -against.ending);
            }
            second += 1;
        }
        first += 1;
    }
    own_pairs
};

impl Imbalance {
    /// Counts one man more and tells what it adds to the evaluation, seen from Red.
    #[inline(always)]
    pub fn add(&mut self, piece: Piece) -> Tapered {
        let worth = self.worth_of_another(piece);
        self.counts[piece.side().index()][piece.kind().index()] += 1;
        worth
    }

    /// Counts one man less and tells what leaves the evaluation with it, seen from Red.
    #[inline(always)]
    pub fn remove(&mut self, piece: Piece) -> Tapered {
        self.counts[piece.side().index()][piece.kind().index()] -= 1;
        self.worth_of_another(piece)
    }

    /// What one more man would add to the evaluation, seen from Red.
    #[inline(always)]
    fn worth_of_another(&self, piece: Piece) -> Tapered {
        let (side, kind) = (piece.side(), piece.kind().index());
        let worth = |weights: &[Tapered; PieceKind::COUNT], counts: &[u8; PieceKind::COUNT]| {
            let products = weights.iter().zip(counts).map(|(&weight, &count)| weight * Value::from(count));
            products.fold(Tapered::ZERO, |sum, product| sum + product)
        };
        let sum = worth(&COMPANY.own[kind], &self.counts[side.index()])
            + worth(&COMPANY.enemy[kind], &self.counts[(!side).index()]);
        if side == Side::Red { sum } else { -sum }
    }
}

/// Counts the pairs that [`Imbalance`] adds up man by man.
pub(super) fn count_material<T: Tally>(position: &Position, side: Side, tally: &mut T) {
    let men = |side, kind| position.count(Piece::new(side, kind)) as Value;
    for (first, &kind) in PieceKind::ALL.iter().enumerate().skip(1) {
        let own = men(side, kind);
        count!(tally, side, own * (own - 1) / 2 => own_pairs[first][first]);
        for (second, &other) in PieceKind::ALL.iter().enumerate().skip(first + 1) {
            count!(tally, side, own * men(side, other) => own_pairs[first][second]);
            count!(tally, side, own * men(!side, other) => enemy_pairs[first][second]);
        }
    }
}
