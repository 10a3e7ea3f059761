//! Seeded random numbers that are the same on every machine and in every version.
//!
//! Resumed files depend on the exact sequence, so it must not depend on how a library maps random words to choices.
//! Only the raw words of ChaCha8 are used, and the mapping is defined here.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

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

    /// Returns a uniform number below `count`, with a bias of at most `count` / 2⁶⁴.
    ///
    /// # Panics
    /// When `count` is 0.
    pub fn below(&mut self, count: usize) -> usize {
        assert!(count > 0, "there is something to choose from");
        // The high half of word × count; no value is favoured by more than one word of all.
        ((u128::from(self.0.next_u64()) * count as u128) >> 64) as usize
    }

    /// Shuffles a slice (Fisher and Yates).
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
