//! Drawing placements at random, each as likely as any other.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Placement, Ranking, U256};
use crate::types::Side;

/// A sequence of random placements, the same for the same seed on every machine.
///
/// The side to move is no part of a placement. Where one is wanted, [`Sampler::side`] tosses a coin: a placement and
/// a side together are then as likely as any other such pair.
///
/// ```
/// use chuhe::counting::{Ranking, Sampler};
/// let everything = Ranking::of_everything();
/// let (mut one, mut other) = (Sampler::new(7), Sampler::new(7));
/// let placement = one.placement(&everything);
/// assert_eq!(placement, other.placement(&everything));
/// assert!(everything.rank(&placement).is_some());
/// ```
#[derive(Clone, Debug)]
pub struct Sampler(ChaCha8Rng);

impl Sampler {
    /// The sequence of this seed.
    pub fn new(seed: u64) -> Sampler {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Sampler(ChaCha8Rng::from_seed(key))
    }

    /// A number from 0 to `count` − 1, all of them exactly equally likely.
    ///
    /// # Panics
    /// When `count` is 0.
    pub fn below(&mut self, count: U256) -> U256 {
        assert!(count > U256::ZERO, "there is something to choose from");
        let bits = (count - U256::from(1)).bit_len();
        let limbs = bits.div_ceil(64);
        // As many bits as are needed, until they make a number that is small enough: at worst every second one is.
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

    /// A placement of those that are numbered.
    ///
    /// # Panics
    /// When there is none, which cannot be.
    pub fn placement(&mut self, ranking: &Ranking) -> Placement {
        let number = self.below(ranking.size());
        match ranking.unrank(number) {
            Some(placement) => placement,
            None => unreachable!("the number is below the size"),
        }
    }

    /// Either side, as a coin falls.
    pub fn side(&mut self) -> Side {
        if self.0.next_u64() >> 63 == 0 { Side::Red } else { Side::Black }
    }
}
