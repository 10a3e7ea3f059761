//! Tests the commands of the command line and their exit status.

use std::fs;
use std::path::Path;

use chuhe::cli::Arguments;
use chuhe::engine::bench;
use chuhe::eval::network::Network;
use chuhe::eval::{EvalConfig, Evaluator, handcrafted};
use chuhe::position::{Position, START_FEN, Strictness};
use clap::Parser as _;

use crate::common::NOT_FOUND;
use crate::common::data::perft_lines;
use crate::harness::{Program, Start, TemporaryFile, refused, run, run_badly, run_noted, run_well};
use crate::lines::{is_of_the_protocol, messages, position};

const THREE_ROOKS: &str = "rrr1k4/9/9/9/9/9/9/9/9/3K5 w - - 0 1";

fn known_counts(depth: usize) -> impl Iterator<Item = (&'static str, Vec<u64>)> {
    perft_lines().into_iter().map(move |line| (line.fen, line.counts.into_iter().take(depth).collect()))
}

fn short_perft_file(positions: usize) -> String {
    let mut text = "# a remark\n\n".to_owned();
    for (fen, counts) in known_counts(2).take(positions) {
        let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
        text.push_str(&format!("{fen}\t{}\n", counts.join(" ")));
    }
    text
}

// perft

#[test]
fn perft_compares_with_a_file_and_prints_what_disagrees() {
    let file = TemporaryFile::with("right.tsv", &short_perft_file(12));
    assert_eq!(run_well(&["perft", "--file", file.path()]).lines, ["12 positions, 12 agree"]);
    let file = TemporaryFile::with("wrong.tsv", &short_perft_file(5).replace("\t44 1920\n", "\t44 1921\n"));
    let ended = run_badly(&["perft", "--file", file.path()], 1);
    assert_eq!((ended.lines.len(), ended.last_line()), (2, "5 positions, 4 agree"));
    for part in ["line 3", START_FEN, "1920", "1921", "depth 2"] {
        assert!(ended.lines[0].contains(part), "'{part}' in {}", ended.lines[0]);
    }
}

#[test]
fn perft_names_file_and_line_of_what_it_cannot_read() {
    let bad_lines = [
        (format!("{START_FEN} 44 1920"), "tab"),
        (format!("{START_FEN}\t44 many"), "many"),
        (format!("{START_FEN}\t-44"), "-44"),
        ("3ak4/9/9/9/9x/9/9/9/4A4/4K4 b\t1".to_owned(), "rank 5"),
        (format!("{THREE_ROOKS}\t1"), "rooks"),
        (format!("{START_FEN}\t"), "no counts"),
    ];
    let lines: String = bad_lines.iter().map(|(line, _)| format!("{line}\n")).collect();
    let file = TemporaryFile::with("malformed.tsv", &(short_perft_file(2) + &lines));
    let ended = run_badly(&["perft", "--file", file.path()], 1);
    for (number, (told, (_, part))) in (5..).zip(ended.lines.iter().zip(&bad_lines)) {
        let start = format!("{}, line {number}: ", file.path());
        assert!(told.starts_with(&start) && told.contains(part), "'{part}' in {told}");
    }
    assert_eq!(ended.last_line(), "8 positions, 2 agree", "the other lines are checked too");
    let empty = TemporaryFile::with("without-counts.tsv", "# nothing\n");
    assert_eq!(run_badly(&["perft", "--file", empty.path()], 1).last_line(), "0 positions, 0 agree");
    let utf16 = format!("\u{feff}{START_FEN}\t44\n").encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>();
    let file = TemporaryFile::with("utf16.tsv", &utf16);
    assert_eq!(run(&["perft", "--file", file.path()]).last_line(), "1 positions, 1 agree");
    let missing = TemporaryFile::named("missing.tsv");
    refused(&["perft", "--file", missing.path()], 1, missing.name());
    let endless = TemporaryFile::with("endless.tsv", &"9".repeat((8 << 20) + 1));
    refused(&["perft", "--file", endless.path()], 1, "line 1: more than 8388608 bytes in a line");
}

#[test]
fn a_position_of_a_session_is_read_as_an_argument() {
    let with_fen = format!("position fen {START_FEN} moves h2e2");
    let shown = run_well(&["show", START_FEN, "h2e2"]).lines;
    // The board and the position, before the lines with times.
    let analyzed = |arguments: &[&str]| {
        let lines = run_well(&[&["analyze"], arguments, &["--depth", "1"]].concat()).lines;
        lines.into_iter().take_while(|line| !line.starts_with(" depth")).collect::<Vec<_>>()
    };
    for words in [&with_fen, "position startpos moves h2e2"] {
        assert_eq!(run_well(&["show", words]).lines, shown);
        assert_eq!(analyzed(&[words]), analyzed(&[START_FEN, "h2e2"]));
    }
    let separate: Vec<&str> = ["show"].into_iter().chain(with_fen.split(' ')).collect();
    assert_eq!(run_well(&separate).lines, shown);
    let words = format!("position fen {START_FEN}");
    assert_eq!(run_well(&["eval", &words]).lines, run_well(&["eval", START_FEN]).lines);
}

