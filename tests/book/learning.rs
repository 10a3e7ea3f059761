//! Tests that a book learns from games, that all of it can be undone, and that neither a crash nor concurrent writers
//! lose anything.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use chuhe::book::{Book, BookKey, JournalEntry, LearnedValues, LearningBook, Record, Statistics, write};
use chuhe::position::Position;
use chuhe::types::Move;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Three replies to the central cannon, and the first moves after one of them.
const LINES: [(&str, u16); 6] = [
    ("h2e2", 9_000),
    ("c3c4", 4_000),
    ("h2e2 h9g7", 6_000),
    ("h2e2 h7e7", 5_000),
    ("h2e2 b9c7", 2_000),
    ("h2e2 h9g7 h0g2", 8_000),
];

fn moves(line: &str) -> Vec<Move> {
    line.split_whitespace().map(|mv| mv.parse().unwrap()).collect()
}

/// Writes a book file with these lines.
fn make_book(folder: &Path) -> PathBuf {
    let mut records: Vec<Record> = LINES
        .iter()
        .map(|(line, weight)| {
            let line = moves(line);
            let (last, before) = line.split_last().unwrap();
            let mut position = Position::start();
            before.iter().for_each(|&mv| position.make(mv));
            let entry = BookKey::new(&position);
            let (key, mv) = (entry.key, entry.to_book(*last));
            Record { base_weight: *weight, is_verified: true, ..Record::new(key, mv, Statistics::default()) }
        })
        .collect();
    records.sort_by_key(Record::order);
    let path = folder.join("own.book");
    fs::write(&path, write(&records, "lines of a test").unwrap()).unwrap();
    path
}

/// Lines that leave the book.
const NEW_LINES: [&str; 4] = ["h2e2 h9g7 h0g2 i9h9 i0h0", "h2e2 b9c7 h0g2", "c3c4 g6g5 b0c2", "g3g4 c6c5"];
/// Number of plies in which moves are added.
const NEW_PLIES: usize = 4;

/// Random line within the book or beyond.
fn random_line(rng: &mut ChaCha8Rng) -> &'static str {
    let index = rng.random_range(0..LINES.len() + NEW_LINES.len());
    LINES.get(index).map_or_else(|| NEW_LINES[index - LINES.len()], |line| line.0)
}

/// Random game, and its result for Red.
fn random_game(rng: &mut ChaCha8Rng) -> (Vec<Move>, f64) {
    let line = moves(random_line(rng));
    (line, f64::from(rng.random_range(0..=2)) / 2.0)
}

/// Effective weight of a reply.
fn effective_weight(book: &Book, before: &str, mv: &str) -> u32 {
    let mut position = Position::start();
    moves(before).into_iter().for_each(|mv| position.make(mv));
    let known = book.moves(&position).into_iter().find(|known| known.mv.to_string() == mv);
    known.map_or(0, |known| known.effective_weight())
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
    let before = "h2e2";
    let mut lost = 0;
    for number in 0..20 {
        let mut learner = LearningBook::open(&path).unwrap();
        let mut position = Position::start();
        moves(before).into_iter().for_each(|mv| position.make(mv));
        let chosen = learner.book().moves(&position)[0];
        let is_refuted = chosen.mv.to_string() == "h9g7";
        lost += usize::from(is_refuted);
        assert!(number < 3 || !is_refuted, "lost again in game {number}");
        let mut line = moves(before);
        line.push(chosen.mv);
        let points = if is_refuted { 1.0 } else { 0.5 };
        learner.update("a game", &Position::start(), &line, points, NEW_PLIES).unwrap();
    }
    assert!((1..=3).contains(&lost), "{lost}");
    let book = Book::open(&path).unwrap();
    assert!(effective_weight(&book, before, "h9g7") < effective_weight(&book, before, "h7e7"));
    assert_eq!(book.len(), LINES.len(), "no move is removed");
}

#[test]
fn a_kill_at_any_moment_leaves_a_valid_book() {
    let folder = tempfile::tempdir().unwrap();
    let path = make_book(folder.path());
    let original = Book::open(&path).unwrap();
    let journal = folder.path().join("own.book.journal");
    let games = folder.path().join("games.tsv");
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let lines: Vec<String> = (0..200)
        .map(|_| {
            let result = ["1-0", "0-1"][rng.random_range(0..2)];
            format!("{result}\t\t{}\n", random_line(&mut rng))
        })
        .collect();
    fs::write(&games, lines.concat()).unwrap();
    let mut killed = 0;
    for _ in 0..25 {
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
    assert_eq!(
        names(folder.path()),
        ["games.tsv", "own.book", "own.book.journal", "own.book.lock"],
        "nothing else is left"
    );
}

/// What learning changes in the records of a book, by position and move.
fn values_of(book: &Book) -> BTreeMap<(u64, usize, usize), LearnedValues> {
    let values = |record: Record| {
        let games = Some((record.statistics, record.base_weight));
        (record.order(), LearnedValues { games, learned_delta: record.learned_delta })
    };
    book.records().map(values).collect()
}

/// The names of all files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
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
    let error = LearningBook::open(&path).err().unwrap().to_string();
    assert!(error.contains("another book"), "{error}");
    fs::write(&path, learned).unwrap();
    assert_eq!(LearningBook::open(&path).unwrap().games().len(), 2);
    fs::write(&journal, &good).unwrap();
    let bytes = write(&[], "another").unwrap();
    fs::write(&path, bytes).unwrap();
    let error = LearningBook::open(&path).err().unwrap().to_string();
    assert!(error.contains("another book"), "{error}");
}
