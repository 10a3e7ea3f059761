//! Numbered lines of text in UTF-8 or GBK.
//!
//! Chinese game files rarely declare their encoding. Line breaks never occur inside a character of either encoding, so
//! the encoding is detected line by line, and files that mix both are read as well.

use std::borrow::Cow;
use std::io::{self, BufRead};

use encoding_rs::GB18030;

use super::game::{GameError, GameFault};

/// Maximum length of a line in bytes; longer lines are truncated, which bounds the memory.
pub const MAX_LINE_BYTES: usize = 1 << 20;

/// Fault of a text in UTF-16.
const UTF16_FAULT: &str = "the text is UTF-16; save it as UTF-8 or GBK";

/// Fault of a file of the program 象棋桥.
const CBR_FAULT: &str = "this is a CBR file of 象棋桥, which is not read; save it there as XQF or PGN";

/// Returns why no games can be read from a file with this beginning, if that is certain.
pub(crate) fn unreadable(head: &[u8]) -> Option<&'static str> {
    if is_utf16(head) {
        return Some(UTF16_FAULT);
    }
    head.starts_with(b"CCBridge").then_some(CBR_FAULT)
}

/// Returns whether a text begins with the byte order mark of UTF-16.
fn is_utf16(text: &[u8]) -> bool {
    text.starts_with(&[0xFF, 0xFE]) || text.starts_with(&[0xFE, 0xFF])
}

/// Encoding of written files.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TextEncoding {
    /// UTF-8 with LF at the ends of lines.
    #[default]
    Utf8,
    /// GBK with CR LF, which older programs for Windows expect. Characters that GBK lacks are those of GB18030, of
    /// which GBK is a part.
    Gbk,
}

impl TextEncoding {
    /// All encodings.
    pub const ALL: [TextEncoding; 2] = [TextEncoding::Utf8, TextEncoding::Gbk];

    /// Name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            TextEncoding::Utf8 => "utf-8",
            TextEncoding::Gbk => "gbk",
        }
    }

    /// Returns the encoding with this name.
    pub fn from_name(name: &str) -> Option<TextEncoding> {
        TextEncoding::ALL.into_iter().find(|encoding| encoding.name() == name)
    }

    /// Encodes a text whose lines end with LF.
    pub fn encode(self, text: &str) -> Cow<'_, [u8]> {
        match self {
            TextEncoding::Utf8 => Cow::Borrowed(text.as_bytes()),
            TextEncoding::Gbk => Cow::Owned(GB18030.encode(&text.replace('\n', "\r\n")).0.into_owned()),
        }
    }
}

/// Line without its line break.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextLine {
    /// Line number, starting with 1.
    pub number: u64,
    /// Text, with U+FFFD for undecodable bytes.
    pub text: String,
    /// The line was truncated.
    pub is_cut: bool,
}

/// Reader of lines that end with LF, CR LF or CR.
#[derive(Debug)]
pub struct TextLines<R> {
    reader: R,
    number: u64,
    decoder: Decoder,
    /// The last line ended with CR: a following LF belongs to it.
    was_carriage_return: bool,
}

impl<R: BufRead> TextLines<R> {
    /// Creates a reader.
    pub fn new(reader: R) -> TextLines<R> {
        TextLines { reader, number: 0, decoder: Decoder::default(), was_carriage_return: false }
    }

    /// Number of the last line read, 0 before the first.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the next line; `None` at the end.
    ///
    /// # Errors
    /// Errors of the reader, and an error for UTF-16 text.
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
            let room = MAX_LINE_BYTES - bytes.len();
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
            if is_utf16(&bytes) {
                // The error is that of the first line, which was not read.
                self.number = 0;
                return Err(io::Error::new(io::ErrorKind::InvalidData, UTF16_FAULT));
            }
            if bytes.starts_with("\u{feff}".as_bytes()) {
                bytes.drain(..3);
            }
        }
        Ok(Some(TextLine { number: self.number, text: self.decoder.decode(bytes), is_cut }))
    }
}

/// Returns the next line that is neither empty nor a comment, with its number. Lines that are too long are errors; a
/// read error ends the file.
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
            let fault = GameFault::TooMuch { what: "bytes in a line", max: MAX_LINE_BYTES };
            return Some(Err(GameError::in_line(line.number, fault)));
        }
        return Some(Ok((line.number, line.text)));
    }
}

/// Encoding detection line by line, with the history of the file.
#[derive(Clone, Copy, Debug, Default)]
struct Decoder {
    has_seen_gbk: bool,
}

impl Decoder {
    fn decode(&mut self, bytes: Vec<u8>) -> String {
        let bytes = match String::from_utf8(bytes) {
            // A few Chinese words in GBK are also valid UTF-8, but only as two-byte characters, and no Chinese
            // character has two bytes in UTF-8.
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

/// Number of undecodable characters.
fn faults(text: &str) -> usize {
    text.chars().filter(|&c| c == char::REPLACEMENT_CHARACTER).count()
}

/// Decodes GBK text of a binary file without trailing zero bytes.
pub fn decode_gbk(bytes: &[u8]) -> String {
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    GB18030.decode_without_bom_handling(&bytes[..end]).0.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<(u64, String)> {
        // A small buffer tests chunk boundaries.
        let mut lines = TextLines::new(io::BufReader::with_capacity(3, bytes));
        std::iter::from_fn(|| lines.next_line().unwrap()).map(|line| (line.number, line.text)).collect()
    }

    fn gbk(text: &str) -> Vec<u8> {
        GB18030.encode(text).0.into_owned()
    }

    #[test]
    fn all_line_breaks_are_recognised() {
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
    fn gbk_that_is_valid_utf8_is_decoded_by_earlier_lines() {
        assert!(String::from_utf8(gbk("模模")).is_ok(), "valid in both encodings");
        let bytes = [gbk("炮二平五\n"), gbk("模模")].concat();
        assert_eq!(lines(&bytes)[1].1, "模模");
    }

    #[test]
    fn one_invalid_byte_keeps_the_rest_of_the_line() {
        let mut bytes = "炮二平五马八进七".as_bytes().to_vec();
        bytes.insert(3, 0xFF);
        assert_eq!(lines(&bytes)[0].1, "炮\u{fffd}二平五马八进七");
    }

    #[test]
    fn long_lines_are_truncated_and_the_next_one_is_read() {
        let bytes = [vec![b'a'; 3 * MAX_LINE_BYTES], b"\nb".to_vec()].concat();
        let mut lines = TextLines::new(io::BufReader::new(&bytes[..]));
        let line = lines.next_line().unwrap().unwrap();
        assert!(line.is_cut && line.text.len() == MAX_LINE_BYTES);
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
