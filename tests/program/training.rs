//! `train` as users run it: its output, its files and its error messages.

use std::fs;
use std::path::{Path, PathBuf};

use chuhe::eval::network::{Network, RawWeights};

use crate::harness::{Ended, Start, TIMEOUT, TemporaryFile, run, run_badly, run_well};

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
    let options = ["--epochs", "4", "--batch", "128", "--note", "a small one", "--lambda", "0.8"];
    let ended = train(file.path(), &out, &options);
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    assert!(ended.lines[0].contains(" positions in 60 games are quiet, "), "{}", ended.text());
    assert!(ended.lines[1].contains(" training positions, "), "{}", ended.text());
    assert!(ended.lines.iter().any(|line| line.starts_with("epoch 4: loss 0.")), "{}", ended.text());
    assert!(ended.lines.iter().any(|line| line.starts_with("integers differ from floats by ")), "{}", ended.text());
    assert!(ended.last_line().ends_with("network.bin"), "{}", ended.text());
    let network = Network::from_bytes(&fs::read(inside("network.bin")).unwrap()).unwrap();
    assert!(network.note().starts_with("a small one\n") && network.note().contains("lambda 0.8"), "{}", network.note());
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
fn impossible_settings_are_refused_before_or_at_the_first_step() {
    let (file, (_folder, out, inside)) = (games("train-impossible"), folder());
    let note = "x".repeat(4_000);
    let one = ["train", file.path(), "--out", &out, "--threads", "1"];
    let refused = run_badly(&[&one[..], &["--note", &note]].concat(), 2);
    assert!(refused.errors.contains("its note is not text of at most 4096 bytes"), "{}", refused.errors);
    assert!(!inside("samples").exists());
    let refused = run_badly(&[&one[..], &["--scale", "1e-307", "--loss", "cross-entropy"]].concat(), 2);
    assert!(refused.errors.contains("the loss of step 1 is not a number"), "{}", refused.errors);
    assert!(!inside("checkpoint").exists() && !inside("network.bin").exists());
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

#[test]
fn smoothed_results_are_part_of_the_settings() {
    let (file, (_folder, out, inside), (_other, plain, inside_plain)) = (games("train-smoothed"), folder(), folder());
    let options = ["--epochs", "1", "--batch", "128", "--td-lambda", "0.9"];
    let ended = train(file.path(), &out, &options);
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    let network = Network::from_bytes(&fs::read(inside("network.bin")).unwrap()).unwrap();
    assert!(network.note().contains(", td-lambda 0.9, "), "{}", network.note());
    let refused = run_badly(&[&["train", file.path(), "--out", &out, "--threads", "1"], &options[..4]].concat(), 2);
    assert!(refused.errors.contains("checkpoint: --td-lambda is 0.9 there and not given now"), "{}", refused.errors);
    let again = [&options[..], &["--scale", "123"]].concat();
    let refused = run_badly(&[&["train", file.path(), "--out", &out, "--threads", "1"], &again[..]].concat(), 2);
    assert!(refused.errors.contains("checkpoint: --scale is "), "{}", refused.errors);
    // The same positions and the same scale, but other results.
    let without = train(file.path(), &plain, &options[..4]);
    assert_eq!(without.lines[..2], ended.lines[..2]);
    let unsmoothed = Network::from_bytes(&fs::read(inside_plain("network.bin")).unwrap()).unwrap();
    assert!(unsmoothed.raw_weights() != network.raw_weights());
    assert!(!unsmoothed.note().contains("td-lambda"), "{}", unsmoothed.note());
}

#[test]
fn training_continues_from_a_network() {
    let (file, (_folder, out, inside), (_other, further, in_further)) = (games("train-further"), folder(), folder());
    let start = inside("network.bin");
    assert_eq!(train(file.path(), &out, &["--epochs", "1", "--batch", "128"]).status, Some(0));
    let before = Network::from_bytes(&fs::read(&start).unwrap()).unwrap();
    // So slowly that no number comes half a unit away from where it was.
    let options = ["--epochs", "1", "--batch", "128", "--rate", "1e-10", "--last-rate", "0"];
    let with_start = [&options[..], &["--start", start.to_str().unwrap()]].concat();
    let ended = train(file.path(), &further, &with_start);
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    let after = Network::from_bytes(&fs::read(in_further("network.bin")).unwrap()).unwrap();
    assert!(after.raw_weights() == before.raw_weights());
    let note = after.note();
    assert!(note.contains(", begun with network ") && !note.contains("share") && note != before.note(), "{note}");
    // Again there is nothing to do; without the network it is another training.
    assert_eq!(train(file.path(), &further, &with_start).status, Some(0));
    let refused = run_badly(&[&["train", file.path(), "--out", &further, "--threads", "1"], &options[..]].concat(), 2);
    assert!(refused.errors.contains("checkpoint: --start is "), "{}", refused.errors);
    let other_share = [&with_start[..], &["--start-share", "0.5"]].concat();
    let refused =
        run_badly(&[&["train", file.path(), "--out", &further, "--threads", "1"], &other_share[..]].concat(), 2);
    assert!(refused.errors.contains("checkpoint: --start-share is not given there and 0.5 now"), "{}", refused.errors);
    for wrong in [&["--start-share", "0.5"][..], &["--start", start.to_str().unwrap(), "--start-share", "1.5"]] {
        let refused = run_badly(&[&["train", file.path(), "--out", &further], wrong].concat(), 2);
        assert!(refused.errors.contains("--start"), "{wrong:?}: {}", refused.errors);
    }
    // What training would write over is nothing to begin with.
    let refused = run_badly(&[&["train", file.path(), "--out", &out], &with_start[..]].concat(), 2);
    assert!(refused.errors.contains("--start names the network that training writes"), "{}", refused.errors);
    assert!(Network::from_bytes(&fs::read(&start).unwrap()).unwrap() == before);
}

#[test]
fn the_mean_with_the_start_network_is_written() {
    let (file, (_folder, out, inside), (_other, mean, in_mean)) = (games("train-mean"), folder(), folder());
    let start = inside("network.bin");
    assert_eq!(train(file.path(), &out, &["--epochs", "1", "--batch", "128"]).status, Some(0));
    let options = ["--epochs", "2", "--batch", "128", "--start", start.to_str().unwrap(), "--start-share", "0.25"];
    let ended = train(file.path(), &mean, &options);
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    let network = Network::from_bytes(&fs::read(in_mean("network.bin")).unwrap()).unwrap();
    let note = network.note();
    assert!(note.contains(", which has a share of 0.25 in the mean of the weights; "), "{note}");
    // With the same start and no share the trained network differs about four thirds as far from the start.
    let (_third, alone, in_alone) = folder();
    assert_eq!(train(file.path(), &alone, &options[..6]).status, Some(0));
    let [before, trained] = [&start, &in_alone("network.bin")]
        .map(|path| Network::from_bytes(&fs::read(path).unwrap()).unwrap().raw_weights().input_weights);
    let distance = |weights: &[i16]| -> i64 {
        weights.iter().zip(&before).map(|(one, other)| i64::from(one.abs_diff(*other))).sum()
    };
    let (mean, whole) = (distance(&network.raw_weights().input_weights), distance(&trained));
    assert!(whole > 10_000 && (mean * 4 - whole * 3).abs() < whole / 4, "{mean} of {whole}");
}

#[cfg(unix)]
#[test]
fn interrupted_training_resumes_to_the_same_network() {
    let file = games("train-interrupted");
    let ((_one, whole, in_whole), (_other, parts, in_parts)) = (folder(), folder());
    let options = ["--epochs", "120", "--batch", "256"];
    assert_eq!(train(file.path(), &whole, &options).status, Some(0));
    let arguments = [&["train", file.path(), "--out", &parts, "--threads", "1"], &options[..]].concat();
    for is_killed in [false, true] {
        let mut program = Start { arguments: &arguments, ..Start::default() }.now();
        program.close_input();
        let before = fs::metadata(in_parts("checkpoint")).and_then(|data| data.modified()).ok();
        let deadline = std::time::Instant::now() + TIMEOUT;
        while fs::metadata(in_parts("checkpoint")).and_then(|data| data.modified()).ok() == before {
            assert!(std::time::Instant::now() < deadline, "there is no checkpoint");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
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
        let before = fs::read(in_parts("checkpoint")).unwrap();
        let ended = crate::harness::run_with_file_limit(10_000, &arguments);
        let errors = ended.errors;
        assert_eq!(ended.status, Some(1), "{errors}");
        assert!(errors.contains("trained/checkpoint: ") && errors.lines().count() == 1, "{errors}");
        assert_eq!(fs::read(in_parts("checkpoint")).unwrap(), before);
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
        (vec!["train", letter.path(), "--out", &out, "--lambda", "2"], 2, "--lambda"),
        (vec!["train", letter.path(), "--out", &out, "--rate", "0"], 2, "--rate"),
        (vec!["train", letter.path(), "--out", &out, "--epochs", "0"], 2, "--epochs"),
    ] {
        let ended = run_badly(&arguments, status);
        assert!(ended.errors.contains(words), "{arguments:?}: {}", ended.errors);
        assert!(status == 2 || ended.errors.lines().count() == 1, "{}", ended.errors);
    }
    assert!(!inside("network.bin").exists());

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
fn from_the_first_game_to_a_network_that_plays() {
    let (file, (folder, out, inside)) = (TemporaryFile::named("train-pipeline.bin"), folder());
    // By the hand-made evaluation, so that the games are the same whichever network is embedded.
    let games = ["--games", "2000", "--nodes", "20", "--most-plies", "100", "--seed", "5", "--knowledge", "medium"];
    let ended = run(&[&["datagen", "--out", file.path(), "--hash", "1", "--threads", "1"], &games[..]].concat());
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    let ended = train(file.path(), &out, &["--epochs", "12", "--batch", "1024"]);
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

    // And it beats one that thinks nothing of anything.
    let shape = Network::from_bytes(&fs::read(&network).unwrap()).unwrap().raw_weights();
    let nothing = RawWeights {
        input_weights: vec![0; shape.input_weights.len()],
        input_biases: vec![0; shape.input_biases.len()],
        output_weights: vec![0; shape.output_weights.len()],
        output_biases: vec![0; shape.output_biases.len()],
    };
    let idle = folder.path().join("idle.network");
    fs::write(&idle, Network::new(&nothing, "nothing").unwrap().to_bytes()).unwrap();
    let program = env!("CARGO_BIN_EXE_chuhe");
    let engine = |name: &str, path: &str| format!("name={name},cmd={program},option.evalfile={path}");
    let (learned, idle) = (engine("Learned", path), engine("Idle", idle.to_str().unwrap()));
    let ended =
        run_well(&["match", "--engine", &learned, "--engine", &idle, "--games", "20", "--nodes", "400", "--seed", "3"]);
    let row = ended.lines.iter().find(|line| line.starts_with("Learned  ")).expect("a table");
    let numbers: Vec<u32> = row.split_whitespace().skip(1).take(4).map(|word| word.parse().unwrap()).collect();
    let [games, wins, _, losses] = numbers[..] else { panic!("{row}") };
    assert!(games == 20 && wins > 2 * losses, "{}", ended.text());
}
