//! Tests what learning adds to a book, with a witness that counts by boards as text, and journals of older programs.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use chuhe::book::{Book, BookKey, LearningBook, Record, Statistics, learning_update, weigh, write};
use chuhe::notation::game::GameResult;
use chuhe::position::Position;
use chuhe::types::{Move, Side};

use crate::naive::random_games;

fn book_file(folder: &Path, records: &mut [Record]) -> PathBuf {
    records.sort_by_key(Record::order);
    let path = folder.join("own.book");
    fs::write(&path, write(records, "a test").unwrap()).unwrap();
    path
}

/// Board and move, or their mirror images, as text.
fn name_of(position: &Position, mv: Move) -> (String, String) {
    let text =
        |position: &Position, mv: Move| (position.to_string().split(" - ").next().unwrap().to_owned(), mv.to_string());
    text(position, mv).min(text(&position.mirrored(), mv.mirrored()))
}

#[test]
fn games_add_their_results_and_the_moves_of_sides_that_did_not_lose() {
    const NEW_PLIES: usize = 9;
    let folder = tempfile::tempdir().unwrap();
    let mut learner = LearningBook::open(&book_file(folder.path(), &mut [])).unwrap();
    let mut witness: HashMap<(String, String), Statistics> = HashMap::new();
    let games = random_games(7, 150);
    let mut added = 0;
    for game in &games {
        let Some(points) = game.result.points(Side::Red) else { continue };
        let learned = learner.update("a game", &game.start, &game.line(), points, NEW_PLIES).unwrap();
        added += learned.map_or(0, |game| game.added());
        let (mut position, mut seen) = (game.start.clone(), HashSet::new());
        for (ply, mv) in game.line().into_iter().enumerate() {
            let (name, side) = (name_of(&position, mv), position.side());
            position.make(mv);
            let has_lost = game.result == GameResult::win_of(side.opponent());
            let is_counted = witness.contains_key(&name) || ply < NEW_PLIES && !has_lost;
            if is_counted && seen.insert(name.clone()) {
                let results = witness.entry(name).or_default();
                match game.result {
                    GameResult::Draw => results.draws += 1,
                    _ if has_lost => results.losses += 1,
                    _ => results.wins += 1,
                }
            }
        }
    }
    let book = learner.book();
    assert_eq!((book.len(), added), (witness.len(), witness.len()));
    assert!(witness.values().any(|results| results.losses > 0) && witness.values().any(|results| results.games() > 9));
    for game in &games {
        let mut position = game.start.clone();
        for mv in game.line() {
            let found = book.moves(&position).into_iter().find(|found| {
                let name = |mv| name_of(&position, mv);
                name(found.mv) == name(mv)
            });
            let expected = witness.get(&name_of(&position, mv)).copied();
            assert_eq!(found.map(|found| found.statistics), expected, "{mv} in {position}");
            let records: Vec<Record> = book.records_of(BookKey::new(&position).key).collect();
            let mut weighed = records.clone();
            weigh(&mut weighed);
            assert_eq!(records, weighed, "the weights are those of the games");
            position.make(mv);
        }
    }
}

/// Records of these moves at the start of the game, with wins and a base weight each.
fn records(moves: &[(&str, u32, u16)]) -> Vec<Record> {
    let entry = BookKey::new(&Position::start());
    let record = |&(mv, wins, base_weight): &(&str, u32, u16)| {
        let mv = entry.to_book(mv.parse().unwrap());
        Record { base_weight, ..Record::new(entry.key, mv, Statistics { wins, ..Statistics::default() }) }
    };
    let mut records: Vec<Record> = moves.iter().map(record).collect();
    records.sort_by_key(Record::order);
    records
}

#[test]
fn weights_without_games_stay_and_a_new_move_begins_with_the_smallest() {
    let book = Book::from_bytes(write(&records(&[("h2e2", 0, 900), ("c3c4", 1, 40)]), "").unwrap()).unwrap();
    let learned = |mv: &str, points| learning_update(&book, &Position::start(), &[mv.parse().unwrap()], points, 1);
    let [change] = learned("g3g4", 0.5)[..] else { panic!("one change") };
    assert_eq!(change, learned("c3c4", 0.5)[0], "its mirror image");
    let [change] = learned("a3a4", 0.8)[..] else { panic!("one change") };
    let result = Statistics { wins: 1, ..Statistics::default() };
    assert_eq!((change.before, change.after.unwrap().games), (None, Some((result, 40))));
    assert_eq!(learned("a3a4", 0.2), [], "a lost move is not added");
    assert_eq!(learning_update(&book, &Position::start(), &["a3a4".parse().unwrap()], 1.0, 0), []);
    let [change] = learned("h2e2", 0.5)[..] else { panic!("one change") };
    assert_eq!(change.after.unwrap().games, Some((Statistics { draws: 1, ..Statistics::default() }, 900)));
    assert_eq!(learned("h2e2", 0.26)[0].after.unwrap().games.unwrap().0.draws, 1, "hardly lost is drawn");
}

#[test]
fn journals_of_programs_that_learned_weights_only_can_be_undone() {
    let folder = tempfile::tempdir().unwrap();
    let mut records = records(&[("h2e2", 3, 900), ("c3c4", 1, 40)]);
    let path = book_file(folder.path(), &mut records);
    let before = fs::read(&path).unwrap();
    records[0].learned_delta = -25;
    let after = write(&records, "a test").unwrap();
    let (key, mv) = (records[0].key, records[0].mv);
    let books = [&before, &after].map(|bytes| crc32fast::hash(bytes));
    let json = format!(r#"{{"game":"a game","books":{books:?},"changes":[["{key:016x}","{mv}",0,-25]]}}"#);
    let line = format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes()));
    fs::write(folder.path().join("own.book.journal"), line).unwrap();
    // The book was not yet replaced.
    let mut learner = LearningBook::open(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), after);
    learner.update("another", &Position::start(), &["c3c4".parse().unwrap()], 1.0, 40).unwrap();
    assert_eq!((learner.games()[0].added(), learner.games().len()), (0, 2));
    for expected in [&after, &before] {
        assert!(learner.undo().unwrap().is_some());
        assert_eq!(&fs::read(&path).unwrap(), expected);
    }
}
