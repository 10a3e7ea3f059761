//! The prose and the names of the project use the field's plain terms, and comments are no wider than code.
//!
//! `docs/glossary.md` lists the terms. The words here have no other use in an engine, so any occurrence is a relapse.

use std::fs;
use std::path::{Path, PathBuf};

/// Phrases that plain English says otherwise.
const PHRASES: [&str; 10] =
    ["anew", "nobody", "by heart", "brings along", "the own", "upstairs", "so many", "tells of", "told of", "thereof"];

/// Former names of types, each with the standard term.
const NAMES: [(&str, &str); 22] = [
    ("Taste", "EvalConfig"),
    ("Parley", "DrawResignPolicy"),
    ("Diary", "GameTracker"),
    ("Voice", "Formatter"),
    ("Shelf", "Tablebases"),
    ("Ruling", "ValueBounds"),
    ("Suspects", "CheckInfo"),
    ("Offence", "Violation"),
    ("Upkeep", "MetaCommand"),
    ("Lettering", "BoardStyle"),
    ("Contest", "MatchArgs"),
    ("Messenger", "ChannelReporter"),
    ("Examiner", "SuiteFilter"),
    ("Handicap", "SkillLimit"),
    ("Stopper", "StopHandle"),
    ("Dice", "StableRandom"),
    ("Fingerprint", "StableHash"),
    ("Ledger", "AppendLog"),
    ("Crowd", "Disambiguation"),
    ("Statics", "FixedPieces"),
    ("Contradiction", "VerifyError"),
    ("Meeting", "Pairing"),
];

/// Widest comment line in characters, the width of the code (`rustfmt.toml`). Tables are as wide as they need to be.
const COMMENT_WIDTH: usize = 120;

/// Files that quote the words themselves.
const QUOTING: [&str; 3] = ["tests/wording.rs", "docs/glossary.md", "CHANGELOG.md"];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the entry can be read").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "md") {
            found.push(path);
        }
    }
}

/// Returns the positions of a word or phrase in a text, regardless of case, between characters that are no letters.
fn occurrences(text: &str, phrase: &str) -> usize {
    let (text, phrase) = (text.to_lowercase(), phrase.to_lowercase());
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric());
    let is_whole = |&(at, _): &(usize, &str)| {
        !is_letter(text[..at].chars().next_back()) && !is_letter(text[at + phrase.len()..].chars().next())
    };
    text.match_indices(&phrase).filter(is_whole).count()
}

/// Returns the positions of a name in a text: a whole identifier in its exact case.
fn name_occurrences(text: &str, name: &str) -> usize {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| *word == name).count()
}

/// Returns the sources and pages of the project, with their paths below its root.
fn sources_and_pages() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in ["src", "tests", "benches", "docs"] {
        files(&root.join(folder), &mut found);
    }
    // The published crate is without it.
    let fuzz_targets = root.join("fuzz/fuzz_targets");
    if fuzz_targets.is_dir() {
        files(&fuzz_targets, &mut found);
    }
    found
        .extend(["README.md", "CONTRIBUTING.md"].map(|page| root.join(page)).into_iter().filter(|page| page.is_file()));
    assert!(found.len() > 300, "{} files", found.len());
    let with_inner = |path: PathBuf| {
        let inner = path.strip_prefix(root).expect("the file lies under the root").to_string_lossy().replace('\\', "/");
        (path, inner)
    };
    found.into_iter().map(with_inner).collect()
}

/// Tells whether a line of source text is a comment that is wider than the code; rows of tables do not count.
fn is_wide_comment(line: &str) -> bool {
    let text = line.trim_start();
    let is_table = text.trim_start_matches(['/', '!']).trim_start().starts_with('|');
    text.starts_with("//") && !is_table && line.chars().count() > COMMENT_WIDTH
}

#[test]
fn words_without_a_use_in_an_engine_stay_out() {
    let mut relapses = Vec::new();
    for (path, inner) in sources_and_pages() {
        if QUOTING.contains(&inner.as_str()) {
            continue;
        }
        for (number, line) in fs::read_to_string(&path).expect("the file is text").lines().enumerate() {
            let phrases =
                PHRASES.iter().filter(|phrase| occurrences(line, phrase) > 0).map(|phrase| (*phrase).to_owned());
            let names = NAMES.iter().filter(|(name, _)| inner.ends_with(".rs") && name_occurrences(line, name) > 0);
            let names = names.map(|(name, standard)| format!("{name} (now {standard})"));
            relapses.extend(phrases.chain(names).map(|word| format!("{inner}:{}: {word}", number + 1)));
        }
    }
    assert!(relapses.is_empty(), "{} places:\n{}", relapses.len(), relapses.join("\n"));
}

#[test]
fn comments_are_no_wider_than_code() {
    let is_source = |(_, inner): &(PathBuf, String)| inner.ends_with(".rs");
    let mut wide = Vec::new();
    for (path, inner) in sources_and_pages().into_iter().filter(is_source) {
        let text = fs::read_to_string(&path).expect("the file is text");
        let numbers = text.lines().enumerate().filter(|(_, line)| is_wide_comment(line)).map(|(number, _)| number + 1);
        wide.extend(numbers.map(|number| format!("{inner}:{number}")));
    }
    assert!(wide.is_empty(), "{} lines:\n{}", wide.len(), wide.join("\n"));
    let line = |start: &str, length: usize| start.to_owned() + &"x".repeat(length - start.len());
    assert!(is_wide_comment(&line("    /// ", 121)) && !is_wide_comment(&line("    /// ", 120)));
    assert!(!is_wide_comment(&line("//! | ", 200)) && !is_wide_comment(&line("let name = ", 200)));
}

#[test]
fn words_are_found_as_whole_words() {
    assert_eq!(occurrences("Begin anew; renewed, Anew.", "anew"), 2);
    assert_eq!(occurrences("unknown, the owner, of the own side", "the own"), 1);
    assert_eq!(name_occurrences("Voice voices Voice::new(InVoice)", "Voice"), 2);
}
