//! Tests of `analyze`: positions, suites, games, and the safety of the report page.

use std::fs;

use serde_json::Value;

use chuhe::position::{Position, START_FEN};
use chuhe::types::Move;

use crate::common::data;
use crate::harness::{MATE_IN_ONE, MATING_MOVE, Start, TemporaryFile, run, run_badly, run_well};
use crate::lines::{is_legal, position};

/// Game in which Red loses a cannon for a pawn with the third ply.
const BLUNDER: &str = "[Event \"Club\"]\n[Red \"<script>alert(1)</script>\"]\n[Black \"O'Neill & \\\"Sons\\\"\"]\n\
                       [Result \"0-1\"]\n\n{Both <b>bold</b>} 1. h2e2 h9g7 2. e2e6 \
                       {</script><img src=x onerror=alert(1)>} g7e6 3. h0g2 i9h9 0-1\n";
const BLUNDER_MOVES: [&str; 6] = ["h2e2", "h9g7", "e2e6", "g7e6", "h0g2", "i9h9"];

/// Plays the moves, which must be legal, and returns the position after them.
fn played(start: &Position, moves: &Value) -> Position {
    let mut position = start.clone();
    for mv in moves.as_array().expect("moves are a list") {
        let mv = mv.as_str().expect("a move is a text");
        assert!(is_legal(&position, mv), "{mv} in {position}");
        position.make(mv.parse().unwrap());
    }
    position
}

// Positions

#[test]
fn json_has_every_iteration_and_the_result() {
    for fen in [START_FEN, "2bakab1r/6r2/2n1c3n/p1p1p1p1p/9/2P6/P3P1P1P/1C2C1N2/9/RNBAKAB1R b"] {
        let arguments = ["analyze", fen, "--depth", "5", "--multipv", "2", "--json", "--notation", "wxf"];
        let mut objects = run_well(&arguments).objects();
        let result = objects.pop().unwrap();
        assert_eq!(result["type"], "result");
        let order: Vec<(u64, u64)> = objects
            .iter()
            .map(|object| (object["depth"].as_u64().unwrap(), object["place"].as_u64().unwrap()))
            .collect();
        assert_eq!(order, (1..=5).flat_map(|depth| [(depth, 1), (depth, 2)]).collect::<Vec<_>>());
        let start = position(fen);
        for object in &objects {
            assert_eq!(object["type"], "iteration");
            assert!(object["centipawns"].is_i64() && object["mate"].is_null() && object["repetition"].is_null());
            assert!(!object["moves"].as_array().unwrap().is_empty());
            played(&start, &object["moves"]);
            assert_eq!(object["moves"].as_array().unwrap().len(), object["notation"].as_array().unwrap().len());
        }
        let last = &objects[objects.len() - 2];
        for key in ["moves", "notation", "centipawns", "winning_chance"] {
            assert_eq!(result[key], last[key], "{key}");
            assert_eq!(result["lines"][0][key], last[key], "{key}");
        }
        assert_eq!((&result["best"], result["lines"].as_array().unwrap().len()), (&result["moves"][0], 2));
        assert_eq!(result["interrupted"], false);
    }
}

#[test]
fn a_mate_is_counted_in_moves_and_written_as_asked() {
    for (option, expected) in [
        ("--chinese", "车三平六"),
        ("--notation=wxf", "R3.6"),
        ("--notation=iccs", "G0-D0"),
        ("--notation=vietnamese", "X3-6"),
    ] {
        let lines = run_well(&["analyze", MATE_IN_ONE, "--depth", "4", option]).lines;
        assert!(lines.contains(&format!("best move   {expected}")), "{lines:#?}");
        assert!(lines.iter().any(|line| line.contains("mate 1")) && lines.iter().any(|line| line.starts_with("FEN")));
    }
    let both = run_badly(&["analyze", "startpos", "--chinese", "--notation", "wxf"], 2);
    assert!(both.lines.is_empty());
    let moves = run_well(&["analyze", "startpos", "h2e2", "h9g7", "--depth", "1", "--json"]).objects();
    let after = "rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w";
    assert!(moves[1]["fen"].as_str().unwrap().starts_with(after));
}

