//! Tests of `analyze` with games: one of a file with its report, all of a file or folder as PGN, and `--profile NAME`.

use std::fs;

use serde_json::Value;

use chuhe::notation::format::Format;
use chuhe::notation::game::{Game, GameNode};
use chuhe::position::{Position, Strictness};

use crate::analysis::played;
use crate::harness::{Ended, MATE_IN_ONE, Program, TemporaryFile, refused, run, run_badly, run_noted, run_well};

/// Game in which Red loses a cannon for a pawn with the third ply.
const BLUNDER: &str = "[Event \"Club\"]\n[Red \"<script>alert(1)</script>\"]\n[Black \"O'Neill & \\\"Sons\\\"\"]\n\
                       [Result \"0-1\"]\n\n{Both <b>bold</b>} 1. h2e2 h9g7 2. e2e6 \
                       {</script><img src=x onerror=alert(1)>} g7e6 3. h0g2 i9h9 0-1\n";
const BLUNDER_MOVES: [&str; 6] = ["h2e2", "h9g7", "e2e6", "g7e6", "h0g2", "i9h9"];

/// Fails if a page refers to anything outside, or executes or shows marked text of the games.
fn assert_self_contained(page: &str) {
    for word in ["<script>alert", "<img", "<b>", " src=\"", "url(", "@import", "<link", "https:"] {
        assert!(!page.contains(word), "{word}");
    }
    assert_eq!([page.matches("<script").count(), page.matches("</script").count()], [2; 2]);
    assert_eq!(page.matches("http:").count(), page.matches("http://www.w3.org/2000/svg").count());
    let references = page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    assert!(references.clone().count() > 4 && references.clone().all(|target| target.starts_with('#')));
}

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
        let is_agreed = |object: &&Value| {
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
    refused(&["analyze", file.path(), "--game", "3", "--depth", "1"], 1, "no game 3");
}

