//! Bijection between placements and ranks.

use super::U256;
use super::placement::{self, HomeArrangements, Placement, half_of, relative_to};
use super::signature::Signature;
use crate::types::{Piece, PieceKind, Side, Square, SquareSet};

/// Bijection between the placements of a [`Signature`], or all placements, and the ranks 0 to [`Ranking::size`] − 1.
///
/// The set is divided into blocks with constant numbers of advisors, elephants, uncrossed and crossed pawns of both
/// sides. Within a block, a rank is a mixed-radix number of the arrangements in each half, the crossed pawns, and the
/// rooks, horses and cannons.
pub struct Ranking {
    sides: [Vec<RestrictedCounts>; 2],
    selections: Vec<FreeCounts>,
    /// For each number of free squares: the number of placements with the selections before each one, and with all.
    starts: Vec<Vec<u128>>,
    blocks: Vec<Block>,
    size: U256,
}

/// Numbers of a side's advisors, elephants, pawns, and how many of these are at home.
type RestrictedCounts = [u32; 4];

type FreeCounts = [u32; FREE_PIECES.len()];

/// Pieces without restrictions on their squares, in the order in which they are placed.
const FREE_PIECES: [Piece; 6] = [
    Piece::new(Side::Red, PieceKind::Rook),
    Piece::new(Side::Black, PieceKind::Rook),
    Piece::new(Side::Red, PieceKind::Horse),
    Piece::new(Side::Black, PieceKind::Horse),
    Piece::new(Side::Red, PieceKind::Cannon),
    Piece::new(Side::Black, PieceKind::Cannon),
];

/// Placements with constant numbers of restricted pieces.
struct Block {
    start: U256,
    /// Number of arrangements in each half, and of the crossed pawns of each side.
    bases: [u64; 4],
    /// Number of placements of rooks, horses and cannons, which does not depend on the restricted pieces' squares.
    free_pieces: u128,
}

fn home_arrangements([advisors, elephants, _, home]: RestrictedCounts) -> &'static HomeArrangements {
    placement::home_arrangements(advisors, elephants, home)
}

/// Returns the number of free squares in the half of a side, apart from the other side's crossed pawns.
fn room_at_home([advisors, elephants, _, home]: RestrictedCounts) -> u32 {
    Square::COUNT as u32 / 2 - 1 - advisors - elephants - home
}

/// Returns the squares for the crossed pawns of a side when the pieces in both halves occupy `home`.
fn room_for_crossed(side: Side, home: [SquareSet; 2]) -> SquareSet {
    half_of(!side) - home[(!side).index()]
}

impl Ranking {
    pub fn new(signature: Signature) -> Ranking {
        let count = |side, kind| u32::from(signature.count(side, kind));
        let sides = Side::BOTH.map(|side| {
            let [advisors, elephants, pawns] =
                [PieceKind::Advisor, PieceKind::Elephant, PieceKind::Pawn].map(|kind| count(side, kind));
            (0..=pawns).map(|home| [advisors, elephants, pawns, home]).collect()
        });
        Ranking::from_parts(sides, vec![FREE_PIECES.map(|piece| count(piece.side(), piece.kind()))])
    }

    pub fn all_positions() -> Ranking {
        let side: Vec<RestrictedCounts> = (0..3 * 3 * 6)
            .flat_map(|code| (0..=code % 6).map(move |home| [code / 18, code / 6 % 3, code % 6, home]))
            .collect();
        let selection = |code| digits_of(code, [3; FREE_PIECES.len()]).map(|digit| digit as u32);
        let selections = (0..3_u128.pow(FREE_PIECES.len() as u32)).map(selection).collect();
        Ranking::from_parts([side.clone(), side], selections)
    }

    fn from_parts(sides: [Vec<RestrictedCounts>; 2], selections: Vec<FreeCounts>) -> Ranking {
        let blocks = Vec::with_capacity(sides[0].len() * sides[1].len());
        let starts = vec![Vec::new(); Square::COUNT + 1];
        let mut ranking = Ranking { sides, selections, starts, blocks, size: U256::ZERO };
        for red in ranking.sides[0].clone() {
            for black in ranking.sides[1].clone() {
                let crossed = [red, black].map(|[_, _, pawns, home]| pawns - home);
                let bases = [
                    home_arrangements(red).count() as u64,
                    home_arrangements(black).count() as u64,
                    binomial(room_at_home(black), crossed[0]),
                    binomial(room_at_home(red), crossed[1]),
                ];
                let free = room_at_home(red) + room_at_home(black) - crossed[0] - crossed[1];
                let block = Block { start: ranking.size, bases, free_pieces: ranking.prepare_starts(free) };
                let restricted: u128 = bases.into_iter().map(u128::from).product();
                ranking.size += U256::from(restricted) * U256::from(block.free_pieces);
                ranking.blocks.push(block);
            }
        }
        ranking
    }

    /// Prepares `starts` for a number of free squares and returns the number of placements of the free pieces on them.
    fn prepare_starts(&mut self, free: u32) -> u128 {
        let starts = &mut self.starts[free as usize];
        let mut sum = 0;
        if starts.is_empty() {
            starts.push(0);
            for &counts in &self.selections {
                sum += free_piece_bases(counts, free).into_iter().map(u128::from).product::<u128>();
                starts.push(sum);
            }
        }
        starts[self.selections.len()]
    }

    pub fn size(&self) -> U256 {
        self.size
    }

