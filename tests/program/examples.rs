//! Tests the examples of all helps and pages: each is parsed as the program does, and those that end soon are run.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use chuhe::cli::Arguments;
use chuhe::position::START_FEN;
use clap::{CommandFactory as _, Parser as _};

use crate::common::data::GAMES;
use crate::common::network::test_network_file;

/// Parts of the examples that are parsed only, by reason. `$` is the end of a line.
const PARSED_ONLY: [(&str, &[&str]); 6] = [
    ("ends only when it is stopped", &["chuhe web"]),
    ("builds the program, or is that of another build", &["cargo ", "target/release/"]),
    ("needs another program, or the variables of a cluster", &["parallel ", "exec ", "book import"]),
    ("needs parts or tables that take longer", &["chuhe datagen merge", "vKAABB --dir"]),
    ("shows an error", &["judge --moves moves.txt"]),
    (
        "takes longer, at least in a test build",
        &[
            "chuhe match",
            "chuhe datagen --games",
            "chuhe datagen --relabel",
            "chuhe datagen --out",
            "chuhe train",
            "chuhe selfplay-train",
            "chuhe tune",
            "chuhe openings",
            "bench 1",
            "chuhe bench$",
            "chuhe analyze$",
            "--sample 1000000",
            "--movetime 10000",
            "--movetime 20000",
            "--verify",
            "tablebase build KR",
            "tablebase verify",
        ],
    ),
];

/// Command line of a help or page.
struct Example {
    source: String,
    line: String,
}

impl Example {
    /// Returns the words after the name of the program, for each time that the line runs it.
    fn arguments(&self) -> Vec<Vec<String>> {
        let arguments = |words: Vec<String>| {
            let rest = words[program_in(&words)? + 1..].iter().map(|word| with_values(word));
            // The words after it are those that 'parallel' inserts.
            Some(rest.take_while(|word| word != ":::").collect())
        };
        commands(&self.line).into_iter().filter_map(arguments).collect()
    }
}

/// Returns the index of the program among the words of a command. Variables and an emulator may come before it.
fn program_in(words: &[String]) -> Option<usize> {
    let is_program = |word: &String| word == "chuhe" || word.ends_with("/chuhe") && !word.contains(['=', ' ']);
    let is_cargo = words.first().is_some_and(|word| word == "cargo") && words.get(1).is_some_and(|word| word == "run");
    if is_cargo { words.iter().position(|word| word == "--") } else { words.iter().position(is_program) }
}

/// Replaces the variables of a shell, and the place for a word of 'parallel', by numbers.
fn with_values(word: &str) -> String {
    let mut text = String::new();
    let mut rest = word;
    while let Some(at) = rest.find(['$', '{']) {
        text.push_str(&rest[..at]);
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || "_{}".contains(letter);
        rest = rest[at + 1..].trim_start_matches(is_name);
        text.push('1');
    }
    text + rest
}

/// Splits a line of a shell into commands of words, without comments and redirections.
fn commands(line: &str) -> Vec<Vec<String>> {
    let words = shlex::split(line).unwrap_or_else(|| panic!("a quotation has no end: {line}"));
    let mut commands = vec![Vec::new()];
    let mut is_file = false;
    for word in words {
        let bare = word.trim_end_matches(';');
        match bare {
            "<" | ">" => is_file = true,
            _ if is_file => is_file = false,
            "" if !word.is_empty() => {}
            "|" | "&" | "&&" => commands.push(Vec::new()),
            _ => commands.last_mut().into_iter().for_each(|command: &mut Vec<String>| command.push(bare.to_owned())),
        }
        if bare.len() < word.len() {
            commands.push(Vec::new());
        }
    }
    commands
}

/// Returns the line of an example in a help: remarks come after several spaces outside quotation marks.
fn without_remark(line: &str) -> &str {
    let is_outside = |at: usize| line[..at].matches('\'').count().is_multiple_of(2);
    let end = line.match_indices("  ").map(|(at, _)| at).find(|&at| is_outside(at));
    &line[..end.unwrap_or(line.len())]
}

/// Joins lines that end with a backslash to the next one.
fn joined(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut continues = false;
    for line in text.lines() {
        let (part, is_open) = line.strip_suffix('\\').map_or((line, false), |part| (part, true));
        match lines.last_mut().filter(|_| continues) {
            Some(last) => last.push_str(part.trim_start()),
            None => lines.push(part.to_owned()),
        }
        continues = is_open;
    }
    lines
}

/// Returns the examples of the help of a command and of its subcommands.
fn examples_of_help(command: &clap::Command, found: &mut Vec<Example>) {
    let text = command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string).unwrap_or_default();
    for line in joined(&text).iter().filter_map(|line| line.strip_prefix("  ")) {
        let line = without_remark(line).to_owned();
        let source = format!("{} --help", command.get_name());
        found.push(Example { source, line });
    }
    command.get_subcommands().for_each(|command| examples_of_help(command, found));
}

/// Returns the lines of the code blocks of a page that are commands.
fn examples_of_page(path: &Path, found: &mut Vec<Example>) {
    let text = fs::read_to_string(path).unwrap();
    let mut block = None;
    for line in joined(&text) {
        if let Some(kind) = line.trim_start().strip_prefix("```") {
            block = if block.is_some() { None } else { Some(kind.to_owned()) };
            continue;
        }
        let command = match block.as_deref() {
            Some("console") => line.strip_prefix("$ "),
            Some(_) => Some(line.trim()),
            None => None,
        };
        let source = path.display().to_string();
        found.extend(command.map(|line| Example { source, line: line.to_owned() }));
    }
}