#[test]
fn the_report_is_one_page_that_executes_no_text_of_the_game() {
    let (file, report) = (TemporaryFile::with("report.pgn", BLUNDER), TemporaryFile::named("report.html"));
    run_noted(&["analyze", file.path(), "--depth", "4", "--notation", "chinese", "--report", report.path()]);
    let page = fs::read_to_string(report.path()).unwrap();
    assert_eq!(page.matches("<a class=\"move").count(), BLUNDER_MOVES.len());
    assert_eq!(page.matches("<a class=\"point").count(), BLUNDER_MOVES.len() + 1);
    assert_self_contained(&page);
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

// Games with variations, and all games of a file or folder

/// Two games; in the first one, Red loses a cannon for a pawn with the third ply.
const CLUB: &str = "[Event \"Club\"]\n\n1. h2e2 {solid} h9g7 2. e2e6 g7e6 0-1\n\n[Event \"Cup\"]\n\n1. c3c4 1/2-1/2\n";
const FAULTY: &str = "[Event \"Fault\"]\n\n1. a0a9 *\n\n[Event \"Good\"]\n\n1. h2e2 *\n";
const TREE: &str =
    "[Red \"甲\"]\n\n1. 炮二平五 {中炮} (1. 兵三进一 卒7进1 (1... 炮8平5)) 1... 马8进7 2. 马二进三 *\n\n";

fn trees(text: &str) -> Vec<Game> {
    Format::Pgn.games(text.as_bytes(), Strictness::Strict).map(|tree| tree.expect("the output is PGN")).collect()
}

fn moves_of(tree: &Game) -> String {
    tree.line().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// Analyzes games; the messages name what was written and left out.
fn analyze(input: &str, output: &str, more: &[&str]) -> Ended {
    run_noted(&[&["analyze", input, "--nodes", "5000", "--pgn", output], more].concat())
}

#[test]
fn games_are_written_with_scores_and_better_lines() {
    let (file, output) = (TemporaryFile::with("club.pgn", CLUB), TemporaryFile::with("club-analysed.pgn", "old"));
    let ended = analyze(file.path(), output.path(), &[]);
    assert!(ended.text().contains("e2e6??"), "{}", ended.text());
    let text = fs::read_to_string(output.path()).unwrap();
    assert!(text.contains("[Format \"Chinese\"]") && text.contains("炮二平五"), "{text}");
    let trees = trees(&text);
    assert_eq!(trees.iter().map(moves_of).collect::<Vec<_>>(), ["h2e2 h9g7 e2e6 g7e6", "c3c4"], "{text}");
    assert!(trees.iter().all(|tree| tree.tags.contains(&("Annotator".to_owned(), "Chuhe".to_owned()))), "{text}");
    let main_line = trees[0].main_line();
    for GameNode { comment, .. } in main_line {
        let score = comment.split_whitespace().next().unwrap_or_default();
        assert!(score.trim_start_matches(['+', '-']).parse::<f64>().is_ok(), "{comment}");
    }
    let comment = |index: usize| main_line[index].comment.as_str();
    assert!(comment(0).ends_with("\nsolid") || comment(0).ends_with(" solid"), "{text}");
    assert!(comment(2).contains("??"), "{text}");
    // The better line stands beside the blunder.
    let alternatives: Vec<usize> = trees[0].children(Some(1)).collect();
    assert!(alternatives.len() == 2 && trees[0].nodes[alternatives[1]].mv.to_string() != "e2e6", "{text}");

    let selected = analyze(file.path(), output.path(), &["--game", "2", "--notation", "iccs"]);
    selected.tells("1 game written");
    let text = fs::read_to_string(output.path()).unwrap();
    assert!(text.contains("[Format \"ICCS\"]") && self::trees(&text).len() == 1, "{text}");
    refused(&["analyze", file.path(), "--nodes", "100", "--game", "3", "--pgn", output.path()], 1, "game 3");
}

#[test]
fn an_opening_without_a_name_is_named() {
    let game = |name: &str| format!("[Opening \"{name}\"]\n\n1. h2e2 h9g7 2. h0g2 i9h9 3. i0h0 b9c7 *\n");
    let output = TemporaryFile::named("named.pgn");
    for (name, is_kept) in [("", false), ("?", false), ("my opening", true)] {
        let file = TemporaryFile::with("unnamed.pgn", &game(name));
        analyze(file.path(), output.path(), &[]);
        let tree = trees(&fs::read_to_string(output.path()).unwrap()).remove(0);
        let openings: Vec<&str> =
            tree.tags.iter().filter(|(tag, _)| tag == "Opening").map(|(_, value)| value.as_str()).collect();
        assert_eq!(openings.len(), 1);
        assert!(if is_kept { openings[0] == name } else { openings[0].contains("中炮") }, "{openings:?}");
    }
}

#[test]
fn the_variations_of_a_game_are_kept() {
    let text = "1. h2e2 (1. c3c4 {soft} g6g5) h9g7 2. e2e6 (2. h0g2 {calm} (2. b0c2)) g7e6 0-1\n";
    let (file, output) = (TemporaryFile::with("tree.pgn", text), TemporaryFile::named("tree-analysed.pgn"));
    analyze(file.path(), output.path(), &[]);
    let tree = trees(&fs::read_to_string(output.path()).unwrap()).remove(0);
    assert_eq!(moves_of(&tree), "h2e2 h9g7 e2e6 g7e6");
    let find = |parent: Option<usize>, text: &str| {
        let mut found = tree.children(parent).filter(|&child| tree.nodes[child].mv.to_string() == text);
        let node = found.next().unwrap_or_else(|| panic!("{text} is missing"));
        assert_eq!(found.next(), None, "{text} is there once");
        node
    };
    let soft = find(None, "c3c4");
    assert!(tree.nodes[soft].comment.ends_with("soft") && tree.children(Some(soft)).next().is_some());
    assert!(tree.nodes[find(Some(1), "h0g2")].comment.ends_with("calm"));
    find(Some(1), "b0c2");
}

#[test]
fn all_games_of_a_folder_are_analysed_but_faulty_ones() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("a.pgn", CLUB), ("b.TXT", "炮二平五 马8进7\n"), ("c.pgn", FAULTY), ("d.md", "h2e2\n")] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let utf16: Vec<u8> = "\u{feff}1. b2e2 *".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(folder.path().join("aa.pgn"), utf16).unwrap();
    let (input, output) = (folder.path().to_str().unwrap(), TemporaryFile::named("folder-analysed.pgn"));
    let ended = refused(&["analyze", input, "--nodes", "5000", "--pgn", output.path()], 1, "1 game is not complete");
    ended.tells("c.pgn: line 3");
    ended.tells("5 games written");
    let trees = trees(&fs::read_to_string(output.path()).unwrap());
    let moves: Vec<String> = trees.iter().map(moves_of).collect();
    assert_eq!(moves, ["h2e2 h9g7 e2e6 g7e6", "c3c4", "b2e2", "h2e2 h9g7", "h2e2"]);
    // An output within the folder would be analysed, too.
    let inside = folder.path().join("c.pgn");
    for arguments in [
        &["analyze", input, "--pgn", inside.to_str().unwrap()][..],
        &["analyze", input, "--game", "1", "--pgn", output.path()],
        &["analyze", input],
    ] {
        assert_eq!(run_badly(arguments, 2).text(), "", "{arguments:?}");
    }
    assert_eq!(fs::read_to_string(inside).unwrap(), FAULTY);
}

