//! Finding the records of a key among sorted ones.

use super::record::{RECORD_SIZE, key_of};

/// Among so few records the place of one is not guessed.
const FEW: usize = 64;

/// The records of this key, which stand together. Whatever the order of the records, the search comes to its end; if
/// they are sorted it finds what is there.
///
/// Keys are as good as random, so the place of one is guessed from its size, and the guess is off by about half the
/// square root of the number of records. Two looks, at the guess and that far beside it, nearly always leave so many
/// records: of a million, a thousand and then some thirty, where twenty halvings would be needed.
pub(super) fn find(records: &[[u8; RECORD_SIZE]], key: u64) -> &[[u8; RECORD_SIZE]] {
    let first = lower_bound(records, key);
    let length = records[first..].iter().take_while(|record| key_of(record) == key).count();
    &records[first..first + length]
}

/// The number of the first record whose key is not below this one.
fn lower_bound(records: &[[u8; RECORD_SIZE]], key: u64) -> usize {
    let mut range = Range { low: 0, high: records.len(), low_share: 0.0, high_share: 1.0 };
    while range.length() > FEW {
        let length = range.length();
        let guess = range.guess(key);
        let step = length.isqrt();
        let beside = if range.cut(records, guess, key) { guess.saturating_sub(step) } else { guess + step };
        if (range.low..range.high).contains(&beside) {
            range.cut(records, beside, key);
        }
        // Keys that were made up to be hard to guess.
        if range.length() > length / 2 {
            range.cut(records, range.low + range.length() / 2, key);
        }
    }
    range.low + records[range.low..range.high].partition_point(|record| key_of(record) < key)
}

/// Where the wanted number still may be: at least `low`, at most `high`.
struct Range {
    low: usize,
    high: usize,
    /// Which share of all keys is below the record before `low`.
    low_share: f64,
    /// The same for the record at `high`.
    high_share: f64,
}

impl Range {
    fn length(&self) -> usize {
        self.high - self.low
    }

    /// Where the key should be: a number from `low` to `high` − 1.
    fn guess(&self, key: u64) -> usize {
        let share = (share_below(key) - self.low_share) / (self.high_share - self.low_share);
        // What is no number, since both shares are alike, becomes 0.
        self.low + ((share * self.length() as f64) as usize).min(self.length() - 1)
    }

    /// Looks at a record within the range. Returns whether the wanted number is at most that of this record.
    fn cut(&mut self, records: &[[u8; RECORD_SIZE]], number: usize, key: u64) -> bool {
        let found = key_of(&records[number]);
        if found < key {
            (self.low, self.low_share) = (number + 1, share_below(found));
        } else {
            (self.high, self.high_share) = (number, share_below(found));
        }
        found >= key
    }
}

/// The share of keys that are below this one, when each is the smaller of two random numbers.
fn share_below(key: u64) -> f64 {
    let part = key as f64 / 2_f64.powi(64);
    part * (2.0 - part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::{Record, Statistics};

    fn records(keys: &[u64]) -> Vec<[u8; RECORD_SIZE]> {
        let mv = "a0a1".parse().unwrap();
        let record =
            |&key: &u64| Record { key, mv, statistics: Statistics::default(), weight: 1, delta: 0, is_verified: false };
        keys.iter().map(|key| record(key).to_bytes()).collect()
    }

    fn mixed(number: u64) -> u64 {
        number.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (number << 23).wrapping_mul(0xD1B5_4A32_D192_ED03)
    }

    /// Keys as books have them, and others that defy guessing.
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
    fn what_is_found_is_what_a_walk_through_all_records_finds() {
        for keys in key_sets() {
            let records = records(&keys);
            let wanted = keys.iter().flat_map(|key| [key.saturating_sub(1), *key, key.saturating_add(1)]);
            for key in wanted.chain([0, u64::MAX, 1 << 63]) {
                let expected: Vec<_> = records.iter().filter(|record| key_of(record) == key).collect();
                assert_eq!(find(&records, key).iter().collect::<Vec<_>>(), expected, "{key:x} of {}", keys.len());
            }
        }
    }

    #[test]
    fn a_search_ends_in_any_order() {
        let keys: Vec<u64> = (0..1_000).map(mixed).collect();
        let records = records(&keys);
        assert!(keys.iter().all(|&key| find(&records, key).len() <= 1));
    }
}
