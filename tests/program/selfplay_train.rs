//! `selfplay-train` as users run it: its networks against the single commands, interruptions, and error messages.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use chuhe::eval::network::Network;

use crate::common::network::{test_network, test_network_file};
use crate::harness::{Ended, Start, TIMEOUT, TemporaryFile, run, run_badly, run_well};

/// Rounds that take no time.
const TINY: [&str; 14] = [
    "--games",
    "24",
    "--nodes",
    "60",
    "--hash",
    "1",
    "--epochs",
    "2",
    "--batch",
    "64",
    "--gate-games",
    "6",
    "--gate-nodes",
    "60",
];
/// Training that moves no weight by half a unit, so that the new network plays like the old one.
const UNCHANGED: [&str; 4] = ["--rate", "1e-10", "--last-rate", "0"];
/// Columns of the log that depend on the network alone.
const COLUMNS: [&str; 14] = [
    "round",
    "games",
    "positions",
    "trained_on",
    "training",
    "validation",
    "wins",
    "draws",
    "losses",
    "score",
    "elo",
    "error",
    "accepted",
    "network",
];

/// Folder of the rounds of one test.
struct Rounds {
    folder: tempfile::TempDir,
    /// The network that they begin with.
    start: tempfile::NamedTempFile,
}

impl Rounds {
    fn new() -> Rounds {
        Rounds { folder: tempfile::tempdir().unwrap(), start: test_network_file() }
    }

    fn inside(&self, name: &str) -> PathBuf {
        self.folder.path().join("rounds").join(name)
    }

    fn out(&self) -> String {
        self.inside("").to_str().unwrap().trim_end_matches('/').to_owned()
    }

    /// Runs the command with these options alone.
    fn run(&self, options: &[&str]) -> Ended {
        run(&[&["selfplay-train", "--out", &self.out()], options].concat())
    }

    fn run_badly(&self, options: &[&str], status: i32) -> String {
        let errors = run_badly(&[&["selfplay-train", "--out", &self.out()], options].concat(), status).errors;
        assert!(errors.lines().last().unwrap().starts_with("chuhe: "), "{errors}");
        errors
    }

    /// Makes this number of tiny rounds from the start network.
    fn make(&self, rounds: &str, options: &[&str]) -> Ended {
        let start = self.start.path().to_str().unwrap();
        let ended = self.run(&[&TINY[..], &["--rounds", rounds, "--threads", "2", "--start", start], options].concat());
        assert_eq!(ended.status, Some(0), "{}", ended.errors);
        ended
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.inside(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Sorted names of the files in a folder.
    fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.inside(folder)).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn network(&self, name: &str) -> Network {
        Network::from_bytes(&self.bytes(name)).unwrap()
    }

    /// Returns the rows of the log by the names of their columns.
    fn log(&self) -> Vec<BTreeMap<String, String>> {
        let text = fs::read_to_string(self.inside("log.tsv")).unwrap();
        let mut rows = text.lines().map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>());
        let names = rows.next().expect("a head");
        rows.map(|row| names.iter().cloned().zip(row).collect()).collect()
    }

    /// Returns the log without the times.
    fn results(&self) -> Vec<Vec<String>> {
        self.log().iter().map(|row| COLUMNS.map(|name| row[name].clone()).to_vec()).collect()
    }
}

fn checksum(network: &Network) -> String {
    format!("{:08x}", network.checksum())
}