#[test]
fn a_stream_gets_every_game_once() {
    let file = TemporaryFile::with("stream.pgn", CLUB);
    let ended = analyze(file.path(), "-", &[]);
    assert_eq!(trees(&ended.text()).iter().map(moves_of).collect::<Vec<_>>(), ["h2e2 h9g7 e2e6 g7e6", "c3c4"]);
    assert!(!ended.text().contains("Red's chance"), "{}", ended.text());
    ended.tells("2 games written to standard output");
    if cfg!(unix) {
        let ended = analyze(file.path(), "/dev/stdout", &[]);
        assert_eq!(ended.text().matches("[Annotator \"Chuhe\"]").count(), 2, "{}", ended.text());
    }
}

#[test]
fn lines_of_games_have_no_variations_and_an_xqf_file_one_game() {
    let (pgn, xqf) = (TemporaryFile::with("two.pgn", &TREE.repeat(2)), TemporaryFile::named("two.xqf"));
    assert!(run(&["convert", "--to", "moves", pgn.path(), "-"]).errors.contains("4 variations skipped"));
    let ended = run_badly(&["convert", pgn.path(), xqf.path()], 2);
    assert!(ended.errors.contains("one game") && fs::metadata(xqf.path()).is_err(), "{}", ended.errors);
}

// Profiles of players

/// Games of Anna: a lost one in which she gives a cannon for a pawn, one in which she leaves a rook where another can
/// be won, one in which she leaves a rook instead of mating, and a damaged one; and a game of others.
fn games() -> String {
    let (anna, won, mate) =
        ("Anna <b>Lind</b>", "3k5/1r7/9/9/9/1R7/9/4B4/4A4/2BAK4 b", "4k4/1R7/9/9/R7r/9/9/9/9/3K5 w");
    let game = |(date, red, black, result, fen, moves): (&str, &str, &str, &str, &str, &str)| {
        let fen = if fen.is_empty() { String::new() } else { format!("[FEN \"{fen}\"]\n") };
        let players = format!("[Red \"{red}\"]\n[Black \"{black}\"]");
        format!("[Date \"{date}\"]\n{players}\n[Result \"{result}\"]\n{fen}\n{moves} {result}\n\n")
    };
    let games = [
        ("2003.05.01", anna, "Bert", "0-1", "", "1. h2e2 h9g7 2. e2e6 g7e6 3. h0g2 i9h9"),
        ("2001.02.03", "Bert", anna, "1-0", won, "1. ... d9d8 2. b4b8 d8d9"),
        ("2002.01.01", anna, "Bertha", "1/2-1/2", mate, "1. d0d1 i5a5"),
        ("?", anna, "Bert", "*", "", "1. a0a9"),
        ("?", "Bert", "Bertha", "1-0", "", "1. c3c4"),
    ];
    games.map(game).concat()
}

