//! Learning: what games add to a book, with a witness that counts by boards as text; that all of it can be undone, also
//! by journals of older programs; that neither a crash nor concurrent writers lose anything; and preferences.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use chuhe::book::{
    Book, BookKey, JournalEntry, LearnedValues, LearningBook, Preference, Record, Statistics, export, import,
    learning_update, merge, weigh, write,
};
use chuhe::position::Position;
use chuhe::types::{Move, Side};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::after;
use crate::common::books::{encoded, record};
use crate::common::data::moves;
use crate::naive::{name_of, random_games, results_of};

/// Three replies to the central cannon, and the first moves after one of them.
const LINES: [(&str, u16); 6] = [
    ("h2e2", 9_000),
    ("c3c4", 4_000),
    ("h2e2 h9g7", 6_000),
    ("h2e2 h7e7", 5_000),
    ("h2e2 b9c7", 2_000),
    ("h2e2 h9g7 h0g2", 8_000),
];

fn book_file(folder: &Path, records: impl IntoIterator<Item = Record>) -> PathBuf {
    let path = folder.join("own.book");
    fs::write(&path, encoded(records)).unwrap();
    path
}

fn make_book(folder: &Path) -> PathBuf {
    book_file(folder, LINES.map(|(line, weight)| Record { is_verified: true, ..record(line, weight, [0; 3]) }))
}

const NEW_LINES: [&str; 4] = ["h2e2 h9g7 h0g2 i9h9 i0h0", "h2e2 b9c7 h0g2", "c3c4 g6g5 b0c2", "g3g4 c6c5"];
const NEW_PLIES: usize = 4;

fn random_line(rng: &mut ChaCha8Rng) -> &'static str {
    let index = rng.random_range(0..LINES.len() + NEW_LINES.len());
    LINES.get(index).map_or_else(|| NEW_LINES[index - LINES.len()], |line| line.0)
}

fn random_game(rng: &mut ChaCha8Rng) -> (Vec<Move>, f64) {
    let line = moves(random_line(rng));
    (line, f64::from(rng.random_range(0..=2)) / 2.0)
}

#[test]
fn learning_can_be_undone_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let path = make_book(folder.path());
    let mut states = vec![fs::read(&path).unwrap()];
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for number in 0..60 {
        let (line, points) = random_game(&mut rng);
        // Open the book again for each game, as another program would.
        let mut learner = LearningBook::open(&path).unwrap();
        let game = format!("game {number}");
        if learner.update(&game, &Position::start(), &line, points, NEW_PLIES).unwrap().is_some() {
            states.push(fs::read(&path).unwrap());
        }
        assert_eq!(learner.games().len() + 1, states.len());
        assert_eq!(learner.book().bytes(), fs::read(&path).unwrap());
    }
    assert!(states.len() > 30 && states.windows(2).all(|two| two[0] != two[1]));
    let mut learner = LearningBook::open(&path).unwrap();
    while states.len() > 1 {
        assert_eq!(fs::read(&path).unwrap(), states.pop().unwrap());
        assert!(learner.undo().unwrap().is_some());
    }
    assert_eq!(fs::read(&path).unwrap(), states[0], "the original book");
    assert_eq!(learner.undo().unwrap(), None);
}

#[test]
fn a_refuted_line_is_avoided_after_at_most_three_losses() {
    let folder = tempfile::tempdir().unwrap();
    let path = make_book(folder.path());
    let mut lost = 0;
    for number in 0..20 {
        let mut learner = LearningBook::open(&path).unwrap();
        let chosen = learner.book().moves(&after("h2e2"))[0].mv;
        let is_refuted = chosen.to_string() == "h9g7";
        lost += usize::from(is_refuted);
        assert!(number < 3 || !is_refuted, "lost again in game {number}");
        let line = [moves("h2e2"), vec![chosen]].concat();
        let points = if is_refuted { 1.0 } else { 0.5 };
        learner.update("a game", &Position::start(), &line, points, NEW_PLIES).unwrap();
    }
    assert!((1..=3).contains(&lost), "{lost}");
    assert_eq!(Book::open(&path).unwrap().len(), LINES.len(), "no move is removed");
}

