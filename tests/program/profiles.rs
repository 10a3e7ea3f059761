//! Tests of `analyze --profile NAME`: games and names, sums, missed tactics, the page, and an interrupt.

use std::fs;

use serde_json::Value;

use crate::harness::{Ended, TemporaryFile, run, run_badly, run_well};

/// Games of Anna: a lost one in which she gives a cannon for a pawn, one in which she leaves a rook where another can
/// be won, one in which she leaves a rook instead of mating, and a damaged one; and a game of others.
const GAMES: &str = r#"[Event "Club"]
[Date "2003.05.01"]
[Red "Anna <b>Lind</b>"]
[Black "Bert"]
[Result "0-1"]

1. h2e2 h9g7 2. e2e6 g7e6 3. h0g2 i9h9 0-1

[Event "Cup"]
[Date "2001.02.03"]
[Red "Bert"]
[Black "Anna <b>Lind</b>"]
[Result "1-0"]
[FEN "3k5/1r7/9/9/9/1R7/9/4B4/4A4/2BAK4 b"]

1. ... d9d8 2. b4b8 d8d9 1-0

[Event "Cup"]
[Date "2002.01.01"]
[Red "Anna <b>Lind</b>"]
[Black "Bertha"]
[Result "1/2-1/2"]
[FEN "4k4/1R7/9/9/R7r/9/9/9/9/3K5 w"]

1. d0d1 i5a5 1/2-1/2

[Event "Damaged"]
[Red "Anna <b>Lind</b>"]
[Black "Bert"]

1. a0a9 *

[Event "Others"]
[Red "Bert"]
[Black "Bertha"]
[Result "1-0"]

1. c3c4 1-0
"#;
const NODES: &str = "3000";

fn profile(name: &str, inputs: &[&str], more: &[&str]) -> Ended {
    let ended = run(&[&["analyze", "--profile", name, "--nodes", NODES], inputs, more].concat());
    assert_eq!(ended.status, Some(0), "{} {}", ended.text(), ended.errors);
    ended
}

