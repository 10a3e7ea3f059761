//! `train` as users run it: its output, its files and its error messages.

use std::fs;
use std::path::{Path, PathBuf};

use chuhe::eval::network::Network;

use crate::common::network::test_network;
#[cfg(unix)]
use crate::harness::Start;
use crate::harness::{Ended, TemporaryFile, run, run_badly, run_well};

/// Games that take no time, played again for every test.
fn games(label: &str) -> TemporaryFile {
    let file = TemporaryFile::named(&format!("{label}.bin"));
    let quick = ["--nodes", "100", "--hash", "1", "--most-plies", "80", "--games", "60", "--threads", "2"];
    let ended = run(&[&["datagen", "--out", file.path()], &quick[..]].concat());
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    file
}

/// A folder of a training, and what is looked up in it.
fn folder() -> (tempfile::TempDir, String, impl Fn(&str) -> PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("trained");
    (folder, out.to_str().unwrap().to_owned(), move |name: &str| out.join(name))
}

fn train(games: &str, out: &str, more: &[&str]) -> Ended {
    run(&[&["train", games, "--out", out, "--threads", "1"], more].concat())
}

#[test]
fn training_writes_a_network_and_its_reports() {
    let (file, (_folder, out, inside)) = (games("train-games"), folder());
    let options = ["--epochs", "4", "--batch", "128", "--lambda", "0.8", "--td-lambda", "0.9"];
    let ended = train(file.path(), &out, &options);
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    assert!(ended.lines[0].contains(" positions in 60 games are quiet, "), "{}", ended.text());
    assert!(ended.lines[1].contains(" training positions, "), "{}", ended.text());
    assert!(ended.lines.iter().any(|line| line.starts_with("epoch 4: loss 0.")), "{}", ended.text());
    assert!(ended.last_line().ends_with("network.bin"), "{}", ended.text());
    let network = Network::from_bytes(&fs::read(inside("network.bin")).unwrap()).unwrap();
    assert!(network.note().contains("lambda 0.8, td-lambda 0.9"), "{}", network.note());
    let log = fs::read_to_string(inside("log.tsv")).unwrap();
    assert_eq!(log.lines().count(), 5, "{log}");
    let loss = |line: &str| line.split('\t').nth(2).and_then(|loss| loss.parse::<f64>().ok()).unwrap();
    let losses: Vec<f64> = log.lines().skip(1).map(loss).collect();
    assert!(losses[3] < losses[0], "{losses:?}");
    let picture = fs::read_to_string(inside("loss.svg")).unwrap();
    assert!(roxmltree::Document::parse(&picture).is_ok());

    // What an earlier training left is not overwritten by one that cannot continue it.
    let other = tempfile::tempdir().unwrap();
    let other = other.path().to_str().unwrap();
    for name in ["network.bin", "log.tsv", "loss.svg"] {
        let kept = Path::new(other).join(name);
        fs::write(&kept, "from elsewhere").unwrap();
        let refused = run_badly(&["train", file.path(), "--out", other, "--epochs", "1", "--threads", "1"], 2);
        assert!(refused.errors.contains(&format!("{name}: of another training")), "{}", refused.errors);
        assert_eq!(fs::read(&kept).unwrap(), b"from elsewhere");
        fs::remove_file(&kept).unwrap();
    }
    assert!(!Path::new(other).join("samples").exists());
    for content in ["", "from elsewhere, and longer than what sample files end with"] {
        let kept = Path::new(other).join("samples");
        fs::write(&kept, content).unwrap();
        let refused = run_badly(&["train", file.path(), "--out", other, "--epochs", "1", "--threads", "1"], 2);
        assert!(refused.errors.contains("samples: not a file of 'train'"), "{}", refused.errors);
        assert_eq!(fs::read(&kept).unwrap(), content.as_bytes());
    }

    // Again there is nothing to do, and with other options there is a clear word.
    let again = train(file.path(), &out, &options);
    assert_eq!(again.status, Some(0), "{}", again.errors);
    assert_eq!(again.lines[1..], ended.lines[2..]);
    assert!(ended.lines[1].ends_with(", fitted to the results"), "{}", ended.text());
    assert!(again.lines[0].ends_with(", as the training was begun"), "{}", again.text());
    let refused = run_badly(&["train", file.path(), "--out", &out, "--batch", "128", "--epochs", "5"], 2);
    assert!(refused.errors.contains("checkpoint: --epochs is 4 there and 5 now"), "{}", refused.errors);
}

