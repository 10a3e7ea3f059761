//! Mathematical functions and constants, and a hash that is stable across machines and versions.

/// 2⁶⁴ divided by the golden ratio, made odd. Multiples of it are spread evenly over all 64-bit words, so it turns
/// counters and poor hashes into good ones (Knuth, *The Art of Computer Programming*, section 6.4).
pub const GOLDEN_RATIO: u64 = 0x9E37_79B9_7F4A_7C15;

/// Logistic function 1 / (1 + e^(−x)), which turns a score divided by its scale into a winning chance.
#[inline]
pub fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Stable 64-bit hash of a sequence of words, not secure against deliberate collisions; zero words at the front do not
/// change it. Hashes are stored in files, so they are the same on every machine and in every version.
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
}
