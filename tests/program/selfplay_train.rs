//! `selfplay-train` as users run it: its networks against the single commands, interruptions, and error messages.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use chuhe::console::error::CommandError;
use chuhe::eval::network::Network;
use chuhe::lab::selfplay::{self, Folder, Settings, Start as Beginning};
use chuhe::util::cancel::CancelFlag;

use crate::common::network::{test_network, test_network_file};
use crate::harness::{Ended, Program, TemporaryFile, refused, run, run_badly, run_noted, run_well};

/// Rate of a training that moves no weight by half a unit, so that the new network plays like the old one.
const UNCHANGED: Option<f64> = Some(1e-10);

struct Rounds(tempfile::TempDir);

impl Rounds {
    fn none() -> Rounds {
        Rounds(tempfile::tempdir().unwrap())
    }

    fn begun(beginning: Beginning, rate: Option<f64>, accept: f64) -> Rounds {
        let rounds = Rounds::none();
        let tiny = |settings| Settings {
            games: 24,
            nodes: 60,
            hash: 1,
            epochs: 2,
            batch: 64,
            gate_games: 6,
            gate_nodes: 60,
            rate,
            accept,
            ..settings
        };
        Folder::open(&rounds.inside(""), Some(beginning), tiny).unwrap();
        rounds
    }

    fn from_network(rate: Option<f64>, accept: f64) -> Rounds {
        Rounds::begun(Beginning::Network(test_network()), rate, accept)
    }

    fn inside(&self, name: &str) -> PathBuf {
        self.0.path().join("rounds").join(name)
    }

    fn out(&self) -> String {
        self.inside("").to_str().unwrap().trim_end_matches('/').to_owned()
    }

    fn run(&self, options: &[&str]) -> Ended {
        run(&[&["selfplay-train", "--out", &self.out()], options].concat())
    }

    fn run_badly(&self, options: &[&str], status: i32) -> String {
        run_badly(&[&["selfplay-train", "--out", &self.out()], options].concat(), status).errors
    }

    /// Makes rounds until there are so many, without a process of its own, and returns their lines.
    fn make(&self, rounds: u64) -> String {
        self.try_to_make(rounds).unwrap()
    }

