//! What rook and cannon can do along a rank or a file, looked up by place on the line and occupancy word.
//!
//! An occupancy word has one bit per point of the line: bit 0 is file a of a rank, or rank 0 of a file. The bit of the
//! asking piece itself does not matter. The tables take 116 KiB together. The idea of indexing the line's occupancy
//! is that of Xu & Wang (2006), "Key technologies of computer Chinese chess"; here one entry answers for both pieces,
//! with quiet and capture targets apart.

use crate::types::Square;

/// Target masks along one line, in the bit order of its occupancy word.
///
/// For a point with men at distances on one side of it, the nearest is in `rook`, the second in `cannon` and the third
/// in `two_screens`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(8))]
pub struct LineTargets {
    /// Empty points that rook and cannon reach without capturing.
    pub quiet: u16,
    /// The nearest man on each side: what a rook captures.
    pub rook: u16,
    /// The second man on each side: what a cannon captures.
    pub cannon: u16,
    /// The third man on each side: what a cannon would capture if one of the two screens left. For terms that ask this
    /// of a whole line; of a single pair of points [`Line`] tells it.
    pub two_screens: u16,
}

const NOTHING: LineTargets = LineTargets { quiet: 0, rook: 0, cannon: 0, two_screens: 0 };

const fn walk(mut targets: LineTargets, occupied: usize, length: i32, start: i32, step: i32) -> LineTargets {
    let mut met = 0;
    let mut place = start + step;
    while place >= 0 && place < length && met < 3 {
        let bit = 1u16 << place;
        if (occupied >> place) & 1 != 0 {
            match met {
                0 => targets.rook |= bit,
                1 => targets.cannon |= bit,
                _ => targets.two_screens |= bit,
            }
            met += 1;
        } else if met == 0 {
            targets.quiet |= bit;
        }
        place += step;
    }
    targets
}

const fn build<const LENGTH: usize, const WORDS: usize>() -> [[LineTargets; WORDS]; LENGTH] {
    let mut table = [[NOTHING; WORDS]; LENGTH];
    let mut place = 0;
    while place < LENGTH {
        let mut occupied = 0;
        while occupied < WORDS {
            let upward = walk(NOTHING, occupied, LENGTH as i32, place as i32, 1);
            table[place][occupied] = walk(upward, occupied, LENGTH as i32, place as i32, -1);
            occupied += 1;
        }
        place += 1;
    }
    table
}

// A few million steps of the compiler's evaluator, well worth no start-up work; the lint only warns of endless loops.
#[allow(long_running_const_eval)]
static RANK: [[LineTargets; 512]; 9] = build::<9, 512>();
#[allow(long_running_const_eval)]
static FILE: [[LineTargets; 1024]; 10] = build::<10, 1024>();

/// Targets along a rank for a piece on `file` (0 to 8), given the rank's occupancy.
#[inline(always)]
pub fn along_rank(file: u8, occupied: u16) -> LineTargets {
    RANK[file as usize][(occupied & 511) as usize]
}

/// Targets along a file for a piece on `rank` (0 to 9), given the file's occupancy.
#[inline(always)]
pub fn along_file(rank: u8, occupied: u16) -> LineTargets {
    FILE[rank as usize][(occupied & 1023) as usize]
}

/// The bits of a square in its rank's and in its file's occupancy word; 0 off the board.
#[inline(always)]
pub fn occupancy_bits(square: Square) -> (u16, u16) {
    static BITS: [(u16, u16); 256] = {
        let mut table = [(0, 0); 256];
        let mut index = 0;
        while index < Square::COUNT {
            let square = Square::from_index(index);
            table[square.raw()] = (1 << square.file(), 1 << square.rank());
            index += 1;
        }
        table
    };
    BITS[square.raw()]
}

/// How many bits a line word has. A table, because not every processor that runs this counts bits in one instruction.
#[inline(always)]
pub fn count_bits(word: u16) -> usize {
    static COUNTS: [u8; 1024] = {
        let mut table = [0; 1024];
        let mut word = 0;
        while word < 1024 {
            table[word] = (word as u16).count_ones() as u8;
            word += 1;
        }
        table
    };
    COUNTS[(word & 1023) as usize] as usize
}

/// The bits strictly between two places of a line.
#[inline(always)]
pub fn between(one: u8, other: u8) -> u16 {
    static BETWEEN: [[u16; 16]; 16] = {
        let mut table = [[0; 16]; 16];
        let mut low = 0;
        while low < 16 {
            let mut high = low + 1;
            while high < 16 {
                let word = ((1u32 << high) - (2u32 << low)) as u16;
                table[low][high] = word;
                table[high][low] = word;
                high += 1;
            }
            low += 1;
        }
        table
    };
    BETWEEN[(one & 15) as usize][(other & 15) as usize]
}

/// How a man stands toward a point of the same rank or file: what is between them.
///
/// Everything that rooks, cannons and facing kings do to a point follows from the number of screens: a rook attacks
/// over none, a cannon over one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    target: Square,
    along_rank: bool,
    between: u16,
    men: u16,
}

