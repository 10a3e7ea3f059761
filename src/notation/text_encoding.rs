//! Lines of text in UTF-8 or GBK, with their numbers.
//!
//! Chinese game files rarely say how they are encoded. A line break never stands inside a character of either encoding,
//! so every line can be judged by itself, and files put together from both are read as well. What the lines mean is not
//! known here.

use std::io::{self, BufRead};

use encoding_rs::GB18030;

use super::game::{GameError, GameFault};

/// Longer lines are cut, so that no file can exhaust the memory.
pub const MOST_LINE_BYTES: usize = 1 << 20;

/// A line without its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextLine {
    /// Its number, 1 for the first.
    pub number: u64,
    /// The text; what cannot be read is U+FFFD.
    pub text: String,
    /// Whether its end was cut off because it is too long.
    pub is_cut: bool,
}

/// Reads lines that end with LF, CR LF or CR.
#[derive(Debug)]
pub struct TextLines<R> {
    reader: R,
    number: u64,
    decoder: Decoder,
    /// The line ended with CR: an LF that follows belongs to it.
    was_carriage_return: bool,
}

impl<R: BufRead> TextLines<R> {
    /// The lines of `reader`.
    pub fn new(reader: R) -> TextLines<R> {
        TextLines { reader, number: 0, decoder: Decoder::default(), was_carriage_return: false }
    }

    /// The number of the last line that was read, 0 before the first.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The next line, `None` at the end.
    ///
    /// # Errors
    /// What the reader says, or that the text is UTF-16.
    pub fn next_line(&mut self) -> io::Result<Option<TextLine>> {
        let mut bytes = Vec::new();
        let (mut is_cut, mut has_begun) = (false, false);
        loop {
            let chunk = match self.reader.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                if !has_begun {
                    return Ok(None);
                }
                break;
            }
            if std::mem::take(&mut self.was_carriage_return) && chunk[0] == b'\n' {
                self.reader.consume(1);
                continue;
            }
            has_begun = true;
            let end = chunk.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let text = &chunk[..end.unwrap_or(chunk.len())];
            let room = MOST_LINE_BYTES - bytes.len();
            is_cut |= text.len() > room;
            bytes.extend_from_slice(&text[..text.len().min(room)]);
            let used = text.len() + usize::from(end.is_some());
            self.was_carriage_return = end.is_some_and(|end| chunk[end] == b'\r');
            self.reader.consume(used);
            if end.is_some() {
                break;
            }
        }
        self.number += 1;
        if self.number == 1 {
            if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "the text is UTF-16; save it as UTF-8 or GBK"));
            }
            if bytes.starts_with("\u{feff}".as_bytes()) {
                bytes.drain(..3);
            }
        }
        Ok(Some(TextLine { number: self.number, text: self.decoder.decode(bytes), is_cut }))
    }
}

/// The next line that holds something, with its number. Lines that are too long are faults; a file that fails ends.
pub(crate) fn next_record<R: BufRead>(lines: &mut Option<TextLines<R>>) -> Option<Result<(u64, String), GameError>> {
    loop {
        let source = lines.as_mut()?;
        let line = match source.next_line() {
            Ok(line) => line?,
            Err(error) => {
                let number = source.number() + 1;
                *lines = None;
                return Some(Err(GameError::in_line(number, error)));
            }
        };
        if line.text.trim().is_empty() || line.text.starts_with('#') {
            continue;
        }
        if line.is_cut {
            let fault = GameFault::TooMuch { what: "bytes in a line", most: MOST_LINE_BYTES };
            return Some(Err(GameError::in_line(line.number, fault)));
        }
        return Some(Ok((line.number, line.text)));
    }
}

/// Decides line by line, and remembers what it saw.
#[derive(Clone, Copy, Debug, Default)]
struct Decoder {
    has_seen_gbk: bool,
}