    pub fn rank(&self, placement: &Placement) -> Option<U256> {
        let [(red, red_crossed), (black, black_crossed)] = [placement.half(Side::Red)?, placement.half(Side::Black)?];
        let [red_index, black_index] =
            [(0, red, red_crossed), (1, black, black_crossed)].map(|(side, half, crossed)| {
                let home = half.pawns.len();
                let counts = [half.advisors.len(), half.elephants.len(), home + crossed.len(), home];
                let sides: &Vec<RestrictedCounts> = &self.sides[side];
                sides.binary_search(&counts).ok()
            });
        let (red_index, black_index) = (red_index?, black_index?);
        let block = &self.blocks[red_index * self.sides[1].len() + black_index];
        let home = [red.occupied(), relative_to(Side::Black, black.occupied())];
        let digits = [
            home_arrangements(self.sides[0][red_index]).find(&red)? as u64,
            home_arrangements(self.sides[1][black_index]).find(&black)? as u64,
            rank_among(red_crossed, room_for_crossed(Side::Red, home)),
            rank_among(black_crossed, room_for_crossed(Side::Black, home)),
        ];
        let free = SquareSet::FULL - home[0] - home[1] - red_crossed - black_crossed;
        let restricted = U256::from(number_of(digits, block.bases)) * U256::from(block.free_pieces);
        Some(block.start + restricted + U256::from(self.rank_free_pieces(placement, free)?))
    }

    fn rank_free_pieces(&self, placement: &Placement, mut free: SquareSet) -> Option<u128> {
        let counts = FREE_PIECES.map(|piece| placement.squares(piece).len());
        let index = self.selections.binary_search(&counts).ok()?;
        let points = free.len();
        let digits = FREE_PIECES.map(|piece| {
            let squares = placement.squares(piece);
            let digit = rank_among(squares, free);
            free -= squares;
            digit
        });
        Some(self.starts[points as usize][index] + number_of(digits, free_piece_bases(counts, points)))
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
        let digits = digits_of(restricted.to(), block.bases);
        let black_count = self.sides[1].len();
        let counts = [self.sides[0][index / black_count], self.sides[1][index % black_count]];
        let halves = [0, 1].map(|side| home_arrangements(counts[side]).get(digits[side] as usize));
        let home = Side::BOTH.map(|side| relative_to(side, halves[side.index()].occupied()));
        let mut placement = Placement::default();
        let mut free = SquareSet::FULL - home[0] - home[1];
        for side in Side::BOTH {
            let [_, _, pawns, at_home] = counts[side.index()];
            let room = room_for_crossed(side, home);
            let crossed = unrank_among(digits[2 + side.index()], pawns - at_home, room);
            placement.add_half(side, &halves[side.index()], crossed);
            free -= crossed;
        }
        self.unrank_free_pieces(free_pieces.to(), free, &mut placement);
        Some(placement)
    }

    fn unrank_free_pieces(&self, number: u128, mut free: SquareSet, placement: &mut Placement) {
        let points = free.len();
        let starts = &self.starts[points as usize];
        let index = starts.partition_point(|&start| start <= number) - 1;
        let counts = self.selections[index];
        let digits = digits_of(number - starts[index], free_piece_bases(counts, points));
        for ((piece, count), digit) in FREE_PIECES.into_iter().zip(counts).zip(digits) {
            let squares = unrank_among(digit, count, free);
            placement.add(piece, squares);
            free -= squares;
        }
    }
}

fn number_of<const N: usize>(digits: [u64; N], bases: [u64; N]) -> u128 {
    digits.into_iter().zip(bases).fold(0, |number, (digit, base)| number * u128::from(base) + u128::from(digit))
}

/// Returns the digits of a number in a mixed radix; the inverse of [`number_of`].
fn digits_of<const N: usize>(mut number: u128, mut bases: [u64; N]) -> [u64; N] {
    for digit in bases.iter_mut().rev() {
        let base = u128::from(*digit);
        *digit = (number % base) as u64;
        number /= base;
    }
    bases
}

/// Returns the number of placements of each free piece when those before it have taken their squares.
fn free_piece_bases(counts: FreeCounts, mut points: u32) -> [u64; FREE_PIECES.len()] {
    counts.map(|count| {
        let ways = binomial(points, count);
        points -= count;
        ways
    })
}

const SIZES: usize = 6;

/// `BINOMIALS[k][n]`: number of k-subsets of n squares.
static BINOMIALS: [[u64; Square::COUNT + 1]; SIZES] = {
    let mut table = [[0; Square::COUNT + 1]; SIZES];
    let mut n = 0;
    while n <= Square::COUNT {
        table[0][n] = 1;
        let mut k = 1;
        while k < SIZES && n > 0 {
            table[k][n] = table[k - 1][n - 1] + table[k][n - 1];
            k += 1;
        }
        n += 1;
    }
    table
};

fn binomial(points: u32, size: u32) -> u64 {
    BINOMIALS[size as usize][points as usize]
}

/// Returns the rank of a set among all sets of its size within `free`: 0 to binomial − 1. Sets are in colexicographic
/// order: the k-th square of a set contributes the number of k-subsets of the free squares before it.
fn rank_among(set: SquareSet, free: SquareSet) -> u64 {
    let free_before = |square: Square| (free.bits() & ((1 << square.index()) - 1)).count_ones();
    set.iter().zip(1..).map(|(square, size)| binomial(free_before(square), size)).sum()
}

/// Returns the set of `size` squares within `free` with this rank.
fn unrank_among(mut number: u64, size: u32, free: SquareSet) -> SquareSet {
    let mut set = SquareSet::EMPTY;
    let mut points = free.len();
    for size in (1..=size).rev() {
        // Largest index whose preceding sets do not exceed the rank.
        let sets = &BINOMIALS[size as usize][..points as usize];
        points = sets.partition_point(|&sets| sets <= number) as u32 - 1;
        number -= binomial(points, size);
        set.insert(free.iter().nth(points as usize).expect("fewer free squares precede it than there are"));
    }
    set
}
