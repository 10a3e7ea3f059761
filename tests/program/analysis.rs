//! Tests of `analyze`: positions, suites of problems, and explanations of those that are missed.

use serde_json::Value;

use chuhe::commands::analysis::{Mark, text, winning_chance};
use chuhe::eval::WinModel;
use chuhe::position::{Position, START_FEN};
use chuhe::types::score::{mate_in, mated_in, rule_loss_in};

use crate::common::data;
use crate::harness::{
    MATE_IN_ONE, MATING_MOVE, Program, TemporaryFile, refused, run, run_badly, run_noted, run_well, run_with,
};
use crate::lines::{is_legal, position};

fn fen_of_mate_in_one() -> &'static str {
    MATE_IN_ONE.trim_end_matches(" - - 0 1")
}

/// Plays the moves, which must be legal, and returns the position after them.
pub fn played(start: &Position, moves: &Value) -> Position {
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
        ("--notation=chinese", "车三平六"),
        ("--notation=wxf", "R3.6"),
        ("--notation=iccs", "G0-D0"),
        ("--notation=vietnamese", "X3-6"),
    ] {
        let lines = run_well(&["analyze", MATE_IN_ONE, "--depth", "4", option]).lines;
        assert!(lines.contains(&format!("best move   {expected}")), "{lines:#?}");
        assert!(lines.iter().any(|line| line.contains("mate 1")) && lines.iter().any(|line| line.starts_with("FEN")));
    }
    let moves = run_well(&["analyze", "startpos", "h2e2", "h9g7", "--depth", "1", "--json"]).objects();
    let after = "rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w";
    assert!(moves[1]["fen"].as_str().unwrap().starts_with(after));
}

#[test]
fn scores_are_formatted_and_losses_marked() {
    assert_eq!([0.04, 0.12, 1.0].map(Mark::from_loss), [None, Some(Mark::Mistake), Some(Mark::Blunder)]);
    assert_eq!([0, mate_in(5), mated_in(2)].map(winning_chance), [0.5, 1.0, 0.0]);
    for (value, expected) in [
        (0, "+0.00"),
        (mate_in(1), "mate 1"),
        (mate_in(5), "mate 3"),
        (mated_in(2), "mate -1"),
        (mated_in(0), "mate"),
        (rule_loss_in(8), "rule loss"),
    ] {
        assert_eq!(text::score(WinModel::new(20).reported(value)), expected);
    }
    for (reported, expected) in [(-5, "-0.05"), (123, "+1.23")] {
        let mut scores = (-2_000..2_000).map(|score| WinModel::new(6).reported(score));
        let found = scores.find(|score| score.get() == reported).map(text::score);
        assert_eq!(found.as_deref(), Some(expected));
    }
}

#[test]
fn positions_come_from_a_stream_and_bad_lines_cost_only_themselves() {
    let ended = run_with(
        &["analyze", "-", "--depth", "3", "--json"],
        format!("{MATE_IN_ONE}\nno position\n\n# remark\n{START_FEN}\n").as_bytes(),
    );
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

#[cfg(unix)]
#[test]
fn an_interrupt_prints_the_result_so_far() {
    let arguments = ["analyze", "startpos", "--depth", "60", "--json"];
    let mut program = Program::with(&arguments);
    program.wait_until("third iteration", |line| line.contains("\"depth\":3"));
    let ended = program.interrupt("INT");
    let result = ended.objects().pop().expect("a result is printed");
    assert_eq!((&result["type"], &result["interrupted"]), (&"result".into(), &true.into()));
    assert!(is_legal(&Position::start(), result["best"].as_str().unwrap()));
}

// Suites

/// Returns the first `count` mates of this length: FENs without counters.
fn mates(moves: usize, count: usize) -> Vec<&'static str> {
    data::mates().into_iter().filter(|(_, needed)| *needed == moves).map(|(fen, _)| fen).take(count).collect()
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
    for fen in mates(2, 4) {
        suite += &format!("{fen} dm 1\n");
        expected.push((1, false));
    }
    suite += &format!("{} dm {}\n", mates(1, 1)[0], u32::MAX);
    expected.push((u32::MAX as usize, true));
    let file = TemporaryFile::with("mates-suite.epd", &suite);
    let arguments = ["analyze", file.path(), "--depth", "10", "--threads", "2"];
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
    let fen = fen_of_mate_in_one();
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
    assert!(
        ended.errors.contains("neither games, nor moves, nor a suite, nor positions")
            && ended.errors.lines().count() == 1,
        "{}",
        ended.errors
    );
    let suite = TemporaryFile::with("garbage.epd", &garbage);
    let ended = run(&["analyze", suite.path(), "--depth", "1"]);
    assert_eq!((ended.status, ended.last_line()), (Some(1), "0 positions, 0 solved"), "{}", ended.errors);
    let pgn = TemporaryFile::with("bad.pgn", "[Event \"x\"]\n\n1. h2e2 a0a9 *\n");
    refused(&["analyze", pgn.path()], 1, "ply 2");
    // A game without a legal move is skipped.
    let mixed = TemporaryFile::with("mixed.pgn", "[Event \"x\"]\n\n1. a0a9 *\n\n[Event \"y\"]\n\n1. h2e2 h9g7 *\n");
    let ended = run_noted(&["analyze", mixed.path(), "--depth", "1"]);
    assert!(ended.errors.contains("left out") && ended.text().contains("h9g7"), "{}{}", ended.errors, ended.text());
    refused(&["analyze", "no-such-file.pgn"], 1, "no-such-file.pgn");
    refused(&["analyze", "9/9/9/9/9/9/9/9/9/9 w"], 3, "invalid position");
    let report = TemporaryFile::named("none.html");
    refused(&["analyze", "startpos", "--report", report.path()], 2, "--report");
    refused(&["analyze", pgn.path(), "h2e2"], 2, "h2e2");
}

