//! Moves are read as people write them, and a fault names its line, its word and the closest legal move.

use chuhe::notation::format::{BYTES_TO_DETECT, Format};
use chuhe::notation::game::{Game, GameResult};
use chuhe::notation::{Dialect, write_line};
use chuhe::position::Position;
use encoding_rs::GB18030;

use crate::samples::{GAMES, bare, random_games, read, read_list, read_well, words};

const FEN: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 1 1";

fn gbk(text: &str) -> Vec<u8> {
    GB18030.encode(text).0.into_owned()
}

fn list(text: &str) -> Vec<Game> {
    read_well(Format::MoveList, text.as_bytes())
}

/// Tags, comments, moves and results of the games of a text, or their errors.
fn told(text: &[u8]) -> Vec<String> {
    let told = |game: Game| {
        let tags = game.tags.iter().map(|(name, value)| format!("{name}={value}, "));
        let comment = |text: &str| if text.is_empty() { String::new() } else { format!("{{{text}}} ") };
        let moves = game.nodes.iter().map(|node| format!("{} {}", node.mv, comment(&node.comment)));
        tags.chain([comment(&game.comment)]).chain(moves).chain([game.result.to_string()]).collect()
    };
    let games = read(Format::MoveList, text).into_iter();
    games.map(|game| game.map_or_else(|error| error.to_string(), told)).collect()
}

fn lines_of(text: &str) -> Vec<String> {
    let games = read(Format::MoveList, text.as_bytes());
    games.iter().map(|game| game.as_ref().map_or_else(ToString::to_string, words)).collect()
}

#[test]
fn every_form_is_recognised_and_read() {
    for text in [
        "h2e2 h9g7 h0g2 i9h9",
        "h2e2\nh9g7\r\nh0g2\n\ni9h9\n",
        "h2e2,h9g7, h0g2\ti9h9",
        "h3e3 h10g8 h1g3 i10h10",
        "炮二平五\n馬８進７\n傌二進三\n車９平８",
        "炮二平五　马8进7，马二进三，车9平8。",
        "炮二平五、马8进7、马二进三、车9平8",
        "1、炮二平五 马8进7\n2、马二进三 车9平8",
        "1 炮二平五 马8进7\n2 马二进三 车9平8",
        "1.C2=5 h8+7 2.h2+3 r9=8 *",
        "1. C2.5\n1... N8+7\n2. N2+3\n2... R9.8",
        "1. C2.5 1. ... N8+7 2. N2+3 2. … R9.8",
        "# 1. a remark\n; and another\n\n1. h2e2! h9g7 {good} (h9i7) 2. h0g2?! i9h9 $1",
        "# moves\nh2e2 h9g7 # c3c4\nh0g2 ; g6g5\ni9h9",
        "position startpos moves h2e2 h9g7 h0g2 i9h9",
        "startpos 1. 炮二平五 马8进7 2. 马二进三 车9平8",
        "12 h2e2 h9g7 h0g2 i9h9",
        "１、炮二平五，马8进7；２、马二进三，车9平8。",
        "１ 炮二平五　马８进７　２ 马二进三　车９平８",
        "1、炮二平五！马8进7 2、傌二進三車９平８？",
        "h3e3h10g8h1g3i10h10",
        "1.h2e2h9g72.h0g2i9h9",
        "H2-E2H9-G7 h0g2i9h9",
        "红：h2e2黑：h9g7红：h0g2黑：i9h9",
        "P2-5, M8.7, M2.3, X9-8",
        "1. Pháo 2 bình 5, Mã 8 tấn 7\n2. Mã 2 tấn 3!, Xe 9 bình 8+",
        "1.PHÁO 2 BÌNH 5 MÃ 8 TIẾN 7 2.MÃ 2 TIẾN 3 XE 9 BÌNH 8",
        "pháo hai bình năm\nmã tám tiến bảy\nmã hai tiến ba\nxe chín bình tám",
        "1. phao 2 binh 5 ma 8 tien 7 2. ma 2 tien 3 xe 9 binh 8",
        "P2 bình 5 M8 tiến 7 M2 tiến 3 X9 bình 8",
        "1. Pha\u{301}o 2 bi\u{300}nh 5 Ma\u{303} 8 tie\u{302}\u{301}n 7 2. Ma\u{303} 2 tie\u{302}\u{301}n 3 Xe 9 bi\u{300}nh 8",
    ] {
        let game = read_list(text);
        assert_eq!((words(&game).as_str(), game.start), ("h2e2 h9g7 h0g2 i9h9", Position::start()), "{text}");
    }
    let marked = b"\xef\xbb\xbfh2e2 h9g7";
    assert_eq!(Format::detect(marked), Some(Format::MoveList));
    assert_eq!(words(&read_well(Format::MoveList, marked)[0]), "h2e2 h9g7");
    for text in [
        format!("{FEN} moves h9g7 h0g2"),
        format!("{FEN} h9g7 h0g2 \t"),
        format!("红方：甲 {FEN}\th9g7 h0g2　\r\n"),
        format!("position fen {FEN} moves h9g7 h0g2"),
        format!("fen {FEN}\nmoves h9g7\nh0g2"),
        format!("{FEN}\nh9g7 h0g2"),
        format!("\n# remark\n{FEN}\n\n1... 马8进7\n2. 马二进三\n"),
        format!("{}\nN8+7 N2+3", FEN.trim_end_matches(" - - 1 1")),
    ] {
        let game = read_list(&text);
        assert_eq!(words(&game), "h9g7 h0g2", "{text}");
        assert!(game.start.to_string().starts_with(FEN.trim_end_matches(" - - 1 1")), "{text}");
    }
}