impl Decoder {
    fn decode(&mut self, bytes: Vec<u8>) -> String {
        let bytes = match String::from_utf8(bytes) {
            // A few Chinese words in GBK happen to be UTF-8 too, but only as two-byte characters, which no Chinese
            // character is in UTF-8.
            Ok(text) if !self.has_seen_gbk || text.is_ascii() || text.chars().any(|c| c.len_utf8() > 2) => return text,
            Ok(text) => text.into_bytes(),
            Err(error) => error.into_bytes(),
        };
        let (as_gbk, _) = GB18030.decode_without_bom_handling(&bytes);
        let as_utf8 = String::from_utf8_lossy(&bytes);
        if faults(&as_gbk) <= faults(&as_utf8) {
            self.has_seen_gbk = true;
            as_gbk.into_owned()
        } else {
            as_utf8.into_owned()
        }
    }
}

/// How many characters could not be read.
fn faults(text: &str) -> usize {
    text.chars().filter(|&c| c == char::REPLACEMENT_CHARACTER).count()
}

/// Text of a binary file, which is GBK; zero bytes at its end are no part of it.
pub fn decode_gbk(bytes: &[u8]) -> String {
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    GB18030.decode_without_bom_handling(&bytes[..end]).0.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<(u64, String)> {
        // A reader of few bytes at a time shows whether anything depends on where a chunk ends.
        let mut lines = TextLines::new(io::BufReader::with_capacity(3, bytes));
        std::iter::from_fn(|| lines.next_line().unwrap()).map(|line| (line.number, line.text)).collect()
    }

    fn gbk(text: &str) -> Vec<u8> {
        GB18030.encode(text).0.into_owned()
    }

    #[test]
    fn every_line_end_is_one() {
        let expected = [(1, "a".to_owned()), (2, "b".to_owned()), (3, String::new()), (4, "c".to_owned())];
        assert_eq!(lines(b"a\nb\n\nc\n"), expected);
        assert_eq!(lines(b"a\r\nb\r\n\r\nc\r\n"), expected);
        assert_eq!(lines(b"a\rb\r\rc"), expected);
        assert_eq!(lines(b"\xef\xbb\xbfa\r\nb\r\rc"), expected);
        assert!(lines(b"").is_empty());
    }

    #[test]
    fn both_encodings_are_recognised() {
        let text = "炮二平五 马８进７ 车车俥";
        assert_eq!(lines(text.as_bytes())[0].1, text);
        assert_eq!(lines(&gbk(text))[0].1, text);
        let mixed = [gbk(text), b"\n".to_vec(), text.as_bytes().to_vec(), b"\n".to_vec(), gbk(text)].concat();
        assert!(lines(&mixed).iter().all(|(_, line)| line == text));
    }

    #[test]
    fn gbk_that_happens_to_be_utf8_is_read_by_what_stands_before() {
        assert!(String::from_utf8(gbk("模模")).is_ok(), "the trap is one");
        let bytes = [gbk("炮二平五\n"), gbk("模模")].concat();
        assert_eq!(lines(&bytes)[1].1, "模模");
    }

    #[test]
    fn one_bad_byte_leaves_the_rest_of_the_line() {
        let mut bytes = "炮二平五马八进七".as_bytes().to_vec();
        bytes.insert(3, 0xFF);
        assert_eq!(lines(&bytes)[0].1, "炮\u{fffd}二平五马八进七");
    }

    #[test]
    fn long_lines_are_cut_and_the_next_one_is_read() {
        let bytes = [vec![b'a'; 3 * MOST_LINE_BYTES], b"\nb".to_vec()].concat();
        let mut lines = TextLines::new(io::BufReader::new(&bytes[..]));
        let line = lines.next_line().unwrap().unwrap();
        assert!(line.is_cut && line.text.len() == MOST_LINE_BYTES);
        let line = lines.next_line().unwrap().unwrap();
        assert_eq!((line.number, line.text.as_str(), line.is_cut), (2, "b", false));
        assert_eq!(lines.next_line().unwrap(), None);
    }

    #[test]
    fn utf16_is_refused_with_a_remedy() {
        let error = TextLines::new(&b"\xff\xfea\0"[..]).next_line().unwrap_err();
        assert!(error.to_string().contains("UTF-8"));
    }
}
