//! Tests of files with one position or game in each line: EPD and lines of games.

use chuhe::notation::Dialect;
use chuhe::notation::format::Format;
use chuhe::notation::game::{Game, GameResult};
use chuhe::notation::openings::{EpdRecord, read_epd};
use chuhe::position::{Position, Strictness};

use crate::samples::{GAMES, bare, moves, random_games, read_well, written};

const PUZZLES: &str = include_str!("../data/puzzles.epd");
const BOARD: &str = "3a2b2/3k5/9/7N1/9/9/9/4K4/9/6R2";

fn words(moves: &[chuhe::types::Move]) -> String {
    moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

#[test]
fn real_puzzles_are_read() {
    let records: Result<Vec<EpdRecord>, _> = read_epd(PUZZLES.as_bytes(), Strictness::Strict).collect();
    let records = records.unwrap();
    let lines: Vec<&str> = PUZZLES.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(records.len() == lines.len() && lines.len() == 9);
    for (record, line) in records.iter().zip(lines) {
        let columns: Vec<&str> = line.split('\t').collect();
        assert_eq!(record.position.to_string(), columns[0]);
        assert_eq!(format!("dm {}; bm {}", record.mate_in.unwrap(), words(&record.best_moves)), columns[1]);
        assert_eq!(record.id.as_deref(), Some(columns[2]));
    }
}

#[test]
fn counters_tabs_and_final_semicolons_are_optional() {
    let read = |line: &str| EpdRecord::read(line, Strictness::Strict).unwrap_or_else(|error| panic!("{line}: {error}"));
    for fen in ["w", "w - - 3 40", "w - -", "w 3 40"] {
        for (between, last) in [(" ", ""), ("\t", ";"), (" ", " ; "), ("\t", "")] {
            let record = read(&format!("{BOARD} {fen}{between}bm g0d0 G0-G9; am h6g8; dm 1; x y z{last}"));
            assert_eq!((words(&record.best_moves), words(&record.avoided_moves)), ("g0d0 g0g9".into(), "h6g8".into()));
            assert_eq!((record.mate_in, &record.id), (Some(1), &None));
            assert_eq!(record.position.move_number(), if fen.contains("40") { 40 } else { 1 });
        }
    }
    assert_eq!(read(BOARD).position.board_text(), BOARD);
    assert_eq!(read(&format!("{BOARD} w id \"semicolons; tabs; \";noop")).id.as_deref(), Some("semicolons; tabs; "));
}

#[test]
fn lines_of_games_round_trip() {
    let written = |games: &[Game]| written(Format::Moves, games, Dialect::Coordinate);
    let games = random_games(1, 60);
    assert_eq!(read_well(Format::Moves, &written(&games)), games.iter().map(bare).collect::<Vec<_>>());
    let games = read_well(Format::Moves, GAMES.as_bytes());
    assert_eq!(games.len(), 21);
    let lines = GAMES.lines().filter(|line| !line.starts_with('#'));
    assert!(String::from_utf8(written(&games)).unwrap().lines().eq(lines));
}

#[test]
fn columns_can_be_empty_missing_or_additional() {
    let plain = moves(&Position::start(), "h2e2 h9g7");
    for line in ["1-0\t\th2e2 h9g7", "1-0\th2e2 h9g7", "1-0\t\tH2-E2 h9-g7\tC\tmore", "\u{feff}1-0\t\th2e2 h9g7\r\n"] {
        let games = read_well(Format::Moves, line.as_bytes());
        assert_eq!((games.len(), games[0].result, &games[0].nodes), (1, GameResult::RedWins, &plain), "{line}");
    }
    let games = read_well(Format::Moves, b"\n# nothing\n*\n1/2-1/2\t3ak4/9/9/9/9/9/9/9/4A4/4K3R b\n");
    assert_eq!(games.iter().map(|game| game.result).collect::<Vec<_>>(), [GameResult::Unknown, GameResult::Draw]);
    assert!(games.iter().all(|game| game.nodes.is_empty()));
    assert_eq!(games[1].start.to_string(), "3ak4/9/9/9/9/9/9/9/4A4/4K3R b - - 0 1");
}
