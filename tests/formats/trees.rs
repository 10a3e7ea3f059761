//! Tests of game trees: variations and comments in PGN, XQF, CBR and DhtmlXQ.

use chuhe::notation::Dialect;
use chuhe::notation::format::Format;
use chuhe::notation::game::{Game, GameNode, GameResult, MAX_NODES, Warning, WarningKind};
use chuhe::position::{Position, Strictness};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::cbr_encoder;
use crate::samples::{self, moves, words};
use crate::xqf_encoder::{self, Secret, encode, node};

const FORMATS: [Format; 3] = [Format::Pgn, Format::Xqf, Format::DhtmlXq];

fn read(format: Format, bytes: &[u8]) -> Vec<Game> {
    format.games(bytes, Strictness::Strict).map(|tree| tree.expect("the game is valid")).collect()
}

fn read_one(format: Format, bytes: &[u8]) -> Game {
    read(format, bytes).remove(0)
}

fn written(format: Format, tree: &Game, dialect: Dialect) -> Vec<u8> {
    samples::written(format, std::slice::from_ref(tree), dialect)
}

/// The tree in one line: comments in braces after their moves, then the alternatives in parentheses.
fn text(tree: &Game) -> String {
    fn line(tree: &Game, index: usize, is_main: bool) -> String {
        let GameNode { parent, mv, comment } = &tree.nodes[index];
        let mut text = mv.to_string();
        if !comment.is_empty() {
            text += &format!("{{{comment}}}");
        }
        if is_main {
            let alternatives = tree.children(*parent).skip(1).map(|other| format!(" ({})", line(tree, other, false)));
            text.extend(alternatives);
        }
        text.extend(tree.children(Some(index)).next().map(|next| format!(" {}", line(tree, next, true))));
        text
    }
    tree.children(None).next().map_or_else(String::new, |first| line(tree, first, true))
}

/// Number of variations and comments that are left out, and the place and reason of the first one.
fn left_out(tree: &Game) -> (usize, String) {
    let found = tree.warnings.iter().find(|warning| warning.kind == WarningKind::LeftOut).expect("there is one");
    (found.count, format!("{}: {}", found.location, found.reason))
}

fn secret(version: u8) -> Secret {
    Secret { version, bytes: [9, 4, 200, 13, 77, 91, 3, 150, 66, 31, 9, 254, 120] }
}

/// Random tree whose moves have several random continuations.
fn random_tree(random: &mut ChaCha8Rng, size: usize) -> Game {
    let fens =
        ["rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w", "3ak4/4a4/4b4/9/4p4/2R6/9/4B4/4A4/3AK4 b"];
    let start = Position::from_fen(fens[random.random_range(0..2)]).unwrap();
    let comments = ["", "", "", "好棋", "two\nlines", "(a) 1. b", "炮二平五?"];
    let mut tree = Game {
        tags: vec![("Red".to_owned(), "甲".to_owned()), ("Black".to_owned(), "乙".to_owned())],
        start,
        comment: comments[random.random_range(0..comments.len())].to_owned(),
        result: [GameResult::Unknown, GameResult::RedWins, GameResult::Draw][random.random_range(0..3)],
        ..Game::default()
    };
    while tree.nodes.len() < size {
        // Mostly the last move goes on.
        let any = tree.nodes.len() + 1;
        let parent = if random.random_range(0..4) > 0 { any - 1 } else { random.random_range(0..any) };
        let parent = parent.checked_sub(1);
        let legal = tree.position_after(parent).legal_moves();
        if legal.is_empty() {
            continue;
        }
        let mv = legal[random.random_range(0..legal.len())];
        if tree.nodes.iter().any(|node| node.parent == parent && node.mv == mv) {
            continue;
        }
        let comment = comments[random.random_range(0..comments.len())].to_owned();
        tree.nodes.push(GameNode { parent, mv, comment });
    }
    assert!(tree.sort() && tree.is_valid());
    tree
}

