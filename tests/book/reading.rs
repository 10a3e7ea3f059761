//! Position keys against values that another program computed, lookups in books, and the built-in book.

use std::fs;

use chuhe::book::{Book, BookError, BookKey, Record, Statistics, write};
use chuhe::position::Position;
use chuhe::types::Move;

use crate::naive::{positions, random_games};

/// A book with every legal move of many positions, with different weights.
fn large_book(boards: &[Position]) -> (Vec<Record>, Book) {
    let mut records = Vec::new();
    for position in boards {
        let entry = BookKey::new(position);
        for mv in position.legal_moves() {
            let statistics = Statistics { wins: records.len() as u32 % 5, draws: 1, losses: 0 };
            let (weight, delta) = ((records.len() * 7919 % 50) as u16, (records.len() % 21) as i16 - 10);
            let mv = entry.to_book(mv);
            records.push(Record {
                base_weight: weight,
                learned_delta: delta,
                ..Record::new(entry.key, mv, statistics)
            });
        }
    }
    records.sort_by_key(Record::order);
    records.dedup_by_key(|record| record.order());
    let book = Book::from_bytes(write(&records, "all moves").unwrap()).unwrap();
    (records, book)
}

#[test]
fn lookup_agrees_with_a_linear_scan() {
    let boards = positions(&random_games(11, 60));
    let (records, book) = large_book(&boards[..boards.len() / 2]);
    assert!(records.len() > 5_000, "{}", records.len());
    assert_eq!(book.records().collect::<Vec<_>>(), records);
    let mut found = 0;
    for position in &boards {
        let key = BookKey::new(position).key;
        let expected: Vec<Record> = records.iter().filter(|record| record.key == key).copied().collect();
        assert_eq!(book.records_of(key).collect::<Vec<_>>(), expected);
        let moves = book.moves(position);
        assert_eq!(moves.len(), expected.len());
        found += moves.len();
        let order = |index: usize| {
            let found = &moves[index];
            ((i32::from(found.base_weight) + i32::from(found.learned_delta)).max(0), found.statistics.games())
        };
        assert!((1..moves.len()).all(|index| order(index - 1) >= order(index)), "sorted by decreasing weight");
        assert!(moves.iter().all(|found| position.can_play(found.mv)));
    }
    assert!(found > 5_000);
}

#[test]
fn a_mirrored_position_has_mirrored_moves() {
    let boards = positions(&random_games(12, 40));
    let (_, book) = large_book(&boards);
    for position in &boards {
        let reflected = position.mirrored();
        let (own, other) = (book.moves(position), book.moves(&reflected));
        assert!(own.len() * 2 >= position.legal_moves().len());
        let is_symmetric = BookKey::new(position).orientation == chuhe::book::Orientation::Symmetric;
        let expected = own.iter().map(|found| if is_symmetric { found.mv } else { found.mv.mirrored() });
        assert!(expected.eq(other.iter().map(|found| found.mv)), "{position}");
    }
}

#[test]
fn invalid_paths_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let fault = |path: &std::path::Path| Book::open(path).unwrap_err().to_string();
    assert_eq!(fault(folder.path()), "this is not a regular file");
    assert!(matches!(Book::open(&folder.path().join("missing")), Err(BookError::File(_))));
    let empty = folder.path().join("empty");
    fs::write(&empty, "").unwrap();
    assert_eq!(fault(&empty), "the file is empty");
}

fn after(moves: &str) -> Position {
    let mut position = Position::start();
    position.play(moves.split_whitespace()).unwrap();
    position
}

/// Computed by another program from the description above.
#[test]
fn keys_match_the_description() {
    let kings = Position::from_fen("4k4/9/9/9/9/9/9/9/9/3K5 b").unwrap();
    assert_eq!(BookKey::new(&Position::start()).key, 0xE5B5_3780_B6BE_8172);
    assert_eq!(BookKey::new(&after("h2e2")).key, 0x227F_04D6_2DCF_E191);
    assert_eq!(BookKey::new(&kings).key, 0x9795_D23B_C7C9_AC43);
}

#[test]
fn move_conversion_round_trips() {
    for moves in ["h2e2", "b2e2", "h2e2 h9g7", "c3c4 g6g5 h0g2"] {
        let position = after(moves);
        let book_key = BookKey::new(&position);
        let mirrored = BookKey::new(&position.mirrored());
        assert_eq!(book_key.key, mirrored.key);
        for mv in position.legal_moves() {
            assert_eq!(book_key.from_book(book_key.to_book(mv)), mv);
            assert_eq!(book_key.to_book(mv), mirrored.to_book(mv.mirrored()), "both boards store the same move");
        }
    }
}

#[test]
fn on_a_symmetric_board_a_move_equals_its_mirror_image() {
    let book_key = BookKey::new(&Position::start());
    let [left, right] = ["b2e2", "h2e2"].map(|text| text.parse::<Move>().unwrap());
    assert_eq!((book_key.to_book(left), book_key.to_book(right)), (left, left));
    assert_eq!(book_key.from_book(left), left);
}

#[test]
fn the_key_depends_on_the_side_to_move() {
    let fen = "3k5/9/9/9/9/9/9/9/9/4K4";
    let [red, black] = ["w", "b"].map(|side| Position::from_fen(&format!("{fen} {side}")).unwrap());
    assert_ne!(BookKey::new(&red).key, BookKey::new(&black).key);
}

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
