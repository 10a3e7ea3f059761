//! Proves that boards are straight, show every man on its point, and that pictures say the same to an XML reader.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use clap::ValueEnum as _;
use roxmltree::{Document, Node};
use unicode_width::UnicodeWidthChar;

use chuhe::console::board::{Board, BoardStyle};
use chuhe::console::svg::{self, Diagram};
use chuhe::engine::bench;
use chuhe::position::{Position, START_FEN};

use crate::common::board::{Point, letters};
use crate::common::data::played;
use crate::harness::{TemporaryFile, run_badly, run_well};
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

// Pictures

fn picture(arguments: &[&str]) -> String {
    run_well(&[&["show"], arguments, &["--svg", "-"]].concat()).text()
}

fn target<'a>(node: &Node<'a, '_>) -> Option<&'a str> {
    node.attribute("href").map(|href| href.strip_prefix('#').expect("nothing outside is referred to"))
}

fn number(node: &Node, name: &str) -> usize {
    node.attribute(name).unwrap_or_else(|| panic!("no {name}")).parse().expect("it is a number")
}

/// The elements drawn by an `<svg>`, definitions aside, that refer to what has such a name.
fn drawn<'a>(root: Node<'a, 'a>, is_wanted: impl Fn(&str) -> bool) -> Vec<(&'a str, usize, usize)> {
    let uses = root.children().filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "use")));
    uses.filter_map(|node| target(&node).filter(|id| is_wanted(id)).map(|id| (id, node)))
        .map(|(id, node)| (id, number(&node, "x"), number(&node, "y")))
        .collect()
}

fn read_picture(root: Node) -> BTreeMap<(usize, usize), char> {
    const NAMES: [&str; 7] = ["king", "advisor", "elephant", "horse", "rook", "cannon", "pawn"];
    let is_man = |id: &str| id.starts_with("chuhe-red-") || id.starts_with("chuhe-black-");
    let found = drawn(root, is_man);
    let mut men = BTreeMap::new();
    for (id, x, y) in &found {
        let mut words = id.split('-').skip(1);
        let side = if words.next() == Some("red") { 0 } else { 7 };
        let kind = NAMES.iter().position(|name| words.clone().next() == Some(name)).expect("the kind is known");
        assert!(x % 100 == 0 && y % 100 == 0, "{id} stands between points");
        men.insert((x / 100, y / 100), LETTERS.chars().nth(side + kind).unwrap());
    }
    assert_eq!(men.len(), found.len(), "two men on one point");
    men
}

/// Fails unless all that is referred to is defined once, and nothing but shapes is used.
fn assert_is_self_contained(document: &Document) {
    let mut defined = BTreeSet::new();
    for node in document.descendants().filter(Node::is_element) {
        let name = node.tag_name().name();
        assert!(["svg", "defs", "g", "use", "path", "circle", "rect", "title", "body"].contains(&name), "<{name}>");
        if let Some(id) = node.attribute("id") {
            assert!(id.starts_with("chuhe-") && defined.insert(id), "'{id}' is defined twice, or could be");
        }
    }
    let mut used = 0;
    for node in document.descendants() {
        if let Some(id) = target(&node) {
            assert!(defined.contains(id), "'{id}' is defined nowhere");
            used += 1;
        }
    }
    assert!(used > 2);
}

#[test]
fn a_picture_shows_every_man_on_its_point() {
    for fen in bench::POSITIONS.iter().chain(&[START_FEN]) {
        let position = position(fen);
        let text = Diagram::new(&position).to_file();
        let document = Document::parse(&text).expect("it is well-formed XML");
        assert_is_self_contained(&document);
        assert_eq!(read_picture(document.root_element()), men(fen));
        let title =
            document.root_element().children().find(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "title")));
        assert_eq!(title.and_then(|title| title.text()), Some(*fen));
        let flipped = Diagram { flipped: true, ..Diagram::new(&position) }.to_file();
        let document = Document::parse(&flipped).expect("it is well-formed XML");
        assert_eq!(read_picture(document.root_element()), turned(&men(fen)));
    }
    assert_eq!(picture(&[]), Diagram::new(&position(START_FEN)).to_file().trim_end());
}

