//! A book record (one move of one position) in 24 bytes, binary search among sorted records, preferences and weights.

use std::fmt;
use std::str::FromStr;

use super::{BookError, Statistics};
use crate::types::{Move, Square};

/// Size of a record in bytes.
pub const RECORD_SIZE: usize = 24;
/// Maximum of the counts of wins, draws and losses; larger counts saturate.
pub const MAX_GAMES: u32 = (1 << 24) - 1;
/// Maximum absolute value of a learned delta.
pub const MAX_DELTA: i16 = i16::MAX;

pub(super) const VERIFIED: u8 = 1;
const PREFERENCE_SHIFT: u32 = 1;

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
        bytes[14] = self.preference.0 << PREFERENCE_SHIFT | if self.is_verified { VERIFIED } else { 0 };
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

fn key_of(bytes: &[u8; RECORD_SIZE]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = *bytes;
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

/// Returns the adjacent records of a key; exact if they are sorted, and safe for any order.
pub(super) fn find(records: &[[u8; RECORD_SIZE]], key: u64) -> &[[u8; RECORD_SIZE]] {
    let rest = &records[records.partition_point(|record| key_of(record) < key)..];
    &rest[..rest.iter().take_while(|record| key_of(record) == key).count()]
}

const MAX_PERCENT: u16 = 600;
const PERCENT_STEP: u16 = 5;

/// Stored form of [`Preference::ALWAYS`], the largest that fits in seven bits.
const ALWAYS: u8 = 127;
const NEVER: u8 = 1;

/// Preference for a move, which no game changes: a factor of its weight, or `always` or `never`. As text `none`,
/// `always`, `never` and a percentage such as `250%`, a multiple of 5 from 5 to 600; the sign may be left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Preference(u8);

impl Preference {
    /// No preference: the weight of the move decides.
    pub const NONE: Preference = Preference(0);
    /// The move is never played.
    pub const NEVER: Preference = Preference(NEVER);
    /// Only the moves of the position with this preference are played.
    pub const ALWAYS: Preference = Preference(ALWAYS);

    /// Creates a preference that multiplies the weight by a percentage; `None` unless it is a multiple of 5 up to 600.
    pub fn from_percent(percent: u16) -> Option<Preference> {
        match percent {
            0 => Some(Preference::NEVER),
            100 => Some(Preference::NONE),
            _ if percent <= MAX_PERCENT && percent.is_multiple_of(PERCENT_STEP) => {
                Some(Preference((percent / PERCENT_STEP) as u8 + NEVER))
            }
            _ => None,
        }
    }

    /// Percentage by which the weight is multiplied; `None` for `always`.
    pub fn percent(self) -> Option<u16> {
        match self.0 {
            0 => Some(100),
            ALWAYS => None,
            code => Some(u16::from(code - NEVER) * PERCENT_STEP),
        }
    }

    /// Decodes the stored form, 0 to 127; `None` if it is invalid. Each preference has one stored form.
    fn from_code(code: u8) -> Option<Preference> {
        const UNITY: u8 = (100 / PERCENT_STEP) as u8 + NEVER;
        const LAST: u8 = (MAX_PERCENT / PERCENT_STEP) as u8 + NEVER;
        (code <= LAST && code != UNITY || code == ALWAYS).then_some(Preference(code))
    }
}

impl fmt::Display for Preference {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.percent() {
            None => f.write_str("always"),
            Some(0) => f.write_str("never"),
            Some(100) => f.write_str("none"),
            Some(percent) => write!(f, "{percent}%"),
        }
    }
}

impl FromStr for Preference {
    type Err = BookError;

    fn from_str(text: &str) -> Result<Preference, BookError> {
        let digits = text.strip_suffix('%').unwrap_or(text);
        let percent = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let found = match text {
            "always" => Some(Preference::ALWAYS),
            "never" => Some(Preference::NEVER),
            "none" => Some(Preference::NONE),
            _ => percent.and_then(Preference::from_percent),
        };
        found.ok_or_else(|| {
            let fault = "a preference is 'always', 'never', 'none' or a percentage, a multiple of";
            BookError::Invalid(format!("{fault} {PERCENT_STEP} up to {MAX_PERCENT}%"))
        })
    }
}

/// Weight of a move that all games played and that scored one half.
const UNIT: f64 = 10_000.0;
/// Number of virtual games, half of them won, that are added to each move.
const PRIOR_GAMES: f64 = 4.0;

