//! Proves that the book of the program is what it is said to be.

use chuhe::book::{Book, BookKey};
use chuhe::position::Position;

#[test]
fn it_is_the_file_and_small_enough() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/books/default.book");
    let file = Book::open(std::path::Path::new(path)).unwrap();
    let book = Book::embedded();
    assert_eq!(book.bytes(), file.bytes());
    assert!(book.bytes().len() <= 3_000_000, "{}", book.bytes().len());
    let names = "Yu-Han Tseng and Bo-Nian Chen (2026), Chinese Chess Practical Dataset, CC BY 4.0";
    assert!(book.provenance().contains(names), "{}", book.provenance());
}

#[test]
fn it_knows_the_openings_that_everybody_plays() {
    let book = Book::embedded();
    let mut position = Position::start();
    for mv in ["h2e2", "h9g7", "h0g2", "i9h9", "i0h0"] {
        let entry = BookKey::new(&position);
        let wanted = entry.to_book(mv.parse().unwrap());
        assert!(book.moves(&position).iter().any(|found| entry.to_book(found.mv) == wanted), "{mv} of {position}");
        position.play([mv]).unwrap();
    }
}
