//! Tests of PGN in every notation and encoding, and as written by other programs.

use chuhe::notation::Dialect;
use chuhe::notation::format::Format;
use chuhe::notation::game::{Game, GameResult};
use chuhe::position::{Position, Strictness};
use encoding_rs::{BIG5, GB18030};

use crate::common::data::lines;
use crate::samples::{self, GAMES, comments, moves, random_games, read, read_well, words as line};

fn written(games: &[Game], dialect: Dialect) -> String {
    String::from_utf8(samples::written(Format::Pgn, games, dialect)).unwrap()
}

fn one(text: &str) -> Game {
    let mut games = read_well(Format::Pgn, text.as_bytes());
    assert_eq!(games.len(), 1, "{text}");
    games.remove(0)
}

#[test]
fn games_round_trip_in_every_notation() {
    for (seed, dialect) in Dialect::ALL.into_iter().enumerate() {
        let games = random_games(seed as u64, 30);
        let text = written(&games, dialect);
        assert_eq!(read_well(Format::Pgn, text.as_bytes()), games, "{}", dialect.name());
        // Other line endings, and the other encoding.
        assert_eq!(read_well(Format::Pgn, text.replace('\n', "\r\n").as_bytes()), games, "{}", dialect.name());
        assert_eq!(read_well(Format::Pgn, &GB18030.encode(&text).0), games, "{}", dialect.name());
    }
}

#[test]
fn lines_are_wrapped_and_braces_in_comments_replaced() {
    let mut game = Game { nodes: moves(&Position::start(), "h2e2 h9g7 h0g2 i9h9"), ..Game::default() };
    game.nodes[1].comment = "a } b { c {d}".to_owned();
    let text = written(&[game.clone()], Dialect::Coordinate);
    assert!(text.contains("1. h2e2 h9g7 {a ｝ b ｛ c ｛d｝} 2. h0g2 i9h9 *\n"), "{text}");
    game.nodes[1].comment = "a ｝ b ｛ c ｛d｝".to_owned();
    assert_eq!(one(&text), game);

    let games = read_well(Format::Moves, GAMES.as_bytes());
    for text in [written(&games, Dialect::Iccs), written(&games, Dialect::Chinese)] {
        assert!(text.lines().all(|line| line.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum::<usize>() <= 79));
    }
}

#[test]
fn the_tags_describe_the_game() {
    let start = Position::from_fen("3ak4/9/9/9/9/9/9/9/4A4/4K3R b - - 3 40").unwrap();
    let game = Game { nodes: moves(&start, "e9e8 i0i8"), start, result: GameResult::RedWins, ..Game::default() };
    let text = written(&[game], Dialect::Iccs);
    let expected = "[Game \"Chinese Chess\"]\n[Result \"1-0\"]\n[SetUp \"1\"]\n[FEN \"3ak4/9/9/9/9/9/9/9/4A4/4K3R b - - 3 40\"]\n\
                    [Format \"ICCS\"]\n\n40... E9-E8 41. I0-I8 1-0\n\n";
    assert_eq!(text, expected);
}

#[test]
fn comments_of_every_kind_belong_to_the_move_before_them() {
    let game = one(
        "{before} ; the first\n1. h2e2 {a (b} (c {d) } e (f)) 1... h9g7 ; g } h\n% an escape {\n2. h0g2 {i\nj} {{k} l} 1-0",
    );
    assert_eq!(game.comment, "before\nthe first");
    assert_eq!(comments(&game), ["a (b\nc {d) } e (f)", "g } h", "i\nj\n{k} l"]);
    assert_eq!((line(&game).as_str(), game.result), ("h2e2 h9g7 h0g2", GameResult::RedWins));
}

#[test]
fn moves_of_other_programs_are_read() {
    let played = "h2e2 h9g7 h0g2 i9h9";
    for text in [
        "1. h2e2 h9g7 2. h0g2 i9h9 *",
        "1.H2-E2 H9-G7\n2.H0-G2 I9-H9",
        "1. h2-e2! $14 h9-g7?! 2. h0g2 2... i9h9",
        "[Variant \"xiangqi\"]\n\n1. h3e3 h10g8 2. h1g3 i10h10 *",
        "[Variant \"xiangqi\"]\n\n1. Che3 Hg8 2. Hg3 Rh10",
    ] {
        assert_eq!(line(&one(text)), played, "{text}");
    }
}

#[test]
fn marks_of_moves_begin_their_comments() {
    let text = "1. h2-e2! {good} $14 h9-g7 {bad} $4 2. h0g2 !? {a} {b} 2... i9h9？！$10 *\n";
    let game = one(text);
    assert_eq!(comments(&game), ["! good\n$14", "bad\n??", "!? a\nb", "?! $10"]);
    assert_eq!(comments(&one(&written(std::slice::from_ref(&game), Dialect::Chinese))), comments(&game));
    // Lists, and variations, have the same ones.
    assert_eq!(read_well(Format::MoveList, text.as_bytes()), [game]);
    let text = "1. h2-e2? (1. c3c4!! (1. b0c2 $6 $10) {x}) $1 *\n";
    let tree = Format::Pgn.games(text.as_bytes(), Strictness::Strict).next().unwrap().unwrap();
    let nodes: Vec<_> = tree.nodes.iter().map(|node| (node.mv.to_string(), node.comment.as_str())).collect();
    let expected = [("h2e2", "? !"), ("c3c4", "!! x"), ("b0c2", "?! $10")];
    assert_eq!(nodes, expected.map(|(mv, comment)| (mv.to_owned(), comment)));
}

