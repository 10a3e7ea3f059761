//! Bijection between placements and ranks.

use super::U256;
use super::free_pieces::{FreePieces, binomial, rank_among, unrank_among};
use super::palace_and_home::{self, HomeArrangements};
use super::placement::{Placement, RED_HALF, relative_to};
use super::signature::Signature;
use crate::types::{PieceKind, Side, Square, SquareSet};

/// Number of squares of one half.
const HALF: usize = Square::COUNT / 2;

/// Bijection between a set of placements and the ranks 0 to [`Ranking::size`] − 1.
///
/// The set contains the placements of a [`Signature`] or all placements. It is divided into blocks with constant
/// numbers of advisors, elephants, uncrossed and crossed pawns of both sides. Within a block, a rank is a mixed-radix
/// number of the arrangements in each half, the crossed pawns, and the rooks, horses and cannons.
///
/// ```
/// use chuhe::counting::{Ranking, U256};
/// let ranking = Ranking::new("KPvKA".parse()?);
/// let number = U256::from(12_345);
/// let placement = ranking.unrank(number).ok_or("in range")?;
/// assert_eq!(ranking.rank(&placement), Some(number));
/// assert_eq!(ranking.unrank(ranking.size()), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Ranking {
    sides: [PieceCountTable; 2],
    free_pieces: FreePieces,
    /// Blocks by Red's piece counts, then by Black's.
    blocks: Vec<Block>,
    size: U256,
}

/// Numbers of a side's pieces that are restricted to some squares.
#[derive(Clone, Copy)]
struct PieceCounts {
    advisors: u8,
    elephants: u8,
    home_pawns: u8,
    crossed_pawns: u8,
}

impl PieceCounts {
    fn home_arrangements(self) -> &'static HomeArrangements {
        palace_and_home::known(self.advisors, self.elephants, self.home_pawns)
    }

    /// Number of occupied squares in its own half.
    fn at_home(self) -> usize {
        1 + usize::from(self.advisors) + usize::from(self.elephants) + usize::from(self.home_pawns)
    }

    /// Index in a table of all combinations.
    fn code(self) -> usize {
        let digits = [(self.advisors, 3), (self.elephants, 3), (self.home_pawns, 6), (self.crossed_pawns, 6)];
        digits.into_iter().fold(0, |code, (digit, base)| code * base + usize::from(digit))
    }
}

/// The combinations of one side.
struct PieceCountTable {
    list: Vec<PieceCounts>,
    /// Index in the list by [`PieceCounts::code`].
    indices: Vec<Option<u16>>,
}

impl PieceCountTable {
    fn new(list: Vec<PieceCounts>) -> PieceCountTable {
        let mut indices = vec![None; 3 * 3 * 6 * 6];
        list.iter().zip(0..).for_each(|(piece_counts, index)| indices[piece_counts.code()] = Some(index));
        PieceCountTable { list, indices }
    }

    /// Combinations with exactly these pieces.
    fn exactly(advisors: u8, elephants: u8, pawns: u8) -> PieceCountTable {
        let piece_counts = |home| PieceCounts { advisors, elephants, home_pawns: home, crossed_pawns: pawns - home };
        PieceCountTable::new((0..=pawns).map(piece_counts).collect())
    }

    /// All combinations.
    fn any() -> PieceCountTable {
        let defenders = (0..3).flat_map(|advisors| (0..3).map(move |elephants| (advisors, elephants)));
        PieceCountTable::new(
            defenders
                .flat_map(|(advisors, elephants)| {
                    (0..=5).flat_map(move |pawns| PieceCountTable::exactly(advisors, elephants, pawns).list)
                })
                .collect(),
        )
    }

    /// Returns the index of a combination; `None` if it is not included.
    fn index_of(&self, [advisors, elephants, home_pawns, crossed_pawns]: [u32; 4]) -> Option<usize> {
        if advisors > 2 || elephants > 2 || home_pawns > 5 || crossed_pawns > 5 {
            return None;
        }
        let [advisors, elephants, home_pawns, crossed_pawns] =
            [advisors, elephants, home_pawns, crossed_pawns].map(|count| count as u8);
        self.indices[PieceCounts { advisors, elephants, home_pawns, crossed_pawns }.code()].map(usize::from)
    }
}

/// Placements with one combination for each side.
struct Block {
    /// Rank of its first placement.
    start: U256,
    /// Number of arrangements in each half, and of the crossed pawns of each side.
    bases: [u64; 4],
    /// Number of placements of rooks, horses and cannons, which does not depend on the restricted.
    free_pieces: u128,
}

impl Ranking {
    /// Creates the ranking of the placements of a signature.
    pub fn new(signature: Signature) -> Ranking {
        let sides = Side::BOTH.map(|side| {
            let count = |kind| signature.count(side, kind);
            PieceCountTable::exactly(count(PieceKind::Advisor), count(PieceKind::Elephant), count(PieceKind::Pawn))
        });
        Ranking::from_parts(sides, FreePieces::exactly(|piece| signature.count(piece.side(), piece.kind())))
    }