    fn try_to_make(&self, rounds: u64) -> Result<String, CommandError> {
        let (mut folder, mut out) = (Folder::open(&self.inside(""), None, |settings| settings)?, Vec::new());
        let threads = NonZeroUsize::new(2).unwrap();
        selfplay::run(&mut folder, Some(rounds), threads, &CancelFlag::default(), &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.inside(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.inside(folder)).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn network(&self, name: &str) -> Network {
        Network::from_bytes(&self.bytes(name)).unwrap()
    }

    /// Returns the rows of the log by the names of their columns, without the times.
    fn log(&self) -> Vec<BTreeMap<String, String>> {
        let text = fs::read_to_string(self.inside("log.tsv")).unwrap();
        let mut rows = text.lines().map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>());
        let names = rows.next().expect("a head");
        let rows = rows.map(|row| names.iter().cloned().zip(row).filter(|(name, _)| name != "hours").collect());
        rows.collect()
    }
}

fn checksum(network: &Network) -> String {
    format!("{:08x}", network.checksum())
}

#[test]
fn a_round_is_what_the_single_commands_make() {
    // With a rate that changes weights in so few steps, also when the mean halves the changes.
    let rounds = Rounds::from_network(Some(0.004), 0.3);
    let ended = rounds.run(&["--rounds", "1", "--threads", "2"]);
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    for stage in ["round 1, games: 24 games", "round 1, training: ", "round 1, match: 6 games against network "] {
        ended.tells(stage);
    }
    let log = rounds.log();
    let network_file = test_network_file();
    let (row, start) = (&log[0], network_file.path().to_str().unwrap());
    assert_eq!((log.len(), row["games"].as_str()), (1, "24"));

    let games = TemporaryFile::named("rounds-games.txt");
    let options = ["--games", "24", "--nodes", "60", "--hash", "1", "--seed", "1000001", "--evalfile", start];
    run_noted(&[&["datagen", "--out", games.path()], &options[..]].concat());
    let ordered = TemporaryFile::named("rounds-ordered.txt");
    run_noted(&["datagen", "merge", games.path(), "--out", ordered.path()]);
    assert_eq!(rounds.bytes("round-1/games.txt"), fs::read(ordered.path()).unwrap());

    let trained = tempfile::tempdir().unwrap();
    // The share is the default of rounds that begin with a network.
    let share = ["--start-share", "0.5"];
    let options = [&["--start", start, "--epochs", "2", "--batch", "64", "--rate", "0.004"][..], &share].concat();
    let out = ["--out", trained.path().to_str().unwrap(), "--seed", "1000001", "--threads", "2"];
    run_noted(&[&["train", ordered.path()], &options[..], &out].concat());
    let network = rounds.network("round-1/trained/network.bin");
    let expected = Network::from_bytes(&fs::read(trained.path().join("network.bin")).unwrap()).unwrap();
    assert!(network.raw_weights() == expected.raw_weights());
    assert!(network.raw_weights() != test_network().raw_weights(), "training changes the weights");
    assert_eq!(row["network"], checksum(&network));

    let path = rounds.inside("round-1/trained/network.bin");
    let engine = |file: &str| format!("cmd={},option.hashsize=16,option.evalfile={file}", env!("CARGO_BIN_EXE_chuhe"));
    let (new, old) = (engine(path.to_str().unwrap()), engine(start));
    let options = ["--nodes", "60", "--games", "6", "--seed", "1000001", "--max-plies", "400"];
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
    // A network that plays like its opponent takes one point of each pair.
    let rounds = Rounds::from_network(UNCHANGED, 0.49);
    let text = rounds.make(2);
    let log = rounds.log();
    for (row, round) in log.iter().zip(1..) {
        assert_eq!((row["score"].as_str(), row["elo"].as_str(), row["accepted"].as_str()), ("0.5000", "0.0", "yes"));
        let network = rounds.network(&format!("round-{round}/trained/network.bin"));
        assert!(network.raw_weights() == test_network().raw_weights());
        assert_eq!(row["network"], checksum(&network));
    }
    assert_eq!(rounds.bytes("best.network"), rounds.bytes("round-2/trained/network.bin"));
    assert!(text.starts_with("round 1: 24 games, trained on "), "{text}");
    assert!(text.ends_with(", 50.0 %, Elo +0 ± ?: accepted\n"), "{text}");
    let settings = |round: u32| {
        let games = fs::read_to_string(rounds.inside(&format!("round-{round}/games.txt"))).unwrap();
        games.lines().next().unwrap().to_owned()
    };
    assert!(settings(1).contains(&format!("\"evalfile\":\"{}\"", checksum(&test_network()))), "{}", settings(1));
    assert!(settings(2).contains(&format!("\"evalfile\":\"{}\"", log[0]["network"])), "{}", settings(2));
    assert!(rounds.network("best.network").note().contains(&format!("begun with network {}", log[0]["network"])));
    assert!(log[1]["trained_on"].parse::<u64>().unwrap() > log[0]["trained_on"].parse().unwrap(), "both rounds");

    // Without the half point that it needs more, the first network stays.
    let rounds = Rounds::from_network(UNCHANGED, 0.5);
    assert!(rounds.make(1).ends_with(": not accepted\n"));
    assert_eq!(rounds.bytes("best.network"), test_network().to_bytes());
}

#[test]
fn interrupted_rounds_reach_the_same_networks() {
    let new = || Rounds::from_network(Some(0.001), 0.2);
    let whole = new();
    whole.make(2);
    // What a run leaves that is killed during the games, and before or during the match.
    let (games, checkpoint) = ("round-1/games.txt", "round-1/trained/checkpoint");
    for left in [&[(games, 2_000)][..], &[(games, usize::MAX), (checkpoint, usize::MAX)]] {
        let parts = new();
        for (file, size) in left {
            let bytes = whole.bytes(file);
            fs::create_dir_all(parts.inside(file).parent().unwrap()).unwrap();
            fs::write(parts.inside(file), &bytes[..bytes.len().min(*size)]).unwrap();
        }
        parts.make(1);
        assert_eq!(parts.log(), whole.log()[..1], "{left:?}");
        assert!(parts.bytes(games) == whole.bytes(games));
    }

    let parts = new();
    #[cfg(unix)]
    {
        let out = parts.out();
        let arguments = ["selfplay-train", "--out", &out, "--rounds", "2", "--threads", "2"];
        let mut program = Program::with(&arguments);
        program.close_input();
        program.wait_for("round 1:");
        program.signal("INT");
        let ended = program.expect_exit();
        // The second round may have ended before.
        assert!(matches!(ended.status, Some(130 | 0)), "{}", ended.errors);
    }
    parts.make(2);
    assert_eq!(parts.log(), whole.log());
    // The lock, the state, the log, two networks and two rounds.
    assert_eq!(fs::read_dir(parts.inside("")).unwrap().count(), 7, "nothing else is left behind");
    for folder in ["round-1", "round-1/trained", "round-2", "round-2/trained"] {
        assert_eq!(parts.names(folder), whole.names(folder), "{folder}");
    }

    // What a crash between two writes leaves behind is written again.
    let (best, log) = (parts.bytes("best.network"), parts.bytes("log.tsv"));
    fs::write(parts.inside("best.network"), test_network().to_bytes()).unwrap();
    fs::remove_file(parts.inside("log.tsv")).unwrap();
    parts.make(2);
    assert!(parts.bytes("best.network") == best && parts.bytes("log.tsv") == log);
}

#[cfg(target_os = "linux")]
#[test]
fn rounds_from_nothing_survive_a_full_disk() {
    use crate::harness::run_with_file_limit;
    let rounds = Rounds::begun(Beginning::Nothing, None, 1.0);
    let out = rounds.out();
    let options = ["--from-nothing", "--rounds", "1", "--threads", "1"];
    let arguments = [&["selfplay-train", "--out", &out], &options[..]].concat();
    let ended = run_with_file_limit(20, &arguments);
    assert_eq!(ended.status, Some(1), "{}", ended.errors);
    assert!(ended.errors.contains("round-1/games.txt: ") && ended.errors.contains("are safe"), "{}", ended.errors);
    let text = fs::read_to_string(rounds.inside("round-1/games.txt")).unwrap();
    assert!(text.lines().next().unwrap().contains("\"knowledge\":\"medium\""), "{text}");
    assert!((2..25).contains(&text.lines().count()), "{text}");
    let ended = rounds.run(&options);
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    ended.tells("match: 6 games against the hand-made evaluation");
    assert!(ended.last_line().starts_with("no network is stronger than the hand-made "), "{}", ended.text());
    assert!(!rounds.inside("best.network").exists() && !rounds.inside("start.network").exists());
    assert!(!rounds.network("round-1/trained/network.bin").note().contains("begun with"));
}

#[test]
fn a_run_may_only_create_the_folder_and_ends_with_its_time() {
    let (rounds, start) = (Rounds::none(), test_network_file());
    let options = ["--start", start.path().to_str().unwrap(), "--games", "24", "--rounds", "0"];
    assert_eq!(rounds.run(&options).status, Some(0));
    assert_eq!(rounds.names(""), ["best.network", "lock", "log.tsv", "start.network", "state.jsonl"]);
    let ended = rounds.run(&["--rounds", "9", "--hours", "1e-9"]);
    assert_eq!(ended.status, Some(0), "{}", ended.errors);
    ended.tells("the time is over; the same command continues");
    assert!(ended.text().contains(&format!("setoption evalfile {}", rounds.inside("best.network").display())));
    assert!(ended.text().contains("best.network (the first one)") && ended.text().contains("chuhe match --engine "));
    let _folder = Folder::open(&rounds.inside(""), None, |settings| settings).unwrap();
    assert!(rounds.run_badly(&[], 2).contains(": another program is working there"));
}

#[test]
fn contradicting_options_and_damaged_files_are_refused() {
    let rounds = Rounds::from_network(UNCHANGED, 0.49);
    rounds.make(1);
    let folder = rounds.out();
    let letter = TemporaryFile::with("rounds-letter", "Dear Sir,\n");
    let start = checksum(&test_network());
    for (options, status, words) in [
        (&["--nodes", "61"][..], 2, format!("{folder}: --nodes is 60 there and 61 now; leave the option out")),
        (&["--from-nothing"], 2, format!("{folder}: --start is {start} there and nothing now; leave the option out")),
        (&["--start", letter.path()], 1, "rounds-letter: not a network file".to_owned()),
    ] {
        let errors = rounds.run_badly(options, status);
        assert!(errors.contains(&words), "{options:?}: {errors}");
    }
    refused(&["selfplay-train", "--out", letter.path()], 1, "rounds-letter: ");
    // A folder of another command, such as `train`, is left as it is.
    let foreign = Rounds::none();
    fs::create_dir_all(foreign.inside("")).unwrap();
    fs::write(foreign.inside("log.tsv"), "epoch\n").unwrap();
    let errors = foreign.run_badly(&[], 1);
    assert!(errors.contains("log.tsv: not a file of 'selfplay-train'"), "{errors}");
    assert_eq!((foreign.bytes("log.tsv"), foreign.inside("state.jsonl").exists()), (b"epoch\n".to_vec(), false));

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
    let trained = "round-1/trained/network.bin";
    let (letter, games, first_games) =
        (b"Dear Sir,\n".to_vec(), "round-2/games.txt", rounds.bytes("round-1/games.txt"));
    // The last ones are found when the round has come so far.
    for (file, content, words) in [
        ("state.jsonl", flipped("state.jsonl"), ": damaged; restore it"),
        ("state.jsonl", letter.clone(), ": not the state of 'selfplay-train'"),
        ("best.network", letter.clone(), ": not a network file"),
        ("best.network", other.clone(), ", which comes from elsewhere; move it away"),
        (trained, other, ", which was written there; restore it from a copy"),
        ("round-1/games.txt", flipped("round-1/games.txt"), ": it is damaged or was changed"),
        (games, letter.clone(), ": not a file of self-play games"),
        (games, first_games, "; remove it to play the games of this round again"),
        ("round-2/trained/checkpoint", letter, ": not a training checkpoint"),
    ] {
        let before = fs::read(rounds.inside(file)).ok();
        fs::create_dir_all(rounds.inside(file).parent().unwrap()).unwrap();
        fs::write(rounds.inside(file), &content).unwrap();
        let error = rounds.try_to_make(2).unwrap_err().to_string();
        let named = rounds.inside(file).display().to_string();
        assert!(error.starts_with(&named) && error.contains(words), "{file}: {error}");
        assert!(rounds.bytes(file) == content, "{file} is left alone");
        match before {
            Some(before) => fs::write(rounds.inside(file), before).unwrap(),
            None => fs::remove_file(rounds.inside(file)).unwrap(),
        }
    }
    // Everything is as it was, and the second round can be completed.
    assert!(rounds.make(2).starts_with("round 2: 24 games, "));
}
