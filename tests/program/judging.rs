//! Proves that the judge tells what the rules say, and that a session plays by the rules that were chosen.

use serde_json::Value;

use chuhe::position::START_FEN;

use crate::common::data::RULES_CASES;
use crate::harness::{Program, TemporaryFile, refused, run_badly, run_well};
use crate::lines::{Iteration, messages};

const CHECKS: (&str, &str) = ("3k5/R8/9/9/9/9/9/4K4/9/9 w - - 0 1", "a8a9 d9d8 a9a8 d8d9");
const CHASES: (&str, &str) = ("2C6/3k5/9/9/9/9/9/9/4K4/R4cc2 w - - 0 1", "a0a9 g0g9 a9a0 g9g0");

fn arguments<'a>((fen, lap): (&'a str, &'a str), laps: usize) -> Vec<&'a str> {
    let moves = (0..laps).flat_map(|_| lap.split(' '));
    ["judge", fen].into_iter().chain(moves).collect()
}

#[test]
fn the_verdict_comes_first_and_the_reason_next() {
    let lines = run_well(&arguments(CHECKS, 2)).lines;
    assert_eq!(lines[0], "black_wins");
    assert_eq!(lines[1], "Red's rook checks the king on d9 and d8 with every move of the cycle (plies 1-8)");
    assert_eq!(lines.len(), 10, "a line for each move of the cycle: {lines:#?}");
    assert!(lines[2].contains("ply 1") && lines[2].contains("a8a9") && lines[2].contains("rook a9 checks"));
    assert_eq!(run_well(&arguments(CHECKS, 1)).lines, ["none"]);
    let lines = run_well(&arguments(CHASES, 2)).lines;
    assert_eq!(lines[0], "red_wins");
    assert!(lines[3].contains("cannon g9 threatens rook a9"), "{lines:#?}");

    // A check that chases as well.
    let both = ("3k5/9/9/9/9/9/9/9/cr1CAK3/9 w", "d1d3 b1b3 d3d1 b3b1");
    let lines = run_well(&[arguments(both, 2).as_slice(), &["--rules", "axf"]].concat()).lines;
    assert!(lines[3].contains(" checks  ") && lines[3].contains("threatens cannon d3"), "{lines:#?}");

    let dead = run_well(&["judge", "3ak4/4a4/4b4/9/9/9/9/4B4/4A4/3AK4 w"]).lines;
    assert_eq!(dead, ["draw", "neither side has enough pieces left to win"]);
}