#[cfg(target_os = "linux")]
#[test]
fn a_suite_without_an_end_ends_at_its_limit_or_by_request() {
    let folder = tempfile::tempdir().unwrap();
    let [zeros, input] = ["/dev/zero", "/dev/stdin"].map(|target| {
        let path = folder.path().join(format!("{}.epd", &target[5..]));
        std::os::unix::fs::symlink(target, &path).unwrap();
        path.to_str().unwrap().to_owned()
    });
    refused(&["analyze", &zeros], 1, "zero.epd: line 1: cannot be read: it has more than 134217728 bytes");
    let program = Program::with(&["analyze", &input]);
    program.wait_for_handler();
    assert_eq!(program.interrupt("TERM").text(), "");
}

#[test]
fn misplaced_arguments_get_a_hint() {
    for arguments in [&["analyze", "h2e2", "h9g7"][..], &["analyze", "炮二平五 马8进7"]] {
        let errors = run_badly(arguments, 2).errors;
        assert!(errors.contains("pipe them to 'chuhe analyze -'") && errors.contains("startpos"), "{errors}");
    }
    // What cannot be written is reported before the analysis.
    let game = TemporaryFile::with("hint.txt", "h2e2 h9g7\n");
    for (option, output) in [("--report", "/nonexistent/x.html"), ("--pgn", "/nonexistent/x.pgn")] {
        let ended = run_badly(&["analyze", game.path(), option, output], 1);
        let expected = format!("chuhe: {output}: the folder '/nonexistent' does not exist\n");
        assert_eq!((ended.text().as_str(), ended.errors), ("", expected));
    }
    refused(&["analyze", game.path(), "--pgn", "-", "--json"], 2, "standard output");
}

// Explanations

