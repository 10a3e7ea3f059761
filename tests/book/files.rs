//! Book files and books as text: every damage is reported, no bytes cause a panic, and text round-trips.

use std::fs;

use chuhe::book::{Book, BookError, MAX_MOVES, Record, Statistics, export, import, write};
use chuhe::types::Move;

use crate::common::books::{encoded, record};

fn small_book() -> Vec<u8> {
    let lines = ["b2e2", "b2e2 h9g7", "b2e2 h9g7 b0c2"];
    encoded(lines.map(|line| Record { learned_delta: -1, is_verified: true, ..record(line, 7, [3, 2, 1]) }))
}

fn fault(bytes: &[u8]) -> String {
    Book::from_bytes(bytes.to_vec()).expect_err("a damaged book is refused").to_string()
}

#[test]
fn every_change_of_the_bytes_is_detected() {
    let good = small_book();
    assert_eq!(Book::from_bytes(good.clone()).unwrap().len(), 3);
    for (offset, change) in (0..good.len()).flat_map(|offset| (1..=255).map(move |change| (offset, change))) {
        let mut bytes = good.clone();
        bytes[offset] ^= change;
        assert!(!fault(&bytes).is_empty() && !fault(&bytes).contains('\n'));
    }
    for length in 0..good.len() {
        fault(&good[..length]);
    }
    for more in [&[0][..], &[0; 24], &good] {
        assert!(fault(&[&good, more].concat()).ends_with("truncated or extended"));
    }
}

fn with_checksums(mut book: Vec<u8>) -> Vec<u8> {
    let checksum = crc32fast::hash(&book[28..]);
    book[20..24].copy_from_slice(&checksum.to_le_bytes());
    let checksum = crc32fast::hash(&book[..24]);
    book[24..28].copy_from_slice(&checksum.to_le_bytes());
    book
}

fn forged(offset: usize, bytes: &[u8]) -> Vec<u8> {
    let mut book = small_book();
    book[offset..offset + bytes.len()].copy_from_slice(bytes);
    with_checksums(book)
}

#[test]
fn other_files_and_invalid_contents_are_named() {
    let good = small_book();
    assert_eq!(fault(b""), "the file is empty");
    for foreign in [&b"1-0\t\th2e2 h9g7\n"[..], b"SQLite format 3\0", &[0; 1000], b"CHB"] {
        assert!(fault(foreign).contains("not a Chuhe book"), "{}", fault(foreign));
    }
    let as_text = String::from_utf8_lossy(&good).replace("\r\n", "\n");
    assert!(fault(&[&b"\x89"[..], &as_text.as_bytes()[3..]].concat()).contains("as text"));
    let records_at = good.len() - 3 * 24;
    let second = records_at + 24;
    assert!(Book::from_bytes(forged(records_at + 10, &[1])).is_ok(), "the forged checksums are valid");
    let size = [4, 1_000_000, u32::MAX].map(u32::to_le_bytes);
    for (offset, bytes, expected) in [
        (8, &[2][..], "format 2 but no preferences"),
        (8, &[3], "format 3, but this program reads formats up to 2"),
        (second + 8, &[90], "record 2 of this book is not a move"),
        (second + 14, &[2], "record 2 of this book is not a move"),
        (second, &[0; 8], "record 2 of this book is out of order"),
        (second, &good[records_at..second], "record 2 of this book is out of order"),
        (28, &[0xFF], "origin"),
        (12, &size[0], "should have"),
        (12, &size[1], "should have"),
        (16, &size[2], "should have"),
    ] {
        assert!(fault(&forged(offset, bytes)).contains(expected), "{expected}: {}", fault(&forged(offset, bytes)));
    }
}

#[test]
fn files_are_read_no_further_than_their_heads_announce() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.book");
    let good = small_book();
    // A terabyte without content: it could not be read.
    fs::write(&path, &good).unwrap();
    fs::File::options().append(true).open(&path).unwrap().set_len(1 << 40).unwrap();
    let fault = || Book::open(&path).unwrap_err().to_string();
    let expected = format!("this book has {} bytes but should have {}", 1_u64 << 40, good.len());
    assert!(fault().starts_with(&expected), "{}", fault());
    // The head announces more moves than a book may have.
    let moves = MAX_MOVES as u32 + 1;
    fs::write(&path, forged(12, &moves.to_le_bytes())).unwrap();
    assert!(fault().contains(&format!("{moves} moves, more than")), "{}", fault());
    fs::write(&path, &good[..good.len() - 1]).unwrap();
    assert!(fault().contains("truncated"), "{}", fault());
    fs::write(&path, &good).unwrap();
    assert_eq!(Book::open(&path).unwrap().bytes(), good);
    assert_eq!(Book::open(folder.path()).unwrap_err().to_string(), "this is not a regular file");
    assert!(matches!(Book::open(&folder.path().join("missing")), Err(BookError::File(_))));
}