#[test]
fn a_kill_at_any_moment_leaves_a_valid_book() {
    let folder = tempfile::tempdir().unwrap();
    let path = make_book(folder.path());
    let original = Book::open(&path).unwrap();
    let journal = folder.path().join("own.book.journal");
    let games = folder.path().join("games.tsv");
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut line = |_| format!("{}\t\t{}\n", ["1-0", "0-1"][rng.random_range(0..2)], random_line(&mut rng));
    fs::write(&games, (0..200).map(&mut line).collect::<String>()).unwrap();
    let mut killed = 0;
    for _ in 0..12 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
        command.args(["book", "learn"]).arg(&path).arg(&games).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        // Kill it as soon as the journal has grown this far.
        let length = || fs::metadata(&journal).map_or(0, |file| file.len());
        let far = length() + rng.random_range(0..4_000);
        while length() < far && child.try_wait().unwrap().is_none() {
            std::hint::spin_loop();
        }
        killed += usize::from(child.try_wait().unwrap().is_none());
        let _ = child.kill();
        child.wait().unwrap();
        // The book is valid and matches the journal, possibly without its last line.
        let found = Book::open(&path).unwrap();
        let learner = LearningBook::open(&path).unwrap();
        let replayed = |games: usize| {
            let mut values = values_of(&original);
            for change in learner.games()[..games].iter().flat_map(|game| &game.changes) {
                let key = (change.key, change.mv.from().index(), change.mv.to().index());
                assert_eq!(values.get(&key).copied(), change.before);
                values.insert(key, change.after.unwrap());
            }
            values
        };
        let all = learner.games().len();
        assert_eq!(values_of(learner.book()), replayed(all));
        assert!([all, all.saturating_sub(1)].into_iter().any(|games| values_of(&found) == replayed(games)));
    }
    assert!(killed > 0, "no program was killed before its end");
    let mut learner = LearningBook::open(&path).unwrap();
    assert!(!learner.games().is_empty(), "no program learned anything");
    while learner.undo().unwrap().is_some() {}
    assert_eq!(fs::read(&path).unwrap(), original.bytes());
    let mut names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["games.tsv", "own.book", "own.book.journal", "own.book.lock"], "nothing else is left");
}

fn values_of(book: &Book) -> BTreeMap<(u64, usize, usize), LearnedValues> {
    book.records().map(|record| (record.order(), LearnedValues::of(&record))).collect()
}

#[test]
fn a_journal_is_read_while_another_program_learns() {
    let folder = tempfile::tempdir().unwrap();
    let path = make_book(folder.path());
    assert_eq!(JournalEntry::read_all(&path).unwrap(), []);
    let mut learner = LearningBook::open(&path).unwrap();
    learner.update("a game", &Position::start(), &moves("h2e2 h9g7"), 1.0, NEW_PLIES).unwrap();
    assert_eq!(JournalEntry::read_all(&path).unwrap(), learner.games());
    assert!(JournalEntry::read_all(&folder.path().join("missing.book")).is_err());
    fs::write(folder.path().join("none.book"), "no book").unwrap();
    assert!(JournalEntry::read_all(&folder.path().join("none.book")).is_err());
}

#[test]
fn a_journal_that_does_not_match_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = make_book(folder.path());
    let journal = folder.path().join("own.book.journal");
    let mut learner = LearningBook::open(&path).unwrap();
    for _ in 0..2 {
        learner.update("a game", &Position::start(), &moves("h2e2 h9g7"), 1.0, NEW_PLIES).unwrap();
    }
    drop(learner);
    let good = fs::read_to_string(&journal).unwrap();
    assert_eq!(good.lines().count(), 3, "a header and two games");
    // An incomplete last line is ignored.
    fs::write(&journal, format!("{good}{{\"game\":\"ga")).unwrap();
    assert_eq!(LearningBook::open(&path).unwrap().games().len(), 2);
    assert_eq!(fs::read_to_string(&journal).unwrap(), good);
    // Damage to a complete line is an error.
    fs::write(&journal, good.replacen("a game", "b game", 1)).unwrap();
    let error = LearningBook::open(&path).err().unwrap().to_string();
    assert!(error.contains("line 2 is damaged"), "{error}");
    fs::write(&journal, good.trim_end().rsplit_once('a').map(|(front, back)| format!("{front}b{back}\n")).unwrap())
        .unwrap();
    let error = LearningBook::open(&path).err().unwrap().to_string();
    assert!(error.contains("line 3 is damaged"), "also in a complete last line: {error}");
    // The same book in its original state, or another one under its name.
    fs::write(&journal, &good).unwrap();
    let learned = fs::read(&path).unwrap();
    make_book(folder.path());
    for other in [fs::read(&path).unwrap(), write(&[], "another").unwrap()] {
        fs::write(&path, other).unwrap();
        let error = LearningBook::open(&path).err().unwrap().to_string();
        assert!(error.contains("another book"), "{error}");
    }
    fs::write(&path, learned).unwrap();
    assert_eq!(LearningBook::open(&path).unwrap().games().len(), 2);
}

