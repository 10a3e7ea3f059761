//! Attacks on enemy pieces: inputs of the network besides the pieces themselves.
//!
//! For each piece on the board there is one input for each group of enemy pieces that attacks it: "the horse on c2 is
//! attacked by a rook", wherever the attackers stand and how many they are. Protection, pins, the safety of kings and
//! kings that face each other are ignored. The idea of attacked pieces as inputs comes from the chess engine Monty.

use super::PIECE_INPUTS;
use crate::position::Position;
use crate::tables::attack_sets;
use crate::tables::lines::LineTargets;
use crate::types::{Piece, PieceKind, Side, Square, SquareSet};

/// Groups of attackers, in the order of their inputs: rooks, cannons, horses, pawns, and the pieces that stay at home
/// (king, advisors and elephants). Network files depend on the order.
pub const ATTACKER_GROUPS: usize = 5;
/// Inputs for attacked pieces.
pub const THREAT_INPUTS: usize = ATTACKER_GROUPS * PIECE_INPUTS;

/// Input of a piece that a group of enemy pieces, below [`ATTACKER_GROUPS`], attacks: from [`PIECE_INPUTS`] to
/// [`INPUTS`](super::INPUTS) − 1. `feature` is the input of the piece alone.
#[inline(always)]
pub const fn threat_input(feature: usize, group: usize) -> usize {
    (1 + group) * PIECE_INPUTS + feature
}

/// Pieces on a board, as the computation of threats sees them.
pub trait PiecePlacement {
    /// Returns the squares of this piece.
    fn squares(&self, piece: Piece) -> &[Square];
    /// Returns the occupancy of the rank of a square, bit 0 for file a.
    fn rank_occupancy(&self, square: Square) -> u16;
    /// Returns the occupancy of the file of a square, bit 0 for rank 0.
    fn file_occupancy(&self, square: Square) -> u16;
    /// Returns the squares of all pieces of a side.
    fn occupied_by(&self, side: Side) -> SquareSet;
}

impl PiecePlacement for Position {
    #[inline(always)]
    fn squares(&self, piece: Piece) -> &[Square] {
        Position::squares(self, piece)
    }

    #[inline(always)]
    fn rank_occupancy(&self, square: Square) -> u16 {
        Position::rank_occupancy(self, square)
    }

    #[inline(always)]
    fn file_occupancy(&self, square: Square) -> u16 {
        Position::file_occupancy(self, square)
    }

    #[inline(always)]
    fn occupied_by(&self, side: Side) -> SquareSet {
        Position::occupied_by(self, side)
    }
}

/// Squares of enemy pieces that each group of each side attacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Threats([[Words; ATTACKER_GROUPS]; 2]);

/// Lower and upper half of the bits of a set. Compilers make vectors of such arrays, but not of 128-bit numbers.
type Words = [u64; 2];

#[inline(always)]
fn words_of(set: SquareSet) -> Words {
    [set.bits() as u64, (set.bits() >> 64) as u64]
}

#[inline(always)]
fn set_of([low, high]: Words) -> SquareSet {
    SquareSet::from_bits(u128::from(low) | u128::from(high) << 64)
}

/// Group of attackers of each of the sets, first Red's, then Black's. A table is faster than a division.
static GROUPS: [u8; 2 * ATTACKER_GROUPS] = {
    let mut groups = [0; 2 * ATTACKER_GROUPS];
    let mut index = 0;
    while index < groups.len() {
        groups[index] = (index % ATTACKER_GROUPS) as u8;
        index += 1;
    }
    groups
};

/// Square on which the threats of a group of attackers differ between two positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreatDifference {
    /// The square.
    pub square: Square,
    /// Group of attackers, below [`ATTACKER_GROUPS`].
    pub group: usize,
    /// `true` if the group attacked an enemy piece there in the earlier position.
    pub was_attacked: bool,
    /// `true` if it attacks one there now.
    pub is_attacked: bool,
    /// `true` if the piece on the square may have changed.
    pub is_changed: bool,
}

impl Threats {
    /// No attacks.
    pub const NONE: Threats = Threats([[[0; 2]; ATTACKER_GROUPS]; 2]);

