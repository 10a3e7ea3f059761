//! Tests the journal of a match: cut anywhere, joined from shards, damaged, or another file.

use std::collections::BTreeMap;
use std::time::Duration;

use chuhe::commands::matches::journal::{Entry, GameLine, Journal, JournalError, Settings};
use chuhe::commands::matches::{FaultKind, GameRecord, PlayedMove, Summary};
use chuhe::notation::game::GameResult;
use chuhe::notation::openings::Opening;
use chuhe::types::Side;

fn record(number: u64, result: GameResult) -> GameRecord {
    let played = PlayedMove {
        mv: "h2e2".parse().unwrap(),
        score: Some(12),
        depth: Some(5),
        nodes: Some(1000),
        elapsed: Duration::from_micros(1500),
        own_time: None,
        uncounted_time: Duration::ZERO,
        growth: None,
    };
    let fault = (number == 2).then_some((Side::Black, FaultKind::Hang));
    let reason = "Black is \"checkmated\"\n".to_owned();
    GameRecord { number, opening: Opening::default(), moves: vec![played], result, reason, fault }
}

fn settings() -> Settings {
    Settings::from([("rules".to_owned(), "computer".to_owned()), ("time".to_owned(), "1+0.01".to_owned())])
}

#[test]
fn a_match_resumes_where_it_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    let (mut journal, resumed) = Journal::open(&path, &settings()).unwrap();
    assert!(resumed.games.is_empty());
    let records = [record(1, GameResult::Draw), record(0, GameResult::RedWins), record(2, GameResult::RedWins)];
    for record in &records {
        journal.add(&GameLine::new(record, ["A", "B"])).unwrap();
    }
    drop(journal);
    let whole = std::fs::read(&path).unwrap();

    // Truncation at any byte loses at most the truncated game.
    let ends: Vec<usize> = (0..whole.len()).filter(|&at| whole[at] == b'\n').collect();
    for length in (ends[0] + 1..=whole.len()).step_by(7).chain([whole.len()]) {
        std::fs::write(&path, &whole[..length]).unwrap();
        let (mut journal, resumed) = Journal::open(&path, &settings()).unwrap();
        let complete = ends.iter().filter(|&&end| end < length).count() - 1;
        assert_eq!(resumed.games.len(), complete);
        for record in &records[..complete] {
            assert_eq!(resumed.games[&record.number], Summary::from_record(record));
        }
        let is_torn = !ends.iter().any(|&end| end + 1 == length);
        assert_eq!(resumed.faulty_lines.len(), usize::from(is_torn));
        journal.add(&GameLine::new(&record(7, GameResult::Draw), ["A", "B"])).unwrap();
        drop(journal);
        assert_eq!(Journal::open(&path, &settings()).unwrap().1.games.len(), complete + 1);
    }

    // Without its first line end a journal has no game, and begins again.
    let parts = (0..=ends[0]).map(|length| whole[..length].to_vec()).chain([vec![0; 1], vec![0; 4096]]);
    for part in parts {
        std::fs::write(&path, &part).unwrap();
        let (mut journal, resumed) = Journal::open(&path, &settings()).unwrap();
        assert_eq!((resumed.games.len(), resumed.faulty_lines.len()), (0, 0));
        for record in &records {
            journal.add(&GameLine::new(record, ["A", "B"])).unwrap();
        }
        drop(journal);
        assert_eq!(std::fs::read(&path).unwrap(), whole);
    }
}

#[test]
fn a_game_that_an_engine_was_not_started_for_is_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    let (mut journal, _) = Journal::open(&path, &settings()).unwrap();
    let not_started = |number| GameRecord {
        moves: Vec::new(),
        fault: Some((Side::Red, FaultKind::Start)),
        ..record(number, GameResult::BlackWins)
    };
    for record in [record(0, GameResult::Draw), not_started(1), not_started(2), not_started(2)] {
        journal.add(&GameLine::new(&record, ["A", "B"])).unwrap();
    }
    drop(journal);
    let (mut journal, resumed) = Journal::open(&path, &settings()).unwrap();
    assert_eq!((resumed.games.keys().copied().collect::<Vec<_>>(), resumed.not_started), (vec![0], 2));
    journal.add(&GameLine::new(&record(2, GameResult::RedWins), ["A", "B"])).unwrap();
    drop(journal);
    let resumed = Journal::open(&path, &settings()).unwrap().1;
    assert_eq!((resumed.games.keys().copied().collect::<Vec<_>>(), resumed.not_started), (vec![0, 2], 1));
    assert_eq!((resumed.games[&2].result, resumed.repeated), (GameResult::RedWins, 0));
    // In whatever order the journals of several machines are joined.
    let (mut journal, _) = Journal::open(&path, &settings()).unwrap();
    journal.add(&GameLine::new(&not_started(0), ["A", "B"])).unwrap();
    drop(journal);
    let resumed = Journal::open(&path, &settings()).unwrap().1;
    assert_eq!((resumed.games.len(), resumed.not_started, resumed.games[&0].result), (2, 1, GameResult::Draw));
}