#[test]
fn games_without_a_result_need_a_scale() {
    let (_folder, out, _) = folder();
    // Games that were stopped have no result to fit the scale to.
    let stopped = TemporaryFile::named("train-stopped.bin");
    let short = ["--nodes", "50", "--hash", "1", "--games", "30", "--most-plies", "20"];
    assert_eq!(run(&[&["datagen", "--out", stopped.path()], &short[..]].concat()).status, Some(0));
    let refused = run_badly(&["train", stopped.path(), "--out", &out, "--threads", "1"], 2);
    assert!(refused.errors.contains("no game has a result that the scale could be fitted to"), "{}", refused.errors);
    assert_eq!(train(stopped.path(), &out, &["--scale", "300", "--epochs", "1"]).status, Some(0));
    #[cfg(unix)]
    {
        let refused = run_badly(&["train", "/dev/null", "--out", &out], 1);
        assert!(refused.errors.contains("/dev/null: not a regular file"), "{}", refused.errors);
    }
}

#[cfg(unix)]
#[test]
fn interrupted_training_resumes_to_the_same_network() {
    let file = games("train-interrupted");
    let ((_one, whole, in_whole), (_other, parts, in_parts)) = (folder(), folder());
    let options = ["--epochs", "12", "--batch", "256"];
    assert_eq!(train(file.path(), &whole, &options).status, Some(0));
    let arguments = [&["train", file.path(), "--out", &parts, "--threads", "1"], &options[..]].concat();
    for is_killed in [false, true] {
        let mut program = Start { arguments: &arguments, ..Start::default() }.now();
        program.close_input();
        program.wait_until("training", |line| line.contains(" training positions, "));
        if is_killed {
            program.kill();
        } else {
            program.interrupt();
            let ended = program.expect_exit();
            assert_eq!(ended.status, Some(130), "{}", ended.errors);
        }
    }
    #[cfg(target_os = "linux")]
    {
        let ended = crate::harness::run_with_file_limit(10_000, &arguments);
        assert_eq!(ended.status, Some(1), "{}", ended.errors);
        assert!(ended.errors.contains("trained/checkpoint: "), "{}", ended.errors);
    }
    assert_eq!(train(file.path(), &parts, &options).status, Some(0));
    assert_eq!(fs::read(in_parts("network.bin")).unwrap(), fs::read(in_whole("network.bin")).unwrap());
    assert_eq!(fs::read_dir(in_parts("")).unwrap().count(), 6, "nothing else is left behind");
}