#[test]
fn vietnamese_lists_are_read() {
    let tandem = "3k5/9/4P4/4P4/4P4/9/5c3/1R7/1R7/5K3 w";
    let cannon = "3k5/9/9/7P1/9/9/9/7C1/9/4K4 w";
    for (start, text, expected) in [
        ("", "1. P2-5 M8.7\n2. M2.3 X9-8\n3. X1-2 M2.3\n4. B7.1 B7.1\n", "h2e2 h9g7 h0g2 i9h9 i0h0 b9c7 c3c4 g6g5"),
        ("", "P8/1 T3.5 V7.5 S4.5 C1.1 P8-9 Tg5.1", "b2b1 c9e7 c0e2 d9e8 i3i4 h7i7 e0e1"),
        // The whole list tells it from WXF: a cannon on file 2 behind a pawn beyond the river.
        (cannon, "P2.3 K4+1", "h6g6 d9d8"),
        (cannon, "P2.3 Tg4.1", "h2h5 d9d8"),
        (tandem, "Xs/1 P6/1 Bg-4 P6.2 Bt-6 P6/3 Xt-3", "b1b0 f3f4 e6f6 f4f2 e7d7 f2f5 b2g2"),
    ] {
        let text = if start.is_empty() { text.to_owned() } else { format!("{start} moves {text}") };
        assert_eq!(Format::detect(text.as_bytes()), Some(Format::MoveList), "{text}");
        assert_eq!(lines_of(&text), [expected], "{text}");
    }
    // A missing half-move is found as in Chinese.
    let told = lines_of("1... Mã 8 tiến 7 2. Mã 2 tiến 3");
    assert_eq!(told, ["line 1: 'Mã 8 tiến 7' is Black's move 1, but Red's is missing (ply 1)"]);
    // A fault names the closest move in the same notation.
    let told = lines_of("1. Pháo 2 bình 5 Mã 8 tiến 7\n2. Mã 2 tiến 4");
    let expected = "line 2: 'Mã 2 tiến 4' is not a legal move here; closest legal move: M2.3 (h0g2) (ply 3)";
    assert_eq!(told, [expected]);
}

