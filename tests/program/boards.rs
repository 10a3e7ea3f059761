//! Proves that boards are straight and show every man on its point.

use std::collections::BTreeMap;
use std::process::Command;

use clap::ValueEnum as _;
use unicode_width::UnicodeWidthChar;

use chuhe::console::board::{Board, BoardStyle};
use chuhe::engine::bench;
use chuhe::position::{Position, START_FEN};

use crate::common::board::{Point, letters};
use crate::common::data::played;
use crate::harness::run_badly;
use crate::lines::position;

/// The men in the order of the letters, in each style.
const MEN: [(&str, &str); 2] = [("glyphs", "帅仕相马车炮兵将士象馬車砲卒"), ("ascii", LETTERS)];
const LETTERS: &str = "KABNRCPkabnrcp";

/// The men of a FEN by column from the left and row from the top.
fn men(fen: &str) -> BTreeMap<(usize, usize), char> {
    let place = |(point, letter): (Point, char)| ((point.file as usize, 9 - point.rank as usize), letter);
    letters(fen).into_iter().map(place).collect()
}

fn turned(men: &BTreeMap<(usize, usize), char>) -> BTreeMap<(usize, usize), char> {
    men.iter().map(|(&(column, row), &man)| ((8 - column, 9 - row), man)).collect()
}

/// The characters of a line by the columns that they start in on a terminal.
fn columns(line: &str) -> BTreeMap<usize, char> {
    let mut at = 0;
    let mut place = |letter: char| {
        at += letter.width().expect("no control characters");
        (at - letter.width().unwrap(), letter)
    };
    line.chars().map(&mut place).collect()
}

fn point(column: usize) -> usize {
    3 + 4 * column
}

fn board(position: &Position, style: &str, flipped: bool) -> Vec<String> {
    let style = BoardStyle::from_str(style, true).unwrap();
    let last_move = position.history().last().map(|played| played.mv);
    let board = Board { position, last_move, style, flipped }.to_string();
    without_colours(&board).lines().map(str::to_owned).collect()
}

/// Reads the board back. Fails unless every line of it stands where lines belong.
fn read_board(lines: &[String], style: &str) -> BTreeMap<(usize, usize), char> {
    let known = MEN.iter().find(|(name, _)| *name == style).expect("the style is known").1;
    let vertical = if style == "ascii" { '|' } else { '│' };
    let mut men = BTreeMap::new();
    for (number, line) in lines[..19].iter().enumerate() {
        let (row, line) = (number / 2, columns(line));
        for column in 0..9 {
            let found = line.get(&point(column)).copied();
            if number % 2 == 1 {
                let wet = row == 4 && (1..8).contains(&column);
                assert!(wet || found == Some(vertical), "{found:?} in column {column}: {}", lines.join("\n"));
                continue;
            }
            let found = found.unwrap_or_else(|| panic!("nothing in column {column}: {}", lines.join("\n")));
            match known.chars().position(|man| man == found) {
                Some(index) => drop(men.insert((column, row), LETTERS.chars().nth(index).unwrap())),
                None => assert!("+*┌┬┐├┼┤└┴┘○".contains(found), "'{found}' in {}", lines.join("\n")),
            }
        }
    }
    men
}

#[test]
fn every_man_stands_on_its_point_beside_coordinates_in_every_style() {
    for (style, _) in MEN {
        for fen in bench::POSITIONS.iter().chain(&[START_FEN]) {
            for (flipped, files, ranks) in [(false, "abcdefghi", "9876543210"), (true, "ihgfedcba", "0123456789")] {
                let lines = board(&position(fen), style, flipped);
                let expected = if flipped { turned(&men(fen)) } else { men(fen) };
                assert_eq!(read_board(&lines, style), expected, "{lines:#?}");
                let below = columns(&lines[19]).into_iter().filter(|(_, letter)| *letter != ' ');
                assert!(below.eq(files.chars().enumerate().map(|(n, c)| (point(n), c))), "{lines:#?}");
                let beside = lines[..19].iter().step_by(2).map(|line| line.chars().next().unwrap());
                assert_eq!(beside.collect::<String>(), ranks);
            }
        }
    }
}

#[test]
fn ascii_is_ascii_and_only_palaces_have_diagonals() {
    for (style, [falling, rising]) in [("ascii", ['\\', '/']), ("glyphs", ['╲', '╱'])] {
        let lines = board(&Position::start(), style, false);
        assert!(style != "ascii" || lines.concat().is_ascii());
        let rows = lines[..19].iter().enumerate();
        let cells = rows.flat_map(|(number, line)| columns(line).into_iter().map(move |(at, c)| (number, at, c)));
        let found: Vec<_> = cells.filter(|(.., c)| [falling, rising].contains(c)).collect();
        let palace =
            |top: usize| [(top, 17, falling), (top, 21, rising), (top + 2, 17, rising), (top + 2, 21, falling)];
        assert_eq!(found, [palace(1), palace(15)].concat(), "{lines:#?}");
    }
}