#[test]
fn games_add_their_results_and_the_moves_of_sides_that_did_not_lose() {
    const NEW_PLIES: usize = 9;
    let folder = tempfile::tempdir().unwrap();
    let mut learner = LearningBook::open(&book_file(folder.path(), [])).unwrap();
    let games = random_games(7, 150);
    let mut added = 0;
    for game in &games {
        let Some(points) = game.result.points(Side::Red) else { continue };
        let learned = learner.update("a game", &game.start, &game.line(), points, NEW_PLIES).unwrap();
        added += learned.map_or(0, |game| game.added());
    }
    let witness = results_of(&games, |ply, is_known, has_lost| is_known || ply < NEW_PLIES && !has_lost);
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
            assert_eq!(found.map(|found| found.record.statistics), expected, "{mv} in {position}");
            let records: Vec<Record> = book.records_of(BookKey::new(&position).key).collect();
            let mut weighed = records.clone();
            weigh(&mut weighed);
            assert_eq!(records, weighed, "the weights are those of the games");
            position.make(mv);
        }
    }
}

#[test]
fn weights_without_games_stay_and_a_new_move_begins_with_the_smallest() {
    let book = Book::from_bytes(encoded([record("h2e2", 900, [0; 3]), record("c3c4", 40, [1, 0, 0])])).unwrap();
    let learned = |mv: &str, points| learning_update(&book, &Position::start(), &moves(mv), points, 1);
    let [change] = learned("g3g4", 0.5)[..] else { panic!("one change") };
    assert_eq!(change, learned("c3c4", 0.5)[0], "its mirror image");
    let [change] = learned("a3a4", 0.8)[..] else { panic!("one change") };
    let result = Statistics { wins: 1, ..Statistics::default() };
    let after = change.after.unwrap();
    assert_eq!((change.before, after.statistics, after.base_weight), (None, result, 40));
    assert_eq!(learned("a3a4", 0.2), [], "a lost move is not added");
    assert_eq!(learning_update(&book, &Position::start(), &moves("a3a4"), 1.0, 0), []);
    let [change] = learned("h2e2", 0.5)[..] else { panic!("one change") };
    let after = change.after.unwrap();
    assert_eq!((after.statistics, after.base_weight), (Statistics { draws: 1, ..Statistics::default() }, 900));
    assert_eq!(learned("h2e2", 0.26)[0].after.unwrap().statistics.draws, 1, "hardly lost is drawn");
}

/// Learned changes that a game causes for the last moves of these lines.
fn deltas(book: &Book, game: &str, points: f64, lines: &[&str]) -> Vec<i32> {
    let changes = learning_update(book, &Position::start(), &moves(game), points, 0);
    let of = |line: &&str| {
        let order = record(line, 0, [0; 3]).order();
        let change =
            changes.iter().find(|change| Record::new(change.key, change.mv, Statistics::default()).order() == order);
        let delta = |values: Option<LearnedValues>| values.map_or(0, |values| i32::from(values.learned_delta));
        change.map_or(0, |change| delta(change.after) - delta(change.before))
    };
    lines.iter().map(of).collect()
}

#[test]
fn the_last_move_of_a_side_changes_most_and_by_its_own_result() {
    let lines = [("h2e2", 1_000), ("h2e2 h9g7", 800), ("h2e2 h9g7 h0g2", 500), ("c3c4", 600)];
    let book = Book::from_bytes(encoded(lines.map(|(line, weight)| record(line, weight, [0; 3])))).unwrap();
    for (game, points, expected) in [
        ("h2e2 h9g7 h0g2 b9c7 b0c2", 1.0, [300, -480, 300, 0]),
        ("h2e2 h9g7 h0g2 b9c7 b0c2", 0.0, [-300, 480, -300, 0]),
        ("h2e2 h9g7 h0g2 b9c7 b0c2", 0.5, [0; 4]),
        // The mirrored game has the same effect.
        ("b2e2 b9c7 b0c2 h9g7", 1.0, [300, -480, 300, 0]),
        ("a0a1", 1.0, [0; 4]),
    ] {
        assert_eq!(deltas(&book, game, points, &lines.map(|(line, _)| line)), expected, "{game} {points}");
    }
}