#[test]
fn signs_of_check_are_ignored() {
    for text in [
        "1. C2=5 A4+5 2. C5+4+ B3+5",
        "1. C2.5 A4+5\n2. C5+4++ B3+5",
        "C2=5 A4+5 C5+4# B3+5",
        "C2=5 A4+5 C5+4 + B3+5",
        "1. 炮二平五 士4进5 2. 炮五进四+ 象3进5",
        "炮二平五士4进5炮五进四＋！象3进5",
        "h2e2 d9e8 e2e6+ c9e7",
        "H2-E2 D9-E8 E2-E6+! C9-E7",
        "h2e2d9e8e2e6+c9e7",
        "1. Che2 Ade8 2. Cxe6+ Ece7",
    ] {
        // The last one alone could be PGN.
        let games = list(text);
        assert_eq!(games.iter().map(words).collect::<Vec<_>>(), ["h2e2 d9e8 e2e6 c9e7"], "{text}");
        let pgn = read_well(Format::Pgn, format!("[Result \"*\"]\n\n{text} *").as_bytes());
        assert_eq!(pgn.iter().map(words).collect::<Vec<_>>(), ["h2e2 d9e8 e2e6 c9e7"], "{text}");
    }
}

#[test]
fn headers_titles_results_and_remarks_are_no_moves() {
    let four = "h2e2 h9g7 h0g2 i9h9 *";
    let with_fen = format!("Red: 甲 Black: 乙 {FEN} moves h9g7\n红方：丙\n{FEN}\nh9g7\n");
    let xqwizard = format!(
        "杯赛\n上海 甲 (先胜) 乙\n(弈于 太原)\n飞相对进左马(A05)\n├-(车)-┤\n# {FEN}\n{{─甲}}\n1.  马８进７\n1-0\n===\n# 棋谱\n# {FEN}\n马８进７"
    );
    for (text, expected) in [
        (&*xqwizard, &["Title=杯赛, {弈于 太原\n─甲} h9g7 {棋谱} 1-0", "h9g7 *"][..]),
        ("图甲─\n# a/b/c/d/e/f/g/h/i/j\n炮二平五 {─\n─}", &["Title=图甲─, {a/b/c/d/e/f/g/h/i/j} h2e2 {─\n─} *"]),
        (
            "赛事：个人赛\n红方：胡荣华  黑方：柳大华\n结果：红胜\n\n炮二平五马8进7\nRed: A B\nBlack : C\n\n1. h2e2 h9g7 \
             0-1\nRed: D\nResult: unclear\nh2e2\n",
            &[
                "Event=个人赛, Red=胡荣华, Black=柳大华, h2e2 h9g7 1-0",
                "Red=A B, Black=C, h2e2 h9g7 0-1",
                "Red=D, h2e2 *",
            ],
        ),
        // Moves or a position may follow in the same line.
        ("红方：甲 黑方：乙 1. 炮二平五 马8进7", &["Red=甲, Black=乙, h2e2 h9g7 *"]),
        ("红方：甲，黑方：乙，炮二平五，马8进7", &["Red=甲, Black=乙, h2e2 h9g7 *"]),
        (&with_fen, &["Red=甲, Black=乙, h9g7 *", "Red=丙, h9g7 *"]),
        // A value may have the form of a move, and an opening the name of its first one.
        (
            "Event: 2024 Cup, Round: 12-3\nSite: https://a/b/c/d\n开局：炮二平五\nh2e2 h9g7\n",
            &["Event=2024 Cup, Round=12-3, Site=https://a/b/c/d, Opening=炮二平五, h2e2 h9g7 *"],
        ),
        (
            "中国象棋对局记录\n王天一 先胜 郑惟桐\n\n红方姓名：王天一\n\t1. 炮二平五\t马8进7\n（好棋）\n2. 马二进三（均势） 车9平8 \
             （红胜）\n",
            &["Title=中国象棋对局记录, Red=王天一, h2e2 h9g7 {好棋} h0g2 {均势} i9h9 {红胜} 1-0"],
        ),
        // Neither are moves with remarks titles, and comments before the first move.
        ("炮二平五(中炮)\n马8进7(屏风马)\n马二进三\n车9平8", &["h2e2 {中炮} h9g7 {屏风马} h0g2 i9h9 *"]),
        ("炮二平五（中炮） 马8进7（屏风马)\n马二进三 车9平8", &["h2e2 {中炮} h9g7 {屏风马} h0g2 i9h9 *"]),
        ("(这是注释)\n1. 炮二平五 马8进7\n", &["{这是注释} h2e2 h9g7 *"]),
        ("红方：甲\n（注释一\n注释二）\n1. 炮二平五 马8进7\n", &["Red=甲, {注释一\n注释二} h2e2 h9g7 *"]),
        // Numbers of years and rounds are no move numbers, and a result among headers ends no game.
        ("2024年个人赛\n红方：甲\n红方胜\n1. 炮二平五 马8进7\n", &["Title=2024年个人赛, Red=甲, h2e2 h9g7 1-0"]),
        ("第 3 轮\n1. 炮二平五 马8进7 红方胜\n", &["Title=第 3 轮, h2e2 h9g7 1-0"]),
        ("个人赛/决赛\n炮二平五马8进7（好）2.马二进三车9平8", &["Title=个人赛/决赛, h2e2 h9g7 {好} h0g2 i9h9 *"]),
        ("C2=5 A4+5 C5+4+!? B3+5", &["h2e2 d9e8 e2e6 {!?} c9e7 *"]),
        (
            "Giải: Vô địch\nĐỏ: Lại Lý Huynh\nĐen: Thiên Nhất\n1. P2-5 M8.7\n2. M2.3 X9-8\nĐỏ thắng\n\n1. Đỏ: Pháo 2 bình 5 Đen: \
             Mã 8 tiến 7 hòa\n",
            &["Event=Vô địch, Red=Lại Lý Huynh, Black=Thiên Nhất, h2e2 h9g7 h0g2 i9h9 1-0", "h2e2 h9g7 1/2-1/2"],
        ),
        (
            "Ván 1\n1. Pháo 2 bình 5 {trung pháo} Mã 8 tiến 7 (bình phong mã) 2. Mã 2 tiến 3 1-0\n",
            &["Title=Ván 1, h2e2 {trung pháo} h9g7 {bình phong mã} h0g2 1-0"],
        ),
    ] {
        assert_eq!(Format::detect(text.as_bytes()), Some(Format::MoveList), "{text}");
        assert_eq!(told(text.as_bytes()), expected, "{text}");
        if !text.contains('Đ') && !text.starts_with("Ván") {
            assert_eq!((Format::detect(&gbk(text)), told(&gbk(text))), (Some(Format::MoveList), told(text.as_bytes())));
        }
    }
    assert_eq!(told("\t1. 炮二平五\t马8进7\n2. 马二进三 车9平8\n".as_bytes()), [four]);
    assert_eq!(Format::detect("红方：甲\n黑方：乙\n".as_bytes()), None);
    // A wrong move is not a title.
    let wrong =
        "炮二平|炮二五(注)\n马二进三 马2进3|跑二平五 马8进7|炮二平五 马8进|1. 炮|跑二平五马8进7\n马二进三马2进3";
    for text in wrong.split('|') {
        assert!(read(Format::MoveList, text.as_bytes())[0].is_err(), "{text}");
    }
    // The moves of PGN need no separators either.
    let text = "[Red \"甲\"]\n\n1.炮二平五马8进7（好）2.马二进三车9平8 红方胜\n";
    let game = read_well(Format::Pgn, text.as_bytes()).remove(0);
    assert_eq!((words(&game).as_str(), game.result), ("h2e2 h9g7 h0g2 i9h9", GameResult::RedWins));
}

