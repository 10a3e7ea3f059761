//! Tests the import of books of ElephantEye.

use chuhe::book::{Book, write};
use chuhe::commands::book::foreign::{MAX_POSITIONS, Walked, keys, read_eleeye, walk};

use crate::after;

/// Number of a square in an ElephantEye book, from its name.
fn number(name: &[u8]) -> u8 {
    0x33 + 16 * (b'9' - name[1]) + (name[0] - b'a')
}

/// Record of an ElephantEye book.
fn record(key: u32, mv: &str, weight: u16) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&key.to_le_bytes());
    bytes[4] = number(&mv.as_bytes()[..2]);
    bytes[5] = number(&mv.as_bytes()[2..]);
    bytes[6..].copy_from_slice(&weight.to_le_bytes());
    bytes
}

fn sorted(mut records: Vec<[u8; 8]>) -> Vec<u8> {
    records.sort_by_key(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    records.concat()
}

/// Nine moves, eight of which can be found.
fn sample() -> Vec<u8> {
    let key = |line: &str| keys(&after(line))[0];
    sorted(vec![
        // A symmetric board has both moves.
        record(key(""), "h2e2", 1_473),
        record(key(""), "b2e2", 1_473),
        record(key(""), "c3c4", 546),
        record(key(""), "g3g4", 546),
        // Stored mirrored only.
        record(key("b2e2"), "b9c7", 761),
        record(key("h2e2 h9g7"), "h0g2", 7),
        // The preceding reply is missing.
        record(key("h2e2 h9g7 h0g2 i9h9"), "i0h0", 60_000),
        // Illegal in this position.
        record(key("h2e2 h9g7 h0g2 i9h9"), "i0i5", 9),
        record(key("h2e2 h9g7 h0g2 i9h9 i0h0"), "g6g5", 0),
    ])
}

fn book_of(walked: &Walked) -> Book {
    Book::from_bytes(write(&walked.records, "").unwrap()).unwrap()
}

fn known(book: &Book, line: &str) -> Vec<(String, u16)> {
    book.moves(&after(line)).iter().map(|found| (found.mv.to_string(), found.record.base_weight)).collect()
}

#[test]
fn elephant_eye_moves_are_found_by_playing() {
    let bytes = sample();
    let foreign = read_eleeye(&bytes).unwrap();
    let walked = walk(&foreign, MAX_POSITIONS);
    assert_eq!((foreign.moves.len(), walked.found, walked.is_cut_off), (9, 8, false));
    let book = book_of(&walked);
    assert_eq!(book.len(), 6, "a move and its mirror image are one");
    let moves = |pairs: &[(&str, u16)]| pairs.iter().map(|(mv, weight)| (mv.to_string(), *weight)).collect::<Vec<_>>();
    assert_eq!(known(&book, ""), moves(&[("b2e2", 1_473), ("c3c4", 546)]));
    assert_eq!(known(&book, "b2e2"), moves(&[("b9c7", 761)]));
    assert_eq!(known(&book, "h2e2"), moves(&[("h9g7", 761)]));
    assert_eq!(known(&book, "b2e2 b9c7 b0c2 a9b9"), moves(&[("a0b0", 60_000)]));
    assert_eq!(known(&book, "h2e2 h9g7 h0g2 i9h9 i0h0"), moves(&[("g6g5", 0)]));
}

#[test]
fn a_walk_respects_its_limit() {
    let foreign = read_eleeye(&sample()).unwrap();
    let found = |positions| {
        let walked = walk(&foreign, positions);
        (walked.found, walked.is_cut_off)
    };
    assert_eq!([1, 1_000].map(found), [(4, true), (8, false)]);
    assert!(found(3).0 < 8 && found(3).1);
}

#[test]
fn invalid_bytes_are_refused_with_the_reason() {
    let text = |bytes: &[u8]| read_eleeye(bytes).unwrap_err().to_string();
    let good = sample();
    assert!(text(b"").ends_with("the file is empty"));
    assert!(text(&good[1..]).contains("71 bytes is not a multiple of 8"), "{}", text(&good[1..]));
    assert!(text(b"SQLite format 3\0").contains("record 2 is not a move"), "{}", text(b"SQLite format 3\0"));
    let swapped = [&good[64..], &good[8..64], &good[..8]].concat();
    assert!(text(&swapped).contains("record 2 is out of order"), "{}", text(&swapped));
    for (place, byte) in [(4, 0x32), (5, 0xCC), (4, 0x3C), (5, good[4])] {
        let mut bytes = good.clone();
        bytes[place] = byte;
        assert!(text(&bytes).contains("record 1 is not a move"), "{}", text(&bytes));
    }
}
