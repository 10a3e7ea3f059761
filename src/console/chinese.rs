//! Chinese texts of messages and reports.
//!
//! Messages and reports are written in English. For a user who reads Chinese each line is translated by the catalogue
//! `assets/messages.zh.txt`, which has an English text and its translation a line. In both `{1}`, `{2}` and so on stand
//! for parts that differ, which are translated in their turn. What the catalogue does not know stays as it is, such as
//! names and moves.

use std::cmp::Reverse;
use std::sync::LazyLock;

use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

/// Maximum depth of parts within parts.
const MAX_DEPTH: usize = 6;
/// Maximum length in bytes of a line that is translated. Messages are shorter; games may be long.
const MAX_LENGTH: usize = 1_000;

/// What messages on standard error begin with.
const PROGRAM: &str = "chuhe: ";

static CATALOGUE: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let lines = include_str!("../../assets/messages.zh.txt").lines().filter(|line| !line.starts_with('#'));
    let mut entries: Vec<Entry> = lines.filter_map(|line| Some(Entry::new(line.split_once('\t')?))).collect();
    // The most specific text first.
    entries.sort_by_key(|entry| (!entry.has_words, Reverse(entry.literals.concat().len())));
    entries
});

/// English text and its translation.
struct Entry {
    /// What stands before, between and after the parts that differ.
    literals: Vec<&'static str>,
    chinese: &'static str,
    /// False for a mere separator, which joins two messages.
    has_words: bool,
}

impl Entry {
    fn new((english, chinese): (&'static str, &'static str)) -> Entry {
        let mut literals = Vec::new();
        let mut rest = english;
        while let Some((literal, after)) = rest.split_once('{') {
            literals.push(literal);
            rest = after.split_once('}').map_or("", |(_, after)| after);
        }
        literals.push(rest);
        let has_words = literals.iter().any(|literal| literal.contains(char::is_alphabetic));
        Entry { literals, chinese, has_words }
    }

    /// Returns the parts of a text that differ, each as short as possible; `None` for another text.
    fn parts<'a>(&self, text: &'a str) -> Option<Vec<&'a str>> {
        let (first, others) = self.literals.split_first()?;
        let mut rest = text.strip_prefix(first)?;
        let Some((last, inner)) = others.split_last() else { return rest.is_empty().then(Vec::new) };
        let mut parts = Vec::new();
        for literal in inner {
            let begin = rest.chars().next()?.len_utf8();
            let end = begin + rest[begin..].find(literal)?;
            parts.push(&rest[..end]);
            rest = &rest[end + literal.len()..];
        }
        parts.push(rest.strip_suffix(last).filter(|part| !part.is_empty())?);
        Some(parts)
    }
}

/// Translates a text as a whole.
fn phrase(text: &str, depth: usize) -> Option<String> {
    CATALOGUE.iter().filter(|_| depth <= MAX_DEPTH).find_map(|entry| {
        let parts = entry.parts(text)?;
        let translated: Vec<Option<String>> = parts.iter().map(|part| phrase(part, depth + 1)).collect();
        if !entry.has_words && translated.iter().all(Option::is_none) {
            return None;
        }
        let mut chinese = entry.chinese.to_owned();
        for (index, (part, translation)) in parts.iter().zip(translated).enumerate() {
            let part = translation.as_deref().unwrap_or(part);
            chinese = chinese.replace(&format!("{{{}}}", index + 1), part);
        }
        Some(chinese)
    })
}

/// Translates a line. Its columns, which two blanks or more separate, begin where they began.
pub fn chinese(line: &str) -> String {
    if line.len() > MAX_LENGTH {
        return line.to_owned();
    }
    if let Some(message) = line.strip_prefix(PROGRAM) {
        return format!("{PROGRAM}{}", chinese(message));
    }
    let (mut text, mut end) = (String::new(), 0);
    let mut rest = line;
    while !rest.is_empty() {
        let cell = rest.trim_start_matches(' ');
        let column = line[..line.len() - cell.len()].width();
        let cell = &cell[..cell.find("  ").unwrap_or(cell.len())];
        let translation = phrase(cell.trim_end(), 0);
        let gap = column.saturating_sub(end).max(if end > 0 { 2 } else { 0 });
        rest = &rest.trim_start_matches(' ')[cell.len()..];
        let cell = translation.as_deref().unwrap_or(cell);
        text.extend(std::iter::repeat_n(' ', gap));
        text.push_str(cell);
        end = text.width();
    }
    text
}