#[test]
fn a_round_is_what_the_single_commands_make() {
    let rounds = Rounds::new();
    // With a rate that changes weights in so few steps, also when the mean halves the changes.
    let training = ["--rate", "0.004", "--last-rate", "0.002"];
    let ended = rounds.make("1", &[&training[..], &["--seed", "3", "--accept", "0.3"]].concat());
    for stage in ["round 1, games: 24 games", "round 1, training: ", "round 1, match: 6 games against network "] {
        assert!(ended.errors.contains(stage), "{}", ended.errors);
    }
    let log = rounds.log();
    let (row, start) = (&log[0], rounds.start.path().to_str().unwrap());
    assert_eq!((log.len(), row["games"].as_str()), (1, "24"));

    let games = TemporaryFile::named("rounds-games.bin");
    let options = ["--games", "24", "--nodes", "60", "--hash", "1", "--seed", "3000001", "--evalfile", start];
    assert_eq!(run(&[&["datagen", "--out", games.path()], &options[..]].concat()).status, Some(0));
    let ordered = TemporaryFile::named("rounds-ordered.bin");
    assert_eq!(run(&["datagen", "merge", games.path(), "--out", ordered.path()]).status, Some(0));
    assert_eq!(rounds.bytes("round-1/games.bin"), fs::read(ordered.path()).unwrap());

    let trained = tempfile::tempdir().unwrap();
    // The share is the default of rounds that begin with a network.
    let share = ["--start-share", "0.5"];
    let options = [&training[..], &["--start", start, "--epochs", "2", "--batch", "64"], &share].concat();
    let out = ["--out", trained.path().to_str().unwrap(), "--seed", "3000001", "--threads", "2"];
    let ended = run(&[&["train", ordered.path()], &options[..], &out].concat());
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    let network = rounds.network("round-1/trained/network.bin");
    let expected = Network::from_bytes(&fs::read(trained.path().join("network.bin")).unwrap()).unwrap();
    assert!(network.raw_weights() == expected.raw_weights());
    assert!(network.raw_weights() != test_network().raw_weights(), "training changes the weights");
    assert_eq!(row["network"], checksum(&network));

    let path = rounds.inside("round-1/trained/network.bin");
    let engine = |file: &str| format!("cmd={},option.hashsize=16,option.evalfile={file}", env!("CARGO_BIN_EXE_chuhe"));
    let (new, old) = (engine(path.to_str().unwrap()), engine(start));
    let options = ["--nodes", "60", "--games", "6", "--seed", "3000001", "--max-plies", "400"];
    let adjudication = ["--adjudicate-win", "score=400,plies=8", "--json"];
    let ended = run_well(&[&["match", "--engine", &new, "--engine", &old], &options[..], &adjudication].concat());
    let standing = &ended.objects().pop().unwrap()["standings"][0];
    for column in ["wins", "draws", "losses"] {
        assert_eq!(standing[column].to_string(), row[column], "{column}");
    }
    let points = standing["wins"].as_f64().unwrap() + standing["draws"].as_f64().unwrap() / 2.0;
    assert_eq!(row["accepted"], if points / 6.0 > 0.3 { "yes" } else { "no" });
}

#[test]
fn the_network_that_wins_plays_the_next_round() {
    let rounds = Rounds::new();
    // A network that plays like its opponent takes one point of each pair.
    let ended = rounds.make("2", &[&UNCHANGED[..], &["--accept", "0.49"]].concat());
    let log = rounds.log();
    for (row, round) in log.iter().zip(1..) {
        assert_eq!((row["score"].as_str(), row["elo"].as_str(), row["accepted"].as_str()), ("0.5000", "0.0", "yes"));
        let network = rounds.network(&format!("round-{round}/trained/network.bin"));
        assert!(network.raw_weights() == test_network().raw_weights());
        assert_eq!(row["network"], checksum(&network));
        assert!(!rounds.inside(&format!("round-{round}/trained/samples")).exists(), "they take much space");
    }
    assert_eq!(rounds.bytes("best.network"), rounds.bytes("round-2/trained/network.bin"));
    assert!(ended.lines[0].starts_with("round 1: 24 games, trained on "), "{}", ended.text());
    assert!(ended.lines[1].ends_with(", 50.0 %, Elo +0 ± ?: accepted"), "{}", ended.text());
    let best = rounds.inside("best.network");
    assert!(ended.text().contains(&format!("setoption evalfile {}", best.display())), "{}", ended.text());
    run_well(&["eval", "--evalfile", best.to_str().unwrap()]);
    let settings = |round: u32| {
        let games = rounds.inside(&format!("round-{round}/games.bin"));
        run_well(&["datagen", "--to-text", games.to_str().unwrap(), "-"]).lines.remove(0)
    };
    assert!(settings(1).contains(&format!("\"evalfile\":\"{}\"", checksum(&test_network()))), "{}", settings(1));
    assert!(settings(2).contains(&format!("\"evalfile\":\"{}\"", log[0]["network"])), "{}", settings(2));
    assert!(rounds.network("best.network").note().contains(&format!("begun with network {}", log[0]["network"])));
    assert!(log[1]["trained_on"].parse::<u64>().unwrap() > log[0]["trained_on"].parse().unwrap(), "both rounds");

    // Without the half point that it needs more, the first network stays.
    let rounds = Rounds::new();
    let ended = rounds.make("1", &[&UNCHANGED[..], &["--accept", "0.5"]].concat());
    assert!(ended.lines[0].ends_with(": not accepted"), "{}", ended.text());
    assert!(ended.lines[1].contains("best.network (the first one)"), "{}", ended.text());
    assert_eq!(rounds.bytes("best.network"), test_network().to_bytes());
}

