//! Input lines of bounded length, and their words.

use std::borrow::Cow;
use std::io::{BufRead, BufReader, Read};

use encoding_rs::{Encoding, GB18030, UTF_8, WINDOWS_1252};

/// Length of the longest line that is read, in bytes: enough for a game of 50,000 moves.
pub const MAX_LINE_BYTES: usize = 256 << 10;

/// Bytes that are kept of a line that is too long.
const KEPT_BYTES: usize = 64;

/// Byte order mark of UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Item of the input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// Line without its end; any bytes.
    Line(Vec<u8>),
    /// Line longer than [`MAX_LINE_BYTES`]: its first bytes, which have the command. The rest was dropped.
    TooLong(Vec<u8>),
    /// End of the input.
    End,
}

/// Reads lines from a stream.
pub struct Lines<R> {
    reader: BufReader<R>,
    has_begun: bool,
}

impl<R: Read> Lines<R> {
    /// Reads from `reader`.
    pub fn new(reader: R) -> Lines<R> {
        Lines { reader: BufReader::new(reader), has_begun: false }
    }

    /// Returns the next line. A read error counts as the end; a last line without a line feed counts as a line. A byte
    /// order mark before the first line that is not blank, as some programs of Windows write it, is dropped.
    pub fn next_line(&mut self) -> Input {
        let mut input = self.next_raw_line();
        if !self.has_begun
            && let Input::Line(line) = &mut input
        {
            if line.starts_with(BYTE_ORDER_MARK) {
                line.drain(..BYTE_ORDER_MARK.len());
            }
            self.has_begun = !line.trim_ascii().is_empty();
        }
        input
    }

    fn next_raw_line(&mut self) -> Input {
        let mut line = Vec::new();
        let mut is_too_long = false;
        loop {
            let available = match self.reader.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    log::warn!("cannot read the input: {error}");
                    return Input::End;
                }
            };
            let end = available.iter().position(|&byte| byte == b'\n');
            let taken = end.unwrap_or(available.len());
            if is_too_long || line.len() + taken > MAX_LINE_BYTES {
                is_too_long = true;
                line.extend_from_slice(&available[..taken.min(KEPT_BYTES)]);
                line.truncate(KEPT_BYTES);
            } else {
                line.extend_from_slice(&available[..taken]);
            }
            let is_end_of_input = available.is_empty();
            let consumed = taken + usize::from(end.is_some());
            self.reader.consume(consumed);
            match (end, is_end_of_input) {
                (Some(_), _) if is_too_long => return Input::TooLong(line),
                (Some(_), _) => return Input::Line(line),
                (None, true) if is_too_long => return Input::TooLong(line),
                (None, true) if line.is_empty() => return Input::End,
                (None, true) => return Input::Line(line),
                (None, false) => {}
            }
        }
    }
}

/// Returns `true` if the first word of a line is this command, in letters of either case.
pub(super) fn is_command(line: &[u8], command: &str) -> bool {
    words(&decode(line).0).next().is_some_and(|word| word.eq_ignore_ascii_case(command))
}

/// Decodes a line and returns its encoding: UTF-8, or GBK, in which clients on Chinese Windows write file names, or one
/// in which each byte is a character, so that the text can be written back in any case.
pub(super) fn decode(line: &[u8]) -> (Cow<'_, str>, &'static Encoding) {
    let decoded = |encoding: &'static Encoding| {
        Some((encoding.decode_without_bom_handling_and_without_replacement(line)?, encoding))
    };
    decoded(UTF_8).or_else(|| decoded(GB18030)).unwrap_or_else(|| {
        let (text, _) = WINDOWS_1252.decode_without_bom_handling(line);
        (text, WINDOWS_1252)
    })
}

/// Splits a line into words at spaces, tabs and carriage returns.
pub(super) fn words(line: &str) -> std::str::SplitAsciiWhitespace<'_> {
    line.split_ascii_whitespace()
}

