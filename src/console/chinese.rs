//! Chinese texts of messages and reports.
//!
//! Messages and reports are written in English. For a user who reads Chinese each line is translated by the catalogue
//! `assets/messages.zh.txt`, which has an English text and its translation a line. In both `{1}`, `{2}` and so on stand
//! for parts that differ. They are translated in their turn, unless they are data of the user: a part in quotation marks,
//! or one written `{=1}`, such as the name of a file. Where data stands alone, as in a table, [`data`] marks it. What the
//! catalogue does not know stays as it is, such as moves.

use std::cmp::Reverse;
use std::sync::LazyLock;

use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

/// Maximum depth of parts within parts.
const MAX_DEPTH: usize = 6;
/// Maximum length in bytes of a line that is translated. Messages are shorter; games may be long.
const MAX_LENGTH: usize = 1_000;

/// Marks around data, the isolates of Unicode, which take no room.
const MARKS: [char; 2] = ['\u{2068}', '\u{2069}'];

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
    /// Whether the parts are data.
    are_data: Vec<bool>,
    chinese: &'static str,
    /// False for a mere separator, which joins two messages.
    has_words: bool,
}

impl Entry {
    fn new((english, chinese): (&'static str, &'static str)) -> Entry {
        let (mut literals, mut are_data) = (Vec::new(), Vec::new());
        let mut rest = english;
        while let Some((literal, after)) = rest.split_once('{') {
            literals.push(literal);
            are_data.push(after.starts_with('=') || literal.ends_with(['\'', '`']));
            rest = after.split_once('}').map_or("", |(_, after)| after);
        }
        literals.push(rest);
        let has_words = literals.iter().any(|literal| literal.contains(char::is_alphabetic));
        Entry { literals, are_data, chinese, has_words }
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
    CATALOGUE.iter().filter(|_| depth <= MAX_DEPTH && !text.starts_with(MARKS[0])).find_map(|entry| {
        let parts = entry.parts(text)?;
        let translate = |(part, is_data): (&&str, &bool)| if *is_data { None } else { phrase(part, depth + 1) };
        let translated: Vec<Option<String>> = parts.iter().zip(&entry.are_data).map(translate).collect();
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

/// Marks a text of the user in a report: a name, a tag, a comment.
pub fn data(text: &str) -> String {
    let [begin, end] = MARKS;
    format!("{begin}{}{end}", unmarked(text))
}

/// Returns a text without the marks of data.
pub fn unmarked(text: &str) -> String {
    text.replace(MARKS, "")
}

/// Language of messages and reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    English,
    Chinese,
}

impl Language {
    /// Returns a line in this language.
    pub fn say(self, line: &str) -> String {
        if self == Language::Chinese { chinese(line) } else { unmarked(line) }
    }
}

/// Translates a line. Its columns, which two blanks or more separate, begin where they began.
pub fn chinese(line: &str) -> String {
    if line.len() > MAX_LENGTH {
        return unmarked(line);
    }
    let (mut text, mut end) = (String::new(), 0);
    let mut rest = line;
    while !rest.is_empty() {
        let cell = rest.trim_start_matches(' ');
        let column = line[..line.len() - cell.len()].width();
        // Blanks in data divide no columns.
        let is_gap = |&(at, _): &(usize, &str)| cell[..at].matches(MARKS).count().is_multiple_of(2);
        let cell = &cell[..cell.match_indices("  ").find(is_gap).map_or(cell.len(), |(at, _)| at)];
        let translation = phrase(cell.trim_end(), 0);
        let gap = column.saturating_sub(end).max(if end > 0 { 2 } else { 0 });
        rest = &rest.trim_start_matches(' ')[cell.len()..];
        text.extend(std::iter::repeat_n(' ', gap));
        text.push_str(translation.as_deref().unwrap_or(cell));
        end = text.width();
    }
    unmarked(&text)
}

/// Returns a message in both languages.
pub fn both(english: &str) -> Value {
    json!({ "en": english, "zh": chinese(english) })
}

#[cfg(feature = "commands")]
pub use terminal::Terminal;

#[cfg(feature = "commands")]
mod terminal {
    use std::io::{self, Stdout, Write};

    use super::*;

    impl Language {
        /// Returns whether the user gave the option `--chinese`.
        pub fn is_option_given() -> bool {
            std::env::args_os().any(|word| word == "--chinese")
        }

        /// Returns the language of the user: by the option `--chinese`, or by the locale of the system.
        pub fn of_user() -> Language {
            static OF_USER: LazyLock<Language> = LazyLock::new(|| {
                // In the locale C the variable LANGUAGE counts for nothing.
                let locales = ["LC_ALL", "LC_MESSAGES", "LANG"].map(|name| std::env::var(name).unwrap_or_default());
                let locale = locales.iter().find(|locale| !locale.is_empty());
                let is_english = locale.is_some_and(|name| matches!(name.split('.').next(), Some("C" | "POSIX")));
                let is_chinese = Language::is_option_given()
                    || !is_english && sys_locale::get_locale().is_some_and(|locale| locale.starts_with("zh"));
                if is_chinese { Language::Chinese } else { Language::English }
            });
            *OF_USER
        }
    }

    /// Standard output. The lines of a report are in the language of the user; lines of JSON stay as they are.
    pub struct Terminal {
        out: Stdout,
        is_report: bool,
        line: Vec<u8>,
    }

    impl Terminal {
        pub fn new(is_report: bool) -> Terminal {
            Terminal { out: io::stdout(), is_report, line: Vec::new() }
        }

        fn write_line(&mut self) -> io::Result<()> {
            let line = std::mem::take(&mut self.line);
            match std::str::from_utf8(&line) {
                Ok(text) if !text.starts_with('{') => {
                    let ending = if text.ends_with('\n') { "\n" } else { "" };
                    write!(self.out, "{}{ending}", Language::of_user().say(text.trim_end_matches('\n')))
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
            if !self.is_report {
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
            self.write_line()?;
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
            let parts = text.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
            parts.map(|(number, _)| number.trim_start_matches('=').to_owned()).collect()
        };
        let mut seen = HashSet::new();
        for line in include_str!("../../assets/messages.zh.txt").lines().filter(|line| !line.starts_with('#')) {
            let (english, chinese) = line.split_once('\t').unwrap_or_else(|| panic!("no translation: {line}"));
            assert!(seen.insert(english), "twice: {english}");
            assert!(numbers(chinese).is_subset(&numbers(english)), "{line}");
            let expected: Vec<String> = (1..=numbers(english).len()).map(|number| format!("{number}}}")).collect();
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
            // Data that is equal to a message.
            ("draw: it is not UTF-8 text", "draw：不是 UTF-8 文本"),
            ("'Red' is not a legal move here", "“Red”在此处不合规则"),
            (&format!("Event       {}", data("no move  draw")), "赛事        no move  draw"),
            ("", ""),
        ] {
            assert_eq!(chinese(english), expected);
        }
        let separators = "a: b, ".repeat(160);
        assert_eq!(chinese(&separators), separators);
    }
}