fn examples() -> Vec<Example> {
    let mut found = Vec::new();
    examples_of_help(&Arguments::command(), &mut found);
    for folder in ["", "docs", "books", "networks"] {
        let entries = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).into_iter().flatten();
        let mut pages: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
        pages.sort();
        let pages = pages.iter().filter(|path| !path.ends_with("CHANGELOG.md"));
        pages.for_each(|path| examples_of_page(path, &mut found));
    }
    found.retain(|example| !example.arguments().is_empty());
    found
}

#[test]
fn lines_are_split_as_a_shell_splits_them() {
    let split = |line: &str| commands(line).iter().map(|words| words.join("|")).collect::<Vec<_>>();
    assert_eq!(split("RUST_LOG=x a < in | b > out; c '#' ''"), ["RUST_LOG=x|a", "b", "c|#|"]);
    assert_eq!(without_remark("a 'b  c' d   remark"), "a 'b  c' d");
    assert_eq!(joined("a \\\n   b\nc"), ["a b", "c"]);
}

#[test]
fn every_example_is_understood() {
    let examples = examples();
    assert!(examples.len() > 150, "{}", examples.len());
    let mut faults = Vec::new();
    for example in &examples {
        for arguments in example.arguments() {
            let words = ["chuhe".to_owned()].into_iter().chain(arguments);
            if let Err(error) = Arguments::try_parse_from(words).map(drop)
                && error.use_stderr()
            {
                faults.push(format!("{}: {}\n{error}", example.source, example.line));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Writes the files that the examples read.
fn supply_files(folder: &Path, run: impl Fn(&str)) {
    let tags = "[Red \"Hu Ronghua\"]\n[Black \"许银川\"]\n[Result \"1/2-1/2\"]\n\n";
    let game = format!("{tags}1. 炮二平五 1/2-1/2\n\n");
    let games = ["马8进7", "马2进3"].map(|reply| format!("{tags}1. 炮二平五 {reply} 1/2-1/2\n\n").repeat(3)).concat();
    fs::create_dir(folder.join("games")).unwrap();
    let mate = "3k5/9/9/9/9/9/9/9/9/4K3R w";
    for (name, text) in [
        ("game.pgn", game.clone()),
        ("games/one.pgn", game),
        ("games.pgn", games.clone()),
        ("more.pgn", games.clone()),
        ("master.pgn", games),
        ("game.txt", "炮二平五 马8进7\n".to_owned()),
        ("games.tsv", GAMES.to_owned()),
        ("more.tsv", GAMES.to_owned()),
        ("masters.tsv", GAMES.to_owned()),
        ("cases.tsv", format!("start\t{START_FEN}\t\tnone\n")),
        ("positions.tsv", format!("{START_FEN}\t44 1920\n")),
        ("positions.txt", format!("{mate}\n")),
        ("mates.epd", format!("{mate} dm 1;\n")),
        ("tests.epd", format!("{mate} bm i0i9;\n")),
        ("openings.txt", "h2e2 h9g7\n".to_owned()),
        ("suite.txt", "h2e2 h9g7\n".to_owned()),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
    fs::copy(test_network_file().path(), folder.join("my.network")).unwrap();
    for command in [
        "mkdir -p .local/share/bash-completion/completions .config/fish/completions .zfunc",
        "chuhe datagen --games 2 --nodes 20 --hash 1 --most-plies 20 --out games.txt",
        "chuhe datagen --games 2 --nodes 20 --hash 1 --most-plies 20 --out second.txt",
        "chuhe convert game.pgn game.xqf",
        "chuhe convert game.pgn more.xqf",
        "chuhe book build games.pgn --out own.book",
        "chuhe book build more.tsv --out other.book --min-games 1",
        "chuhe book export own.book > own.txt",
        "chuhe tablebase build KPvK KRvKAABB --dir tables",
    ] {
        run(command);
    }
}

#[cfg(unix)]
#[test]
fn every_short_example_runs() {
    let folder = tempfile::tempdir().unwrap();
    let binaries = Path::new(env!("CARGO_BIN_EXE_chuhe")).parent().unwrap();
    let path = format!("{}:{}", binaries.display(), std::env::var("PATH").unwrap());
    let run = |line: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).current_dir(folder.path()).env("PATH", &path).env("HOME", folder.path());
        let ended = shell.env_remove("RUST_LOG").stdin(Stdio::null()).output().unwrap();
        (ended.status.success(), String::from_utf8_lossy(&ended.stderr).into_owned())
    };
    supply_files(folder.path(), |line| assert!(run(line).0, "{line}: {}", run(line).1));
    let parts: Vec<&str> = PARSED_ONLY.iter().flat_map(|(_, parts)| *parts).copied().collect();
    let (mut faults, mut known, mut parsed_only) = (Vec::new(), Vec::new(), Vec::new());
    for example in examples() {
        let line = format!("{}$", example.line.trim_end());
        if let Some(part) = parts.iter().find(|part| line.contains(**part)) {
            parsed_only.push(*part);
            continue;
        }
        let arguments = example.arguments();
        if !known.contains(&arguments) {
            known.push(arguments);
            let (is_good, errors) = run(&example.line);
            if !is_good || errors.contains("panicked") {
                faults.push(format!("{}: {}\n{errors}", example.source, example.line));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let unused: Vec<_> = parts.iter().filter(|part| !parsed_only.contains(part)).collect();
    assert!(unused.is_empty() && known.len() > 60, "{}, no example is {unused:?}", known.len());
}