#[test]
fn invalid_records_are_not_written() {
    let record = |key, mv: &str| Record::new(key, mv.parse().unwrap(), Statistics::default());
    for (records, origin, expected) in [
        (&[record(2, "a0a1"), record(1, "a0a1")][..], 0, "move 2 is out of order"),
        (&[record(1, "a0a1"), record(1, "a0a1")], 0, "move 2 is out of order"),
        (&[record(1, "a0a2"), record(1, "a0a1")], 0, "move 2 is out of order"),
        (&[Record { mv: Move::NONE, ..record(1, "a0a1") }], 0, "move 1 is not a move"),
        (&[record(1, "a0a0")], 0, "move 1 is not a move"),
        (&[], 65_537, "65537 bytes"),
    ] {
        let error = write(records, &"x".repeat(origin)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert!(write(&[record(1, "a0a1"), record(1, "a0a2"), record(2, "a0a1")], &"x".repeat(65_536)).is_ok());
}

const TEXT: &str = "chuhe book 1\norigin \"two\\nlines \\u0007 \\\"楚河\\\"\\r\"\n\
                    0000000000000001 a0b0 16777215 0 0 weight 65535 delta -32768 verified prefer always\n\
                    0000000000000001 a0a1 1 2 3 weight 4 prefer 250%\n\
                    ffffffffffffffff i9i7 0 0 0 weight 0 prefer never\n\
                    ffffffffffffffff i9i8 0 0 0 weight 0 delta 32767\n";

#[test]
fn text_round_trips() {
    let bytes = import(TEXT).unwrap();
    let book = Book::from_bytes(bytes.clone()).unwrap();
    assert_eq!(book.provenance(), "two\nlines \u{7} \"楚河\"\r");
    assert_eq!(export(&book), TEXT);
    let mut lines: Vec<&str> = TEXT.lines().collect();
    lines[2..].reverse();
    let other = format!("\u{feff}# by hand\r\n\r\n{}\r\n", lines.join("\r\n\r\n# remark\r\n"));
    assert_eq!(import(&other).unwrap(), bytes, "order, comments and line endings do not matter");
}

#[test]
fn errors_of_text_name_their_line() {
    for (text, expected) in [
        ("", "line 1: a book as text must begin with"),
        ("chuhe book 2\n", "line 1: a book as text must begin with"),
        ("chuhe book 1", "line 2: the second line must be 'origin'"),
        ("chuhe book 1\n\norigin none\n", "line 3: the second line must be 'origin'"),
    ] {
        let error = import(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
    let move_line = "0000000000000001 a0a1 1 2 3 weight 1";
    for (line, expected) in [
        ("1 a0a1 1 2 3 weight 4", "'1' is not a valid key of 16 hexadecimal digits"),
        ("+000000000000001 a0a1 1 2 3 weight 4", "'+000000000000001' is not a valid key"),
        ("0000000000000001", "missing move"),
        ("0000000000000001 a0a0 1 2 3 weight 4", "'a0a0' is not a valid move"),
        ("0000000000000001 a0a1 1 2", "missing number of games"),
        ("0000000000000001 a0a1 1 2 16777216 weight 4", "'16777216' is not a valid number of games"),
        ("0000000000000001 a0a1 1 2 -3 weight 4", "'-3' is not a valid number of games"),
        ("0000000000000001 a0a1 1 2 3 delta 4", "'delta' is not a valid keyword, expected 'weight'"),
        ("0000000000000001 a0a1 1 2 3 weight 65536", "'65536' is not a valid weight"),
        (&format!("{move_line} prefer 7%"), "'7%' is not a valid preference"),
        (&format!("{move_line} prefer"), "missing preference"),
        (&format!("{move_line} delta 40000"), "'40000' is not a valid delta"),
        (&format!("{move_line} good\u{7}"), "'good\u{fffd}' is not a valid keyword, expected 'delta'"),
        (&format!("{move_line}\n\n{move_line}"), "line 5: duplicate of line 3"),
    ] {
        let error = import(&format!("chuhe book 1\norigin \"\"\n{line}")).unwrap_err().to_string();
        assert!(error.contains(expected) && error.starts_with("line "), "{line}: {error}");
    }
}