#[test]
fn every_bad_input_is_one_clear_line() {
    let (letter, (_folder, out, inside)) = (TemporaryFile::with("train-letter", "Dear Sir,\n"), folder());
    for (arguments, status, words) in [
        (vec!["train"], 2, "<GAMES>"),
        (vec!["train", letter.path()], 2, "--out"),
        (vec!["train", "/nowhere/games", "--out", &out], 1, "/nowhere/games: "),
        (vec!["train", letter.path(), "--out", &out], 1, ": not a file of self-play games"),
        (vec!["train", letter.path(), "--out", letter.path()], 1, "train-letter: "),
        (vec!["train", letter.path(), "--out", &out, "--start", "/nowhere/network"], 1, "/nowhere/network: "),
        (vec!["train", letter.path(), "--out", &out, "--start", letter.path()], 1, "train-letter: not a network file"),
        (vec!["train", letter.path(), "--out", &out, "--start-share", "0.5"], 2, "--start"),
        (vec!["train", letter.path(), "--out", &out, "--lambda", "2"], 2, "--lambda"),
        (vec!["train", letter.path(), "--out", &out, "--epochs", "0"], 2, "--epochs"),
    ] {
        let ended = run_badly(&arguments, status);
        assert!(ended.errors.contains(words), "{arguments:?}: {}", ended.errors);
        assert!(status == 2 || ended.errors.lines().count() == 1, "{}", ended.errors);
    }
    assert!(!inside("network.bin").exists());
    // What training would write over is nothing to begin with.
    let own = inside("network.bin");
    fs::create_dir_all(inside("")).unwrap();
    fs::write(&own, test_network().to_bytes()).unwrap();
    let refused = run_badly(&["train", letter.path(), "--out", &out, "--start", own.to_str().unwrap()], 2);
    assert!(refused.errors.contains("--start names the network that training writes"), "{}", refused.errors);
    fs::remove_file(own).unwrap();

    // A file without a game, and one that is cut off.
    let (file, cut) = (games("train-cut"), TemporaryFile::named("train-cut-off.bin"));
    let bytes = fs::read(file.path()).unwrap();
    fs::write(cut.path(), &bytes[..bytes.len() - 5]).unwrap();
    let ended = train(cut.path(), &out, &["--epochs", "1"]);
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    assert!(ended.errors.contains("record 60 at byte ") && ended.errors.contains("cut off"), "{}", ended.errors);
    assert!(ended.lines[0].contains(" positions in 59 games "), "{}", ended.text());
    let refused = run_badly(&["train", file.path(), "--out", &out, "--epochs", "1", "--threads", "1"], 2);
    assert!(refused.errors.contains("checkpoint: made from other games"), "{}", refused.errors);
    fs::write(inside("checkpoint"), "nothing").unwrap();
    let refused = run_badly(&["train", cut.path(), "--out", &out, "--epochs", "1", "--threads", "1"], 1);
    assert!(refused.errors.contains("checkpoint: not a training checkpoint"), "{}", refused.errors);
    let header = &bytes[..bytes.windows(2).position(|two| two == [0xC3, 0x58]).unwrap()];
    fs::write(cut.path(), header).unwrap();
    fs::remove_file(inside("checkpoint")).unwrap();
    let refused = run_badly(&["train", cut.path(), "--out", &out], 2);
    assert!(refused.errors.contains("no position to train on"), "{}", refused.errors);
}

#[test]
fn from_the_first_game_to_a_network_that_values_a_rook() {
    let (file, (_folder, out, inside)) = (TemporaryFile::named("train-pipeline.bin"), folder());
    // By the hand-made evaluation, so that the games are the same whichever network is embedded.
    let games = ["--games", "2000", "--nodes", "20", "--most-plies", "100", "--seed", "5", "--knowledge", "medium"];
    let ended = run(&[&["datagen", "--out", file.path(), "--hash", "1", "--threads", "1"], &games[..]].concat());
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    let ended = train(file.path(), &out, &["--epochs", "6", "--batch", "1024"]);
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    let network = inside("network.bin");
    let path = network.to_str().unwrap();

    // It has learned that it is better to have a rook than to meet one.
    let value = |fen: &str| {
        let told = run_well(&["eval", fen, "--evalfile", path]);
        let number = |word: &str| word.starts_with(['+', '-']).then(|| word.parse::<i32>().ok()).flatten();
        told.last_line().split(' ').find_map(number).expect("the network's value")
    };
    let ahead = value("2bakab2/9/2n1c4/p3p3p/9/9/P3P3P/2N1C4/9/R1BAKAB2 w");
    let behind = value("r1bakab2/9/2n1c4/p3p3p/9/9/P3P3P/2N1C4/9/2BAKAB2 w");
    assert!(ahead > 0 && behind < 0, "{ahead} {behind}");
}