#[test]
fn trees_round_trip_in_every_format_and_notation() {
    let mut random = ChaCha8Rng::seed_from_u64(22);
    for size in (1..60).chain([1_500]) {
        let tree = random_tree(&mut random, size);
        let dialects = if size < 60 { &Dialect::ALL[..] } else { &[Dialect::Coordinate] };
        for (format, &dialect) in FORMATS.into_iter().flat_map(|format| dialects.iter().map(move |one| (format, one))) {
            let bytes = written(format, &tree, dialect);
            let again = read_one(format, &bytes);
            assert_eq!(text(&again), text(&tree), "{dialect} {}", String::from_utf8_lossy(&bytes));
            assert_eq!((&again.comment, again.result), (&tree.comment, tree.result));
            assert_eq!(again.start.board_text(), tree.start.board_text());
            assert_eq!((again.start.side(), again.warnings.iter().count()), (tree.start.side(), 0));
            assert_eq!((again.tag("Red"), again.tag("Black")), (Some("甲"), Some("乙")));
        }
    }
}

#[test]
fn what_is_beyond_the_limit_of_moves_is_counted() {
    let game = Game { nodes: moves(&Position::start(), "h2e2"), ..Game::default() };
    let mut file = encode(&game, xqf_encoder::tree(&game).as_deref(), &secret(10));
    // The only move has alternatives, all of them c3c4.
    file[1034] = 0x0F;
    file.extend([0x18 + 23, 0x20 + 24, 0x0F, 0, 0, 0, 0, 0].repeat(MAX_NODES + 8));
    file.extend([0x18 + 23, 0x20 + 24, 0, 0, 0, 0, 0, 0]);
    let tree = read_one(Format::Xqf, &file);
    assert_eq!((tree.nodes.len(), tree.warnings.has_losses()), (MAX_NODES, true));
    let warnings: Vec<String> = tree.warnings.iter().map(Warning::to_string).collect();
    let place = 1040 + 8 * (MAX_NODES - 1);
    let expected =
        format!("byte {place}: more than {MAX_NODES} moves in a game with variations; 10 moves are left out");
    assert_eq!(warnings, [expected]);
}

#[test]
fn variations_of_pgn_are_read_and_written_as_other_programs_write_them() {
    let pgn = "[Game \"Chinese Chess\"]\n[Result \"*\"]\n[Format \"ICCS\"]\n\n\
               1. H2-E2 {central cannon} (1. C3-C4 {pawn} G6-G5 (1... H7-E7)) (1. B0-C2) 1... H9-G7\n\
               2. H0-G2 (2. B0-C2 I9-H9) *\n\n";
    let tree = read_one(Format::Pgn, pgn.as_bytes());
    let expected = "h2e2{central cannon} (c3c4{pawn} g6g5 (h7e7)) (b0c2) h9g7 h0g2 (b0c2 i9h9)";
    assert_eq!(text(&tree), expected);
    let again = String::from_utf8(written(Format::Pgn, &tree, Dialect::Iccs)).unwrap();
    let moves = again.split("\n\n").nth(1).unwrap().replace('\n', " ");
    assert_eq!(
        moves,
        "1. H2-E2 {central cannon} (1. C3-C4 {pawn} 1... G6-G5 (1... H7-E7)) (1. B0-C2) 1... H9-G7 2. H0-G2 (2. B0-C2 \
         I9-H9) *"
    );
}

#[test]
fn parentheses_without_moves_are_comments_in_their_order() {
    for (format, source, expected) in [
        (
            Format::Pgn,
            "1. 炮二平五 (see (the book) {p. 7}) 马8进7 (1... 车一进九) 2. 马二进三 (妙) *\n",
            "h2e2{see (the book) {p. 7}} h9g7{1... 车一进九} h0g2{妙}",
        ),
        (
            Format::Pgn,
            "{start} 1. h2e2 {a} (b) {c} (1. c3c4 {x} (y) {z}) (d (e)) {f} h9g7 (g) (h) {i} (j) *\n",
            "h2e2{a\nb\nc\nd (e)\nf} (c3c4{x\ny\nz}) h9g7{g\nh\ni\nj}",
        ),
        (
            Format::Pgn,
            "1. h2e2（好（妙)(1）{）}） (a {b) {c} d} (1. c3c4 h7e7)） e) 1... h9g7",
            "h2e2{好（妙)(1）{）}\na {b) {c} d} (1. c3c4 h7e7)） e} h9g7",
        ),
        (
            Format::MoveList,
            "1、炮二平五马8进7 (1、… 炮8平5，马二进三；马8进7 # no move\n车一平二。) 2、马二进三\n",
            "h2e2 h9g7 (h7e7 h0g2 h9g7{no move} i0h0) h0g2",
        ),
    ] {
        assert_eq!(text(&read_one(format, source.as_bytes())), expected);
    }
}

