//! Numbered lines of text in UTF-8, GBK, Big5 or UTF-16.
//!
//! UTF-16 has a byte order mark. In the others no line break occurs inside a character, so that UTF-8 is detected line
//! by line, and files that mix it with another encoding are read too. GBK is told from Big5 by the first lines that
//! are not UTF-8: text in one of them has few signs of moves and few common characters in the other.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};

use encoding_rs::{BIG5, CoderResult, Decoder, Encoding, GB18030, UTF_16BE, UTF_16LE};

use super::described::sign;
use super::game::{GameError, GameFault};

/// Maximum length of a line in bytes; longer lines are truncated, which bounds the memory.
pub const MAX_LINE_BYTES: usize = 8 << 20;
/// Number of bytes that are read ahead to tell GBK from Big5.
const BYTES_AHEAD: usize = 1 << 16;
/// Weight of a sign of moves, and of an undecodable byte, among common characters.
const SIGN_WEIGHT: usize = 4;
const SIGNS_OF_MOVE: usize = 4;

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

impl TextLine {
    pub(super) fn fault(&self) -> Option<GameError> {
        let fault = GameFault::TooMuch("bytes in a line", MAX_LINE_BYTES);
        self.is_cut.then(|| GameError::in_line(self.number, fault))
    }
}

/// Reader of lines that end with LF, CR LF or CR. As an iterator it gives those that are neither empty nor comments
/// (`#`), with their numbers. Lines that are too long are errors then; a read error ends the file.
pub struct TextLines<R> {
    source: BufReader<Utf8<R>>,
    number: u64,
    legacy: Option<&'static Encoding>,
    /// The last line ended with CR: a following LF belongs to it.
    was_carriage_return: bool,
    /// Lines that were read ahead; the last may be an error.
    ahead: VecDeque<io::Result<RawLine>>,
    has_failed: bool,
}

struct RawLine {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl<R: BufRead> TextLines<R> {
    pub fn new(reader: R) -> TextLines<R> {
        let source = BufReader::new(Utf8 { reader, has_begun: false, head: Vec::new(), utf16: None });
        let ahead = VecDeque::new();
        TextLines { source, number: 0, legacy: None, was_carriage_return: false, ahead, has_failed: false }
    }

    pub(super) fn next_line(&mut self) -> Result<Option<TextLine>, GameError> {
        if self.has_failed {
            return Ok(None);
        }
        let line = self.ahead.pop_front().map_or_else(|| self.read_line(), |line| line.map(Some));
        self.has_failed = line.is_err();
        let line = line.map_err(|error| GameError::in_line(self.number + 1, error))?;
        let Some(RawLine { mut bytes, is_cut }) = line else { return Ok(None) };
        self.number += 1;
        if self.number == 1 && bytes.starts_with("\u{feff}".as_bytes()) {
            bytes.drain(..3);
        }
        if self.legacy.is_none() && std::str::from_utf8(&bytes).is_err() {
            self.read_ahead();
            let ahead = self.ahead.iter().flatten().map(|line| line.bytes.as_slice());
            self.legacy = Some(legacy_encoding(std::iter::once(bytes.as_slice()).chain(ahead)));
        }
        Ok(Some(TextLine { number: self.number, text: self.decode(bytes), is_cut }))
    }

    /// Parses each line.
    pub fn parsed<T>(
        self,
        mut parse: impl FnMut(u64, &str) -> Result<T, GameFault>,
    ) -> impl Iterator<Item = Result<T, GameError>> {
        self.map(move |line| {
            let (number, text) = line?;
            parse(number, &text).map_err(|fault| GameError::in_line(number, fault))
        })
    }

