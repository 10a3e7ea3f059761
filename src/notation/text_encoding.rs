//! Numbered lines of text in UTF-8, GBK, Big5 or UTF-16.
//!
//! Chinese game files rarely declare their encoding, but UTF-16 has a byte order mark. Line breaks never occur inside a
//! character of the others, so that UTF-8 is detected line by line, and files that mix it with another encoding are
//! read as well. GBK is told from Big5 by the first lines that are not UTF-8: text in one of them has few signs of
//! moves and few common characters in the other.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{self, BufRead};

use encoding_rs::{BIG5, Encoding, GB18030};

use super::game::{GameError, GameFault};
use super::normal_form::sign;
use super::utf16::Source;

/// Maximum length of a line in bytes; longer lines are truncated, which bounds the memory.
pub const MAX_LINE_BYTES: usize = 8 << 20;

/// Number of bytes that are read ahead to tell GBK from Big5.
const BYTES_AHEAD: usize = 1 << 16;
/// Weight of a sign of moves, and of an undecodable byte, among common characters.
const SIGN_WEIGHT: usize = 4;
/// Signs of a move.
const SIGNS_OF_MOVE: usize = 4;

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
    source: Source<R>,
    number: u64,
    decoder: Decoder,
    /// The last line ended with CR: a following LF belongs to it.
    was_carriage_return: bool,
    /// Lines that were read ahead.
    ahead: VecDeque<RawLine>,
    /// Error of the line after them.
    error: Option<io::Error>,
}

/// Bytes of a line.
#[derive(Debug)]
struct RawLine {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl<R: BufRead> TextLines<R> {
    /// Creates a reader.
    pub fn new(reader: R) -> TextLines<R> {
        TextLines {
            source: Source::New(reader),
            number: 0,
            decoder: Decoder::default(),
            was_carriage_return: false,
            ahead: VecDeque::new(),
            error: None,
        }
    }

    /// Number of the last line read, 0 before the first.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the next line; `None` at the end.
    ///
    /// # Errors
    /// Errors of the reader.
    pub fn next_line(&mut self) -> io::Result<Option<TextLine>> {
        let line = match (self.ahead.pop_front(), self.error.take()) {
            (Some(line), error) => {
                self.error = error;
                line
            }
            (None, Some(error)) => return Err(error),
            (None, None) => match self.read_line()? {
                Some(line) => line,
                None => return Ok(None),
            },
        };
        let RawLine { mut bytes, is_cut } = line;
        self.number += 1;
        if self.number == 1 && bytes.starts_with("\u{feff}".as_bytes()) {
            bytes.drain(..3);
        }
        if self.decoder.legacy.is_none() && std::str::from_utf8(&bytes).is_err() {
            self.read_ahead();
            let lines = self.ahead.iter().map(|line| line.bytes.as_slice());
            self.decoder.legacy = Some(legacy_encoding(std::iter::once(bytes.as_slice()).chain(lines)));
        }
        Ok(Some(TextLine { number: self.number, text: self.decoder.decode(bytes), is_cut }))
    }

    /// Reads lines up to the limit.
    fn read_ahead(&mut self) {
        let mut length = 0;
        while length < BYTES_AHEAD {
            match self.read_line() {
                Ok(Some(line)) => {
                    length += line.bytes.len() + 1;
                    self.ahead.push_back(line);
                }
                Ok(None) => return,
                Err(error) => {
                    self.error = Some(error);
                    return;
                }
            }
        }
    }

    fn read_line(&mut self) -> io::Result<Option<RawLine>> {
        let mut bytes = Vec::new();
        let (mut is_cut, mut has_begun) = (false, false);
        loop {
            let chunk = match self.source.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                return Ok(has_begun.then_some(RawLine { bytes, is_cut }));
            }
            if std::mem::take(&mut self.was_carriage_return) && chunk[0] == b'\n' {
                self.source.consume(1);
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
            self.source.consume(used);
            if end.is_some() {
                return Ok(Some(RawLine { bytes, is_cut }));
            }
        }
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
    /// Encoding of the lines that are not UTF-8, once there is one.
    legacy: Option<&'static Encoding>,
}

impl Decoder {
    fn decode(&mut self, bytes: Vec<u8>) -> String {
        let bytes = match (String::from_utf8(bytes), self.legacy) {
            // A few Chinese words in GBK are also valid UTF-8, but only as two-byte characters, and no Chinese
            // character has two bytes in UTF-8.
            (Ok(text), None) => return text,
            (Ok(text), Some(_)) if text.is_ascii() || text.chars().any(|c| c.len_utf8() > 2) => return text,
            (Ok(text), Some(_)) => text.into_bytes(),
            (Err(error), _) => error.into_bytes(),
        };
        let legacy = self.legacy.unwrap_or(GB18030);
        let mut text = legacy.decode_without_bom_handling(&bytes).0;
        if signs(&text) == 0 {
            // Another game of a collection may have the other encoding.
            let other = if legacy == BIG5 { GB18030 } else { BIG5 };
            let other_text = other.decode_without_bom_handling(&bytes).0;
            if signs(&other_text) >= SIGNS_OF_MOVE && legacy_encoding([bytes.as_slice()].into_iter()) == other {
                (self.legacy, text) = (Some(other), other_text);
            }
        }
        let as_utf8 = String::from_utf8_lossy(&bytes);
        if faults(&text) <= faults(&as_utf8) { text.into_owned() } else { as_utf8.into_owned() }
    }
}

/// Returns the encoding of lines that are not UTF-8.
fn legacy_encoding<'a>(lines: impl Iterator<Item = &'a [u8]> + Clone) -> &'static Encoding {
    let score = |encoding: &'static Encoding, is_common: fn(u8, u8) -> bool| -> isize {
        let of_line = |bytes: &[u8]| {
            let text = encoding.decode_without_bom_handling(bytes).0;
            (SIGN_WEIGHT * signs(&text) + common(bytes, is_common)) as isize - (SIGN_WEIGHT * faults(&text)) as isize
        };
        lines.clone().filter(|bytes| std::str::from_utf8(bytes).is_err()).map(of_line).sum()
    };
    // Characters of the first level and punctuation.
    let gbk = score(GB18030, |lead, trail| matches!(lead, 0xA1..=0xA3 | 0xB0..=0xD7) && trail >= 0xA1);
    let big5 = score(BIG5, |lead, _| matches!(lead, 0xA1..=0xA2 | 0xA4..=0xC6));
    if big5 > gbk { BIG5 } else { GB18030 }
}