#[test]
fn files_of_wxf_are_read() {
    let one = "FORMAT\tWXF\nGAME\tfinal\nRED\tHu ; 2600 ;Shanghai;\nBLACK\tLiu;;;\nDATE\t1986-05-01\nRESULT\t1-0\n\
               START{\n 1. C2.5 h8+7 {good}\n 2. H2+3 r9.8\n}END\n";
    let other = one.replace("START{", "COMMENT{ by Liu }COMMENT\nSTART\n{").replace("1-0", "open");
    let file = format!("棋谱\n{one}advertisement\n{other}");
    assert_eq!(Format::detect(file.as_bytes()), Some(Format::MoveList));
    let tags = "Title=final, Red=Hu, RedTeam=Shanghai, RedElo=2600, Black=Liu, Date=1986-05-01";
    let moves = "h2e2 h9g7 {good} h0g2 i9h9";
    let expected = [format!("{tags}, {moves} 1-0"), format!("{tags}, {{by Liu}} {moves} *")];
    assert_eq!(told(file.as_bytes()), expected);
    let text = "FORMAT WXF\nFEN 3k5/9/9/9/9/9/9/9/9/R3K4 r\nSTART{ 1. R9+1 k4+1 }END\n";
    assert_eq!(lines_of(text), ["a0a1 d9d8"]);
    assert!(read(Format::MoveList, b"FORMAT WXF\nRED x\n1. C2.5\n")[0].is_err());
    // Formats of early drafts, with guards and ministers.
    for (format, moves) in [
        ("AXF", "1. C2=5 N8+7\n2. G4+5 M3+5"),
        ("AXF, K(K) R(R)", "1. C2=5!! n8+7\n2. g4+5 m3+5"),
        ("ICCS", "1. H2-E2 H9-G7 2. F0-E1 C9-E7"),
        ("LALG", "1. Ch2-e2 Nh9-g7 2. Gf0-e1 Mc9-e7"),
        ("SALG", "1. Che2 Nhg7 2. Gfe1 Mce7"),
    ] {
        let text = format!("FORMAT\t{format}\nRED\tA;;;\nBLACK\tB;;;\nSTART{{\n{moves}\n}}END\n");
        let game = read_list(&text);
        assert_eq!((words(&game).as_str(), game.tag("Red")), ("h2e2 h9g7 f0e1 c9e7", Some("A")), "{text}");
    }
}

