//! A book record (one move of one position) in 24 bytes, and binary search among sorted records.

use super::{Preference, Statistics};
use crate::types::{Move, Square};

/// Size of a record in bytes.
pub const RECORD_SIZE: usize = 24;
/// Maximum of the counts of wins, draws and losses; larger counts saturate.
pub const MAX_GAMES: u32 = (1 << 24) - 1;
/// Maximum absolute value of a learned delta.
pub const MAX_DELTA: i16 = i16::MAX;

/// Flag bit: a search has verified the move.
pub(super) const VERIFIED: u8 = 1;
/// Number of the first bit of the preference beside [`VERIFIED`].
pub(super) const PREFERENCE_SHIFT: u32 = 1;

/// One move of one position with its statistics.
///
/// A record takes 24 bytes in a file; integers are little-endian:
///
/// | bytes | |
/// |---|---|
/// | 0–7 | key of the position, see [`super::key`] |
/// | 8 | from square, 0 (a0) to 89 (i9), rank by rank |
/// | 9 | to square |
/// | 10–11 | base weight |
/// | 12–13 | learned delta, signed |
/// | 14 | bit 0: verified by a search; bits 1–7: preference, see below |
/// | 15–17, 18–20, 21–23 | wins, draws and losses of the side to move |
///
/// Preferences are 0 for none, 1 for never, 1 + *n* for a factor of 5 *n* percent (*n* from 1 to 120 without 20), and
/// 127 for always. In format 1 all are 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// Key of the position; see [`super::key`].
    pub key: u64,
    /// Move on the board that has this key.
    pub mv: Move,
    /// Results of the games that played the move, for the side that plays it.
    pub statistics: Statistics,
    /// Weight of the move relative to the other moves of its position; see [`super::weigh`].
    pub base_weight: u16,
    /// Learned change that is added to the base weight.
    pub learned_delta: i16,
    /// A search confirmed the move.
    pub is_verified: bool,
    /// Preference of the author or user.
    pub preference: Preference,
}

impl Record {
    /// Creates a record without weight, learning, verification and preference.
    pub fn new(key: u64, mv: Move, statistics: Statistics) -> Record {
        let preference = Preference::NONE;
        Record { key, mv, statistics, base_weight: 0, learned_delta: 0, is_verified: false, preference }
    }

    /// Returns whether the book has the move for its preference only.
    pub fn is_preference_only(&self) -> bool {
        self.preference != Preference::NONE
            && *self == Record { preference: self.preference, ..Record::new(self.key, self.mv, Statistics::default()) }
    }

    /// Sort key of the records of a book; unique within a book.
    pub fn order(&self) -> (u64, usize, usize) {
        (self.key, self.mv.from().index(), self.mv.to().index())
    }

    /// Encodes the record.
    pub fn to_bytes(&self) -> [u8; RECORD_SIZE] {
        let mut bytes = [0; RECORD_SIZE];
        bytes[..8].copy_from_slice(&self.key.to_le_bytes());
        bytes[8] = self.mv.from().index() as u8;
        bytes[9] = self.mv.to().index() as u8;
        bytes[10..12].copy_from_slice(&self.base_weight.to_le_bytes());
        bytes[12..14].copy_from_slice(&self.learned_delta.to_le_bytes());
        bytes[14] = self.preference.code() << PREFERENCE_SHIFT | if self.is_verified { VERIFIED } else { 0 };
        let Statistics { wins, draws, losses } = self.statistics;
        for (offset, count) in [(15, wins), (18, draws), (21, losses)] {
            bytes[offset..offset + 3].copy_from_slice(&count.min(MAX_GAMES).to_le_bytes()[..3]);
        }
        bytes
    }

