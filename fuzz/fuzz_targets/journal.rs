//! Journals of matches and of book learning: a journal that is accepted is read the same again, and its games can be
//! undone.
#![no_main]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use chuhe::book::{self, LearningBook};
use chuhe::commands::matches::journal;
use chuhe::position::Position;
use chuhe_fuzz::changed;
use libfuzzer_sys::fuzz_target;

/// Journal of a match with three games, one of which has a text for a PGN file.
const MATCH: &str = "{\"chuhe_match\":1,\"settings\":{\"nodes\":\"9\"}}\n\
    {\"game\":1,\"result\":\"1-0\",\"fault\":null,\"efforts\":[EFFORT,EFFORT]}\n\
    {\"game\":2,\"result\":\"0-1\",\"fault\":{\"side\":\"red\",\"kind\":\"timeout\"},\"efforts\":[EFFORT,EFFORT],\
    \"entry\":{\"file\":\"/a\",\"text\":\"x\"}}\n\
    {\"game\":3,\"result\":\"1/2-1/2\",\"fault\":null,\"efforts\":[EFFORT,EFFORT]}\n";

/// A book that learned from two games, and its journal without checksums.
static LEARNED: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("book");
    std::fs::write(&path, book::write(&[], "").expect("an empty book")).expect("it can be written");
    let mut learning = LearningBook::open(&path).expect("the book is valid");
    for line in ["h2e2 h9g7 h0g2", "h2e2 b9c7 c3c4"] {
        let moves: Vec<_> = line.split(' ').map(|word| word.parse().expect("a move")).collect();
        learning.update(line, &Position::start(), &moves, 1.0, 4).expect("it can be written");
    }
    let journal = std::fs::read_to_string(book::journal_path(&path)).expect("it was written");
    // The fuzzer cannot guess checksums, and lines without one are read as well.
    let length_of_checksum = ",\"crc32\":\"01234567\"}".len();
    let lines: String =
        journal.lines().map(|line| line[..line.len() - length_of_checksum].to_owned() + "}\n").collect();
    [std::fs::read(&path).expect("it was written"), lines.into_bytes()]
});

fn examine_match(bytes: &[u8]) {
    let Ok(folder) = tempfile::tempdir() else { return };
    let path = folder.path().join("journal");
    if std::fs::write(&path, bytes).is_err() {
        return;
    }
    let settings = BTreeMap::from([("nodes".to_owned(), "9".to_owned())]);
    match journal::open(&path, &settings).map(|(_, state)| state) {
        Ok(state) => {
            let (_, again) = journal::open(&path, &settings).expect("it was accepted before");
            assert_eq!(again.games, state.games);
            assert_eq!((again.not_started, again.repeated), (state.not_started, state.repeated));
            let is_whole = |bytes: Vec<u8>| bytes.ends_with(b"\n");
            assert!(is_whole(std::fs::read(&path).expect("it is there")), "the next game begins a line");
        }
        Err(error) => {
            drop(error.to_string());
            assert_eq!(std::fs::read(&path).expect("it is there"), bytes);
        }
    }
}

fn examine_learning(journal: &[u8]) {
    let Ok(folder) = tempfile::tempdir() else { return };
    let path = folder.path().join("book");
    if std::fs::write(&path, &LEARNED[0]).is_err() || std::fs::write(book::journal_path(&path), journal).is_err() {
        return;
    }
    match LearningBook::open(&path) {
        Ok(mut learning) => {
            let games = learning.games().len();
            for left in (0..games.min(4)).rev() {
                match learning.undo() {
                    Ok(undone) => assert!(undone.is_some() && learning.games().len() == games - games.min(4) + left),
                    Err(error) => return drop(error.to_string()),
                }
            }
            drop(learning);
            drop(LearningBook::open(&path).map_err(|error| error.to_string()));
        }
        Err(error) => drop(error.to_string()),
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((&choice, rest)) = input.split_first() else { return };
    match choice % 3 {
        0 => {
            let effort = "{\"nodes\":5,\"moves\":2}";
            examine_match(&changed(MATCH.replace("EFFORT", effort).as_bytes(), rest));
        }
        1 => examine_learning(rest),
        _ => examine_learning(&changed(&LEARNED[1], rest)),
    }
});
