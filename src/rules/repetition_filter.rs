//! Filter of positions that have certainly not occurred before: one byte per position.

/// Number of counters. A line of the search has some hundred positions at most, so nearly all counters are 0.
const SIZE: usize = 1 << 12;

/// Occurrences of positions, counted by the low bits of their keys. A count of 0 is certain; others may be due to
/// another position.
pub struct RepetitionFilter(Box<[u8; SIZE]>);

impl RepetitionFilter {
    /// Returns a filter without positions.
    pub fn new() -> RepetitionFilter {
        RepetitionFilter(Box::new([0; SIZE]))
    }

    /// Clears the filter and enters the positions of a game, which must not be removed again.
    pub fn reset(&mut self, keys: impl Iterator<Item = u64>) {
        self.0.fill(0);
        for key in keys {
            // One is enough, and a whole line of the search cannot overflow the counter.
            self.0[Self::index(key)] = 1;
        }
    }

    /// Adds the position before a move.
    #[inline(always)]
    pub fn enter(&mut self, key: u64) {
        let count = &mut self.0[Self::index(key)];
        *count = count.wrapping_add(1);
    }

    /// Removes it when the move is unmade.
    #[inline(always)]
    pub fn leave(&mut self, key: u64) {
        let count = &mut self.0[Self::index(key)];
        *count = count.wrapping_sub(1);
    }

    /// Tells whether a position with this key may have occurred.
    #[inline(always)]
    pub fn may_contain(&self, key: u64) -> bool {
        self.0[Self::index(key)] != 0
    }

    #[inline(always)]
    fn index(key: u64) -> usize {
        key as usize % SIZE
    }
}

impl Default for RepetitionFilter {
    fn default() -> RepetitionFilter {
        RepetitionFilter::new()
    }
}