/// Splits the arguments of `setoption` into name and value, in the form of UCCI (`hashsize 16`) or of UCI
/// (`name Hash value 16`). The value keeps its spaces, which names of files may contain.
pub(super) fn option_parts(arguments: &str) -> (String, &str) {
    let (first, mut rest) = split_word(arguments);
    if !first.eq_ignore_ascii_case("name") {
        return (first.to_owned(), rest);
    }
    let mut name = Vec::new();
    while !rest.is_empty() {
        let (word, after) = split_word(rest);
        rest = after;
        if word.eq_ignore_ascii_case("value") {
            break;
        }
        name.push(word);
    }
    (name.join(" "), rest)
}

/// Splits a line into its first word and the rest, without the spaces around them.
fn split_word(line: &str) -> (&str, &str) {
    let line = line.trim_ascii();
    let (word, rest) = line.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((line, ""));
    (word, rest.trim_ascii_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(bytes: &[u8]) -> Vec<Input> {
        let mut lines = Lines::new(bytes);
        let mut all = vec![lines.next_line()];
        while all.last() != Some(&Input::End) {
            all.push(lines.next_line());
        }
        all
    }

    fn line(text: &str) -> Input {
        Input::Line(text.into())
    }

    #[test]
    fn lines_end_at_line_feeds_and_at_the_end_of_input() {
        assert_eq!(read_all(b"ucci\r\n\nquit"), [line("ucci\r"), line(""), line("quit"), Input::End]);
        assert_eq!(read_all(b""), [Input::End]);
        assert_eq!(read_all(b"\xff\x00\n"), [Input::Line(vec![0xff, 0]), Input::End]);
    }

    #[test]
    fn a_byte_order_mark_is_dropped_before_the_first_line_alone() {
        let mark = "\u{feff}";
        for start in [mark, "\u{feff}\r\n", "\n\u{feff}", "\u{feff}\n\u{feff}"] {
            let lines = read_all(format!("{start}uci\n{mark}isready\n").as_bytes());
            let text: Vec<&Input> =
                lines.iter().filter(|one| !matches!(one, Input::Line(text) if text.len() < 2)).collect();
            assert_eq!(text, [&line("uci"), &line("\u{feff}isready"), &Input::End], "{start:?}");
        }
    }

    #[test]
    fn text_is_utf_8_or_gbk() {
        for (line, text, encoding) in [
            ("setoption bookfiles 楚河.book\r".as_bytes(), "setoption bookfiles 楚河.book\r", UTF_8),
            (b"bookfiles \xb3\xfe\xba\xd3.book", "bookfiles 楚河.book", GB18030),
            (b"go \xff\x00 depth 3", "go \u{ff}\0 depth 3", WINDOWS_1252),
        ] {
            assert_eq!(decode(line), (text.into(), encoding));
            assert_eq!(&*encoding.encode(text).0, line, "written back as it came");
        }
    }

    #[test]
    fn only_the_long_line_is_lost() {
        let mut bytes = vec![b'a'; 2 * MAX_LINE_BYTES + 1];
        bytes.extend_from_slice(b"\nquit\n");
        assert_eq!(read_all(&bytes), [Input::TooLong(vec![b'a'; KEPT_BYTES]), line("quit"), Input::End]);
        let longest = vec![b'a'; MAX_LINE_BYTES];
        assert_eq!(read_all(&longest), [Input::Line(longest.clone()), Input::End]);
    }

    #[test]
    fn setoption_is_split_in_the_form_of_either_protocol() {
        let parts = |text| {
            let (name, value) = option_parts(text);
            format!("{name}={value}")
        };
        assert_eq!(parts("hashsize 16"), "hashsize=16");
        assert_eq!(parts("pruning  large"), "pruning=large");
        assert_eq!(parts("bookfiles C:\\my books\\a.dat"), "bookfiles=C:\\my books\\a.dat");
        assert_eq!(parts("name Move Overhead value 50"), "Move Overhead=50");
        assert_eq!(parts("bookfiles \t my  books\\a \t b.dat \r"), "bookfiles=my  books\\a \t b.dat");
        assert_eq!(parts("name  Book   File\tVALUE  a value  of  two.dat "), "Book File=a value  of  two.dat");
        assert_eq!(parts(" name Clear Hash value "), "Clear Hash=");
        assert_eq!(parts("name Clear Hash"), "Clear Hash=");
        assert_eq!(parts("newgame"), "newgame=");
        assert_eq!(parts(""), "=");
    }
}
