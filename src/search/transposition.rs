//! Transposition table.
//!
//! Race-free by construction: an entry is three atomic words, the halves of its data and half of the key XOR these
//! (Hyatt and Mann 2002). Threads write without locks; a torn entry fails the key check and is ignored. About one probe
//! in 2³⁰ finds another position. Its value is taken; its move must be tested before it is made.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering::Relaxed};

use thiserror::Error;

use super::params::{TABLE_AGE_PLIES, TABLE_KEEP_PLIES};
use crate::types::score::{EVALUATION_LIMIT, TABLEBASE_WIN, band_minimum, is_decisive};
use crate::types::{Move, Value};
use crate::util::cancel::CancelFlag;
use crate::util::huge_pages::{CacheLine, PAGE_BYTES, ZeroedSlice, prefetch};
use crate::util::memory::available_memory;
use crate::util::parallel::{cores, map_indices};

/// Bound type of a value. An exact one is both a lower and an upper bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Bound {
    /// The value means nothing.
    #[default]
    None = 0,
    Upper = 1,
    Lower = 2,
    Exact = 3,
}

impl Bound {
    const fn from_bits(bits: u64) -> Bound {
        match bits & 3 {
            1 => Bound::Upper,
            2 => Bound::Lower,
            3 => Bound::Exact,
            _ => Bound::None,
        }
    }

    pub const fn is_lower(self) -> bool {
        self as u8 & Bound::Lower as u8 != 0
    }

    pub const fn is_upper(self) -> bool {
        self as u8 & Bound::Upper as u8 != 0
    }

    /// Returns `true` if a value of this bound type shows on which side of `other` the true value lies: at least
    /// `value` where that is not below `other`, else at most `value`.
    #[inline]
    pub const fn decides(self, value: Value, other: Value) -> bool {
        if value >= other { self.is_lower() } else { self.is_upper() }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The best or refuting move; [`Move::NONE`] when there was none.
    pub mv: Move,
    /// The value, decisive ones counted from this position (see [`value_to_table`]).
    pub value: Value,
    /// The static evaluation without correction; meaningless for positions in check.
    pub raw_eval: Value,
    pub depth: i32,
    pub bound: Bound,
    pub was_pv: bool,
}

const GENERATIONS: u8 = 32;

impl Entry {
    /// move 16 | value 16 | static evaluation 16 | depth 8 | generation 5 | pv 1 | bound 2, from the low end.
    fn pack(self, generation: u8) -> u64 {
        u64::from(self.mv.bits())
            | u64::from(self.value as i16 as u16) << 16
            | u64::from(self.raw_eval as i16 as u16) << 32
            | u64::from(self.depth.clamp(0, 255) as u8) << 48
            | u64::from(generation % GENERATIONS) << 56
            | u64::from(self.was_pv) << 61
            | (self.bound as u64) << 62
    }

    fn unpack(data: u64) -> Entry {
        Entry {
            mv: Move::from_bits(data as u16),
            value: Value::from((data >> 16) as i16),
            raw_eval: Value::from((data >> 32) as i16),
            depth: i32::from((data >> 48) as u8),
            was_pv: (data >> 61) & 1 != 0,
            bound: Bound::from_bits(data >> 62),
        }
    }
}

fn generation_of(data: u64) -> u8 {
    (data >> 56) as u8 % GENERATIONS
}

/// Low and high half of the data, and these XOR the low half of the key, whose high bits find the cluster.
type Slot = [AtomicU32; 3];

/// Five slots share one cache line.
type Cluster = CacheLine<[Slot; 5]>;

/// Returns the data of a slot, 0 if it is empty, and whether it is that of the position with this key.
#[inline(always)]
fn load(slot: &Slot, key: u64) -> (u64, bool) {
    let [low, high, check] = slot.each_ref().map(|word| word.load(Relaxed));
    let data = u64::from(high) << 32 | u64::from(low);
    (data, check ^ low ^ high == key as u32 && data != 0)
}

/// Part of the available memory that no table takes: one in this many.
const RESERVED_SHARE: u64 = 32;
/// Clusters that a thread clears at a time.
const CLUSTERS_PER_CHUNK: usize = (8 << 20) / size_of::<Cluster>();

/// A table of some size cannot be allocated.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("no memory for a table of {megabytes} MB{}", .largest.map_or_else(String::new, largest_size))]
pub struct AllocationError {
    pub megabytes: usize,
    /// The largest size that fits into the available memory, where that is less.
    pub largest: Option<usize>,
}

fn largest_size(megabytes: usize) -> String {
    format!("; the largest that fits is {megabytes} MB")
}

/// Transposition table with a fixed number of entries, shared by all threads of a search.
pub struct TranspositionTable {
    clusters: ZeroedSlice<Cluster>,
    generation: AtomicU8,
    is_backed: AtomicBool,
}

impl TranspositionTable {
    /// A table of about `megabytes` (2²⁰ bytes), at least one cluster. Refused without touching a page if the system
    /// does not grant the memory, or has less available.
    pub fn new(megabytes: usize) -> Result<TranspositionTable, AllocationError> {
        // Histories, the network and stacks need memory too.
        let free = available_memory().map(|bytes| bytes - bytes / RESERVED_SHARE);
        let fitting = free.map(|bytes| usize::try_from(bytes >> 20).unwrap_or(usize::MAX));
        let error = AllocationError { megabytes, largest: fitting.filter(|&fitting| fitting < megabytes) };
        let bytes = megabytes.checked_mul(1 << 20).ok_or(error.clone())?;
        if error.largest.is_some() {
            return Err(error);
        }
        let count = (bytes / size_of::<Cluster>()).max(1);
        let clusters = ZeroedSlice::new(count).map_err(|_| error)?;
        Ok(TranspositionTable { clusters, generation: AtomicU8::new(0), is_backed: AtomicBool::new(false) })
    }