impl Line {
    /// The sight of `target` from `from`, given the occupancy words of the rank and the file through `target`; `None`
    /// when they share neither line.
    #[inline(always)]
    pub fn new(target: Square, from: Square, rank_occupancy: u16, file_occupancy: u16) -> Option<Line> {
        if from.row() == target.row() {
            let between = between(target.file(), from.file());
            Some(Line { target, along_rank: true, between, men: between & rank_occupancy })
        } else if from.column() == target.column() {
            let between = between(target.rank(), from.rank());
            Some(Line { target, along_rank: false, between, men: between & file_occupancy })
        } else {
            None
        }
    }

    /// Whether the line is a rank; otherwise it is a file.
    #[inline(always)]
    pub fn is_along_rank(&self) -> bool {
        self.along_rank
    }

    /// How many men stand between.
    #[inline(always)]
    pub fn screens(&self) -> usize {
        count_bits(self.men)
    }

    /// The occupied squares between.
    #[inline(always)]
    pub fn occupied(&self) -> impl Iterator<Item = Square> + use<> {
        self.squares(self.men)
    }

    /// The empty squares between.
    #[inline(always)]
    pub fn empty(&self) -> impl Iterator<Item = Square> + use<> {
        self.squares(self.between & !self.men)
    }

    #[inline(always)]
    fn squares(&self, word: u16) -> impl Iterator<Item = Square> + use<> {
        let Line { target, along_rank, .. } = *self;
        bits(word).map(move |place| if along_rank { target.with_file(place) } else { target.with_rank(place) })
    }
}

/// The places of the bits of a line word, lowest first.
#[inline(always)]
pub fn bits(mut word: u16) -> impl Iterator<Item = u8> + use<> {
    std::iter::from_fn(move || {
        if word == 0 {
            return None;
        }
        let place = word.trailing_zeros() as u8;
        word &= word - 1;
        Some(place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the paper: a cannon on the file with index 5 of the rank 101000010 (leftmost digit first).
    #[test]
    fn the_published_example_is_reproduced() {
        let word = |digits: &str| digits.bytes().enumerate().fold(0, |w, (i, d)| w | (u16::from(d - b'0') << i));
        let targets = along_rank(5, word("101000010"));
        assert_eq!(targets.quiet, word("000110100"));
        assert_eq!(targets.cannon, word("100000000"));
        assert_eq!(targets.rook, word("001000010"));
    }

    /// Every entry against a description by distances: a point is a target by how many men stand between.
    #[test]
    fn every_entry_agrees_with_counting_the_men_between() {
        let check = |targets: LineTargets, place: u8, length: u8, occupied: u16| {
            for other in (0..length).filter(|&other| other != place) {
                let bit = 1u16 << other;
                let men_between =
                    (place.min(other) + 1..place.max(other)).filter(|&p| occupied & (1 << p) != 0).count();
                let is_man = occupied & bit != 0;
                assert_eq!(targets.quiet & bit != 0, !is_man && men_between == 0);
                assert_eq!(targets.rook & bit != 0, is_man && men_between == 0);
                assert_eq!(targets.cannon & bit != 0, is_man && men_between == 1);
                assert_eq!(targets.two_screens & bit != 0, is_man && men_between == 2);
            }
        };
        for occupied in 0..512 {
            (0..9).for_each(|place| check(along_rank(place, occupied), place, 9, occupied));
        }
        for occupied in 0..1024 {
            (0..10).for_each(|place| check(along_file(place, occupied), place, 10, occupied));
        }
    }

    #[test]
    fn bits_are_counted() {
        assert!((0..1024).all(|word: u16| count_bits(word) == word.count_ones() as usize));
    }

    #[test]
    fn a_sight_agrees_with_the_line_tables() {
        let target = Square::new(4, 3);
        for word in 0..1024u16 {
            for from in Square::all().filter(|&from| from != target) {
                let (along_rank, along_file) = (along_rank(4, word), along_file(3, word));
                let (on_rank, on_file) = occupancy_bits(from);
                let sight = Line::new(target, from, word & 511, word);
                let (targets, bit, on_line) = if from.rank() == 3 {
                    (along_rank, on_rank, word & on_rank != 0)
                } else if from.file() == 4 {
                    (along_file, on_file, word & on_file != 0)
                } else {
                    assert_eq!(sight, None);
                    continue;
                };
                let sight = sight.unwrap();
                assert_eq!(sight.occupied().count(), sight.screens());
                assert_eq!(sight.occupied().count() + sight.empty().count(), count_bits(sight.between));
                if on_line {
                    assert_eq!(targets.rook & bit != 0, sight.screens() == 0);
                    assert_eq!(targets.cannon & bit != 0, sight.screens() == 1);
                    assert_eq!(targets.two_screens & bit != 0, sight.screens() == 2);
                }
            }
        }
    }

    #[test]
    fn between_leaves_out_both_ends() {
        assert_eq!(between(2, 5), 0b11000);
        assert_eq!(between(5, 2), 0b11000);
        assert_eq!(between(4, 5), 0);
        assert_eq!(between(0, 9), 0b1_1111_1110);
    }
}