#[test]
fn a_picture_marks_the_last_move_and_points_where_it_is_told() {
    let marks = |arguments: &[&str]| {
        let text = picture(arguments);
        let document = Document::parse(&text).unwrap();
        let found = drawn(document.root_element(), |id| ["chuhe-origin", "chuhe-target"].contains(&id));
        found.into_iter().map(|(id, x, y)| (id.to_owned(), x, y)).collect::<Vec<_>>()
    };
    let mark = |id: &str, x, y| (id.to_owned(), x, y);
    assert!(marks(&[]).is_empty());
    let expected = [mark("chuhe-origin", 700, 700), mark("chuhe-target", 400, 700)];
    assert_eq!(marks(&["startpos", "h2e2"]), expected);
    let expected = [mark("chuhe-origin", 100, 200), mark("chuhe-target", 400, 200)];
    assert_eq!(marks(&["startpos", "h2e2", "--flip"]), expected);

    let text = picture(&["--arrow", "h2e2", "--arrow", "a9a0:blue", "--arrow", "B0-C2:BLUE"]);
    let document = Document::parse(&text).unwrap();
    let arrows: Vec<Node> =
        document.descendants().filter(|node| node.attribute("class") == Some("chuhe-arrow")).collect();
    let ends = [((700, 700), (400, 700)), ((0, 0), (0, 900)), ((100, 900), (200, 700))];
    assert_eq!(arrows.len(), ends.len());
    for (arrow, (from, to)) in arrows.iter().zip(ends) {
        let outline = arrow.attribute("d").unwrap().trim_start_matches('M').trim_end_matches('Z');
        let corners: Vec<(f64, f64)> = outline
            .split('L')
            .map(|corner| corner.split_once(' ').expect("two numbers"))
            .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
            .collect();
        let distance = |(x, y): (f64, f64), (a, b): (i32, i32)| (x - f64::from(a)).hypot(y - f64::from(b));
        let nearest = |end| corners.iter().map(|&corner| distance(corner, end)).fold(f64::MAX, f64::min);
        assert!(nearest(to) < 20.0 && nearest(from) < 50.0, "{outline}");
        // One corner is the point of the arrow, two are its tail.
        assert_eq!(corners.iter().filter(|&&corner| distance(corner, to) < 20.0).count(), 1, "{outline}");
        assert_eq!(corners.iter().filter(|&&corner| distance(corner, from) < 50.0).count(), 2, "{outline}");
    }
    let colours: Vec<_> = arrows.iter().map(|arrow| arrow.attribute("fill").unwrap()).collect();
    assert!(colours[0] != colours[1] && colours[1] == colours[2], "{colours:?}");
}

#[test]
fn a_page_has_an_empty_board_with_its_definitions() {
    let page = format!("<body>{}{}</body>", svg::shared_definitions(), svg::empty_board());
    let document = Document::parse(&page).expect("it is well-formed XML");
    assert_is_self_contained(&document);
    let mut boards = document.descendants().filter(|node| node.attribute("class") == Some("chuhe-diagram"));
    assert_eq!(boards.next().map(read_picture), Some(BTreeMap::new()));
}

#[test]
fn a_picture_goes_to_a_file_and_says_nothing() {
    let file = TemporaryFile::with("board.svg", "what was there before");
    assert!(run_well(&["show", "startpos", "h2e2", "--svg", file.path()]).lines.is_empty());
    let written = fs::read_to_string(file.path()).unwrap();
    assert_eq!(written.trim_end(), picture(&["startpos", "h2e2"]));
    let nowhere = format!("{}/board.svg", TemporaryFile::named("no-such-folder").path());
    let ended = run_badly(&["show", "--svg", &nowhere], 1);
    assert!(ended.errors.contains("no-such-folder") && ended.lines.is_empty(), "{}", ended.errors);
}

#[test]
fn wrong_moves_are_told_in_a_line() {
    for (moves, part) in [(&["h2e3"][..], "ply 1, 'h2e3'"), (&["h2e2", "more"], "ply 2, 'more', is not a move")] {
        for extra in [&[][..], &["--svg", "-"]] {
            let ended = run_badly(&[&["show", "startpos"], moves, extra].concat(), 3);
            assert!(ended.errors.contains(part) && ended.lines.is_empty(), "{}", ended.errors);
            assert_eq!(ended.errors.lines().count(), 1, "{}", ended.errors);
        }
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
