//! Line tables: targets of rook and cannon along a rank or a file, by square on the line and occupancy.
//!
//! An occupancy has one bit per square of the line, from file a or rank 0 on; that of the moving piece does not matter.
//! The tables take 116 KiB. Indexing by occupancy is the idea of Xu & Wang (2006), "Key technologies of computer
//! Chinese chess"; here one record serves both pieces, with separate quiet and capture targets.

use crate::types::Square;

/// Target masks along one line, in the bit order of its occupancy. A record takes eight bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(8))]
pub struct LineTargets {
    /// Empty squares that rook and cannon reach without capturing.
    pub quiet: u16,
    /// The nearest piece in each direction: captured by a rook.
    pub rook: u16,
    /// The second piece in each direction: captured by a cannon.
    pub cannon: u16,
}

const NOTHING: LineTargets = LineTargets { quiet: 0, rook: 0, cannon: 0 };

const fn walk(mut targets: LineTargets, occupied: usize, length: i32, start: i32, step: i32) -> LineTargets {
    let mut found = 0;
    let mut index = start + step;
    while index >= 0 && index < length && found < 2 {
        let bit = 1u16 << index;
        if (occupied >> index) & 1 != 0 {
            if found == 0 {
                targets.rook |= bit;
            } else {
                targets.cannon |= bit;
            }
            found += 1;
        } else if found == 0 {
            targets.quiet |= bit;
        }
        index += step;
    }
    targets
}

const fn build<const LENGTH: usize, const WORDS: usize>() -> [[LineTargets; WORDS]; LENGTH] {
    let mut table = [[NOTHING; WORDS]; LENGTH];
    let mut index = 0;
    while index < LENGTH {
        let mut occupied = 0;
        while occupied < WORDS {
            let upward = walk(NOTHING, occupied, LENGTH as i32, index as i32, 1);
            table[index][occupied] = walk(upward, occupied, LENGTH as i32, index as i32, -1);
            occupied += 1;
        }
        index += 1;
    }
    table
}

// A few million steps at compile time instead of work at start-up; the lint only warns of endless loops.
#[allow(long_running_const_eval)]
static RANK: [[LineTargets; 512]; 9] = build::<9, 512>();
#[allow(long_running_const_eval)]
static FILE: [[LineTargets; 1024]; 10] = build::<10, 1024>();

#[inline(always)]
pub fn along_rank(file: u8, occupied: u16) -> LineTargets {
    RANK[file as usize][(occupied & 511) as usize]
}

#[inline(always)]
pub fn along_file(rank: u8, occupied: u16) -> LineTargets {
    FILE[rank as usize][(occupied & 1023) as usize]
}

/// Returns the bits of a square in its rank's and in its file's occupancy; 0 off the board.
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

/// Returns the number of bits of an occupancy, by a table: the base x86-64 instruction set cannot count bits.
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

/// Line between two squares of one rank or file, and the pieces on it: a rook attacks over none, a cannon over one, and
/// kings face each other over none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    target: Square,
    along_rank: bool,
    between: u16,
    screens: u16,
}

impl Line {
    /// Returns the line between two squares by the occupancies of rank and file of `target`; `None` without one.
    #[inline(always)]
    pub fn new(target: Square, from: Square, rank_occupancy: u16, file_occupancy: u16) -> Option<Line> {
        if from.row() == target.row() {
            let between = between(target.file(), from.file());
            Some(Line { target, along_rank: true, between, screens: between & rank_occupancy })
        } else if from.column() == target.column() {
            let between = between(target.rank(), from.rank());
            Some(Line { target, along_rank: false, between, screens: between & file_occupancy })
        } else {
            None
        }
    }

    #[inline(always)]
    pub fn is_along_rank(&self) -> bool {
        self.along_rank
    }

    #[inline(always)]
    pub fn screens(&self) -> usize {
        count_bits(self.screens)
    }

    #[inline(always)]
    pub fn occupied(&self) -> impl Iterator<Item = Square> + use<> {
        self.squares(self.screens)
    }

    #[inline(always)]
    pub fn empty(&self) -> impl Iterator<Item = Square> + use<> {
        self.squares(self.between & !self.screens)
    }

    #[inline(always)]
    fn squares(&self, word: u16) -> impl Iterator<Item = Square> + use<> {
        let Line { target, along_rank, .. } = *self;
        bits(word).map(move |index| if along_rank { target.with_file(index) } else { target.with_rank(index) })
    }
}

#[inline(always)]
pub fn bits(mut word: u16) -> impl Iterator<Item = u8> + use<> {
    std::iter::from_fn(move || {
        if word == 0 {
            return None;
        }
        let index = word.trailing_zeros() as u8;
        word &= word - 1;
        Some(index)
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

    /// The papers keep quiet moves and captures of one piece apart, 2·9·512 + 2·10·1024 = 29,696 entries of four bytes.
    /// One record here holds both and serves rook and cannon, in the same number of bytes.
    #[test]
    fn the_tables_have_half_the_published_entries_in_the_same_space() {
        let records = RANK.as_flattened().len() + FILE.as_flattened().len();
        assert_eq!((records, 2 * records), (14_848, 29_696));
        assert_eq!(size_of_val(&RANK) + size_of_val(&FILE), 116 * 1024);
        assert_eq!(29_696 * 4, 116 * 1024);
    }

    /// Every entry against the definition: a square is a target depending on the number of pieces between.
    #[test]
    fn every_entry_agrees_with_counting_the_pieces_between() {
        let check = |targets: LineTargets, index: u8, length: u8, occupied: u16| {
            for other in (0..length).filter(|&other| other != index) {
                let bit = 1u16 << other;
                let between = (index.min(other) + 1..index.max(other)).filter(|&p| occupied & (1 << p) != 0).count();
                let is_occupied = occupied & bit != 0;
                assert_eq!(targets.quiet & bit != 0, !is_occupied && between == 0);
                assert_eq!(targets.rook & bit != 0, is_occupied && between == 0);
                assert_eq!(targets.cannon & bit != 0, is_occupied && between == 1);
            }
        };
        for occupied in 0..512 {
            (0..9).for_each(|index| check(along_rank(index, occupied), index, 9, occupied));
        }
        for occupied in 0..1024 {
            (0..10).for_each(|index| check(along_file(index, occupied), index, 10, occupied));
        }
    }
}
