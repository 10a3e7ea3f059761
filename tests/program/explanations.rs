//! Tests of `analyze --suite FILE --explain`: lines, terms and the work of a longer search for missed problems.

use serde_json::Value;

use chuhe::position::Position;

use crate::common::data;
use crate::harness::{MATE_IN_ONE, MATING_MOVE, TemporaryFile, run, run_badly, run_well};
use crate::lines::position;

fn fen_of_mate_in_one() -> &'static str {
    MATE_IN_ONE.trim_end_matches(" - - 0 1")
}

/// Plays the moves of a line; all must be legal.
fn end(start: &Position, line: &Value) -> Position {
    let mut position = start.clone();
    let moves = line["moves"].as_array().expect("moves are a list");
    position.play(moves.iter().map(|mv| mv.as_str().unwrap())).expect("they are legal");
    position
}

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
    let arguments = ["analyze", "--suite", file.path(), "--depth", "3", "--explain"];
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
        let end = end(&start, line);
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
    let arguments = ["analyze", "--suite", file.path(), "--nodes", "300", "--explain"];
    let objects = run_well(&[&arguments[..], &["--json"]].concat()).objects();
    let object =
        objects.iter().find(|object| object["explanation"]["found_depth"].is_u64()).expect("a search finds one");
    let (explanation, fen) = (&object["explanation"], object["fen"].as_str().unwrap());
    let mated = end(&position(fen), &explanation["solution"]);
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
    let arguments = ["analyze", "--suite", file.path(), "--depth", "2", "--explain"];
    let ended = run(&[&arguments[..], &["--json"]].concat());
    let explanation = &ended.objects()[0]["explanation"];
    assert!(explanation["solution"].is_null(), "{explanation}");
    assert!(run(&arguments).text().contains("no line is known"));
    for (arguments, part) in [
        (&["analyze", "--suite", file.path(), "--solver", "mate", "--explain"][..], "--solver mate"),
        (&["analyze", "startpos", "--explain"], "--suite"),
    ] {
        let errors = run_badly(arguments, 2).errors;
        assert!(errors.contains(part), "{errors}");
    }
}
