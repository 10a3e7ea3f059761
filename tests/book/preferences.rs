//! Tests preferences: choice weights, and that learning, undoing, merging and text leave them.

use std::fs;

use chuhe::book::{Book, BookKey, LearningBook, Preference, Record, Statistics, export, import, merge, weigh, write};
use chuhe::position::Position;
use chuhe::types::Move;

/// Book with three moves at the start of the game, which scored one half in 60, 30 and 10 games.
fn records() -> Vec<Record> {
    let entry = BookKey::new(&Position::start());
    let record = |(mv, draws): (&str, u32)| {
        let statistics = Statistics { draws, ..Statistics::default() };
        Record::new(entry.key, entry.to_book(mv.parse().unwrap()), statistics)
    };
    let mut records = [("h2e2", 60), ("c3c4", 30), ("b0c2", 10)].map(record).to_vec();
    records.sort_by_key(Record::order);
    weigh(&mut records);
    records
}

/// Moves at the start of the game with their effective weights, the largest first.
fn weights(book: &Book) -> Vec<(String, u32)> {
    let position = Position::start();
    let entry = BookKey::new(&position);
    let found = book.moves(&position).into_iter();
    found.map(|found| (entry.to_book(found.mv).to_string(), found.effective_weight())).collect()
}

fn owned(weights: &[(&str, u32)]) -> Vec<(String, u32)> {
    weights.iter().map(|&(mv, weight)| (mv.to_owned(), weight)).collect()
}

#[test]
fn preferences_decide_the_weight_and_survive_what_changes_the_book() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.book");
    let original = write(&records(), "a test").unwrap();
    fs::write(&path, &original).unwrap();
    let start = Position::start();
    let set = |mv: &str, text: &str| {
        let mut book = LearningBook::open(&path).unwrap();
        let before = book.prefer(&start, mv.parse().unwrap(), text.parse().unwrap()).unwrap();
        assert_eq!(book.book().bytes(), fs::read(&path).unwrap());
        (before.to_string(), weights(book.book()))
    };
    assert_eq!(weights(&Book::open(&path).unwrap()), owned(&[("b2e2", 6_000), ("c3c4", 3_000), ("b0c2", 1_000)]));
    // The mirrored move is the same one.
    let expected = owned(&[("b0c2", 6_000), ("c3c4", 3_000), ("b2e2", 600)]);
    set("h2e2", "10%");
    assert_eq!(set("h0g2", "600%"), ("none".to_owned(), expected));
    let expected = owned(&[("b2e2", 6_000), ("b0c2", 6_000), ("c3c4", 0)]);
    set("b2e2", "none");
    assert_eq!(set("c3c4", "never"), ("none".to_owned(), expected));
    // A move that the book does not have.
    let only_a_pawn = owned(&[("a3a4", 1), ("b2e2", 0), ("c3c4", 0), ("b0c2", 0)]);
    assert_eq!(set("a3a4", "always"), ("none".to_owned(), only_a_pawn));

    let preferred = fs::read(&path).unwrap();
    let mut learner = LearningBook::open(&path).unwrap();
    for (line, points) in [("a3a4 a9a8", 0.0), ("c3c4 g6g5", 1.0), ("a3a4", 1.0), ("i0i1", 1.0)] {
        let line: Vec<Move> = line.split(' ').map(|mv| mv.parse().unwrap()).collect();
        learner.update("a game", &start, &line, points, 40).unwrap();
    }
    let preferences = |book: &Book| -> Vec<String> {
        let records = book.records().filter(|record| record.preference != Preference::NONE);
        records.map(|record| format!("{} {}", record.mv, record.preference)).collect()
    };
    let expected = ["b0c2 600%", "a3a4 always", "c3c4 never"];
    assert_eq!(preferences(learner.book()), expected);
    let learned = Book::from_bytes(learner.book().bytes().to_vec()).unwrap();
    let pawn = learned.moves(&start)[0];
    assert_eq!((pawn.statistics.wins, pawn.statistics.losses), (1, 1));
    assert_eq!(weights(&learned).iter().filter(|(_, weight)| *weight > 0).count(), 1);
    assert_eq!(import(&export(&learned)).unwrap(), learned.bytes());
    let all: Vec<Record> = learned.records().collect();
    for merged in [merge(&all, &records()), merge(&records(), &all)] {
        assert_eq!(preferences(&Book::from_bytes(write(&merged, "").unwrap()).unwrap()), expected);
    }
    while learner.undo().unwrap().is_some() {}
    assert_eq!(fs::read(&path).unwrap(), preferred);
    drop(learner);
    // Without preferences it is the original book, in the format of older programs.
    for mv in ["h0g2", "i3i4", "c3c4"] {
        set(mv, "none");
    }
    assert_eq!(fs::read(&path).unwrap(), original);
    assert_eq!(original[8], 1);
    assert_eq!(preferred[8], 2);
}

#[test]
fn preferences_may_change_between_learning_and_undoing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.book");
    let original = write(&records(), "a test").unwrap();
    fs::write(&path, &original).unwrap();
    let (start, mv) = (Position::start(), "a3a4".parse().unwrap());
    let mut book = LearningBook::open(&path).unwrap();
    book.prefer(&start, mv, Preference::NEVER).unwrap();
    book.update("a game", &start, &[mv], 1.0, 40).unwrap();
    book.prefer(&start, mv, Preference::NONE).unwrap();
    drop(book);
    let mut book = LearningBook::open(&path).unwrap();
    book.prefer(&start, "h2e2".parse().unwrap(), Preference::ALWAYS).unwrap();
    assert_eq!(book.book().len(), 4, "the game is still in the book");
    book.undo().unwrap();
    book.prefer(&start, "h2e2".parse().unwrap(), Preference::NONE).unwrap();
    assert_eq!(fs::read(&path).unwrap(), original);
}