#[test]
fn a_full_width_bracket_that_is_not_closed_costs_its_game_only() {
    let second = "[Red \"乙\"]\n\n1. c3c4 *\n";
    let games = read_well(Format::Pgn, format!("[Red \"甲\"]\n\n1. h2e2 1-0\n欢迎访问（象棋网\n\n{second}").as_bytes());
    assert_eq!(games.iter().map(line).collect::<Vec<_>>(), ["h2e2", "c3c4"]);
    assert_eq!(games[0].nodes[0].comment, "");
    let games = read(Format::Pgn, format!("[Red \"甲\"]\n\n1. h2e2 （未完\n\n{second}").as_bytes());
    assert!(games.len() == 2 && games[0].is_err() && line(games[1].as_ref().unwrap()) == "c3c4");
}

#[test]
fn tags_are_read_as_sites_write_them() {
    let game = one(
        "[Event \"a \"quoted\" cup\"] [Site \"x\"]\n[Round 3]\n[Red \"y\n[FEN \"\"]\n[Result \"红胜\"]\n[RED \"z\"]\n\nh2e2 *",
    );
    assert_eq!(
        (game.tag("Event"), game.tag("Site"), game.tag("Round")),
        (Some("a \"quoted\" cup"), Some("x"), Some("3"))
    );
    assert_eq!((game.tag("Red"), game.result), (Some("y"), GameResult::RedWins));
    assert_eq!(game.start, Position::start());
    // A start position without, or with a wrong, SetUp.
    for set_up in ["", "[SetUp \"0\"]\n"] {
        let game = one(&format!("{set_up}[FEN \"3ak4/9/9/9/9/9/9/9/4A4/4K3R w\"]\n\n1. i0i8"));
        assert_eq!(line(&game), "i0i8");
    }
}

#[test]
fn the_value_of_a_tag_may_end_in_a_later_line() {
    let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
    for line_break in ["\n", "\r\n", "\r"] {
        let text = format!(
            "[TitleA \"\n四两拨千斤\"]\n[Event \"one\ntwo\n three\"]\n[FEN \"{start}\"]\n\n1. 炮二平五 马８进７ *\n"
        );
        let game = one(&text.replace('\n', line_break));
        assert_eq!((game.tag("Title"), game.tag("Event")), (Some("四两拨千斤"), Some("one two three")));
        assert_eq!(line(&game), "h2e2 h9g7");
    }
    for tags in ["[Event \"x\"\n]\n[Red \"甲\"]", "[Event\n\"x\"]\n[Red \"甲\"\n]", "[Event \"x\"]\n[Red\n\"甲\"]"] {
        let game = one(&format!("{tags}\n\n1. h2e2 h9g7 *\n"));
        assert_eq!((game.tag("Event"), game.tag("Red")), (Some("x"), Some("甲")), "{tags}");
    }
    // What is not closed before the next tag ends with its line.
    let game = one("[Red \"y\n[Black \"z\"]\n\n1. h2e2 {\"]} *\n");
    assert_eq!((game.tag("Red"), game.tag("Black"), line(&game).as_str()), (Some("y"), Some("z"), "h2e2"));
    let game = one("[Red \"y\n\n1. h2e2 h9g7 *\n");
    assert_eq!((game.tag("Red"), line(&game).as_str()), (Some("y"), "h2e2 h9g7"));
}

#[test]
fn a_win_without_a_side_is_that_of_red_who_moves_first() {
    use GameResult::{BlackWins, RedWins, Unknown};
    for (text, result) in
        [("炮二平五 马8进7 胜", RedWins), ("炮二平五 负。", BlackWins), ("结果：勝\n炮二平五", RedWins)]
    {
        assert_eq!(read_well(Format::MoveList, text.as_bytes())[0].result, result, "{text}");
    }
    let black_first = "3ak4/9/9/9/9/9/9/9/4A4/4K3R b\n士4进5 胜";
    assert_eq!(read_well(Format::MoveList, black_first.as_bytes())[0].result, Unknown);
    assert_eq!(one("[Result \"胜\"]\n\n1. h2e2 *\n").result, RedWins);
}