#[test]
fn nests_and_crowds_of_variations_are_bounded() {
    let read_one = |text: String| read_one(Format::Pgn, format!("1. h2e2 {text} h9g7 *\n").as_bytes());
    let nest = |depth: usize| "(1. c3c4 ".repeat(depth) + &")".repeat(depth);
    let tree = read_one(nest(40));
    assert_eq!(tree.nodes.len(), 42);
    assert_eq!(read(Format::Pgn, &written(Format::Pgn, &tree, Dialect::Iccs)).remove(0).nodes.len(), 42);
    // Deeper ones are comments: reading takes no time and memory beyond the size of the text.
    let tree = read_one(nest(100_000));
    assert_eq!((tree.nodes.len(), tree.main_line().len()), (10_002, 2));
    assert_eq!(left_out(&tree), (1, "line 1: more than 10000 levels of variations".to_owned()));
    let tree = read_one("(1. c3c4) ".repeat(30_000));
    assert_eq!((tree.nodes.len(), tree.main_line().len()), (30_002, 2));
    assert_eq!((tree.variations(), tree.warnings.iter().count()), (30_000, 0));
    // What turns out to be a comment at the end of each level is read and copied once.
    let tree = read_one("(1. c3c4 ".repeat(100_000) + &"x)".repeat(100_000));
    assert_eq!((tree.nodes.len(), tree.nodes[0].comment.len()), (2, 1_099_998));
    // Remarks are comments anyway, and many marks of one move are read as fast as other words.
    let tree = read_one("(1. good) ".repeat(30_000));
    assert_eq!((tree.nodes.len(), tree.warnings.iter().count()), (2, 0));
    let tree = read_one("! ".repeat(60_000));
    assert_eq!((tree.nodes.len(), tree.nodes[0].comment.matches('!').count()), (2, 60_000));
}

#[test]
fn variations_of_binary_formats_are_read_as_independent_encoders_write_them() {
    let last = node("h0g2", "", None, Some(node("b0c2", "左马", Some(node("i9h9", "", None, None)), None)));
    let reply = node("h9g7", "", Some(last), None);
    let root = node("h2e2", "中炮", Some(reply), Some(node("c3c4", "", None, Some(node("g3g4", "", None, None)))));
    let xqf = |version| encode(&Game::default(), Some(&root), &secret(version));
    let cbr = (Format::Cbr, cbr_encoder::encode(&Game::default(), Some(&root)));
    for (format, file) in [2, 10, 11, 12, 18].map(|version| (Format::Xqf, xqf(version))).into_iter().chain([cbr]) {
        let game = read_one(format, &file);
        assert_eq!(text(&game), "h2e2{中炮} (c3c4) (g3g4) h9g7 h0g2 (b0c2{左马} i9h9)");
        assert_eq!((game.main_line().len(), game.variations()), (3, 3));
    }
}

#[test]
fn an_illegal_move_in_a_variation_keeps_the_others() {
    // The wrong move e0e5 has a continuation with an alternative, and an alternative itself.
    let inner = node("g6g5", "", None, Some(node("c6c5", "", None, None)));
    let wrong = node("e0e5", "lost", Some(inner), Some(node("g3g4", "", Some(node("c6c5", "", None, None)), None)));
    let reply = node("h9g7", "", Some(node("h0g2", "", None, None)), Some(node("b9c7", "", None, None)));
    let root = node("h2e2", "", Some(reply), Some(node("c3c4", "", None, Some(wrong))));
    for version in [10, 18] {
        let tree = read_one(Format::Xqf, &encode(&Game::default(), Some(&root), &secret(version)));
        assert_eq!(text(&tree), "h2e2 (c3c4) (g3g4 c6c5) h9g7 (b9c7) h0g2", "{version}");
        let (count, first) = left_out(&tree);
        assert!(count == 1 && first.ends_with("ply 1: 'e0e5' is not legal: the piece cannot move there"), "{first}");
    }
}

