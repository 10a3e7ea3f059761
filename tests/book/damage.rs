//! Tests that every damage to a book is reported and that no bytes cause a panic.

use chuhe::book::{Book, BookKey, MAX_MOVES, Record, Statistics, write};
use chuhe::position::Position;

fn small_book() -> Vec<u8> {
    let mut position = Position::start();
    let mut records = Vec::new();
    for mv in ["b2e2", "h9g7", "b0c2"] {
        let (entry, mv) = (BookKey::new(&position), mv.parse().unwrap());
        let statistics = Statistics { wins: 3, draws: 2, losses: 1 };
        let mv_in_book = entry.to_book(mv);
        let record = Record::new(entry.key, mv_in_book, statistics);
        records.push(Record { base_weight: 7, learned_delta: -1, is_verified: true, ..record });
        position.make(mv);
    }
    records.sort_by_key(Record::order);
    write(&records, "three moves").unwrap()
}

#[test]
fn every_changed_byte_is_detected() {
    let good = small_book();
    assert_eq!(Book::from_bytes(good.clone()).unwrap().len(), 3);
    for offset in 0..good.len() {
        for change in 1..=255 {
            let mut bytes = good.clone();
            bytes[offset] ^= change;
            let error = Book::from_bytes(bytes).expect_err("a changed book is refused").to_string();
            assert!(!error.is_empty() && !error.contains('\n'));
        }
    }
}

#[test]
fn every_truncation_and_extension_is_detected() {
    let good = small_book();
    for length in 0..good.len() {
        assert!(Book::from_bytes(good[..length].to_vec()).is_err(), "truncated after {length} bytes");
    }
    for more in [&[0][..], &[0; 24], &good] {
        let error = Book::from_bytes([&good, more].concat()).unwrap_err().to_string();
        assert!(error.ends_with("truncated or extended"), "{error}");
    }
}

#[test]
fn other_files_are_identified() {
    let text = |bytes: &[u8]| Book::from_bytes(bytes.to_vec()).unwrap_err().to_string();
    let good = small_book();
    assert_eq!(text(b""), "the file is empty");
    for foreign in [&b"1-0\t\th2e2 h9g7\n"[..], b"SQLite format 3\0", &[0; 1000], b"CHB"] {
        assert!(text(foreign).contains("not a Chuhe book"), "{}", text(foreign));
    }
    let as_text = String::from_utf8_lossy(&good).replace("\r\n", "\n");
    assert!(text(&[&b"\x89"[..], &as_text.as_bytes()[3..]].concat()).contains("as text"));
    let mut later = good.clone();
    later[8] = 2;
    let checksum = crc32fast::hash(&later[..24]);
    later[24..28].copy_from_slice(&checksum.to_le_bytes());
    assert!(text(&later).contains("format 2 but no preferences"), "{}", text(&later));
    later[8] = 3;
    let checksum = crc32fast::hash(&later[..24]);
    later[24..28].copy_from_slice(&checksum.to_le_bytes());
    assert!(text(&later).contains("format 3, but this program reads formats up to 2"), "{}", text(&later));
    assert!(text(&good[..good.len() - 1]).contains("truncated"));
}

/// A book with some bytes replaced and matching checksums.
fn forged(offset: usize, bytes: &[u8]) -> Vec<u8> {
    let mut book = small_book();
    book[offset..offset + bytes.len()].copy_from_slice(bytes);
    let checksum = crc32fast::hash(&book[28..]);
    book[20..24].copy_from_slice(&checksum.to_le_bytes());
    let checksum = crc32fast::hash(&book[..24]);
    book[24..28].copy_from_slice(&checksum.to_le_bytes());
    book
}

