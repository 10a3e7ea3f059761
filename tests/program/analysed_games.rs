//! Tests of games with variations: `analyze --pgn`, its better lines and the outputs that it refuses, and `convert`.

use std::fs;

use chuhe::notation::format::Format;
use chuhe::notation::game::{Game, GameNode};
use chuhe::position::Strictness;

use crate::harness::{Ended, TemporaryFile, run, run_badly};

/// Two games; in the first one, Red loses a cannon for a pawn with the third ply.
const GAMES: &str = "[Event \"Club\"]\n\n1. h2e2 {solid} h9g7 2. e2e6 g7e6 0-1\n\n[Event \"Cup\"]\n\n1. c3c4 1/2-1/2\n";
/// A game with an illegal move, and a good one.
const FAULTY: &str = "[Event \"Fault\"]\n\n1. a0a9 *\n\n[Event \"Good\"]\n\n1. h2e2 *\n";
/// A game with variations.
const TREE: &str =
    "[Red \"甲\"]\n\n1. 炮二平五 {中炮} (1. 兵三进一 卒7进1 (1... 炮8平5)) 1... 马8进7 2. 马二进三 *\n\n";

/// The games of a text.
fn trees(text: &str) -> Vec<Game> {
    Format::Pgn.games(text.as_bytes(), Strictness::Strict).map(|tree| tree.expect("the output is PGN")).collect()
}

fn moves_of(tree: &Game) -> String {
    tree.line().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// Analyzes games; the messages name what was written and left out.
fn analyze(input: &str, output: &str, more: &[&str]) -> Ended {
    let ended = run(&[&["analyze", input, "--nodes", "5000", "--pgn", output], more].concat());
    assert_eq!(ended.status, Some(0), "{} {}", ended.text(), ended.errors);
    ended
}

#[test]
fn games_are_written_with_scores_and_better_lines() {
    let (file, output) = (TemporaryFile::with("club.pgn", GAMES), TemporaryFile::with("club-analysed.pgn", "old"));
    let ended = analyze(file.path(), output.path(), &[]);
    assert!(ended.text().contains("e2e6??"), "{}", ended.text());
    let text = fs::read_to_string(output.path()).unwrap();
    assert!(text.contains("[Format \"Chinese\"]") && text.contains("炮二平五"), "{text}");
    let trees = trees(&text);
    assert_eq!(trees.iter().map(moves_of).collect::<Vec<_>>(), ["h2e2 h9g7 e2e6 g7e6", "c3c4"], "{text}");
    assert!(trees.iter().all(|tree| tree.tags.contains(&("Annotator".to_owned(), "Chuhe".to_owned()))), "{text}");
    let main_line = trees[0].main_line();
    for GameNode { comment, .. } in main_line {
        let score = comment.split_whitespace().next().unwrap_or_default();
        assert!(score.trim_start_matches(['+', '-']).parse::<f64>().is_ok(), "{comment}");
    }
    let comment = |index: usize| main_line[index].comment.as_str();
    assert!(comment(0).ends_with("\nsolid") || comment(0).ends_with(" solid"), "{text}");
    assert!(comment(2).contains("??"), "{text}");
    // The better line stands beside the blunder.
    let alternatives: Vec<usize> = trees[0].children(Some(1)).collect();
    assert!(alternatives.len() == 2 && trees[0].nodes[alternatives[1]].mv.to_string() != "e2e6", "{text}");

    let selected = analyze(file.path(), output.path(), &["--game", "2", "--notation", "iccs"]);
    assert!(selected.errors.contains("1 game written"), "{}", selected.errors);
    let text = fs::read_to_string(output.path()).unwrap();
    assert!(text.contains("[Format \"ICCS\"]") && self::trees(&text).len() == 1, "{text}");
    let missing = run_badly(&["analyze", file.path(), "--nodes", "100", "--game", "3", "--pgn", output.path()], 1);
    assert!(missing.errors.contains("game 3"), "{}", missing.errors);
}

#[test]
fn an_opening_without_a_name_is_named() {
    let game = |name: &str| format!("[Opening \"{name}\"]\n\n1. h2e2 h9g7 2. h0g2 i9h9 3. i0h0 b9c7 *\n");
    let output = TemporaryFile::named("named.pgn");
    for (name, is_kept) in [("", false), ("?", false), ("my opening", true)] {
        let file = TemporaryFile::with("unnamed.pgn", &game(name));
        analyze(file.path(), output.path(), &[]);
        let tree = trees(&fs::read_to_string(output.path()).unwrap()).remove(0);
        let openings: Vec<&str> =
            tree.tags.iter().filter(|(tag, _)| tag == "Opening").map(|(_, value)| value.as_str()).collect();
        assert_eq!(openings.len(), 1);
        assert!(if is_kept { openings[0] == name } else { openings[0].contains("中炮") }, "{openings:?}");
    }
}

#[test]
fn the_variations_of_a_game_are_kept() {
    let text = "1. h2e2 (1. c3c4 {soft} g6g5) h9g7 2. e2e6 (2. h0g2 {calm} (2. b0c2)) g7e6 0-1\n";
    let (file, output) = (TemporaryFile::with("tree.pgn", text), TemporaryFile::named("tree-analysed.pgn"));
    analyze(file.path(), output.path(), &[]);
    let tree = trees(&fs::read_to_string(output.path()).unwrap()).remove(0);
    assert_eq!(moves_of(&tree), "h2e2 h9g7 e2e6 g7e6");
    let find = |parent: Option<usize>, text: &str| {
        let mut found = tree.children(parent).filter(|&child| tree.nodes[child].mv.to_string() == text);
        let node = found.next().unwrap_or_else(|| panic!("{text} is missing"));
        assert_eq!(found.next(), None, "{text} is there once");
        node
    };
    let soft = find(None, "c3c4");
    assert!(tree.nodes[soft].comment.ends_with("soft") && tree.children(Some(soft)).next().is_some());
    assert!(tree.nodes[find(Some(1), "h0g2")].comment.ends_with("calm"));
    find(Some(1), "b0c2");
}

#[test]
fn all_games_of_a_folder_are_analysed_but_faulty_ones() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("a.pgn", GAMES), ("b.TXT", "炮二平五 马8进7\n"), ("c.pgn", FAULTY), ("d.md", "h2e2\n")]
    {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let utf16: Vec<u8> = "\u{feff}1. b2e2 *".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(folder.path().join("aa.pgn"), utf16).unwrap();
    let (input, output) = (folder.path().to_str().unwrap(), TemporaryFile::named("folder-analysed.pgn"));
    let ended = run_badly(&["analyze", input, "--nodes", "5000", "--pgn", output.path()], 1);
    assert!(ended.errors.contains("1 game is not complete"), "{}", ended.errors);
    assert!(ended.errors.contains("c.pgn: a game is left out: line 3"), "{}", ended.errors);
    assert!(ended.errors.contains("5 games written"), "{}", ended.errors);
    let trees = trees(&fs::read_to_string(output.path()).unwrap());
    let moves: Vec<String> = trees.iter().map(moves_of).collect();
    assert_eq!(moves, ["h2e2 h9g7 e2e6 g7e6", "c3c4", "b2e2", "h2e2 h9g7", "h2e2"]);
    // An output within the folder would be analysed, too.
    let inside = folder.path().join("c.pgn");
    for arguments in [
        &["analyze", input, "--pgn", inside.to_str().unwrap()][..],
        &["analyze", input, "--game", "1", "--pgn", output.path()],
        &["analyze", input],
    ] {
        assert_eq!(run_badly(arguments, 2).text(), "", "{arguments:?}");
    }
    assert_eq!(fs::read_to_string(inside).unwrap(), FAULTY);
}