#[test]
fn other_formats_are_recognised_as_before() {
    let mate = "3a2b2/3k5/9/7N1/9/9/9/4K4/9/6R2 w";
    for (text, format) in [
        ("[Event \"x\"]\n\nh2e2 *\n".to_owned(), Some(Format::Pgn)),
        ("{remark} 1. h2e2 *\n".to_owned(), Some(Format::Pgn)),
        ("1. not known\n".to_owned(), Some(Format::Pgn)),
        (GAMES.to_owned(), Some(Format::Moves)),
        ("1-0\t\th2e2 h9g7\n".to_owned(), Some(Format::Moves)),
        ("*\t\th2e2 h9g7\n".to_owned(), Some(Format::Moves)),
        (format!("1-0\t{FEN}\th9g7\n"), Some(Format::Moves)),
        ("h2e2 [DhtmlXQ]\n".to_owned(), Some(Format::DhtmlXq)),
        ("uci\nposition startpos moves h2e2 h9g7\ngo\n".to_owned(), Some(Format::MoveList)),
        (format!("Study 1\n{FEN}\nh9g7\n"), Some(Format::MoveList)),
        (format!("uci\nposition fen {FEN}\ngo depth 6\n"), None),
        ("C2.5$3)\n".to_owned(), Some(Format::MoveList)),
        // Suites, positions, labelled positions and cases for the judge.
        (format!("{mate} bm g0d0; id \"one\";\n"), None),
        (format!("{mate} dm 1;\n{FEN} bm h9g7;\n"), None),
        (format!("{FEN}\n{FEN}\n"), None),
        (format!("{FEN}\n"), None),
        (format!("{FEN}\t1-0\t25\n"), None),
        (format!("{FEN}\t44\t1920\n"), None),
        (format!("case\t{FEN}\th9g7 h0g2\tnone\n"), None),
        ("Dear Sir, and so on\nh2e2\n".to_owned(), None),
        ("1 2 3\n4 5 6\n".to_owned(), None),
        ("Engine v1.2 of 2024\n".to_owned(), None),
        ("Ván cờ hay\n".to_owned(), None),
        ("<html><body>h2e2\n".to_owned(), None),
        (String::new(), None),
    ] {
        assert_eq!(Format::detect(text.as_bytes()), format, "{text}");
    }
    // Words with the form of a move, and others.
    for (words, format) in [
        ("h2e2 H2-E2! h10g8 1.C2.5 1、炮二平五 11.2 前兵平四 R+-1 9...马8进7 P2-5", Some(Format::MoveList)),
        ("Dear a1 3/4 h2e 0.5 Ce3 -- rnba/9 炮二平 2024.5 P P2 P2- P25 P2-0 P2-10 2-5 v1.2", None),
    ] {
        for word in words.split(' ') {
            assert_eq!(Format::detect(word.as_bytes()), format, "{word}");
        }
    }
}