#[test]
fn valid_checksums_do_not_suffice() {
    let records_at = small_book().len() - 3 * 24;
    let second = records_at + 24;
    assert!(Book::from_bytes(forged(records_at + 10, &[1])).is_ok(), "the forged checksums are valid");
    let text = |offset, bytes: &[u8]| Book::from_bytes(forged(offset, bytes)).unwrap_err().to_string();
    assert!(text(second + 8, &[90]).contains("record 2 of this book is not a move"));
    assert!(text(second + 14, &[2]).contains("record 2 of this book is not a move"));
    assert!(text(second, &[0; 8]).contains("record 2 of this book is out of order"));
    let first = small_book()[records_at..second].to_vec();
    assert!(text(second, &first).contains("record 2 of this book is out of order"), "a duplicate move");
    assert!(text(28, &[0xFF]).contains("origin"));
    for length in [4, 1_000_000, u32::MAX] {
        assert!(text(12, &length.to_le_bytes()).contains("should have"));
        assert!(text(16, &length.to_le_bytes()).contains("should have"));
    }
}

#[test]
fn files_are_read_no_further_than_their_heads_announce() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.book");
    let good = small_book();
    // A terabyte without content: it could not be read.
    std::fs::write(&path, &good).unwrap();
    std::fs::File::options().append(true).open(&path).unwrap().set_len(1 << 40).unwrap();
    let fault = || Book::open(&path).unwrap_err().to_string();
    let expected = format!("this book has {} bytes but should have {}", 1_u64 << 40, good.len());
    assert!(fault().starts_with(&expected), "{}", fault());
    // The head announces more moves than a book may have.
    let moves = MAX_MOVES as u32 + 1;
    std::fs::write(&path, forged(12, &moves.to_le_bytes())).unwrap();
    assert!(fault().contains(&format!("{moves} moves, more than")), "{}", fault());
    std::fs::write(&path, &good[..good.len() - 1]).unwrap();
    assert!(fault().contains("truncated"), "{}", fault());
    std::fs::write(&path, &good).unwrap();
    assert_eq!(Book::open(&path).unwrap().bytes(), good);
}

#[test]
fn a_key_that_two_positions_share_yields_no_illegal_move() {
    let position = Position::start();
    let entry = BookKey::new(&position);
    let mut records = Vec::new();
    for mv in ["a0a9", "e0e1", "e4e5", "h9g7", "b2e2", "i8i9"] {
        let statistics = Statistics { wins: 1, draws: 0, losses: 0 };
        let mv = mv.parse().unwrap();
        records.push(Record { base_weight: 9, ..Record::new(entry.key, mv, statistics) });
    }
    records.sort_by_key(Record::order);
    let book = Book::from_bytes(write(&records, "").unwrap()).unwrap();
    let mut moves: Vec<String> = book.moves(&position).iter().map(|found| found.mv.to_string()).collect();
    moves.sort();
    assert_eq!(moves, ["b2e2", "e0e1"]);
}

#[test]
fn invalid_records_are_not_written() {
    let record =
        |key, mv: &str| Record { base_weight: 1, ..Record::new(key, mv.parse().unwrap(), Statistics::default()) };
    let text = |records: &[Record], provenance: &str| write(records, provenance).unwrap_err().to_string();
    assert!(text(&[record(2, "a0a1"), record(1, "a0a1")], "").contains("move 2 is out of order"));
    assert!(text(&[record(1, "a0a1"), record(1, "a0a1")], "").contains("move 2 is out of order"));
    assert!(text(&[record(1, "a0a2"), record(1, "a0a1")], "").contains("move 2 is out of order"));
    assert!(text(&[Record { mv: chuhe::types::Move::NONE, ..record(1, "a0a1") }], "").contains("move 1 is not a move"));
    assert!(text(&[record(1, "a0a0")], "").contains("move 1 is not a move"));
    assert!(text(&[], &"x".repeat(65_537)).contains("65537 bytes"));
    assert!(write(&[record(1, "a0a1"), record(1, "a0a2"), record(2, "a0a1")], &"x".repeat(65_536)).is_ok());
}
