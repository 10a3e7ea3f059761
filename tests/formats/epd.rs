//! Tests of the EPD reader.

use chuhe::notation::openings::{EpdRecord, read_epd};
use chuhe::position::Strictness;

use crate::samples::assert_named;

const PUZZLES: &str = include_str!("../data/puzzles.epd");
const BOARD: &str = "3a2b2/3k5/9/7N1/9/9/9/4K4/9/6R2";

fn read(line: &str) -> EpdRecord {
    EpdRecord::read(line, Strictness::Strict).unwrap_or_else(|error| panic!("{line}: {error}"))
}

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
    for fen in ["w", "w - - 3 40", "w - -", "w 3 40"] {
        for between in [" ", "\t"] {
            for last in ["", ";", " ; "] {
                let record = read(&format!("{BOARD} {fen}{between}bm g0d0 G0-G9; am h6g8; dm 1; x y z{last}"));
                assert_eq!(
                    (words(&record.best_moves), words(&record.avoided_moves)),
                    ("g0d0 g0g9".into(), "h6g8".into())
                );
                assert_eq!((record.mate_in, &record.id), (Some(1), &None));
                assert_eq!(record.others, [("x".to_owned(), "y z".to_owned())]);
                let is_counted = fen.contains("40");
                assert_eq!(record.position.move_number(), if is_counted { 40 } else { 1 });
            }
        }
    }
    assert_eq!(read(BOARD).position.board_text(), BOARD);
    assert_eq!(read(&format!("{BOARD} w id \"semicolons; tabs; \";noop")).id.as_deref(), Some("semicolons; tabs; "));
    assert_eq!(read(&format!("{BOARD} w")).best_moves, []);
}

#[test]
fn an_error_names_its_line() {
    let file = format!(
        "# remark\n\n{BOARD} w bm g0d0;\n{BOARD} w bm g0a1;\n{BOARD} w dm many;\n9/9 w bm g0d0;\n{BOARD} w am g0d0\n"
    );
    let records: Vec<_> = read_epd(file.as_bytes(), Strictness::Strict).collect();
    assert_eq!(records.len(), 5);
    assert!(records[0].is_ok() && records[4].is_ok());
    let faults = records[1..4].iter().map(|record| record.as_ref().unwrap_err().to_string());
    assert_named(faults.zip([["line 4", "g0a1"], ["line 5", "many"], ["line 6", "ranks"]]));
}
