//! `tune` and `train` as users run them: their output, their files and their error messages.

use std::fs;
use std::path::{Path, PathBuf};

use chuhe::eval::network::Network;
use chuhe::lab::datagen::EndingKind;

use crate::common::network::test_network;
use crate::common::self_play::{file_of, random_games};
use crate::harness::{Ended, Program, TemporaryFile, refused, run_badly, run_noted};

const GAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/games.tsv");

fn tune(arguments: &[&str]) -> Ended {
    run_noted(&[&["tune"], arguments].concat())
}

#[test]
fn fitted_weights_are_reproducible() {
    let [one, other] = ["tuned-one.rs", "tuned-other.rs"].map(TemporaryFile::named);
    let fit = |out: &str, threads: &str| {
        let options = ["--passes", "6", "--validation", "20", "--per-game", "0"];
        tune(&[&[GAMES, "--out", out, "--threads", threads], &options[..]].concat())
    };
    let ended = fit(one.path(), "1");
    fit(other.path(), "2");
    let written = fs::read_to_string(one.path()).unwrap();
    assert_eq!(written, fs::read_to_string(other.path()).unwrap());
    assert!(written.contains("//! Fitted by logistic regression to the results of "));
    assert!(ended.lines[0].contains(" training positions, ") && ended.lines[0].contains(" games"), "{}", ended.text());
    assert!(ended.lines[1].starts_with("scale "), "{}", ended.lines[1]);
    let loss = |start: &str| -> f64 {
        let line = ended.lines.iter().find(|line| line.starts_with(start));
        line.unwrap_or_else(|| panic!("{}", ended.text())).split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    assert!(loss("after") <= loss("before") && loss("before") < 2.0);
    assert_eq!(ended.errors.lines().filter(|line| line.starts_with("epoch ")).count(), 3, "{}", ended.errors);

    // What was written is a start, and what it says of itself stays.
    fs::write(one.path(), written.replace("//! Fitted by logistic regression", "//! Fitted with care")).unwrap();
    tune(&[GAMES, "--out", one.path(), "--start", one.path(), "--method", "hill", "--passes", "5"]);
    assert!(fs::read_to_string(one.path()).unwrap().contains("//! Fitted with care"));
}

#[test]
fn search_parameters_are_tuned_by_the_moves_of_games() {
    let arguments = [GAMES, "--search-params", "futility_base,quiescence_margin", "--method", "genetic"];
    let options = ["--nodes", "200", "--per-game", "3", "--validation", "20", "--passes", "2"];
    let [one, two] = ["1", "2"].map(|threads| tune(&[&arguments[..], &options, &["--threads", threads]].concat()));
    let summary = &one.lines[0];
    assert!(summary.starts_with("# 2 passes in ") && summary.contains("; moves found, at the start and now: "));
    assert_eq!(summary.matches(" %").count(), 4, "{summary}");
    let names: Vec<&str> = one.lines[1..].iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!((names, &one.lines[1..]), (vec!["futility_base", "quiescence_margin"], &two.lines[1..]));
}

#[test]
fn the_weight_of_each_group_of_terms_is_printed() {
    let ended = tune(&[GAMES, "--leave-out", "--threads", "2"]);
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
    let text = format!("{fen}\t1-0\t300\n9/9\t1-0\n{fen}\t3-0\n{fen}\t1-0\n");
    let (data, out) = (TemporaryFile::with("tune-bad-lines", &text), TemporaryFile::named("tune-bad-lines.rs"));
    let ended = tune(&[data.path(), "--out", out.path(), "--validation", "0", "--passes", "2"]);
    assert!(ended.lines[0].starts_with("2 training positions, 0 held out"), "{}", ended.text());
    let errors: Vec<&str> = ended.errors.lines().filter(|line| line.starts_with("chuhe: ")).collect();
    assert_eq!(errors.len(), 3, "{}", ended.errors);
    assert!(errors[0].contains(": line 2: ") && errors[1].contains(": line 3: '3-0' is not a result"), "{errors:#?}");
    assert!(errors[2].ends_with(": 2 bad records left out"), "{errors:#?}");
}

#[test]
fn every_bad_input_is_one_clear_line() {
    let empty = TemporaryFile::with("tune-empty", "");
    let letter = TemporaryFile::with("tune-letter", "Dear Sir,\n");
    let unknown = TemporaryFile::with("tune-unknown-results.tsv", "*\t\th2e2 h9g7\n");
    let start = TemporaryFile::with("tune-start", "futility_base 100\nfutility_base much\n");
    let out = TemporaryFile::named("tune-never-written.rs");
    let out = out.path();
    let params = ["--search-params", "all"];
    for (arguments, status, words) in [
        (vec![], 2, "<FILE>"),
        (vec![GAMES], 2, "--out"),
        (vec![empty.path(), "--leave-out"], 1, "neither games nor lines"),
        (vec!["/nowhere/data", "--out", out], 1, "/nowhere/data: "),
        (vec![GAMES, "--out", "/nowhere/weights.rs"], 1, "/nowhere/weights.rs: "),
        (vec![letter.path(), "--out", out], 1, "neither games nor lines"),
        (vec![unknown.path(), "--out", out], 1, "no quiet position with a result"),
        (vec![GAMES, "--out", out, "--start", letter.path()], 1, "does not hold the weights"),
        ([&params[..], &[GAMES, "--games", "8"]].concat(), 2, "--games"),
        ([&params[..], &[GAMES, "--openings", GAMES]].concat(), 2, "--openings"),
        ([&params[..], &[letter.path()]].concat(), 1, "no games of players"),
        ([&params[..], &[unknown.path()]].concat(), 1, "no move is left to be found"),
        (vec!["--search-params", "luck"], 2, "there is no search parameter 'luck'; src/search/params.rs lists all"),
        ([&params[..], &["--method", "adam"]].concat(), 2, "choose another --method"),
        ([&params[..], &["--openings", letter.path()]].concat(), 1, "it contains no valid opening"),
        ([&params[..], &["--start", start.path()]].concat(), 1, "line 2: 'much' is not a number"),
    ] {
        refused(&[&["tune"], &arguments[..]].concat(), status, words);
        assert!(!Path::new(out).exists(), "{arguments:?} wrote something");
    }
}

#[test]
fn search_parameters_are_tuned_by_games_and_read_back() {
    let openings = TemporaryFile::with("tune-openings", "h2e2 h9g7\nb0c2\n");
    let games = ["--games", "3", "--nodes", "30", "--passes", "24", "--openings", openings.path()];
    let mut text = String::new();
    for method in ["spsa", "swarm"] {
        let wanted = ["--search-params", "futility_base,null_move_depth", "--method", method];
        let first = tune(&[&wanted[..], &games].concat());
        // Every opening is played from both sides, and repeated games are announced.
        assert!(first.lines[0].starts_with("# 24 matches of 4 games in "), "{}", first.text());
        assert!(method != "spsa" || first.errors.contains(" pairs of games used 2 openings"), "{}", first.errors);
        assert!(first.lines.len() == 3 && first.lines[1].starts_with("null_move_depth "), "{}", first.text());
        assert!(first.lines[2].starts_with("futility_base "));
        let again = tune(&[&wanted[..], &games, &["--threads", "1"]].concat());
        assert_eq!(again.lines[1..], first.lines[1..], "{method}");
        text = first.text();
    }
    let better = TemporaryFile::with("tune-better", &text);
    tune(&["--search-params", "futility_base", "--start", better.path(), "--passes", "1", "--games", "2"]);
}

#[cfg(unix)]
#[test]
fn an_interrupt_writes_the_best_result_so_far() {
    let out = TemporaryFile::named("tune-interrupted.rs");
    let arguments = ["tune", GAMES, "--out", out.path(), "--method", "anneal", "--passes", "100000000"];
    let mut program = Program::with(&arguments);
    // It fits from now on.
    program.wait_for("scale");
    let ended = program.interrupt("INT");
    assert!(ended.lines.iter().any(|line| line.starts_with("after")), "{}", ended.text());
    assert!(fs::read_to_string(out.path()).unwrap().starts_with("//! Every number"));
}

#[test]
fn weights_are_fitted_to_self_play_games() {
    // Damage costs its game only, and is reported.
    let text = String::from_utf8(file_of(&random_games(1, 6))).unwrap().replacen(" a", " b", 1);
    let (games, out) = (TemporaryFile::with("tuned-games.txt", &text), TemporaryFile::named("tuned-games.rs"));
    let ended = tune(&[games.path(), "--out", out.path(), "--passes", "2", "--validation", "0"]);
    assert!(ended.lines[0].contains(" training positions, 0 held out of 5 games"), "{}", ended.text());
    ended.tells("tuned-games.txt: line ");
}

// Training

fn games(label: &str) -> TemporaryFile {
    TemporaryFile::with(label, &file_of(&random_games(1, 60)))
}

/// A folder of a training, and what is looked up in it.
fn folder() -> (tempfile::TempDir, String, impl Fn(&str) -> PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("trained");
    (folder, out.to_str().unwrap().to_owned(), move |name: &str| out.join(name))
}

fn train(games: &str, out: &str, more: &[&str]) -> Ended {
    run_noted(&[&["train", games, "--out", out, "--threads", "1"], more].concat())
}

fn refusal(games: &str, out: &str, more: &[&str], status: i32) -> String {
    run_badly(&[&["train", games, "--out", out, "--threads", "1"], more].concat(), status).errors
}

#[test]
fn training_writes_a_network_and_its_reports() {
    let (file, (_folder, out, inside)) = (games("train-games"), folder());
    let options = ["--epochs", "4", "--batch", "128", "--lambda", "0.8", "--td-lambda", "0.9"];
    // What an earlier training left is not overwritten by one that cannot continue it.
    fs::create_dir_all(inside("")).unwrap();
    for (name, content, words) in [
        ("network.bin", "from elsewhere", "network.bin: of another training"),
        ("log.tsv", "from elsewhere", "log.tsv: of another training"),
    ] {
        fs::write(inside(name), content).unwrap();
        let refused = refusal(file.path(), &out, &options, 2);
        assert!(refused.contains(words), "{refused}");
        assert_eq!(fs::read(inside(name)).unwrap(), content.as_bytes());
        fs::remove_file(inside(name)).unwrap();
    }
    let ended = train(file.path(), &out, &options);
    assert!(ended.lines[0].contains(" positions in 60 games are quiet, "), "{}", ended.text());
    assert!(ended.lines[1].contains(" training positions, "), "{}", ended.text());
    assert!(ended.lines[1].ends_with(", fitted to the results"), "{}", ended.text());
    assert!(ended.lines.iter().any(|line| line.starts_with("epoch 4: loss 0.")), "{}", ended.text());
    assert!(ended.last_line().ends_with("network.bin"), "{}", ended.text());
    let network = Network::from_bytes(&fs::read(inside("network.bin")).unwrap()).unwrap();
    assert!(network.note().contains("lambda 0.8, td-lambda 0.9"), "{}", network.note());
    let log = fs::read_to_string(inside("log.tsv")).unwrap();
    let loss = |line: &str| line.split('\t').nth(2).and_then(|loss| loss.parse::<f64>().ok()).unwrap();
    let losses: Vec<f64> = log.lines().skip(1).map(loss).collect();
    assert!(losses.len() == 4 && losses[3] < losses[0], "{losses:?}");

    // Again there is nothing to do, and with other options there is a clear word.
    let again = train(file.path(), &out, &options);
    assert_eq!(again.lines[2..], ended.lines[2..]);
    assert!(again.lines[1].ends_with(", as the training was begun"), "{}", again.text());
    let refused = refusal(file.path(), &out, &["--batch", "128", "--epochs", "5"], 2);
    assert!(refused.contains("checkpoint: --epochs is 4 there and 5 now"), "{refused}");
}

#[test]
fn games_without_a_result_need_a_scale() {
    let (_folder, out, _) = folder();
    // Games that were stopped have no result to fit the scale to.
    let mut games = random_games(2, 30);
    games.iter_mut().for_each(|game| game.ending = EndingKind::TooLong);
    let stopped = TemporaryFile::with("train-stopped.txt", &file_of(&games));
    let refused = refusal(stopped.path(), &out, &[], 2);
    assert!(refused.contains("no game has a result that the scale could be fitted to"), "{refused}");
    train(stopped.path(), &out, &["--scale", "300", "--epochs", "1"]);
}

#[test]
fn every_bad_input_of_a_training_is_one_clear_line() {
    let (letter, (_folder, out, inside)) = (TemporaryFile::with("train-letter", "Dear Sir,\n"), folder());
    let letter = letter.path();
    for (games, out, more, status, words) in [
        ("/nowhere/games", &*out, &[][..], 1, "/nowhere/games: "),
        (letter, &out, &[], 1, ": not a file of self-play games"),
        (letter, letter, &[], 1, "train-letter: "),
        (letter, &out, &["--start", "/nowhere/network"], 1, "/nowhere/network: "),
        (letter, &out, &["--start", letter], 1, "train-letter: not a network file"),
        #[cfg(unix)]
        ("/dev/null", &out, &[], 1, "/dev/null: not a regular file"),
    ] {
        let errors = refusal(games, out, more, status);
        assert!(errors.contains(words), "{games} {more:?}: {errors}");
        assert!(status == 2 || errors.lines().count() == 1, "{errors}");
    }
    // What training would write over is nothing to begin with.
    let own = inside("network.bin");
    fs::create_dir_all(inside("")).unwrap();
    fs::write(&own, test_network().to_bytes()).unwrap();
    let refused = refusal(letter, &out, &["--start", own.to_str().unwrap()], 2);
    assert!(refused.contains("--start names the network that training writes"), "{refused}");
    fs::remove_file(own).unwrap();

    // A file that is cut off, and one without a game.
    let file = games("train-cut");
    let bytes = fs::read(file.path()).unwrap();
    let cut = TemporaryFile::with("train-cut-off.txt", &bytes[..bytes.len() - 5]);
    let ended = train(cut.path(), &out, &["--epochs", "1"]);
    ended.tells("line 61 is left out: it is cut off");
    assert!(ended.lines[0].contains(" positions in 59 games "), "{}", ended.text());
    let refused = refusal(file.path(), &out, &["--epochs", "1"], 2);
    assert!(refused.contains("checkpoint: made from other games"), "{refused}");
    fs::write(inside("checkpoint"), "nothing").unwrap();
    let refused = refusal(cut.path(), &out, &["--epochs", "1"], 1);
    assert!(refused.contains("checkpoint: not a training checkpoint"), "{refused}");
    let header = &bytes[..bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1];
    fs::write(cut.path(), header).unwrap();
    fs::remove_dir_all(&out).unwrap();
    let refused = refusal(cut.path(), &out, &[], 2);
    assert!(refused.contains("no position to train on"), "{refused}");
}
