//! Completions, manual pages, the self-test, the packaging script, and the examples of all helps and pages, which are
//! command lines that the program accepts; those that need no files run.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use chuhe::cli::Arguments;
use clap::{CommandFactory as _, Parser as _};

#[cfg(target_os = "linux")]
use crate::harness::run_script;
use crate::harness::{TemporaryFile, refused, run_well};

const SHELLS: [&str; 5] = ["bash", "zsh", "fish", "powershell", "elvish"];

fn listed_commands() -> Vec<(String, String)> {
    let main = Arguments::command();
    let describe = |command: &clap::Command| (command.get_name().to_owned(), command.get_about().unwrap().to_string());
    main.get_subcommands().map(describe).collect()
}

// completions

#[test]
fn every_shell_completes_every_command() {
    for shell in SHELLS {
        let script = run_well(&["completions", shell]).text();
        assert!(listed_commands().iter().all(|(name, _)| script.contains(name)), "{shell}");
    }
}

// man

fn plain(page: &str) -> String {
    page.replace("\\-", "-").replace("\\fB", "").replace("\\fI", "").replace("\\fR", "").replace("\\*(Aq", "'")
}

#[test]
fn every_command_has_a_page_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("share").join("man1");
    let ended = run_well(&["man", "--dir", pages.to_str().unwrap()]);
    assert!(ended.lines.is_empty(), "{:#?}", ended.lines);
    let page = |name: &str| std::fs::read_to_string(pages.join(format!("{name}.1"))).unwrap();
    let main = page("chuhe");
    assert_eq!(main.trim_end(), run_well(&["man"]).text().trim_end());
    for part in [".TH chuhe 1", concat!("chuhe ", env!("CARGO_PKG_VERSION")), "Exit status: 0 success"] {
        assert!(plain(&main).contains(part), "{main}");
    }
    for (name, about) in listed_commands() {
        assert!(plain(&main).contains(&format!("chuhe-{name}(1)")), "{name} is missing in {main}");
        let page = plain(&page(&format!("chuhe-{name}")));
        assert!(page.contains(&format!("chuhe-{name} - {about}")), "'{about}' is missing in {page}");
    }
    assert!(plain(&page("chuhe-book-build")).contains(".nf"), "examples are not filled");
    let file = TemporaryFile::with("man.txt", "a file, not a folder");
    refused(&["man", "--dir", file.path()], 1, file.name());
}

// self-test

#[test]
fn the_self_test_passes() {
    let ended = run_well(&["self-test"]);
    let end = ended.lines.iter().position(String::is_empty).expect("an empty line ends the checks");
    let (checks, machine) = ended.lines.split_at(end);
    assert_eq!(checks.len(), 4, "{checks:#?}");
    assert!(checks.iter().all(|line| line[10..].starts_with(" ok ")), "{checks:#?}");
    let version = concat!("Chuhe ", env!("CARGO_PKG_VERSION"));
    for (name, value) in [("version", version), ("target", std::env::consts::ARCH), ("system", ""), ("processor", "")] {
        let line =
            machine.iter().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("no {name} in {machine:?}"));
        assert!(line.contains(value) && line.len() > 11, "{line}");
    }
}

#[test]
fn the_data_of_the_self_test_comes_from_the_test_data() {
    let texts = [
        (include_str!("../../assets/self_test/perft.tsv"), include_str!("../data/perft.tsv")),
        (include_str!("../../assets/self_test/judge.tsv"), include_str!("../data/rules_cases.tsv")),
    ];
    for (shipped, known) in texts {
        let lines: Vec<&str> = shipped.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(lines.len() >= 10);
        for line in lines {
            assert!(known.lines().any(|other| other.starts_with(line)), "unknown: {line}");
        }
    }
}

// scripts/package.sh and scripts/test-arm.sh

#[cfg(unix)]
#[test]
fn the_scripts_are_well_formed_and_refuse_unknown_arguments() {
    let run = |arguments: &[&str]| -> Output {
        let root = env!("CARGO_MANIFEST_DIR");
        Command::new("bash").args(arguments).current_dir(root).output().expect("bash starts")
    };
    for (path, target) in
        [("scripts/package.sh", "x86_64-unknown-linux-musl"), ("scripts/test-arm.sh", "aarch64-unknown-linux-gnu")]
    {
        assert!(run(&["-n", path]).status.success(), "{path}");
        assert!(String::from_utf8_lossy(&run(&[path, "--help"]).stdout).contains(target), "{path}");
        for arguments in [&[path, "--everything"][..], &[path, "one", "two"]] {
            let refused = run(arguments);
            assert_eq!(refused.status.code(), Some(2), "{arguments:?}");
            assert_eq!(String::from_utf8_lossy(&refused.stderr).lines().count(), 1, "{arguments:?}");
        }
    }
}

