//! Every placement of some set of placements has a number, and every number below their count a placement.

use super::U256;
use super::combinations::{binomial, rank_among, unrank_among};
use super::free_pieces::Majors;
use super::palace_and_home::{self, HalfArrangements};
use super::placement::{Placement, RED_HALF, seen_from};
use super::signature::Signature;
use crate::types::{PieceKind, Side, Square, SquareSet};

/// The points of one half.
const HALF: usize = Square::COUNT / 2;

/// A one-to-one relation between placements and the numbers from 0 to [`Ranking::size`] − 1.
///
/// The placements are those of a [`Signature`] or all there are. They fall into blocks in which the number of advisors,
/// elephants, uncrossed and crossed pawns of both sides is constant; within a block the digits of a number are the men
/// on either half, the crossed pawns, and the rooks, horses and cannons.
///
/// ```
/// use chuhe::counting::{Ranking, U256};
/// let ranking = Ranking::new("KPvKA".parse()?);
/// let number = U256::from(12_345);
/// let placement = ranking.unrank(number).ok_or("there are so many")?;
/// assert_eq!(ranking.rank(&placement), Some(number));
/// assert_eq!(ranking.unrank(ranking.size()), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Ranking {
    sides: [Classes; 2],
    majors: Majors,
    /// For each class of Red one for every class of Black.
    blocks: Vec<Block>,
    size: U256,
}

/// The men of a side that cannot stand anywhere, by count.
#[derive(Clone, Copy)]
struct Class {
    advisors: u8,
    elephants: u8,
    home_pawns: u8,
    crossed_pawns: u8,
}

impl Class {
    fn halves(self) -> &'static HalfArrangements {
        palace_and_home::known(self.advisors, self.elephants, self.home_pawns)
    }

    /// How many points of its own half its men take.
    fn at_home(self) -> usize {
        1 + usize::from(self.advisors) + usize::from(self.elephants) + usize::from(self.home_pawns)
    }

    /// The place in a table of all classes.
    fn code(self) -> usize {
        let digits = [(self.advisors, 3), (self.elephants, 3), (self.home_pawns, 6), (self.crossed_pawns, 6)];
        digits.into_iter().fold(0, |code, (digit, base)| code * base + usize::from(digit))
    }
}

/// The classes of one side.
struct Classes {
    list: Vec<Class>,
    /// By [`Class::code`], the place in the list.
    places: Vec<Option<u16>>,
}

impl Classes {
    fn new(list: Vec<Class>) -> Classes {
        let mut places = vec![None; 3 * 3 * 6 * 6];
        list.iter().zip(0..).for_each(|(class, place)| places[class.code()] = Some(place));
        Classes { list, places }
    }

    /// Those with exactly these men.
    fn exactly(advisors: u8, elephants: u8, pawns: u8) -> Classes {
        let class = |home| Class { advisors, elephants, home_pawns: home, crossed_pawns: pawns - home };
        Classes::new((0..=pawns).map(class).collect())
    }

    /// Those with any men.
    fn any() -> Classes {
        let defenders = (0..3).flat_map(|advisors| (0..3).map(move |elephants| (advisors, elephants)));
        Classes::new(
            defenders
                .flat_map(|(advisors, elephants)| {
                    (0..=5).flat_map(move |pawns| Classes::exactly(advisors, elephants, pawns).list)
                })
                .collect(),
        )
    }

    /// The place of the class with these men; `None` if it is not in the list.
    fn place(&self, [advisors, elephants, home_pawns, crossed_pawns]: [u32; 4]) -> Option<usize> {
        if advisors > 2 || elephants > 2 || home_pawns > 5 || crossed_pawns > 5 {
            return None;
        }
        let [advisors, elephants, home_pawns, crossed_pawns] =
            [advisors, elephants, home_pawns, crossed_pawns].map(|count| count as u8);
        self.places[Class { advisors, elephants, home_pawns, crossed_pawns }.code()].map(usize::from)
    }
}

/// The placements with one class of each side.
struct Block {
    /// The number of its first placement.
    start: U256,
    /// In how many ways the men of each side stand at home, and then the crossed pawns of each side.
    bases: [u64; 4],
    /// In how many ways the rooks, horses and cannons stand, whatever the others do.
    majors: u128,
}

impl Ranking {
    /// The placements of a signature.
    pub fn new(signature: Signature) -> Ranking {
        let sides = Side::BOTH.map(|side| {
            let count = |kind| signature.count(side, kind);
            Classes::exactly(count(PieceKind::Advisor), count(PieceKind::Elephant), count(PieceKind::Pawn))
        });
        Ranking::of(sides, Majors::exactly(|piece| signature.count(piece.side(), piece.kind())))
    }