/// Number of signs of moves.
fn signs(text: &str) -> usize {
    text.chars().filter(|&c| !c.is_ascii() && (sign(c) != c || ('１'..='９').contains(&c))).count()
}

/// Number of pairs of bytes with a common character.
fn common(bytes: &[u8], is_common: fn(u8, u8) -> bool) -> usize {
    let (mut count, mut at) = (0, 0);
    while at + 1 < bytes.len() {
        let is_pair = bytes[at] >= 0x81;
        count += usize::from(is_pair && is_common(bytes[at], bytes[at + 1]));
        at += if is_pair { 2 } else { 1 };
    }
    count
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
    fn utf16_is_converted_whatever_the_chunks_are() {
        let text = "[Red \"甲\"]\r\n1. 炮二平五 \u{1F600}\n马８进７";
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            let bytes: Vec<u8> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(order).collect();
            assert!(lines(&bytes).iter().map(|(_, line)| line.as_str()).eq(text.lines()));
            assert_eq!(crate::notation::utf16::decode_head(&bytes), text);
            // A text that ends within a character, and one within a pair.
            assert_eq!(lines(&bytes[..bytes.len() - 1]).last().unwrap().1, "马８进\u{fffd}");
            let pair = bytes.chunks(2).position(|unit| unit == order(0xD83D)).unwrap();
            assert_eq!(lines(&bytes[..2 * pair + 2]).last().unwrap().1, "1. 炮二平五 \u{fffd}");
        }
    }

    #[test]
    fn big5_is_told_from_gbk() {
        let big5 = |text: &str| BIG5.encode(text).0.into_owned();
        for text in [
            "[Red \"甲方\"]\n1. 炮二平五 馬８進７\n2. 馬二進三 車９平８",
            "1. 砲二平五 馬8進7 紅勝",
            "[Event \"全國象棋個人錦標賽\"]\n[Red \"許銀川\"]\n\n1. H2-E2 H9-G7\n",
        ] {
            let expected: Vec<&str> = text.lines().collect();
            let found = |bytes: &[u8]| lines(bytes).into_iter().map(|(_, line)| line).collect::<Vec<_>>();
            assert_eq!(found(&big5(text)), expected);
            assert_eq!(found(&gbk(text)), expected);
        }
        for text in ["[Event \"全国象棋个人锦标赛\"]\n[Red \"许银川\"]\n[Black \"柳大华\"]", "王天一", "兵七进一"]
        {
            assert_eq!(lines(&gbk(text)).into_iter().map(|(_, line)| line).collect::<Vec<_>>().join("\n"), text);
        }
        // Both in one file.
        let line = "1. 炮二平五 馬８進７";
        let mixed = [big5(line), b"\n".to_vec(), gbk(line), b"\n".to_vec(), line.as_bytes().to_vec()].concat();
        assert!(lines(&mixed).iter().all(|(_, other)| other == line));
    }

    #[test]
    fn an_error_after_lines_that_were_read_ahead_comes_after_them() {
        struct Broken;
        impl io::Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("broken"))
            }
        }
        let bytes = gbk("炮二平五\n马８进７\n");
        let mut lines = TextLines::new(io::BufReader::new(io::Read::chain(&bytes[..], Broken)));
        assert_eq!(lines.next_line().unwrap().unwrap().text, "炮二平五");
        assert_eq!(lines.next_line().unwrap().unwrap().text, "马８进７");
        assert!(lines.next_line().is_err() && lines.number() == 2);
    }
}