    /// Decodes a record; `None` if the bytes are invalid.
    pub fn from_bytes(bytes: &[u8; RECORD_SIZE]) -> Option<Record> {
        let square = |byte: u8| (usize::from(byte) < Square::COUNT).then(|| Square::from_index(usize::from(byte)));
        let (from, to) = (square(bytes[8])?, square(bytes[9])?);
        let preference = Preference::from_code(bytes[14] >> PREFERENCE_SHIFT)?;
        if from == to {
            return None;
        }
        let count = |offset: usize| u32::from_le_bytes([bytes[offset], bytes[offset + 1], bytes[offset + 2], 0]);
        Some(Record {
            key: key_of(bytes),
            mv: Move::new(from, to),
            statistics: Statistics { wins: count(15), draws: count(18), losses: count(21) },
            base_weight: u16::from_le_bytes([bytes[10], bytes[11]]),
            learned_delta: i16::from_le_bytes([bytes[12], bytes[13]]),
            is_verified: bytes[14] & VERIFIED != 0,
            preference,
        })
    }
}

/// Decodes the key of a record only.
#[inline(always)]
pub(super) fn key_of(bytes: &[u8; RECORD_SIZE]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = *bytes;
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

/// Range length below which plain binary search is used.
const INTERPOLATION_LIMIT: usize = 64;

/// Returns the records of a key, which are adjacent. Terminates for any order of the records and is exact for sorted
/// ones.
///
/// Interpolation search: keys are practically random, so the index of one can be estimated from its value with an error
/// of about half the square root of the number of records. Two probes, at the estimate and that far beside it, usually
/// reduce a range to its square root: a million records to a thousand and then to about thirty, where binary search
/// needs twenty steps.
pub(super) fn find(records: &[[u8; RECORD_SIZE]], key: u64) -> &[[u8; RECORD_SIZE]] {
    let first = lower_bound(records, key);
    let length = records[first..].iter().take_while(|record| key_of(record) == key).count();
    &records[first..first + length]
}

/// Returns the index of the first record with a key of at least `key`.
fn lower_bound(records: &[[u8; RECORD_SIZE]], key: u64) -> usize {
    let mut range = Range { low: 0, high: records.len(), low_share: 0.0, high_share: 1.0 };
    while range.length() > INTERPOLATION_LIMIT {
        let length = range.length();
        let guess = range.guess(key);
        let step = length.isqrt();
        let beside = if range.cut(records, guess, key) { guess.saturating_sub(step) } else { guess + step };
        if (range.low..range.high).contains(&beside) {
            range.cut(records, beside, key);
        }
        // Keys may be crafted to defeat interpolation.
        if range.length() > length / 2 {
            range.cut(records, range.low + range.length() / 2, key);
        }
    }
    range.low + records[range.low..range.high].partition_point(|record| key_of(record) < key)
}

/// Range of the result: at least `low`, at most `high`.
struct Range {
    low: usize,
    high: usize,
    /// Estimated share of all keys below the record before `low`.
    low_share: f64,
    /// Estimated share of all keys below the record at `high`.
    high_share: f64,
}

impl Range {
    fn length(&self) -> usize {
        self.high - self.low
    }

    /// Estimated index of the key, from `low` to `high` − 1.
    fn guess(&self, key: u64) -> usize {
        let share = (share_below(key) - self.low_share) / (self.high_share - self.low_share);
        // NaN, from equal shares, converts to 0.
        self.low + ((share * self.length() as f64) as usize).min(self.length() - 1)
    }

    /// Probes a record within the range and narrows the range. Returns whether the result is at most this index.
    fn cut(&mut self, records: &[[u8; RECORD_SIZE]], index: usize, key: u64) -> bool {
        let found = key_of(&records[index]);
        if found < key {
            (self.low, self.low_share) = (index + 1, share_below(found));
        } else {
            (self.high, self.high_share) = (index, share_below(found));
        }
        found >= key
    }
}

/// Returns the expected share of keys below this one: each key is the smaller of two random numbers.
fn share_below(key: u64) -> f64 {
    let part = key as f64 / 2_f64.powi(64);
    part * (2.0 - part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::math::GOLDEN_RATIO;

    #[test]
    fn encoding_follows_the_documented_layout() {
        let record = Record {
            key: 0x0123_4567_89AB_CDEF,
            mv: "b2e2".parse().unwrap(),
            statistics: Statistics { wins: 0x01_02_03, draws: 4, losses: u32::MAX },
            base_weight: 0x0506,
            learned_delta: -2,
            is_verified: true,
            preference: Preference::ALWAYS,
        };
        let bytes = record.to_bytes();
        let expected = [
            0xEF, 0xCD, 0xAB, 0x89, 0x67, 0x45, 0x23, 0x01, 19, 22, 6, 5, 0xFE, 0xFF, 0xFF, 3, 2, 1, 4, 0, 0, 0xFF,
            0xFF, 0xFF,
        ];
        assert_eq!(bytes, expected);
        let saturated = Statistics { losses: MAX_GAMES, ..record.statistics };
        assert_eq!(Record::from_bytes(&bytes), Some(Record { statistics: saturated, ..record }));
    }

    #[test]
    fn invalid_records_are_refused() {
        let good =
            Record { base_weight: 1, ..Record::new(1, "a0a1".parse().unwrap(), Statistics::default()) }.to_bytes();
        assert!(Record::from_bytes(&good).is_some());
        for (offset, byte) in [(8, 90), (8, 255), (9, 90), (9, 0), (14, 2 * 21), (14, 2 * 122), (14, 2 * 126)] {
            let mut bytes = good;
            bytes[offset] = byte;
            assert_eq!(Record::from_bytes(&bytes), None, "byte {offset} is {byte}");
        }
    }

    fn records(keys: &[u64]) -> Vec<[u8; RECORD_SIZE]> {
        let mv = "a0a1".parse().unwrap();
        let record = |&key: &u64| Record { base_weight: 1, ..Record::new(key, mv, Statistics::default()) };
        keys.iter().map(|key| record(key).to_bytes()).collect()
    }

    fn mixed(number: u64) -> u64 {
        number.wrapping_mul(GOLDEN_RATIO) ^ (number << 23).wrapping_mul(0xD1B5_4A32_D192_ED03)
    }

    /// Keys distributed as in books, and others that defeat interpolation.
    fn key_sets() -> Vec<Vec<u64>> {
        let usual = |count| (0..count).map(|number| mixed(2 * number).min(mixed(2 * number + 1))).collect();
        let mut sets: Vec<Vec<u64>> = [0, 1, 2, 63, 64, 65, 200, 5_000].into_iter().map(usual).collect();
        sets.push((0..1_000).collect());
        sets.push((0..1_000).map(|number| u64::MAX - number).collect());
        sets.push((0..4_096).map(|number| 1_u64 << (number / 64)).collect());
        sets.push(vec![7; 500]);
        sets.push((0..3_000).map(|number| if number < 2_990 { number } else { u64::MAX - number }).collect());
        sets.iter_mut().for_each(|set| set.sort_unstable());
        sets
    }

    #[test]
    fn search_agrees_with_a_linear_scan() {
        for keys in key_sets() {
            let records = records(&keys);
            let nearby = keys.iter().flat_map(|key| [key.saturating_sub(1), *key, key.saturating_add(1)]);
            for key in nearby.chain([0, u64::MAX, 1 << 63]) {
                let expected: Vec<_> = records.iter().filter(|record| key_of(record) == key).collect();
                assert_eq!(find(&records, key).iter().collect::<Vec<_>>(), expected, "{key:x} of {}", keys.len());
            }
        }
    }

    #[test]
    fn search_terminates_for_unsorted_records() {
        let keys: Vec<u64> = (0..1_000).map(mixed).collect();
        let records = records(&keys);
        assert!(keys.iter().all(|&key| find(&records, key).len() <= 1));
    }
}