const NODES: &str = "3000";

fn profile(name: &str, inputs: &[&str], more: &[&str]) -> Ended {
    run_noted(&[&["analyze", "--profile", name, "--nodes", NODES], inputs, more].concat())
}

#[test]
fn a_profile_has_the_results_accuracy_and_misses_of_the_games() {
    let file = TemporaryFile::with("anna.pgn", &games());
    let ended = profile("anna", &[file.path()], &["--json"]);
    assert!(ended.errors.contains("this game is left out") && ended.errors.lines().count() == 1, "{}", ended.errors);
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

    // Misses: a lost piece is none.
    let misses = profile["misses"].as_array().unwrap();
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
    assert!(profile["all"]["blunders"].as_u64().unwrap() >= 3, "{}", profile["all"]);

    let text = self::profile("Anna <b>Lind</b>", &[file.path()], &["--notation", "chinese"]).text();
    for part in ["Found       3 games", "misses      tactics in 2 of ", "mate in 1", "openings as Black", "own share "]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn the_player_is_found_by_name_or_part_of_it_in_files_and_folders() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.pgn"), games()).unwrap();
    fs::write(folder.path().join("notes.md"), "Anna").unwrap();
    let path = folder.path().to_str().unwrap();
    let other = TemporaryFile::with("other.pgn", "[Red \"Carl\"]\n[Black \"BERTHA\"]\n\n1. c3c4 *\n");
    // The same name before others that contain it.
    let bert = profile(" Bert ", &[path, other.path()], &["--json"]).objects().remove(0);
    assert_eq!((&bert["player"], &bert["all"]["games"]), (&"Bert".into(), &3.into()));
    let carl = profile("arl", &[path, other.path()], &["--json"]).objects().remove(0);
    let all = &carl["all"];
    assert!(carl["player"] == "Carl" && all["unknown"] == 1 && all["score"].is_null(), "{carl}");
    let ambiguous = "'bertha' may be BERTHA, Bertha; name one of them in full";
    refused(&["analyze", "--profile", "bertha", path, other.path()], 2, ambiguous);
    refused(&["analyze", "--profile", "Dora", path], 2, "no game of a player 'Dora'");
    let many: String = (0..25).map(|number| format!("[Red \"Eve {number:02}\"]\n\n1. c3c4 *\n\n")).collect();
    let many = TemporaryFile::with("many.pgn", &many);
    refused(&["analyze", "--profile", "eve", many.path()], 2, "Eve 18, Eve 19 and 5 more; name one of them in full");
    for (arguments, status, part) in [
        (&["analyze", "--profile", "Anna"][..], 2, "name files or folders"),
        (&["analyze", "--profile", " ", path], 2, "needs the name"),
        (&["analyze", "--profile", "Anna", "/nonexistent/x.pgn"], 1, "/nonexistent/x.pgn"),
        (&["analyze", "--profile", "Anna", path, "--solver", "mate"], 2, "needs a suite"),
    ] {
        let ended = run_badly(arguments, status);
        assert!(ended.errors.contains(part) && ended.lines.is_empty(), "{arguments:?}: {}", ended.errors);
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_gives_the_profile_of_the_games_finished_so_far() {
    // The first game is over at once, without a search; the second one is never finished.
    let text = "[Red \"Anna\"]\n[Result \"1-0\"]\n[FEN \"R3k4/1R7/9/9/9/9/9/9/9/3K5 b\"]\n\n1-0\n\n\
                [Red \"Anna\"]\n\n1. h2e2 h9g7 *\n";
    let file = TemporaryFile::with("interrupt.pgn", text);
    let mut program = Program::with(&["analyze", "--profile", "Anna", file.path(), "--nodes", "1000000000000"]);
    program.wait_for("Found       2 games");
    let ended = program.interrupt("INT");
    assert!(ended.text().contains("Reviewed    1 game (1 as Red, 0 as Black)"), "{}", ended.text());
}
