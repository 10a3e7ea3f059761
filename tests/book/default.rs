//! The built-in book.

use chuhe::book::{Book, BookKey};
use chuhe::position::Position;

#[test]
fn it_equals_the_file_and_is_small() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/books/default.book");
    let file = Book::open(std::path::Path::new(path)).unwrap();
    let book = Book::embedded();
    assert_eq!(book.bytes(), file.bytes());
    assert!(book.bytes().len() <= 4_000_000, "{}", book.bytes().len());
    let keys: std::collections::HashSet<u64> = book.records().map(|record| record.key).collect();
    assert!(keys.len() >= 100_000, "{}", keys.len());
    assert!(book.records().all(|record| record.is_verified));
    let names = "Yu-Han Tseng and Bo-Nian Chen (2026), Chinese Chess Practical Dataset, CC BY 4.0";
    assert!(book.provenance().contains(names), "{}", book.provenance());
}

#[test]
fn it_contains_the_common_openings() {
    let book = Book::embedded();
    let mut position = Position::start();
    for mv in ["h2e2", "h9g7", "h0g2", "i9h9", "i0h0"] {
        let entry = BookKey::new(&position);
        let expected = entry.to_book(mv.parse().unwrap());
        assert!(book.moves(&position).iter().any(|found| entry.to_book(found.mv) == expected), "{mv} of {position}");
        position.play([mv]).unwrap();
    }
}
