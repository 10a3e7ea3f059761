//! Small tools for command lines of words.

/// The words of a line. Any run of blanks, tabs or carriage returns separates them.
pub(super) fn words(line: &str) -> std::str::SplitAsciiWhitespace<'_> {
    line.split_ascii_whitespace()
}

/// The character as it may stand in an answer: printable ASCII.
pub(super) fn printable(c: char) -> char {
    if c == ' ' || c.is_ascii_graphic() { c } else { '?' }
}

/// A text as it may be quoted in an answer: printable ASCII, at most 60 characters.
pub(super) fn quotable(text: &str) -> String {
    const MOST: usize = 60;
    let mut quoted: String = text.chars().take(MOST).map(printable).collect();
    if text.chars().nth(MOST).is_some() {
        quoted.push_str("...");
    }
    quoted
}

/// Splits the arguments of `setoption` into name and value, in the form of UCCI (`hashsize 16`) or of UCI
/// (`name Hash value 16`).
pub(super) fn option_parts(arguments: &str) -> (String, String) {
    let mut rest = words(arguments);
    let first = rest.next().unwrap_or_default();
    if !first.eq_ignore_ascii_case("name") {
        return (first.to_owned(), rest.collect::<Vec<_>>().join(" "));
    }
    let all: Vec<&str> = rest.collect();
    let split = all.iter().position(|word| word.eq_ignore_ascii_case("value")).unwrap_or(all.len());
    (all[..split].join(" "), all.get(split + 1..).unwrap_or_default().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_option_dialects_are_split() {
        let parts = |text| {
            let (name, value) = option_parts(text);
            format!("{name}={value}")
        };
        assert_eq!(parts("hashsize 16"), "hashsize=16");
        assert_eq!(parts("pruning  large"), "pruning=large");
        assert_eq!(parts("bookfiles C:\\my books\\a.dat"), "bookfiles=C:\\my books\\a.dat");
        assert_eq!(parts("name Move Overhead value 50"), "Move Overhead=50");
        assert_eq!(parts("name Clear Hash"), "Clear Hash=");
        assert_eq!(parts("newgame"), "newgame=");
        assert_eq!(parts(""), "=");
    }

    #[test]
    fn quotes_are_short_and_printable() {
        assert_eq!(quotable("a\u{0}b\u{e9}c"), "a?b?c");
        assert_eq!(quotable(&"x".repeat(100_000)).len(), 63);
    }
}