    pub fn bytes(&self) -> usize {
        self.clusters.len() * size_of::<Cluster>()
    }

    /// Has the system provide the memory, unless it has: otherwise it does at the first write to each page, which for a
    /// large table takes seconds of the clock of the first search. Soon ends when cancelled. Entries stay as they are.
    pub fn back(&self, cancel: &CancelFlag) {
        if self.is_backed.load(Relaxed) {
            return;
        }
        self.for_chunks(|chunk| {
            let pages = chunk.iter().step_by(PAGE_BYTES / size_of::<Cluster>());
            for page in pages.take_while(|_| !cancel.is_cancelled()) {
                // Changes nothing, but is a write where nothing was written before. Compilers make a mere read of an
                // addition of 0.
                let _ = page.0[0][0].compare_exchange(0, 0, Relaxed, Relaxed);
            }
        });
        self.is_backed.store(!cancel.is_cancelled(), Relaxed);
    }

    /// Clears all entries. Pages that were never written stay without memory.
    pub fn clear(&self) {
        let clear = |cluster: &Cluster| {
            if cluster.0.iter().flatten().fold(0, |bits, word| bits | word.load(Relaxed)) != 0 {
                cluster.0.iter().flatten().for_each(|word| word.store(0, Relaxed));
            }
        };
        self.for_chunks(|chunk| chunk.iter().for_each(clear));
        self.generation.store(0, Relaxed);
    }

    /// Works on all clusters, on as many threads as there are cores.
    fn for_chunks(&self, work: impl Fn(&[Cluster]) + Sync) {
        let chunks: Vec<&[Cluster]> = self.clusters.chunks(CLUSTERS_PER_CHUNK).collect();
        map_indices(cores().get(), chunks.len(), |index, _: &mut Vec<()>| work(chunks[index]));
    }

    /// Starts a new generation, before a search: older entries are replaced more readily.
    pub fn new_search(&self) {
        self.generation.store((self.generation.load(Relaxed) + 1) % GENERATIONS, Relaxed);
    }

    #[inline(always)]
    fn cluster(&self, key: u64) -> &Cluster {
        // The high half of key × clusters is an index for a table of any size.
        let index = (u128::from(key) * self.clusters.len() as u128) >> 64;
        &self.clusters[index as usize]
    }

    /// Prefetches the entries of `key` for [`TranspositionTable::probe`].
    #[inline(always)]
    pub fn prefetch(&self, key: u64) {
        prefetch(self.cluster(key));
    }

    #[inline]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        let mut slots = self.cluster(key).0.iter().map(|slot| load(slot, key));
        slots.find(|&(_, is_hit)| is_hit).map(|(data, _)| Entry::unpack(data))
    }

    /// Stores the entry of the position with this key. A result of the same search that is deeper by more than
    /// `TABLE_KEEP_PLIES` is not replaced by a bound, and a move is not replaced by none.
    #[inline]
    pub fn store(&self, key: u64, mut entry: Entry) {
        let generation = self.generation.load(Relaxed);
        let slots = &self.cluster(key).0;
        let (mut chosen, mut min_worth) = (&slots[0], i32::MAX);
        for slot in slots {
            let (data, is_hit) = load(slot, key);
            if is_hit {
                let old = Entry::unpack(data);
                if entry.bound != Bound::Exact
                    && generation_of(data) == generation
                    && old.depth > entry.depth + TABLE_KEEP_PLIES
                {
                    return;
                }
                if entry.mv.is_none() {
                    entry.mv = old.mv;
                }
                chosen = slot;
                break;
            }
            let age = i32::from((GENERATIONS + generation - generation_of(data)) % GENERATIONS);
            let worth = if data == 0 { -1000 } else { i32::from((data >> 48) as u8) - TABLE_AGE_PLIES * age };
            if worth < min_worth {
                min_worth = worth;
                chosen = slot;
            }
        }
        let data = entry.pack(generation);
        let (low, high) = (data as u32, (data >> 32) as u32);
        chosen.iter().zip([low, high, low ^ high ^ key as u32]).for_each(|(word, new)| word.store(new, Relaxed));
    }

