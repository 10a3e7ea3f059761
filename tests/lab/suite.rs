//! Test of the built-in opening suite. Boards are compared as text, independently of the keys of the program.

use std::collections::BTreeSet;
use std::path::Path;

use chuhe::position::Position;

#[test]
fn the_built_in_suite_is_valid() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("books/openings.txt");
    let text = std::fs::read_to_string(path).expect("the suite is there");
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(lines.len() >= 2_000, "only {} openings", lines.len());
    assert!(text.starts_with('#'), "the header describes its origin");
    let mut seen = BTreeSet::new();
    let mut lengths = BTreeSet::new();
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        assert!((6..=10).contains(&words.len()), "{line}");
        lengths.insert(words.len());
        let mut position = Position::start();
        position.play(words).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert!(!position.in_check() && position.has_legal_move(), "{line}");
        let fen = position.to_string();
        let (board, side) = fen.split_once(' ').map(|(board, rest)| (board, &rest[..1])).unwrap();
        let mirrored: Vec<String> = board.split('/').map(|rank| rank.chars().rev().collect()).collect();
        assert!(seen.insert(format!("{board} {side}")), "twice: {line}");
        // A symmetric position equals its mirror image.
        let mirrored = mirrored.join("/");
        assert!(mirrored == board || seen.insert(format!("{mirrored} {side}")), "mirrored: {line}");
    }
    assert_eq!(lengths.into_iter().collect::<Vec<usize>>(), [6, 7, 8, 9, 10]);
}