#[test]
fn games_of_taiwan_and_of_windows_are_read() {
    let text = "[Game \"Chinese Chess\"]\r\n[Event \"測試\"]\r\n[Red \"甲方\"]\r\n[Black \"乙方\"]\r\n[Result \"1-0\"]\r\n\
                {（註解）}\r\n  1. 炮二平五 馬８進７\r\n  2. 馬二進三 車９平８\r\n  3. 兵七進一 卒７進１\r\n  1-0\r\n";
    let expected = one(text);
    assert_eq!((line(&expected).as_str(), expected.tag("Red")), ("h2e2 h9g7 h0g2 i9h9 c3c4 g6g5", Some("甲方")));
    assert_eq!((expected.comment.as_str(), expected.result), ("（註解）", GameResult::RedWins));
    let utf16 =
        |order: fn(u16) -> [u8; 2]| format!("\u{feff}{text}").encode_utf16().flat_map(order).collect::<Vec<_>>();
    for bytes in [BIG5.encode(text).0.into_owned(), utf16(u16::to_le_bytes), utf16(u16::to_be_bytes)] {
        assert_eq!(Format::detect(&bytes), Some(Format::Pgn));
        assert_eq!(read_well(Format::Pgn, &bytes), std::slice::from_ref(&expected));
    }
    let list = BIG5.encode("紅方：甲 黑方：乙\n炮二平五 馬8進7\n馬二進三 車9平8 紅勝\n").0;
    assert_eq!(Format::detect(&list), Some(Format::MoveList));
    let game = read_well(Format::MoveList, &list).remove(0);
    assert_eq!((line(&game).as_str(), game.tag("Red")), ("h2e2 h9g7 h0g2 i9h9", Some("甲")));
}

#[test]
fn games_are_separated() {
    let advertised = "[Event \"a\"]\n\nh2e2 1-0\n\n=====\nvisit (us) {now}\nh2e2\n\n[Event \"b\"]\n\n[Event \"c\"]\n\nh2e2\n[Event \"d\"]\nh2e2 0-1 1. c3c4 1/2-1/2 1.g3g4";
    let games = read_well(Format::Pgn, advertised.as_bytes());
    let summary: Vec<String> = games
        .iter()
        .map(|game| format!("{} {} {}", game.tag("Event").unwrap_or("-"), line(game), game.result))
        .collect();
    assert_eq!(summary, ["a h2e2 1-0", "b  *", "c h2e2 *", "d h2e2 0-1", "- c3c4 1/2-1/2", "- g3g4 *"]);
    assert!(read_well(Format::Pgn, b"").is_empty() && read_well(Format::Pgn, b"\n\r\n  \n").is_empty());
}

#[test]
fn games_of_western_programs_are_read() {
    // Pawns have no letter in XBoard, whose ranks are from 0, and a rank may follow a letter that is also a file.
    for (tags, text, expected) in [
        ("", "1. Cbe2 {+0.38/19} Hg7 2. c4 g5 3. Hc2 Ege7 4. i4 *", "b2e2 h9g7 c3c4 g6g5 b0c2 g9e7 i3i4"),
        ("", "1. Cbe3 Hg8 2. c5 g6 3. Hc3 Ege8 4. i5 *", "b2e2 h9g7 c3c4 g6g5 b0c2 g9e7 i3i4"),
        ("[FEN \"4k4/9/9/9/9/5C3/9/9/5C3/3K5 w - - 0 1\"]\n", "1. C5f3 *", "f4f2"),
        ("[FEN \"3k1a3/9/5a3/9/9/9/9/9/9/4K4 b - - 0 1\"]\n", "1... A8e9 *", "f7e8"),
        ("[FEN \"3k1a3/9/5a3/9/9/9/9/9/9/4K4 b - - 0 1\"]\n", "1... A10e9 *", "f9e8"),
        ("[FEN \"3k5/9/9/9/9/9/3c5/9/9/4K4 b - - 0 1\"]\n", "1... C4d8 *", "d3d7"),
        // Ranks from 0 are tried first, and a game that names pieces has no coordinates such as c4a5.
        ("", "1. h2e2 b7e7 *", "h2e2 b7e7"),
        ("", "1. h3e3 b8e8 *", "h2e2 b7e7"),
        ("", "1. h2e2 h9g7 2. b0c2 *", "h2e2 h9g7 b0c2"),
        ("[FEN \"4k4/9/C8/9/9/C1N6/9/9/9/3K5 w\"]\n", "1. C4a5 e9e8 *", "c4a5 e9e8"),
        ("[FEN \"4k4/9/C8/9/9/C1N6/9/9/9/3K5 w\"]\n", "1. C4a5 Ke8 *", "a4a5 e9e8"),
        ("[FEN \"4k4/9/C8/9/9/C1N6/9/9/9/3K5 w\"]\n", "1. C7a6 *", "a7a6"),
    ] {
        assert_eq!(line(&one(&format!("[Variant \"xiangqi\"]\n{tags}\n{text}"))), expected, "{text}");
    }
    let games: Vec<&str> = lines(include_str!("../data/fairy_stockfish_games.tsv")).collect();
    assert_eq!(games.len(), 18);
    for game in games {
        let [notation, expected, text] = game.split('\t').collect::<Vec<_>>()[..] else { panic!("{game}") };
        let pgn = one(&format!("[Variant \"xiangqi\"]\n\n{text} *\n"));
        assert_eq!(line(&pgn), expected, "{notation}");
        assert_eq!(line(&read_well(Format::MoveList, text.as_bytes())[0]), expected, "{notation}");
    }
}