/// Returns a message in both languages.
pub fn both(english: &str) -> Value {
    json!({ "en": english, "zh": chinese(english) })
}

#[cfg(feature = "commands")]
pub use terminal::{Terminal, is_wanted};

#[cfg(feature = "commands")]
mod terminal {
    use std::io::{self, Stdout, Write};

    use super::*;

    static IS_WANTED: LazyLock<bool> = LazyLock::new(|| {
        // In the locale C the variable LANGUAGE counts for nothing.
        let locales = ["LC_ALL", "LC_MESSAGES", "LANG"].map(|name| std::env::var(name).unwrap_or_default());
        let locale = locales.iter().find(|locale| !locale.is_empty());
        let is_english = locale.is_some_and(|name| matches!(name.split('.').next(), Some("C" | "POSIX")));
        std::env::args_os().any(|word| word == "--chinese")
            || !is_english && sys_locale::get_locale().is_some_and(|locale| locale.starts_with("zh"))
    });

    /// Returns whether the user reads Chinese: by the locale of the system, or by the option `--chinese`.
    pub fn is_wanted() -> bool {
        *IS_WANTED
    }

    /// Standard output. The lines of a report are in Chinese, if that is wanted; lines of JSON stay as they are.
    pub struct Terminal {
        out: Stdout,
        is_translated: bool,
        line: Vec<u8>,
    }

    impl Terminal {
        pub fn new(is_report: bool) -> Terminal {
            Terminal { out: io::stdout(), is_translated: is_report && is_wanted(), line: Vec::new() }
        }

        fn write_line(&mut self) -> io::Result<()> {
            let line = std::mem::take(&mut self.line);
            match std::str::from_utf8(&line) {
                Ok(text) if !text.starts_with('{') => {
                    let ending = if text.ends_with('\n') { "\n" } else { "" };
                    write!(self.out, "{}{ending}", chinese(text.trim_end_matches('\n')))
                }
                _ => self.out.write_all(&line),
            }
        }
    }

    impl Drop for Terminal {
        fn drop(&mut self) {
            // The commands flush what they must not lose.
            let _ = self.flush();
        }
    }

    impl Write for Terminal {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if !self.is_translated {
                return self.out.write(bytes);
            }
            for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
                self.line.extend(piece);
                if piece.ends_with(b"\n") {
                    self.write_line()?;
                }
            }
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            if !self.line.is_empty() {
                self.write_line()?;
            }
            self.out.flush()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_catalogue_is_well_formed() {
        let numbers = |text: &str| -> HashSet<String> {
            text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0.to_owned())).collect()
        };
        let mut seen = HashSet::new();
        for line in include_str!("../../assets/messages.zh.txt").lines().filter(|line| !line.starts_with('#')) {
            let (english, chinese) = line.split_once('\t').unwrap_or_else(|| panic!("no translation: {line}"));
            assert!(seen.insert(english), "twice: {english}");
            assert!(numbers(chinese).is_subset(&numbers(english)), "{line}");
            let expected: Vec<String> = (1..=numbers(english).len()).map(|number| format!("{{{number}}}")).collect();
            let places: Vec<Option<usize>> = expected.iter().map(|number| english.find(number.as_str())).collect();
            assert!(places.is_sorted() && places.iter().all(Option::is_some), "{line}");
        }
    }

    #[test]
    fn parts_within_parts_are_translated_and_the_rest_stays() {
        for (english, expected) in [
            ("chuhe: invalid position: Black has 0 kings instead of one", "chuhe: 局面无效：缺少黑方的将"),
            ("games.pgn: No such file or directory (os error 2)", "games.pgn：没有该文件或文件夹"),
            ("h2e2, h9g7: Zhang", "h2e2, h9g7: Zhang"),
            ("", ""),
        ] {
            assert_eq!(chinese(english), expected);
        }
        let separators = "a: b, ".repeat(160);
        assert_eq!(chinese(&separators), separators);
    }
}
