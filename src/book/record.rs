//! One move of one position, and its 24 bytes in a file.

use super::Statistics;
use crate::types::{Move, Square};

/// The bytes of a record.
pub const RECORD_SIZE: usize = 24;
/// Wins, draws and losses are counted up to this number.
pub const MOST_GAMES: u32 = (1 << 24) - 1;
/// What learning may at most add to or take from a weight.
pub const MOST_DELTA: i16 = i16::MAX;

/// The bit of the flags that says that a search found nothing against the move.
const VERIFIED: u8 = 1;

/// What a book knows of one move in one position.
///
/// In a file a record has 24 bytes, numbers begin with their low byte:
///
/// | bytes | |
/// |---|---|
/// | 0–7 | key of the position, see [`super::key`] |
/// | 8 | where the man stands, 0 (a0) to 89 (i9), rank by rank |
/// | 9 | where it goes |
/// | 10–11 | weight |
/// | 12–13 | delta, with a sign |
/// | 14 | flags: bit 0 verified by a search, others 0 |
/// | 15–17, 18–20, 21–23 | wins, draws and losses of the side to move |
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// The key of the position.
    pub key: u64,
    /// The move, on the board that has this key.
    pub mv: Move,
    /// How its games ended for the side that plays it.
    pub statistics: Statistics,
    /// How much the move is to be preferred to others of its position.
    pub weight: u16,
    /// What was learned since, to be added to the weight.
    pub delta: i16,
    /// Whether a search found nothing against the move.
    pub is_verified: bool,
}

impl Record {
    /// What records of a book are sorted by; no two of a book have the same.
    pub fn order(&self) -> (u64, usize, usize) {
        (self.key, self.mv.from().index(), self.mv.to().index())
    }

    /// The bytes of the record.
    pub fn to_bytes(&self) -> [u8; RECORD_SIZE] {
        let mut bytes = [0; RECORD_SIZE];
        bytes[..8].copy_from_slice(&self.key.to_le_bytes());
        bytes[8] = self.mv.from().index() as u8;
        bytes[9] = self.mv.to().index() as u8;
        bytes[10..12].copy_from_slice(&self.weight.to_le_bytes());
        bytes[12..14].copy_from_slice(&self.delta.to_le_bytes());
        bytes[14] = if self.is_verified { VERIFIED } else { 0 };
        let Statistics { wins, draws, losses } = self.statistics;
        for (place, count) in [(15, wins), (18, draws), (21, losses)] {
            bytes[place..place + 3].copy_from_slice(&count.min(MOST_GAMES).to_le_bytes()[..3]);
        }
        bytes
    }

    /// The record of these bytes; `None` when they cannot be one.
    pub fn from_bytes(bytes: &[u8; RECORD_SIZE]) -> Option<Record> {
        let point = |byte: u8| (usize::from(byte) < Square::COUNT).then(|| Square::from_index(usize::from(byte)));
        let (from, to) = (point(bytes[8])?, point(bytes[9])?);
        if from == to || bytes[14] & !VERIFIED != 0 {
            return None;
        }
        let count = |place: usize| u32::from_le_bytes([bytes[place], bytes[place + 1], bytes[place + 2], 0]);
        Some(Record {
            key: key_of(bytes),
            mv: Move::new(from, to),
            statistics: Statistics { wins: count(15), draws: count(18), losses: count(21) },
            weight: u16::from_le_bytes([bytes[10], bytes[11]]),
            delta: i16::from_le_bytes([bytes[12], bytes[13]]),
            is_verified: bytes[14] & VERIFIED != 0,
        })
    }
}

/// The key of a record without the rest of it.
#[inline(always)]
pub(super) fn key_of(bytes: &[u8; RECORD_SIZE]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = *bytes;
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_written_as_the_table_says() {
        let record = Record {
            key: 0x0123_4567_89AB_CDEF,
            mv: "b2e2".parse().unwrap(),
            statistics: Statistics { wins: 0x01_02_03, draws: 4, losses: u32::MAX },
            weight: 0x0506,
            delta: -2,
            is_verified: true,
        };
        let bytes = record.to_bytes();
        let expected = [
            0xEF, 0xCD, 0xAB, 0x89, 0x67, 0x45, 0x23, 0x01, 19, 22, 6, 5, 0xFE, 0xFF, 1, 3, 2, 1, 4, 0, 0, 0xFF, 0xFF,
            0xFF,
        ];
        assert_eq!(bytes, expected);
        let saturated = Statistics { losses: MOST_GAMES, ..record.statistics };
        assert_eq!(Record::from_bytes(&bytes), Some(Record { statistics: saturated, ..record }));
    }

    #[test]
    fn what_no_record_can_hold_is_refused() {
        let good = Record {
            key: 1,
            mv: "a0a1".parse().unwrap(),
            statistics: Statistics::default(),
            weight: 1,
            delta: 0,
            is_verified: false,
        }
        .to_bytes();
        assert!(Record::from_bytes(&good).is_some());
        for (place, byte) in [(8, 90), (8, 255), (9, 90), (9, 0), (14, 2), (14, 0x80)] {
            let mut bytes = good;
            bytes[place] = byte;
            assert_eq!(Record::from_bytes(&bytes), None, "byte {place} is {byte}");
        }
    }
}
