//! Proves that games are converted as a stream, that what cannot be read is reported, and that no output is half
//! written.

use std::fs;

use crate::common::data::GAMES;
use crate::harness::{TemporaryFile, refused, run, run_badly, run_noted};

const PGN: &str = "[Event \"cup\"]\n[Result \"1-0\"]\n\n1. h2e2 h9g7 1-0\n\n";
const MIXED: &str = "1-0\t\th2e2 h9g7\n0-1\t\th2e2 h9g8\nx\t\th2e2\n*\t\ta0a9\n*\t\tc3c4\n";

fn real_input(name: &str) -> String {
    format!("{}/tests/data/real-input/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with('#')).collect()
}

#[test]
fn games_go_there_and_back() {
    let list = TemporaryFile::with("there.tsv", GAMES);
    let [pgn, back] = ["there.pgn", "back.tsv"].map(TemporaryFile::named);
    let there = run(&["convert", "--notation", "wxf_official", list.path(), pgn.path()]);
    let expected = format!("chuhe: 21 games written to {}\n", pgn.path());
    assert_eq!((there.status, there.errors, there.lines.len()), (Some(0), expected, 0));
    assert_eq!(fs::read_to_string(pgn.path()).unwrap().matches("[Format \"WXF-Official\"").count(), 21);
    run_noted(&["convert", pgn.path(), back.path()]);
    assert_eq!(lines(&fs::read_to_string(back.path()).unwrap()), lines(GAMES));
}

#[test]
fn a_position_alone_is_a_game_without_moves() {
    let board = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";
    for (text, line) in [
        (format!("{board}_w_-_-_0_1"), "*\t\t".to_owned()),
        (format!("# copied\n{}+b+-+-+3+7\n", board.replace('/', "%2F")), format!("*\t{board} b - - 3 7\t")),
    ] {
        let file = TemporaryFile::with("lone.txt", &text);
        let ended = run(&["convert", "--to", "moves", file.path(), "-"]);
        assert_eq!((ended.status, ended.text().trim_end_matches('\n')), (Some(0), line.as_str()), "{}", ended.errors);
    }
    let file = TemporaryFile::with("lone.txt", &format!("{board} g - - 0 1\n"));
    refused(&["convert", "--to", "moves", file.path(), "-"], 1, "'g' is not a side to move (w, r or b)");
}

#[test]
fn what_is_left_out_is_told_by_line_and_not_lost_in_place() {
    let page = "[DhtmlXQ]\n[DhtmlXQ_movelist]7747[/DhtmlXQ_movelist]\n[DhtmlXQ_move_0_1_1]0000[/DhtmlXQ_move_0_1_1]\n\
                [DhtmlXQ_move_0_1_2]2625[/DhtmlXQ_move_0_1_2]\n[/DhtmlXQ]\n";
    for (name, text, moves, parts) in [
        (
            "mixed.tsv",
            MIXED,
            &["1. H2-E2 H9-G7 1-0", "1. H2-E2 0-1", "1. C3-C4 *"][..],
            &[
                "3 games written",
                "warning: FILE: game 2, line 2: 'h9g8' is not a legal move",
                "FILE: line 4",
                "FILE: line 3",
                "FILE: 3 games are not complete, as the lines above say; what could be read was used",
            ][..],
        ),
        (
            "damaged.ubb",
            page,
            &["C3-C4"],
            &["line 3: ply 1: 'a9a9' is not legal: Red has no piece there; this variation or comment is left out"],
        ),
    ] {
        let file = TemporaryFile::with(name, text);
        let ended = run(&["convert", "--notation", "iccs", file.path(), "-"]);
        assert_eq!(ended.status, Some(1), "{}", ended.errors);
        assert!(moves.iter().all(|part| ended.text().contains(part)), "{}", ended.text());
        let is_told = |part: &&str| ended.errors.contains(&part.replace("FILE", file.path()));
        assert!(parts.iter().all(is_told), "{}", ended.errors);
        let ended = run_badly(&["convert", file.path(), file.path()], 1);
        assert!(ended.errors.contains("would be lost") && !ended.errors.contains("written to"), "{}", ended.errors);
        assert_eq!(fs::read_to_string(file.path()).unwrap(), text);
    }
    let lax = TemporaryFile::with("lax.tsv", "*\trrr1k4/9/9/9/9/9/9/9/9/3K5 w\td0d1\n");
    run_badly(&["convert", lax.path(), "-"], 1);
    run_noted(&["convert", "--lax", lax.path(), "-"]);
}

#[test]
fn games_are_kept_up_to_an_illegal_move() {
    let file = real_input("12-illegal-last-move.xqf");
    let ended = run(&["convert", &file, "-", "--to", "moves", "--notation", "coordinate"]);
    assert_eq!(ended.lines, ["*\t\th2e2 h9g7 h0g2 i9h9 i0i1"]);
    let reason = "ply 6: 'h8f8' is not legal: Black has no piece there";
    let warning = format!("warning: {file}: game 1, byte 1072: {reason}; the game is read up to there\n");
    assert!(ended.status == Some(1) && ended.errors.contains(&warning), "{}", ended.errors);
    let judged = run(&["judge", "--moves", &file]);
    assert!(judged.status == Some(1) && judged.errors.contains(&warning), "{}", judged.errors);
    assert!(judged.text().contains("The game goes on after ply 5, but cannot be read"), "{}", judged.text());
    let judged = run(&["judge", "--json", "--moves", &file]);
    assert!(judged.text().contains("\"plies\":5") && judged.text().contains(reason), "{}", judged.text());
    // What is learned from results takes no game without its end.
    let book = TemporaryFile::named("cut.book");
    let built = run_badly(&["book", "build", &file, "--min-games", "1", "--out", book.path()], 1);
    assert!(built.errors.contains(reason) && built.errors.contains("this game is left out"), "{}", built.errors);
    let diagram = run_noted(&["convert", &real_input("11-mate-diagram.xqf"), "-", "--to", "moves"]);
    assert!(diagram.lines[0].contains(" b ") && diagram.lines[0].ends_with('\t'), "{}", diagram.lines[0]);
    diagram.tells("it is read with Black to move");
}

#[test]
fn when_nothing_can_be_read_the_old_output_stays() {
    let output = TemporaryFile::with("old.pgn", "old");
    for (name, text, part) in [
        ("faulty.tsv", "x\t\th2e2\n", "line 1"),
        ("page.html", "<html><body>hello [DhtmlXQ] world</body></html>\n", "no game could be read"),
    ] {
        let ended = run_badly(&["convert", TemporaryFile::with(name, text).path(), output.path()], 1);
        assert!(ended.errors.contains(part) && ended.errors.contains("no game"), "{}", ended.errors);
        assert_eq!(fs::read_to_string(output.path()).unwrap(), "old");
    }
    // A file without games has no fault.
    let empty = TemporaryFile::with("empty.pgn", "\n");
    let ended = run(&["convert", "--from", "pgn", empty.path(), output.path()]);
    assert_eq!((ended.status, fs::read_to_string(output.path()).unwrap().as_str()), (Some(0), ""));
    ended.tells("0 games");
}

#[test]
fn a_file_may_be_converted_in_its_place_and_leaves_nothing_beside_it() {
    let file = TemporaryFile::with("games.pgn", PGN);
    run_noted(&["convert", file.path(), file.path()]);
    assert_eq!(fs::read_dir(file.folder()).unwrap().count(), 1);
    let text = fs::read_to_string(file.path()).unwrap();
    assert!(text.contains("[Format \"Chinese\"]") && text.contains("[Event \"cup\"]"), "{text}");
}

#[test]
fn wrong_files_and_formats_are_told_of() {
    let unknown = TemporaryFile::with("unknown.txt", "Dear Sir,\n");
    let good = TemporaryFile::with("good.pgn", PGN);
    let output = TemporaryFile::named("never.pgn");
    let never = output.path();
    let document = TemporaryFile::named("never.doc");
    for (arguments, status, part) in [
        (&["convert", unknown.path(), never][..], 1, "name the format with --from"),
        (&["convert", "/nonexistent/games.pgn", never], 1, "/nonexistent/games.pgn"),
        (&["convert", good.path(), "/nonexistent/games.pgn"], 1, "/nonexistent/games.pgn"),
        (&["convert", "--to", "movelist", good.path(), never], 2, "movelist"),
        (&["convert", good.path(), document.path()], 2, "pgn (.pgn, .pgns), moves (.tsv, .moves), xqf (.xqf), dhtmlxq"),
    ] {
        refused(arguments, status, part);
        assert!([never, document.path()].iter().all(|path| fs::metadata(path).is_err()));
    }
    run_noted(&["convert", "--to", "pgn", good.path(), document.path()]);
    // Commands without the option do not name it.
    let ended = refused(&["judge", "--moves", unknown.path()], 1, "no games or moves were found");
    assert!(!ended.errors.contains("--from"), "{}", ended.errors);
}

#[test]
fn an_output_never_replaces_another_kind_of_input() {
    let text = "[Red \"a\"]\n[Black \"b\"]\n\n1. h2e2 h9g7 2. h0g2 i9h9 1-0\n";
    let games = TemporaryFile::with("inputs.pgn", text);
    let path = games.path();
    let (folder, name) = path.rsplit_once(std::path::is_separator).unwrap();
    // The same file by another name.
    let again = format!("{folder}/./{name}");
    for arguments in [
        &["analyze", path, "--game", "1", "--nodes", "20", "--report", &again][..],
        &["analyze", path, "--nodes", "20", "--pgn", path],
        &["book", "build", path, "--min-games", "1", "--out", path],
        &["book", "import", path, "--out", path],
        &["tune", path, "--out", path],
        &["tune", path, "--search-params", "futility_base", "--out", path],
        &["openings", path, "--from-games", "1", "--nodes", "10", "--out", path],
        &["match", "--engine", "name=a", "--engine", "name=b", "--nodes", "9", "--openings", path, "--pgn", path],
        &["match", "--engine", "name=a", "--engine", "name=b", "--nodes", "9", "--openings", path, "--resume", path],
    ] {
        refused(arguments, 2, "would replace this input; name another output");
        assert_eq!(fs::read_to_string(path).unwrap(), text, "{arguments:?}");
    }
}

#[test]
fn files_for_older_programs_are_in_gbk() {
    let text = "[Red \"王天一\"]\n[Black \"\u{20BB7}\"]\n\n1. 炮二平五 {好棋\n😀} *\n";
    let (pgn, gbk) = (TemporaryFile::with("utf8.pgn", text), TemporaryFile::named("gbk.pgn"));
    let [back, page] = ["gbk-back.pgn", "gbk.html"].map(TemporaryFile::named);
    let convert = |arguments: &[&str]| run_noted(&[&["convert"], arguments].concat());
    convert(&["--encoding", "gbk", pgn.path(), gbk.path()]);
    let bytes = fs::read(gbk.path()).unwrap();
    let (found, _, has_faults) = encoding_rs::GB18030.decode(&bytes);
    assert!(!has_faults && found.contains("王天一") && found.contains("\u{20BB7}"), "{found}");
    assert!(found.matches('\n').count() == found.matches("\r\n").count() && std::str::from_utf8(&bytes).is_err());
    convert(&[gbk.path(), back.path()]);
    convert(&[pgn.path(), gbk.path()]);
    assert_eq!(fs::read(back.path()).unwrap(), fs::read(gbk.path()).unwrap());
    convert(&["--encoding", "gbk", pgn.path(), page.path()]);
    assert!(fs::read(page.path()).unwrap().windows(6).any(|part| part == [0xCD, 0xF5, 0xCC, 0xEC, 0xD2, 0xBB]));
}

#[test]
fn what_a_format_cannot_hold_and_files_that_are_not_read_are_named() {
    let pgn =
        TemporaryFile::with("tags.pgn", "[Red \"甲\"]\n[RedElo \"2600\"]\n[ECCO \"\"]\n[Round \"?\"]\n\n1. h2e2 *\n");
    for (name, is_complete) in [("tags.xqf", false), ("tags.html", false), ("tags.tsv", true), ("tags2.pgn", true)] {
        let ended = run(&["convert", pgn.path(), TemporaryFile::named(name).path()]);
        let expected = "chuhe: tags left out, for which this format has no place: RedElo\n";
        assert_eq!((ended.status, ended.errors.ends_with(expected)), (Some(0), !is_complete), "{}", ended.errors);
    }
    let long = "[Red \"Grandmaster Hu\"]\n[Black \"Grandmaster Hu Ronghua\"]\n\n{\u{1F600}} 1. h2e2 *\n";
    let counted = "[FEN \"3k5/9/9/9/9/9/9/9/9/R3K4 w - - 77 60\"]\n\n1. a0a1 *\n";
    for (text, cut) in
        [(long, "Black, comments"), (counted, "plies since a capture and move number of the start position")]
    {
        let pgn = TemporaryFile::with("long.pgn", text);
        let ended = run(&["convert", pgn.path(), TemporaryFile::named("long.xqf").path()]);
        let expected =
            format!("chuhe: not kept in full, since this format has no room or no characters for it: {cut}\n");
        assert_eq!((ended.status, ended.errors.ends_with(&expected)), (Some(0), true), "{}", ended.errors);
    }
    let cbr = TemporaryFile::with("game.cbr", "CCBridge Record\0\x02\0");
    for arguments in [&["convert", cbr.path(), "-"][..], &["analyze", cbr.path()]] {
        refused(arguments, 1, "the file ends within the head of a game");
    }
}
