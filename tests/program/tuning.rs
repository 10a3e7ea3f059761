//! `tune` as users run it: its output, its files and its error messages.

use std::path::Path;

use chuhe::search::Params;

use crate::harness::{TemporaryFile, run, run_badly};

const GAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/games.tsv");

/// Runs a command that must succeed, whatever progress it reports.
fn run_well(arguments: &[&str]) -> crate::harness::Ended {
    let ended = run(arguments);
    assert_eq!(ended.status, Some(0), "{arguments:?}: {} {}", ended.text(), ended.errors);
    ended
}

#[test]
fn fitted_weights_are_reproducible() {
    let [one, other] = ["tuned-one.rs", "tuned-other.rs"].map(TemporaryFile::named);
    let fit = |out: &str, threads: &str| {
        let options = ["--passes", "6", "--validation", "20", "--per-game", "0"];
        run_well(&[&["tune", GAMES, "--out", out, "--threads", threads], &options[..]].concat())
    };
    let ended = fit(one.path(), "1");
    fit(other.path(), "2");
    let written = std::fs::read_to_string(one.path()).unwrap();
    assert_eq!(written, std::fs::read_to_string(other.path()).unwrap());
    assert!(written.starts_with("//! Every number of the evaluation"), "{written}");
    assert!(written.contains("//! Fitted by logistic regression to the results of "));
    assert!(
        ended.lines[0].contains(" training positions, ") && ended.lines[0].contains(" games"),
        "{}",
        ended.lines[0]
    );
    assert!(ended.lines[1].starts_with("scale "), "{}", ended.lines[1]);
    let loss = |start: &str| -> f64 {
        let line =
            ended.lines.iter().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{}", ended.text()));
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    assert!(loss("after") <= loss("before") && loss("before") < 2.0);
    assert_eq!(ended.errors.lines().filter(|line| line.starts_with("epoch ")).count(), 3, "{}", ended.errors);

    // What was written is a start, and what it says of itself stays.
    let text = written.replace("//! Fitted by logistic regression", "//! Fitted with care");
    std::fs::write(one.path(), text).unwrap();
    run_well(&["tune", GAMES, "--out", one.path(), "--start", one.path(), "--method", "hill", "--passes", "5"]);
    assert!(std::fs::read_to_string(one.path()).unwrap().contains("//! Fitted with care"));
}

#[test]
fn search_parameters_are_tuned_by_the_moves_of_games() {
    let arguments = ["tune", GAMES, "--search-params", "futility_base,quiescence_margin", "--method", "genetic"];
    let options = ["--nodes", "200", "--per-game", "3", "--validation", "20", "--passes", "12"];
    let tune = |threads| run_well(&[&arguments[..], &options[..], &["--threads", threads]].concat());
    let ended = tune("1");
    let summary = &ended.lines[0];
    assert!(summary.starts_with("# 12 passes in ") && summary.contains("; moves found, at the start and now: "));
    assert_eq!(summary.matches(" %").count(), 4, "{summary}");
    let names: Vec<&str> = ended.lines[1..].iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(names, ["futility_base", "quiescence_margin"]);
    assert_eq!(tune("2").lines[1..], ended.lines[1..]);
}

#[test]
fn the_weight_of_each_group_of_terms_is_printed() {
    let ended = run_well(&["tune", GAMES, "--leave-out", "--threads", "2"]);
    let numbers = |name: &str| -> Vec<f64> {
        let line = ended.lines.iter().find(|line| line.starts_with(name)).unwrap();
        line[24..].split_whitespace().map(|number| number.parse().unwrap()).collect()
    };
    let (whole, single) = (numbers("all ")[0], numbers("material, psqt "));
    assert!(ended.lines[0].ends_with(" positions"), "{}", ended.text());
    assert!((single[0] - whole - single[1]).abs() < 2e-6 && single[0] > single[2], "{whole} {single:?}");
    // The number of guards says less than material does.
    assert!(numbers("guard ")[0] < numbers("material ")[0], "{}", ended.text());
}

#[test]
fn bad_lines_are_reported_and_the_rest_is_used() {
    let fen = "3ak4/9/9/9/9/9/9/9/4A4/3RK4 w";
    let text = format!("{fen}\t1-0\t300\nnonsense\n{fen}\t3-0\n{fen}\t1-0\n").replacen("nonsense", "9/9\t1-0", 1);
    let (data, out) = (TemporaryFile::with("tune-bad-lines", &text), TemporaryFile::named("tune-bad-lines.rs"));
    let ended = run_well(&["tune", data.path(), "--out", out.path(), "--validation", "0", "--passes", "2"]);
    assert!(ended.lines[0].starts_with("2 training positions, 0 held out"), "{}", ended.text());
    let errors: Vec<&str> = ended.errors.lines().filter(|line| line.starts_with("chuhe: ")).collect();
    assert_eq!(errors.len(), 3, "{}", ended.errors);
    assert!(errors[0].contains(": line 2: ") && errors[1].contains(": line 3: '3-0' is not a result"), "{errors:#?}");
    assert!(errors[2].ends_with(": 2 bad lines left out"), "{errors:#?}");
    assert!(Path::new(out.path()).is_file());
}

#[test]
fn every_bad_input_is_one_clear_line() {
    let empty = TemporaryFile::with("tune-empty", "");
    let letter = TemporaryFile::with("tune-letter", "Dear Sir,\n");
    let unknown = TemporaryFile::with("tune-unknown-results.tsv", "*\t\th2e2 h9g7\n");
    let start = TemporaryFile::with("tune-start", "futility_base 100\nfutility_base much\n");
    let out = TemporaryFile::named("tune-never-written.rs");
    let out = out.path();
    let params = ["tune", "--search-params"];
    for (arguments, status, words) in [
        (vec!["tune"], 2, "<FILE>"),
        (vec!["tune", GAMES], 2, "--out"),
        (vec!["tune", GAMES, "--leave-out", "--out", out], 2, "cannot be used with"),
        (vec!["tune", GAMES, "--leave-out", "--lambda", "0.5"], 2, "cannot be used with"),
        (vec!["tune", empty.path(), "--leave-out"], 1, "neither games nor lines"),
        (vec!["tune", "/nowhere/data", "--out", out], 1, "/nowhere/data: "),
        (vec!["tune", GAMES, "--out", "/nowhere/weights.rs"], 1, "/nowhere/weights.rs: "),
        (vec!["tune", GAMES, "--out", "/"], 1, "/: "),
        (vec!["tune", empty.path(), "--out", out], 1, "neither games nor lines"),
        (vec!["tune", letter.path(), "--out", out], 1, "neither games nor lines"),
        (vec!["tune", unknown.path(), "--out", out], 1, "no quiet position with a result"),
        (vec!["tune", GAMES, "--out", out, "--start", letter.path()], 1, "does not hold the weights"),
        (vec!["tune", GAMES, "--out", out, "--lambda", "1.5"], 2, "from 0 to 1"),
        (vec!["tune", GAMES, "--out", out, "--method", "luck"], 2, "possible values: adam, hill"),
        ([&params[..], &["all", GAMES, "--games", "8"]].concat(), 2, "--games"),
        ([&params[..], &["all", GAMES, "--openings", GAMES]].concat(), 2, "--openings"),
        ([&params[..], &["all", letter.path()]].concat(), 1, "no games of players"),
        ([&params[..], &["all", GAMES, "--from-ply", "1000"]].concat(), 1, "no move is left to be found"),
        ([&params[..], &["luck"]].concat(), 2, "there is no search parameter 'luck'; src/search/params.rs lists all"),
        (
            [&params[..], &["first_move_cut_node_reduction+alpha_raise_reduction"]].concat(),
            2,
            "changes nothing of the group 'first_move_cut_node_reduction+",
        ),
        ([&params[..], &["all", "--method", "adam"]].concat(), 2, "choose another --method"),
        (vec!["tune", GAMES, "--out", out, "--method", "design"], 2, "use --leave-out or another --method"),
        ([&params[..], &["all", GAMES, "--method", "design"]].concat(), 2, "leave out the files"),
        ([&params[..], &["all", "--openings", "/nowhere/suite"]].concat(), 1, "/nowhere/suite: "),
        ([&params[..], &["all", "--openings", letter.path()]].concat(), 1, "it contains no valid opening"),
        ([&params[..], &["all", "--start", start.path()]].concat(), 1, "line 2: 'much' is not a number"),
    ] {
        let ended = run_badly(&arguments, status);
        assert!(ended.errors.contains(words), "{arguments:?}: {}", ended.errors);
        assert!(!Path::new(out).exists(), "{arguments:?} wrote something");
    }
}

#[test]
fn search_parameters_are_tuned_by_games_and_read_back() {
    let openings = TemporaryFile::with("tune-openings", "h2e2 h9g7\nb0c2\n");
    let games = ["--games", "2", "--nodes", "30", "--passes", "24", "--openings", openings.path()];
    for method in ["spsa", "swarm", "hill"] {
        let wanted = ["tune", "--search-params", "futility_base,null_move_depth", "--method", method];
        let first = run_well(&[&wanted[..], &games].concat());
        assert!(first.lines[0].starts_with("# ") && first.lines.len() == 3, "{}", first.text());
        assert!(first.lines[1].starts_with("null_move_depth ") && first.lines[2].starts_with("futility_base "));
        let again = run_well(&[&wanted[..], &games, &["--threads", "1"]].concat());
        assert_eq!(again.lines[1..], first.lines[1..], "{method}");
    }
    let wanted = ["tune", "--search-params", "futility_base,use_null_move", "--method", "design"];
    let games = ["--games", "2", "--nodes", "400", "--passes", "24", "--openings", openings.path()];
    let ended = run_well(&[&wanted[..], &games].concat());
    let again = run_well(&[&wanted[..], &games, &["--threads", "1"]].concat());
    assert_eq!(again.lines[1..], ended.lines[1..]);
    assert!(ended.lines[0].starts_with("# 24 matches of 2 games in "), "{}", ended.text());
    assert!(ended.lines[0].ends_with(" of 2 parameters changed"), "{}", ended.text());
    // Comments with the effects, the largest first, then the values.
    let mut gains = Vec::new();
    for line in &ended.lines[2..4] {
        let words: Vec<&str> = line.split(' ').collect();
        let (name, [low, high]) = (words[1], [2, 3].map(|at: usize| words[at].parse::<i32>().unwrap()));
        let [gain, error] = [4, 5].map(|at: usize| words[at].parse::<f64>().unwrap());
        assert_eq!([low, high], if name == "use_null_move" { [0, 1] } else { [76, 102] }, "{}", ended.text());
        let value =
            ended.lines[4..].iter().find_map(|line| line.strip_prefix(name)?.trim().parse::<i32>().ok()).unwrap();
        // Four digits do not always tell which of two equal numbers is larger.
        if gain.abs() > error + 0.0002 {
            assert_eq!(value, if gain > 0.0 { high } else { low }, "{}", ended.text());
        } else if gain.abs() < error - 0.0002 {
            assert_eq!(value, Params::default().get(name).unwrap(), "{}", ended.text());
        }
        gains.push(gain);
    }
    assert!(gains[0] >= gains[1] && gains != [0.0; 2], "{}", ended.text());
    // Every opening is played from both sides, and repeated games are announced.
    let odd = ["tune", "--search-params", "futility_base", "--games", "3", "--nodes", "30", "--passes", "2"];
    assert!(run_well(&odd).lines[0].starts_with("# 2 matches of 4 games in "));
    let ended_with_few = run(&[&odd[..], &["--openings", openings.path()]].concat());
    assert!(ended_with_few.errors.contains("4 pairs of games used 2 openings"), "{}", ended_with_few.errors);

    let better = TemporaryFile::with("tune-better", &ended.text());
    run_well(&["tune", "--search-params", "futility_base", "--start", better.path(), "--passes", "1", "--games", "2"]);
}

#[cfg(unix)]
#[test]
fn an_interrupt_writes_the_best_result_so_far() {
    let out = TemporaryFile::named("tune-interrupted.rs");
    let arguments = ["tune", GAMES, "--out", out.path(), "--method", "anneal", "--passes", "100000000"];
    let mut program = crate::harness::Start { arguments: &arguments, ..Default::default() }.now();
    // It fits from now on.
    program.wait_for("scale");
    program.interrupt();
    let ended = program.expect_exit();
    assert_eq!(ended.status, Some(130), "{}", ended.errors);
    assert!(ended.lines.iter().any(|line| line.starts_with("after")), "{}", ended.text());
    assert!(std::fs::read_to_string(out.path()).unwrap().starts_with("//! Every number"));
}

#[test]
fn weights_are_fitted_to_self_play_games() {
    let [games, out] = ["tuned-games.bin", "tuned-games.rs"].map(TemporaryFile::named);
    std::fs::remove_file(games.path()).ok();
    run_well(&["datagen", "--out", games.path(), "--games", "6", "--nodes", "200", "--hash", "1", "--threads", "1"]);
    let options = ["--out", out.path(), "--passes", "2", "--validation", "0"];
    let fit = |path: &str| run_well(&[&["tune", path], &options[..]].concat());
    let ended = fit(games.path());
    assert!(ended.lines[0].contains(" training positions, 0 held out of 6 games"), "{}", ended.text());
    // Damage costs its game only, and is reported.
    let mut bytes = std::fs::read(games.path()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    std::fs::write(games.path(), bytes).unwrap();
    let ended = fit(games.path());
    assert!(ended.lines[0].contains(" of 5 games"), "{}", ended.text());
    assert!(
        ended.errors.contains("tuned-games.bin: record ") && ended.errors.contains(" at byte "),
        "{}",
        ended.errors
    );
}