#[test]
fn results_accuracy_and_marks_are_those_of_the_games() {
    let file = TemporaryFile::with("anna.pgn", GAMES);
    let ended = profile("anna", &[file.path()], &["--json"]);
    assert!(ended.errors.contains("a game is left out") && ended.errors.lines().count() == 1, "{}", ended.errors);
    let objects = ended.objects();
    assert_eq!(objects.len(), 1);
    let profile = &objects[0];
    assert_eq!((&profile["type"], &profile["player"]), (&"profile".into(), &"Anna <b>Lind</b>".into()));
    let counts = |part: &Value| ["games", "wins", "draws", "losses"].map(|key| part[key].as_u64().unwrap());
    assert_eq!(counts(&profile["all"]), [3, 0, 1, 2]);
    assert_eq!(counts(&profile["red"]), [2, 0, 1, 1]);
    assert_eq!(counts(&profile["black"]), [1, 0, 0, 1]);
    assert_eq!(profile["all"]["score"].as_f64(), Some(0.167));
    // By date, not in the order of the file.
    let games = profile["games"].as_array().unwrap();
    let numbers: Vec<u64> = games.iter().map(|game| game["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [2, 3, 1]);
    assert_eq!((&games[1]["opponent"], &games[1]["side"]), (&"Bertha".into(), &"red".into()));

    // The reviews of the single games are the witness.
    let (mut accuracies, mut blunders) = (Vec::new(), 0);
    for game in games {
        let (number, side) = (game["number"].to_string(), game["side"].as_str().unwrap());
        let review = run_well(&["analyze", file.path(), "--nodes", NODES, "--game", &number, "--json"]).objects();
        let (summary, moves) = review.split_last().unwrap();
        for key in ["accuracy", "opening_accuracy", "ending_accuracy", "moves", "mistakes", "blunders", "agreed"] {
            assert_eq!(game[key], summary[side][key], "game {number} {key}");
        }
        blunders += summary[side]["blunders"].as_u64().unwrap();
        let counted = moves.iter().filter(|mv| mv["side"] == side && mv["forced"] == false);
        let measured = counted.clone().filter(|mv| mv["phase"] != "opening").count();
        assert_eq!(game["attack"]["moves"], measured, "game {number}");
        accuracies.extend(counted.map(|mv| 100.0 * (-5.0 * mv["loss"].as_f64().unwrap()).exp()));
    }
    let mean = accuracies.iter().sum::<f64>() / accuracies.len() as f64;
    assert!((profile["all"]["accuracy"].as_f64().unwrap() - mean).abs() < 0.2, "{mean} {}", profile["all"]);
    assert_eq!(profile["all"]["moves"].as_u64(), Some(accuracies.len() as u64));
    assert_eq!(profile["all"]["blunders"].as_u64(), Some(blunders));

    // Two games begin from positions without an opening.
    let openings = profile["openings"].as_array().unwrap();
    let names: Vec<_> =
        openings.iter().map(|line| (&line["side"], &line["opening"]["chinese"], &line["games"])).collect();
    let (red, black, one) = (&"red".into(), &"black".into(), &1.into());
    assert_eq!(names.len(), 3);
    assert!(names.contains(&(red, &"中炮".into(), one)) && names.contains(&(black, &Value::Null, one)), "{names:?}");
}

#[test]
fn missed_mates_and_material_are_listed_and_lost_pieces_are_not() {
    let file = TemporaryFile::with("misses.pgn", GAMES);
    let json = profile("Anna <b>Lind</b>", &[file.path()], &["--json"]).objects().remove(0);
    let misses = json["misses"].as_array().unwrap();
    let found: Vec<_> =
        misses.iter().map(|miss| (&miss["game"], &miss["move"], &miss["mate_in"], &miss["won"])).collect();
    assert_eq!(misses.len(), 2, "the lost cannon is a blunder without a missed tactic: {found:?}");
    let mate = misses.iter().find(|miss| miss["mate_in"].is_u64()).expect("a missed mate");
    assert_eq!((&mate["game"], &mate["move"], &mate["mate_in"]), (&2.into(), &"d0d1".into(), &1.into()));
    assert_eq!(mate["better"]["moves"].as_array().unwrap().len(), 1, "{mate}");
    let rook = misses.iter().find(|miss| miss["gain"].is_i64()).expect("a missed rook");
    assert_eq!((&rook["game"], &rook["move"]), (&1.into(), &"d9d8".into()));
    assert_eq!((&rook["won"], &rook["lost"]), (&serde_json::json!(["rook"]), &serde_json::json!([])));
    assert_eq!(rook["better"]["moves"][0], "b8b4");
    assert!(json["all"]["blunders"].as_u64().unwrap() >= 3, "{}", json["all"]);

    let text = profile("Anna <b>Lind</b>", &[file.path()], &["--chinese"]).text();
    for part in ["Found       3 games", "misses      tactics in 2 of ", "mate in 1", "openings as Black", "own share "]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn the_player_is_found_by_name_or_part_of_it_in_files_and_folders() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.pgn"), GAMES).unwrap();
    fs::write(folder.path().join("notes.md"), "Anna").unwrap();
    let path = folder.path().to_str().unwrap();
    let other = TemporaryFile::with("other.pgn", "[Red \"Carl\"]\n[Black \"BERTHA\"]\n\n1. c3c4 *\n");
    // The same name before others that contain it.
    let bert = profile("Bert", &[path, other.path()], &["--json"]).objects().remove(0);
    assert_eq!((&bert["player"], &bert["all"]["games"]), (&"Bert".into(), &3.into()));
    let carl = profile("arl", &[path, other.path()], &["--json"]).objects().remove(0);
    assert_eq!(
        (&carl["player"], &carl["all"]["unknown"], &carl["all"]["score"]),
        (&"Carl".into(), &1.into(), &Value::Null)
    );
    let ambiguous = run_badly(&["analyze", "--profile", "bertha", path, other.path()], 2).errors;
    assert!(ambiguous.contains("'bertha' may be BERTHA, Bertha; name one of them in full"), "{ambiguous}");
    let unknown = run_badly(&["analyze", "--profile", "Dora", path], 2).errors;
    assert!(unknown.contains("no game of a player 'Dora'"), "{unknown}");
    for (arguments, status, part) in [
        (&["analyze", "--profile", "Anna"][..], 2, "name files or folders"),
        (&["analyze", "--profile", " ", path], 2, "needs the name"),
        (&["analyze", "--profile", "Anna", "/nonexistent/x.pgn"], 1, "/nonexistent/x.pgn"),
        (&["analyze", "--profile", "Anna", path, "--report", "/nonexistent/x.html"], 1, "/nonexistent"),
        (&["analyze", "--profile", "Anna", path, "--pgn", "x.pgn"], 2, "--pgn"),
        (&["analyze", "--profile", "Carl", other.path(), "--report", other.path()], 2, "would replace this input"),
        (&["analyze", "--profile", "Anna", path, "--explain"], 2, "--suite"),
        (&["analyze", "--profile", "Anna", path, "--solver", "mate"], 2, "--suite"),
    ] {
        let ended = run_badly(arguments, status);
        assert!(ended.errors.contains(part) && ended.lines.is_empty(), "{arguments:?}: {}", ended.errors);
    }
}

#[test]
fn the_page_is_self_contained_and_executes_no_text_of_the_games() {
    let (file, report) = (TemporaryFile::with("page.pgn", GAMES), TemporaryFile::named("profile.html"));
    profile("anna", &[file.path()], &["--report", report.path()]);
    let page = fs::read_to_string(report.path()).unwrap();
    assert!(page.contains("<h1>Anna &lt;b&gt;Lind&lt;&#x2F;b&gt;</h1>"), "{}", &page[..300]);
    for word in ["<b>", "<script", " src=\"", "url(", "@import", "<link", "https:"] {
        assert!(!page.contains(word), "{word}");
    }
    assert_eq!(page.matches("http:").count(), page.matches("http://www.w3.org/2000/svg").count());
    // A plot by phase, one of the games, the scale of attack; a bar for each opening; two diagrams.
    assert_eq!((page.matches("<svg class=\"chart").count(), page.matches("<svg class=\"bar\"").count()), (3, 3));
    assert_eq!(page.matches("<figure>").count(), 2);
    assert_eq!(page.matches("<circle class=\"lost\"").count(), 2);
    let targets = page.split("href=\"#game-").skip(1).map(|rest| rest.split('"').next().unwrap());
    assert!(targets.clone().count() >= 5);
    for target in targets {
        assert!(page.contains(&format!("<tr id=\"game-{target}\">")), "{target}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_gives_the_profile_of_the_games_finished_so_far() {
    use crate::harness::Start;
    // The first game is over at once, without a search; the second one is never finished.
    let text = "[Red \"Anna\"]\n[Result \"1-0\"]\n[FEN \"R3k4/1R7/9/9/9/9/9/9/9/3K5 b\"]\n\n1-0\n\n\
                [Red \"Anna\"]\n\n1. h2e2 h9g7 *\n";
    let (file, report) = (TemporaryFile::with("interrupt.pgn", text), TemporaryFile::named("interrupt.html"));
    let arguments =
        ["analyze", "--profile", "Anna", file.path(), "--nodes", "1000000000000", "--report", report.path()];
    let mut program = Start { arguments: &arguments, ..Start::default() }.now();
    program.wait_for("Found       2 games");
    program.interrupt();
    let ended = program.expect_exit();
    assert_eq!(ended.status, Some(130), "{}", ended.errors);
    assert!(ended.text().contains("Reviewed    1 game (1 as Red, 0 as Black)"), "{}", ended.text());
    assert!(fs::read_to_string(report.path()).unwrap().contains("<h1>Anna</h1>"));
}