// examples

/// Returns the words after the name of the program, for each time that a line runs it.
fn arguments(line: &str) -> Vec<Vec<String>> {
    let arguments = |words: Vec<String>| {
        let rest = words[program_in(&words)? + 1..].iter().map(|word| with_values(word));
        // The words after it are those that 'parallel' inserts.
        Some(rest.take_while(|word| word != ":::").collect())
    };
    commands(line).into_iter().filter_map(arguments).collect()
}

/// Returns the index of the program among the words of a command. Variables and an emulator may come before it.
fn program_in(words: &[String]) -> Option<usize> {
    let is_program = |word: &String| word == "chuhe" || word.ends_with("/chuhe") && !word.contains(['=', ' ']);
    let is_cargo = words.first().is_some_and(|word| word == "cargo") && words.get(1).is_some_and(|word| word == "run");
    // An example of the library is another program.
    let is_other = words.iter().any(|word| word == "--example");
    if is_cargo { words.iter().position(|word| word == "--" && !is_other) } else { words.iter().position(is_program) }
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

/// Adds the examples of the help of a command and of its subcommands, each with its source.
fn add_help(command: &clap::Command, found: &mut Vec<(String, String)>) {
    let text = command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string).unwrap_or_default();
    for line in joined(&text).iter().filter_map(|line| line.strip_prefix("  ")) {
        found.push((format!("{} --help", command.get_name()), without_remark(line).to_owned()));
    }
    command.get_subcommands().for_each(|command| add_help(command, found));
}

fn add_page(path: &Path, found: &mut Vec<(String, String)>) {
    let mut block = None;
    for line in joined(&fs::read_to_string(path).unwrap()) {
        if let Some(kind) = line.trim_start().strip_prefix("```") {
            block = if block.is_some() { None } else { Some(kind.to_owned()) };
            continue;
        }
        let command = match block.as_deref() {
            Some("console") => line.strip_prefix("$ "),
            Some(_) => Some(line.trim()),
            None => None,
        };
        found.extend(command.map(|line| (path.display().to_string(), line.to_owned())));
    }
}

/// Returns the command lines of all helps and pages, each with its source.
fn examples() -> Vec<(String, String)> {
    let mut examples = Vec::new();
    add_help(&Arguments::command(), &mut examples);
    for folder in ["", "docs", "books", "networks"] {
        let entries = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).into_iter().flatten();
        let pages = entries.map(|entry| entry.unwrap().path());
        let pages = pages.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
        pages.filter(|path| !path.ends_with("CHANGELOG.md")).for_each(|path| add_page(&path, &mut examples));
    }
    examples
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
    let mut understood = 0;
    for (source, line) in examples() {
        for arguments in arguments(&line) {
            match Arguments::try_parse_from(["chuhe".to_owned()].into_iter().chain(arguments)) {
                Err(error) if error.use_stderr() => panic!("{source}: {line}\n{error}"),
                _ => understood += 1,
            }
        }
    }
    assert!(understood > 150, "{understood}");
}

#[cfg(target_os = "linux")]
#[test]
fn every_short_example_without_files_runs() {
    let commands =
        ["book probe", "book tree", "count", "eval", "judge", "mate", "notation", "perft 3", "show", "tablebase probe"];
    // These read files, take longer or are of another build.
    let left_out = ["--book", "--dir", "--evalfile", "--file", "--moves", "analyze", "target/release"];
    let folder = tempfile::tempdir().unwrap();
    let script = "program=$1; cd \"$2\"; chuhe() { \"$program\" \"$@\"; }; eval \"$3\"";
    let mut known = Vec::new();
    for (source, line) in examples() {
        let begins = |start: &str| line.starts_with(&format!("chuhe {start}"));
        let is_short = commands.into_iter().any(begins) || line.starts_with("echo ") || line.starts_with("printf ");
        let arguments = arguments(&line);
        if !is_short || left_out.iter().any(|part| line.contains(part)) || known.contains(&arguments) {
            continue;
        }
        let ended = run_script(script, &[folder.path().to_str().unwrap(), &line]);
        assert_eq!(ended.status, Some(0), "{source}: {line}\n{}", ended.errors);
        known.push(arguments);
    }
    assert!(known.len() > 25, "{}", known.len());
}