    /// Share of entries of this search, in thousandths.
    pub fn hashfull(&self) -> usize {
        let generation = self.generation.load(Relaxed);
        let sample = &self.clusters[..self.clusters.len().min(250)];
        let used = sample.iter().flat_map(|cluster| &cluster.0).filter(|slot| {
            let data = load(slot, 0).0;
            data != 0 && generation_of(data) == generation
        });
        used.count() * 1000 / (sample.len() * sample[0].0.len())
    }
}

/// Returns a value as the table stores it: decisive ones are counted from the position instead of from the root.
#[inline(always)]
pub fn value_to_table(value: Value, ply: usize) -> Value {
    if is_decisive(value) { value + value.signum() * ply as Value } else { value }
}

/// Returns a stored value as seen from the root of a search that reaches the position at `ply`. A decisive one stays in
/// its band (mate, rules, tablebases), however far from the root the decision is.
#[inline(always)]
pub fn value_from_table(value: Value, ply: usize) -> Value {
    if value > EVALUATION_LIMIT {
        (value - ply as Value).max(band_minimum(value))
    } else if value < -EVALUATION_LIMIT {
        (value + ply as Value).min(-band_minimum(value))
    } else {
        value
    }
}

// Values counted from a position must not leave sixteen bits.
const _: () = assert!(TABLEBASE_WIN > EVALUATION_LIMIT && 2 * crate::types::score::MATE < i16::MAX as Value);

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn what_is_stored_is_found_and_nothing_else() {
        let table = TranspositionTable::new(1).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let random_entry = |rng: &mut ChaCha8Rng| Entry {
            mv: Move::from_bits(rng.random()),
            value: rng.random_range(-10_000..=10_000),
            raw_eval: rng.random_range(-9_000..=9_000),
            depth: rng.random_range(0..=120),
            bound: Bound::from_bits(rng.random()),
            was_pv: rng.random(),
        };
        let stored: Vec<(u64, Entry)> = (0..1000).map(|_| (rng.random(), random_entry(&mut rng))).collect();
        for &(key, entry) in &stored {
            table.store(key, entry);
        }
        assert!(stored.iter().filter(|(key, entry)| table.probe(*key) == Some(*entry)).count() > 990);
        assert!((0..10_000).all(|_| table.probe(rng.random()).is_none()));
        table.clear();
        assert!(stored.iter().all(|(key, _)| table.probe(*key).is_none()));
        // A torn entry is none.
        let (key, entry) = stored[0];
        table.store(key, entry);
        assert_eq!(table.probe(key), Some(entry));
        let slot = table.cluster(key).0.iter().find(|slot| load(slot, key).1).unwrap();
        for word in slot {
            let before = word.fetch_xor(1 << 20, Relaxed);
            assert_eq!(table.probe(key), None);
            word.store(before, Relaxed);
        }
    }

    /// As the system reports it.
    #[cfg(target_os = "linux")]
    #[test]
    fn all_memory_is_there_once_the_table_is_backed() {
        use std::io::{Read, Seek, SeekFrom};

        const IS_PRESENT: u64 = 1 << 63;
        let table = TranspositionTable::new(3).unwrap();
        table.store(5, Entry { mv: Move::NONE, value: 7, raw_eval: 0, depth: 3, bound: Bound::Exact, was_pv: false });
        let cancelled = CancelFlag::default();
        cancelled.cancel();
        table.back(&cancelled);
        assert!(!table.is_backed.load(Relaxed));
        table.back(&CancelFlag::default());
        assert!(table.is_backed.load(Relaxed));
        assert_eq!(table.probe(5).map(|entry| entry.value), Some(7));
        let mut map = std::fs::File::open("/proc/self/pagemap").unwrap();
        map.seek(SeekFrom::Start(8 * (table.clusters.as_ptr().addr() / PAGE_BYTES) as u64)).unwrap();
        let mut bytes = vec![0; 8 * table.bytes().div_ceil(PAGE_BYTES)];
        map.read_exact(&mut bytes).unwrap();
        assert!(bytes.as_chunks().0.iter().all(|&page| u64::from_le_bytes(page) & IS_PRESENT != 0));
    }

    #[test]
    fn an_absurd_size_is_refused_without_harm() {
        for megabytes in [33_554_432, usize::MAX, usize::MAX >> 20] {
            let error = TranspositionTable::new(megabytes).err().unwrap();
            assert_eq!(error.megabytes, megabytes);
            assert!(error.largest.is_none_or(|largest| (1..megabytes).contains(&largest)), "{error}");
        }
    }

    #[test]
    fn decisive_values_are_counted_from_the_position() {
        use crate::types::score::{mate_in, mated_in};
        let found_at_ply_five = mate_in(8);
        let stored = value_to_table(found_at_ply_five, 5);
        assert_eq!(stored, mate_in(3));
        assert_eq!(value_from_table(stored, 2), mate_in(5));
        assert_eq!(value_from_table(value_to_table(mated_in(9), 4), 6), mated_in(11));
        assert_eq!(value_to_table(123, 50), 123);
    }
}