#[test]
fn positions_come_from_a_stream_and_bad_lines_cost_only_themselves() {
    let mut program = Start { arguments: &["analyze", "-", "--depth", "3", "--json"], ..Start::default() }.now();
    program.send(format!("{MATE_IN_ONE}\nno position\n\n# remark\n{START_FEN}\n").as_bytes());
    program.close_input();
    let ended = program.expect_exit();
    assert_eq!(ended.status, Some(0));
    assert!(ended.errors.contains("line 2") && ended.errors.lines().count() == 1, "{}", ended.errors);
    let results: Vec<Value> = ended.objects().into_iter().filter(|object| object["type"] == "result").collect();
    assert_eq!(results.len(), 2);
    assert_eq!((&results[0]["best"], &results[0]["mate"]), (&MATING_MOVE.into(), &1.into()));
    assert_eq!(results[1]["fen"], START_FEN);
}

#[test]
fn a_side_without_moves_has_no_best_move() {
    let ended = run_well(&["analyze", "R3k4/1R7/9/9/9/9/9/9/9/3K5 b", "--depth", "3", "--json"]);
    let result = ended.objects().pop().unwrap();
    assert_eq!((ended.lines.len(), &result["best"], &result["mate"]), (1, &Value::Null, &0.into()));
}

#[test]
fn a_closed_pipe_ends_the_command_quietly() {
    let arguments = ["analyze", "startpos", "--depth", "60", "--json"];
    let program = Start { arguments: &arguments, hang_up_after: Some(1), ..Start::default() }.now();
    let ended = program.expect_exit();
    assert_eq!((ended.status, ended.errors.as_str()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn an_interrupt_prints_the_result_so_far() {
    let arguments = ["analyze", "startpos", "--depth", "60", "--json"];
    let mut program = Start { arguments: &arguments, ..Start::default() }.now();
    program.wait_until("third iteration", |line| line.contains("\"depth\":3"));
    program.interrupt();
    let ended = program.expect_exit();
    assert_eq!(ended.status, Some(130), "{}", ended.errors);
    let result = ended.objects().pop().expect("a result is printed");
    assert_eq!((&result["type"], &result["interrupted"]), (&"result".into(), &true.into()));
    assert!(is_legal(&Position::start(), result["best"].as_str().unwrap()));
}

// Suites

/// Returns the first `count` mates of this length: FENs without counters.
fn mates(moves: usize, count: usize) -> Vec<&'static str> {
    data::mates().into_iter().filter(|(_, needed)| *needed == moves).map(|(fen, _)| fen).take(count).collect()
}

/// Returns whether any legal move mates.
fn has_mate_in_one(position: &Position) -> bool {
    let mates = |&mv: &Move| {
        let mut after = position.clone();
        after.make(mv);
        !after.has_legal_move()
    };
    position.legal_moves().iter().any(mates)
}

#[test]
fn mates_are_solved_when_they_are_short_enough() {
    let mut suite = String::new();
    let mut expected = Vec::new();
    for (moves, count) in [(1, 4), (2, 4), (3, 2)] {
        for fen in mates(moves, count) {
            suite += &format!("{fen}\tdm {moves}; id \"mate in {moves}\";\n");
            expected.push((moves, true));
        }
    }
    for fen in mates(2, 4).into_iter().filter(|fen| !has_mate_in_one(&position(fen))) {
        suite += &format!("{fen} dm 1\n");
        expected.push((1, false));
    }
    assert!(expected.len() > 12, "some mates are no shorter than they say");
    let file = TemporaryFile::with("mates-suite.epd", &suite);
    let arguments = ["analyze", "--suite", file.path(), "--depth", "10", "--threads", "2"];
    let ended = run_well(&[&arguments[..], &["--json"]].concat());
    let mut objects = ended.objects();
    let summary = objects.pop().unwrap();
    let solved = expected.iter().filter(|(_, is_solved)| *is_solved).count();
    assert_eq!((&summary["positions"], &summary["solved"]), (&expected.len().into(), &solved.into()));
    for (object, (moves, is_solved)) in objects.iter().zip(&expected) {
        assert_eq!(object["solved"], *is_solved, "{object}");
        let end = played(&position(object["fen"].as_str().unwrap()), &object["moves"]);
        if *is_solved {
            assert!(!end.has_legal_move() && object["moves"].as_array().unwrap().len() < 2 * moves, "{object}");
            assert!(object["solved_depth"].as_u64() <= object["depth"].as_u64(), "{object}");
        }
    }
    let text = run_well(&arguments);
    assert_eq!(text.last_line(), format!("{} positions, {solved} solved", expected.len()));
    assert_eq!(text.lines.iter().filter(|line| line.starts_with("yes ")).count(), solved);
}

#[test]
fn best_and_avoided_moves_are_checked_and_bad_lines_counted() {
    let fen = MATE_IN_ONE.trim_end_matches(" - - 0 1");
    let suite = format!(
        "# remark\n{fen} bm g0d0; id wanted;\n{fen} bm R3.6 g0g1; id other notation;\n{fen} am g0d0; id avoided;\n\
         {fen} am g0g1; id fine;\n{fen} bm g0g1; id wrong;\n{fen} bm g0i9; id impossible;\n{fen} id nothing;\n\
         nonsense\n{fen} dm many;\n"
    );
    let file = TemporaryFile::with("moves-suite.txt", &suite);
    let ended = run(&["analyze", file.path(), "--depth", "4"]);
    assert_eq!((ended.status, ended.last_line()), (Some(0), "5 positions, 3 solved"), "{:#?}", ended.lines);
    let verdict = |name: &str| {
        let row = ended.lines.iter().find(|line| line.contains(&format!("  {name}: "))).expect(name);
        row.split(' ').next().unwrap().to_owned()
    };
    let verdicts = ["wanted", "other notation", "avoided", "fine", "wrong"].map(verdict);
    assert_eq!(verdicts, ["yes", "yes", "no", "yes", "no"]);
    assert!(ended.errors.contains("4 bad lines") && ended.errors.lines().count() == 5, "{}", ended.errors);
    assert!(["line 7", "nothing", "line 9", "line 10"].iter().all(|part| ended.errors.contains(part)));
}

#[test]
fn garbage_is_reported_in_one_line() {
    let garbage: String = (0..2000u32).map(|number| char::from((number * 97 % 251) as u8)).collect();
    let file = TemporaryFile::with("garbage", &garbage);
    let ended = run_badly(&["analyze", file.path()], 1);
    assert!(ended.errors.contains("neither games") && ended.errors.lines().count() == 1, "{}", ended.errors);
    let ended = run(&["analyze", "--suite", file.path(), "--depth", "1"]);
    assert_eq!((ended.status, ended.last_line()), (Some(1), "0 positions, 0 solved"), "{}", ended.errors);
    let pgn = TemporaryFile::with("bad.pgn", "[Event \"x\"]\n\n1. h2e2 a0a9 *\n");
    assert!(run_badly(&["analyze", pgn.path()], 1).errors.contains("ply 2"));
    // A game without a legal move is skipped.
    let mixed = TemporaryFile::with("mixed.pgn", "[Event \"x\"]\n\n1. a0a9 *\n\n[Event \"y\"]\n\n1. h2e2 h9g7 *\n");
    let ended = run(&["analyze", mixed.path(), "--depth", "1"]);
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    assert!(ended.errors.contains("left out") && ended.text().contains("h9g7"), "{}{}", ended.errors, ended.text());
    assert!(run_badly(&["analyze", "no-such-file.pgn"], 1).errors.contains("no-such-file.pgn"));
    assert!(run_badly(&["analyze", "9/9/9/9/9/9/9/9/9/9 w"], 3).errors.contains("invalid position"));
    let report = TemporaryFile::named("none.html");
    assert!(run_badly(&["analyze", "startpos", "--report", report.path()], 2).errors.contains("--report"));
    assert!(run_badly(&["analyze", pgn.path(), "h2e2"], 2).errors.contains("h2e2"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_suite_without_an_end_ends_at_its_limit_or_by_request() {
    let errors = run_badly(&["analyze", "--suite", "/dev/zero"], 1).errors;
    assert!(errors.contains("/dev/zero") && errors.contains("more than 134217728 bytes"), "{errors}");
    let program = Start { arguments: &["analyze", "--suite", "/dev/stdin"], ..Start::default() }.now();
    while program.threads_named(&["termination"]) == 0 {
        std::thread::yield_now();
    }
    program.signal("TERM");
    let ended = program.expect_exit();
    assert_eq!((ended.status, ended.text().as_str()), (Some(130), ""), "{}", ended.errors);
}

#[test]
fn misplaced_arguments_get_a_hint() {
    for arguments in [&["analyze", "h2e2", "h9g7"][..], &["analyze", "炮二平五 马8进7"]] {
        let errors = run_badly(arguments, 2).errors;
        assert!(errors.contains("pipe them to 'chuhe analyze -'") && errors.contains("startpos"), "{errors}");
    }
    // A page that cannot be written is reported before the analysis.
    let game = TemporaryFile::with("hint.txt", "h2e2 h9g7\n");
    let ended = run_badly(&["analyze", game.path(), "--report", "/nonexistent/x.html"], 1);
    let expected = "chuhe: /nonexistent/x.html: the folder '/nonexistent' does not exist";
    assert_eq!((ended.text().as_str(), ended.errors.trim_end()), ("", expected));
}

// Games

#[test]
fn a_planted_blunder_is_marked() {
    let file = TemporaryFile::with("blunder.pgn", BLUNDER);
    let mut objects = run_well(&["analyze", file.path(), "--depth", "10", "--json", "--chinese"]).objects();
    let summary = objects.pop().unwrap();
    let moves: Vec<&str> = objects.iter().map(|object| object["move"].as_str().unwrap()).collect();
    assert_eq!(moves, BLUNDER_MOVES);
    let marks: Vec<Option<&str>> = objects.iter().map(|object| object["mark"].as_str()).collect();
    assert_eq!(marks.iter().position(|mark| *mark == Some("blunder")), Some(2), "{marks:?}");
    assert_eq!(marks.iter().filter(|mark| **mark == Some("blunder")).count(), 1, "{marks:?}");
    assert!(objects[2]["loss"].as_f64().unwrap() >= 0.2 && objects[1]["red_winning_chance"].as_f64() > Some(0.4));
    assert!(objects[2]["red_winning_chance"].as_f64().unwrap() < 0.35);
    let mut position = Position::start();
    for object in &objects {
        assert_eq!(object["phase"], "opening");
        assert_eq!(object["side"], if object["ply"].as_u64().unwrap() % 2 == 1 { "red" } else { "black" });
        played(&position, &object["best_moves"]);
        position.make(object["move"].as_str().unwrap().parse().unwrap());
        assert_eq!(object["fen"], position.to_string());
    }
    assert_eq!(objects[0]["notation"], "炮二平五");
    assert_eq!((&summary["red"]["blunders"], &summary["black"]["blunders"]), (&1.into(), &0.into()));
    assert!(summary["red"]["accuracy"].as_f64().unwrap() < summary["black"]["accuracy"].as_f64().unwrap());
    // Forced moves aside, the moves that the search would have played.
    for side in ["red", "black"] {
        let is_agreed = |object: &&serde_json::Value| {
            object["side"] == side && object["forced"] == false && object["best_moves"][0] == object["move"]
        };
        assert_eq!(summary[side]["agreed"], objects.iter().filter(is_agreed).count(), "{side}");
    }
    assert_eq!(summary["opening"]["chinese"], "中炮");
    let text = run_well(&["analyze", file.path(), "--depth", "10"]).lines;
    assert!(text.iter().any(|line| line.contains("e2e6??") && line.contains("blunder")), "{text:#?}");
}

#[test]
fn a_move_that_leaves_a_single_reply_is_reviewed_by_a_whole_search() {
    // Red's move wins; the single reply looks well for Black until he is mated. All searches end by their mates.
    let game = "[FEN \"3k5/2R6/3a1a3/6C2/1c1N3c1/7r1/4p1r2/3pnK3/4p4/9 w - - 0 1\"]\n\n1. C8-C9 D9-D8 *\n";
    let file = TemporaryFile::with("single-reply.pgn", game);
    let objects = run_well(&["analyze", file.path(), "--movetime", "600000", "--json"]).objects();
    for object in &objects[..2] {
        assert!(object["mark"].is_null(), "{object}");
        assert!(object["red"]["mate"].as_i64().is_some_and(|moves| moves > 0), "{object}");
    }
    assert_eq!(objects[1]["forced"], true);
}

#[test]
fn games_end_in_mate_or_by_selection() {
    let fen = MATE_IN_ONE.trim_end_matches(" - - 0 1");
    let file = TemporaryFile::with("games.tsv", &format!("0-1\t\ta0a1 a9a8\n1-0\t{fen}\tg0d0\n"));
    let ended = run_well(&["analyze", file.path(), "--game", "2", "--depth", "4", "--json"]);
    let objects = ended.objects();
    assert_eq!((objects.len(), &objects[0]["move"], &objects[0]["red"]["mate"]), (2, &"g0d0".into(), &0.into()));
    assert_eq!((&objects[0]["red_winning_chance"], &objects[0]["loss"]), (&1.0.into(), &0.0.into()));
    assert_eq!(objects[0]["phase"], "ending");
    assert!(run(&["analyze", file.path(), "--depth", "1"]).errors.contains("--game"));
    assert!(run_badly(&["analyze", file.path(), "--game", "3", "--depth", "1"], 1).errors.contains("no game 3"));
}

#[test]
fn the_report_is_one_page_that_executes_no_text_of_the_game() {
    let (file, report) = (TemporaryFile::with("report.pgn", BLUNDER), TemporaryFile::named("report.html"));
    let ended = run(&["analyze", file.path(), "--depth", "4", "--chinese", "--report", report.path()]);
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    let page = fs::read_to_string(report.path()).unwrap();
    assert_eq!(page.matches("<a class=\"move").count(), BLUNDER_MOVES.len());
    assert_eq!(page.matches("<a class=\"point").count(), BLUNDER_MOVES.len() + 1);
    // The page has no external references, and no scripts except its own.
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    for word in ["<script>alert", "<img", "<b>", " src=\"", "url(", "@import", "<link", "https:"] {
        assert!(!page.contains(word), "{word}");
    }
    assert_eq!(page.matches("http:").count(), page.matches("http://www.w3.org/2000/svg").count());
    let references = page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    assert!(references.clone().count() > 10 && references.clone().all(|target| target.starts_with('#')));
    assert!(page.contains("&lt;script&gt;alert(1)") && page.contains("&lt;b&gt;bold"));

    let data = page.split_once("id=\"plies\">").unwrap().1.split_once("</script>").unwrap().0;
    let plies: Vec<Value> = serde_json::from_str(data).expect("what the script reads is JSON");
    let mut position = Position::start();
    assert_eq!(plies.len(), BLUNDER_MOVES.len() + 1);
    for (ply, shown) in plies.iter().enumerate() {
        assert!(position.to_string().starts_with(&format!("{} ", shown["board"].as_str().unwrap())));
        BLUNDER_MOVES.get(ply).into_iter().for_each(|mv| position.make(mv.parse().unwrap()));
    }
    assert_eq!(plies[3]["remark"], "</script><img src=x onerror=alert(1)>");
    assert_eq!(plies[3]["last"], serde_json::json!([400, 700, 400, 300]));
}