#[test]
fn an_illegal_move_of_the_main_line_keeps_the_moves_before_it() {
    // The third move is from an empty square; its alternative must not become the end of the game.
    let wrong = node("e5e6", "", Some(node("i9h9", "", None, None)), Some(node("h0g2", "", None, None)));
    let reply = node("h9g7", "", Some(wrong), Some(node("b9c7", "", None, None)));
    let root = node("h2e2", "", Some(reply), Some(node("c3c4", "", None, None)));
    let xqf = encode(&Game::default(), Some(&root), &secret(10));
    let page = "[DhtmlXQ]\n[DhtmlXQ_movelist]77477062444[/DhtmlXQ_movelist]\n\
                [DhtmlXQ_move_0_3_1]7967[/DhtmlXQ_move_0_3_1]\n[DhtmlXQ_move_0_2_2]1022[/DhtmlXQ_move_0_2_2]\n\
                [DhtmlXQ_move_0_1_3]2625[/DhtmlXQ_move_0_1_3]\n[/DhtmlXQ]\n";
    let page = page.replace("444[", "4443[");
    let pgn = "1. h2e2 (1. c3c4) 1... h9g7 (1... b9c7) {kept} 2. e5e6 (2. h0g2) {lost} i9h9 1-0\n";
    let list = "1. h2e2 h9g7\n2. e5e6 i9h9\n1. h2e2\n";
    let lines = "0-1\t\th2e2 h9g7 e5e6 i9h9\n1-0\t\th2e2\n";
    let illegal = |place: &str| {
        format!("{place}: ply 3: 'e5e6' is not legal: Red has no piece there; the game is read up to there")
    };
    let word = "'e5e6' is not a legal move here; closest legal move: e2e6 (ply 3); the game is read up to there";
    for (format, bytes, moves, result, warning) in [
        (Format::Xqf, xqf, 4, GameResult::Unknown, illegal("byte 1048")),
        (Format::DhtmlXq, page.into_bytes(), 4, GameResult::Unknown, illegal("line 2")),
        (Format::Pgn, pgn.into(), 4, GameResult::RedWins, format!("line 1: {word}")),
        (Format::MoveList, list.into(), 2, GameResult::Unknown, format!("line 2: {word}")),
        (Format::Moves, lines.into(), 2, GameResult::BlackWins, format!("line 1: {word}")),
    ] {
        let tree = read_one(format, &bytes);
        assert_eq!(tree.warnings.cut().unwrap().to_string(), warning, "{format:?}");
        assert_eq!((words(&tree).as_str(), tree.nodes.len()), ("h2e2 h9g7", moves), "{format:?}");
        assert_eq!(tree.result, result, "{format:?}");
        assert!(tree.with_end().is_err(), "{format:?}");
    }
    // Nothing is kept of a text whose first move from the usual start is wrong: its notation is not understood.
    for (format, text) in [(Format::Pgn, "1. Nf3 d5 *\n"), (Format::Moves, "*\t\tNf3 d5\n")] {
        assert!(format.games(text.as_bytes(), Strictness::Strict).next().unwrap().is_err(), "{format:?}");
    }
    let composed = "[FEN \"3ak4/9/9/9/9/9/9/9/4A4/3K4R w\"]\n\n1. x *\n";
    let tree = read_one(Format::Pgn, composed.as_bytes());
    assert!(tree.nodes.is_empty() && tree.warnings.cut().is_some() && tree.start != Position::start());
}

