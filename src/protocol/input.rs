//! Lines from another program, of bounded length.

use std::borrow::Cow;
use std::io::{BufRead, BufReader, Read};

use encoding_rs::GB18030;

/// The longest line that is read, in bytes: room for a game of 50,000 moves.
pub const LONGEST_LINE: usize = 256 << 10;

/// What came from the input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// A line without its end, of any bytes.
    Line(Vec<u8>),
    /// A line longer than [`LONGEST_LINE`]; its text was dropped.
    TooLong,
    /// Nothing more will come.
    End,
}

/// The text of a line: UTF-8, or GBK as front ends for Chinese Windows write the names of files; what is neither
/// becomes U+FFFD.
pub fn text_of(line: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(line) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => GB18030
            .decode_without_bom_handling_and_without_replacement(line)
            .unwrap_or_else(|| String::from_utf8_lossy(line)),
    }
}

/// Reads lines one after another.
pub struct Lines<R> {
    reader: BufReader<R>,
}

impl<R: Read> Lines<R> {
    /// The lines of `reader`.
    pub fn new(reader: R) -> Lines<R> {
        Lines { reader: BufReader::new(reader) }
    }

    /// The next line. A read error counts as the end; a last line without its end counts as a line.
    pub fn next_line(&mut self) -> Input {
        let mut line = Vec::new();
        let mut is_too_long = false;
        loop {
            let available = match self.reader.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    log::warn!("the input failed: {error}");
                    return Input::End;
                }
            };
            let end = available.iter().position(|&byte| byte == b'\n');
            let taken = end.unwrap_or(available.len());
            if line.len() + taken > LONGEST_LINE {
                is_too_long = true;
                line.clear();
            }
            if !is_too_long {
                line.extend_from_slice(&available[..taken]);
            }
            let at_end_of_input = available.is_empty();
            let consumed = taken + usize::from(end.is_some());
            self.reader.consume(consumed);
            match (end, at_end_of_input) {
                (Some(_), _) if is_too_long => return Input::TooLong,
                (Some(_), _) => return Input::Line(line),
                (None, true) if is_too_long => return Input::TooLong,
                (None, true) if line.is_empty() => return Input::End,
                (None, true) => return Input::Line(line),
                (None, false) => {}
            }
        }
    }
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
    fn lines_end_where_they_should() {
        assert_eq!(read_all(b"ucci\r\n\nquit"), [line("ucci\r"), line(""), line("quit"), Input::End]);
        assert_eq!(read_all(b""), [Input::End]);
        assert_eq!(read_all(b"\xff\x00\n"), [Input::Line(vec![0xff, 0]), Input::End]);
    }

    #[test]
    fn text_is_utf_8_or_gbk() {
        assert_eq!(text_of("setoption bookfiles 楚河.book\r".as_bytes()), "setoption bookfiles 楚河.book\r");
        assert_eq!(text_of(b"bookfiles \xb3\xfe\xba\xd3.book"), "bookfiles 楚河.book");
        assert_eq!(text_of(b"go \xff\x00 depth 3"), "go \u{fffd}\0 depth 3");
    }

    #[test]
    fn only_the_long_line_is_lost() {
        let mut bytes = vec![b'a'; LONGEST_LINE + 1];
        bytes.extend_from_slice(b"\nquit\n");
        assert_eq!(read_all(&bytes), [Input::TooLong, line("quit"), Input::End]);
        let longest = vec![b'a'; LONGEST_LINE];
        assert_eq!(read_all(&longest), [Input::Line(longest.clone()), Input::End]);
    }
}