#[test]
fn a_head_that_ends_within_a_character_is_recognised() {
    let text = "炮二平五　马8进7　马二进三　车9平8　".repeat(BYTES_TO_DETECT);
    for bytes in [text.as_bytes(), &gbk(&text)] {
        for length in BYTES_TO_DETECT - 8..BYTES_TO_DETECT {
            assert_eq!(Format::detect(&bytes[..length]), Some(Format::MoveList), "{length}");
        }
    }
}

#[test]
fn positions_results_and_first_numbers_begin_games() {
    let text = format!(
        "h2e2 h9g7 1-0\nc3c4 红胜 1. b2e2 h9g7\n\n1. a0a1 a9a8\n2. a1a0 0-1 startpos moves c3c4\n\n{FEN}\nh9g7\n\nh0g2\n\n\
         {FEN} moves b9c7 1/2-1/2\nThank you for reading\n1、炮二平五\nposition startpos moves a3a4 和棋"
    );
    let expected =
        "h2e2 h9g7 1-0|c3c4 1-0|b2e2 h9g7 *|a0a1 a9a8 a1a0 0-1|c3c4 *|h9g7 h0g2 *|b9c7 1/2-1/2|h2e2 *|a3a4 1/2-1/2";
    assert_eq!(told(text.as_bytes()).join("|"), expected);
    // Positions alone are games without a move.
    let games = read_well(Format::MoveList, format!("startpos\n{FEN}\n1-0").as_bytes());
    assert_eq!(games.iter().map(|game| game.nodes.len()).collect::<Vec<_>>(), [0, 0]);
    assert_eq!((games[1].start.to_string().as_str(), games[1].result), (FEN, GameResult::RedWins));
}

#[test]
fn games_in_every_notation_and_layout_are_read_back() {
    let games: Vec<Game> = random_games(21, 24).iter().map(bare).filter(|game| !game.nodes.is_empty()).collect();
    for dialect in Dialect::ALL {
        for layout in 0..5 {
            let mut text = String::new();
            for game in &games {
                let words = write_line(&game.start, &game.line(), dialect);
                let numbered = |stop: &str| -> String {
                    let number = |(index, pair): (usize, &[String])| format!("{}{stop}{}\n", index + 1, pair.join(" "));
                    words.chunks(2).enumerate().map(number).collect()
                };
                let listed = match layout {
                    0 => words.join(" "),
                    1 => words.join("\n"),
                    2 => words.join(", "),
                    3 => numbered(". "),
                    _ => numbered("、"),
                };
                let start = game.start.to_string();
                match (layout, game.start == Position::start()) {
                    (0, true) => text += &format!("startpos moves {listed} {}\n", game.result),
                    (_, true) => text += &format!("position startpos\n{listed}\n\n{}\n\n", game.result),
                    (0, false) => text += &format!("position fen {start} moves {listed} {}\n", game.result),
                    (_, false) => text += &format!("{start}\n{listed}\n{}\n", game.result),
                }
            }
            for bytes in [text.as_bytes().to_vec(), gbk(&text)] {
                assert_eq!(Format::detect(&bytes[..bytes.len().min(BYTES_TO_DETECT)]), Some(Format::MoveList));
                assert_eq!(read_well(Format::MoveList, &bytes), games, "{dialect}, layout {layout}");
            }
        }
    }
}