    fn read_ahead(&mut self) {
        let mut length = 0;
        while length < BYTES_AHEAD
            && let Some(line) = self.read_line().transpose()
        {
            length += line.as_ref().map_or(BYTES_AHEAD, |line| line.bytes.len() + 1);
            self.ahead.push_back(line);
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

    fn decode(&mut self, bytes: Vec<u8>) -> String {
        let bytes = match (String::from_utf8(bytes), self.legacy) {
            // A few Chinese words in GBK are valid UTF-8 too, but only as two-byte characters, which Chinese ones never
            // are.
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

impl<R: BufRead> Iterator for TextLines<R> {
    type Item = Result<(u64, String), GameError>;

    fn next(&mut self) -> Option<Result<(u64, String), GameError>> {
        loop {
            match self.next_line().transpose()? {
                Ok(line) if line.text.trim().is_empty() || line.text.starts_with('#') => {}
                line => return Some(line.and_then(|line| line.fault().map_or(Ok((line.number, line.text)), Err))),
            }
        }
    }
}

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

fn signs(text: &str) -> usize {
    text.chars().filter(|&c| !c.is_ascii() && (sign(c) != c || ('１'..='９').contains(&c))).count()
}

fn common(mut bytes: &[u8], is_common: fn(u8, u8) -> bool) -> usize {
    let mut count = 0;
    while let [first, rest @ ..] = bytes {
        bytes = match rest {
            [trail, after @ ..] if *first >= 0x81 => {
                count += usize::from(is_common(*first, *trail));
                after
            }
            _ => rest,
        };
    }
    count
}

fn faults(text: &str) -> usize {
    text.matches(char::REPLACEMENT_CHARACTER).count()
}

/// Decodes GBK text of a binary file without trailing zero bytes.
pub(super) fn decode_gbk(bytes: &[u8]) -> String {
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    GB18030.decode_without_bom_handling(&bytes[..end]).0.into_owned()
}

fn utf16_by_mark(text: &[u8]) -> Option<&'static Encoding> {
    Encoding::for_bom(text).map(|(encoding, _)| encoding).filter(|encoding| [UTF_16LE, UTF_16BE].contains(encoding))
}

/// Returns the beginning of a text in UTF-8: converted from UTF-16, with U+FFFD for what is not UTF-8 otherwise.
pub(crate) fn decode_head(head: &[u8]) -> Cow<'_, str> {
    match utf16_by_mark(head) {
        Some(encoding) => encoding.decode_with_bom_removal(head).0,
        None => String::from_utf8_lossy(head),
    }
}

/// Reader of a text in which UTF-16 is converted to UTF-8, for buffers of at least four bytes.
struct Utf8<R> {
    reader: R,
    has_begun: bool,
    head: Vec<u8>,
    utf16: Option<Decoder>,
}

impl<R: BufRead> Read for Utf8<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.has_begun {
            self.reader.by_ref().take(2).read_to_end(&mut self.head)?;
            self.has_begun = true;
            if let Some(encoding) = utf16_by_mark(&self.head) {
                self.utf16 = Some(encoding.new_decoder_without_bom_handling());
                self.head.clear();
            }
        }
        if !self.head.is_empty() {
            let count = self.head.as_slice().read(buffer)?;
            self.head.drain(..count);
            return Ok(count);
        }
        while let Some(decoder) = &mut self.utf16 {
            let chunk = self.reader.fill_buf()?;
            let (result, used, written, _) = decoder.decode_to_utf8(chunk, buffer, chunk.is_empty());
            let is_over = chunk.is_empty() && result == CoderResult::InputEmpty;
            self.reader.consume(used);
            if is_over {
                self.utf16 = None;
            }
            if written > 0 || is_over {
                return Ok(written);
            }
        }
        self.reader.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<String> {
        // A small buffer tests chunk boundaries.
        let mut lines = TextLines::new(io::BufReader::with_capacity(3, bytes));
        std::iter::from_fn(|| lines.next_line().unwrap()).map(|line| line.text).collect()
    }

    #[test]
    fn encodings_are_told_apart_line_by_line() {
        let big5 = |text: &str| BIG5.encode(text).0.into_owned();
        let gbk = |text: &str| GB18030.encode(text).0.into_owned();
        let joined = |parts: &[Vec<u8>]| lines(&parts.join(&b'\n'));
        let text = "炮二平五 马８进７ 车车俥";
        assert_eq!(joined(&[gbk(text), text.into(), gbk(text)]), [text; 3]);
        let line = "1. 炮二平五 馬８進７";
        assert_eq!(joined(&[big5(line), gbk(line), line.into()]), [line; 3]);
        for text in ["王天一", "兵七进一", "[Event \"全国象棋个人锦标赛\"]"] {
            assert_eq!(joined(&[gbk(text)]), [text]);
        }
        assert_eq!(joined(&[big5("[Event \"全國象棋個人錦標賽\"]\n[Red \"許銀川\"]")])[1], "[Red \"許銀川\"]");
        // Valid in both encodings.
        assert_eq!(joined(&[gbk("炮二平五"), gbk("模模")])[1], "模模");
        let mut bytes = "炮二平五马八进七".as_bytes().to_vec();
        bytes.insert(3, 0xFF);
        assert_eq!(lines(&bytes), ["炮\u{fffd}二平五马八进七"], "one invalid byte keeps the rest of the line");
    }

    #[test]
    fn long_lines_are_truncated_and_an_error_comes_after_the_lines_before_it() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("broken"))
            }
        }
        let gbk = GB18030.encode("炮二平五\n马８进７\n").0;
        let bytes = [&vec![b'a'; 3 * MAX_LINE_BYTES], &b"\n"[..], &gbk].concat();
        let mut lines = TextLines::new(io::BufReader::new(Read::chain(&bytes[..], Broken)));
        let line = lines.next_line().unwrap().unwrap();
        assert!(line.is_cut && line.text.len() == MAX_LINE_BYTES);
        for (number, text) in [(2, "炮二平五"), (3, "马８进７")] {
            let line = lines.next_line().unwrap().unwrap();
            assert_eq!((line.number, line.text.as_str(), line.is_cut), (number, text, false));
        }
        assert!(lines.next_line().is_err() && lines.number == 3);
    }

    #[test]
    fn utf16_is_converted_whatever_the_chunks_are() {
        let text = "[Red \"甲\"]\r\n1. 炮二平五 \u{1F600}\n马８进７";
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            let bytes: Vec<u8> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(order).collect();
            assert!(lines(&bytes).iter().map(String::as_str).eq(text.lines()));
            assert_eq!(decode_head(&bytes), text);
            // A text that ends within a character, and one within a pair.
            assert_eq!(lines(&bytes[..bytes.len() - 1]).last().unwrap(), "马８进\u{fffd}");
            let pair = bytes.chunks(2).position(|unit| unit == order(0xD83D)).unwrap();
            assert_eq!(lines(&bytes[..2 * pair + 2]).last().unwrap(), "1. 炮二平五 \u{fffd}");
        }
    }
}