/// Computes the base weights of the records of one position from their games: 10,000 · *share* · (2 · *score*)², at
/// least 1 and at most 65,535. The share is the move's part of all games of these records. The score is that of the
/// side to move, with four virtual games of one half each added, so that few games have little influence.
pub fn weigh(records: &mut [Record]) {
    let all: u64 = records.iter().map(|record| record.statistics.games()).sum();
    for record in records {
        let games = record.statistics.games() as f64;
        let score = (record.statistics.points() + PRIOR_GAMES / 2.0) / (games + PRIOR_GAMES);
        let weight = UNIT * games / (all.max(1) as f64) * (2.0 * score).powi(2);
        record.base_weight = (weight.round() as u16).max(1);
    }
}

/// Computes the base weights like [`weigh`], but leaves moves that the book has for their preference only.
pub(super) fn reweigh(records: &mut [Record]) {
    let unplayed: Vec<bool> = records.iter().map(is_unplayed).collect();
    weigh(records);
    let unplayed = records.iter_mut().zip(unplayed).filter(|(_, is_unplayed)| *is_unplayed);
    unplayed.for_each(|(record, _)| record.base_weight = 0);
}

fn is_unplayed(record: &Record) -> bool {
    record.statistics.games() == 0 && record.base_weight == 0
}

/// Returns whether the base weights of these records are those that [`reweigh`] computes from their games.
pub(super) fn are_weighed(records: &[Record]) -> bool {
    let mut weighed = records.to_vec();
    reweigh(&mut weighed);
    weighed == records
}

/// Merges the records of two books; input and result are sorted.
///
/// A position of only one book keeps its records. In a position of both, the games of a move and its learned deltas are
/// added (saturating), it is verified if it is so in either book, and its preference is that of the first book that has
/// one. The base weights are recomputed ([`weigh`]), but if any move has a weight without games, each keeps the larger
/// of its two.
pub fn merge(first: &[Record], second: &[Record]) -> Vec<Record> {
    let mut merged = Vec::with_capacity(first.len() + second.len());
    let (mut first, mut second) = (first, second);
    while let (Some(one), Some(other)) = (first.first(), second.first()) {
        let key = one.key.min(other.key);
        let (one, other) = (take(&mut first, key), take(&mut second, key));
        if one.is_empty() || other.is_empty() {
            merged.extend(one.iter().chain(other));
        } else {
            merged.extend(merge_position(one, other));
        }
    }
    merged.extend(first.iter().chain(second));
    merged
}

fn take<'a>(records: &mut &'a [Record], key: u64) -> &'a [Record] {
    let (front, rest) = records.split_at(records.iter().take_while(|record| record.key == key).count());
    *records = rest;
    front
}

fn merge_position(first: &[Record], second: &[Record]) -> Vec<Record> {
    let mut merged = first.to_vec();
    for other in second {
        match merged.iter_mut().find(|record| record.mv == other.mv) {
            Some(record) => {
                record.statistics = record.statistics.plus(other.statistics);
                record.base_weight = record.base_weight.max(other.base_weight);
                // Keep the range symmetric: −32,768 cannot be negated.
                record.learned_delta = record.learned_delta.saturating_add(other.learned_delta).max(-MAX_DELTA);
                record.is_verified |= other.is_verified;
                if record.preference == Preference::NONE {
                    record.preference = other.preference;
                }
            }
            None => merged.push(*other),
        }
    }
    merged.sort_unstable_by_key(Record::order);
    if merged.iter().all(|record| record.statistics.games() > 0 || is_unplayed(record)) {
        reweigh(&mut merged);
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn every_stored_form_is_one_preference_and_one_text() {
        let mut texts = Vec::new();
        for code in 0..=u8::MAX {
            let Some(preference) = Preference::from_code(code) else { continue };
            assert_eq!((preference.0, preference.to_string().parse().unwrap()), (code, preference));
            texts.push(preference.to_string());
        }
        let percentages = (1..=120).map(|number| 5 * number).filter(|&percent| percent != 100);
        let expected = ["none", "never"].map(str::to_owned).into_iter();
        let expected = expected.chain(percentages.map(|percent| format!("{percent}%"))).chain(["always".to_owned()]);
        assert_eq!(texts, expected.collect::<Vec<_>>());
        for text in ["", "%", "7", "605", "-5", "+5", "1000%", "65536", "Always", "5 %"] {
            assert!(text.parse::<Preference>().is_err(), "{text}");
        }
    }
}