#[test]
fn a_fault_names_line_word_and_closest_move() {
    for (text, expected) in [
        ("h2e2\nh9g7\nh2e9\n", "line 3: 'h2e9' is not a legal move here; closest legal move: b2b9 (ply 3)"),
        ("h2e9 h9g7", "line 1: 'h2e9' is not a legal move here; closest legal move: h2e2 (ply 1)"),
        (
            "炮二平五\n马8进9\n马二进四",
            "line 3: '马二进四' is not a legal move here; closest legal move: 马二进三 (h0g2) (ply 3)",
        ),
        (
            "炮二平五马8进7\n马二进四车9平8",
            "line 2: '马二进四' is not a legal move here; closest legal move: 马二进三 (h0g2) (ply 3)",
        ),
        ("1. C2.5 H8+7\n2. H2+4", "line 2: 'H2+4' is not a legal move here; closest legal move: H2+3 (h0g2) (ply 3)"),
        ("startpos moves h2e2 hello", "line 1: 'hello' is not a legal move here (ply 2)"),
        ("h3e3 h10g8\nh3e3", "line 2: 'h3e3' is not a legal move here; closest legal move: h1g3 (h0g2) (ply 3)"),
        ("h2e2 h9g7 \u{1b}[31m", "line 1: '\u{fffd}[31m' is not a legal move here"),
        ("startpos moves h2e2\n9/9/9/9 w moves h2e2", "line 2: invalid position: "),
        (
            "4k4/R8/1R7/9/9/9/9/9/9/3K5 w\nb7b9\ne9e8",
            "line 3: 'e9e8' is not a legal move here: the game is over, Black has no legal move (ply 2)",
        ),
    ] {
        let told = lines_of(text);
        let last = told.last().unwrap();
        assert!(last.starts_with(expected), "{last}\n{expected}");
    }
}

#[test]
fn a_fault_costs_its_game_only() {
    let text = format!("h2e2 h2e2\nh9g7\n\nstartpos moves c3c4\n{FEN}\nh9h9\n1. h2e2 x 2. h0g2\n\n1. a0a1\n0-1 h2e2");
    let told = lines_of(&text);
    let is_fault: Vec<bool> = told.iter().map(|line| line.starts_with("line")).collect();
    // The number 1 is that of the first move after the position, so that it begins no game there.
    assert_eq!(is_fault, [true, false, true, true, false, false], "{told:#?}");
    assert!(told[3].starts_with("line 7: 'x'"), "{told:#?}");
    assert_eq!((told[1].as_str(), told[4].as_str(), told[5].as_str()), ("c3c4", "a0a1", "h2e2"));
}

#[test]
fn separators_addresses_and_brackets_lose_no_move() {
    let four = "h2e2 h9g7 h0g2 i9h9";
    let start = Position::start().board_text();
    for (text, expected, result) in [
        ("第一回合:炮二平五,马8进7;第二回合:马二进三,车9平8;", four, "*"),
        ("h2e2 h9g7; h0g2 i9h9", four, "*"),
        ("P2-5, M8.7; M2.3, X9-8", four, "*"),
        ("1. h2e2 h9g7; 2. h0g2 i9h9 ; the end", four, "*"),
        ("h2e2 h9g7 ; 红方优势\nh0g2 i9h9", four, "*"),
        (&format!("{start}_w_moves_h2e2_h9g7"), "h2e2 h9g7", "*"),
        (&format!("{start}%20w%20-%20-%200%201%20moves%20h2e2%20h9g7"), "h2e2 h9g7", "*"),
        (&format!("position fen {start}_w moves h2e2 h9g7"), "h2e2 h9g7", "*"),
        ("第一回合：h2e2h9g7", "h2e2 h9g7", "*"),
        ("炮二平五 马8进7（胜）", "h2e2 h9g7", "1-0"),
        ("炮二平五 马8进7 (红胜)", "h2e2 h9g7", "1-0"),
        ("炮二平五 马8进7 后胜", "h2e2 h9g7", "0-1"),
        ("炮二平五（和）马8进7", "h2e2 h9g7", "*"),
        ("炮二平五(h2e2) 马8进7(h9g7)", "h2e2 h9g7", "*"),
        ("炮二平五（红） 马8进7（黑）", "h2e2 h9g7", "*"),
        ("红先：炮二平五 黑：马8进7", "h2e2 h9g7", "*"),
        (&format!("{start} b\n黑先：马8进7 红：炮二平五"), "h9g7 h2e2", "*"),
    ] {
        let game = read_list(text);
        assert_eq!((words(&game).as_str(), game.result.text()), (expected, result), "{text}");
    }
}
