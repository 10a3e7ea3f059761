//! Tests of `convert` with variations, and of `analyze --pgn`.

use std::fs;

use chuhe::notation::format::Format;
use chuhe::notation::game::Game;
use chuhe::position::Strictness;

use crate::harness::{TemporaryFile, run, run_badly};

const TREE: &str =
    "[Red \"甲\"]\n\n1. 炮二平五 {中炮} (1. 兵三进一 卒7进1 (1... 炮8平5)) 1... 马8进7 2. 马二进三 *\n\n";
/// The second move of Black loses a rook.
const BLUNDER: &str = "[Red \"甲\"]\n\n1. h2e2 b7e7 2. h0g2 a9a7 3. e2e6 {check} *\n\n";

fn trees(path: &str) -> Vec<Game> {
    let bytes = fs::read(path).expect("the file was written");
    let format = Format::detect(&bytes).expect("the format is detected");
    format.games(&bytes[..], Strictness::Strict).map(|tree| tree.expect("the game is valid")).collect()
}

#[test]
fn variations_survive_every_format() {
    let pgn = TemporaryFile::with("tree.pgn", TREE);
    let [xqf, page, back] = ["tree.xqf", "tree.dhtmlxq", "back.pgn"].map(TemporaryFile::named);
    for (from, to) in [(&pgn, &xqf), (&xqf, &page), (&page, &back)] {
        let ended = run(&["convert", from.path(), to.path()]);
        assert_eq!((ended.status, ended.errors), (Some(0), format!("chuhe: 1 game written to {}\n", to.path())));
    }
    let expected = trees(pgn.path());
    assert_eq!((expected[0].nodes.len(), expected[0].variations()), (6, 2));
    for file in [&xqf, &page, &back] {
        assert_eq!(trees(file.path())[0].nodes, expected[0].nodes, "{}", file.path());
    }
    let lines = run(&["convert", "--to", "moves", back.path(), "-"]);
    assert!(lines.errors.contains("2 variations skipped"), "{}", lines.errors);
}

#[test]
fn an_xqf_file_holds_one_game() {
    let pgn = TemporaryFile::with("two.pgn", &TREE.repeat(2));
    let xqf = TemporaryFile::named("two.xqf");
    let ended = run_badly(&["convert", pgn.path(), xqf.path()], 2);
    assert!(ended.errors.contains("one game"), "{}", ended.errors);
    assert!(fs::metadata(xqf.path()).is_err());
}

#[test]
fn all_games_of_a_folder_are_analysed_and_written() {
    let folder = std::env::temp_dir().join(format!("chuhe-test-{}-games", std::process::id()));
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("a.pgn"), BLUNDER.repeat(2)).unwrap();
    fs::write(folder.join("b.txt"), "炮二平五 马8进7").unwrap();
    fs::write(folder.join("c.pgn"), "[Event \"x\"]\n\n1. h2h8 *\n").unwrap();
    fs::write(folder.join("notes.md"), "no game").unwrap();
    let output = TemporaryFile::named("analysed.pgn");
    let name = folder.to_str().unwrap().to_owned();
    let ended = run(&["analyze", &name, "--depth", "6", "--pgn", output.path()]);
    let without = run_badly(&["analyze", &name], 2);
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(ended.status, Some(1), "{}", ended.errors);
    assert!(ended.errors.contains("left out") && ended.errors.contains("3 games written"), "{}", ended.errors);
    assert!(without.errors.contains("--pgn"), "{}", without.errors);
    let games = trees(output.path());
    assert_eq!(games.len(), 3);
    assert_eq!(games[0], games[1]);
    let main: Vec<&str> = games[0].main_line().iter().map(|node| node.comment.as_str()).collect();
    assert_eq!(main.len(), 5);
    assert!(main[3].starts_with('+') && main[3].contains('?'), "{main:?}");
    assert!(main[4].ends_with("check"), "{main:?}");
    // The better move than the mistake is the first variation beside it, with its own score.
    let beside: Vec<usize> = games[0].children(Some(2)).collect();
    assert_eq!(beside.len(), 2, "{:?}", games[0].nodes);
    assert!(!games[0].nodes[beside[1]].comment.is_empty());
}
