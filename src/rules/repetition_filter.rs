//! A filter that tells at the cost of one byte that a position has not occurred before.

/// How many counters. Each search line enters some hundred positions at most, so that nearly all of them are 0.
const SIZE: usize = 1 << 12;

/// How often positions occurred, counted by the low bits of their keys. A count of 0 is certain; others may be due to
/// another position.
pub struct RepetitionFilter(Box<[u8; SIZE]>);

impl RepetitionFilter {
    /// No position has occurred.
    pub fn new() -> RepetitionFilter {
        RepetitionFilter(Box::new([0; SIZE]))
    }

    /// Forgets all, then enters the positions of a game. None of these may be taken out again.
    pub fn restart(&mut self, keys: impl Iterator<Item = u64>) {
        self.0.fill(0);
        for key in keys {
            // Once is enough to be looked at, and leaves room for a whole search line.
            self.0[Self::place(key)] = 1;
        }
    }

    /// A position is left by a move.
    #[inline(always)]
    pub fn enter(&mut self, key: u64) {
        let count = &mut self.0[Self::place(key)];
        *count = count.wrapping_add(1);
    }

    /// The move is taken back.
    #[inline(always)]
    pub fn leave(&mut self, key: u64) {
        let count = &mut self.0[Self::place(key)];
        *count = count.wrapping_sub(1);
    }

    /// Whether a position with this key may have occurred.
    #[inline(always)]
    pub fn may_contain(&self, key: u64) -> bool {
        self.0[Self::place(key)] != 0
    }

    #[inline(always)]
    fn place(key: u64) -> usize {
        key as usize % SIZE
    }
}

impl Default for RepetitionFilter {
    fn default() -> RepetitionFilter {
        RepetitionFilter::new()
    }
}