#[test]
fn damage_in_a_variation_keeps_the_main_line() {
    let root = node("h2e2", "", Some(node("h9g7", "", None, None)), Some(node("c3c4", "", None, None)));
    let mut file = encode(&Game::default(), Some(&root), &secret(10));
    file.truncate(file.len() - 3);
    let tree = read_one(Format::Xqf, &file);
    let (count, first) = left_out(&tree);
    assert_eq!((tree.nodes.len(), count), (2, 1));
    assert!(first.contains("the file ends within"), "{first}");
    file.truncate(file.len() - 14);
    let cut = read_one(Format::Xqf, &file);
    assert!(cut.nodes.is_empty());
    let warnings: Vec<String> = cut.warnings.iter().map(Warning::to_string).collect();
    assert_eq!(warnings, ["byte 1032: the file ends within the length of a comment; the game is read up to there"]);
}

/// A page whose fields have these names and values.
fn page(fields: &[(&str, &str)]) -> Game {
    let fields: String =
        fields.iter().map(|(name, value)| format!("[DhtmlXQ_{name}]{value}[/DhtmlXQ_{name}]\n")).collect();
    read_one(Format::DhtmlXq, format!("[DhtmlXQ]\n{fields}[/DhtmlXQ]\n").as_bytes())
}

#[test]
fn variations_of_dhtmlxq_are_read_as_pages_have_them() {
    let tree = page(&[
        ("movelist", "774770627967"),
        ("move_0_2_1", "72421927"),
        ("move_1_3_2", "7967"),
        ("move_0_1_3", "2625"),
        ("move_0_9_4", "2625"),
        ("comment0", "开局"),
        ("comment2", "屏风马"),
        ("comment1_2", "列炮||变"),
        ("comment2_3", "右马"),
        ("title", "某某 和 某某"),
        ("result", "和棋"),
    ]);
    assert_eq!(text(&tree), "h2e2 (c3c4) h9g7{屏风马} (h7e7{列炮\n变} b0c2 (h0g2{右马})) h0g2");
    assert_eq!((tree.comment.as_str(), tree.tag("Title")), ("开局", Some("某某 和 某某")));
    assert_eq!((&tree.start, tree.result), (&Position::start(), GameResult::Draw));
    let first = "line 6: variation 4 replaces ply 9 of line 0, which is missing";
    assert_eq!(left_out(&tree), (1, first.to_owned()));
}

#[test]
fn what_dhtmlxq_variations_lose_is_reported() {
    // The second move of variation 1 is illegal, variation 2 is malformed, and there is no move for three comments.
    let tree = page(&[
        ("movelist", "77477062"),
        ("move_0_1_1", "26250000"),
        ("move_0_1_2", "262x"),
        ("move_0_2_3", "7242"),
        ("comment3", "?"),
        ("comment1_2", "?"),
        ("comment9_1", "?"),
        ("comment4", ""),
    ]);
    assert_eq!(text(&tree), "h2e2 (c3c4) h9g7 (h7e7)");
    let first = "line 3: ply 2: 'a9a9' is not legal: the piece cannot move there";
    assert_eq!(left_out(&tree), (5, first.to_owned()));
}

#[test]
fn formats_refuse_what_they_cannot_hold() {
    let start = Position::parse_fen("rrr1k4/9/9/9/9/9/9/9/9/3K5 w", Strictness::Lax).unwrap().position;
    let tree = Game { start, ..Game::default() };
    for format in [Format::Xqf, Format::DhtmlXq] {
        let error = format.write(&mut Vec::new(), &tree, Dialect::Iccs).unwrap_err();
        assert!(error.to_string().contains("more pieces of a kind"), "{error}");
    }
}

#[test]
fn long_and_foreign_texts_are_cut_to_the_fields_of_xqf() {
    let tags = vec![("Red".to_owned(), "许银川许银川许银川".to_owned()), ("Event".to_owned(), "Кубок 😀".to_owned())];
    let tree = Game { tags, ..Game::default() };
    let again = read_one(Format::Xqf, &written(Format::Xqf, &tree, Dialect::Iccs));
    assert_eq!((again.tag("Red"), again.tag("Event")), (Some("许银川许银川许"), Some("Кубок ?")));
}
