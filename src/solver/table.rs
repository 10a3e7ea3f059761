//! Proof table: proof and disproof numbers, and the distances within which positions are won or not.

use thiserror::Error;

/// Number of a question that is decided the other way.
pub(super) const INFINITE: u32 = 1 << 30;

pub(super) const GREATEST: u32 = INFINITE - 1;

const NEVER: u8 = u8::MAX;

/// Distance within which no mate is possible, when that is any distance.
pub(super) const FOREVER: u8 = u8::MAX - 1;

/// Effort to decide a position, or its decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bounds {
    /// Proof number: estimate of the leaves to prove for a mate, 0 when it is proved.
    pub proof: u32,
    /// Disproof number: estimate of the leaves to refute until there is no mate, 0 when it is refuted.
    pub disproof: u32,
    /// Plies within which the attacker mates, or cannot mate; 0 when undecided.
    pub plies: u8,
}

impl Bounds {
    /// The attacker mates within this many plies.
    pub const fn won(plies: u8) -> Bounds {
        Bounds { proof: 0, disproof: INFINITE, plies }
    }

    /// The attacker cannot mate within this many plies.
    pub const fn safe(plies: u8) -> Bounds {
        Bounds { proof: INFINITE, disproof: 0, plies }
    }

    /// Undecided, with finite numbers.
    pub fn open(proof: u32, disproof: u32) -> Bounds {
        Bounds { proof: proof.clamp(1, GREATEST), disproof: disproof.clamp(1, GREATEST), plies: 0 }
    }

    pub const fn is_won(self) -> bool {
        self.proof == 0
    }

    pub const fn is_safe(self) -> bool {
        self.disproof == 0
    }

    pub const fn is_decided(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}

/// Entries of a bucket. The one with the least work behind it is replaced.
const BUCKET: usize = 3;

#[derive(Clone, Copy, Default)]
struct Entry {
    key: [u32; 2],
    proof: u32,
    disproof: u32,
    /// The attacker mates within this many plies; [`NEVER`] if that is not proved.
    won_in: u8,
    /// One more than the plies within which no mate is possible; 0 if nothing is known.
    safe_for: u8,
    /// Logarithm of the nodes searched below it, the reason to keep it.
    work: u8,
    generation: u8,
}

impl Entry {
    fn is_for(&self, key: u64, generation: u8) -> bool {
        self.key == halves(key) && self.generation == generation
    }
}

/// Entries that share an address, in one cache line.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Bucket([Entry; BUCKET]);

/// There is no memory for the table of a solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("no memory for a table of {} MB", bytes >> 20)]
pub struct SolverMemoryError {
    bytes: usize,
}

/// Table of a fixed number of entries. An entry needs no path: a shortest mate never repeats a position, and what the
/// game before the search excludes is excluded everywhere in it.
pub(super) struct ProofTable {
    buckets: Vec<Bucket>,
    /// Entries of other generations count as empty.
    generation: u8,
}

impl ProofTable {
    /// Allocates a table of at most this many bytes, but at least one bucket.
    pub fn new(bytes: usize) -> Result<ProofTable, SolverMemoryError> {
        let count = (bytes / size_of::<Bucket>()).max(1);
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(count).map_err(|_| SolverMemoryError { bytes })?;
        buckets.resize(count, Bucket::default());
        Ok(ProofTable { buckets, generation: 1 })
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.buckets.fill(Bucket::default());
            self.generation = 1;
        }
    }

    fn index(&self, key: u64) -> usize {
        ((u128::from(key) * self.buckets.len() as u128) >> 64) as usize
    }

    /// Returns the entry of a position for `left` plies to go: its decision if the stored distances decide it.
    #[inline]
    pub fn probe(&self, key: u64, left: u8) -> Option<Bounds> {
        let entry = self.buckets[self.index(key)].0.iter().find(|entry| entry.is_for(key, self.generation))?;
        Some(if entry.won_in <= left {
            Bounds::won(entry.won_in)
        } else if entry.safe_for > left {
            Bounds::safe(entry.safe_for - 1)
        } else {
            Bounds::open(entry.proof, entry.disproof)
        })
    }

    /// Stores the result of a search of `work` nodes.
    pub fn store(&mut self, key: u64, bounds: Bounds, work: u64) {
        let (index, generation) = (self.index(key), self.generation);
        let bucket = &mut self.buckets[index].0;
        let slot = bucket.iter().position(|entry| entry.is_for(key, generation)).unwrap_or_else(|| {
            let value = |entry: &Entry| if entry.generation == generation { 1 + u32::from(entry.work) } else { 0 };
            let slot = (0..BUCKET).min_by_key(|&slot| value(&bucket[slot])).unwrap_or(0);
            bucket[slot] =
                Entry { key: halves(key), proof: 1, disproof: 1, won_in: NEVER, safe_for: 0, work: 0, generation };
            slot
        });
        let entry = &mut bucket[slot];
        entry.work = entry.work.max(work.checked_ilog2().unwrap_or(0) as u8);
        if bounds.is_won() {
            entry.won_in = entry.won_in.min(bounds.plies);
        } else if bounds.is_safe() {
            entry.safe_for = entry.safe_for.max(bounds.plies.saturating_add(1));
        } else {
            (entry.proof, entry.disproof) = (bounds.proof, bounds.disproof);
        }
    }
}

/// Splits a key, so that an entry needs an alignment of 4 bytes only.
fn halves(key: u64) -> [u32; 2] {
    [(key >> 32) as u32, key as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_decide_and_numbers_estimate() {
        let mut table = ProofTable::new(1 << 10).unwrap();
        assert_eq!(table.probe(7, 9), None);
        table.store(7, Bounds::open(5, 6), 1);
        table.store(7, Bounds::won(8), 1);
        table.store(7, Bounds::safe(3), 1);
        table.store(7, Bounds::won(10), 1);
        table.store(7, Bounds::safe(1), 1);
        assert_eq!(table.probe(7, 8), Some(Bounds::won(8)));
        assert_eq!(table.probe(7, 5), Some(Bounds::open(5, 6)));
        assert_eq!(table.probe(7, 3), Some(Bounds::safe(3)));
        table.clear();
        assert_eq!(table.probe(7, 8), None);
    }

    #[test]
    fn the_entry_with_the_least_work_is_replaced() {
        let mut table = ProofTable::new(0).unwrap();
        for (key, work) in [(1, 100), (2, 4), (3, 50), (4, 70)] {
            table.store(key, Bounds::won(1), work);
        }
        let kept: Vec<u64> = (1..=4).filter(|&key| table.probe(key, 1).is_some()).collect();
        assert_eq!(kept, [1, 3, 4]);
        for _ in 0..300 {
            table.clear();
            assert!((1..=4).all(|key| table.probe(key, 1).is_none()));
        }
    }
}