#[test]
fn learned_deltas_stay_in_bounds_and_decay() {
    let book = |weights: [u16; 2], deltas: [i16; 2]| {
        let of = |line, index: usize| Record { learned_delta: deltas[index], ..record(line, weights[index], [0; 3]) };
        Book::from_bytes(encoded([of("h2e2", 0), of("c3c4", 1)])).unwrap()
    };
    // Games with the first move, lost or drawn, and the deltas after them.
    let after = |games: usize, points: f64, weights: [u16; 2], mut learned: [i16; 2]| {
        for _ in 0..games {
            let change = deltas(&book(weights, learned), "h2e2", points, &["h2e2", "c3c4"]);
            learned = [0, 1].map(|index| learned[index] + change[index] as i16);
            assert!(i32::from(learned[0]) + i32::from(weights[0]) >= 0, "never below zero");
        }
        learned
    };
    let [lost, other] = after(30, 0.0, [1_000, 4_000], [0, 2_000]);
    assert!(lost == -1_000 && (1_500..2_000).contains(&other), "{lost} {other}");
    for few in [-200, -5, 5, 200] {
        assert_eq!(after(200, 0.5, [1_000, 400], [0, few]), [0, 0], "{few} decays to zero");
    }
    assert_eq!(after(1, 1.0, [60_000, 1], [32_700, 0]), [32_767, 0], "no overflow");
}

#[test]
fn journals_with_checksums_in_front_can_be_undone() {
    let folder = tempfile::tempdir().unwrap();
    let [cannon, pawn] = [record("h2e2", 900, [3, 0, 0]), record("c3c4", 40, [1, 0, 0])];
    let path = book_file(folder.path(), [cannon, pawn]);
    let before = fs::read(&path).unwrap();
    let after = encoded([Record { learned_delta: -25, ..cannon }, pawn]);
    let Record { key, mv, .. } = cannon;
    let books = [&before, &after].map(|bytes| crc32fast::hash(bytes));
    let json = format!(
        r#"{{"game":"a game","books":{books:?},"changes":[["{key:016x}","{mv}",[3,0,0,900,0],[3,0,0,900,-25]]]}}"#
    );
    let line = format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes()));
    fs::write(folder.path().join("own.book.journal"), line).unwrap();
    // The book was not yet replaced.
    let mut learner = LearningBook::open(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), after);
    learner.update("another", &Position::start(), &moves("c3c4"), 1.0, 40).unwrap();
    assert_eq!((learner.games()[0].added(), learner.games().len()), (0, 2));
    for expected in [&after, &before] {
        assert!(learner.undo().unwrap().is_some());
        assert_eq!(&fs::read(&path).unwrap(), expected);
    }
}

/// Book with three moves at the start of the game, which scored one half in 60, 30 and 10 games.
fn records() -> Vec<Record> {
    let mut records =
        [("h2e2", 60), ("c3c4", 30), ("b0c2", 10)].map(|(mv, draws)| record(mv, 0, [0, draws, 0])).to_vec();
    records.sort_by_key(Record::order);
    weigh(&mut records);
    records
}

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
    let original = encoded(records());
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
        learner.update("a game", &start, &moves(line), points, 40).unwrap();
    }
    let preferences = |book: &Book| -> Vec<String> {
        let records = book.records().filter(|record| record.preference != Preference::NONE);
        records.map(|record| format!("{} {}", record.mv, record.preference)).collect()
    };
    let expected = ["b0c2 600%", "a3a4 always", "c3c4 never"];
    assert_eq!(preferences(learner.book()), expected);
    let learned = Book::from_bytes(learner.book().bytes().to_vec()).unwrap();
    let pawn = learned.moves(&start)[0].record;
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
    assert_eq!((fs::read(&path).unwrap() == original, original[8], preferred[8]), (true, 1, 2));
    // They may change between learning and undoing.
    let mut book = LearningBook::open(&path).unwrap();
    let [mv, other] = ["a3a4", "h2e2"].map(|mv| mv.parse().unwrap());
    book.prefer(&start, mv, Preference::NEVER).unwrap();
    book.update("a game", &start, &[mv], 1.0, 40).unwrap();
    book.prefer(&start, mv, Preference::NONE).unwrap();
    drop(book);
    let mut book = LearningBook::open(&path).unwrap();
    book.prefer(&start, other, Preference::ALWAYS).unwrap();
    assert_eq!(book.book().len(), 4, "the game is still in the book");
    book.undo().unwrap();
    book.prefer(&start, other, Preference::NONE).unwrap();
    assert_eq!(fs::read(&path).unwrap(), original);
}
