//! Tests reports and messages for a user who reads Chinese.

use crate::harness::{Ended, Start, TemporaryFile};

const MATE: &str = "2baka2R/3n1P1r1/4b4/5N3/9/2P3P2/9/3AB4/4A4/4K1B2 w";
const GAME: &str = "[Red \"甲\"]\n[Black \"乙\"]\n\n1. 炮二平五 马８进７ 2. 炮五进四 车９进１ 1-0\n";

/// Runs a command with this language of the system.
fn run_in(language: &str, arguments: &[&str]) -> Ended {
    let mut program = Start { arguments, language, ..Start::default() }.now();
    program.close_input();
    program.expect_exit()
}

/// Returns the English words of a text. Names, formats, options and moves are none (`dm` is an operation of EPD).
fn english_words(text: &str) -> Vec<String> {
    const KEPT: [&str; 14] =
        ["chuhe", "FEN", "PGN", "XQF", "DhtmlXQ", "UCCI", "UCI", "Elo", "EPD", "MB", "SPRT", "Chuhe", "Pikafish", "dm"];
    let is_word = |word: &&str| word.chars().filter(char::is_ascii_lowercase).count() > 1;
    let words = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || "-./'".contains(letter)));
    let words = words.filter(is_word).filter(|word| !word.contains(['/', '.']) && !word.starts_with(['-', '\'']));
    words
        .filter(|word| !KEPT.contains(word) && !word.contains(|c: char| c.is_ascii_digit()))
        .map(str::to_owned)
        .collect()
}

#[test]
fn reports_and_errors_follow_the_language_of_the_system() {
    let game = TemporaryFile::with("game.pgn", GAME);
    let suite = TemporaryFile::with("suite.epd", &format!("{MATE} dm 5; id \"1\";\n"));
    for (arguments, expected) in [
        (&["analyze", "startpos", "h2e2", "--depth", "4", "--multipv", "2"][..], "深度"),
        (&["analyze", game.path(), "--depth", "2"], "准确率"),
        (&["analyze", suite.path(), "--depth", "2", "--explain"], "题"),
        (&["analyze", "--profile", "甲", game.path(), "--depth", "1"], "甲"),
        (
            &["judge", "3k5/R8/9/9/9/9/9/4K4/9/9 w", "a8a9", "d9d8", "a9a8", "d8d9", "a8a9", "d9d8", "a9a8", "d8d9"],
            "长将",
        ),
        (&["mate", MATE, "--within", "2"], "杀"),
        (&["eval", "startpos"], "红"),
        (&["show", "startpos", "h2e2"], "轮到"),
        (&["book", "probe", "startpos"], "着法"),
        (&["count", "KRvK"], ""),
        (&["judge", "startpos", "e0e5"], "着法"),
        (&["analyze", "9/9/9/9/9/9/9/9/9/4K4 w"], "局面无效"),
        (&["bench", "1"], "节点总数"),
        (&["convert", "missing.pgn", "out.xqf"], "文件"),
        (&["book", "probe", "--book", "missing.book"], "文件"),
    ] {
        let ended = run_in("zh_CN.UTF-8", arguments);
        let text = format!("{}\n{}", ended.text(), ended.errors);
        assert!(text.contains(expected), "{arguments:?}: {text}");
        assert_eq!(english_words(&text), [""; 0], "{arguments:?}: {text}");
        let english = run_in("en_US.UTF-8", arguments);
        assert_eq!(english.status, ended.status, "{arguments:?}");
        assert_eq!(english.lines.len(), ended.lines.len(), "{arguments:?}");
    }
}

#[test]
fn html_reports_follow_the_language_and_leave_data_alone() {
    let tags = "[Event \"draw\"]\n[Red \"Red wins\"]\n[Black \"no move\"]\n\n";
    let game = TemporaryFile::with("game.pgn", &format!("{tags}1. h2e2 h9g7 2. e2e6 a9a8 0-1\n"));
    let report = TemporaryFile::with("report.html", "");
    let arguments = ["analyze", game.path(), "--depth", "6", "--report", report.path()];
    let text = run_in("zh_CN.UTF-8", &arguments).text();
    let page = std::fs::read_to_string(report.path()).unwrap();
    assert!(page.contains("<html lang=\"zh-CN\">"), "{page}");
    // The texts of the elements and their labels.
    let body = page.split("</style>").nth(1).unwrap().split("<script").next().unwrap();
    let texts = body.split('<').filter_map(|part| Some(part.split_once('>')?.1));
    let labels = body.split("aria-label=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let shown: String = texts.chain(labels).chain([&*text]).collect();
    let rest = ["draw", "Red wins", "no move", "tmp"].iter().fold(shown.clone(), |rest, name| rest.replace(name, ""));
    assert_eq!(english_words(&rest), [""; 0], "{page}");
    assert!(["draw", "Red wins", "no move"].iter().all(|name| shown.contains(name)), "{page}");
}

#[test]
fn the_option_chooses_chinese_and_json_stays_as_it_is() {
    let arguments = ["analyze", "startpos", "--depth", "2", "--chinese"];
    assert_eq!(english_words(&run_in("", &arguments).text()), [""; 0]);
    assert!(run_in("", &["mate", "--help", "--chinese"]).lines.contains(&"选项：".to_owned()));
    // Another notation may be chosen, before the command or after it.
    for arguments in
        [["--chinese", "mate", MATE, "--notation", "iccs"], ["mate", MATE, "--notation", "iccs", "--chinese"]]
    {
        let text = run_in("", &arguments).text();
        assert!(text.contains("杀") && text.contains("I9-F9") && !text.contains('车'), "{text}");
    }
    // What programs read has no language.
    let game = TemporaryFile::with("stream.pgn", "1. h2e2 h9g7 2. h0g2 b9c7 {win, draw} 1-0\n");
    for arguments in [
        &["analyze", game.path(), "--depth", "1", "--pgn", "-"][..],
        &["convert", game.path(), "-", "--to", "pgn"],
        &["tablebase", "probe", "3k5/9/9/9/9/9/9/9/9/4K3R w", "--json"],
    ] {
        assert_eq!(run_in("zh_CN.UTF-8", arguments).lines, run_in("", arguments).lines, "{arguments:?}");
    }
}
