//! Tests that every command writes JSON of one shape: objects with a `type`, numbers as numbers, moves as coordinates.

use std::fs;

use chuhe::types::Move;
use serde_json::{Value, json};

use crate::common::data::GAMES;
use crate::harness::run;

/// Keys of moves: coordinates, or lists of them.
const MOVES: [&str; 6] = ["move", "moves", "legal_moves", "best", "best_moves", "coordinate"];
/// Keys of texts that people write, which may be a number.
const TEXTS: [&str; 5] = ["id", "name", "text", "comment", "date"];

fn check(key: &str, value: &Value, line: &str) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| check(key, value, line)),
        Value::Array(items) => items.iter().for_each(|item| check(key, item, line)),
        Value::String(text) if MOVES.contains(&key) => {
            let is_coordinate = text.len() == 4 && text.parse::<Move>().is_ok_and(|mv| mv.to_string() == *text);
            assert!(is_coordinate, "{key} {text}: {line}");
        }
        Value::String(text) => assert!(TEXTS.contains(&key) || text.parse::<f64>().is_err(), "{key} {text}: {line}"),
        _ => {}
    }
}

#[test]
fn every_object_has_a_type_and_numbers_and_coordinates() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let files =
        [("game.pgn", "[Red \"A\"]\n[Black \"B\"]\n\n1. 炮二平五 马8进7 {3} 2. 马二进三 *\n"), ("games.tsv", GAMES)];
    files.iter().for_each(|(name, text)| fs::write(path(name), text).unwrap());
    let suite = "3k5/9/9/9/9/9/9/9/9/4K3R w bm i0i9; id \"1\";\n3k5/9/9/9/9/9/9/9/9/4K3R w dm 1; id \"2\";\n";
    fs::write(path("suite.epd"), suite).unwrap();
    let (game, games, suite) = (path("game.pgn"), path("games.tsv"), path("suite.epd"));
    let ending = "3k5/9/9/9/9/9/9/9/9/4K3R w";
    // The types that the command writes, each at least once.
    let commands: [(&str, &[&str]); 20] = [
        ("position", &["show", "startpos", "h2e2"]),
        ("evaluation", &["eval"]),
        ("position bench", &["bench", "2"]),
        ("book", &["book", "info"]),
        ("line", &["book", "tree", "--lines", "3"]),
        ("book_moves", &["book", "probe"]),
        ("ending", &["tablebase", "probe", ending]),
        ("iteration result", &["analyze", ending, "--depth", "3", "--chinese"]),
        ("move summary", &["analyze", &game, "--depth", "2", "--notation=wxf"]),
        ("problem summary", &["analyze", &suite, "--depth", "2", "--explain", "--chinese"]),
        ("problem summary", &["analyze", &suite, "--solver", "mate", "--notation=iccs"]),
        ("profile", &["analyze", "--profile", "A", &game, "--depth", "1", "--chinese"]),
        ("verdict", &["judge", "startpos", "h2e2"]),
        ("verdict", &["judge", "--moves", &games, "--game", "2"]),
        ("mate", &["mate", ending, "--chinese"]),
        ("game table", &["match", "--engine", "nodes=50", "--engine", "depth=1", "--games", "2", "--max-plies", "4"]),
        ("move", &["notation", "startpos", "炮二平五", "N8+7"]),
        ("size", &["count"]),
        ("size", &["count", "KRvK"]),
        ("ending", &["count", "--table", "0"]),
    ];
    for (types, arguments) in commands {
        let ended = run(&[arguments, &["--json"]].concat());
        // Standard error has notes of some commands.
        assert_eq!(ended.status, Some(0), "{arguments:?}: {}", ended.errors);
        let mut found: Vec<&str> = Vec::new();
        let objects = ended.objects();
        for (object, line) in objects.iter().zip(&ended.lines) {
            check("", object, line);
            let name = object["type"].as_str().unwrap_or_else(|| panic!("no type: {line}"));
            if !found.contains(&name) {
                found.push(name);
            }
            // Readers that look at the beginning find the type.
            assert!(line.starts_with(&format!("{{\"type\":\"{name}\",")), "{line}");
        }
        assert_eq!(found.join(" "), types, "{arguments:?}");
    }
}

#[test]
fn json_says_what_the_text_says() {
    let run = |arguments: &str, more: &[&str]| run(&[&arguments.split(' ').collect::<Vec<_>>(), more].concat());
    let object = |arguments: &str| run(arguments, &["--json"]).objects().pop().unwrap();
    let expected = json!({
        "type": "move",
        "ply": 2,
        "fen": "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 1 1",
        "coordinate": "h9g7",
        "iccs": "H9-G7",
        "chinese": "马８进７",
        "chinese_cxa": "马８进７",
        "wxf": "N8+7",
        "wxf_official": "H8+7",
        "wxf_fairy": "H8+7",
        "vietnamese": "M8.7",
    });
    assert_eq!(object("notation startpos 炮二平五 N8+7"), expected);
    let shown = object("show startpos h2e2");
    assert_eq!((&shown["side"], &shown["moves"]), (&json!("black"), &json!(["h2e2"])));
    let replies = format!("h2e2 {}\n", shown["legal_moves"].as_array().unwrap().len());
    assert!(run("perft 2 --divide", &[]).text().contains(&replies), "{replies}");
    for (arguments, told) in [("perft 0", "perft(0) 1\n"), ("perft 3 --divide", "perft(3) 79666\n")] {
        assert!(run(arguments, &[]).text().contains(told), "{told}");
    }
    let value = format!("{:+}", object("eval")["network"].as_i64().unwrap());
    for (arguments, told) in [
        ("bench 3", format!("total nodes {}\n", object("bench 3")["nodes"])),
        ("eval", format!("network's value for Red to move: {value} ")),
        ("book info", format!("positions  {}\n", object("book info")["positions"])),
    ] {
        assert!(run(arguments, &[]).text().contains(&told), "{told}");
    }
}