// eval

#[test]
fn a_network_that_cannot_be_used_is_named_with_the_reason() {
    let (letter, games) = (TemporaryFile::with("eval-letter", "Dear Sir,\n"), TemporaryFile::named("eval-games.bin"));
    for (path, words) in [("/nowhere/at/all", NOT_FOUND), (letter.path(), "not a network file")] {
        let datagen = ["datagen", "--out", games.path(), "--games", "1", "--evalfile", path];
        for arguments in [&["eval", "--evalfile", path][..], &datagen] {
            let ended = run_badly(arguments, 1);
            assert!(ended.errors.contains(path) && ended.errors.contains(words), "{}", ended.errors);
            assert_eq!(ended.errors.lines().count(), 1, "{}", ended.errors);
        }
    }
    assert!(!std::path::Path::new(games.path()).exists());
}

#[test]
fn eval_tells_the_value_of_the_static_evaluation() {
    for fen in [bench::POSITIONS[6], "3ak4/9/9/9/9/9/9/9/4A4/4K3R b"] {
        let position = position(fen);
        let (value, side) = (handcrafted::evaluate(&position), position.side());
        let ended = run_well(&["eval", fen]);
        let by_hand = format!("hand-made value for {side} to move: {value:+}");
        assert!(ended.lines.contains(&by_hand), "{}", ended.text());
        let value = Evaluator::value_of(&position, &Network::embedded(), EvalConfig::default());
        let by_network = format!("network's value for {side} to move: {value:+} (");
        assert!(ended.last_line().starts_with(&by_network), "{}", ended.text());
        // The two sums make the value of a quiet evaluation.
        assert!(ended.lines.iter().any(|line| line.starts_with("sum ")), "{}", ended.text());
    }
    assert_eq!(run_well(&["eval"]).lines, run_well(&["eval", START_FEN]).lines);
}

// show

#[test]
fn show_completes_what_a_fen_leaves_out() {
    let ended = run_noted(&["show", "3ak4/9/9/9/9/9/9/9/4A4/4K3R"]);
    ended.tells("side");
    assert!(ended.text().contains("3ak4/9/9/9/9/9/9/9/4A4/4K3R w - - 0 1"), "{}", ended.text());
}

// Every command

#[test]
fn a_fen_that_is_none_ends_with_status_three_and_its_place() {
    for (arguments, part) in [
        (&["show", "3ak4/9/9/9/9x/9/9/9/4A4/4K4 b"][..], "rank 5"),
        (&["eval", "3ak4/9/9/9/8/9/9/9/4A4/4K4 b"], "rank 5"),
        (&["judge", ""], "empty"),
        (&["analyze", "3k5/9/9/9/9/9/9/9/9 w"], "9 ranks"),
        (&["analyze", "3k5/9/9/9/9/9/9/9/9/9/4K4 w"], "11 ranks"),
        (&["analyze", &START_FEN.replace("RNBAKABNR", "RNBAKABNX")], "'X' is not a piece letter"),
        (&["perft", "2", "--fen", THREE_ROOKS], "rooks"),
    ] {
        assert!(refused(arguments, 3, part).lines.is_empty(), "{arguments:?}");
    }
    refused(&["analyze", "a/b/c/d/e/f/g"], 1, "No such file");
}

#[test]
fn lax_accepts_extra_pieces_everywhere() {
    let lax = Position::parse_fen(THREE_ROOKS, Strictness::Lax).unwrap().position;
    assert!(run_well(&["show", "--lax", THREE_ROOKS]).text().contains(THREE_ROOKS));
    assert!(run_well(&["eval", THREE_ROOKS, "--lax"]).last_line().contains("Red to move"));
    let file = TemporaryFile::with("lax.tsv", &format!("{THREE_ROOKS}\t{}\n", lax.legal_moves().len()));
    assert_eq!(run_well(&["--lax", "perft", "--file", file.path()]).lines, ["1 positions, 1 agree"]);

    let mut program = Program::with(&["--lax"]);
    assert!(program.ask(&format!("position fen {THREE_ROOKS}")).is_empty());
    program.leave();
    let mut program = Start::default().now();
    assert_eq!(messages(&program.ask(&format!("position fen {THREE_ROOKS}"))).len(), 1);
    program.leave();
}