    /// Creates the ranking of all placements.
    pub fn all_positions() -> Ranking {
        Ranking::from_parts([PieceCountTable::any(), PieceCountTable::any()], FreePieces::any())
    }

    fn from_parts(sides: [PieceCountTable; 2], mut free_pieces: FreePieces) -> Ranking {
        let mut size = U256::ZERO;
        let mut blocks = Vec::with_capacity(sides[0].list.len() * sides[1].list.len());
        for &red in &sides[0].list {
            for &black in &sides[1].list {
                let bases = [
                    red.home_arrangements().len() as u64,
                    black.home_arrangements().len() as u64,
                    binomial(HALF - black.at_home(), usize::from(red.crossed_pawns)),
                    binomial(HALF - red.at_home(), usize::from(black.crossed_pawns)),
                ];
                let crossed = usize::from(red.crossed_pawns) + usize::from(black.crossed_pawns);
                let block = Block {
                    start: size,
                    bases,
                    free_pieces: free_pieces.count(Square::COUNT - red.at_home() - black.at_home() - crossed),
                };
                let restricted: u128 = bases.into_iter().map(u128::from).product();
                size += U256::from(restricted) * U256::from(block.free_pieces);
                blocks.push(block);
            }
        }
        Ranking { sides, free_pieces, blocks, size }
    }

    /// Number of placements.
    pub fn size(&self) -> U256 {
        self.size
    }

    /// Returns the rank of a placement; `None` if it is not included.
    pub fn rank(&self, placement: &Placement) -> Option<U256> {
        let [(red, red_crossed), (black, black_crossed)] = [placement.half(Side::Red)?, placement.half(Side::Black)?];
        let index = |side: Side, half: &palace_and_home::HomeArrangement, crossed: SquareSet| {
            let counts = [half.advisors.len(), half.elephants.len(), half.pawns.len(), crossed.len()];
            self.sides[side.index()].index_of(counts)
        };
        let red_index = index(Side::Red, &red, red_crossed)?;
        let black_index = index(Side::Black, &black, black_crossed)?;
        let block = &self.blocks[red_index * self.sides[1].list.len() + black_index];
        let red_squares = red.occupied();
        let black_squares = relative_to(Side::Black, black.occupied());
        let digits = [
            self.sides[0].list[red_index].home_arrangements().find(&red)? as u64,
            self.sides[1].list[black_index].home_arrangements().find(&black)? as u64,
            rank_among(red_crossed, SquareSet::FULL - RED_HALF - black_squares),
            rank_among(black_crossed, RED_HALF - red_squares),
        ];
        let restricted = digits
            .into_iter()
            .zip(block.bases)
            .fold(0, |number, (digit, base)| number * u128::from(base) + u128::from(digit));
        let free = SquareSet::FULL - red_squares - black_squares - red_crossed - black_crossed;
        let free_pieces = self.free_pieces.rank(placement, free)?;
        Some(block.start + U256::from(restricted) * U256::from(block.free_pieces) + U256::from(free_pieces))
    }

    /// Returns the placement with this rank; `None` if it is not below [`Ranking::size`].
    pub fn unrank(&self, number: U256) -> Option<Placement> {
        if number >= self.size {
            return None;
        }
        let index = self.blocks.partition_point(|block| block.start <= number) - 1;
        let block = &self.blocks[index];
        let (restricted, free_pieces) = (number - block.start).div_rem(U256::from(block.free_pieces));
        // Both are below products computed in 128 bits.
        let (mut restricted, free_pieces): (u128, u128) = (restricted.to(), free_pieces.to());
        let mut digits = block.bases;
        for digit in digits.iter_mut().rev() {
            let base = u128::from(*digit);
            *digit = (restricted % base) as u64;
            restricted /= base;
        }
        let red_counts = self.sides[0].list[index / self.sides[1].list.len()];
        let black_counts = self.sides[1].list[index % self.sides[1].list.len()];
        let red = red_counts.home_arrangements().get(digits[0] as usize);
        let black = black_counts.home_arrangements().get(digits[1] as usize);
        let red_squares = red.occupied();
        let black_squares = relative_to(Side::Black, black.occupied());
        let red_crossed =
            unrank_among(digits[2], usize::from(red_counts.crossed_pawns), SquareSet::FULL - RED_HALF - black_squares);
        let black_crossed = unrank_among(digits[3], usize::from(black_counts.crossed_pawns), RED_HALF - red_squares);
        let mut placement = Placement::default();
        placement.add_half(Side::Red, &red, red_crossed);
        placement.add_half(Side::Black, &black, black_crossed);
        let free = SquareSet::FULL - red_squares - black_squares - red_crossed - black_crossed;
        self.free_pieces.unrank(free_pieces, free, &mut placement);
        Some(placement)
    }
}