#[test]
fn a_line_pasted_from_elsewhere_is_understood_and_rules_are_chosen() {
    let laps = format!("{0} {0}", CHECKS.1);
    // A FEN without quotes around it.
    let spread: Vec<&str> = ["judge"].into_iter().chain(CHECKS.0.split(' ')).chain(laps.split(' ')).collect();
    let chased = |laps, extra: &[&'static str]| [arguments(CHASES, laps).as_slice(), extra].concat();
    for (arguments, verdict) in [
        (vec!["judge", CHECKS.0, &laps], "black_wins"),
        (vec!["judge", &format!("{} moves {laps}", CHECKS.0)], "black_wins"),
        (vec!["judge", CHECKS.0, "moves", &laps], "black_wins"),
        (spread, "black_wins"),
        (vec!["judge", "startpos", "moves"], "none"),
        (vec!["judge", "startpos"], "none"),
        (vec!["judge", START_FEN], "none"),
        (chased(2, &["--rules", "League"]), "none"),
        (chased(3, &["--rules", "league"]), "red_wins"),
        (chased(2, &["--rules", "axf"]), "red_wins"),
        (chased(2, &["--rules", "simple"]), "draw"),
        (chased(1, &["--natural-limit", "4"]), "draw"),
        (chased(1, &["--natural-limit", "5"]), "none"),
    ] {
        assert_eq!(run_well(&arguments).lines[0], verdict, "{arguments:?}");
    }
}

#[test]
fn a_game_that_was_over_before_is_told() {
    let mut arguments = arguments(CHECKS, 2);
    arguments.push("a8a7");
    let lines = run_well(&arguments).lines;
    assert_eq!(lines[0], "none");
    assert!(lines[1].contains("already over after ply 8: black_wins"), "{lines:#?}");
    arguments.push("--json");
    let object: Value = serde_json::from_str(run_well(&arguments).last_line()).unwrap();
    assert_eq!((&object["verdict"], &object["over_after_ply"]), (&"none".into(), &8.into()));
}

#[test]
fn json_says_the_same_in_one_object() {
    let object = |arguments: &[&str]| -> Value {
        let ended = run_well(&[arguments, &["--json"]].concat());
        assert_eq!(ended.lines.len(), 1);
        serde_json::from_str(&ended.lines[0]).expect("one JSON object")
    };
    let chase = object(&arguments(CHASES, 2));
    let found = ["verdict", "kind", "offender", "rules"].map(|key| chase[key].as_str().unwrap());
    assert_eq!(found, ["red_wins", "perpetual_chase", "black", "computer"]);
    assert_eq!((&chase["natural_limit"], chase["cycle"].as_array().unwrap().len()), (&120.into(), 8));
    assert_eq!(chase["reason"], run_well(&arguments(CHASES, 2)).lines[1].as_str());
    let threat = &chase["cycle"][1]["chases"][0];
    assert_eq!((&threat["victim"]["square"], &threat["attacker"]["piece"]), (&"a9".into(), &"cannon".into()));
    let check = object(&arguments(CHECKS, 2));
    assert_eq!(check["cycle"][0]["checkers"][0]["square"], "a9");
    let nothing = object(&["judge", "startpos"]);
    assert!(["reason", "cycle", "over_after_ply"].iter().all(|key| nothing[key].is_null()), "{nothing}");
    for (fen, kind) in [
        ("R3k4/1R7/9/9/9/9/9/9/9/3K5 b", "checkmate"),
        ("3k5/4R4/9/9/9/9/9/9/9/4K4 b", "stalemate"),
        ("3ak4/4a4/4b4/9/9/9/9/4B4/4A4/3AK4 w", "material"),
    ] {
        assert_eq!(object(&["judge", fen])["kind"], kind);
    }
}

#[test]
fn a_file_of_cases_is_checked() {
    let all = TemporaryFile::with("cases.tsv", RULES_CASES);
    assert_eq!(run_well(&["judge", "--file", all.path()]).lines, ["144 cases, 144 agree"]);
    assert!(run_badly(&["judge", "--rules", "league", "--file", all.path()], 1).last_line().starts_with("144 cases, "));
    let empty = TemporaryFile::with("no-cases.tsv", "# a remark\n");
    refused(&["judge", "--file", empty.path()], 1, "it contains no cases");

    let (fen, lap) = CHASES;
    let text = format!(
        "# a remark\n\nfirst\t{fen}\t{lap} {lap}\tred_wins\tmore\tcolumns\r\nsecond\t{fen}\t{lap}\tdraw\n\
         third\tstartpos\t\tnone\n"
    );
    let file = TemporaryFile::with("cases-wrong.tsv", &text);
    let ended = run_badly(&["judge", "--file", file.path()], 1);
    assert_eq!(ended.last_line(), "3 cases, 2 agree");
    assert_eq!(ended.lines.len(), 2);
    for part in [file.name(), "line 4", "second", "none instead of draw"] {
        assert!(ended.lines[0].contains(part), "'{part}' in {}", ended.lines[0]);
    }
}

#[test]
fn a_line_that_cannot_be_read_disagrees_and_is_named() {
    let bad = [
        ("case", "tabs"),
        ("case\tstartpos\t", "tabs"),
        ("case\tstartpos\t\tlost", "'lost'"),
        ("case\t9/9\t\tnone", "invalid position"),
        ("case\tstartpos\ta0a1 a0a1\tnone", "ply 2, 'a0a1'"),
    ];
    let text: String =
        bad.iter().map(|(line, _)| format!("{line}\n")).chain(["x\tstartpos\t\tnone\n".into()]).collect();
    let file = TemporaryFile::with("unreadable.tsv", &text);
    let ended = run_badly(&["judge", "--file", file.path()], 1);
    for (number, (_, part)) in (1..).zip(bad) {
        let line = &ended.lines[number - 1];
        assert!(line.contains(&format!("line {number}")) && line.contains(part), "{:#?}", ended.lines);
    }
    assert_eq!(ended.last_line(), "6 cases, 1 agree");
    let odd = b"\xef\xbb\xbf# a remark\r\nx\tstartpos\t\tnone\r\ny\t\xff\t\tnone\n";
    let odd = TemporaryFile::with("odd-cases.tsv", odd);
    let ended = run_badly(&["judge", "--file", odd.path()], 1);
    assert!(ended.lines[0].contains("line 3") && ended.lines[0].contains("invalid position"), "{:#?}", ended.lines);
    assert_eq!(ended.last_line(), "2 cases, 1 agree");
    // GBK, as older programs write it: a remark and a name in Chinese.
    std::fs::write(odd.path(), b"# \xb3\xf5\xca\xbc\r\n\xbf\xaa\xbe\xd6\tstartpos\t\tnone\r\n").unwrap();
    assert_eq!(run_well(&["judge", "--file", odd.path()]).lines, ["1 cases, 1 agree"]);
}

#[test]
fn a_move_that_cannot_be_played_ends_with_status_three_its_ply_and_the_reason() {
    let cases = [
        ("a0a1 a0a2", "ply 2, 'a0a2'", "Black has no piece there"),
        ("a0a1 a9a8 a1b3", "ply 3, 'a1b3'", "cannot move there"),
        ("xx", "ply 1, 'xx'", "is not a move"),
    ];
    for (moves, place, why) in cases {
        let ended = run_badly(&["judge", "startpos", moves, "--json"], 3);
        assert!(ended.lines.is_empty(), "{:#?}", ended.lines);
        assert!(ended.errors.contains(place) && ended.errors.contains(why), "{}", ended.errors);
    }
    refused(&["judge", "3k5/9/9/9/9/4r4/9/9/4R4/4K4 w", "e1d1"], 3, "leaves the king attacked");
}

#[test]
fn a_session_plays_by_the_rules_it_is_told() {
    let mut program = Program::start();
    program.ask("ucci");
    for (rules, limit, is_drawn) in [
        ("computer", "auto", false),
        ("computer", "100", true),
        ("computer", "120", false),
        ("league", "auto", true),
        ("league", "120", false),
        ("axf", "auto", true),
        ("simple", "auto", false),
    ] {
        assert!(program.ask(&format!("setoption rules {rules}")).is_empty());
        assert!(program.ask(&format!("setoption naturallimit {limit}")).is_empty());
        // 98 plies without a capture, and neither a capture nor a check within the next two.
        assert!(program.ask("position fen 4k4/9/9/9/9/9/9/9/9/N2K4N w - - 98 80").is_empty());
        program.say("go depth 2");
        let score = Iteration::all(&program.wait_for("bestmove")).last().expect("an iteration").score;
        assert!(if is_drawn { score == 0 } else { score > 100 }, "{rules}, {limit}: {score}");
    }
    assert!(messages(&program.ask("setoption rules cxa"))[0].contains("computer, league, axf or simple"));
    assert!(messages(&program.ask("setoption naturallimit 60"))[0].contains("auto, 100 or 120"));
    program.leave();
}
