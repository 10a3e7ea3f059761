//! `train` as users run it: its output, its files and its error messages.

use std::fs;
use std::path::PathBuf;

use chuhe::eval::network::Network;
use chuhe::lab::datagen::EndingKind;

use crate::common::network::test_network;
use crate::common::self_play::{file_of, random_games};
use crate::harness::{Ended, TemporaryFile, run_badly, run_noted};

fn games(label: &str) -> TemporaryFile {
    let file = TemporaryFile::named(label);
    fs::write(file.path(), file_of(&random_games(1, 60))).unwrap();
    file
}

/// A folder of a training, and what is looked up in it.
fn folder() -> (tempfile::TempDir, String, impl Fn(&str) -> PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("trained");
    (folder, out.to_str().unwrap().to_owned(), move |name: &str| out.join(name))
}

fn train(games: &str, out: &str, more: &[&str]) -> Ended {
    let ended = run_noted(&[&["train", games, "--out", out, "--threads", "1"], more].concat());
    ended
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
    let (stopped, mut games) = (TemporaryFile::named("train-stopped.txt"), random_games(2, 30));
    games.iter_mut().for_each(|game| game.ending = EndingKind::TooLong);
    fs::write(stopped.path(), file_of(&games)).unwrap();
    let refused = refusal(stopped.path(), &out, &[], 2);
    assert!(refused.contains("no game has a result that the scale could be fitted to"), "{refused}");
    train(stopped.path(), &out, &["--scale", "300", "--epochs", "1"]);
}

#[test]
fn every_bad_input_is_one_clear_line() {
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
    let (file, cut) = (games("train-cut"), TemporaryFile::named("train-cut-off.txt"));
    let bytes = fs::read(file.path()).unwrap();
    fs::write(cut.path(), &bytes[..bytes.len() - 5]).unwrap();
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