#[test]
fn outputs_that_cannot_be_used_are_reported_before_the_analysis() {
    let file = TemporaryFile::with("same.pgn", GAMES);
    for (arguments, status, part) in [
        (&["--pgn", file.path()][..], 2, "name another output"),
        (&["--pgn", "/nonexistent/x.pgn"], 1, "the folder '/nonexistent' does not exist"),
        (&["--pgn", "-", "--json"], 2, "standard output"),
    ] {
        let ended = run_badly(&[&["analyze", file.path(), "--nodes", "100"], arguments].concat(), status);
        assert_eq!(ended.text(), "", "{arguments:?}");
        assert!(ended.errors.contains(part), "{arguments:?}: {}", ended.errors);
    }
    assert_eq!(fs::read_to_string(file.path()).unwrap(), GAMES);
}

#[test]
fn a_stream_gets_every_game_once() {
    let file = TemporaryFile::with("stream.pgn", GAMES);
    let ended = analyze(file.path(), "-", &[]);
    assert_eq!(trees(&ended.text()).iter().map(moves_of).collect::<Vec<_>>(), ["h2e2 h9g7 e2e6 g7e6", "c3c4"]);
    assert!(!ended.text().contains("Red's chance"), "{}", ended.text());
    assert!(ended.errors.contains("2 games written to standard output"), "{}", ended.errors);
    if cfg!(unix) {
        let ended = analyze(file.path(), "/dev/stdout", &[]);
        assert_eq!(ended.text().matches("[Annotator \"Chuhe\"]").count(), 2, "{}", ended.text());
    }
}

#[test]
fn variations_survive_every_format() {
    let read = |file: &TemporaryFile| -> Vec<Game> {
        let bytes = fs::read(file.path()).expect("the file was written");
        let format = Format::detect(&bytes).expect("the format is detected");
        format.games(&bytes[..], Strictness::Strict).map(|tree| tree.expect("the game is valid")).collect()
    };
    let pgn = TemporaryFile::with("tree.pgn", TREE);
    let [xqf, page, back] = ["tree.xqf", "tree.dhtmlxq", "back.pgn"].map(TemporaryFile::named);
    for (from, to) in [(&pgn, &xqf), (&xqf, &page), (&page, &back)] {
        let ended = run(&["convert", from.path(), to.path()]);
        assert_eq!((ended.status, ended.errors), (Some(0), format!("chuhe: 1 game written to {}\n", to.path())));
    }
    let expected = read(&pgn);
    assert_eq!((expected[0].nodes.len(), expected[0].variations()), (6, 2));
    for file in [&xqf, &page, &back] {
        assert_eq!(read(file)[0].nodes, expected[0].nodes, "{}", file.path());
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
