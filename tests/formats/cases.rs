//! Cases whose notation other programs confirmed.

use chuhe::notation::{Dialect, read, read_in, write};
use chuhe::position::Position;
use chuhe::types::Move;

const FILE: &str = include_str!("../data/notation_cases.tsv");
/// The columns after the coordinates.
const COLUMNS: [Dialect; 5] =
    [Dialect::Chinese, Dialect::ChineseCxa, Dialect::Wxf, Dialect::WxfOfficial, Dialect::WxfFairy];

pub struct Case {
    pub id: &'static str,
    pub position: Position,
    pub mv: Move,
    pub words: [(Dialect, &'static str); 5],
}

pub fn cases() -> Vec<Case> {
    let read = |line: &'static str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [id, _, fen, coordinate, words @ ..] = &columns[..] else { panic!("columns are missing: {line}") };
        assert_eq!(words.len(), COLUMNS.len(), "{line}");
        Case {
            id,
            position: Position::from_fen(fen).unwrap_or_else(|error| panic!("{id}: {error}")),
            mv: coordinate.parse().unwrap_or_else(|error| panic!("{id}: {error}")),
            words: std::array::from_fn(|column| (COLUMNS[column], words[column])),
        }
    };
    FILE.lines().filter(|line| !line.starts_with('#')).map(read).collect()
}

#[test]
fn moves_are_written_and_read_as_in_other_programs() {
    let cases = cases();
    assert_eq!(cases.len(), 108);
    for Case { id, position, mv, words } in &cases {
        for (dialect, words) in *words {
            assert_eq!(write(position, *mv, dialect), words, "{id}, {dialect}");
            assert_eq!(read(position, words), Ok(*mv), "{id}, {dialect}");
            assert_eq!(read_in(position, words, dialect), Ok(*mv), "{id}, {dialect}");
        }
    }
}

#[test]
fn an_unneeded_index_can_be_omitted() {
    // Notation of pyffish if the other rook is pinned.
    let rooks = Position::from_fen("3k5/6r2/9/9/2R6/6r2/9/9/2R6/4K4 w").unwrap();
    for (text, mv) in [("R7-2", "c5c3"), ("车七退二", "c5c3"), ("R7+4", "c5c9"), ("R7-1", "")] {
        match read(&rooks, text) {
            Ok(found) => assert_eq!(found.to_string(), mv, "{text}"),
            Err(error) => {
                assert_eq!(mv, "", "{error}");
                let candidates: Vec<String> = error.candidates.iter().map(|(mv, _)| mv.to_string()).collect();
                assert_eq!(candidates, ["c1c0", "c5c4"]);
            }
        }
    }
    // The file is omitted if only one of two front pawns can make the move.
    let pawns = Position::from_fen("3k5/9/6P2/2P3P2/2P6/9/9/9/9/4K4 w").unwrap();
    assert_eq!(read(&pawns, "前兵平八").unwrap().to_string(), "c6b6");
    assert!(read(&pawns, "前兵进一").is_err());
}
