//! Uniform random sampling of placements.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Placement, Ranking, U256};
use crate::types::Side;

/// Sequence of random placements, reproducible from the seed on every machine.
///
/// A placement has no side to move. [`Sampler::side`] draws one, so that all pairs of placement and side are equally
/// likely.
///
/// ```
/// use chuhe::counting::{Ranking, Sampler};
/// let everything = Ranking::all_positions();
/// let (mut one, mut other) = (Sampler::new(7), Sampler::new(7));
/// let placement = one.placement(&everything);
/// assert_eq!(placement, other.placement(&everything));
/// assert!(everything.rank(&placement).is_some());
/// ```
#[derive(Clone, Debug)]
pub struct Sampler(ChaCha8Rng);

impl Sampler {
    /// Creates the sequence of a seed.
    pub fn new(seed: u64) -> Sampler {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Sampler(ChaCha8Rng::from_seed(key))
    }

    /// Returns a uniform random number from 0 to `count` − 1.
    ///
    /// # Panics
    /// If `count` is 0.
    pub fn below(&mut self, count: U256) -> U256 {
        assert!(count > U256::ZERO, "the range must not be empty");
        let bits = (count - U256::from(1)).bit_len();
        let limbs = bits.div_ceil(64);
        // Rejection sampling with the minimum number of bits accepts at least every second draw on average.
        loop {
            let mut words = [0; 4];
            words[..limbs].iter_mut().for_each(|word| *word = self.0.next_u64());
            if let Some(top) = words[..limbs].last_mut() {
                *top >>= limbs * 64 - bits;
            }
            let number = U256::from_limbs(words);
            if number < count {
                return number;
            }
        }
    }

    /// Returns a uniform random placement of a ranking.
    ///
    /// # Panics
    /// If the ranking is empty, which no ranking is.
    pub fn placement(&mut self, ranking: &Ranking) -> Placement {
        let number = self.below(ranking.size());
        match ranking.unrank(number) {
            Some(placement) => placement,
            None => unreachable!("the number is below the size"),
        }
    }

    /// Returns a random side.
    pub fn side(&mut self) -> Side {
        if self.0.next_u64() >> 63 == 0 { Side::Red } else { Side::Black }
    }
}
