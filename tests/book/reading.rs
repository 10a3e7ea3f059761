//! Position keys against values of another program, lookups and weights, merged books, and the built-in book.

use chuhe::book::{Book, BookKey, MAX_DELTA, Orientation, Record, Statistics, merge, weigh, write};
use chuhe::position::Position;

use crate::after;
use crate::common::books::{encoded, record};
use crate::naive::{positions, random_games};

/// A book with every legal move of many positions, with different weights.
fn large_book(boards: &[Position]) -> (Vec<Record>, Book) {
    let mut records = Vec::new();
    for position in boards {
        let entry = BookKey::new(position);
        for mv in position.legal_moves() {
            let statistics = Statistics { wins: records.len() as u32 % 5, draws: 1, losses: 0 };
            let (base_weight, learned_delta) = ((records.len() * 7919 % 50) as u16, (records.len() % 21) as i16 - 10);
            let new = Record::new(entry.key, entry.to_book(mv), statistics);
            records.push(Record { base_weight, learned_delta, ..new });
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
            let found = &moves[index].record;
            ((i32::from(found.base_weight) + i32::from(found.learned_delta)).max(0), found.statistics.games())
        };
        assert!((1..moves.len()).all(|index| order(index - 1) >= order(index)), "sorted by decreasing weight");
        assert!(moves.iter().all(|found| position.can_play(found.mv)));
        // The mirrored position has the mirrored moves.
        let is_symmetric = BookKey::new(position).orientation == Orientation::Symmetric;
        let expected = moves.iter().map(|found| if is_symmetric { found.mv } else { found.mv.mirrored() });
        assert!(expected.eq(book.moves(&position.mirrored()).iter().map(|found| found.mv)), "{position}");
    }
    assert!(found > 5_000);
}

/// Computed by another program from the description above.
#[test]
fn keys_match_the_description() {
    let [red, black] = ["w", "b"].map(|side| Position::from_fen(&format!("4k4/9/9/9/9/9/9/9/9/3K5 {side}")).unwrap());
    assert_eq!(BookKey::new(&Position::start()).key, 0xE5B5_3780_B6BE_8172);
    assert_eq!(BookKey::new(&after("h2e2")).key, 0x227F_04D6_2DCF_E191);
    assert_eq!(BookKey::new(&black).key, 0x9795_D23B_C7C9_AC43);
    assert_ne!(BookKey::new(&red).key, BookKey::new(&black).key);
}

#[test]
fn a_key_that_two_positions_share_yields_no_illegal_move() {
    let new = record("b2e2", 9, [1, 0, 0]);
    let moves = ["a0a9", "e0e1", "e4e5", "h9g7", "b2e2", "i8i9"];
    let book = Book::from_bytes(encoded(moves.map(|mv| Record { mv: mv.parse().unwrap(), ..new }))).unwrap();
    let mut moves: Vec<String> = book.moves(&Position::start()).iter().map(|found| found.mv.to_string()).collect();
    moves.sort();
    assert_eq!(moves, ["b2e2", "e0e1"]);
}

#[test]
fn the_built_in_book_is_its_file_small_verified_and_has_the_common_openings() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/books/default.book");
    let book = Book::embedded();
    assert_eq!(book.bytes(), Book::open(std::path::Path::new(path)).unwrap().bytes());
    assert!(book.bytes().len() <= 4_000_000, "{}", book.bytes().len());
    let keys: std::collections::HashSet<u64> = book.records().map(|record| record.key).collect();
    assert!(keys.len() >= 100_000, "{}", keys.len());
    assert!(book.records().all(|record| record.is_verified));
    let names = "Yu-Han Tseng and Bo-Nian Chen (2026), Chinese Chess Practical Dataset, CC BY 4.0";
    assert!(book.provenance().contains(names), "{}", book.provenance());
    let mut position = Position::start();
    for mv in ["h2e2", "h9g7", "h0g2", "i9h9", "i0h0"] {
        let entry = BookKey::new(&position);
        let expected = entry.to_book(mv.parse().unwrap());
        assert!(book.moves(&position).iter().any(|found| entry.to_book(found.mv) == expected), "{mv} of {position}");
        position.play([mv]).unwrap();
    }
}

fn counted(key: u64, mv: &str, wins: u32, weight: u16, delta: i16) -> Record {
    let statistics = Statistics { wins, draws: 2 * wins, losses: 0 };
    let record = Record::new(key, mv.parse().unwrap(), statistics);
    Record { base_weight: weight, learned_delta: delta, is_verified: wins == 1, ..record }
}

#[test]
fn merging_keeps_positions_of_one_book_and_adds_the_games_of_both() {
    let first = [counted(1, "a0a1", 1, 7, 5), counted(2, "a0a1", 1, 100, -30_000), counted(2, "b0c2", 3, 9, 1)];
    let second = [counted(2, "a0a1", 4, 1, -30_000), counted(2, "a0a2", 1, 3, 2), counted(3, "i0i1", 1, 8, 0)];
    let merged = merge(&first, &second);
    assert_eq!(merged, merge(&second, &first));
    assert_eq!((merged[0], merged[4]), (first[0], second[2]));
    let mut expected = vec![
        Record { is_verified: true, ..counted(2, "a0a1", 5, 0, -MAX_DELTA) },
        counted(2, "a0a2", 1, 0, 2),
        counted(2, "b0c2", 3, 0, 1),
    ];
    weigh(&mut expected);
    assert_eq!(merged[1..4], expected);
    assert_eq!((merge(&first, &[]), merge(&[], &second)), (first.to_vec(), second.to_vec()));
    // Without games the larger weight is kept.
    let first = [counted(2, "a0a1", 0, 100, 0), counted(2, "b0c2", 3, 9, 0)];
    let second = [counted(2, "a0a1", 0, 40, 0), counted(2, "b0c2", 3, 90, 0)];
    let weights: Vec<u16> = merge(&first, &second).iter().map(|record| record.base_weight).collect();
    assert_eq!(weights, [100, 90]);
    // The first preference stays, and does not count as a move without games.
    let preferred = |record: Record, text: &str| Record { preference: text.parse().unwrap(), ..record };
    let (played, unplayed) = (counted(2, "a0a1", 3, 1, 0), counted(2, "b0c2", 0, 0, 0));
    let first = [preferred(played, "50%"), preferred(unplayed, "never")];
    let second = [preferred(played, "always"), preferred(unplayed, "always")];
    let mut expected = [preferred(counted(2, "a0a1", 6, 0, 0), "50%"), first[1]];
    weigh(&mut expected[..1]);
    assert_eq!(merge(&first, &second), expected);
    assert_eq!(merge(&[played], &second[..1])[0].preference, second[0].preference);
}

#[test]
fn weights_follow_the_formula() {
    for (games, expected) in [
        (&[[0, 10, 0]][..], &[10_000][..]),
        // 60 of 100 and 20 of 50 points, 2 more of 4 for each: (62 / 104)² · 4 / 150 · 100, (22 / 54)² · 4 / 3.
        (&[[50, 20, 30], [10, 20, 20]], &[9_477, 2_213]),
        (&[[1, 0, 0]], &[14_400]),
        (&[[16_000_000, 0, 0]], &[40_000]),
        (&[[0, 0, 90_000], [900_000, 0, 0], [0, 0, 0]], &[1, 36_363, 1]),
    ] {
        let mut records: Vec<Record> = games.iter().map(|&games| record("a0a1", 0, games)).collect();
        weigh(&mut records);
        assert!(records.iter().map(|record| record.base_weight).eq(expected.iter().copied()), "{records:?}");
    }
}