#[test]
fn the_pgn_file_has_each_game_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    let entry = |text: &str| Some(Entry { file: "games.pgn".to_owned(), text: text.to_owned() });
    let (mut journal, _) = Journal::open(&path, &settings()).unwrap();
    for (number, entry) in [(0, entry("a\n")), (1, entry("b\n")), (2, entry("c\n")), (1, entry("d\n")), (2, None)] {
        let record = record(number, GameResult::Draw);
        journal.add(&GameLine::new(&record, ["A", "B"]).with_entry(entry)).unwrap();
    }
    drop(journal);
    let resumed = Journal::open(&path, &settings()).unwrap().1;
    assert_eq!((resumed.games.len(), resumed.repeated), (3, 2));
    let expected = [(0, entry("a\n").unwrap()), (1, entry("d\n").unwrap())];
    assert_eq!(resumed.entries, BTreeMap::from(expected));
    // An ignored line has no entry.
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen("\"result\":\"1/2-1/2\"", "\"result\":\"*\"", 1)).unwrap();
    let resumed = Journal::open(&path, &settings()).unwrap().1;
    assert_eq!((resumed.faulty_lines, resumed.entries.keys().copied().collect::<Vec<_>>()), (vec![2], vec![1]));
}

#[test]
fn concatenated_journals_are_one() {
    let folder = tempfile::tempdir().unwrap();
    let written = |name: &str, settings: &Settings, numbers: &[u64]| {
        let path = folder.path().join(name);
        let (mut journal, _) = Journal::open(&path, settings).unwrap();
        for &number in numbers {
            journal.add(&GameLine::new(&record(number, GameResult::Draw), ["A", "B"])).unwrap();
        }
        std::fs::read(path).unwrap()
    };
    let [first, second] = [written("1", &settings(), &[0, 1, 4, 5]), written("2", &settings(), &[2, 3])];
    let path = folder.path().join("all");
    std::fs::write(&path, [first.as_slice(), &second].concat()).unwrap();
    let resumed = Journal::open(&path, &settings()).unwrap().1;
    assert_eq!((resumed.games.keys().copied().collect::<Vec<u64>>(), resumed.repeated), ((0..6).collect(), 0));
    assert!(resumed.faulty_lines.is_empty());
    std::fs::write(&path, [first.as_slice(), &second, &second].concat()).unwrap();
    let resumed = Journal::open(&path, &settings()).unwrap().1;
    assert_eq!((resumed.games.len(), resumed.repeated), (6, 2));
    let mut other = settings();
    other.insert("time".to_owned(), "2".to_owned());
    std::fs::write(&path, [first, written("3", &other, &[2, 3])].concat()).unwrap();
    let error = Journal::open(&path, &settings()).unwrap_err().to_string();
    assert!(error.contains("this match has time '2', not '1+0.01'"), "{error}");
}

#[test]
fn other_settings_and_other_files_are_refused_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    Journal::open(&path, &settings()).unwrap();
    let before = std::fs::read(&path).unwrap();
    let mut other = settings();
    other.insert("time".to_owned(), "2".to_owned());
    let error = Journal::open(&path, &other).unwrap_err().to_string();
    assert!(error.ends_with("this match has time '1+0.01', not '2'; use another file or the same settings"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    for content in ["no json\n", "{}\n", "no line end", "{\"chuhe_match\":2,\"settings\":{}}\n", "\n"] {
        std::fs::write(&path, content).unwrap();
        assert!(matches!(Journal::open(&path, &settings()), Err(JournalError::Foreign { .. })), "{content}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
    }
}

#[test]
fn a_faulty_line_costs_its_game_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    let (mut journal, _) = Journal::open(&path, &settings()).unwrap();
    for number in 0..3 {
        journal.add(&GameLine::new(&record(number, GameResult::Draw), ["A", "B"])).unwrap();
    }
    drop(journal);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen("\"game\":2", "\"game\":x", 1)).unwrap();
    let (_, resumed) = Journal::open(&path, &settings()).unwrap();
    assert_eq!(resumed.games.keys().copied().collect::<Vec<_>>(), [0, 2]);
    assert_eq!(resumed.faulty_lines, [3]);
}
