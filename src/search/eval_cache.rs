//! What positions were found to be worth, for those that come again.
//!
//! The transposition table keeps the evaluation of positions that were searched; most positions are only looked at,
//! found good enough and left, and many of them are met again by another order of moves.

use crate::types::Value;
use crate::util::huge_pages::prefetch;

/// One for each value of the sixteen low bits of a key.
const ENTRIES: usize = 1 << 16;
/// The bits of an entry that hold the value; in the others the key stands, so that with the entry's place all of it is
/// compared.
const VALUE_BITS: u64 = 0xFFFF;

/// The latest evaluations of one search thread by key: 512 KiB.
pub(super) struct EvalCache(Box<[u64]>);

impl EvalCache {
    /// None known.
    pub(super) fn new() -> EvalCache {
        EvalCache(vec![0; ENTRIES].into_boxed_slice())
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Asks for the memory of `key` ahead of [`EvalCache::get_or`].
    #[inline(always)]
    pub(super) fn prefetch(&self, key: u64) {
        prefetch(&self.0[(key & VALUE_BITS) as usize]);
    }

    /// The value of the position with this key, worked out where it is not known.
    #[inline(always)]
    pub(super) fn get_or(&mut self, key: u64, evaluate: impl FnOnce() -> Value) -> Value {
        let entry = &mut self.0[(key & VALUE_BITS) as usize];
        if (*entry ^ key) & !VALUE_BITS == 0 {
            return Value::from(*entry as i16);
        }
        let value = evaluate();
        *entry = key & !VALUE_BITS | u64::from(value as i16 as u16);
        value
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::types::score::EVALUATION_LIMIT;

    #[test]
    fn a_value_is_worked_out_once_and_never_taken_for_that_of_another_position() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut evaluations = EvalCache::new();
        let value_of = |key: u64| (key >> 20) as Value % (EVALUATION_LIMIT + 1) * if key & 1 == 0 { 1 } else { -1 };
        // Few places, so that keys meet in them.
        let keys: Vec<u64> = (0..64).map(|_| rng.random::<u64>() & !0xFFF0).collect();
        let mut worked_out = 0;
        for _ in 0..10_000 {
            let key = keys[rng.random_range(0..keys.len())];
            let mut get = || {
                evaluations.get_or(key, || {
                    worked_out += 1;
                    value_of(key)
                })
            };
            assert_eq!((get(), get()), (value_of(key), value_of(key)));
        }
        assert!((64..10_000).contains(&worked_out), "{worked_out} of 20,000");
        evaluations.clear();
        assert_eq!(evaluations.get_or(keys[0], || 77), 77);
    }
}
