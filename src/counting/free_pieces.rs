//! In how many ways the rooks, horses and cannons of both sides stand on points that are free, and which number each
//! way has.

use super::combinations::{binomial, rank_among, unrank_among};
use super::placement::Placement;
use crate::types::{Piece, PieceKind, Side, Square, SquareSet};

/// The men that stand anywhere, in the order in which they are placed.
const MAJORS: [Piece; 6] = [
    Piece::new(Side::Red, PieceKind::Rook),
    Piece::new(Side::Black, PieceKind::Rook),
    Piece::new(Side::Red, PieceKind::Horse),
    Piece::new(Side::Black, PieceKind::Horse),
    Piece::new(Side::Red, PieceKind::Cannon),
    Piece::new(Side::Black, PieceKind::Cannon),
];

/// How many selections there are: none, one or two of each.
const SELECTIONS: usize = 3_usize.pow(MAJORS.len() as u32);

/// How many men of each of [`MAJORS`].
type Counts = [u8; MAJORS.len()];

/// The ways in which one of several selections of men stands on free points.
pub(super) struct Majors {
    selections: Vec<Counts>,
    /// Which of the selections each one is that there can be.
    places: Vec<Option<u16>>,
    /// For each number of free points, as far as it was asked for, how many ways there are with the selections before
    /// each one, and last with all.
    starts: Vec<Vec<u128>>,
}

impl Majors {
    /// Exactly the men that `count` says.
    pub(super) fn exactly(count: impl Fn(Piece) -> u8) -> Majors {
        Majors::of(vec![MAJORS.map(count)])
    }

    /// Any men.
    pub(super) fn any() -> Majors {
        Majors::of((0..SELECTIONS).map(selection).collect())
    }

    fn of(selections: Vec<Counts>) -> Majors {
        let mut places = vec![None; SELECTIONS];
        selections.iter().zip(0..).for_each(|(counts, place)| places[code(counts)] = Some(place));
        Majors { selections, places, starts: vec![Vec::new(); Square::COUNT + 1] }
    }

    /// In how many ways the men stand on so many points. Must be asked once before any number is.
    pub(super) fn reckon(&mut self, points: usize) -> u128 {
        let starts = &mut self.starts[points];
        if starts.is_empty() {
            let mut sum = 0;
            starts.push(0);
            for counts in &self.selections {
                sum += bases(counts, points).iter().map(|&base| u128::from(base)).product::<u128>();
                starts.push(sum);
            }
        }
        starts[self.selections.len()]
    }

    /// The number of the way in which the men of a placement stand on the free points; `None` when they are other men.
    pub(super) fn rank(&self, placement: &Placement, mut free: SquareSet) -> Option<u128> {
        let counts = MAJORS.map(|piece| placement.squares(piece).len().min(3) as u8);
        if counts.contains(&3) {
            return None;
        }
        let place = usize::from(self.places[code(&counts)]?);
        let points = free.len() as usize;
        let mut number = 0;
        for (piece, base) in MAJORS.into_iter().zip(bases(&counts, points)) {
            let men = placement.squares(piece);
            number = number * u128::from(base) + u128::from(rank_among(men, free));
            free -= men;
        }
        Some(self.starts[points][place] + number)
    }

    /// Adds the men of this number to a placement on the free points.
    pub(super) fn unrank(&self, number: u128, mut free: SquareSet, placement: &mut Placement) {
        let points = free.len() as usize;
        let starts = &self.starts[points];
        let place = starts.partition_point(|&start| start <= number) - 1;
        let counts = self.selections[place];
        let mut rest = number - starts[place];
        let mut digits = bases(&counts, points);
        for digit in digits.iter_mut().rev() {
            let base = u128::from(*digit);
            *digit = (rest % base) as u64;
            rest /= base;
        }
        for ((piece, count), digit) in MAJORS.into_iter().zip(counts).zip(digits) {
            let men = unrank_among(digit, usize::from(count), free);
            placement.add(piece, men);
            free -= men;
        }
    }
}

/// In how many ways each group of men stands when those before it have taken their points.
fn bases(counts: &Counts, mut points: usize) -> [u64; MAJORS.len()] {
    counts.map(|count| {
        let ways = binomial(points, usize::from(count));
        points -= usize::from(count);
        ways
    })
}

fn code(counts: &Counts) -> usize {
    counts.iter().fold(0, |code, &count| code * 3 + usize::from(count))
}

fn selection(mut code: usize) -> Counts {
    let mut counts = [0; MAJORS.len()];
    for count in counts.iter_mut().rev() {
        *count = (code % 3) as u8;
        code /= 3;
    }
    counts
}
