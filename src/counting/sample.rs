//! Uniform random sampling of placements, and the estimate of a share from a sample.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Placement, Ranking, U256};
use crate::types::Side;

/// Sequence of random placements, reproducible from the seed on every machine.
#[derive(Clone, Debug)]
pub struct Sampler(ChaCha8Rng);

impl Sampler {
    pub fn new(seed: u64) -> Sampler {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Sampler(ChaCha8Rng::from_seed(key))
    }

    /// Returns a uniform random number from 0 to `count` − 1; `count` is not 0.
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

    pub fn placement(&mut self, ranking: &Ranking) -> Placement {
        let number = self.below(ranking.size());
        match ranking.unrank(number) {
            Some(placement) => placement,
            None => unreachable!("the number is below the size"),
        }
    }

    pub fn side(&mut self) -> Side {
        if self.0.next_u64() >> 63 == 0 { Side::Red } else { Side::Black }
    }
}

/// The two-sided 95 % point of the normal distribution.
const WITHIN_95_PERCENT: f64 = 1.959_963_984_540_054;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Estimate {
    pub drawn: u64,
    pub found: u64,
}

impl Estimate {
    pub fn add(&mut self, is_hit: bool) {
        self.drawn += 1;
        self.found += u64::from(is_hit);
    }

    pub fn share(&self) -> f64 {
        self.found as f64 / self.drawn.max(1) as f64
    }

    /// Returns the 95 % Wilson score interval (Wilson 1927), which is also valid for shares near 0 and 1.
    pub fn interval(&self) -> [f64; 2] {
        if self.drawn == 0 {
            return [0.0, 1.0];
        }
        let (n, share, z) = (self.drawn as f64, self.share(), WITHIN_95_PERCENT);
        let middle = share + z * z / (2.0 * n);
        let reach = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + z * z / n;
        // Rounding must not exclude 0 or 1.
        let low = if self.found == 0 { 0.0 } else { (middle - reach) / scale };
        let high = if self.found == self.drawn { 1.0 } else { (middle + reach) / scale };
        [low, high]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_stay_between_zero_and_one() {
        for (drawn, found, low, high) in
            [(0, 0, 0.0, 1.0), (10, 0, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (100, 25, 0.1755, 0.3430)]
        {
            let [least, most] = Estimate { drawn, found }.interval();
            assert!((least - low).abs() < 1e-4 && (most - high).abs() < 1e-4, "{least} {most}");
            assert!(least >= 0.0 && most <= 1.0, "{least} {most}");
        }
    }
}