#[cfg(unix)]
#[test]
fn interrupted_rounds_reach_the_same_networks() {
    let (whole, parts) = (Rounds::new(), Rounds::new());
    let start = whole.start.path().to_str().unwrap();
    let learning = ["--rate", "0.001", "--last-rate", "0.0001", "--accept", "0.2", "--start", start];
    let options = [&TINY[..], &learning, &["--rounds", "2", "--threads", "2"]].concat();
    let ended = whole.run(&options);
    assert_eq!(ended.status, Some(0), "{}", ended.errors);

    let out = parts.out();
    let arguments = [&["selfplay-train", "--out", &out], &options[..]].concat();
    // Each time a little further, by either kind of end.
    let points = [
        ("state.jsonl", 1, true),
        ("round-1/games.bin", 1_000, false),
        ("round-1/games.bin", 2_000, true),
        ("round-1/trained/samples", 1, true),
        ("round-1/trained/checkpoint", 1, false),
        ("round-1/match.jsonl", 1, true),
        ("round-1/match.jsonl", 2_000, false),
        ("round-2", 1, true),
        ("round-2/games.bin", 1_500, false),
        ("round-2/trained/checkpoint", 1, true),
        ("round-2/match.jsonl", 2_000, true),
    ];
    for (file, size, is_killed) in points {
        let mut program = Start { arguments: &arguments, ..Start::default() }.now();
        program.close_input();
        let deadline = Instant::now() + TIMEOUT;
        while fs::metadata(parts.inside(file)).map_or(0, |data| data.len()) < size {
            assert!(Instant::now() < deadline, "there is no {file}");
            std::thread::sleep(Duration::from_millis(1));
        }
        if is_killed {
            program.kill();
        } else {
            program.interrupt();
            let ended = program.expect_exit();
            // The last stage may have ended before.
            assert!(matches!(ended.status, Some(130 | 0)), "{}", ended.errors);
        }
    }
    // Without the options, which are in the folder.
    let ended = parts.run(&["--rounds", "2", "--threads", "2"]);
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    assert_eq!(parts.results(), whole.results());
    for file in ["best.network", "round-1/games.bin", "round-2/games.bin", "round-2/trained/network.bin"] {
        assert!(parts.bytes(file) == whole.bytes(file), "{file}");
    }
    // The lock, the state, the log, two networks and two rounds.
    assert_eq!(fs::read_dir(parts.inside("")).unwrap().count(), 7, "nothing else is left behind");
    for folder in ["round-1", "round-1/trained", "round-2", "round-2/trained"] {
        assert_eq!(parts.names(folder), whole.names(folder), "{folder}");
    }

    // What a crash between two writes leaves behind is written again.
    let (best, log) = (parts.bytes("best.network"), parts.bytes("log.tsv"));
    for content in [None, Some(test_network().to_bytes())] {
        match content {
            None => fs::remove_file(parts.inside("best.network")).unwrap(),
            Some(content) => fs::write(parts.inside("best.network"), content).unwrap(),
        }
        fs::remove_file(parts.inside("log.tsv")).unwrap();
        fs::write(parts.inside("round-2/trained/samples"), "samples that were to be removed").unwrap();
        assert_eq!(parts.run(&["--rounds", "2"]).status, Some(0));
        assert!(parts.bytes("best.network") == best && parts.bytes("log.tsv") == log);
        assert_eq!(parts.names("round-2/trained"), whole.names("round-2/trained"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn rounds_from_nothing_survive_a_full_disk() {
    use crate::harness::run_with_file_limit;
    let rounds = Rounds::new();
    let out = rounds.out();
    let options = [&["--from-nothing", "--rounds", "1", "--threads", "1", "--accept", "1"], &TINY[..]].concat();
    let arguments = [&["selfplay-train", "--out", &out], &options[..]].concat();
    let ended = run_with_file_limit(6, &arguments);
    assert_eq!(ended.status, Some(1), "{}", ended.errors);
    assert!(ended.errors.contains("round-1/games.bin: ") && ended.errors.contains("are safe"), "{}", ended.errors);
    let games = rounds.inside("round-1/games.bin");
    let text = run_well(&["datagen", "--to-text", games.to_str().unwrap(), "-"]);
    assert!(text.lines[0].contains("\"knowledge\":\"medium\""), "{}", text.lines[0]);
    assert!((2..25).contains(&text.lines.len()), "{} games", text.lines.len() - 1);
    let ended = run_with_file_limit(1000, &arguments);
    assert_eq!(ended.status, Some(1), "{}", ended.errors);
    assert!(ended.errors.contains("round-1/trained/"), "{}", ended.errors);
    let ended = rounds.run(&options);
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    assert!(ended.errors.contains("match: 6 games against the hand-made evaluation"), "{}", ended.errors);
    assert!(
        ended.last_line().starts_with("no network is stronger than the hand-made evaluation yet"),
        "{}",
        ended.text()
    );
    assert!(!rounds.inside("best.network").exists() && !rounds.inside("start.network").exists());

    let undisturbed = Rounds::new();
    assert_eq!(undisturbed.run(&options).status, Some(0));
    assert_eq!(rounds.results(), undisturbed.results());
    assert!(rounds.bytes("round-1/trained/network.bin") == undisturbed.bytes("round-1/trained/network.bin"));

    // While no network is accepted, the next round begins with random weights and has the games of both.
    let ended = undisturbed.run(&["--rounds", "2"]);
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    let log = undisturbed.log();
    assert!(!undisturbed.network("round-2/trained/network.bin").note().contains("begun with"));
    assert!(log[1]["trained_on"].parse::<u64>().unwrap() > log[0]["trained_on"].parse().unwrap(), "{log:?}");
}

#[test]
fn a_run_may_only_create_the_folder_and_ends_with_its_time() {
    let rounds = Rounds::new();
    rounds.make("0", &UNCHANGED);
    // The lock, the state, the log and the network under two names.
    assert_eq!(fs::read_dir(rounds.inside("")).unwrap().count(), 5);
    let ended = rounds.make("9", &[&UNCHANGED[..], &["--hours", "1e-9"]].concat());
    assert!(ended.errors.contains("the time is over; the same command continues"), "{}", ended.errors);
    assert!(ended.last_line().contains("chuhe match --engine name=new,option.evalfile="), "{}", ended.text());
    assert_eq!(rounds.bytes("best.network"), test_network().to_bytes());
}

#[test]
fn contradicting_options_and_damaged_files_are_refused() {
    let rounds = Rounds::new();
    rounds.make("1", &[&UNCHANGED[..], &["--accept", "0.49"]].concat());
    let folder = rounds.out();
    let letter = TemporaryFile::with("rounds-letter", "Dear Sir,\n");
    let remedy = "; leave the option out to continue, or choose another --out";
    let start = checksum(&test_network());
    for (options, difference) in [
        (vec!["--nodes", "61"], "--nodes is 60 there and 61 now".to_owned()),
        (vec!["--gate-games", "8"], "--gate-games is 6 there and 8 now".to_owned()),
        (vec!["--lambda", "0.8"], "--lambda is 0.7 there and 0.8 now".to_owned()),
        (vec!["--td-lambda", "0.9"], "--td-lambda is 1.0 there and 0.9 now".to_owned()),
        (vec!["--start-share", "0.5"], "--start-share is not given there and 0.5 now".to_owned()),
        (vec!["--from-nothing"], format!("--start is {start} there and nothing now")),
    ] {
        let errors = rounds.run_badly(&options, 2);
        assert_eq!(errors, format!("chuhe: {folder}: {difference}{remedy}\n"));
    }
    for (options, status, words) in [
        (vec!["--start", letter.path()], 1, "rounds-letter: not a network file"),
        (vec!["--start", "/nowhere/network"], 1, "/nowhere/network: "),
    ] {
        assert!(rounds.run_badly(&options, status).contains(words), "{options:?}");
    }
    for (options, words) in [
        (vec!["--hours", "0"], "--hours"),
        (vec!["--rounds", "-1"], "unexpected argument"),
        (vec!["--accept", "2"], "--accept"),
        (vec!["--gate-games", "5001"], "--gate-games"),
        (vec!["--start", letter.path(), "--from-nothing"], "cannot be used with"),
    ] {
        let ended = run_badly(&[&["selfplay-train", "--out", &folder], &options[..]].concat(), 2);
        assert!(ended.errors.contains(words), "{options:?}: {}", ended.errors);
    }
    assert!(run_badly(&["selfplay-train", "--out", letter.path()], 1).errors.contains("rounds-letter: "));
    // A folder of another command, such as `train`, is left as it is.
    let foreign = Rounds::new();
    fs::create_dir_all(foreign.inside("")).unwrap();
    fs::write(foreign.inside("log.tsv"), "epoch\n").unwrap();
    let errors = foreign.run_badly(&[], 1);
    assert!(errors.contains("log.tsv: not a file of 'selfplay-train'"), "{errors}");
    assert_eq!((foreign.bytes("log.tsv"), foreign.inside("state.jsonl").exists()), (b"epoch\n".to_vec(), false));
    run_badly(&["selfplay-train"], 2);

    let other = {
        let network = test_network();
        let mut weights = network.raw_weights();
        weights.output_biases[0] += 1;
        Network::new(&weights, "another network").unwrap().to_bytes()
    };
    let flipped = |file: &str| {
        let mut bytes = rounds.bytes(file);
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        bytes
    };
    let short = |file: &str| rounds.bytes(file)[..100].to_vec();
    let trained = "round-1/trained/network.bin";
    // The last ones are found when the round has come so far.
    let games = rounds.bytes("round-1/games.bin");
    for (file, content, status, words) in [
        ("state.jsonl", flipped("state.jsonl"), 1, ": damaged; restore it"),
        ("state.jsonl", short("state.jsonl"), 1, ": damaged; restore it"),
        ("state.jsonl", b"Dear Sir,\n".to_vec(), 1, ": not the state of 'selfplay-train'"),
        ("best.network", flipped("best.network"), 1, ": damaged: checksum mismatch"),
        ("best.network", b"Dear Sir,\n".to_vec(), 1, ": not a network file"),
        ("best.network", other.clone(), 1, ", which comes from elsewhere; move it away"),
        (trained, flipped(trained), 1, ": damaged: checksum mismatch"),
        (trained, short(trained), 1, ": damaged: 100 bytes instead of "),
        (trained, other, 1, ", which was written there; restore it from a copy"),
        ("round-1/games.bin", flipped("round-1/games.bin"), 1, ": it is damaged or was changed"),
        ("round-1/games.bin", short("round-1/games.bin"), 1, ": it is damaged or was changed"),
        ("round-2/games.bin", b"Dear Sir,\n".to_vec(), 1, ": not a file of self-play games"),
        ("round-2/games.bin", games.clone(), 1, "; remove it to play the games of this round again"),
        ("round-2/trained/checkpoint", b"Dear Sir,\n".to_vec(), 1, ": not a training checkpoint"),
        ("round-2/match.jsonl", b"Dear Sir,\n".to_vec(), 2, ": this is not a match journal"),
        (
            "round-2/match.jsonl",
            rounds.bytes("round-1/match.jsonl"),
            1,
            "; remove it to play the match of this round again",
        ),
    ] {
        let before = fs::read(rounds.inside(file)).ok();
        fs::create_dir_all(rounds.inside(file).parent().unwrap()).unwrap();
        fs::write(rounds.inside(file), &content).unwrap();
        let errors = rounds.run_badly(&["--rounds", "2", "--threads", "2"], status);
        let last = errors.lines().last().unwrap();
        let named = format!("chuhe: {}", rounds.inside(file).display());
        assert!(last.starts_with(&named) && last.contains(words), "{file}: {errors}");
        assert!(rounds.bytes(file) == content, "{file} is left alone");
        match before {
            Some(before) => fs::write(rounds.inside(file), before).unwrap(),
            None => fs::remove_file(rounds.inside(file)).unwrap(),
        }
    }
    // Everything is as it was, and the second round can be completed.
    let ended = rounds.run(&["--rounds", "2", "--threads", "2"]);
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    assert!(ended.lines[0].starts_with("round 2: 24 games, "), "{}", ended.text());
}

#[test]
fn only_one_program_works_in_a_folder() {
    let rounds = Rounds::new();
    let out = rounds.out();
    let arguments = ["selfplay-train", "--out", &out, "--from-nothing", "--nodes", "100", "--threads", "1"];
    let mut program = Start { arguments: &arguments, ..Start::default() }.now();
    program.close_input();
    let deadline = Instant::now() + TIMEOUT;
    while !rounds.inside("round-1/games.bin").exists() {
        assert!(Instant::now() < deadline, "there are no games");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(rounds.run_badly(&[], 2).contains(": another program is working there"));
    drop(program);
    assert_eq!(rounds.run(&["--hours", "1e-9"]).status, Some(0));
}