/// Returns the values that `chuhe eval` prints for Red: the last column of the row of a group, or the number of a
/// value.
fn printed(text: &[String], name: &str) -> i64 {
    let is_wanted =
        |line: &&String| line.split(['|', ':']).next().unwrap().split(" for ").next().unwrap().trim() == name;
    let last = text.iter().find(is_wanted).unwrap_or_else(|| panic!("no {name}")).rsplit(['|', ':']).next().unwrap();
    last.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn a_missed_problem_is_explained_by_both_lines_and_their_terms() {
    let fen = fen_of_mate_in_one();
    let suite = format!("{fen} bm {MATING_MOVE}; id found;\n{fen} bm g0g1; id wrong;\n");
    let file = TemporaryFile::with("explained.epd", &suite);
    let arguments = ["analyze", file.path(), "--depth", "3", "--explain"];
    let objects = run_well(&[&arguments[..], &["--json"]].concat()).objects();
    assert!(objects[0]["solved"] == true && objects[0].get("explanation").is_none(), "{}", objects[0]);
    let explanation = &objects[1]["explanation"];
    let start = position(fen);
    let [solution, chosen] = ["solution", "chosen"].map(|name| &explanation[name]);
    assert_eq!((&solution["moves"][0], &chosen["moves"][0]), (&"g0g1".into(), &MATING_MOVE.into()));
    assert_eq!((&chosen["moves"], &chosen["mate"]), (&objects[1]["moves"], &1.into()));
    assert_eq!((&explanation["found_depth"], &explanation["found_nodes"]), (&Value::Null, &Value::Null));
    let limit = &explanation["node_limit"];
    assert_eq!(limit.as_u64(), objects[1]["nodes"].as_u64().map(|nodes| 16 * nodes.max(1)));
    for line in [solution, chosen] {
        let end = played(&start, &line["moves"]);
        assert_eq!(line["end"], end.to_string());
        // The command that explains evaluations is the witness.
        let table = run_well(&["eval", &end.to_string()]).lines;
        let sign = if end.side() == start.side() { 1 } else { -1 };
        for (name, value) in line["terms"].as_object().unwrap() {
            assert_eq!(value.as_i64(), Some(printed(&table, &name.replace('_', " "))), "{name}");
        }
        assert!(line["terms"].as_object().unwrap().len() > 20);
        assert_eq!(line["handmade"].as_i64(), Some(sign * printed(&table, "hand-made value")));
        assert_eq!(line["network"].as_i64(), Some(sign * printed(&table, "network's value")));
    }

    let lines = run_well(&arguments).lines;
    let row = |start: &str| lines.iter().find(|line| line.trim_start().starts_with(start)).expect(start).as_str();
    assert!(row("solution").contains("g0g1") && row("chosen").contains(&format!("mate 1  {MATING_MOVE}")));
    let network: Vec<i64> = row("network's value").split_whitespace().skip(2).map(|n| n.parse().unwrap()).collect();
    assert_eq!(network[0] - network[1], network[2], "{lines:#?}");
    assert_eq!(solution["network"].as_i64(), Some(network[0]));
    assert!(row(&format!("the search does not find the solution within {limit} nodes")).contains("depth"));
    assert_eq!(lines.last().unwrap(), "2 positions, 1 solved");
}

#[test]
fn a_mate_that_a_longer_search_finds_is_shown_to_its_end() {
    let mates = data::mates().into_iter().filter(|&(_, moves)| (3..=5).contains(&moves)).take(12);
    let suite: String = mates.map(|(fen, moves)| format!("{fen}\tdm {moves};\n")).collect();
    let file = TemporaryFile::with("mate-explained.epd", &suite);
    let arguments = ["analyze", file.path(), "--nodes", "300", "--explain"];
    let objects = run_well(&[&arguments[..], &["--json"]].concat()).objects();
    let object =
        objects.iter().find(|object| object["explanation"]["found_depth"].is_u64()).expect("a search finds one");
    let (explanation, fen) = (&object["explanation"], object["fen"].as_str().unwrap());
    let mated = played(&position(fen), &explanation["solution"]["moves"]);
    assert!(!mated.has_legal_move() && explanation["solution"]["moves"].as_array().unwrap().len() <= 9);
    let nodes = explanation["found_nodes"].as_u64().unwrap();
    assert!(object["nodes"].as_u64().unwrap() < nodes, "{explanation}");
    let text = run_well(&arguments).text();
    assert!(text.contains(&format!("from depth {} on, after {nodes} nodes", explanation["found_depth"])), "{text}");
}

#[test]
fn an_unknown_solution_and_wrong_options_are_named() {
    let fen = fen_of_mate_in_one();
    let moves: Vec<String> = position(fen).legal_moves().iter().map(ToString::to_string).collect();
    let file = TemporaryFile::with("none-explained.epd", &format!("{fen} am {}; id none;\n", moves.join(" ")));
    let arguments = ["analyze", file.path(), "--depth", "2", "--explain"];
    let ended = run(&[&arguments[..], &["--json"]].concat());
    let explanation = &ended.objects()[0]["explanation"];
    assert!(explanation["solution"].is_null(), "{explanation}");
    assert!(run(&arguments).text().contains("no line is known"));
    for (arguments, part) in [
        (&["analyze", file.path(), "--solver", "mate", "--explain"][..], "--solver mate"),
        (&["analyze", "startpos", "--explain"], "needs a suite"),
    ] {
        refused(arguments, 2, part);
    }
}
