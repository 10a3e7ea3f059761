//! Tests lookups in books in memory and in files.

use std::fs;

use chuhe::book::{Book, BookError, BookKey, Record, Statistics, write};
use chuhe::position::Position;

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
fn a_book_file_can_be_replaced_while_open() {
    let boards = positions(&random_games(13, 10));
    let (_, book) = large_book(&boards);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.book");
    fs::write(&path, book.bytes()).unwrap();
    let opened = Book::open(&path).unwrap();
    let copy = opened.clone();
    assert_eq!((opened.bytes(), opened.provenance()), (book.bytes(), "all moves"));
    // Programs replace files by renaming.
    let other = folder.path().join("other.book");
    fs::write(&other, write(&[], "").unwrap()).unwrap();
    #[cfg(unix)]
    fs::rename(&other, &path).unwrap();
    drop(opened);
    for position in &boards {
        assert_eq!(copy.moves(position), book.moves(position));
    }
}

#[test]
fn invalid_paths_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(Book::open(folder.path()), Err(BookError::NotRegular)));
    assert!(matches!(Book::open(&folder.path().join("missing")), Err(BookError::File(_))));
    let empty = folder.path().join("empty");
    fs::write(&empty, "").unwrap();
    assert!(matches!(Book::open(&empty), Err(BookError::Empty)));
}