#[test]
fn the_last_move_is_marked_at_both_ends() {
    let position = played(Position::start(), "h2e2");
    for (style, man, origin) in [("glyphs", '炮', '○'), ("ascii", 'C', '*')] {
        for flipped in [false, true] {
            let lines = board(&position, style, flipped);
            let line = columns(&lines[if flipped { 4 } else { 14 }]);
            let (from, to) = (point(if flipped { 1 } else { 7 }), point(4));
            let marks = [line[&from], line[&(to - 1)], line[&to], line[&(to + man.width().unwrap())]];
            assert_eq!(marks, [origin, '[', man, ']'], "{lines:#?}");
            let marks = lines[..19].iter().flat_map(|line| line.chars()).filter(|c| "[]○*".contains(*c));
            assert_eq!(marks.count(), 3, "{lines:#?}");
        }
    }
}

#[test]
fn moves_lead_to_the_state_shown_and_to_its_verdict() {
    let after = "rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C1N2/9/RNBAKAB1R b";
    let checks = "a8a9 d9d8 a9a8 d8d9 ".repeat(2);
    for (fen, moves, parts) in [
        (START_FEN, "h2e2 h9g7 h0g2", [after, "last move  h0g2", "to move    Black"]),
        ("3k5/R8/9/9/9/9/9/4K4/9/9 w", &checks, ["", "", "game over  Black wins: Red's rook checks the king"]),
        ("3ak4/4a4/4b4/9/9/9/9/4B4/4A4/3AK4 w", "", ["", "", "game over  draw: neither side has enough pieces"]),
        ("R3k4/1R7/9/9/9/9/9/9/9/3K5 b", "", ["", "in check", "game over  Red wins: Black is checkmated"]),
    ] {
        let position = played(position(fen), moves);
        let last_move = position.history().last().map(|played| played.mv);
        let state = Board { position: &position, last_move, style: BoardStyle::Ascii, flipped: false }.state();
        assert!(parts.iter().all(|part| state.contains(part)), "{state}");
        assert_eq!(state.contains("game over"), parts[2].starts_with("game over"), "{state}");
    }
}

// Colours

/// Returns the output of `show` into a pipe with these environment variables for colours.
fn shown_under(environment: &[(&str, &str)], arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
    command.env_remove("NO_COLOR").env_remove("CLICOLOR").env_remove("CLICOLOR_FORCE");
    let output = command.arg("show").args(arguments).envs(environment.iter().copied()).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

fn without_colours(text: &str) -> String {
    let mut parts = text.split('\x1b');
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').expect("a colour ends with m").1)
}

#[test]
fn colours_come_when_wanted_and_never_into_a_pipe_by_themselves() {
    let plain = shown_under(&[], &[]);
    const FORCED: (&str, &str) = ("CLICOLOR_FORCE", "1");
    const NO_COLOR: (&str, &str) = ("NO_COLOR", "1");
    for (environment, arguments, is_coloured) in [
        (&[FORCED, NO_COLOR][..], &[][..], false),
        (&[FORCED], &["--color=never"], false),
        (&[], &["--color", "always"], true),
        (&[FORCED], &[], true),
        (&[NO_COLOR], &["--color", "always"], true),
    ] {
        let shown = shown_under(environment, arguments);
        assert_eq!(shown.contains('\x1b'), is_coloured, "{environment:?} {arguments:?}");
        assert_eq!(without_colours(&shown), plain, "{environment:?} {arguments:?}");
    }
    assert!(!plain.contains('\x1b'));
}

#[test]
fn wrong_moves_are_told_in_a_line() {
    for (moves, part) in [(&["h2e3"][..], "ply 1, 'h2e3'"), (&["h2e2", "more"], "ply 2, 'more', is not a move")] {
        let ended = run_badly(&[&["show", "startpos"], moves].concat(), 3);
        assert!(ended.errors.contains(part) && ended.lines.is_empty(), "{}", ended.errors);
        assert_eq!(ended.errors.lines().count(), 1, "{}", ended.errors);
    }
}

#[test]
fn red_men_are_red_and_black_men_are_not() {
    for (style, known) in MEN {
        let shown = shown_under(&[], &["--color", "always", "--style", style]);
        let mut counts = [0, 0];
        // A man is one letter in bold, and red or not; coordinates and lines are dimmed.
        for part in shown.split("FEN").next().unwrap().split("\x1b[0m") {
            let (codes, text) = part.trim_start_matches(char::is_whitespace).rsplit_once('m').unwrap_or_default();
            let man = known.chars().position(|man| text.chars().eq([man]));
            if let Some(man) = man.filter(|_| codes.contains("[1")) {
                assert_eq!(codes.contains("[31"), man < 7, "{style}: {part}");
                counts[usize::from(man >= 7)] += 1;
            }
        }
        assert_eq!(counts, [16, 16], "{style}");
    }
}