    /// All placements there are.
    pub fn of_everything() -> Ranking {
        Ranking::of([Classes::any(), Classes::any()], Majors::any())
    }

    fn of(sides: [Classes; 2], mut majors: Majors) -> Ranking {
        let mut size = U256::ZERO;
        let mut blocks = Vec::with_capacity(sides[0].list.len() * sides[1].list.len());
        for &red in &sides[0].list {
            for &black in &sides[1].list {
                let bases = [
                    red.halves().len() as u64,
                    black.halves().len() as u64,
                    binomial(HALF - black.at_home(), usize::from(red.crossed_pawns)),
                    binomial(HALF - red.at_home(), usize::from(black.crossed_pawns)),
                ];
                let crossed = usize::from(red.crossed_pawns) + usize::from(black.crossed_pawns);
                let block = Block {
                    start: size,
                    bases,
                    majors: majors.reckon(Square::COUNT - red.at_home() - black.at_home() - crossed),
                };
                let others: u128 = bases.into_iter().map(u128::from).product();
                size += U256::from(others) * U256::from(block.majors);
                blocks.push(block);
            }
        }
        Ranking { sides, majors, blocks, size }
    }

    /// How many placements there are.
    pub fn size(&self) -> U256 {
        self.size
    }

    /// The number of a placement; `None` when it is not one of those that are numbered.
    pub fn rank(&self, placement: &Placement) -> Option<U256> {
        let [(red, red_crossed), (black, black_crossed)] = [placement.half(Side::Red)?, placement.half(Side::Black)?];
        let place = |side: Side, half: &palace_and_home::HalfArrangement, crossed: SquareSet| {
            let counts = [half.advisors.len(), half.elephants.len(), half.pawns.len(), crossed.len()];
            self.sides[side.index()].place(counts)
        };
        let red_place = place(Side::Red, &red, red_crossed)?;
        let black_place = place(Side::Black, &black, black_crossed)?;
        let block = &self.blocks[red_place * self.sides[1].list.len() + black_place];
        let red_points = red.occupied();
        let black_points = seen_from(Side::Black, black.occupied());
        let digits = [
            self.sides[0].list[red_place].halves().find(&red)? as u64,
            self.sides[1].list[black_place].halves().find(&black)? as u64,
            rank_among(red_crossed, SquareSet::FULL - RED_HALF - black_points),
            rank_among(black_crossed, RED_HALF - red_points),
        ];
        let others = digits
            .into_iter()
            .zip(block.bases)
            .fold(0, |number, (digit, base)| number * u128::from(base) + u128::from(digit));
        let free = SquareSet::FULL - red_points - black_points - red_crossed - black_crossed;
        let majors = self.majors.rank(placement, free)?;
        Some(block.start + U256::from(others) * U256::from(block.majors) + U256::from(majors))
    }

    /// The placement of a number; `None` when the number is not below [`Ranking::size`].
    pub fn unrank(&self, number: U256) -> Option<Placement> {
        if number >= self.size {
            return None;
        }
        let place = self.blocks.partition_point(|block| block.start <= number) - 1;
        let block = &self.blocks[place];
        let (others, majors) = (number - block.start).div_rem(U256::from(block.majors));
        // Both are below products that were reckoned in 128 bits.
        let (mut others, majors): (u128, u128) = (others.to(), majors.to());
        let mut digits = block.bases;
        for digit in digits.iter_mut().rev() {
            let base = u128::from(*digit);
            *digit = (others % base) as u64;
            others /= base;
        }
        let red_class = self.sides[0].list[place / self.sides[1].list.len()];
        let black_class = self.sides[1].list[place % self.sides[1].list.len()];
        let red = red_class.halves().get(digits[0] as usize);
        let black = black_class.halves().get(digits[1] as usize);
        let red_points = red.occupied();
        let black_points = seen_from(Side::Black, black.occupied());
        let red_crossed =
            unrank_among(digits[2], usize::from(red_class.crossed_pawns), SquareSet::FULL - RED_HALF - black_points);
        let black_crossed = unrank_among(digits[3], usize::from(black_class.crossed_pawns), RED_HALF - red_points);
        let mut placement = Placement::default();
        placement.add_half(Side::Red, &red, red_crossed);
        placement.add_half(Side::Black, &black, black_crossed);
        let free = SquareSet::FULL - red_points - black_points - red_crossed - black_crossed;
        self.majors.unrank(majors, free, &mut placement);
        Some(placement)
    }
}
