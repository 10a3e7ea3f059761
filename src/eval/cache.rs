//! What stands between the evaluation and the search: a cache, and a random change for variety.

use crate::types::Value;
use crate::types::score::clamp_evaluation;
use crate::util::huge_pages::prefetch;
use crate::util::math::GOLDEN_RATIO;

/// One entry for each value of the low 13 bits of a key.
const CACHE_ENTRIES: usize = 1 << 13;
/// The bits of an entry that hold the value. The others hold those of the key; with the index 61 bits are compared.
const VALUE_BITS: u64 = 0xFFFF;

/// Evaluation cache of one thread, 64 KiB, always replaced: most positions are evaluated, cut off at once and soon
/// reached again by another order of moves. A larger one competes with histories for the second-level cache.
pub struct EvalCache(Box<[u64]>);

impl EvalCache {
    pub fn new() -> EvalCache {
        EvalCache(vec![0; CACHE_ENTRIES].into_boxed_slice())
    }

    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Prefetches the entry of `key` for [`EvalCache::get_or_insert`].
    #[inline(always)]
    pub fn prefetch(&self, key: u64) {
        prefetch(&self.0[key as usize % CACHE_ENTRIES]);
    }

    /// Returns the value of the position with this key, evaluated now unless it is cached.
    #[inline(always)]
    pub fn get_or_insert(&mut self, key: u64, evaluate: impl FnOnce() -> Value) -> Value {
        let entry = &mut self.0[key as usize % CACHE_ENTRIES];
        if (*entry ^ key) & !VALUE_BITS == 0 {
            return Value::from(*entry as i16);
        }
        let value = evaluate();
        *entry = key & !VALUE_BITS | u64::from(value as i16 as u16);
        value
    }
}

/// Bounded random change of every evaluation, for variety.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EvalNoise {
    /// The greatest change in centipawns; 0 for none.
    pub amplitude: Value,
    /// Seed: with the same seed a position always gets the same change.
    pub seed: u64,
}

impl EvalNoise {
    /// Returns an evaluation of the position with this key after the change.
    #[inline(always)]
    pub fn applied_to(self, value: Value, key: u64) -> Value {
        if self.amplitude == 0 {
            return value;
        }
        // A hash of the key, so that a position has the same change throughout the search.
        let mixed = (key ^ self.seed).wrapping_mul(GOLDEN_RATIO) >> 40;
        clamp_evaluation(value + (mixed as Value % (2 * self.amplitude + 1)) - self.amplitude)
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::types::score::EVALUATION_LIMIT;

    #[test]
    fn the_cache_never_returns_the_value_of_another_position() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut cache = EvalCache::new();
        let value_of = |key: u64| (key >> 20) as Value % (EVALUATION_LIMIT + 1) * if key & 1 == 0 { 1 } else { -1 };
        // Few indices, so that keys collide.
        let keys: Vec<u64> = (0..64).map(|_| rng.random::<u64>() & !0x1FF0).collect();
        let mut evaluated = 0;
        for _ in 0..10_000 {
            let key = keys[rng.random_range(0..keys.len())];
            let mut get = || {
                cache.get_or_insert(key, || {
                    evaluated += 1;
                    value_of(key)
                })
            };
            assert_eq!((get(), get()), (value_of(key), value_of(key)));
        }
        assert!((64..10_000).contains(&evaluated), "{evaluated} of 20,000");
        cache.clear();
        assert_eq!(cache.get_or_insert(keys[0], || 77), 77);
    }
}
