//! Mathematical functions, and a hash and seeded random numbers, the same on every machine and in every version.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// 2⁶⁴ divided by the golden ratio, made odd. Multiples of it are spread evenly over all 64-bit words, so it turns
/// counters and poor hashes into good ones (Knuth, *The Art of Computer Programming*, section 6.4).
pub const GOLDEN_RATIO: u64 = 0x9E37_79B9_7F4A_7C15;

/// Logistic function 1 / (1 + e^(−x)), which turns a score divided by its scale into a winning chance.
#[inline]
pub fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Hash of a sequence of words, stored in files, not secure against collisions. Zero words at the front count nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StableHash(u64);

impl StableHash {
    #[inline(always)]
    pub fn with(self, word: u64) -> StableHash {
        StableHash((self.0.rotate_left(23) ^ word).wrapping_mul(GOLDEN_RATIO))
    }

    /// Adds bytes. The last word is padded with zeros, so the length should be fixed or hashed too.
    pub fn with_bytes(self, bytes: &[u8]) -> StableHash {
        let word = |bytes: &[u8]| {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(word)
        };
        bytes.chunks(8).fold(self, |print, bytes| print.with(word(bytes)))
    }

    #[inline(always)]
    pub fn value(self) -> u64 {
        self.0
    }
}

/// Seeded random numbers. Resumed files depend on their exact sequence, so only the raw words of ChaCha8 are used: how
/// a library maps them to choices may change.
#[derive(Clone, Debug)]
pub struct StableRandom(ChaCha8Rng);

impl StableRandom {
    /// Creates the generator for a seed and a sequence number. Different seeds or numbers give independent sequences.
    pub fn new(seed: u64, number: u64) -> StableRandom {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&number.to_le_bytes());
        StableRandom(ChaCha8Rng::from_seed(key))
    }

    /// Returns a uniform number below `count`, which is not 0, with a bias of at most `count` / 2⁶⁴.
    pub fn below(&mut self, count: usize) -> usize {
        assert!(count > 0, "there is something to choose from");
        // The high half of word × count; no value is favoured by more than one word of all.
        ((u128::from(self.0.next_u64()) * count as u128) >> 64) as usize
    }

    pub fn shuffle<T>(&mut self, elements: &mut [T]) {
        for last in (1..elements.len()).rev() {
            let other = self.below(last + 1);
            elements.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed with the unbounded integers of Python: `key = (((key << 23 | key >> 41) & (1 << 64) - 1) ^ word) *
    /// 0x9E3779B97F4A7C15 & (1 << 64) - 1`.
    #[test]
    fn it_is_the_same_in_every_version() {
        let of = |words: &[u64]| words.iter().fold(StableHash::default(), |print, &word| print.with(word)).value();
        assert_eq!(of(&[1]), 0x9E37_79B9_7F4A_7C15);
        assert_eq!(of(&[1, 2, 3]), 0xF7C2_17A8_2EE8_C35D);
        assert_eq!(of(&[u64::MAX, 0, 1 << 63]), 0x9B88_4651_A387_2749);
        // Bytes are words with the low byte first.
        let bytes: Vec<u8> = (1..=19).collect();
        let words = [0x0807_0605_0403_0201, 0x100F_0E0D_0C0B_0A09, 0x0013_1211];
        assert_eq!(StableHash::default().with_bytes(&bytes).value(), of(&words));
    }

    /// Changing the sequence would break the files of all users: games could not be resumed.
    #[test]
    fn the_sequence_is_fixed() {
        let mut random = StableRandom::new(1, 2);
        let rolls: Vec<usize> = (0..10).map(|_| random.below(100)).collect();
        // From another implementation of ChaCha8, written in Python.
        assert_eq!(rolls, [32, 27, 47, 23, 1, 3, 21, 0, 14, 17]);
    }

    #[test]
    fn a_shuffle_moves_every_element_anywhere_with_equal_chance() {
        let mut counts = [[0_usize; 5]; 5];
        for number in 0..10_000 {
            let mut cards = [0, 1, 2, 3, 4];
            StableRandom::new(4, number).shuffle(&mut cards);
            cards.iter().enumerate().for_each(|(place, &card)| counts[place][card] += 1);
        }
        // Four standard deviations of a count are 160.
        assert!(counts.as_flattened().iter().all(|count| count.abs_diff(2_000) < 180), "{counts:?}");
    }
}