#[test]
fn wrong_usage_ends_with_status_two_and_names_the_fault() {
    for (arguments, part) in [
        ("nosuch", "nosuch"),
        ("--log", "--log"),
        ("perft 21", "0..=20"),
        ("perft 3 --file positions.tsv", "--file"),
        ("bench 0", "1..=60"),
        ("completions cmd", "bash, elvish, fish, powershell, zsh"),
        ("show --style fancy", "glyphs, ascii"),
        ("show --json --style ascii", "--style"),
        ("judge startpos --rules cxa", "cxa"),
        ("judge startpos --natural-limit 0", "1..=1000"),
        ("judge --json --file cases.tsv", "--json"),
        ("judge --moves a startpos", "--moves"),
        ("judge --game 1 startpos", "--game"),
        ("notation startpos --.6", ""),
        ("convert --notation morse a b", "morse"),
        ("count KXvK", "letter 2, 'X'"),
        ("count KvKvK", "letter 4, 'v', is not a piece letter (KRNCPAB, H, E)"),
        ("count KRRRvK", "Red has more than 2 rooks"),
        ("count KR", "'KR'"),
        ("count RvK", "Red has no king"),
        ("count --table 7", "0..=6"),
        ("tablebase build KXvK", "'X', is not a piece letter"),
        ("analyze a --profile Anna --explain", "--explain"),
        ("book prefer a 7% startpos h2e2", "a percentage"),
        ("book prefer a startpos h2e2", "preference is"),
        ("book prefer a always startpos", "MOVES"),
        ("match --engine nme=x", "'nme=x' should begin with one of name="),
        ("match --sprt elo0=5,elo1=5", "elo0 must be less than elo1"),
        ("match --sprt elo1=1001", "elo0 and elo1 must be within ±1000"),
        ("match --sprt elo0", "'elo0' lacks '='"),
        ("match --sprt elo0=x", "'x' is not a number"),
        ("match --sprt alpha=0.6", "alpha and beta must be at least 0.000001 and less than 0.5"),
        ("match --sprt beta=0.0000001", "alpha and beta must be at least 0.000001 and less than 0.5"),
        ("match --sprt gamma=1", "'gamma' is none of elo0, elo1, alpha, beta"),
        ("match --sprt elo1=5,elo1=50", "elo1=50: elo1 was given before"),
        ("datagen --seed 3 merge a --out b", "--seed"),
        ("datagen --relabel a --out b --seed 3", "--seed"),
        ("datagen --out a --shard 3/2", "'3/2' is not a shard"),
        ("train a --out b --epochs 0", "--epochs"),
        ("train a --out b --lambda 2", "--lambda"),
        ("tune a --out b --method luck", "possible values: adam, hill"),
        ("selfplay-train --out a --hours 0", "--hours"),
    ] {
        let error = Arguments::try_parse_from(["chuhe"].into_iter().chain(arguments.split(' '))).unwrap_err();
        assert!(error.exit_code() == 2 && error.to_string().contains(part), "{arguments}: {error}");
    }
    assert!(run_badly(&["nosuch"], 2).lines.is_empty());
}

#[test]
fn help_and_version_are_printed() {
    assert_eq!(run_well(&["--version"]).lines, [concat!("chuhe ", env!("CARGO_PKG_VERSION"))]);
    for arguments in [&["perft", "--help"][..], &["help", "perft"]] {
        assert!(run_well(arguments).text().contains("Usage: chuhe perft"));
    }
}

// The log

/// Plays a short session and returns what it wrote to standard error. Its output must be nothing but protocol.
fn errors_of_a_session(start: Start) -> String {
    let mut program = start.now();
    program.send(b"ucci\nposition startpos\nsetoption nosuch 1\ngo depth 3\n");
    let mut lines = program.wait_for("bestmove");
    program.send(b"nonsense\nquit\n");
    let ended = program.expect_exit();
    lines.extend(ended.lines);
    assert_eq!(ended.status, Some(0));
    assert!(lines.iter().all(|line| is_of_the_protocol(line)), "{lines:#?}");
    assert_eq!(lines.last().map(String::as_str), Some("bye"));
    ended.errors
}

#[test]
fn the_log_goes_to_standard_error_or_a_file_and_never_among_the_answers() {
    let is_whole = |log: &str| log.contains("go depth 3") && log.contains("ucciok");
    for filter in ["debug", "trace"] {
        assert!(is_whole(&errors_of_a_session(Start { log_filter: Some(filter), ..Start::default() })));
    }
    assert_eq!(errors_of_a_session(Start::default()), "");
    let file = TemporaryFile::named("session.log");
    let start = Start { arguments: &["--log", file.path()], ..Start::default() };
    let mut length = 0;
    for _ in 0..2 {
        assert_eq!(errors_of_a_session(start), "");
        let text = fs::read_to_string(file.path()).expect("the log was written");
        assert!(is_whole(&text[length..]), "{text}");
        length = text.len();
    }
    // What is logged is chosen as ever.
    errors_of_a_session(Start { log_filter: Some("error"), ..start });
    assert_eq!(fs::read_to_string(file.path()).unwrap().len(), length);
    let missing = TemporaryFile::named("no-such-folder");
    let path = Path::new(missing.path()).join("log");
    let ended = run_badly(&["--log", path.to_str().unwrap(), "show"], 1);
    assert!(ended.errors.contains(missing.name()) && ended.lines.is_empty(), "{}", ended.errors);
}