    /// Finds all attacks on enemy pieces.
    #[inline(always)]
    pub fn new(pieces: &impl PiecePlacement) -> Threats {
        let [red, black] = [Side::Red, Side::Black].map(|side| pieces.occupied_by(side));
        let occupied = red | black;
        Threats([
            attacked(pieces, Side::Red, occupied, black).map(words_of),
            attacked(pieces, Side::Black, occupied, red).map(words_of),
        ])
    }

    /// Calls `visit` with the square of each attacked piece and the group that attacks it, below [`ATTACKER_GROUPS`].
    #[inline(always)]
    pub fn for_each(&self, mut visit: impl FnMut(Square, usize)) {
        for (index, &words) in self.0.as_flattened().iter().enumerate() {
            set_of(words).iter().for_each(|square| visit(square, usize::from(GROUPS[index])));
        }
    }

    /// Calls `visit` for each square and group that differs from `earlier`, and on `changed` squares for each of both.
    #[inline(always)]
    pub fn compare(&self, earlier: &Threats, changed: SquareSet, mut visit: impl FnMut(ThreatDifference)) {
        let (now, before) = (self.0.as_flattened(), earlier.0.as_flattened());
        let changed = words_of(changed);
        let mut different = [[0; 2]; 2 * ATTACKER_GROUPS];
        for ((different, now), before) in different.iter_mut().zip(now).zip(before) {
            for half in 0..2 {
                different[half] = (now[half] ^ before[half]) | ((now[half] | before[half]) & changed[half]);
            }
        }
        // One bit for each set that is not empty.
        let mut indices = 0_u32;
        for (index, [low, high]) in different.iter().enumerate() {
            indices |= u32::from(low | high != 0) << index;
        }
        while indices != 0 {
            let index = indices.trailing_zeros() as usize;
            indices &= indices - 1;
            let group = usize::from(GROUPS[index]);
            for half in 0..2 {
                let mut bits = different[index][half];
                while bits != 0 {
                    let bit = bits.trailing_zeros();
                    bits &= bits - 1;
                    let is_set = |words: Words| (words[half] >> bit) & 1 != 0;
                    visit(ThreatDifference {
                        square: SquareSet::square_of_bit(half as u32 * u64::BITS + bit),
                        group,
                        was_attacked: is_set(before[index]),
                        is_attacked: is_set(now[index]),
                        is_changed: is_set(changed),
                    });
                }
            }
        }
    }
}

/// Returns the squares of `enemies` that each group of a side attacks.
#[inline(always)]
fn attacked(
    pieces: &impl PiecePlacement,
    side: Side,
    occupied: SquareSet,
    enemies: SquareSet,
) -> [SquareSet; ATTACKER_GROUPS] {
    let squares = |kind| pieces.squares(Piece::new(side, kind));
    let along_lines = |from: Square, captures: fn(LineTargets) -> u16| {
        attack_sets::along_lines(from, pieces.rank_occupancy(from), pieces.file_occupancy(from), captures)
    };
    // King, advisors and elephants attack squares of their home only. In most positions no enemy stands there.
    let at_home = if (enemies & attack_sets::home(side)).is_empty() {
        SquareSet::EMPTY
    } else {
        union(squares(PieceKind::King), attack_sets::king)
            | union(squares(PieceKind::Advisor), attack_sets::advisor)
            | union(squares(PieceKind::Elephant), |from| attack_sets::elephant(from, occupied))
    };
    [
        union(squares(PieceKind::Rook), |from| along_lines(from, |targets| targets.rook)),
        union(squares(PieceKind::Cannon), |from| along_lines(from, |targets| targets.cannon)),
        union(squares(PieceKind::Horse), |from| {
            attack_sets::horse(from, pieces.rank_occupancy(from), pieces.file_occupancy(from))
        }),
        union(squares(PieceKind::Pawn), |from| attack_sets::pawn(side, from)),
        at_home,
    ]
    .map(|set| set & enemies)
}

#[inline(always)]
fn union(squares: &[Square], attacks: impl Fn(Square) -> SquareSet) -> SquareSet {
    // Not `fold`, which would be compiled as a function of its own, without the instruction set of the caller.
    let mut set = SquareSet::EMPTY;
    for &from in squares {
        set |= attacks(from);
    }
    set
}
