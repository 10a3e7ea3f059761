//! Opening books: every book that is read is consistent, and its text form round-trips. ElephantEye books are imported
//! as well.
#![no_main]

use chuhe::book::{self, Book, BookKey, Record};
use chuhe::commands::book::foreign::{keys, read_eleeye, walk};
use chuhe::position::Position;
use libfuzzer_sys::fuzz_target;

/// Returns the bytes with valid checksums, which the fuzzer cannot guess.
fn with_checksums(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.len() >= 28 {
        let checksum = crc32fast::hash(&bytes[28..]);
        bytes[20..24].copy_from_slice(&checksum.to_le_bytes());
        let checksum = crc32fast::hash(&bytes[..24]);
        bytes[24..28].copy_from_slice(&checksum.to_le_bytes());
    }
    bytes
}

/// Checks a book, also with all moves under the key of the start position.
fn examine(book: &Book) {
    let records: Vec<Record> = book.records().collect();
    assert_eq!(records.len(), book.len());
    assert_eq!(book::write(&records, book.provenance()).expect("records of a book can be written"), book.bytes());
    assert_eq!(book::import(&book::export(book)).expect("an exported text can be imported"), book.bytes());
    for record in &records {
        assert!(book.records_of(record.key).any(|found| found == *record));
    }
    let merged = book::merge(&records, &records);
    assert_eq!(merged.len(), records.len());
    let position = Position::start();
    let key = BookKey::new(&position).key;
    let mut renamed: Vec<Record> = records.iter().map(|record| Record { key, ..*record }).collect();
    renamed.sort_by_key(Record::order);
    renamed.dedup_by_key(|record| record.order());
    let bytes = book::write(&renamed, "").expect("sorted records can be written");
    let book = Book::from_bytes(bytes).expect("a written book is valid");
    assert!(book.moves(&position).iter().all(|found| position.can_play(found.mv)));
}

/// Imports a book, also with its first records under the key of the start position, which the fuzzer cannot guess.
fn examine_foreign(bytes: &[u8]) {
    let mut records = bytes.as_chunks::<8>().0.to_vec();
    let key = keys(&Position::start())[0].to_le_bytes();
    records.iter_mut().take(4).for_each(|record| record[..4].copy_from_slice(&key));
    records.sort_by_key(|record| u32::from_le_bytes([record[0], record[1], record[2], record[3]]));
    for bytes in [bytes, records.as_flattened()] {
        match read_eleeye(bytes) {
            Ok(foreign) => {
                let walked = walk(&foreign, 20);
                assert!(walked.found <= foreign.moves.len());
                let bytes = book::write(&walked.records, "").expect("the moves found can be written");
                examine(&Book::from_bytes(bytes).expect("a written book is valid"));
            }
            Err(error) => drop(error.to_string()),
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    for bytes in [bytes.to_vec(), with_checksums(bytes)] {
        match Book::from_bytes(bytes) {
            Ok(book) => examine(&book),
            Err(error) => drop(error.to_string()),
        }
    }
    examine_foreign(bytes);
    match book::import(&String::from_utf8_lossy(bytes)) {
        Ok(bytes) => examine(&Book::from_bytes(bytes).expect("an imported book is valid")),
        Err(error) => drop(error.to_string()),
    }
});
