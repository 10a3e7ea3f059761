//! The prose and the names of the project use the field's plain terms.
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

#[test]
fn words_without_a_use_in_an_engine_stay_out() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in ["src", "tests", "benches", "docs"] {
        files(&root.join(folder), &mut found);
    }
    found
        .extend(["README.md", "CONTRIBUTING.md"].map(|page| root.join(page)).into_iter().filter(|page| page.is_file()));
    assert!(found.len() > 300, "{} files", found.len());
    let mut relapses = Vec::new();
    for path in found {
        let inner = path.strip_prefix(root).expect("the file lies under the root").to_string_lossy().replace('\\', "/");
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
fn words_are_found_as_whole_words() {
    assert_eq!(occurrences("Begin anew; renewed, Anew.", "anew"), 2);
    assert_eq!(occurrences("unknown, the owner, of the own side", "the own"), 1);
    assert_eq!(name_occurrences("Voice voices Voice::new(InVoice)", "Voice"), 2);
}
